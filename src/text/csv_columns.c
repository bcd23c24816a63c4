/*
 * The columns of a CSV file whose types no schema tells.
 */
#include <string.h>

#include "arrow/schema.h"
#include "base/fail.h"
#include "spec/list.h"
#include "text/csv.h"
#include "text/csv_record.h"
#include "text/guess.h"
#include "text/source.h"

/* A field of the file. */
typedef struct csv_column {
    const char *name;
    int64_t known;  /* child of the schema that it is; -1: none */
    unsigned kinds; /* what its values are */
} csv_column;

typedef struct csv_columns {
    frz_text_source *source;
    const struct ArrowSchema *schema; /* NULL: none is known */
    bool any_case;
    frz_list items; /* csv_column */
} csv_columns;

static int64_t find_known(const csv_columns *self, frz_slice name)
{
    for (int64_t i = 0; self->schema && i < self->schema->n_children; i++) {
        const char *other = self->schema->children[i]->name;
        if (frz_text_same_name(name, other ? other : "", self->any_case))
            return i;
    }
    return -1;
}

static frz_status add_column(csv_columns *self, frz_slice name, int64_t known, frz_error **err)
{
    frz_arena *arena = &self->source->arena;
    csv_column *column = frz_list_add(&self->items, arena, sizeof *column);
    if (!column)
        return frz_fail_memory(err);
    *column = (csv_column){.name = frz_arena_text_n(arena, name.data, name.size), .known = known};
    return column->name ? FRZ_OK : frz_fail_memory(err);
}

static frz_status take_names(csv_columns *self, frz_slice bytes, frz_error **err)
{
    frz_text_source *source = self->source;
    frz_csv_record record = frz_csv_record_of(bytes, &source->dialect);
    while (record.more) {
        frz_csv_field field;
        frz_slice name = {0};
        FRZ_TRY(frz_csv_record_next(&record, &field, err));
        FRZ_TRY(frz_csv_field_text(&field, &source->dialect, &source->scratch, &name, err));
        if (name.size == 0)
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "header: column %zu has no name",
                            self->items.count + 1);
        FRZ_TRY(add_column(self, name, find_known(self, name), err));
    }
    return FRZ_OK;
}

static frz_status take_places(csv_columns *self, frz_slice bytes, frz_error **err)
{
    frz_text_source *source = self->source;
    frz_csv_record record = frz_csv_record_of(bytes, &source->dialect);
    for (int64_t i = 0; record.more; i++) {
        frz_csv_field field;
        FRZ_TRY(frz_csv_record_next(&record, &field, err));
        const bool known = self->schema && i < self->schema->n_children;
        const char *name = known ? self->schema->children[i]->name
                                 : frz_arena_printf(&source->arena, "column%lld", (long long)i + 1);
        if (!name)
            return frz_fail_memory(err);
        FRZ_TRY(add_column(self, frz_slice_of_text(name), known ? i : -1, err));
    }
    frz_text_source_return(source);
    return FRZ_OK;
}

static frz_status see_row(csv_columns *self, frz_slice bytes, frz_error **err)
{
    frz_text_source *source = self->source;
    const frz_csv_dialect *dialect = &source->dialect;
    csv_column *columns = self->items.items;
    frz_csv_record record = frz_csv_record_of(bytes, dialect);
    if (bytes.size == 0)
        return FRZ_OK;
    for (size_t i = 0; record.more && i < self->items.count; i++) {
        frz_csv_field field;
        frz_slice text = {0};
        FRZ_TRY(frz_csv_record_next(&record, &field, err));
        if (columns[i].known >= 0)
            continue;
        FRZ_TRY(frz_csv_field_text(&field, dialect, &source->scratch, &text, err));
        if (field.quoted || !frz_csv_dialect_is_null(dialect, text))
            columns[i].kinds |= frz_guess_text(text, true, dialect);
    }
    return FRZ_OK;
}

static frz_status see_rows(csv_columns *self, int64_t row_max, frz_error **err)
{
    for (int64_t i = 0; row_max == 0 || i < row_max; i++) {
        frz_slice bytes = {0};
        frz_status status = frz_text_source_record(self->source, &bytes, err);
        if (status != FRZ_OK)
            return status == FRZ_END ? FRZ_OK : status;
        status = see_row(self, bytes, err);
        if (status != FRZ_OK)
            return frz_text_source_context(self->source, status, err);
    }
    return FRZ_OK;
}

static frz_status read_columns(csv_columns *self, int64_t row_max, frz_error **err)
{
    frz_slice bytes = {0};
    const bool places = self->source->dialect.no_header;
    frz_status status = frz_text_source_record(self->source, &bytes, err);
    if (status == FRZ_END)
        return frz_fail(err, FRZ_CORRUPT, 0, "%s: expected %s, got an empty file",
                        self->source->location, places ? "rows" : "a header line");
    FRZ_TRY(status);
    status = places ? take_places(self, bytes, err) : take_names(self, bytes, err);
    if (status != FRZ_OK)
        return frz_text_source_context(self->source, status, err);
    return see_rows(self, row_max, err);
}

/* Known columns stand in the schema's order, and a name that stands twice is told when the file is
 * read. */
static frz_status make_schema(const csv_columns *self, struct ArrowSchema *out, frz_error **err)
{
    const csv_column *columns = self->items.items;
    const int64_t known_count = self->schema ? self->schema->n_children : 0;
    int64_t at = 0;
    FRZ_TRY(frz_arrow_schema_init(out, "+s", "", false, FRZ_ARROW_NO_FIELD_ID,
                                  (int64_t)self->items.count, err));
    for (int64_t i = 0; i < known_count; i++) {
        for (size_t j = 0; j < self->items.count; j++) {
            if (columns[j].known == i)
                FRZ_TRY(frz_arrow_schema_copy(self->schema->children[i], out->children[at++], err));
        }
    }
    for (size_t i = 0; i < self->items.count; i++) {
        if (columns[i].known < 0)
            FRZ_TRY(frz_arrow_schema_init(out->children[at++],
                                          frz_guess_format(columns[i].kinds, true), columns[i].name,
                                          true, FRZ_ARROW_NO_FIELD_ID, 0, err));
    }
    return FRZ_OK;
}

frz_status frz_csv_columns(const char *location, frz_io *io, const frz_rows_options *options,
                           struct ArrowSchema *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    struct ArrowSchema made = {0};
    csv_columns self = {.schema = options->schema, .any_case = options->case_insensitive};
    FRZ_TRY_DONE(frz_text_source_new(location, io, &self.source, err));
    FRZ_TRY_DONE(
        frz_csv_dialect_from(&options->csv, &self.source->arena, &self.source->dialect, err));
    self.source->quote = self.source->dialect.quote;
    FRZ_TRY_DONE(read_columns(&self, options->sample_rows, err));
    FRZ_TRY_DONE(make_schema(&self, &made, err));
    *out = made;
    made = (struct ArrowSchema){0};

done:
    frz_arrow_schema_clear(&made);
    frz_text_source_free(self.source);
    return status;
}
