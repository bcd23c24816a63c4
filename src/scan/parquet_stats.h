/*
 * Parquet statistics as values of the table's types: what row groups and pages tell of a column
 * (Appendix A "Parquet"; parquet.thrift Statistics). Bounds are little-endian PLAIN bytes of the
 * file's physical type, not Iceberg's single values.
 */
#ifndef FRZ_SCAN_PARQUET_STATS_H
#define FRZ_SCAN_PARQUET_STATS_H

#include "parquet/metadata.h"
#include "spec/value.h"

/* A PLAIN value of a column as the table's type has it, NaN included; false when it cannot be told.
 * Borrows `bytes`. */
bool frz_parquet_value(const frz_parquet_node *node, frz_slice bytes, const frz_type *type,
                       frz_value *out);

/* Likewise for a bound; NaN is none. */
bool frz_parquet_bound(const frz_parquet_node *node, frz_slice bytes, const frz_type *type,
                       frz_value *out);

/* The way back, for Bloom filters. */
typedef struct frz_parquet_plain {
    frz_slice bytes; /* in `buffer`, or borrowed from the value */
    uint8_t buffer[32];
} frz_parquet_plain;

/*
 * The one PLAIN form that a value of the table's type has in a column of the file; false when there
 * is none or more than one (another unit, a decimal in a byte array, NaN). Zero has two, of which
 * this is that of the value's sign.
 */
bool frz_parquet_plain_of(const frz_parquet_node *node, const frz_value *value,
                          const frz_type *type, frz_parquet_plain *out);

#endif
