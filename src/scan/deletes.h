/*
 * The row positions that delete files take out of one data file: a deletion vector, or the union of
 * its position delete files.
 */
#ifndef FRZ_SCAN_DELETES_H
#define FRZ_SCAN_DELETES_H

#include "puffin/bitmap.h"
#include "scan/plan.h"

/* A decoded set that the cache shares. */
typedef struct frz_delete_set frz_delete_set;
const frz_bitmap *frz_delete_set_bitmap(const frz_delete_set *set);
void frz_delete_set_unref(frz_delete_set *set); /* accepts NULL */

/* Replaces *set (which may be NULL) by its union with `more`. */
FRZ_MUST_CHECK frz_status frz_delete_set_join(frz_delete_set **set, const frz_bitmap *more,
                                              frz_error **err);

/* *out NULL when nothing is deleted by position. A deletion vector costs one ranged read. */
FRZ_MUST_CHECK frz_status frz_task_load_deletes(const frz_scan *scan, const frz_scan_task *task,
                                                frz_delete_set **out, frz_error **err);

#endif
