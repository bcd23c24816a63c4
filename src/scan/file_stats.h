/*
 * What a manifest entry tells of the columns of its file, for pruning (expr/prune.h): metrics of
 * table columns, and what metadata columns can be.
 */
#ifndef FRZ_SCAN_FILE_STATS_H
#define FRZ_SCAN_FILE_STATS_H

#include "expr/prune.h"
#include "scan/scan.h"
#include "spec/manifest.h"

typedef struct frz_file_stats {
    const frz_scan *scan;
    const frz_manifest_entry *entry;
} frz_file_stats;

/* A frz_stats_source; `context` is a frz_file_stats. */
bool frz_file_stats_source(void *context, const frz_reference *reference, frz_column_stats *out);

/* Same spec and partition tuple. */
bool frz_same_partition(const frz_data_file *a, const frz_data_file *b);

#endif
