#include <inttypes.h>
#include <string.h>

#include "base/calendar.h"
#include "base/fail.h"
#include "base/mem.h"
#include "catalog/table.h"
#include "json/writer.h"
#include "spec/ddl.h"

static void print_partition(const frz_metadata *metadata, frz_buffer *out)
{
    frz_ddl_print_partition(frz_metadata_spec(metadata), frz_metadata_schema(metadata), out);
}

static void print_sort(const frz_metadata *metadata, frz_buffer *out)
{
    frz_ddl_print_sort(frz_metadata_find_sort_order(metadata, metadata->default_sort_order_id),
                       frz_metadata_schema(metadata), out);
}

static void print_snapshot(const frz_snapshot *snapshot, frz_buffer *out)
{
    char time[FRZ_CALENDAR_TEXT_SIZE];
    if (!snapshot) {
        frz_buffer_append_text(out, "current snapshot  none\n");
        return;
    }
    (void)frz_calendar_print_micros(frz_calendar_micros(snapshot->timestamp_ms), true, time);
    frz_buffer_printf(out, "current snapshot  %" PRId64 " (%s, %s)\n", snapshot->snapshot_id,
                      snapshot->operation ? snapshot->operation : "unknown operation", time);
    for (size_t i = 0; i < snapshot->summary_count; i++) {
        const frz_property *entry = &snapshot->summary[i];
        if (strncmp(entry->key, "total-", strlen("total-")) == 0)
            frz_buffer_printf(out, "  %s  %s\n", entry->key, entry->value);
    }
}

static void describe_text(const frz_table *table, frz_buffer *out)
{
    const frz_metadata *metadata = table->metadata;
    if (table->identifier)
        frz_buffer_printf(out, "table             %s\n", table->identifier);
    frz_buffer_printf(out, "format version    %" PRId32 "\n", metadata->format_version);
    if (metadata->table_uuid)
        frz_buffer_printf(out, "uuid              %s\n", metadata->table_uuid);
    frz_buffer_printf(out, "location          %s\n", metadata->location);
    frz_buffer_printf(out, "metadata          %s\n", table->metadata_location);
    frz_buffer_printf(out, "schema            ");
    frz_ddl_print_schema(frz_metadata_schema(metadata), out);
    frz_buffer_append_text(out, "\npartition         ");
    print_partition(metadata, out);
    frz_buffer_append_text(out, "\nsort              ");
    print_sort(metadata, out);
    frz_buffer_append_byte(out, '\n');
    print_snapshot(frz_metadata_current_snapshot(metadata), out);
    frz_buffer_printf(out, "snapshots         %zu\nrefs              %zu\n",
                      metadata->snapshot_count, metadata->ref_count);
    for (size_t i = 0; i < metadata->property_count; i++)
        frz_buffer_printf(out, "%s%s = %s\n", i ? "                  " : "properties        ",
                          metadata->properties[i].key, metadata->properties[i].value);
}

static void write_properties(frz_json_writer *json, const frz_property *properties, size_t count)
{
    frz_json_open_object(json);
    for (size_t i = 0; i < count; i++) {
        frz_json_key(json, properties[i].key);
        frz_json_string(json, properties[i].value);
    }
    frz_json_close_object(json);
}

static void write_text(frz_json_writer *json, const char *key, const char *value)
{
    frz_json_key(json, key);
    if (value)
        frz_json_string(json, value);
    else
        frz_json_null(json);
}

static void write_snapshot(frz_json_writer *json, const frz_snapshot *snapshot)
{
    frz_json_key(json, "current_snapshot");
    if (!snapshot) {
        frz_json_null(json);
        return;
    }
    frz_json_open_object(json);
    frz_json_key(json, "snapshot_id");
    frz_json_i64(json, snapshot->snapshot_id);
    frz_json_key(json, "sequence_number");
    frz_json_i64(json, snapshot->sequence_number);
    frz_json_key(json, "timestamp_ms");
    frz_json_i64(json, snapshot->timestamp_ms);
    write_text(json, "operation", snapshot->operation);
    frz_json_key(json, "summary");
    write_properties(json, snapshot->summary, snapshot->summary_count);
    frz_json_close_object(json);
}

static void write_printed(frz_json_writer *json, const char *key, const frz_metadata *metadata,
                          void (*print)(const frz_metadata *, frz_buffer *))
{
    frz_buffer text = {0};
    print(metadata, &text);
    if (text.failed)
        json->out->failed = true;
    frz_json_key(json, key);
    frz_json_string_slice(json, frz_buffer_slice(&text));
    frz_buffer_clear(&text);
}

static void print_ddl(const frz_metadata *metadata, frz_buffer *out)
{
    frz_ddl_print_schema(frz_metadata_schema(metadata), out);
}

static void describe_json(const frz_table *table, frz_buffer *out)
{
    const frz_metadata *metadata = table->metadata;
    frz_json_writer json = frz_json_writer_to(out, 0);
    frz_json_open_object(&json);
    write_text(&json, "identifier", table->identifier);
    frz_json_key(&json, "format_version");
    frz_json_i64(&json, metadata->format_version);
    write_text(&json, "uuid", metadata->table_uuid);
    write_text(&json, "location", metadata->location);
    write_text(&json, "metadata_location", table->metadata_location);
    write_printed(&json, "ddl", metadata, print_ddl);
    frz_json_key(&json, "schema");
    frz_schema_write_json(frz_metadata_schema(metadata), &json);
    write_printed(&json, "partition", metadata, print_partition);
    write_printed(&json, "sort", metadata, print_sort);
    write_snapshot(&json, frz_metadata_current_snapshot(metadata));
    frz_json_key(&json, "snapshot_count");
    frz_json_i64(&json, (int64_t)metadata->snapshot_count);
    frz_json_key(&json, "ref_count");
    frz_json_i64(&json, (int64_t)metadata->ref_count);
    frz_json_key(&json, "properties");
    write_properties(&json, metadata->properties, metadata->property_count);
    frz_json_close_object(&json);
}

frz_status frz_table_describe(const frz_table *table, bool json, char **out, frz_error **err)
{
    frz_buffer text = {0};
    if (json)
        describe_json(table, &text);
    else
        describe_text(table, &text);
    frz_buffer_append_byte(&text, 0);
    const frz_status status = frz_buffer_check(&text, err);
    if (status != FRZ_OK) {
        frz_buffer_clear(&text);
        return status;
    }
    *out = (char *)text.data;
    return FRZ_OK;
}
