#include "text/csv.h"

#include <string.h>

#include "base/fail.h"
#include "text/csv_record.h"
#include "text/source.h"

static frz_status read_text(frz_text_source *source, const frz_text_column *column, frz_slice text,
                            frz_arrow_builder *builder, frz_error **err)
{
    char room[FRZ_CSV_ISO_ROOM];
    if (column->child_count == 0) {
        if (column->readable)
            FRZ_TRY(frz_csv_dialect_text(&source->dialect, column->value_type.kind, text, room,
                                         &text, err));
        return frz_text_read_scalar(column, text, &source->values, builder, err);
    }
    frz_json_reader json = frz_json_reader_over(text, &source->values);
    FRZ_TRY(frz_text_read_json(&json, column, &source->values, builder, err));
    return frz_json_expect_end(&json, err);
}

static frz_status read_field(frz_text_source *source, const frz_csv_field *field, size_t index,
                             frz_error **err)
{
    const frz_text_column *column = &source->root.children[index];
    frz_arrow_builder *builder = frz_arrow_builder_child(source->builder, index);
    frz_slice text = {0};
    FRZ_TRY(frz_csv_field_text(field, &source->dialect, &source->scratch, &text, err));
    const frz_status status = !field->quoted && frz_csv_dialect_is_null(&source->dialect, text)
                                  ? frz_text_read_null(column, builder, err)
                                  : read_text(source, column, text, builder, err);
    return status == FRZ_OK ? FRZ_OK : frz_context(err, status, "column %s", column->name);
}

static frz_status wrong_count(const frz_text_source *source, size_t got, frz_error **err)
{
    return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "expected %zu fields, got %s%zu",
                    source->field_count, got > source->field_count ? "more than " : "",
                    got > source->field_count ? source->field_count : got);
}

static frz_status read_row(frz_text_source *source, frz_slice bytes, frz_error **err)
{
    /* A blank line is a null where there is one column, and nothing where there are several. */
    if (bytes.size == 0 && source->field_count > 1)
        return FRZ_END;
    frz_csv_record record = frz_csv_record_of(bytes, &source->dialect);
    size_t count = 0;
    for (; record.more; count++) {
        frz_csv_field field;
        if (count == source->field_count)
            return wrong_count(source, count + 1, err);
        const size_t index = source->targets[count];
        const frz_status status = frz_csv_record_next(&record, &field, err);
        if (status != FRZ_OK)
            return frz_context(err, status, "column %s", source->root.children[index].name);
        FRZ_TRY(read_field(source, &field, index, err));
    }
    if (count < source->field_count)
        return wrong_count(source, count, err);
    frz_arrow_append_struct(source->builder);
    return FRZ_OK;
}

/* The columns of one header, as indices into the whole schema. */
typedef struct csv_header {
    const frz_text_column *all;
    bool *keep;
    size_t *indices;
    size_t count;
} csv_header;

static frz_status add_name(frz_text_source *source, csv_header *header, const frz_csv_field *field,
                           frz_error **err)
{
    frz_slice name = {0};
    FRZ_TRY(frz_csv_field_text(field, &source->dialect, &source->scratch, &name, err));
    const size_t index = frz_text_column_index(header->all, name);
    const int shown = (int)(name.size < 200 ? name.size : 200);
    if (index == header->all->child_count)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "header: the schema has no column \"%.*s\"", shown,
                        (const char *)name.data);
    if (header->keep[index])
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "header: column \"%.*s\" stands twice",
                        shown, (const char *)name.data);
    header->keep[index] = true;
    header->indices[header->count++] = index;
    return FRZ_OK;
}

static frz_status read_names(frz_text_source *source, frz_slice bytes, csv_header *header,
                             frz_error **err)
{
    frz_csv_record record = frz_csv_record_of(bytes, &source->dialect);
    while (record.more) {
        frz_csv_field field;
        FRZ_TRY(frz_csv_record_next(&record, &field, err));
        FRZ_TRY(add_name(source, header, &field, err));
    }
    return FRZ_OK;
}

/* Without header the first row tells how many columns there are. */
static frz_status count_columns(frz_text_source *source, frz_slice bytes, csv_header *header,
                                frz_error **err)
{
    frz_csv_record record = frz_csv_record_of(bytes, &source->dialect);
    for (size_t i = 0; record.more; i++) {
        frz_csv_field field;
        FRZ_TRY(frz_csv_record_next(&record, &field, err));
        if (i == header->all->child_count)
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                            "without header, columns go by their place, and the schema has only "
                            "%zu",
                            i);
        header->keep[i] = true;
        header->indices[header->count++] = i;
    }
    frz_text_source_return(source);
    return FRZ_OK;
}

/* Columns keep the schema's order; the targets map fields to the kept ones. */
static void set_targets(frz_text_source *source, const csv_header *header)
{
    source->targets = header->indices;
    source->field_count = header->count;
    for (size_t i = 0; i < header->count; i++) {
        size_t kept_before = 0;
        for (size_t j = 0; j < header->indices[i]; j++)
            kept_before += header->keep[j];
        source->targets[i] = kept_before;
    }
}

static frz_status read_header(frz_text_source *source, const struct ArrowSchema *schema,
                              frz_error **err)
{
    frz_text_column all = {0};
    frz_slice bytes = {0};
    FRZ_TRY(frz_text_column_from(schema, &source->arena, &all, err));
    all.any_case = source->any_case;
    csv_header header = {.all = &all};
    header.keep = frz_arena_array(&source->arena, all.child_count, sizeof *header.keep);
    header.indices = frz_arena_array(&source->arena, all.child_count, sizeof *header.indices);
    if (!header.keep || !header.indices)
        return frz_fail_memory(err);
    frz_status status = frz_text_source_record(source, &bytes, err);
    if (status == FRZ_END)
        return frz_fail(err, FRZ_CORRUPT, 0, "%s: expected %s, got an empty file", source->location,
                        source->dialect.no_header ? "rows" : "a header line");
    FRZ_TRY(status);
    status = source->dialect.no_header ? count_columns(source, bytes, &header, err)
                                       : read_names(source, bytes, &header, err);
    if (status != FRZ_OK)
        return frz_text_source_context(source, status, err);
    FRZ_TRY(frz_text_source_set_schema(source, schema, header.keep, err));
    set_targets(source, &header);
    return FRZ_OK;
}

static frz_status open_source(const char *location, frz_io *io, const frz_rows_options *options,
                              frz_text_source **out, frz_error **err)
{
    frz_text_source *source = NULL;
    FRZ_TRY(frz_text_source_new(location, io, &source, err));
    const frz_status status =
        frz_csv_dialect_from(&options->csv, &source->arena, &source->dialect, err);
    if (status != FRZ_OK) {
        frz_text_source_free(source);
        return status;
    }
    source->quote = source->dialect.quote;
    source->any_case = options->case_insensitive;
    source->read_row = read_row;
    *out = source;
    return FRZ_OK;
}

frz_status frz_csv_open(const char *location, frz_io *io, const struct ArrowSchema *schema,
                        const frz_rows_options *options, struct ArrowArrayStream *out,
                        frz_error **err)
{
    frz_text_source *source = NULL;
    FRZ_TRY(open_source(location, io, options, &source, err));
    const frz_status status = read_header(source, schema, err);
    if (status != FRZ_OK) {
        frz_text_source_free(source);
        return status;
    }
    return frz_text_source_stream(source, out, err);
}
