/*
 * Rows in, rows out in the order of their keys, in bounded memory: what does not fit waits as
 * sorted runs in temporary files without names, which are merged in the end. Rows of equal keys
 * keep the order they came in.
 *
 * Memory: half of what is allowed is filled with rows and keys before they are sorted and written,
 * the other half is the sorted copy. While runs are merged, a block of each is in memory: at most
 * FRZ_SORT_FAN_IN runs of one size are, since that many are merged into one. That is also the
 * number of descriptors for each FRZ_SORT_FAN_IN-fold of the memory.
 */
#ifndef FRZ_WRITE_ROW_SORTER_H
#define FRZ_WRITE_ROW_SORTER_H

#include "write/sorted_run.h"

enum { FRZ_SORT_FAN_IN = 32 };

typedef struct frz_row_sorter_options {
    const struct ArrowSchema *arrow; /* of the rows; plain; borrowed */
    uint64_t memory;                 /* bytes; 0 = 128 MiB; at most 2 GiB are used */
    frz_io *io;                      /* of temporary files; NULL: without names, in `folder` */
    const char *folder;              /* NULL = TMPDIR, else /tmp */
} frz_row_sorter_options;

typedef struct frz_row_sorter frz_row_sorter;

FRZ_MUST_CHECK frz_status frz_row_sorter_new(const frz_row_sorter_options *options,
                                             frz_row_sorter **out, frz_error **err);
/* Accepts NULL. Temporary files are gone with it. */
void frz_row_sorter_free(frz_row_sorter *self);

/* A key (write/sorted_run.h) in a buffer of keys: what is appended in between belongs to it. */
size_t frz_key_begin(frz_buffer *keys, uint32_t group);
void frz_key_end(frz_buffer *keys, size_t start);

/* Adds the rows of `batch`, an array of ours whose memory is shared, with a key each in `keys`. */
FRZ_MUST_CHECK frz_status frz_row_sorter_add(frz_row_sorter *self, struct ArrowArray *batch,
                                             const frz_buffer *keys, frz_error **err);

/* The next rows in order, all of one group. FRZ_END behind the last. The first call ends adding. */
FRZ_MUST_CHECK frz_status frz_row_sorter_next(frz_row_sorter *self, uint32_t *group_out,
                                              struct ArrowArray *out, frz_error **err);

#endif
