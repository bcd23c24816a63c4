/*
 * The public view of a plan: its files, and the funnel as JSON or as text for people.
 */
#ifndef FRZ_SCAN_EXPLAIN_H
#define FRZ_SCAN_EXPLAIN_H

#include "scan/plan.h"

/* What is inside the files of a plan: their row groups and pages, and the bytes that would be read.
 */
typedef struct frz_plan_depth {
    frz_funnel_level groups; /* level "row_group" */
    frz_funnel_level pages;  /* level "page": pages of the columns that the filter reads */
    int64_t bytes;           /* of data files and deletes */
} frz_plan_depth;

/* Opens the footers (and, where the filter needs them, page indexes) of all files. */
FRZ_MUST_CHECK frz_status frz_plan_look_inside(const frz_plan *plan, frz_plan_depth *out,
                                               frz_error **err);

#endif
