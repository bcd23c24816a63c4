/*
 * Rows in order that wait in a temporary file: blocks of rows, each row with its key. Written once,
 * read once from the start.
 *
 * Keys are bytes that compare by memcmp, each behind its size (32 bits, little-endian). Their first
 * FRZ_GROUP_SIZE bytes are the group of the row: rows of different groups are never handed out
 * together.
 */
#ifndef FRZ_WRITE_SORTED_RUN_H
#define FRZ_WRITE_SORTED_RUN_H

#include "base/buffer.h"
#include "frazil/arrow.h"
#include "frazil/error.h"
#include "frazil/extend/io.h"

enum { FRZ_KEY_PREFIX_SIZE = 4, FRZ_GROUP_SIZE = 4 };

/* The key that starts at `at` of a buffer of keys; *next_out is where the one behind it starts. */
frz_slice frz_key_at(const frz_buffer *keys, size_t at, size_t *next_out);

/* Rows and their keys, in order. All zero is empty. */
typedef struct frz_run_block {
    struct ArrowArray rows;
    frz_buffer keys;
} frz_run_block;
void frz_run_block_clear(frz_run_block *block);

typedef struct frz_sorted_run frz_sorted_run;

/* A file of `io` whose name tells `number`, which no other open run has; `io` and `arrow`, of the
 * rows, are borrowed. */
FRZ_MUST_CHECK frz_status frz_sorted_run_new(frz_io *io, int64_t number,
                                             const struct ArrowSchema *arrow, frz_sorted_run **out,
                                             frz_error **err);
/* Accepts NULL. The file is gone. */
void frz_sorted_run_free(frz_sorted_run *self);

/* The rows of `block`, which are at offset 0, come behind those that were written before. */
FRZ_MUST_CHECK frz_status frz_sorted_run_write(frz_sorted_run *self, const frz_run_block *block,
                                               frz_error **err);
/* Replaces what `block` holds. FRZ_END behind the last. From the first call on, nothing is written
 * any more. */
FRZ_MUST_CHECK frz_status frz_sorted_run_read(frz_sorted_run *self, frz_run_block *block,
                                              frz_error **err);

#endif
