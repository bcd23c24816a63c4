/*
 * metadata.json as a summary: what the table is now, and how much there is of the rest.
 */
#include <string.h>

#include "base/calendar.h"
#include "spec/ddl.h"
#include "spec/metadata.h"
#include "text/inspect.h"

static void write_ddl(frz_json_writer *json, const frz_metadata *metadata)
{
    const frz_schema *schema = frz_metadata_schema(metadata);
    frz_buffer text = {0};
    if (schema)
        frz_ddl_print_schema(schema, &text);
    frz_inspect_buffer(json, "schema", &text);
    frz_inspect_number(json, "current_schema_id", metadata->current_schema_id);
    frz_inspect_number(json, "schemas", (int64_t)metadata->schema_count);
    const frz_partition_spec *spec = frz_metadata_spec(metadata);
    if (schema && spec) {
        frz_ddl_print_partition(spec, schema, &text);
        frz_inspect_buffer(json, "partition", &text);
    }
    frz_inspect_number(json, "default_spec_id", metadata->default_spec_id);
    frz_inspect_number(json, "partition_specs", (int64_t)metadata->spec_count);
    if (schema) {
        frz_ddl_print_sort(frz_metadata_find_sort_order(metadata, metadata->default_sort_order_id),
                           schema, &text);
        frz_inspect_buffer(json, "sort", &text);
    }
    frz_inspect_number(json, "default_sort_order_id", metadata->default_sort_order_id);
    frz_inspect_number(json, "sort_orders", (int64_t)metadata->sort_order_count);
}

static void write_time(frz_json_writer *json, const char *key, int64_t timestamp_ms)
{
    char time[FRZ_CALENDAR_TEXT_SIZE];
    const size_t size = frz_calendar_print_micros(frz_calendar_micros(timestamp_ms), true, time);
    frz_json_key(json, key);
    frz_json_string_slice(json, frz_slice_of(time, size));
}

static void write_snapshot(frz_json_writer *json, const frz_snapshot *snapshot)
{
    frz_json_key(json, "current_snapshot");
    frz_json_open_object(json);
    write_time(json, "committed_at", snapshot->timestamp_ms);
    frz_inspect_text(json, "operation", snapshot->operation);
    frz_inspect_number(json, "sequence_number", snapshot->sequence_number);
    frz_inspect_number(json, "schema_id", snapshot->schema_id);
    frz_inspect_text(json, "manifest_list", snapshot->manifest_list);
    frz_json_key(json, "summary");
    frz_json_open_object(json);
    for (size_t i = 0; i < snapshot->summary_count; i++)
        frz_inspect_text(json, snapshot->summary[i].key, snapshot->summary[i].value);
    frz_json_close_object(json);
    frz_json_close_object(json);
}

static void write_snapshots(frz_json_writer *json, const frz_metadata *metadata)
{
    const frz_snapshot *snapshot = frz_metadata_current_snapshot(metadata);
    frz_json_key(json, "current_snapshot_id");
    if (snapshot)
        frz_json_i64(json, metadata->current_snapshot_id);
    else
        frz_json_null(json);
    if (snapshot)
        write_snapshot(json, snapshot);
    frz_inspect_number(json, "snapshots", (int64_t)metadata->snapshot_count);
    frz_json_key(json, "refs");
    frz_json_open_object(json);
    for (size_t i = 0; i < metadata->ref_count; i++)
        frz_inspect_number(json, metadata->refs[i].name, metadata->refs[i].snapshot_id);
    frz_json_close_object(json);
    frz_json_key(json, "properties");
    frz_json_open_object(json);
    for (size_t i = 0; i < metadata->property_count; i++)
        frz_inspect_text(json, metadata->properties[i].key, metadata->properties[i].value);
    frz_json_close_object(json);
    frz_inspect_number(json, "metadata_log", (int64_t)metadata->metadata_log_count);
}

frz_status frz_inspect_metadata(const frz_inspection *of, frz_error **err)
{
    frz_json_writer *json = of->json;
    frz_metadata *metadata = NULL;
    const frz_status status =
        frz_metadata_read(of->io, of->location, &frz_limits_default, &metadata, err);
    if (status != FRZ_OK)
        return status;
    frz_inspect_number(json, "format_version", metadata->format_version);
    frz_inspect_text(json, "table_uuid", metadata->table_uuid);
    frz_inspect_text(json, "location", metadata->location);
    frz_inspect_number(json, "last_sequence_number", metadata->last_sequence_number);
    frz_inspect_number(json, "last_updated_ms", metadata->last_updated_ms);
    write_time(json, "last_updated", metadata->last_updated_ms);
    frz_inspect_number(json, "last_column_id", metadata->last_column_id);
    frz_inspect_known(json, "next_row_id", metadata->next_row_id);
    write_ddl(json, metadata);
    write_snapshots(json, metadata);
    frz_metadata_unref(metadata);
    return FRZ_OK;
}
