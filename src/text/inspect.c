/*
 * The structure of any file that a table is made of (frazil/text.h): one JSON object, or the same
 * as an outline.
 */
#include "text/inspect.h"

#include <string.h>

#include "avro/reader.h"
#include "base/fail.h"
#include "base/mem.h"
#include "frazil/text.h"
#include "io/file.h"
#include "puffin/file.h"
#include "spec/ddl.h"
#include "spec/metadata.h"
#include "text/outline.h"

frz_status frz_file_kind_of(frz_input *input, const char *location, frz_file_kind *out,
                            frz_error **err)
{
    uint8_t start[4] = {0};
    const uint64_t size = frz_input_size(input);
    FRZ_TRY(
        frz_input_read_at(input, 0, start, size < sizeof start ? (size_t)size : sizeof start, err));
    size_t blank = 0;
    while (blank < sizeof start && start[blank] && strchr(" \t\r\n", start[blank]))
        blank++;
    if (memcmp(start, "PAR1", 4) == 0 || memcmp(start, "PARE", 4) == 0)
        *out = FRZ_FILE_PARQUET;
    else if (memcmp(start, "Obj\x01", 4) == 0)
        *out = FRZ_FILE_AVRO;
    else if (memcmp(start, "PFA1", 4) == 0)
        *out = FRZ_FILE_PUFFIN;
    else if (blank == sizeof start || start[blank] == '{' || memcmp(start, "\x1f\x8b", 2) == 0 ||
             memcmp(start, "\x28\xb5\x2f\xfd", 4) == 0)
        *out = FRZ_FILE_METADATA;
    else
        return frz_fail(err, FRZ_CORRUPT, 0,
                        "%s: expected a metadata.json, Avro, Parquet or Puffin file, got one that "
                        "starts with bytes %02x %02x %02x %02x",
                        location, start[0], start[1], start[2], start[3]);
    return FRZ_OK;
}

static void write_text(frz_json_writer *json, const char *key, const char *text)
{
    frz_json_key(json, key);
    if (text)
        frz_json_string(json, text);
    else
        frz_json_null(json);
}

static void write_number(frz_json_writer *json, const char *key, int64_t value)
{
    frz_json_key(json, key);
    frz_json_i64(json, value);
}

static frz_status inspect_avro(frz_input *input, frz_json_writer *json, frz_error **err)
{
    frz_avro_reader *reader = NULL;
    FRZ_TRY(frz_avro_reader_open(input, NULL, &reader, err));
    frz_json_key(json, "metadata");
    frz_json_open_object(json);
    frz_slice schema = {0};
    for (size_t i = 0; i < frz_avro_reader_metadata_count(reader); i++) {
        const char *key = NULL;
        frz_slice value = {0};
        frz_avro_reader_metadata_at(reader, i, &key, &value);
        if (strcmp(key, "avro.schema") == 0) {
            schema = value;
            continue;
        }
        frz_json_key(json, key);
        frz_json_string_slice(json, value);
    }
    frz_json_close_object(json);
    frz_json_key(json, "schema");
    frz_json_raw(json, schema); /* the reader has parsed it */
    frz_avro_reader_close(reader);
    return FRZ_OK;
}

static void write_properties(frz_json_writer *json, const frz_puffin_property *properties,
                             size_t count)
{
    frz_json_key(json, "properties");
    frz_json_open_object(json);
    for (size_t i = 0; i < count; i++)
        write_text(json, properties[i].key, properties[i].value);
    frz_json_close_object(json);
}

static void write_blob(frz_json_writer *json, const frz_puffin_blob *blob)
{
    frz_json_open_object(json);
    write_text(json, "type", blob->type);
    frz_json_key(json, "fields");
    frz_json_open_array(json);
    for (size_t i = 0; i < blob->field_count; i++)
        frz_json_i64(json, blob->fields[i]);
    frz_json_close_array(json);
    write_number(json, "snapshot_id", blob->snapshot_id);
    write_number(json, "sequence_number", blob->sequence_number);
    write_number(json, "offset", blob->offset);
    write_number(json, "length", blob->length);
    write_text(json, "compression_codec", blob->compression_codec);
    write_properties(json, blob->properties, blob->property_count);
    frz_json_close_object(json);
}

static frz_status inspect_puffin(frz_input *input, frz_json_writer *json, frz_error **err)
{
    frz_arena arena = {0};
    frz_puffin_footer footer = {0};
    const frz_status status =
        frz_puffin_footer_read(input, &frz_limits_default, &arena, &footer, err);
    if (status == FRZ_OK) {
        frz_json_key(json, "blobs");
        frz_json_open_array(json);
        for (size_t i = 0; i < footer.blob_count; i++)
            write_blob(json, &footer.blobs[i]);
        frz_json_close_array(json);
        write_properties(json, footer.properties, footer.property_count);
    }
    frz_arena_clear(&arena);
    return status;
}

static void write_refs(frz_json_writer *json, const frz_metadata *metadata)
{
    frz_json_key(json, "refs");
    frz_json_open_object(json);
    for (size_t i = 0; i < metadata->ref_count; i++)
        write_number(json, metadata->refs[i].name, metadata->refs[i].snapshot_id);
    frz_json_close_object(json);
    frz_json_key(json, "properties");
    frz_json_open_object(json);
    for (size_t i = 0; i < metadata->property_count; i++)
        write_text(json, metadata->properties[i].key, metadata->properties[i].value);
    frz_json_close_object(json);
}

static void write_ddl(frz_json_writer *json, const frz_metadata *metadata)
{
    frz_buffer ddl = {0};
    const frz_schema *schema = frz_metadata_schema(metadata);
    if (schema)
        frz_ddl_print_schema(schema, &ddl);
    frz_json_key(json, "schema");
    frz_json_string_slice(json, frz_buffer_slice(&ddl));
    json->out->failed = json->out->failed || ddl.failed;
    frz_buffer_clear(&ddl);
}

static frz_status inspect_metadata(frz_io *io, const char *location, frz_json_writer *json,
                                   frz_error **err)
{
    frz_metadata *metadata = NULL;
    FRZ_TRY(frz_metadata_read(io, location, &frz_limits_default, &metadata, err));
    write_number(json, "format_version", metadata->format_version);
    write_text(json, "table_uuid", metadata->table_uuid);
    write_text(json, "location", metadata->location);
    write_number(json, "last_sequence_number", metadata->last_sequence_number);
    write_number(json, "last_updated_ms", metadata->last_updated_ms);
    write_number(json, "last_column_id", metadata->last_column_id);
    if (metadata->next_row_id >= 0)
        write_number(json, "next_row_id", metadata->next_row_id);
    write_ddl(json, metadata);
    write_number(json, "current_schema_id", metadata->current_schema_id);
    write_number(json, "schemas", (int64_t)metadata->schema_count);
    write_number(json, "default_spec_id", metadata->default_spec_id);
    write_number(json, "partition_specs", (int64_t)metadata->spec_count);
    write_number(json, "default_sort_order_id", metadata->default_sort_order_id);
    write_number(json, "sort_orders", (int64_t)metadata->sort_order_count);
    frz_json_key(json, "current_snapshot_id");
    if (frz_metadata_current_snapshot(metadata))
        frz_json_i64(json, metadata->current_snapshot_id);
    else
        frz_json_null(json);
    write_number(json, "snapshots", (int64_t)metadata->snapshot_count);
    write_refs(json, metadata);
    write_number(json, "metadata_log", (int64_t)metadata->metadata_log_count);
    frz_metadata_unref(metadata);
    return FRZ_OK;
}

static frz_status write_object(frz_io *io, frz_input *input, const char *location,
                               frz_json_writer *json, frz_error **err)
{
    static const char *const names[] = {[FRZ_FILE_PARQUET] = "parquet",
                                        [FRZ_FILE_AVRO] = "avro",
                                        [FRZ_FILE_PUFFIN] = "puffin",
                                        [FRZ_FILE_METADATA] = "metadata"};
    frz_file_kind kind = FRZ_FILE_METADATA;
    FRZ_TRY(frz_file_kind_of(input, location, &kind, err));
    frz_json_open_object(json);
    write_text(json, "file", location);
    write_text(json, "kind", names[kind]);
    write_number(json, "size", (int64_t)frz_input_size(input));
    switch (kind) {
    case FRZ_FILE_PARQUET:
        FRZ_TRY(frz_inspect_parquet(input, json, err));
        break;
    case FRZ_FILE_AVRO:
        FRZ_TRY(inspect_avro(input, json, err));
        break;
    case FRZ_FILE_PUFFIN:
        FRZ_TRY(inspect_puffin(input, json, err));
        break;
    case FRZ_FILE_METADATA:
        FRZ_TRY(inspect_metadata(io, location, json, err));
        break;
    }
    frz_json_close_object(json);
    return frz_buffer_check(json->out, err);
}

/* Says which file, where the reader of its format did not. */
static frz_status name_file(const char *location, frz_status status, frz_error **err)
{
    if (!err || !*err || strstr(frz_error_message(*err), location))
        return status;
    return frz_context(err, status, "%s", location);
}

frz_status frz_inspect_file(const char *location, frz_io *io, bool json, char **out,
                            frz_error **err)
{
    frz_io *own_io = NULL;
    frz_input *input = NULL;
    frz_buffer object = {0};
    frz_buffer outline = {0};
    frz_status status = FRZ_OK;
    if (!io) {
        FRZ_TRY_DONE(frz_io_local_new(&own_io, err));
        io = own_io;
    }
    FRZ_TRY_DONE(frz_io_open(io, location, FRZ_IO_SIZE_UNKNOWN, &input, err));
    frz_json_writer writer = frz_json_writer_to(&object, 2);
    status = write_object(io, input, location, &writer, err);
    if (status != FRZ_OK) {
        status = name_file(location, status, err);
        goto done;
    }
    if (!json)
        FRZ_TRY_DONE(frz_text_outline(frz_buffer_slice(&object), &outline, err));
    const frz_slice text = frz_buffer_slice(json ? &object : &outline);
    char *copy = frz_copy_text_n((const char *)text.data, text.size);
    if (!copy)
        status = frz_fail_memory(err);
    else
        *out = copy;
done:
    frz_buffer_clear(&object);
    frz_buffer_clear(&outline);
    frz_input_close(input);
    frz_io_free(own_io);
    return status;
}
