/*
 * Parquet statistics as values of the table's types: what row groups and pages tell of a column
 * (Appendix A "Parquet"; parquet.thrift Statistics). Bounds are little-endian PLAIN bytes of the
 * file's physical type, not Iceberg's single values.
 */
#ifndef FRZ_SCAN_PARQUET_STATS_H
#define FRZ_SCAN_PARQUET_STATS_H

#include "parquet/metadata.h"
#include "spec/value.h"

/* False when the bound cannot be read as `type` (it is then no bound). Borrows `bytes`. */
bool frz_parquet_bound(const frz_parquet_node *node, frz_slice bytes, const frz_type *type,
                       frz_value *out);

#endif
