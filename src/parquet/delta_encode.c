#include "parquet/delta_encode.h"

#include "parquet/rle_encode.h"

enum { BLOCK_VALUES = 128, MINIBLOCKS = 4, MINIBLOCK_VALUES = BLOCK_VALUES / MINIBLOCKS };

static uint64_t zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static void encode_header(int64_t first, size_t count, frz_buffer *out)
{
    frz_parquet_append_uvarint(out, BLOCK_VALUES);
    frz_parquet_append_uvarint(out, MINIBLOCKS);
    frz_parquet_append_uvarint(out, count);
    frz_parquet_append_uvarint(out, zigzag(first));
}

/* `deltas`: the count (at most a block's) differences less their minimum, zeros behind. */
static void encode_block(int64_t min, const uint64_t deltas[BLOCK_VALUES], size_t count,
                         frz_buffer *out)
{
    uint8_t widths[MINIBLOCKS] = {0};
    const size_t used = (count + MINIBLOCK_VALUES - 1) / MINIBLOCK_VALUES;
    for (size_t mini = 0; mini < used; mini++) {
        uint64_t bits = 0;
        for (size_t i = 0; i < MINIBLOCK_VALUES; i++)
            bits |= deltas[mini * MINIBLOCK_VALUES + i];
        widths[mini] = (uint8_t)frz_parquet_bit_width(bits);
    }
    frz_parquet_append_uvarint(out, zigzag(min));
    frz_buffer_append(out, widths, sizeof widths);
    for (size_t mini = 0; mini < used; mini++)
        frz_parquet_bit_pack(deltas + mini * MINIBLOCK_VALUES, MINIBLOCK_VALUES, widths[mini], out);
}

/*
 * Differences wrap around in the width of the column, so that int32 needs at most 32 bits.
 */
#define DEFINE_ENCODE(name, type, unsigned_type)                                           \
    void name(const type *values, size_t count, frz_buffer *out)                           \
    {                                                                                      \
        encode_header(count ? values[0] : 0, count, out);                                  \
        for (size_t start = 1; start < count; start += BLOCK_VALUES) {                     \
            const size_t left = count - start;                                             \
            const size_t in_block = left < BLOCK_VALUES ? left : BLOCK_VALUES;             \
            type deltas[BLOCK_VALUES];                                                     \
            uint64_t above[BLOCK_VALUES] = {0};                                            \
            type min = 0;                                                                  \
            for (size_t i = 0; i < in_block; i++) {                                        \
                const type *at = values + start + i;                                       \
                deltas[i] = (type)((unsigned_type)at[0] - (unsigned_type)at[-1]);          \
                min = i == 0 || deltas[i] < min ? deltas[i] : min;                         \
            }                                                                              \
            for (size_t i = 0; i < in_block; i++)                                          \
                above[i] = (unsigned_type)((unsigned_type)deltas[i] - (unsigned_type)min); \
            encode_block(min, above, in_block, out);                                       \
        }                                                                                  \
    }

DEFINE_ENCODE(frz_parquet_delta_encode_i32, int32_t, uint32_t)
DEFINE_ENCODE(frz_parquet_delta_encode_i64, int64_t, uint64_t)
