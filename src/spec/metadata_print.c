#include "base/fail.h"
#include "io/file.h"
#include "spec/history.h"
#include "spec/members.h"
#include "spec/metadata_object.h"

static void write_i64(frz_json_writer *json, const char *key, int64_t value)
{
    frz_json_key(json, key);
    frz_json_i64(json, value);
}

static void write_schemas(const frz_metadata *m, frz_json_writer *json)
{
    if (m->format_version == 1) { /* for readers that know only `schema` */
        frz_json_key(json, "schema");
        frz_schema_write_json(frz_metadata_schema(m), json);
    }
    write_i64(json, "current-schema-id", m->current_schema_id);
    frz_json_key(json, "schemas");
    frz_json_open_array(json);
    for (size_t i = 0; i < m->schema_count; i++)
        frz_schema_write_json(m->schemas[i], json);
    frz_json_close_array(json);
}

static void write_specs(const frz_metadata *m, frz_json_writer *json)
{
    if (m->format_version == 1) {
        frz_json_key(json, "partition-spec");
        frz_partition_fields_write_json(frz_metadata_spec(m), json);
    }
    write_i64(json, "default-spec-id", m->default_spec_id);
    frz_json_key(json, "partition-specs");
    frz_json_open_array(json);
    for (size_t i = 0; i < m->spec_count; i++)
        frz_partition_spec_write_json(&m->specs[i], json);
    frz_json_close_array(json);
    write_i64(json, "last-partition-id", m->last_partition_id);
}

static void write_sort_orders(const frz_metadata *m, frz_json_writer *json)
{
    write_i64(json, "default-sort-order-id", m->default_sort_order_id);
    frz_json_key(json, "sort-orders");
    frz_json_open_array(json);
    for (size_t i = 0; i < m->sort_order_count; i++)
        frz_sort_order_write_json(&m->sort_orders[i], json);
    frz_json_close_array(json);
}

static void write_properties(const frz_metadata *m, frz_json_writer *json)
{
    frz_json_key(json, "properties");
    frz_json_open_object(json);
    for (size_t i = 0; i < m->property_count; i++) {
        frz_json_key(json, m->properties[i].key);
        frz_json_string(json, m->properties[i].value);
    }
    frz_json_close_object(json);
}

/* Appendix F: V1 and V2 say -1 where there is no snapshot, V3 null. */
static void write_current_snapshot(const frz_metadata *m, frz_json_writer *json)
{
    frz_json_key(json, "current-snapshot-id");
    if (m->current_snapshot_id == FRZ_NO_SNAPSHOT && m->format_version >= 3)
        frz_json_null(json);
    else
        frz_json_i64(json, m->current_snapshot_id);
}

static void write_raw_array(frz_json_writer *json, const char *key, frz_slice array)
{
    frz_json_key(json, key);
    frz_json_raw(json, array.size ? array : frz_slice_of_text("[]"));
}

enum { PIECE_SIZE = 256 * 1024 };

/* What is written so far goes to the output, if there is one, in pieces of some size. */
static frz_status drain(frz_json_writer *json, frz_output *output, size_t size, frz_error **err)
{
    if (!output || json->out->size < size)
        return FRZ_OK;
    FRZ_TRY(frz_buffer_check(json->out, err));
    FRZ_TRY(frz_output_write(output, json->out->data, json->out->size, err));
    frz_buffer_reset(json->out);
    return FRZ_OK;
}

/* The items of an array that are printed already: behind what is written so far, and not copied. */
static frz_status write_items(frz_slice items, frz_json_writer *json, frz_output *output,
                              frz_error **err)
{
    if (!output || items.size < PIECE_SIZE) {
        if (items.size)
            frz_json_raw(json, items);
        return FRZ_OK;
    }
    FRZ_TRY(drain(json, output, 1, err));
    return frz_output_write(output, items.data, items.size, err);
}

static frz_status write_snapshots(const frz_metadata *m, frz_json_writer *json, frz_output *output,
                                  frz_error **err)
{
    const frz_metadata_object *object = (const frz_metadata_object *)m;
    frz_slice items = {0};
    frz_json_key(json, "snapshots");
    frz_json_open_array(json);
    if (frz_snapshot_list_text(&object->snapshots, m->format_version, &items))
        FRZ_TRY(write_items(items, json, output, err));
    for (size_t i = 0; i < m->snapshot_count && !items.data; i++) {
        frz_snapshot_write_json(&m->snapshots[i], m->format_version, json);
        FRZ_TRY(drain(json, output, PIECE_SIZE, err));
    }
    frz_json_close_array(json);
    return FRZ_OK;
}

static frz_status write_snapshot_log(const frz_metadata *m, frz_json_writer *json,
                                     frz_output *output, frz_error **err)
{
    const frz_metadata_object *object = (const frz_metadata_object *)m;
    frz_json_key(json, "snapshot-log");
    frz_json_open_array(json);
    if (object->printed_log.count == m->snapshot_log_count)
        FRZ_TRY(write_items(frz_printed_text(&object->printed_log), json, output, err));
    else
        frz_snapshot_log_write_items(m->snapshot_log, m->snapshot_log_count, json);
    frz_json_close_array(json);
    return FRZ_OK;
}

/* The order is that of Java's TableMetadataParser. */
static void write_head(const frz_metadata *metadata, frz_json_writer *json)
{
    write_i64(json, "format-version", metadata->format_version);
    if (metadata->table_uuid) {
        frz_json_key(json, "table-uuid");
        frz_json_string(json, metadata->table_uuid);
    }
    frz_json_key(json, "location");
    frz_json_string(json, metadata->location);
    if (metadata->format_version > 1)
        write_i64(json, "last-sequence-number", metadata->last_sequence_number);
    write_i64(json, "last-updated-ms", metadata->last_updated_ms);
    write_i64(json, "last-column-id", metadata->last_column_id);
    write_schemas(metadata, json);
    write_specs(metadata, json);
    write_sort_orders(metadata, json);
    write_properties(metadata, json);
    write_current_snapshot(metadata, json);
    if (metadata->format_version >= 3)
        write_i64(json, "next-row-id", metadata->next_row_id);
    if (metadata->encryption_keys.size)
        write_raw_array(json, "encryption-keys", metadata->encryption_keys);
}

static frz_status write_all(const frz_metadata *metadata, frz_json_writer *json, frz_output *output,
                            frz_error **err)
{
    frz_json_open_object(json);
    write_head(metadata, json);
    frz_json_key(json, "refs");
    frz_snapshot_refs_write_json(metadata->refs, metadata->ref_count, json);
    FRZ_TRY(write_snapshots(metadata, json, output, err));
    write_raw_array(json, "statistics", metadata->statistics);
    write_raw_array(json, "partition-statistics", metadata->partition_statistics);
    FRZ_TRY(write_snapshot_log(metadata, json, output, err));
    frz_json_key(json, "metadata-log");
    frz_metadata_log_write_json(metadata->metadata_log, metadata->metadata_log_count, json);
    frz_unknown_members_write(metadata->unknown, json);
    frz_json_close_object(json);
    FRZ_TRY(frz_buffer_check(json->out, err));
    return drain(json, output, 1, err);
}

frz_status frz_metadata_print(const frz_metadata *metadata, frz_buffer *out, frz_error **err)
{
    frz_json_writer json = frz_json_writer_to(out, 0);
    return write_all(metadata, &json, NULL, err);
}

frz_status frz_metadata_write(const frz_metadata *metadata, frz_output *output, frz_error **err)
{
    frz_buffer text = {0};
    frz_json_writer json = frz_json_writer_to(&text, 0);
    const frz_status status = write_all(metadata, &json, output, err);
    frz_buffer_clear(&text);
    return status;
}
