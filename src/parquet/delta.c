#include "parquet/delta.h"

#include "parquet/bitpack.h"

enum { CHUNK = 128 };

static bool fail(frz_parquet_delta *delta, const char *problem)
{
    if (!delta->problem)
        delta->problem = problem;
    return false;
}

frz_parquet_delta frz_parquet_delta_over(frz_slice bytes, unsigned width_max)
{
    frz_parquet_delta delta = {
        .cursor = frz_cursor_over_slice(bytes), .width_max = width_max, .first = true};
    const uint64_t block = frz_cursor_uvarint(&delta.cursor);
    const uint64_t miniblocks = frz_cursor_uvarint(&delta.cursor);
    delta.left = frz_cursor_uvarint(&delta.cursor);
    delta.last = frz_cursor_varint(&delta.cursor);
    if (delta.cursor.failed)
        (void)fail(&delta, "the delta header is cut short");
    else if (block == 0 || block % 128 || block > UINT32_MAX)
        (void)fail(&delta, "the delta block size is no multiple of 128");
    else if (miniblocks == 0 || block % miniblocks || block / miniblocks % 32)
        (void)fail(&delta, "the delta miniblocks do not hold a multiple of 32 values");
    if (delta.problem) {
        delta.left = 0;
        return delta;
    }
    delta.block_values = (size_t)block;
    delta.miniblock_count = (size_t)miniblocks;
    delta.miniblock_values = (size_t)(block / miniblocks);
    delta.miniblock = delta.miniblock_count;
    delta.packed_at = delta.miniblock_values;
    return delta;
}

/* Opens the next miniblock. Widths of miniblocks that no value needs may be anything, and they have
 * no bytes ("as if their bit widths were 0"): none of them is ever opened. */
static bool next_miniblock(frz_parquet_delta *delta)
{
    if (delta->miniblock == delta->miniblock_count) {
        delta->min_delta = frz_cursor_varint(&delta->cursor);
        delta->widths = frz_cursor_take(&delta->cursor, delta->miniblock_count);
        delta->miniblock = 0;
        if (delta->cursor.failed)
            return fail(delta, "a delta block is cut short");
    }
    const unsigned width = delta->widths[delta->miniblock++];
    if (width > delta->width_max)
        return fail(delta, "a delta miniblock has more bits than its type");
    size_t size = delta->miniblock_values / 8 * width;
    /* Some writers leave the padding of the last miniblock away. */
    if (size > frz_cursor_left(&delta->cursor)) {
        const uint64_t needed =
            delta->left < delta->miniblock_values ? delta->left : delta->miniblock_values;
        if ((needed * width + 7) / 8 > frz_cursor_left(&delta->cursor))
            return fail(delta, "a delta miniblock is cut short");
        size = frz_cursor_left(&delta->cursor);
    }
    delta->packed = frz_slice_of(frz_cursor_take(&delta->cursor, size), size);
    delta->packed_at = 0;
    return true;
}

/* Up to CHUNK values of the open miniblock. */
static size_t decode_chunk(frz_parquet_delta *delta, int64_t *out, size_t count)
{
    uint64_t deltas[CHUNK];
    size_t part = delta->miniblock_values - delta->packed_at;
    if (part > count)
        part = count;
    if (part > CHUNK)
        part = CHUNK;
    const unsigned width = delta->widths[delta->miniblock - 1];
    frz_parquet_unpack_u64(delta->packed, width, delta->packed_at, deltas, part);
    uint64_t last = (uint64_t)delta->last;
    for (size_t i = 0; i < part; i++) {
        last += deltas[i] + (uint64_t)delta->min_delta;
        out[i] = (int64_t)last;
    }
    delta->last = (int64_t)last;
    delta->packed_at += part;
    return part;
}

bool frz_parquet_delta_decode(frz_parquet_delta *delta, int64_t *out, size_t count)
{
    if (delta->problem)
        return false;
    if (count > delta->left)
        return fail(delta, "fewer delta values than the page asks for");
    if (count && delta->first) {
        delta->first = false;
        delta->left--;
        *out++ = delta->last;
        count--;
    }
    while (count) {
        if (delta->packed_at == delta->miniblock_values && !next_miniblock(delta))
            return false;
        const size_t part = decode_chunk(delta, out, count);
        delta->left -= part;
        out += part;
        count -= part;
    }
    return true;
}

bool frz_parquet_delta_end(const frz_parquet_delta *delta, size_t *end_out)
{
    frz_parquet_delta walk = *delta;
    if (walk.problem)
        return false;
    if (walk.left && walk.first)
        walk.left--;
    walk.first = false;
    while (walk.left) {
        if (!next_miniblock(&walk))
            return false;
        walk.left -= walk.left < walk.miniblock_values ? walk.left : walk.miniblock_values;
    }
    *end_out = walk.cursor.pos;
    return true;
}
