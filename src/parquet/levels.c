#include "parquet/levels.h"

#include <string.h>

#include "parquet/bits.h"

unsigned frz_parquet_level_width(unsigned max)
{
    return max ? 32u - (unsigned)__builtin_clz(max) : 0;
}

frz_parquet_levels frz_parquet_levels_over(frz_slice bytes, uint8_t max, bool bit_packed)
{
    return (frz_parquet_levels){.max = max,
                                .bit_packed = bit_packed,
                                .hybrid =
                                    frz_parquet_hybrid_over(bytes, frz_parquet_level_width(max)),
                                .bytes = bytes};
}

/* "from the most significant bit to the least significant bit" (Encodings.md, BIT_PACKED). */
static bool decode_packed(frz_parquet_levels *levels, uint8_t *out, size_t count)
{
    const unsigned width = levels->hybrid.width;
    if (count > (levels->bytes.size * 8 - levels->at) / width)
        return false;
    for (size_t i = 0; i < count; i++) {
        unsigned value = 0;
        for (unsigned bit = 0; bit < width; bit++, levels->at++)
            value = value << 1 |
                    ((unsigned)levels->bytes.data[levels->at / 8] >> (7 - levels->at % 8) & 1u);
        out[i] = (uint8_t)value;
    }
    return true;
}

bool frz_parquet_levels_decode(frz_parquet_levels *levels, uint8_t *out, size_t count)
{
    if (levels->max == 0) {
        memset(out, 0, count);
        return true;
    }
    const bool enough = levels->bit_packed
                            ? decode_packed(levels, out, count)
                            : frz_parquet_hybrid_decode_u8(&levels->hybrid, out, count);
    if (!enough)
        return false;
    uint8_t greatest = 0;
    for (size_t i = 0; i < count; i++)
        greatest = out[i] > greatest ? out[i] : greatest;
    return greatest <= levels->max;
}

bool frz_parquet_levels_decode_bits(frz_parquet_levels *levels, uint8_t *bits, size_t at,
                                    size_t count, size_t *ones)
{
    if (!levels->bit_packed)
        return frz_parquet_hybrid_decode_bits(&levels->hybrid, bits, at, count, ones);
    for (; count; count--, at++) {
        uint8_t level = 0;
        if (!decode_packed(levels, &level, 1))
            return false;
        frz_bits_fill(bits, at, 1, level);
        *ones += level;
    }
    return true;
}

bool frz_parquet_levels_skip_bits(frz_parquet_levels *levels, size_t count, size_t *ones)
{
    if (!levels->bit_packed)
        return frz_parquet_hybrid_skip_bits(&levels->hybrid, count, ones);
    for (; count; count--) {
        uint8_t level = 0;
        if (!decode_packed(levels, &level, 1))
            return false;
        *ones += level;
    }
    return true;
}
