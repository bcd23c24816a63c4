/*
 * The rows inside any file that a table is made of (frazil/text.h): of Avro and Parquet what they
 * hold, of Puffin its blobs, of metadata.json its snapshots.
 */
#include <string.h>

#include "arrow/builder.h"
#include "arrow/stream.h"
#include "base/fail.h"
#include "base/mem.h"
#include "frazil/text.h"
#include "io/file.h"
#include "puffin/file.h"
#include "spec/metadata.h"
#include "text/avro_stream.h"
#include "text/inspect.h"
#include "text/parquet_rows.h"

/* One batch that was built. */
typedef struct row_source {
    frz_io *own_io; /* freed with the source; NULL when the caller's */
    frz_input *input;
    struct ArrowSchema schema;
    struct ArrowArray batch;
    char *location;
} row_source;

static void source_free(void *self)
{
    row_source *source = self;
    frz_arrow_schema_clear(&source->schema);
    frz_arrow_array_clear(&source->batch);
    frz_input_close(source->input);
    frz_io_free(source->own_io);
    frz_free(source->location);
    frz_free(source);
}

static frz_status source_schema(void *self, struct ArrowSchema *out, frz_error **err)
{
    return frz_arrow_schema_copy(&((row_source *)self)->schema, out, err);
}

static frz_status source_next(void *self, struct ArrowArray *out, frz_error **err)
{
    row_source *source = self;
    (void)err;
    if (!source->batch.release)
        return FRZ_END;
    *out = source->batch;
    source->batch = (struct ArrowArray){0};
    return FRZ_OK;
}

/* A flat column of the rows that are built here. */
typedef struct flat_column {
    const char *name;
    const char *format;
} flat_column;

static frz_status start_rows(row_source *source, const flat_column *columns, int64_t count,
                             frz_arrow_builder **out, frz_error **err)
{
    FRZ_TRY(
        frz_arrow_schema_init(&source->schema, "+s", "", false, FRZ_ARROW_NO_FIELD_ID, count, err));
    for (int64_t i = 0; i < count; i++)
        FRZ_TRY(frz_arrow_schema_init(source->schema.children[i], columns[i].format,
                                      columns[i].name, true, FRZ_ARROW_NO_FIELD_ID, 0, err));
    return frz_arrow_builder_new(&source->schema, out, err);
}

static void put_text(frz_arrow_builder *row, size_t column, const char *text)
{
    if (text)
        frz_arrow_append_bytes(frz_arrow_builder_child(row, column), frz_slice_of_text(text));
    else
        frz_arrow_append_null(frz_arrow_builder_child(row, column));
}

static void put_number(frz_arrow_builder *row, size_t column, int64_t value)
{
    frz_arrow_append_i64(frz_arrow_builder_child(row, column), value);
}

static const char *property_of(const frz_puffin_blob *blob, const char *key)
{
    for (size_t i = 0; i < blob->property_count; i++) {
        if (strcmp(blob->properties[i].key, key) == 0)
            return blob->properties[i].value;
    }
    return NULL;
}

static frz_status build_blobs(row_source *source, frz_error **err)
{
    static const flat_column columns[] = {{"type", "u"},
                                          {"snapshot_id", "l"},
                                          {"sequence_number", "l"},
                                          {"offset", "l"},
                                          {"length", "l"},
                                          {"compression_codec", "u"},
                                          {"cardinality", "u"},
                                          {"referenced_data_file", "u"}};
    frz_arena arena = {0};
    frz_puffin_footer footer = {0};
    frz_arrow_builder *rows = NULL;
    frz_status status =
        frz_puffin_footer_read(source->input, &frz_limits_default, &arena, &footer, err);
    if (status == FRZ_OK)
        status = start_rows(source, columns, sizeof columns / sizeof columns[0], &rows, err);
    for (size_t i = 0; status == FRZ_OK && i < footer.blob_count; i++) {
        const frz_puffin_blob *blob = &footer.blobs[i];
        put_text(rows, 0, blob->type);
        put_number(rows, 1, blob->snapshot_id);
        put_number(rows, 2, blob->sequence_number);
        put_number(rows, 3, blob->offset);
        put_number(rows, 4, blob->length);
        put_text(rows, 5, blob->compression_codec);
        put_text(rows, 6, property_of(blob, "cardinality"));
        put_text(rows, 7, property_of(blob, "referenced-data-file"));
        frz_arrow_append_struct(rows);
    }
    if (status == FRZ_OK)
        status = frz_arrow_builder_finish(rows, &source->batch, err);
    frz_arrow_builder_free(rows);
    frz_arena_clear(&arena);
    return status;
}

static void put_snapshot(frz_arrow_builder *rows, const frz_snapshot *snapshot)
{
    put_number(rows, 0, snapshot->snapshot_id);
    if (snapshot->parent_id == FRZ_NO_SNAPSHOT)
        frz_arrow_append_null(frz_arrow_builder_child(rows, 1));
    else
        put_number(rows, 1, snapshot->parent_id);
    put_number(rows, 2, snapshot->sequence_number);
    put_number(rows, 3, snapshot->timestamp_ms);
    put_text(rows, 4, snapshot->operation);
    put_text(rows, 5, snapshot->manifest_list);
    frz_arrow_append_struct(rows);
}

static frz_status build_snapshots(row_source *source, frz_io *io, frz_error **err)
{
    static const flat_column columns[] = {{"snapshot_id", "l"},     {"parent_id", "l"},
                                          {"sequence_number", "l"}, {"timestamp", "tsm:UTC"},
                                          {"operation", "u"},       {"manifest_list", "u"}};
    frz_metadata *metadata = NULL;
    frz_arrow_builder *rows = NULL;
    frz_status status =
        frz_metadata_read(io, source->location, &frz_limits_default, &metadata, err);
    if (status == FRZ_OK)
        status = start_rows(source, columns, sizeof columns / sizeof columns[0], &rows, err);
    for (size_t i = 0; status == FRZ_OK && i < metadata->snapshot_count; i++)
        put_snapshot(rows, &metadata->snapshots[i]);
    if (status == FRZ_OK)
        status = frz_arrow_builder_finish(rows, &source->batch, err);
    frz_arrow_builder_free(rows);
    frz_metadata_unref(metadata);
    return status;
}

static frz_status open_source(row_source *source, frz_io *io, frz_file_kind *kind_out,
                              frz_error **err)
{
    if (!io) {
        FRZ_TRY(frz_io_local_new(&source->own_io, err));
        io = source->own_io;
    }
    FRZ_TRY(frz_io_open(io, source->location, FRZ_IO_SIZE_UNKNOWN, &source->input, err));
    FRZ_TRY(frz_file_kind_of(source->input, source->location, kind_out, err));
    switch (*kind_out) {
    case FRZ_FILE_PUFFIN:
        return build_blobs(source, err);
    case FRZ_FILE_METADATA:
        return build_snapshots(source, io, err);
    case FRZ_FILE_AVRO:
    case FRZ_FILE_PARQUET:
        break; /* have streams of their own */
    }
    return FRZ_OK;
}

frz_status frz_inspect_rows(const char *location, frz_io *io, struct ArrowArrayStream *out,
                            frz_error **err)
{
    static const frz_arrow_source_ops ops = {
        .schema = source_schema, .next = source_next, .free = source_free};
    row_source *source = frz_alloc_zero(sizeof *source);
    if (!source)
        return frz_fail_memory(err);
    frz_file_kind kind = FRZ_FILE_METADATA;
    source->location = frz_copy_text(location);
    const frz_status status =
        source->location ? open_source(source, io, &kind, err) : frz_fail_memory(err);
    if (status == FRZ_OK && (kind == FRZ_FILE_PUFFIN || kind == FRZ_FILE_METADATA))
        return frz_arrow_stream_from(&ops, source, out, err);
    source_free(source);
    if (status != FRZ_OK)
        return frz_context(err, status, "%s", location);
    return kind == FRZ_FILE_AVRO ? frz_avro_stream_open(location, io, out, err)
                                 : frz_parquet_rows_open(location, io, out, err);
}
