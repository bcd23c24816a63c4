/*
 * Several sorted runs as one: rows by key, those of equal keys by run. One block of each run is in
 * memory.
 */
#ifndef FRZ_WRITE_RUN_MERGE_H
#define FRZ_WRITE_RUN_MERGE_H

#include "write/sorted_run.h"

typedef struct frz_run_merge frz_run_merge;

/* The runs, read from their start, and `arrow` are borrowed. `span` is of all their keys. */
FRZ_MUST_CHECK frz_status frz_run_merge_new(frz_sorted_run *const *runs, size_t count,
                                            const struct ArrowSchema *arrow,
                                            const frz_key_span *span, frz_run_merge **out,
                                            frz_error **err);
/* Accepts NULL. */
void frz_run_merge_free(frz_run_merge *self);

/* The next rows, of one group and at most `rows_max`, in place of what `block` holds. Keys are
 * copied into it when asked for. FRZ_END behind the last. */
FRZ_MUST_CHECK frz_status frz_run_merge_next(frz_run_merge *self, size_t rows_max, bool with_keys,
                                             frz_run_block *block, uint32_t *group_out,
                                             frz_error **err);

#endif
