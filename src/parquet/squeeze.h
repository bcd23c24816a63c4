/*
 * Drops rows of a flat column in place while it is decoded, so that what lies between the wanted
 * rows (deleted rows, mostly) costs no second copy of the column, and of dictionary columns no
 * look-up.
 *
 * `mask` has a bit per row, from bit 0 on; bits behind the last row are zero.
 */
#ifndef FRZ_PARQUET_SQUEEZE_H
#define FRZ_PARQUET_SQUEEZE_H

#include "parquet/values.h"

/* The values from `base` on are those that the mask speaks of; it has `stay` bits. */
void frz_parquet_values_squeeze(const frz_parquet_layout *layout, frz_parquet_values *values,
                                size_t base, const uint64_t *mask, size_t stay);
/* Likewise bits; `count` of them from `base` on. */
void frz_parquet_squeeze_bits(uint8_t *bits, size_t base, const uint64_t *mask, size_t count);
/* Dictionary indices; returns how many stay. */
size_t frz_parquet_squeeze_indices(uint32_t *indices, const uint64_t *mask, size_t count);

#endif
