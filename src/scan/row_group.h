/*
 * One row group of a Parquet file as a filter sees it: whether any of its rows may match, by the
 * statistics of its column chunks, then their Bloom filters, then their dictionaries. The later
 * kinds cost a read each, made only for a leaf of the filter that the kinds before left undecided.
 *
 * Never prunes on what is unknown (design rule 3): a column without evidence may hold anything.
 *
 * Thread rule: one thread per view.
 */
#ifndef FRZ_SCAN_ROW_GROUP_H
#define FRZ_SCAN_ROW_GROUP_H

#include "expr/prune.h"
#include "parquet/page_index.h"
#include "scan/plan.h"

typedef struct frz_row_group_view {
    const frz_scan *scan;
    const frz_scan_task *task;
    frz_parquet_file *file;
    const frz_parquet_metadata *metadata;
    size_t number;                     /* of the row group looked at */
    struct frz_row_group_leaf *leaves; /* by leaf of the file: what was read of this group */
    frz_arena memory;                  /* of what was read */
} frz_row_group_view;

/* Borrows all; `arena` keeps a little per leaf of the file. Clear also after failure. */
FRZ_MUST_CHECK frz_status frz_row_group_view_init(frz_row_group_view *view, const frz_scan *scan,
                                                  const frz_scan_task *task, frz_parquet_file *file,
                                                  frz_arena *arena, frz_error **err);
void frz_row_group_view_clear(frz_row_group_view *view);

/* Goes to another group; forgets what was read of the last. */
void frz_row_group_view_move(frz_row_group_view *view, size_t number);

/* Whether rows of the group may match: *reason_out is NULL, or names what rules them out. */
FRZ_MUST_CHECK frz_status frz_row_group_judge(frz_row_group_view *view, const frz_expr *filter,
                                              const char **reason_out, frz_error **err);

/* The leaf of the file whose chunks and pages can judge a leaf of the filter; NULL when there is
 * none. */
const frz_parquet_node *frz_row_group_node(const frz_row_group_view *view, const frz_expr *leaf);

/* The page index of a leaf's chunk; page_count 0 without. Valid until the next move. */
FRZ_MUST_CHECK frz_status frz_row_group_page_index(frz_row_group_view *view,
                                                   const frz_parquet_node *node,
                                                   const frz_parquet_page_index **out,
                                                   frz_error **err);

#endif
