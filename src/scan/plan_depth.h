/*
 * What a plan finds inside its data files: their row groups and pages, and the bytes that reading
 * them takes. The two lowest levels of the funnel (scan/explain.c prints all).
 *
 * A page is counted once, whatever leaves of the filter look at it: those of all columns that the
 * filter or the output reads, in row groups that are kept, of files whose rows a filter is left
 * for, as far as an offset index tells where they are. Pages of which no row is left are dropped.
 */
#ifndef FRZ_SCAN_PLAN_DEPTH_H
#define FRZ_SCAN_PLAN_DEPTH_H

#include "scan/plan.h"

typedef struct frz_plan_depth {
    frz_funnel_level groups;  /* level "row_group" */
    frz_funnel_level pages;   /* level "page" */
    frz_funnel_level deletes; /* level "delete_file": those that apply to a data file of the plan */
    int64_t bytes; /* of deletes, each file once, and of pages and dictionaries of the columns read
                      (whole column chunks without an offset index); footers are not counted */
    int64_t deletes_left_out; /* pairs of a data file and position deletes of its partition whose
                                 bounds of file_path exclude it */
    int64_t ignored_indexes;  /* page indexes that contradict their column chunks: those are read
                                 whole */
} frz_plan_depth;

/* Opens the footers (and, where the filter needs them, page indexes, Bloom filters and
 * dictionaries) of all files. */
FRZ_MUST_CHECK frz_status frz_plan_look_inside(const frz_plan *plan, frz_plan_depth *out,
                                               frz_error **err);

#endif
