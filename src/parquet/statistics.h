/*
 * Minimum, maximum and counts of a column chunk (parquet.thrift, Statistics), and which of them may
 * be believed: an untrusted bound is treated as absent.
 */
#ifndef FRZ_PARQUET_STATISTICS_H
#define FRZ_PARQUET_STATISTICS_H

#include "parquet/metadata.h"
#include "parquet/thrift.h"

/* Reads the Thrift struct of a column with type `node`. Slices are borrowed from the bytes (or
 * constant). */
void frz_parquet_statistics_read(frz_thrift_reader *reader, const frz_parquet_node *node,
                                 frz_parquet_statistics *out);

/* What a chunk without statistics has. */
frz_parquet_statistics frz_parquet_statistics_unknown(void);

/*
 * Whether bounds of this column mean anything, and makes them safe for pruning: false when the type
 * has no order, the sizes are not those of the type, either is NaN, or min exceeds max. A zero
 * bound of a floating-point column becomes -0 (min) or +0 (max). Used for page bounds as well.
 */
bool frz_parquet_bounds_usable(const frz_parquet_node *node, frz_slice *min, frz_slice *max);

#endif
