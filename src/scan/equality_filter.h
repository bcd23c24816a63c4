/*
 * The equality deletes of one task: which probes apply, and the rows that they leave.
 *
 * Usually the key columns are read along with the filter's, and the rows of each batch are looked
 * up. Where the deleted rows must be known before (the _deleted column is wanted), or a table does
 * not fit in memory, the key columns of the whole file are read first and the deleted positions are
 * marked.
 */
#ifndef FRZ_SCAN_EQUALITY_FILTER_H
#define FRZ_SCAN_EQUALITY_FILTER_H

#include "puffin/bitmap.h"
#include "scan/plan.h"

typedef struct frz_equality_filter frz_equality_filter;

/*
 * Borrows all. *out is NULL when no equality delete applies to the data file: "the data file's data
 * sequence number is strictly less than the delete's".
 */
FRZ_MUST_CHECK frz_status frz_equality_filter_open(const frz_scan *scan, const frz_scan_task *task,
                                                   frz_equality_filter **out, frz_error **err);
/* Accepts NULL. */
void frz_equality_filter_close(frz_equality_filter *filter);

/* The positions that were marked; NULL when there are none. Borrowed. */
const frz_bitmap *frz_equality_filter_marked(const frz_equality_filter *filter);

/* Whether batches are to be run. */
bool frz_equality_filter_has_probes(const frz_equality_filter *filter);

/* The columns of `type` (a struct) and behind them the key columns that are not among them, in
 * `arena`: what batches given to run have. */
FRZ_MUST_CHECK frz_status frz_equality_filter_columns(frz_equality_filter *filter,
                                                      const frz_type *type, frz_arena *arena,
                                                      const frz_type **out, frz_error **err);

/* Clears the bits of deleted rows (bit i = row i of the batch); *kept_out = bits left. */
FRZ_MUST_CHECK frz_status frz_equality_filter_run(frz_equality_filter *filter,
                                                  const struct ArrowArray *batch, uint64_t *mask,
                                                  int64_t *kept_out, frz_error **err);

/* The key columns that reading a task adds to `type`, without building anything: for explain. */
FRZ_MUST_CHECK frz_status frz_task_key_columns(const frz_scan_task *task, const frz_type *type,
                                               frz_arena *arena, const frz_type **out,
                                               frz_error **err);

#endif
