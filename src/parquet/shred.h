/*
 * From rows of nested Arrow arrays to one leaf column: definition and repetition levels
 * (parquet-format README, "Nested Encoding"), and which values of the leaf array are present.
 */
#ifndef FRZ_PARQUET_SHRED_H
#define FRZ_PARQUET_SHRED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frazil/arrow.h"
#include "parquet/write_schema.h"

/* One slot of a column is a value or a place where a value is missing. Memory is reused between
 * rows. */
typedef struct frz_parquet_shredded {
    const struct ArrowArray *leaf;
    int64_t start; /* the first row, within the batch */
    int64_t slot_count;
    bool full;                 /* no value is missing: all definition levels are the greatest */
    const uint8_t *definition; /* slot_count; NULL when full */
    const uint8_t *repetition; /* slot_count; NULL when the leaf is below no list or map */
    int64_t value_count;
    bool dense; /* the values are [first, first + value_count) of the leaf's buffers */
    int64_t first;
    const int32_t *indexes; /* else value_count positions in the leaf's buffers */

    /* Owned. */
    uint8_t *bytes;
    uint8_t *repetition_bytes;
    int32_t *places;
    size_t byte_capacity;
    size_t place_capacity;
} frz_parquet_shredded;

/* The items that rows [start, start + count) of the batch have in the leaf array, as positions in
 * its buffers: a range, as nothing may stand between them but what no row uses. */
void frz_parquet_leaf_range(const frz_parquet_leaf *leaf, const struct ArrowArray *batch,
                            int64_t start, int64_t count, int64_t *first_out, int64_t *end_out);

/*
 * Shreds these rows. FRZ_INVALID: a null where the schema says required (named, with the row of the
 * batch).
 */
FRZ_MUST_CHECK frz_status frz_parquet_shred(const frz_parquet_leaf *leaf,
                                            const struct ArrowArray *batch, int64_t start,
                                            int64_t count, frz_parquet_shredded *out,
                                            frz_error **err);

void frz_parquet_shredded_clear(frz_parquet_shredded *shredded);

#endif
