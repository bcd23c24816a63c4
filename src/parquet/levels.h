/*
 * Definition and repetition levels of one data page: RLE hybrid, or the deprecated BIT_PACKED
 * (Encodings.md), each level as one byte.
 */
#ifndef FRZ_PARQUET_LEVELS_H
#define FRZ_PARQUET_LEVELS_H

#include "parquet/hybrid.h"

enum { FRZ_PARQUET_LEVEL_MAX = 255 };

typedef struct frz_parquet_levels {
    uint8_t max;
    bool bit_packed;
    frz_parquet_hybrid hybrid;
    frz_slice bytes; /* BIT_PACKED */
    size_t at;       /* BIT_PACKED: next bit */
} frz_parquet_levels;

/* The bits that levels up to `max` take. */
unsigned frz_parquet_level_width(unsigned max);

frz_parquet_levels frz_parquet_levels_over(frz_slice bytes, uint8_t max, bool bit_packed);

/* False when there are fewer than `count` levels or one exceeds the maximum. With maximum 0 all are
 * 0. */
bool frz_parquet_levels_decode(frz_parquet_levels *levels, uint8_t *out, size_t count);

/* Maximum 1 only: as bits, see frz_parquet_hybrid_decode_bits. */
bool frz_parquet_levels_decode_bits(frz_parquet_levels *levels, uint8_t *bits, size_t at,
                                    size_t count, size_t *ones);
bool frz_parquet_levels_skip_bits(frz_parquet_levels *levels, size_t count, size_t *ones);

#endif
