/*
 * A Parquet file: what its footer says of columns and chunks, and what the headers of its pages
 * say. Pages themselves are not opened.
 */
#include "base/fail.h"
#include "io/file.h"
#include "parquet/bloom.h"
#include "parquet/element.h"
#include "parquet/page_index.h"
#include "parquet/page_walk.h"
#include "text/inspect.h"
#include "text/parquet_bound.h"

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
    frz_inspect_text(json, "type", type_name(leaf->type));
    if (leaf->type == FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY)
        frz_inspect_number(json, "length", leaf->type_length);
    if (leaf->annotation)
        frz_inspect_text(json, "annotation", leaf->annotation);
    if (leaf->logical == FRZ_PARQUET_LOGICAL_DECIMAL) {
        frz_inspect_number(json, "precision", leaf->precision);
        frz_inspect_number(json, "scale", leaf->scale);
    }
    if (leaf->logical == FRZ_PARQUET_LOGICAL_TIME ||
        leaf->logical == FRZ_PARQUET_LOGICAL_TIMESTAMP) {
        frz_inspect_text(json, "unit",
                         leaf->unit == 'm'   ? "milliseconds"
                         : leaf->unit == 'n' ? "nanoseconds"
                                             : "microseconds");
        frz_json_key(json, "utc");
        frz_json_bool(json, leaf->adjusted_to_utc);
    }
    frz_json_key(json, "nullable");
    frz_json_bool(json, leaf->nullable);
    if (leaf->max_definition)
        frz_inspect_number(json, "max_definition_level", leaf->max_definition);
    if (leaf->max_repetition)
        frz_inspect_number(json, "max_repetition_level", leaf->max_repetition);
    frz_json_close_object(json);
}

static const char *const encoding_names[] = {
    "PLAIN",          "GROUP_VAR_INT",       "PLAIN_DICTIONARY",        "RLE",
    "BIT_PACKED",     "DELTA_BINARY_PACKED", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY",
    "RLE_DICTIONARY", "BYTE_STREAM_SPLIT"};
enum { ENCODINGS = sizeof encoding_names / sizeof encoding_names[0] };

static void write_encodings(frz_json_writer *json, uint32_t encodings)
{
    frz_json_key(json, "encodings");
    frz_json_open_array(json);
    for (size_t i = 0; i < ENCODINGS; i++) {
        if (encodings >> i & 1)
            frz_json_string(json, encoding_names[i]);
    }
    frz_json_close_array(json);
}

/* Pages that lie one behind the other and are alike. */
typedef struct page_run {
    int32_t type;
    int32_t encoding;
    int64_t pages;
    int64_t values;
    int64_t nulls; /* V2 */
    int64_t rows;  /* V2 */
    int64_t offset;
    int64_t compressed_size; /* headers included */
    int64_t uncompressed_size;
} page_run;

static const char *page_word(int32_t type)
{
    switch (type) {
    case FRZ_PARQUET_PAGE_DATA:
        return "data";
    case FRZ_PARQUET_PAGE_DATA_V2:
        return "data_v2";
    case FRZ_PARQUET_PAGE_DICTIONARY:
        return "dictionary";
    case FRZ_PARQUET_PAGE_INDEX:
        return "index";
    default:
        return "unknown";
    }
}

static void write_run(frz_json_writer *json, const page_run *run)
{
    if (run->pages == 0)
        return;
    frz_json_open_object(json);
    frz_inspect_text(json, "kind", page_word(run->type));
    if (run->encoding >= 0 && run->encoding < (int32_t)ENCODINGS)
        frz_inspect_text(json, "encoding", encoding_names[run->encoding]);
    else
        frz_inspect_number(json, "encoding", run->encoding);
    frz_inspect_number(json, "pages", run->pages);
    frz_inspect_number(json, "values", run->values);
    if (run->type == FRZ_PARQUET_PAGE_DATA_V2) {
        frz_inspect_number(json, "nulls", run->nulls);
        frz_inspect_number(json, "rows", run->rows);
    }
    frz_inspect_number(json, "offset", run->offset);
    frz_inspect_number(json, "compressed_size", run->compressed_size);
    frz_inspect_number(json, "uncompressed_size", run->uncompressed_size);
    frz_json_close_object(json);
}

static void add_page(frz_json_writer *json, const frz_parquet_page_header *header, uint64_t offset,
                     page_run *run)
{
    if (run->pages == 0 || run->type != header->type || run->encoding != header->encoding) {
        write_run(json, run);
        *run = (page_run){
            .type = header->type, .encoding = header->encoding, .offset = (int64_t)offset};
    }
    run->pages++;
    run->values += header->value_count;
    run->nulls += header->null_count;
    run->rows += header->row_count;
    run->compressed_size += (int64_t)header->header_size + header->compressed_size;
    run->uncompressed_size += header->uncompressed_size;
}

/* The pages of a chunk, as far as their headers are sound. */
static frz_status write_pages(frz_json_writer *json, frz_parquet_file *file, size_t group,
                              size_t leaf, frz_error **err)
{
    frz_parquet_page_walk walk = {0};
    frz_parquet_page_header header = {0};
    page_run run = {0};
    frz_json_key(json, "pages");
    frz_json_open_array(json);
    frz_status status = frz_parquet_page_walk_begin(&walk, file, group, leaf, err);
    while (status == FRZ_OK) {
        status = frz_parquet_page_walk_next(&walk, &header, err);
        if (status == FRZ_OK)
            add_page(json, &header, walk.offset, &run);
    }
    write_run(json, &run);
    frz_json_close_array(json);
    frz_parquet_page_walk_clear(&walk);
    return status == FRZ_END ? FRZ_OK : status;
}

static void write_bound(frz_json_writer *json, const char *key, const frz_parquet_node *leaf,
                        frz_slice bytes)
{
    frz_buffer text = {0};
    frz_parquet_bound_print(leaf, bytes, &text);
    frz_inspect_buffer(json, key, &text);
}

static void write_statistics(frz_json_writer *json, const frz_parquet_node *leaf,
                             const frz_parquet_statistics *statistics)
{
    frz_inspect_known(json, "nulls", statistics->null_count);
    frz_inspect_known(json, "distinct", statistics->distinct_count);
    frz_inspect_known(json, "nans", statistics->nan_count);
    if (statistics->has_min)
        write_bound(json, "min", leaf, statistics->min);
    if (statistics->has_max)
        write_bound(json, "max", leaf, statistics->max);
    if ((statistics->has_min && !statistics->min_exact) ||
        (statistics->has_max && !statistics->max_exact)) {
        frz_json_key(json, "bounds_exact");
        frz_json_bool(json, false);
    }
    if (statistics->deprecated) {
        frz_json_key(json, "bounds_deprecated");
        frz_json_bool(json, true);
    }
}

static frz_status write_indexes(frz_json_writer *json, frz_parquet_file *file, size_t group,
                                size_t leaf, frz_error **err)
{
    const frz_parquet_column_chunk *chunk =
        &frz_parquet_file_metadata(file)->row_groups[group].columns[leaf];
    frz_arena arena = {.budget = frz_parquet_file_limits(file)->parse_budget};
    frz_parquet_page_index index = {0};
    frz_parquet_bloom bloom = {0};
    frz_status status = frz_parquet_page_index_read(file, group, leaf, &arena, &index, err);
    if (status == FRZ_OK && index.page_count) {
        int64_t null_pages = 0;
        for (size_t i = 0; index.bounds && i < index.page_count; i++)
            null_pages += index.bounds[i].all_null;
        frz_json_key(json, "page_index");
        frz_json_open_object(json);
        frz_inspect_number(json, "pages", (int64_t)index.page_count);
        frz_json_key(json, "bounds");
        frz_json_bool(json, index.bounds != NULL);
        if (index.bounds)
            frz_inspect_number(json, "null_pages", null_pages);
        frz_json_close_object(json);
    }
    if (status == FRZ_OK)
        status = frz_parquet_bloom_read(file, group, leaf, &arena, &bloom, err);
    if (status == FRZ_OK && chunk->bloom_filter_offset >= 0) {
        frz_json_key(json, "bloom_filter");
        frz_json_open_object(json);
        frz_inspect_number(json, "offset", chunk->bloom_filter_offset);
        frz_inspect_known(json, "size", chunk->bloom_filter_size);
        frz_inspect_number(json, "blocks", (int64_t)bloom.block_count);
        frz_json_close_object(json);
    }
    frz_arena_clear(&arena);
    return status;
}

static frz_status write_chunk(frz_json_writer *json, frz_parquet_file *file, size_t group,
                              size_t number, frz_error **err)
{
    const frz_parquet_metadata *metadata = frz_parquet_file_metadata(file);
    const frz_parquet_node *leaf = metadata->leaves[number];
    const frz_parquet_column_chunk *chunk = &metadata->row_groups[group].columns[number];
    frz_json_open_object(json);
    frz_json_key(json, "path");
    write_path(json, leaf);
    if (chunk->codec_known)
        frz_inspect_text(json, "codec", frz_codec_name(chunk->codec));
    else
        frz_inspect_number(json, "codec", chunk->codec_number);
    write_encodings(json, chunk->encodings);
    frz_inspect_known(json, "values", chunk->value_count);
    write_statistics(json, leaf, &chunk->statistics);
    frz_inspect_known(json, "compressed_size", chunk->compressed_size);
    frz_inspect_known(json, "uncompressed_size", chunk->uncompressed_size);
    frz_inspect_known(json, "dictionary_page_offset", chunk->dictionary_page_offset);
    frz_inspect_known(json, "data_page_offset", chunk->data_page_offset);
    frz_inspect_known(json, "column_index_offset", chunk->column_index_offset);
    frz_inspect_known(json, "offset_index_offset", chunk->offset_index_offset);
    if (chunk->file_path)
        frz_inspect_text(json, "other_file", chunk->file_path);
    if (chunk->encrypted)
        frz_inspect_text(json, "encrypted", "yes");
    if (!chunk->file_path && !chunk->encrypted) {
        FRZ_TRY(write_pages(json, file, group, number, err));
        FRZ_TRY(write_indexes(json, file, group, number, err));
    }
    frz_json_close_object(json);
    return FRZ_OK;
}

static frz_status write_row_group(frz_json_writer *json, frz_parquet_file *file, size_t number,
                                  frz_error **err)
{
    const frz_parquet_metadata *metadata = frz_parquet_file_metadata(file);
    const frz_parquet_row_group *group = &metadata->row_groups[number];
    char path[FRZ_PARQUET_PATH_SIZE];
    frz_json_open_object(json);
    frz_inspect_known(json, "rows", group->row_count);
    frz_inspect_known(json, "first_row", group->first_row);
    frz_inspect_known(json, "uncompressed_size", group->total_size);
    frz_json_key(json, "columns");
    frz_json_open_array(json);
    for (size_t i = 0; i < metadata->leaf_count; i++) {
        const frz_status status = write_chunk(json, file, number, i, err);
        if (status != FRZ_OK)
            return frz_context(err, status, "row group %zu, column %s", number,
                               frz_parquet_node_path(metadata->leaves[i], path));
    }
    frz_json_close_array(json);
    frz_json_close_object(json);
    return FRZ_OK;
}

static void write_footer(const frz_inspection *of, const frz_parquet_metadata *metadata)
{
    frz_json_writer *json = of->json;
    frz_inspect_number(json, "format_version", metadata->version);
    frz_inspect_text(json, "created_by", metadata->created_by);
    frz_inspect_known(json, "rows", metadata->row_count);
    frz_json_key(json, "columns");
    frz_json_open_array(json);
    for (size_t i = 0; i < metadata->leaf_count; i++)
        write_leaf(json, metadata->leaves[i]);
    frz_json_close_array(json);
    frz_json_key(json, "key_values");
    frz_json_open_object(json);
    for (size_t i = 0; i < metadata->key_value_count; i++) {
        frz_inspect_entry(of, metadata->key_values[i].key, metadata->key_values[i].value);
    }
    frz_json_close_object(json);
}

/* Without a footer: the pages that stand whole at the front of the file, whatever column they are
 * of. */
static void write_front(const frz_inspection *of)
{
    frz_parquet_window window = {0};
    frz_parquet_page_header header = {0};
    const uint64_t size = frz_input_size(of->input);
    uint64_t offset = 4;
    int64_t pages = 0;
    int64_t values = 0;
    frz_parquet_window_init(&window, of->input);
    while (offset < size &&
           frz_parquet_page_header_at(&window, offset, size, &frz_limits_default, &header, NULL) ==
               FRZ_OK &&
           header.compressed_size <= size - offset &&
           header.header_size <= size - offset - header.compressed_size) {
        offset += header.header_size + header.compressed_size;
        pages++;
        values += header.value_count;
    }
    frz_parquet_window_clear(&window);
    frz_json_key(of->json, "whole_pages_at_the_front");
    frz_json_open_object(of->json);
    frz_inspect_number(of->json, "pages", pages);
    frz_inspect_number(of->json, "values", values);
    frz_inspect_number(of->json, "end", (int64_t)offset);
    frz_json_close_object(of->json);
}

frz_status frz_inspect_parquet(const frz_inspection *of, frz_error **err)
{
    frz_parquet_file *file = NULL;
    frz_status status = frz_parquet_file_open(of->input, NULL, &file, err);
    if (status == FRZ_CORRUPT)
        write_front(of);
    if (status != FRZ_OK)
        return status;
    const frz_parquet_metadata *metadata = frz_parquet_file_metadata(file);
    write_footer(of, metadata);
    frz_json_key(of->json, "row_groups");
    frz_json_open_array(of->json);
    for (size_t i = 0; i < metadata->row_group_count && status == FRZ_OK; i++)
        status = write_row_group(of->json, file, i, err);
    if (status == FRZ_OK)
        frz_json_close_array(of->json);
    frz_parquet_file_close(file);
    return status;
}
