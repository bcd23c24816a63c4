/*
 * DELTA_BINARY_PACKED (Encodings.md, "Delta Encoding"): integers as packed differences, in blocks
 * of miniblocks. Also the lengths in DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY.
 */
#ifndef FRZ_PARQUET_DELTA_H
#define FRZ_PARQUET_DELTA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"
#include "base/slice.h"

typedef struct frz_parquet_delta {
    frz_cursor cursor;
    size_t block_values;
    size_t miniblock_values;
    size_t miniblock_count;
    unsigned width_max;    /* 32 or 64: no miniblock may use more */
    uint64_t left;         /* values still to come */
    int64_t last;          /* value before the next; wraps as two's complement */
    bool first;            /* the next value is the first one, which the header holds */
    int64_t min_delta;     /* of the open block */
    const uint8_t *widths; /* of the open block */
    size_t miniblock;      /* open one; miniblock_count when the block is over */
    frz_slice packed;      /* its bytes */
    size_t packed_at;      /* next value in it; miniblock_values when it is over */
    const char *problem;   /* set once something is wrong */
} frz_parquet_delta;

/* Reads the header. Failures stick in `problem`. */
frz_parquet_delta frz_parquet_delta_over(frz_slice bytes, unsigned width_max);

/* False when something is wrong or there are fewer than `count` values. */
bool frz_parquet_delta_decode(frz_parquet_delta *delta, int64_t *out, size_t count);

/* Where the last block ends: bytes from the start of the stream. Walks the blocks without
 * unpacking. */
bool frz_parquet_delta_end(const frz_parquet_delta *delta, size_t *end_out);

#endif
