/*
 * Runs of bits in Arrow's order: copied, filled and counted many at a time.
 */
#ifndef FRZ_PARQUET_BITS_H
#define FRZ_PARQUET_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies `count` bits; the bits of `out` before `out_at` stay. Reads and writes only bytes that
 * hold them. */
void frz_bits_copy(const uint8_t *in, size_t in_at, uint8_t *out, size_t out_at, size_t count);
void frz_bits_fill(uint8_t *bits, size_t at, size_t count, bool value);
size_t frz_bits_count(const uint8_t *bits, size_t at, size_t count);

#endif
