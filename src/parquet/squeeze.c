#include "parquet/squeeze.h"

#include <string.h>

#include "parquet/bits.h"

enum { VALUE_WIDTH_MAX = 16 };

static size_t word_rows(size_t count, size_t at)
{
    return count - at < 64 ? count - at : 64;
}

/* The lowest run of set bits, which is taken out of *word. */
static size_t take_run(uint64_t *word, size_t *start_out)
{
    const int start = __builtin_ctzll(*word);
    const uint64_t holes = ~(*word >> start);
    const int run = holes ? __builtin_ctzll(holes) : 64;
    *word = start + run < 64 ? *word >> (start + run) << (start + run) : 0;
    *start_out = (size_t)start;
    return (size_t)run;
}

/* `width` is a constant where this is called, so that a value moves through a register. */
static inline __attribute__((always_inline)) void move_value(const uint8_t *from, uint8_t *to,
                                                             size_t width)
{
    uint8_t value[VALUE_WIDTH_MAX];
    memcpy(value, from, width);
    memcpy(to, value, width);
}

/* Every row is written, and the next one over it when it is not wanted: no branch per row. */
static inline __attribute__((always_inline)) size_t
squeeze_values(uint8_t *data, const uint64_t *mask, size_t count, size_t width)
{
    size_t kept = 0;
    for (size_t at = 0; at < count; at += 64) {
        const uint8_t *from = data + at * width;
        const size_t rows = word_rows(count, at);
        uint64_t word = mask[at / 64];
        if (word == UINT64_MAX) {
            memmove(data + kept * width, from, 64 * width);
            kept += 64;
        } else {
            for (size_t i = 0; i < rows; i++, word >>= 1) {
                move_value(from + i * width, data + kept * width, width);
                kept += word & 1;
            }
        }
    }
    return kept;
}

static void squeeze_wide(uint8_t *data, const uint64_t *mask, size_t count, size_t width)
{
    uint8_t *to = data;
    for (size_t at = 0; at < count; at += 64) {
        for (uint64_t word = mask[at / 64]; word;) {
            size_t start;
            const size_t size = take_run(&word, &start) * width;
            memmove(to, data + (at + start) * width, size);
            to += size;
        }
    }
}

static void squeeze_fixed(uint8_t *data, const uint64_t *mask, size_t count, size_t width)
{
    if (width == 8)
        squeeze_values(data, mask, count, 8);
    else if (width == 4)
        squeeze_values(data, mask, count, 4);
    else if (width == 16)
        squeeze_values(data, mask, count, 16);
    else
        squeeze_wide(data, mask, count, width);
}

void frz_parquet_squeeze_bits(uint8_t *bits, size_t base, const uint64_t *mask, size_t count)
{
    size_t kept = base;
    for (size_t at = 0; at < count; at += 64) {
        uint64_t word = mask[at / 64];
        uint64_t from = 0;
        uint64_t packed = 0;
        size_t taken = 0;
        frz_bits_copy(bits, base + at, (uint8_t *)&from, 0, word_rows(count, at));
        while (word) {
            size_t start;
            const size_t run = take_run(&word, &start);
            packed |= (from >> start & UINT64_MAX >> (64 - run)) << taken;
            taken += run;
        }
        frz_bits_copy((const uint8_t *)&packed, 0, bits, kept, taken);
        kept += taken;
    }
}

/* Contents and ends of the kept values; returns where the contents end. */
static size_t squeeze_bytes(uint8_t *data, int32_t *offsets, const uint64_t *mask, size_t count)
{
    size_t kept = 0;
    int32_t end = offsets[0];
    for (size_t at = 0; at < count; at += 64) {
        for (uint64_t word = mask[at / 64]; word;) {
            size_t start;
            const size_t run = take_run(&word, &start);
            const int32_t *from = offsets + at + start;
            const int32_t first = from[0];
            const int32_t last = from[run];
            if (first != end)
                memmove(data + end, data + first, (size_t)(last - first));
            for (size_t i = 1; i <= run; i++)
                offsets[kept + i] = from[i] - first + end;
            kept += run;
            end += last - first;
        }
    }
    return (size_t)end;
}

size_t frz_parquet_squeeze_indices(uint32_t *indices, const uint64_t *mask, size_t count)
{
    return squeeze_values((uint8_t *)indices, mask, count, sizeof *indices);
}

void frz_parquet_values_squeeze(const frz_parquet_layout *layout, frz_parquet_values *values,
                                size_t base, const uint64_t *mask, size_t stay)
{
    const size_t count = values->count - base;
    values->count = base + stay;
    switch (layout->form) {
    case FRZ_PARQUET_FORM_NULL:
        break;
    case FRZ_PARQUET_FORM_BITS:
        frz_parquet_squeeze_bits(values->data.data, base, mask, count);
        values->data.size = (values->count + 7) / 8;
        break;
    case FRZ_PARQUET_FORM_FIXED:
        squeeze_fixed(values->data.data + base * layout->width, mask, count, layout->width);
        values->data.size = values->count * layout->width;
        break;
    case FRZ_PARQUET_FORM_BYTES:
        values->data.size = squeeze_bytes(
            values->data.data, (int32_t *)(void *)values->offsets.data + base, mask, count);
        values->offsets.size = (values->count + 1) * sizeof(int32_t);
        break;
    }
}
