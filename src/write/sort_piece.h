/*
 * Rows in memory that are sorted at once and become a run (write/sorted_run.h).
 */
#ifndef FRZ_WRITE_SORT_PIECE_H
#define FRZ_WRITE_SORT_PIECE_H

#include "write/sorted_run.h"

/* All zero, but for the stride of its keys, is empty. Batches share the memory of those that were
 * added. */
typedef struct frz_sort_piece {
    struct ArrowArray *batches;
    size_t batch_count;
    size_t batch_capacity;
    frz_sort_keys keys; /* one for each row */
    uint64_t size;      /* bytes, roughly */
} frz_sort_piece;

void frz_sort_piece_clear(frz_sort_piece *piece);

/* Adds the rows of `batch`, none of which is null, an array of ours whose memory is shared, with a
 * key each. `arrow` is of the rows. */
FRZ_MUST_CHECK frz_status frz_sort_piece_add(frz_sort_piece *piece, const struct ArrowSchema *arrow,
                                             struct ArrowArray *batch, const frz_sort_keys *keys,
                                             frz_error **err);

/* Rows that make up so many bytes, 1 at least; of a piece that is not empty. */
size_t frz_sort_piece_rows_of(const frz_sort_piece *piece, uint64_t bytes);

/* The rows go to `run` in order, by blocks of `block_rows`, and the piece is empty. `span` gets
 * what its keys differ in. */
FRZ_MUST_CHECK frz_status frz_sort_piece_end(frz_sort_piece *piece, const struct ArrowSchema *arrow,
                                             size_t block_rows, frz_sorted_run *run,
                                             frz_key_span *span, frz_error **err);

#endif
