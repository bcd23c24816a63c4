/*
 * Rows in, rows out in the order of their keys, in bounded memory: what does not fit waits as
 * sorted runs in temporary files without names, which are merged in the end. Rows of equal keys
 * keep the order they came in.
 *
 * Rows are sorted by pieces of a sixteenth of the memory, small enough for caches: each becomes a
 * run in memory. When runs take five eighths, all of them are written, each to a file of its own.
 * In the end what is in files and what fits beside them is merged, a block of each at a time. Never
 * more than `fan_in` runs of one size are: that many are merged into one. That is also the number
 * of descriptors for each `fan_in`-fold of the memory.
 */
#ifndef FRZ_WRITE_ROW_SORTER_H
#define FRZ_WRITE_ROW_SORTER_H

#include "write/sorted_run.h"

typedef struct frz_row_sorter_options {
    const struct ArrowSchema *arrow; /* of the rows; plain; borrowed */
    size_t key_stride;               /* of all keys (write/sort_keys.h) */
    uint64_t memory;                 /* bytes; 0 = 128 MiB; at most 2 GiB are used */
    size_t fan_in;                   /* 0 = 128 */
    frz_io *io;                      /* of temporary files; NULL: without names, in `folder` */
    const char *folder;              /* NULL = TMPDIR, else /tmp */
} frz_row_sorter_options;

typedef struct frz_row_sorter frz_row_sorter;

FRZ_MUST_CHECK frz_status frz_row_sorter_new(const frz_row_sorter_options *options,
                                             frz_row_sorter **out, frz_error **err);
/* Accepts NULL. Temporary files are gone with it. */
void frz_row_sorter_free(frz_row_sorter *self);

/* Adds the rows of `batch`, an array of ours whose memory is shared, with a key each. */
FRZ_MUST_CHECK frz_status frz_row_sorter_add(frz_row_sorter *self, struct ArrowArray *batch,
                                             const frz_sort_keys *keys, frz_error **err);

/* The next rows in order, all of one group. FRZ_END behind the last. The first call ends adding. */
FRZ_MUST_CHECK frz_status frz_row_sorter_next(frz_row_sorter *self, uint32_t *group_out,
                                              struct ArrowArray *out, frz_error **err);

#endif
