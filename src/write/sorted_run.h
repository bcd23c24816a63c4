/*
 * Rows in order: blocks of rows, each row with its key (write/sort_keys.h), in memory or in a
 * temporary file. Written once, read once from the start.
 */
#ifndef FRZ_WRITE_SORTED_RUN_H
#define FRZ_WRITE_SORTED_RUN_H

#include "frazil/arrow.h"
#include "frazil/error.h"
#include "frazil/extend/io.h"
#include "write/sort_keys.h"

/* Rows and their keys, in order. All zero is empty. */
typedef struct frz_run_block {
    struct ArrowArray rows;
    frz_sort_keys keys;
} frz_run_block;
void frz_run_block_clear(frz_run_block *block);

typedef struct frz_sorted_run frz_sorted_run;

/* In memory. `arrow`, of the rows, is borrowed; all blocks have keys of this stride. */
FRZ_MUST_CHECK frz_status frz_sorted_run_new(const struct ArrowSchema *arrow, size_t stride,
                                             frz_sorted_run **out, frz_error **err);
/* Accepts NULL. The file is gone. */
void frz_sorted_run_free(frz_sorted_run *self);

size_t frz_sorted_run_stride(const frz_sorted_run *self);
/* Bytes of the blocks that are in memory, roughly. */
uint64_t frz_sorted_run_memory(const frz_sorted_run *self);

/* What it holds, and what comes yet, goes to a file of `io` whose name tells `number`, which no
 * other open run has; `io` is borrowed. */
FRZ_MUST_CHECK frz_status frz_sorted_run_spill(frz_sorted_run *self, frz_io *io, int64_t number,
                                               frz_error **err);

/* The rows of `block`, which are at offset 0, come behind those that were there before. Takes what
 * `block` holds, also on failure. */
FRZ_MUST_CHECK frz_status frz_sorted_run_add(frz_sorted_run *self, frz_run_block *block,
                                             frz_error **err);

/* Replaces what `block` holds. FRZ_END behind the last. From the first call on, nothing is added
 * any more. */
FRZ_MUST_CHECK frz_status frz_sorted_run_read(frz_sorted_run *self, frz_run_block *block,
                                              frz_error **err);

#endif
