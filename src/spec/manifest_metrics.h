/*
 * Column metrics of one manifest entry: the six maps by field id ("Data File Fields") turned into
 * one array sorted by field id.
 */
#ifndef FRZ_SPEC_MANIFEST_METRICS_H
#define FRZ_SPEC_MANIFEST_METRICS_H

#include "spec/column.h"
#include "spec/manifest.h"

typedef enum frz_metric {
    FRZ_METRIC_COLUMN_SIZE,
    FRZ_METRIC_VALUE_COUNT,
    FRZ_METRIC_NULL_COUNT,
    FRZ_METRIC_NAN_COUNT,
    FRZ_METRIC_LOWER,
    FRZ_METRIC_UPPER,
    FRZ_METRIC_COUNT
} frz_metric;

/* One map column, bound. */
typedef struct frz_metric_map {
    frz_column map;
    frz_column keys;
    frz_column values;
} frz_metric_map;

/* `map` may be absent. A map written as a plain list of key-value records is taken too (old
 * writers). */
FRZ_MUST_CHECK frz_status frz_metric_map_bind(const frz_column *map, frz_metric which,
                                              frz_metric_map *out, frz_error **err);

/* Scratch that is kept from entry to entry. All zero is valid. */
typedef struct frz_metric_keys {
    int32_t *ids;
    size_t count;
    size_t capacity;
} frz_metric_keys;
void frz_metric_keys_clear(frz_metric_keys *keys);

/* The metrics of `row`: only of `wanted` ids (ascending) unless NULL. *out is in `arena`; bounds
 * are borrowed from the maps' arrays. */
FRZ_MUST_CHECK frz_status frz_metrics_read(const frz_metric_map maps[FRZ_METRIC_COUNT], int64_t row,
                                           const frz_manifest_fields *wanted,
                                           frz_metric_keys *scratch, frz_arena *arena,
                                           frz_data_file *out, frz_error **err);

#endif
