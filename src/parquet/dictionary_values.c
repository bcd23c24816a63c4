#include "parquet/dictionary_values.h"

#include "base/cursor.h"
#include "base/fail.h"
#include "parquet/element.h"
#include "parquet/page_walk.h"

static frz_status split_values(const frz_parquet_node *leaf, frz_slice bytes, size_t count,
                               frz_arena *arena, frz_parquet_dictionary_values *out,
                               frz_error **err)
{
    const size_t width = frz_parquet_node_width(leaf);
    frz_cursor cursor = frz_cursor_over_slice(bytes);
    if (count > bytes.size / (width ? width : sizeof(uint32_t)))
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                        "dictionary page: it has fewer values than it says");
    frz_slice *items = frz_arena_array(arena, count, sizeof *items);
    if (!items)
        return frz_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        const size_t size = width ? width : frz_cursor_u32le(&cursor);
        const uint8_t *data = frz_cursor_take(&cursor, size);
        if (!data)
            return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                            "dictionary page: value %zu ends behind it", i);
        items[i] = frz_slice_of(data, size);
    }
    out->items = items;
    out->count = count;
    out->known = true;
    return FRZ_OK;
}

static bool of_use(const frz_parquet_page_header *header)
{
    return header->type == FRZ_PARQUET_PAGE_DICTIONARY &&
           header->uncompressed_size <= FRZ_PARQUET_DICTIONARY_VALUES_SIZE_MAX &&
           (header->encoding == FRZ_PARQUET_PLAIN ||
            header->encoding == FRZ_PARQUET_PLAIN_DICTIONARY);
}

static frz_status read_page(frz_parquet_page_walk *walk, const frz_parquet_node *leaf,
                            frz_arena *arena, frz_parquet_dictionary_values *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_parquet_page_opener opener = {.chunk = walk->chunk, .leaf = leaf};
    frz_parquet_page_header header = {0};
    frz_parquet_page_parts parts = {0};
    frz_slice body = {0};
    frz_slice values = {0};
    status = frz_parquet_page_walk_next(walk, &header, err);
    if (status == FRZ_END || (status == FRZ_OK && !of_use(&header)))
        return FRZ_OK;
    FRZ_TRY_DONE(status);
    FRZ_TRY_DONE(frz_parquet_page_walk_body(walk, &header, &body, err));
    FRZ_TRY_DONE(frz_parquet_page_open(&opener, &header, body, &parts, err));
    if (!frz_arena_slice(arena, parts.values, &values))
        status = frz_fail_memory(err);
    else
        status = split_values(leaf, values, header.value_count, arena, out, err);
done:
    frz_codec_context_clear(&opener.codecs);
    frz_buffer_clear(&opener.buffer);
    return status;
}

frz_status frz_parquet_dictionary_values_read(frz_parquet_file *file, size_t row_group, size_t leaf,
                                              frz_arena *arena, frz_parquet_dictionary_values *out,
                                              frz_error **err)
{
    const frz_parquet_metadata *metadata = frz_parquet_file_metadata(file);
    const frz_parquet_column_chunk *chunk = &metadata->row_groups[row_group].columns[leaf];
    const frz_parquet_node *node = metadata->leaves[leaf];
    frz_parquet_page_walk walk = {0};
    frz_parquet_dictionary_values values = {0};
    char path[FRZ_PARQUET_PATH_SIZE];
    *out = values;
    if (!chunk->all_dictionary || chunk->dictionary_page_offset < 0 ||
        node->type == FRZ_PARQUET_BOOLEAN || chunk->encrypted || chunk->file_path)
        return FRZ_OK;
    frz_status status = frz_parquet_page_walk_begin(&walk, file, row_group, leaf, err);
    if (walk.end > (uint64_t)chunk->data_page_offset)
        walk.end = (uint64_t)chunk->data_page_offset; /* nothing is fetched behind the dictionary */
    if (status == FRZ_OK)
        status = read_page(&walk, node, arena, &values, err);
    frz_parquet_page_walk_clear(&walk);
    if (status != FRZ_OK)
        return frz_context(err, status, "column %s", frz_parquet_node_path(node, path));
    *out = values;
    return FRZ_OK;
}
