/*
 * The RLE / bit-packing hybrid as written (Encodings.md, "Run Length Encoding / Bit-Packing
 * Hybrid"), and plain bit packing from the least significant bit.
 */
#ifndef FRZ_PARQUET_RLE_ENCODE_H
#define FRZ_PARQUET_RLE_ENCODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/* Bits that hold every number up to `max`; 0 for 0. */
int frz_parquet_bit_width(uint64_t max);

/* Levels, or indexes below 2^bit_width, without a length in front. Failures stick in `out`. */
void frz_parquet_rle_encode_levels(const uint8_t *levels, size_t count, int bit_width,
                                   frz_buffer *out);
void frz_parquet_rle_encode_indexes(const uint32_t *indexes, size_t count, int bit_width,
                                    frz_buffer *out);

/* One run of the same value. */
void frz_parquet_rle_encode_run(uint32_t value, size_t count, int bit_width, frz_buffer *out);

/* `count` (a multiple of 8) numbers of `bit_width` bits, 0 to 64. */
void frz_parquet_bit_pack(const uint64_t *numbers, size_t count, int bit_width, frz_buffer *out);

/* ULEB128. */
void frz_parquet_append_uvarint(frz_buffer *out, uint64_t value);

#endif
