#include "parquet/hybrid.h"

#include <string.h>

#include "parquet/bitpack.h"
#include "parquet/bits.h"

frz_parquet_hybrid frz_parquet_hybrid_over(frz_slice bytes, unsigned width)
{
    return (frz_parquet_hybrid){.cursor = frz_cursor_over_slice(bytes), .width = width};
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void begin_packed(frz_parquet_hybrid *hybrid, uint64_t groups)
{
    /* 8 values each; the writer may leave the end of the last group away. */
    const size_t left = frz_cursor_left(&hybrid->cursor);
    const uint64_t claimed = groups > SIZE_MAX / 8 / 32 ? SIZE_MAX / 8 : groups * hybrid->width;
    const size_t size = claimed < left ? (size_t)claimed : left;
    const uint8_t *bytes = frz_cursor_take(&hybrid->cursor, size);
    hybrid->packed = frz_slice_of(bytes, size);
    hybrid->packed_at = 0;
    if (hybrid->width == 0)
        hybrid->packed_count = groups > SIZE_MAX / 8 ? SIZE_MAX : (size_t)groups * 8;
    else
        hybrid->packed_count = size < claimed ? size * 8 / hybrid->width : (size_t)groups * 8;
}

static void begin_repeated(frz_parquet_hybrid *hybrid, uint64_t count)
{
    const size_t size = (hybrid->width + 7) / 8;
    const uint8_t *bytes = frz_cursor_take(&hybrid->cursor, size);
    uint32_t value = 0;
    if (bytes)
        memcpy(&value, bytes, size);
    if (hybrid->width < 32 && value >> hybrid->width)
        hybrid->failed = true;
    hybrid->value = value;
    hybrid->repeated = count < SIZE_MAX ? (size_t)count : SIZE_MAX;
}

/* Opens the next run that has values; false when there is none. */
static bool next_run(frz_parquet_hybrid *hybrid)
{
    while (!hybrid->failed && hybrid->repeated == 0 && hybrid->packed_at == hybrid->packed_count) {
        const uint64_t header = frz_cursor_uvarint(&hybrid->cursor);
        if (hybrid->cursor.failed)
            break;
        if (header & 1)
            begin_packed(hybrid, header >> 1);
        else
            begin_repeated(hybrid, header >> 1);
        if (hybrid->cursor.failed)
            break;
    }
    if (hybrid->cursor.failed)
        hybrid->failed = true;
    return !hybrid->failed;
}

size_t frz_parquet_hybrid_run(frz_parquet_hybrid *hybrid, size_t count, uint32_t *value_out)
{
    if (count == 0 || !next_run(hybrid) || hybrid->repeated == 0)
        return 0;
    const size_t taken = smaller(count, hybrid->repeated);
    hybrid->repeated -= taken;
    *value_out = hybrid->value;
    return taken;
}

/* How many of the next `count` values lie in the bit-packed run that is open. */
static size_t packed_part(const frz_parquet_hybrid *hybrid, size_t count)
{
    return smaller(count, hybrid->packed_count - hybrid->packed_at);
}

bool frz_parquet_hybrid_decode(frz_parquet_hybrid *hybrid, uint32_t *out, size_t count)
{
    while (count) {
        if (!next_run(hybrid))
            return false;
        uint32_t value = 0;
        size_t part = frz_parquet_hybrid_run(hybrid, count, &value);
        for (size_t i = 0; i < part; i++)
            out[i] = value;
        if (part == 0) {
            part = packed_part(hybrid, count);
            frz_parquet_unpack_u32(hybrid->packed, hybrid->width, hybrid->packed_at, out, part);
            hybrid->packed_at += part;
        }
        out += part;
        count -= part;
    }
    return true;
}

bool frz_parquet_hybrid_decode_u8(frz_parquet_hybrid *hybrid, uint8_t *out, size_t count)
{
    uint32_t wide[256];
    while (count) {
        if (!next_run(hybrid))
            return false;
        uint32_t value = 0;
        size_t part = frz_parquet_hybrid_run(hybrid, count, &value);
        if (part) {
            memset(out, (int)(value & 0xff), part);
        } else {
            part = packed_part(hybrid, smaller(count, sizeof wide / sizeof wide[0]));
            frz_parquet_unpack_u32(hybrid->packed, hybrid->width, hybrid->packed_at, wide, part);
            for (size_t i = 0; i < part; i++)
                out[i] = (uint8_t)wide[i];
            hybrid->packed_at += part;
        }
        out += part;
        count -= part;
    }
    return true;
}

bool frz_parquet_hybrid_skip(frz_parquet_hybrid *hybrid, size_t count)
{
    while (count) {
        if (!next_run(hybrid))
            return false;
        uint32_t value = 0;
        size_t part = frz_parquet_hybrid_run(hybrid, count, &value);
        if (part == 0) {
            part = packed_part(hybrid, count);
            hybrid->packed_at += part;
        }
        count -= part;
    }
    return true;
}

bool frz_parquet_hybrid_decode_bits(frz_parquet_hybrid *hybrid, uint8_t *bits, size_t at,
                                    size_t count, size_t *ones)
{
    while (count) {
        if (!next_run(hybrid))
            return false;
        uint32_t value = 0;
        size_t part = frz_parquet_hybrid_run(hybrid, count, &value);
        if (part) {
            frz_bits_fill(bits, at, part, value & 1);
            *ones += value & 1 ? part : 0;
        } else {
            part = packed_part(hybrid, count);
            frz_bits_copy(hybrid->packed.data, hybrid->packed_at, bits, at, part);
            *ones += frz_bits_count(hybrid->packed.data, hybrid->packed_at, part);
            hybrid->packed_at += part;
        }
        at += part;
        count -= part;
    }
    return true;
}

bool frz_parquet_hybrid_skip_bits(frz_parquet_hybrid *hybrid, size_t count, size_t *ones)
{
    while (count) {
        if (!next_run(hybrid))
            return false;
        uint32_t value = 0;
        size_t part = frz_parquet_hybrid_run(hybrid, count, &value);
        if (part) {
            *ones += value & 1 ? part : 0;
        } else {
            part = packed_part(hybrid, count);
            *ones += frz_bits_count(hybrid->packed.data, hybrid->packed_at, part);
            hybrid->packed_at += part;
        }
        count -= part;
    }
    return true;
}
