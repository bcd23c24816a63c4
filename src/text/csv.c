#include "text/csv.h"

#include <string.h>

#include "base/fail.h"
#include "text/source.h"

/* One field: its text as it stands, or between its quotes. */
typedef struct csv_field {
    frz_slice text;
    bool quoted;
    bool doubled; /* holds "" for a quote */
} csv_field;

/* A record being taken apart. */
typedef struct csv_record {
    frz_slice bytes;
    size_t pos;
    bool more; /* a further field follows */
} csv_record;

static frz_status quoted_field(csv_record *record, csv_field *out, frz_error **err)
{
    const uint8_t *data = record->bytes.data;
    const size_t size = record->bytes.size;
    const size_t start = record->pos + 1;
    *out = (csv_field){.quoted = true};
    for (size_t at = start; at < size; at++) {
        if (data[at] != '"')
            continue;
        if (at + 1 < size && data[at + 1] == '"') {
            out->doubled = true;
            at++;
            continue;
        }
        out->text = frz_slice_of(data + start, at - start);
        record->pos = at + 1;
        if (record->pos < size && data[record->pos] != ',')
            return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                            "expected a comma behind the closing quote, got byte 0x%02x",
                            data[record->pos]);
        return FRZ_OK;
    }
    return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "a quote that is never closed");
}

static frz_status next_field(csv_record *record, csv_field *out, frz_error **err)
{
    const uint8_t *data = record->bytes.data;
    const size_t size = record->bytes.size;
    const size_t start = record->pos;
    if (start < size && data[start] == '"') {
        FRZ_TRY(quoted_field(record, out, err));
    } else {
        const uint8_t *comma = start < size ? memchr(data + start, ',', size - start) : NULL;
        const size_t end = comma ? (size_t)(comma - data) : size;
        *out = (csv_field){.text = frz_slice_of(size ? data + start : NULL, end - start)};
        if (end > start && memchr(data + start, '"', end - start))
            return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "a quote inside an unquoted field");
        record->pos = end;
    }
    record->more = record->pos < size;
    record->pos += record->more;
    return FRZ_OK;
}

/* The value of a field, "" undone; borrowed from the record or from `scratch`. */
static frz_status field_text(const csv_field *field, frz_buffer *scratch, frz_slice *out,
                             frz_error **err)
{
    *out = field->text;
    if (!field->doubled)
        return FRZ_OK;
    frz_buffer_reset(scratch);
    for (size_t i = 0; i < field->text.size; i++) {
        frz_buffer_append_byte(scratch, field->text.data[i]);
        i += field->text.data[i] == '"';
    }
    *out = frz_buffer_slice(scratch);
    return frz_buffer_check(scratch, err);
}

static frz_status read_text(frz_text_source *source, const frz_text_column *column, frz_slice text,
                            frz_arrow_builder *builder, frz_error **err)
{
    if (column->child_count == 0)
        return frz_text_read_scalar(column, text, &source->values, builder, err);
    frz_json_reader json = frz_json_reader_over(text, &source->values);
    FRZ_TRY(frz_text_read_json(&json, column, &source->values, builder, err));
    return frz_json_expect_end(&json, err);
}

static frz_status read_field(frz_text_source *source, const csv_field *field, size_t index,
                             frz_error **err)
{
    const frz_text_column *column = &source->root.children[index];
    frz_arrow_builder *builder = frz_arrow_builder_child(source->builder, index);
    frz_slice text = {0};
    FRZ_TRY(field_text(field, &source->scratch, &text, err));
    const frz_status status = text.size == 0 && !field->quoted
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
    csv_record record = {.bytes = bytes, .more = true};
    size_t count = 0;
    for (; record.more; count++) {
        csv_field field;
        if (count == source->field_count)
            return wrong_count(source, count + 1, err);
        const size_t index = source->targets[count];
        const frz_status status = next_field(&record, &field, err);
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

static frz_status add_name(frz_text_source *source, csv_header *header, const csv_field *field,
                           frz_error **err)
{
    frz_slice name = {0};
    FRZ_TRY(field_text(field, &source->scratch, &name, err));
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
    csv_record record = {.bytes = bytes, .more = true};
    while (record.more) {
        csv_field field;
        FRZ_TRY(next_field(&record, &field, err));
        FRZ_TRY(add_name(source, header, &field, err));
    }
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
    csv_header header = {.all = &all};
    header.keep = frz_arena_array(&source->arena, all.child_count, sizeof *header.keep);
    header.indices = frz_arena_array(&source->arena, all.child_count, sizeof *header.indices);
    if (!header.keep || !header.indices)
        return frz_fail_memory(err);
    frz_status status = frz_text_source_record(source, &bytes, err);
    if (status == FRZ_END)
        return frz_fail(err, FRZ_CORRUPT, 0, "%s: expected a header line, got an empty file",
                        source->location);
    FRZ_TRY(status);
    status = read_names(source, bytes, &header, err);
    if (status != FRZ_OK)
        return frz_text_source_context(source, status, err);
    FRZ_TRY(frz_text_source_set_schema(source, schema, header.keep, err));
    set_targets(source, &header);
    return FRZ_OK;
}

frz_status frz_csv_open(const char *location, frz_io *io, const struct ArrowSchema *schema,
                        struct ArrowArrayStream *out, frz_error **err)
{
    frz_text_source *source = NULL;
    FRZ_TRY(frz_text_source_new(location, io, &source, err));
    source->quotes = true;
    source->read_row = read_row;
    const frz_status status = read_header(source, schema, err);
    if (status != FRZ_OK) {
        frz_text_source_free(source);
        return status;
    }
    return frz_text_source_stream(source, out, err);
}
