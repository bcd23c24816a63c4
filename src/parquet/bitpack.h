/*
 * Unpacking of integers that are packed with a fixed number of bits, least significant bit first
 * (Encodings.md, "Run Length Encoding / Bit-Packing Hybrid", 1).
 */
#ifndef FRZ_PARQUET_BITPACK_H
#define FRZ_PARQUET_BITPACK_H

#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

/*
 * `count` values of `width` bits (0 to 32; 0 to 64) from value number `first` of `bytes`, which
 * must hold them: (first + count) * width bits. Reads nothing behind `bytes`.
 */
void frz_parquet_unpack_u32(frz_slice bytes, unsigned width, size_t first, uint32_t *out,
                            size_t count);
void frz_parquet_unpack_u64(frz_slice bytes, unsigned width, size_t first, uint64_t *out,
                            size_t count);

#endif
