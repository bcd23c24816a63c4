/*
 * The RLE / bit-packing hybrid (Encodings.md, "Run Length Encoding / Bit-Packing Hybrid"): levels,
 * dictionary indices and booleans.
 *
 * Runs are read as far as the bytes go; a value asked for behind them makes the decoder fail, which
 * sticks. A last bit-packed run may be cut short by its writer to the bytes that are needed.
 */
#ifndef FRZ_PARQUET_HYBRID_H
#define FRZ_PARQUET_HYBRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"
#include "base/slice.h"

typedef struct frz_parquet_hybrid {
    frz_cursor cursor;
    unsigned width;      /* bits of a value, 0 to 32 */
    size_t repeated;     /* values left in the RLE run */
    uint32_t value;      /* that they have */
    frz_slice packed;    /* the bit-packed run */
    size_t packed_at;    /* next value of it */
    size_t packed_count; /* values in it */
    bool failed;
} frz_parquet_hybrid;

/* `width` is at most 32. */
frz_parquet_hybrid frz_parquet_hybrid_over(frz_slice bytes, unsigned width);

/* False, with `failed` set, when there are fewer than `count` values. */
bool frz_parquet_hybrid_decode(frz_parquet_hybrid *hybrid, uint32_t *out, size_t count);
bool frz_parquet_hybrid_decode_u8(frz_parquet_hybrid *hybrid, uint8_t *out, size_t count);
bool frz_parquet_hybrid_skip(frz_parquet_hybrid *hybrid, size_t count);

/* How many of the next `count` values are surely one run; they are consumed and *value_out is
 * theirs. 0 when the next values are bit-packed (or there are none). */
size_t frz_parquet_hybrid_run(frz_parquet_hybrid *hybrid, size_t count, uint32_t *value_out);

/* Width 1 only: sets or clears `count` bits from bit `at` on; adds the number of set ones to *ones.
 */
bool frz_parquet_hybrid_decode_bits(frz_parquet_hybrid *hybrid, uint8_t *bits, size_t at,
                                    size_t count, size_t *ones);

/* Width 1 only: skips, and adds the number of set bits to *ones. */
bool frz_parquet_hybrid_skip_bits(frz_parquet_hybrid *hybrid, size_t count, size_t *ones);

#endif
