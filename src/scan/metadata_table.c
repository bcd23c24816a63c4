#include "scan/metadata_table.h"

#include "arrow/schema.h"
#include "arrow/stream.h"
#include "base/fail.h"
#include "base/mem.h"
#include "spec/value_arrow.h"

const frz_type frz_cell_int = {.kind = FRZ_TYPE_INT};
const frz_type frz_cell_long = {.kind = FRZ_TYPE_LONG};
const frz_type frz_cell_string = {.kind = FRZ_TYPE_STRING};
const frz_type frz_cell_boolean = {.kind = FRZ_TYPE_BOOLEAN};
const frz_type frz_cell_binary = {.kind = FRZ_TYPE_BINARY};
const frz_type frz_cell_timestamptz = {.kind = FRZ_TYPE_TIMESTAMPTZ};

void frz_cell_count(frz_arrow_builder *column, int64_t value)
{
    if (value < 0)
        frz_arrow_append_null(column);
    else
        frz_arrow_append_i64(column, value);
}

void frz_cell_text(frz_arrow_builder *column, const char *text)
{
    if (!text)
        frz_arrow_append_null(column);
    else
        frz_arrow_append_bytes(column, frz_slice_of_text(text));
}

void frz_cell_slice(frz_arrow_builder *column, frz_slice bytes)
{
    if (!bytes.size)
        frz_arrow_append_null(column);
    else
        frz_arrow_append_bytes(column, bytes);
}

void frz_cell_partition(frz_arrow_builder *column, const frz_scan *scan, const frz_data_file *file)
{
    const frz_type *type = scan->partition_type;
    const frz_partition_spec *spec = frz_metadata_find_spec(scan->metadata, file->spec_id);
    for (size_t i = 0; i < type->field_count; i++) {
        const frz_value none = {.form = FRZ_VALUE_NULL};
        const frz_value *value = &none;
        for (size_t k = 0; spec && k < spec->field_count && k < file->partition_count; k++)
            if (spec->fields[k].field_id == type->fields[i].id)
                value = &file->partition[k];
        frz_value_append(NULL, value, frz_arrow_builder_child(column, i));
    }
    frz_arrow_append_struct(column);
}

frz_status frz_metadata_read_manifest(const frz_scan *scan, const frz_manifest_file *source,
                                      bool metrics, frz_manifest **out, frz_error **err)
{
    static const frz_manifest_fields without_metrics = {.details = true};
    return frz_manifest_read(scan->io, source, scan->metadata, metrics ? NULL : &without_metrics,
                             &scan->limits, out, err);
}

static frz_status init_kind(frz_metadata_rows *rows, frz_error **err)
{
    switch (rows->kind) {
    case FRZ_METADATA_TABLE_SNAPSHOTS:
    case FRZ_METADATA_TABLE_HISTORY:
    case FRZ_METADATA_TABLE_REFS:
    case FRZ_METADATA_TABLE_METADATA_LOG_ENTRIES:
        return frz_log_rows_init(rows, err);
    case FRZ_METADATA_TABLE_FILES:
    case FRZ_METADATA_TABLE_DATA_FILES:
    case FRZ_METADATA_TABLE_DELETE_FILES:
    case FRZ_METADATA_TABLE_ENTRIES:
        return frz_file_rows_init(rows, err);
    case FRZ_METADATA_TABLE_MANIFESTS:
        return frz_manifest_rows_init(rows, err);
    case FRZ_METADATA_TABLE_PARTITIONS:
        return frz_partition_rows_init(rows, err);
    }
    return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "no metadata table has number %d",
                    (int)rows->kind);
}

static frz_status rows_schema(void *self, struct ArrowSchema *out, frz_error **err)
{
    const frz_metadata_rows *rows = self;
    const frz_field row = {.name = "", .required = true, .type = rows->type};
    return frz_type_to_arrow(&row, out, err);
}

static frz_status rows_next(void *self, struct ArrowArray *out, frz_error **err)
{
    frz_metadata_rows *rows = self;
    frz_status status = FRZ_OK;
    struct ArrowSchema schema = {0};
    frz_arrow_builder *builder = NULL;

    if (rows->done)
        return FRZ_END;
    FRZ_TRY(rows_schema(self, &schema, err));
    FRZ_TRY_DONE(frz_arrow_builder_new(&schema, &builder, err));
    while (status == FRZ_OK && frz_arrow_builder_length(builder) == 0)
        status = rows->ops->fill(rows, builder, err);
    if (status == FRZ_END)
        rows->done = true;
    if (status == FRZ_OK || (status == FRZ_END && frz_arrow_builder_length(builder)))
        status = frz_arrow_builder_finish(builder, out, err);

done:
    frz_arrow_builder_free(builder);
    frz_arrow_schema_clear(&schema);
    return status;
}

static void rows_free(void *self)
{
    frz_metadata_rows *rows = self;
    if (rows->ops && rows->ops->clear)
        rows->ops->clear(rows);
    frz_scan_free(rows->scan);
    frz_arena_clear(&rows->arena);
    frz_free(rows->metadata_location);
    frz_free(rows);
}

static const frz_arrow_source_ops stream_ops = {
    .schema = rows_schema, .next = rows_next, .free = rows_free};

frz_status frz_table_metadata_stream(const frz_table *table, frz_metadata_table kind,
                                     const frz_snapshot_selector *at, struct ArrowArrayStream *out,
                                     frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    frz_metadata_rows *rows = frz_alloc_zero(sizeof *rows);
    if (!rows)
        return frz_fail_memory(err);
    if (at)
        options.at = *at;
    rows->kind = kind;
    FRZ_TRY_DONE(frz_scan_new(table, &options, &rows->scan, err));
    rows->metadata_location = frz_copy_text(table->metadata_location);
    if (!rows->metadata_location) {
        status = frz_fail_memory(err);
        goto done;
    }
    FRZ_TRY_DONE(init_kind(rows, err));
    return frz_arrow_stream_from(&stream_ops, rows, out, err);

done:
    rows_free(rows);
    return status;
}
