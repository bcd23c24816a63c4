/*
 * Least and greatest value of a page, a chunk and a column, as they are written (parquet.thrift,
 * ColumnOrder, TYPE_ORDER): NaN is counted and excluded, a zero becomes -0.0 as the least and +0.0
 * as the greatest value.
 */
#ifndef FRZ_PARQUET_BOUNDS_H
#define FRZ_PARQUET_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/slice.h"
#include "parquet/metadata.h"

typedef enum frz_parquet_order {
    FRZ_PARQUET_ORDER_BOOL,
    FRZ_PARQUET_ORDER_INT32,
    FRZ_PARQUET_ORDER_INT64,
    FRZ_PARQUET_ORDER_FLOAT,
    FRZ_PARQUET_ORDER_DOUBLE,
    FRZ_PARQUET_ORDER_BYTES,     /* unsigned, shorter first */
    FRZ_PARQUET_ORDER_BIG_ENDIAN /* signed big-endian of one size: decimals */
} frz_parquet_order;

frz_parquet_order frz_parquet_order_of(const frz_parquet_node *leaf);

/* All zero is a valid, empty range. */
typedef struct frz_parquet_bounds {
    bool any;       /* some value that is neither null nor NaN */
    frz_buffer min; /* PLAIN encoded, without length prefix */
    frz_buffer max;
    int64_t nan_count;
} frz_parquet_bounds;

/* Takes in `count` values of `width` bytes each. Failures stick in min and max. */
void frz_parquet_bounds_add_fixed(frz_parquet_bounds *bounds, frz_parquet_order order,
                                  const void *values, size_t width, size_t count);
void frz_parquet_bounds_add_slices(frz_parquet_bounds *bounds, const frz_slice *values,
                                   size_t count);

/* Takes in another range. */
void frz_parquet_bounds_merge(frz_parquet_bounds *bounds, frz_parquet_order order,
                              const frz_parquet_bounds *other);

int frz_parquet_compare(frz_parquet_order order, frz_slice a, frz_slice b);

/* Empty again, memory kept. */
void frz_parquet_bounds_reset(frz_parquet_bounds *bounds);
void frz_parquet_bounds_clear(frz_parquet_bounds *bounds);

enum { FRZ_PARQUET_BOUND_SIZE_MAX = 64 };

/*
 * A bound short enough for footer and index: BYTE_ARRAY of over 64 bytes is cut, at a character's
 * end when `text`. *exact_out tells whether nothing was cut.
 */
frz_slice frz_parquet_shorten_min(const frz_parquet_node *leaf, frz_slice min, bool *exact_out);
/* Likewise, and incremented so that it stays an upper bound; `scratch` has room for 64 bytes. Comes
 * back whole when no greater short value exists. */
frz_slice frz_parquet_shorten_max(const frz_parquet_node *leaf, frz_slice max,
                                  uint8_t scratch[FRZ_PARQUET_BOUND_SIZE_MAX], bool *exact_out);

#endif
