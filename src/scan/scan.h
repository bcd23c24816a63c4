/*
 * A scan as bound: which snapshot, read with which schema, which filter, which columns come out.
 */
#ifndef FRZ_SCAN_SCAN_H
#define FRZ_SCAN_SCAN_H

#include <stdatomic.h>

#include "base/cache.h"
#include "catalog/table.h"
#include "expr/expression.h"
#include "frazil/scan.h"
#include "scan/projection.h"
#include "spec/name_mapping.h"

typedef struct frz_increment frz_increment;

struct frz_scan {
    frz_arena arena;        /* owns filter and projection */
    frz_metadata *metadata; /* a reference */
    frz_catalog *catalog;   /* a reference that keeps io alive; NULL without catalog */
    frz_io *io;             /* borrowed */
    frz_cache *cache;       /* a reference; NULL = none */
    frz_limits limits;
    const frz_snapshot *snapshot;   /* in metadata; NULL = empty table */
    frz_schema *schema;             /* borrowed from metadata */
    const frz_type *partition_type; /* of _partition: the union of all specs' fields */
    const frz_expr *filter;         /* frz_expr_true when none */
    frz_projection projection;
    const frz_name_mapping *name_mapping; /* for files without field ids; NULL = none */
    const char *bad_name_mapping; /* the table's property where it is no mapping; else NULL */
    bool keep_deleted;            /* _deleted was selected: deleted rows come out, marked */
    int64_t limit;                /* -1 = none */
    int32_t batch_rows;           /* 0 = by column widths */
    int32_t threads;
    const frz_increment *increment; /* appended rows alone (scan/increment.h); NULL = all rows */
    bool no_pruning;                /* nothing is skipped because of the filter */
    atomic_size_t references;
    frz_scan *parent; /* a reference: owns the filter of a counting scan; else NULL */
};

frz_scan *frz_scan_ref(const frz_scan *scan);

/* The same rows without columns, for counting them. */
FRZ_MUST_CHECK frz_status frz_scan_new_counting(const frz_scan *scan, frz_scan **out,
                                                frz_error **err);

#endif
