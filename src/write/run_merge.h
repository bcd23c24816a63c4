/*
 * Several sorted runs as one: rows by key, those of equal keys by run. One block of each run is in
 * memory.
 */
#ifndef FRZ_WRITE_RUN_MERGE_H
#define FRZ_WRITE_RUN_MERGE_H

#include "write/sorted_run.h"

typedef struct frz_run_merge frz_run_merge;

/* The runs, read from their start, and `arrow` are borrowed. */
FRZ_MUST_CHECK frz_status frz_run_merge_new(frz_sorted_run *const *runs, size_t count,
                                            const struct ArrowSchema *arrow, frz_run_merge **out,
                                            frz_error **err);
/* Accepts NULL. */
void frz_run_merge_free(frz_run_merge *self);

/* The next rows, of one group and at most `rows_max`, in place of what `block` holds. FRZ_END
 * behind the last. */
FRZ_MUST_CHECK frz_status frz_run_merge_next(frz_run_merge *self, int64_t rows_max,
                                             frz_run_block *block, frz_error **err);

#endif
