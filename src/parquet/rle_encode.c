#include "parquet/rle_encode.h"

#include <stdbool.h>
#include <string.h>

#include "base/decimal.h"

int frz_parquet_bit_width(uint64_t max)
{
    return max == 0 ? 0 : 64 - __builtin_clzll(max);
}

void frz_parquet_append_uvarint(frz_buffer *out, uint64_t value)
{
    uint8_t bytes[10];
    size_t size = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[size++] = (uint8_t)(value | 0x80);
    bytes[size++] = (uint8_t)value;
    frz_buffer_append(out, bytes, size);
}

void frz_parquet_rle_encode_run(uint32_t value, size_t count, int bit_width, frz_buffer *out)
{
    if (count == 0)
        return;
    frz_parquet_append_uvarint(out, (uint64_t)count << 1);
    for (int written = 0; written < bit_width; written += 8)
        frz_buffer_append_byte(out, (uint8_t)(value >> written));
}

void frz_parquet_bit_pack(const uint64_t *numbers, size_t count, int bit_width, frz_buffer *out)
{
    const size_t size = count / 8 * (size_t)bit_width;
    uint8_t *to = frz_buffer_extend(out, size);
    frz_uint128 pending = 0;
    int pending_bits = 0;
    if (!to || bit_width == 0)
        return;
    for (size_t i = 0; i < count; i++) {
        pending |= (frz_uint128)numbers[i] << pending_bits;
        pending_bits += bit_width;
        for (; pending_bits >= 32; pending_bits -= 32, pending >>= 32, to += 4) {
            const uint32_t word = (uint32_t)pending;
            memcpy(to, &word, sizeof word);
        }
    }
    for (; pending_bits > 0; pending_bits -= 8, pending >>= 8)
        *to++ = (uint8_t)pending;
}

static inline uint32_t number_at(const void *numbers, bool bytes, size_t index)
{
    return bytes ? ((const uint8_t *)numbers)[index] : ((const uint32_t *)numbers)[index];
}

/* The run of literals [start, start + count): whole groups of 8, the last filled up with zeros. */
static inline void encode_literals(const void *numbers, bool bytes, size_t start, size_t count,
                                   int bit_width, frz_buffer *out)
{
    const size_t groups = (count + 7) / 8;
    if (groups == 0)
        return;
    frz_parquet_append_uvarint(out, (uint64_t)groups << 1 | 1);
    uint8_t *to = frz_buffer_extend(out, groups * (size_t)bit_width);
    if (!to)
        return;
    uint64_t pending = 0;
    int pending_bits = 0;
    for (size_t i = 0; i < groups * 8; i++) {
        const uint64_t number = i < count ? number_at(numbers, bytes, start + i) : 0;
        pending |= number << pending_bits;
        pending_bits += bit_width;
        if (pending_bits >= 32) {
            const uint32_t word = (uint32_t)pending;
            memcpy(to, &word, sizeof word);
            to += sizeof word;
            pending >>= 32;
            pending_bits -= 32;
        }
    }
    for (; pending_bits > 0; pending_bits -= 8, pending >>= 8)
        *to++ = (uint8_t)pending;
}

static inline size_t run_length(const void *numbers, bool bytes, size_t start, size_t count)
{
    const uint32_t first = number_at(numbers, bytes, start);
    size_t end = start + 1;
    while (end < count && number_at(numbers, bytes, end) == first)
        end++;
    return end - start;
}

/*
 * Runs of at least 8 become RLE; what stands between them is packed in groups of 8. A run is looked
 * for only where a group may end, as literals before it must fill their groups.
 */
static inline __attribute__((always_inline)) void
encode(const void *numbers, bool bytes, size_t count, int bit_width, frz_buffer *out)
{
    size_t literals = 0; /* where the open literal run starts */
    size_t at = 0;
    while (at < count) {
        const size_t run = run_length(numbers, bytes, at, count);
        if (run >= 8 || (run == count - at && literals == at)) {
            encode_literals(numbers, bytes, literals, at - literals, bit_width, out);
            frz_parquet_rle_encode_run(number_at(numbers, bytes, at), run, bit_width, out);
            at += run;
            literals = at;
        } else {
            at = count - at < 8 ? count : at + 8;
        }
    }
    encode_literals(numbers, bytes, literals, count - literals, bit_width, out);
}

void frz_parquet_rle_encode_levels(const uint8_t *levels, size_t count, int bit_width,
                                   frz_buffer *out)
{
    encode(levels, true, count, bit_width, out);
}

void frz_parquet_rle_encode_indexes(const uint32_t *indexes, size_t count, int bit_width,
                                    frz_buffer *out)
{
    encode(indexes, false, count, bit_width, out);
}
