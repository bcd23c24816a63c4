#include "parquet/file.h"
#include "text/inspect.h"

static void write_path(frz_json_writer *json, const frz_parquet_node *node)
{
    const frz_parquet_node *steps[256];
    size_t count = 0;
    for (; node->parent && count < sizeof steps / sizeof steps[0]; node = node->parent)
        steps[count++] = node;
    frz_buffer path = {0};
    while (count > 0) {
        frz_buffer_append_text(&path, steps[--count]->name);
        if (count > 0)
            frz_buffer_append_byte(&path, '.');
    }
    frz_json_string_slice(json, frz_buffer_slice(&path));
    json->out->failed = json->out->failed || path.failed;
    frz_buffer_clear(&path);
}

static const char *type_name(frz_parquet_type type)
{
    static const char *const names[] = {"BOOLEAN", "INT32",  "INT64",      "INT96",
                                        "FLOAT",   "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"};
    return (size_t)type < sizeof names / sizeof names[0] ? names[type] : "unknown";
}

static void write_leaf(frz_json_writer *json, const frz_parquet_node *leaf)
{
    frz_json_open_object(json);
    frz_json_key(json, "path");
    write_path(json, leaf);
    frz_json_key(json, "field_id");
    if (leaf->has_field_id)
        frz_json_i64(json, leaf->field_id);
    else
        frz_json_null(json);
    frz_json_key(json, "type");
    frz_json_string(json, type_name(leaf->type));
    if (leaf->type == FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY) {
        frz_json_key(json, "length");
        frz_json_i64(json, leaf->type_length);
    }
    if (leaf->annotation) {
        frz_json_key(json, "annotation");
        frz_json_string(json, leaf->annotation);
    }
    if (leaf->logical == FRZ_PARQUET_LOGICAL_DECIMAL) {
        frz_json_key(json, "precision");
        frz_json_i64(json, leaf->precision);
        frz_json_key(json, "scale");
        frz_json_i64(json, leaf->scale);
    }
    frz_json_key(json, "nullable");
    frz_json_bool(json, leaf->nullable);
    frz_json_close_object(json);
}

static void write_encodings(frz_json_writer *json, uint32_t encodings)
{
    static const char *const names[] = {
        "PLAIN",          "GROUP_VAR_INT",       "PLAIN_DICTIONARY",        "RLE",
        "BIT_PACKED",     "DELTA_BINARY_PACKED", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY",
        "RLE_DICTIONARY", "BYTE_STREAM_SPLIT"};
    frz_json_open_array(json);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (encodings >> i & 1)
            frz_json_string(json, names[i]);
    }
    frz_json_close_array(json);
}

/* -1 stands for what the footer does not say. */
static void write_known(frz_json_writer *json, const char *key, int64_t value)
{
    if (value < 0)
        return;
    frz_json_key(json, key);
    frz_json_i64(json, value);
}

static void write_chunk(frz_json_writer *json, const frz_parquet_node *leaf,
                        const frz_parquet_column_chunk *chunk)
{
    frz_json_open_object(json);
    frz_json_key(json, "path");
    write_path(json, leaf);
    frz_json_key(json, "codec");
    if (chunk->codec_known)
        frz_json_string(json, frz_codec_name(chunk->codec));
    else
        frz_json_i64(json, chunk->codec_number);
    frz_json_key(json, "encodings");
    write_encodings(json, chunk->encodings);
    write_known(json, "values", chunk->value_count);
    write_known(json, "nulls", chunk->statistics.null_count);
    write_known(json, "compressed_size", chunk->compressed_size);
    write_known(json, "uncompressed_size", chunk->uncompressed_size);
    write_known(json, "dictionary_page_offset", chunk->dictionary_page_offset);
    write_known(json, "data_page_offset", chunk->data_page_offset);
    write_known(json, "column_index_offset", chunk->column_index_offset);
    write_known(json, "offset_index_offset", chunk->offset_index_offset);
    write_known(json, "bloom_filter_offset", chunk->bloom_filter_offset);
    frz_json_close_object(json);
}

static void write_row_groups(frz_json_writer *json, const frz_parquet_metadata *metadata)
{
    frz_json_key(json, "row_groups");
    frz_json_open_array(json);
    for (size_t i = 0; i < metadata->row_group_count; i++) {
        const frz_parquet_row_group *group = &metadata->row_groups[i];
        frz_json_open_object(json);
        write_known(json, "rows", group->row_count);
        write_known(json, "first_row", group->first_row);
        write_known(json, "uncompressed_size", group->total_size);
        frz_json_key(json, "columns");
        frz_json_open_array(json);
        for (size_t j = 0; j < metadata->leaf_count; j++)
            write_chunk(json, metadata->leaves[j], &group->columns[j]);
        frz_json_close_array(json);
        frz_json_close_object(json);
    }
    frz_json_close_array(json);
}

frz_status frz_inspect_parquet(frz_input *input, frz_json_writer *json, frz_error **err)
{
    frz_parquet_file *file = NULL;
    const frz_status status = frz_parquet_file_open(input, NULL, &file, err);
    if (status != FRZ_OK)
        return status;
    const frz_parquet_metadata *metadata = frz_parquet_file_metadata(file);
    frz_json_key(json, "format_version");
    frz_json_i64(json, metadata->version);
    frz_json_key(json, "created_by");
    if (metadata->created_by)
        frz_json_string(json, metadata->created_by);
    else
        frz_json_null(json);
    write_known(json, "rows", metadata->row_count);
    frz_json_key(json, "columns");
    frz_json_open_array(json);
    for (size_t i = 0; i < metadata->leaf_count; i++)
        write_leaf(json, metadata->leaves[i]);
    frz_json_close_array(json);
    write_row_groups(json, metadata);
    frz_json_key(json, "key_values");
    frz_json_open_object(json);
    for (size_t i = 0; i < metadata->key_value_count; i++) {
        frz_json_key(json, metadata->key_values[i].key);
        frz_json_string_slice(json, metadata->key_values[i].value);
    }
    frz_json_close_object(json);
    frz_parquet_file_close(file);
    return FRZ_OK;
}
