/*
 * The present values of a shredded leaf, in the form that the file stores: numbers and fixed bytes
 * packed one behind the other, decimals in their physical type, byte arrays as slices.
 */
#ifndef FRZ_PARQUET_GATHER_H
#define FRZ_PARQUET_GATHER_H

#include "base/buffer.h"
#include "base/slice.h"
#include "parquet/shred.h"
#include "parquet/write_schema.h"

typedef struct frz_parquet_gathered {
    size_t count;
    size_t plain_size;    /* bytes in PLAIN encoding */
    const uint8_t *fixed; /* count * leaf width; booleans one byte each. NULL for BYTE_ARRAY */
    frz_slice *slices;    /* BYTE_ARRAY, borrowed from the batch; may be reordered by the user */
    frz_buffer scratch;   /* owned, behind either */
} frz_parquet_gathered;

/* FRZ_INVALID: a decimal with more digits than its type. The result is good until the next call. */
FRZ_MUST_CHECK frz_status frz_parquet_gather(const frz_parquet_leaf *leaf,
                                             const frz_parquet_shredded *shredded,
                                             frz_parquet_gathered *out, frz_error **err);

void frz_parquet_gathered_clear(frz_parquet_gathered *values);

#endif
