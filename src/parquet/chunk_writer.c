#include "parquet/chunk_writer.h"

#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "io/file.h"
#include "parquet/delta_encode.h"
#include "parquet/rle_encode.h"

/* Rows are taken in pieces of at most this many slots, so that scratch stays in the cache. */
enum { PIECE_SLOTS = 16384 };

void frz_parquet_chunk_init(frz_parquet_chunk_writer *chunk, const frz_parquet_leaf *leaf,
                            const frz_parquet_chunk_options *options,
                            frz_parquet_page_writer *pages_to)
{
    *chunk = (frz_parquet_chunk_writer){.leaf = leaf,
                                        .order = frz_parquet_order_of(leaf->node),
                                        .options = *options,
                                        .pages_to = pages_to,
                                        .full = true};
    /* Two values need neither dictionary nor filter. */
    if (leaf->node->type == FRZ_PARQUET_BOOLEAN) {
        chunk->options.dictionary_off = true;
        chunk->options.bloom.on = false;
    }
    if (chunk->options.bloom.on)
        frz_parquet_bloom_builder_init(&chunk->bloom, &chunk->options.bloom);
    chunk->dictionary_on = !chunk->options.dictionary_off;
    chunk->dictionary.width = leaf->width;
}

void frz_parquet_chunk_clear(frz_parquet_chunk_writer *chunk)
{
    for (size_t i = 0; i < chunk->page_count; i++)
        frz_free(chunk->pages[i].page.bytes);
    frz_free(chunk->pages);
    frz_buffer_clear(&chunk->definition);
    frz_buffer_clear(&chunk->repetition);
    frz_buffer_clear(&chunk->values);
    frz_buffer_clear(&chunk->indexes);
    frz_buffer_clear(&chunk->bound_bytes);
    frz_buffer_clear(&chunk->encoded);
    frz_buffer_clear(&chunk->delta);
    frz_parquet_bounds_clear(&chunk->page_bounds);
    frz_parquet_bounds_clear(&chunk->bounds);
    frz_parquet_dictionary_builder_clear(&chunk->dictionary);
    frz_parquet_bloom_builder_clear(&chunk->bloom);
    frz_parquet_shredded_clear(&chunk->shredded);
    frz_parquet_gathered_clear(&chunk->gathered);
    *chunk = (frz_parquet_chunk_writer){0};
}

static size_t open_page_size(const frz_parquet_chunk_writer *chunk)
{
    const size_t levels = chunk->definition.size / 4 + chunk->repetition.size / 4;
    if (!chunk->dictionary_on)
        return levels + chunk->plain_size;
    const int bit_width = frz_parquet_bit_width(chunk->dictionary.count);
    return levels + chunk->value_count * (size_t)bit_width / 8;
}

uint64_t frz_parquet_chunk_size(const frz_parquet_chunk_writer *chunk)
{
    const size_t open = open_page_size(chunk);
    const bool measured = chunk->raw_size > 0;
    const uint64_t expected =
        measured ? (uint64_t)((double)open * (double)chunk->packed_size / (double)chunk->raw_size)
                 : open;
    return chunk->packed_size + expected + chunk->dictionary.plain.size;
}

uint64_t frz_parquet_chunk_raw_size(const frz_parquet_chunk_writer *chunk)
{
    return chunk->raw_size + open_page_size(chunk) + chunk->dictionary.plain.size;
}

uint64_t frz_parquet_chunk_memory(const frz_parquet_chunk_writer *chunk)
{
    return chunk->packed_size + chunk->page_capacity * sizeof *chunk->pages +
           chunk->definition.capacity + chunk->repetition.capacity + chunk->values.capacity +
           chunk->indexes.capacity + chunk->bound_bytes.capacity + chunk->encoded.capacity +
           chunk->delta.capacity + chunk->gathered.scratch.capacity +
           frz_parquet_dictionary_builder_memory(&chunk->dictionary);
}

/* Encodings. */

static void encode_indexes(frz_parquet_chunk_writer *chunk, frz_buffer *out)
{
    /* Width 0 is legal for one entry, and not read by everybody: D122. */
    int bit_width =
        frz_parquet_bit_width(chunk->dictionary.count ? chunk->dictionary.count - 1 : 0);
    bit_width = bit_width ? bit_width : 1;
    frz_buffer_append_byte(out, (uint8_t)bit_width);
    frz_parquet_rle_encode_indexes((const uint32_t *)(const void *)chunk->indexes.data,
                                   chunk->value_count, bit_width, out);
}

/* PLAIN booleans: one bit each, the lowest first. */
static void pack_bools(const frz_buffer *values, frz_buffer *out)
{
    uint8_t *to = frz_buffer_extend(out, (values->size + 7) / 8);
    if (!to || values->size == 0)
        return;
    memset(to, 0, (values->size + 7) / 8);
    for (size_t i = 0; i < values->size; i++)
        to[i / 8] |= (uint8_t)(values->data[i] << i % 8);
}

/* Integers that are no decimals: what every reader of the day takes in DELTA_BINARY_PACKED. */
static bool delta_allowed(const frz_parquet_node *leaf)
{
    return (leaf->type == FRZ_PARQUET_INT32 || leaf->type == FRZ_PARQUET_INT64) &&
           leaf->logical != FRZ_PARQUET_LOGICAL_DECIMAL;
}

static frz_status try_delta(frz_parquet_chunk_writer *chunk, frz_parquet_page_content *content,
                            frz_error **err)
{
    frz_buffer_reset(&chunk->delta);
    if (chunk->leaf->node->type == FRZ_PARQUET_INT32)
        frz_parquet_delta_encode_i32((const int32_t *)(const void *)chunk->values.data,
                                     chunk->value_count, &chunk->delta);
    else
        frz_parquet_delta_encode_i64((const int64_t *)(const void *)chunk->values.data,
                                     chunk->value_count, &chunk->delta);
    FRZ_TRY(frz_buffer_check(&chunk->delta, err));
    if (chunk->delta.size < content->values.size) {
        content->values = frz_buffer_slice(&chunk->delta);
        content->encoding = FRZ_PARQUET_DELTA_BINARY_PACKED;
    }
    return FRZ_OK;
}

/* On the first page: the dictionary goes when it and its indexes are no smaller than the values. */
static void abandon_dictionary(frz_parquet_chunk_writer *chunk)
{
    chunk->dictionary_on = false;
    frz_parquet_dictionary_builder_append_plain(&chunk->dictionary,
                                                (const uint32_t *)(const void *)chunk->indexes.data,
                                                chunk->value_count, &chunk->values);
    frz_parquet_dictionary_builder_reset(&chunk->dictionary);
}

static frz_status encode_values(frz_parquet_chunk_writer *chunk, frz_parquet_page_content *content,
                                frz_error **err)
{
    frz_buffer_reset(&chunk->encoded);
    if (chunk->dictionary_on) {
        encode_indexes(chunk, &chunk->encoded);
        FRZ_TRY(frz_buffer_check(&chunk->encoded, err));
        if (chunk->page_count == 0 &&
            chunk->dictionary.plain.size + chunk->encoded.size >= chunk->plain_size)
            abandon_dictionary(chunk);
    }
    if (chunk->dictionary_on) {
        content->encoding = FRZ_PARQUET_RLE_DICTIONARY;
        content->values = frz_buffer_slice(&chunk->encoded);
        return FRZ_OK;
    }
    content->encoding = FRZ_PARQUET_PLAIN;
    content->values = frz_buffer_slice(&chunk->values);
    if (chunk->leaf->node->type == FRZ_PARQUET_BOOLEAN) {
        pack_bools(&chunk->values, &chunk->encoded);
        content->values = frz_buffer_slice(&chunk->encoded);
    }
    FRZ_TRY(frz_buffer_check(&chunk->values, err));
    FRZ_TRY(frz_buffer_check(&chunk->encoded, err));
    if (chunk->options.bloom.on &&
        !frz_parquet_bloom_builder_add(&chunk->bloom, frz_buffer_slice(&chunk->values),
                                       chunk->leaf->width))
        return frz_fail_memory(err);
    if (delta_allowed(chunk->leaf->node) && chunk->value_count > 1)
        return try_delta(chunk, content, err);
    return FRZ_OK;
}

/* Closing a page. */

static size_t keep_bound(frz_parquet_chunk_writer *chunk, frz_slice bound)
{
    const size_t at = chunk->bound_bytes.size;
    frz_buffer_append(&chunk->bound_bytes, bound.data, bound.size);
    return at;
}

static frz_parquet_page_entry describe_page(frz_parquet_chunk_writer *chunk, size_t size)
{
    const frz_parquet_bounds *bounds = &chunk->page_bounds;
    frz_parquet_page_entry entry = {.size = size,
                                    .first_row = chunk->rows_closed,
                                    .null_count = (int64_t)(chunk->slot_count - chunk->value_count),
                                    .nan_count = bounds->nan_count,
                                    .all_null = chunk->value_count == 0,
                                    .has_bounds = bounds->any};
    if (bounds->any) {
        bool exact = false;
        uint8_t scratch[FRZ_PARQUET_BOUND_SIZE_MAX];
        const frz_slice min =
            frz_parquet_shorten_min(chunk->leaf->node, frz_buffer_slice(&bounds->min), &exact);
        const frz_slice max = frz_parquet_shorten_max(
            chunk->leaf->node, frz_buffer_slice(&bounds->max), scratch, &exact);
        entry.min_size = min.size;
        entry.max_size = max.size;
        entry.min_at = keep_bound(chunk, min);
        entry.max_at = keep_bound(chunk, max);
    }
    return entry;
}

static void count_page(frz_parquet_chunk_entry *entry, frz_parquet_encoding encoding)
{
    entry->pages_plain += encoding == FRZ_PARQUET_PLAIN;
    entry->pages_dictionary += encoding == FRZ_PARQUET_RLE_DICTIONARY;
    entry->pages_delta += encoding == FRZ_PARQUET_DELTA_BINARY_PACKED;
}

static void open_page(frz_parquet_chunk_writer *chunk)
{
    chunk->slot_count = 0;
    chunk->value_count = 0;
    chunk->row_count = 0;
    chunk->plain_size = 0;
    chunk->full = true;
    frz_buffer_reset(&chunk->definition);
    frz_buffer_reset(&chunk->repetition);
    frz_buffer_reset(&chunk->values);
    frz_buffer_reset(&chunk->indexes);
    frz_parquet_bounds_reset(&chunk->page_bounds);
}

static frz_status close_page(frz_parquet_chunk_writer *chunk, frz_error **err)
{
    frz_parquet_page_content content = {
        .leaf = chunk->leaf->node,
        .slot_count = chunk->slot_count,
        .null_count = chunk->slot_count - chunk->value_count,
        .row_count = (size_t)chunk->row_count,
        .definition = chunk->full ? NULL : chunk->definition.data,
        .repetition = chunk->leaf->node->max_repetition ? chunk->repetition.data : NULL,
    };
    frz_parquet_chunk_page page = {0};
    if (!frz_grow_array((void **)&chunk->pages, &chunk->page_capacity, chunk->page_count,
                        sizeof *chunk->pages))
        return frz_fail_memory(err);
    FRZ_TRY(encode_values(chunk, &content, err));
    FRZ_TRY(frz_context(err, frz_parquet_page_write(chunk->pages_to, &content, &page.page, err),
                        "column \"%s\"", chunk->leaf->arrow_path));
    page.entry = describe_page(chunk, page.page.size);
    chunk->pages[chunk->page_count++] = page;
    FRZ_TRY(frz_buffer_check(&chunk->bound_bytes, err));

    count_page(&chunk->entry, content.encoding);
    chunk->raw_size += page.page.uncompressed_size;
    chunk->packed_size += page.page.size;
    chunk->rows_closed += chunk->row_count;
    chunk->entry.slot_count += (int64_t)chunk->slot_count;
    chunk->entry.statistics.null_count += page.entry.null_count;
    frz_parquet_bounds_merge(&chunk->bounds, chunk->order, &chunk->page_bounds);
    if (chunk->bounds.min.failed || chunk->bounds.max.failed)
        return frz_fail_memory(err);
    if (chunk->dictionary.plain.size > chunk->options.dictionary_size)
        chunk->dictionary_on = false;
    open_page(chunk);
    return FRZ_OK;
}

/* Taking values. */

static void add_levels(frz_parquet_chunk_writer *chunk, const frz_parquet_shredded *shredded)
{
    const frz_parquet_node *leaf = chunk->leaf->node;
    const size_t count = (size_t)shredded->slot_count;
    if (leaf->max_repetition > 0)
        frz_buffer_append(&chunk->repetition, shredded->repetition, count);
    if (leaf->max_definition == 0 || (chunk->full && shredded->full))
        return;
    if (chunk->full)
        frz_buffer_append_fill(&chunk->definition, (uint8_t)leaf->max_definition,
                               chunk->slot_count);
    chunk->full = false;
    if (shredded->full)
        frz_buffer_append_fill(&chunk->definition, (uint8_t)leaf->max_definition, count);
    else
        frz_buffer_append(&chunk->definition, shredded->definition, count);
}

static void append_plain_slices(const frz_parquet_gathered *values, frz_buffer *out)
{
    uint8_t *to = frz_buffer_extend(out, values->plain_size);
    for (size_t i = 0; to && i < values->count; i++) {
        const uint32_t size = (uint32_t)values->slices[i].size;
        memcpy(to, &size, sizeof size);
        to += sizeof size;
        memcpy(to, values->slices[i].data, size);
        to += size;
    }
}

/* With dictionary: statistics of byte arrays look only at values new to the page. */
static frz_status add_to_dictionary(frz_parquet_chunk_writer *chunk, frz_parquet_gathered *values,
                                    size_t *fresh_out, frz_error **err)
{
    bool added = false;
    uint32_t *indexes =
        (uint32_t *)(void *)frz_buffer_extend(&chunk->indexes, values->count * sizeof *indexes);
    *fresh_out = values->count;
    if (indexes)
        added = values->slices ? frz_parquet_dictionary_builder_add_slices(
                                     &chunk->dictionary, values->slices, values->count,
                                     (uint32_t)chunk->page_count + 1, indexes, fresh_out)
                               : frz_parquet_dictionary_builder_add_fixed(
                                     &chunk->dictionary, values->fixed, values->count, indexes);
    return added ? FRZ_OK : frz_fail_memory(err);
}

static frz_status add_values(frz_parquet_chunk_writer *chunk, frz_parquet_gathered *values,
                             frz_error **err)
{
    size_t fresh = values->count;
    if (chunk->dictionary_on)
        FRZ_TRY(add_to_dictionary(chunk, values, &fresh, err));
    else if (values->slices)
        append_plain_slices(values, &chunk->values);
    else
        frz_buffer_append(&chunk->values, values->fixed, values->count * chunk->leaf->width);
    if (!chunk->options.statistics_off) {
        if (values->slices)
            frz_parquet_bounds_add_slices(&chunk->page_bounds, values->slices, fresh);
        else
            frz_parquet_bounds_add_fixed(&chunk->page_bounds, chunk->order, values->fixed,
                                         chunk->leaf->width, values->count);
    }
    if (chunk->values.failed || chunk->page_bounds.min.failed || chunk->page_bounds.max.failed)
        return frz_fail_memory(err);
    return FRZ_OK;
}

/* Bytes and slots that these rows have at most. */
static bool fits_piece(const frz_parquet_chunk_writer *chunk, const struct ArrowArray *batch,
                       int64_t start, int64_t count)
{
    int64_t first = 0;
    int64_t end = 0;
    frz_parquet_leaf_range(chunk->leaf, batch, start, count, &first, &end);
    size_t size = (size_t)(end - first) * chunk->leaf->width;
    if (chunk->leaf->width == 0 && end > first) {
        const struct ArrowArray *array = batch;
        for (size_t i = 0; i < chunk->leaf->step_count; i++)
            array = array->children[chunk->leaf->steps[i].child];
        const int32_t *offsets = array->buffers[1];
        size = (size_t)(offsets[end] - offsets[first]);
    }
    return end - first <= PIECE_SLOTS && size <= chunk->options.page_size / 4;
}

static frz_status append_piece(frz_parquet_chunk_writer *chunk, const struct ArrowArray *batch,
                               int64_t start, int64_t count, frz_error **err)
{
    FRZ_TRY(frz_parquet_shred(chunk->leaf, batch, start, count, &chunk->shredded, err));
    FRZ_TRY(frz_parquet_gather(chunk->leaf, &chunk->shredded, &chunk->gathered, err));
    add_levels(chunk, &chunk->shredded);
    if (chunk->definition.failed || chunk->repetition.failed)
        return frz_fail_memory(err);
    FRZ_TRY(add_values(chunk, &chunk->gathered, err));
    chunk->slot_count += (size_t)chunk->shredded.slot_count;
    chunk->value_count += chunk->gathered.count;
    chunk->plain_size += chunk->gathered.plain_size;
    chunk->row_count += count;
    return FRZ_OK;
}

frz_status frz_parquet_chunk_append(frz_parquet_chunk_writer *chunk, const struct ArrowArray *batch,
                                    int64_t start, int64_t count, frz_error **err)
{
    while (count > 0) {
        const int64_t room = chunk->options.page_rows - chunk->row_count;
        int64_t piece = count < room ? count : room;
        while (piece > 1 && !fits_piece(chunk, batch, start, piece))
            piece = piece / 2;
        FRZ_TRY(append_piece(chunk, batch, start, piece, err));
        start += piece;
        count -= piece;
        if (chunk->row_count == chunk->options.page_rows ||
            open_page_size(chunk) >= chunk->options.page_size ||
            (chunk->dictionary_on && chunk->dictionary.plain.size > chunk->options.dictionary_size))
            FRZ_TRY(close_page(chunk, err));
    }
    return FRZ_OK;
}

/* Writing the chunk out. */

static frz_status write_page(const frz_parquet_flush *flush, frz_parquet_page_bytes *page,
                             frz_parquet_chunk_entry *entry, frz_error **err)
{
    const frz_status status = frz_output_write(flush->output, page->bytes, page->size, err);
    frz_free(page->bytes);
    page->bytes = NULL;
    *flush->offset += page->size;
    entry->compressed_size += page->size;
    entry->uncompressed_size += page->uncompressed_size;
    return status;
}

static frz_status write_pages(frz_parquet_chunk_writer *chunk, const frz_parquet_flush *flush,
                              frz_error **err)
{
    frz_parquet_chunk_entry *entry = &chunk->entry;
    if (entry->pages_dictionary > 0) {
        frz_parquet_page_bytes page = {0};
        FRZ_TRY(frz_parquet_page_write_dictionary(chunk->pages_to,
                                                  frz_buffer_slice(&chunk->dictionary.plain),
                                                  chunk->dictionary.count, &page, err));
        entry->dictionary_page_offset = *flush->offset;
        FRZ_TRY(write_page(flush, &page, entry, err));
    }
    entry->data_page_offset = *flush->offset;
    for (size_t i = 0; i < chunk->page_count; i++) {
        chunk->pages[i].entry.offset = *flush->offset;
        FRZ_TRY(write_page(flush, &chunk->pages[i].page, entry, err));
    }
    return FRZ_OK;
}

static frz_status keep_statistics(frz_parquet_chunk_writer *chunk, frz_arena *arena,
                                  frz_error **err)
{
    frz_parquet_statistics *statistics = &chunk->entry.statistics;
    uint8_t scratch[FRZ_PARQUET_BOUND_SIZE_MAX];
    chunk->entry.has_statistics = !chunk->options.statistics_off;
    statistics->nan_count = chunk->bounds.nan_count;
    if (!chunk->bounds.any)
        return FRZ_OK;
    const frz_slice min = frz_parquet_shorten_min(
        chunk->leaf->node, frz_buffer_slice(&chunk->bounds.min), &statistics->min_exact);
    const frz_slice max = frz_parquet_shorten_max(
        chunk->leaf->node, frz_buffer_slice(&chunk->bounds.max), scratch, &statistics->max_exact);
    statistics->has_min = statistics->has_max = true;
    if (!frz_arena_slice(arena, min, &statistics->min) ||
        !frz_arena_slice(arena, max, &statistics->max))
        return frz_fail_memory(err);
    return FRZ_OK;
}

/* A page of NaN alone forbids the column index (parquet.thrift, ColumnIndex.min_values). */
static bool column_index_possible(const frz_parquet_chunk_writer *chunk,
                                  const frz_parquet_page_entry *pages)
{
    for (size_t i = 0; i < chunk->page_count; i++)
        if (!pages[i].has_bounds && !pages[i].all_null)
            return false;
    return !chunk->options.statistics_off;
}

static frz_status keep_indexes(frz_parquet_chunk_writer *chunk, const frz_parquet_flush *flush,
                               frz_error **err)
{
    frz_parquet_chunk_entry *entry = &chunk->entry;
    frz_parquet_page_entry *pages = frz_alloc_array(chunk->page_count, sizeof *pages);
    if (!pages)
        return frz_fail_memory(err);
    for (size_t i = 0; i < chunk->page_count; i++)
        pages[i] = chunk->pages[i].entry;
    entry->offset_index_at = flush->offset_indexes->size;
    frz_parquet_offset_index_write(pages, chunk->page_count, flush->offset_indexes);
    entry->offset_index_size = flush->offset_indexes->size - (size_t)entry->offset_index_at;
    entry->column_index_at = flush->column_indexes->size;
    if (column_index_possible(chunk, pages))
        frz_parquet_column_index_write(chunk->leaf->node, pages, chunk->page_count,
                                       chunk->bound_bytes.data, flush->column_indexes);
    entry->column_index_size = flush->column_indexes->size - (size_t)entry->column_index_at;
    frz_free(pages);
    FRZ_TRY(frz_buffer_check(flush->offset_indexes, err));
    return frz_buffer_check(flush->column_indexes, err);
}

/* Values of pages without dictionary are in the filter already. */
static frz_status keep_bloom(frz_parquet_chunk_writer *chunk, const frz_parquet_flush *flush,
                             frz_error **err)
{
    frz_parquet_chunk_entry *entry = &chunk->entry;
    if (!chunk->options.bloom.on)
        return FRZ_OK;
    entry->bloom_at = flush->blooms->size;
    if (!frz_parquet_bloom_builder_add(&chunk->bloom, frz_buffer_slice(&chunk->dictionary.plain),
                                       chunk->leaf->width) ||
        !frz_parquet_bloom_builder_print(&chunk->bloom, flush->blooms))
        return frz_fail_memory(err);
    entry->bloom_size = flush->blooms->size - (size_t)entry->bloom_at;
    return FRZ_OK;
}

static void start_chunk(frz_parquet_chunk_writer *chunk)
{
    chunk->page_count = 0;
    chunk->raw_size = 0;
    chunk->packed_size = 0;
    chunk->rows_closed = 0;
    chunk->entry = (frz_parquet_chunk_entry){0};
    chunk->dictionary_on = !chunk->options.dictionary_off;
    frz_buffer_reset(&chunk->bound_bytes);
    frz_parquet_bounds_reset(&chunk->bounds);
    frz_parquet_dictionary_builder_reset(&chunk->dictionary);
}

frz_status frz_parquet_chunk_flush(frz_parquet_chunk_writer *chunk, const frz_parquet_flush *flush,
                                   frz_parquet_bounds *total, frz_parquet_chunk_entry *entry_out,
                                   frz_error **err)
{
    if (chunk->row_count > 0)
        FRZ_TRY(close_page(chunk, err));
    chunk->entry.leaf = chunk->leaf;
    chunk->entry.codec = chunk->pages_to->codec;
    FRZ_TRY(write_pages(chunk, flush, err));
    FRZ_TRY(keep_statistics(chunk, flush->arena, err));
    FRZ_TRY(keep_indexes(chunk, flush, err));
    FRZ_TRY(keep_bloom(chunk, flush, err));
    frz_parquet_bounds_merge(total, chunk->order, &chunk->bounds);
    if (total->min.failed || total->max.failed)
        return frz_fail_memory(err);
    *entry_out = chunk->entry;
    start_chunk(chunk);
    return FRZ_OK;
}
