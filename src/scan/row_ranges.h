/*
 * Which rows of a file a filter may select: of Parquet by row group (scan/row_group.h), by the
 * column index, and by deletion of whole row groups; of Avro, which keeps no statistics, all rows
 * or none.
 */
#ifndef FRZ_SCAN_ROW_RANGES_H
#define FRZ_SCAN_ROW_RANGES_H

#include "puffin/bitmap.h"
#include "scan/plan.h"
#include "scan/row_selection.h"
#include "scan/stored_file.h"

/* Of which file, and what may rule rows out. */
typedef struct frz_row_query {
    const frz_scan *scan;
    const frz_scan_task *task;
    frz_stored_file *file;
    const frz_bitmap *deleted; /* may be NULL */
    frz_funnel_level *groups;  /* counts row groups; may be NULL */
    const bool
        *leaves_read; /* by leaf of the file: whose bytes a dropped group saves; with groups */
} frz_row_query;

/* The page index is read only when the filter can use it. */
FRZ_MUST_CHECK frz_status frz_row_ranges_select(const frz_row_query *query, frz_arena *arena,
                                                frz_row_ranges *out, frz_error **err);

#endif
