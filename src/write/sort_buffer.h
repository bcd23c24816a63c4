/*
 * Rows that wait to be sorted as a table's sort order asks (spec "Sorting"). The buffer is bounded:
 * what is written is sorted within each filling of it.
 */
#ifndef FRZ_WRITE_SORT_BUFFER_H
#define FRZ_WRITE_SORT_BUFFER_H

#include "frazil/arrow.h"
#include "spec/sort.h"

enum { FRZ_SORT_ROWS_MAX = 262144 };

typedef struct frz_sort_buffer frz_sort_buffer;

/*
 * `root` is the struct that batches hold, `arrow` the same in Arrow; all borrowed. FRZ_UNSUPPORTED
 * names a transform that is not known.
 */
FRZ_MUST_CHECK frz_status frz_sort_buffer_new(const frz_sort_order *order, const frz_type *root,
                                              const struct ArrowSchema *arrow,
                                              frz_sort_buffer **out, frz_error **err);
/* Accepts NULL. */
void frz_sort_buffer_free(frz_sort_buffer *self);

/* Shares the memory of `batch`, an array of ours. */
FRZ_MUST_CHECK frz_status frz_sort_buffer_add(frz_sort_buffer *self, struct ArrowArray *batch,
                                              frz_error **err);
/* Whether it has reached FRZ_SORT_ROWS_MAX rows or 64 MiB. */
bool frz_sort_buffer_is_full(const frz_sort_buffer *self);

/* All rows, sorted; equal ones in the order they came. Empties the buffer. FRZ_END when it is
 * empty. */
FRZ_MUST_CHECK frz_status frz_sort_buffer_take(frz_sort_buffer *self, struct ArrowArray *out,
                                               frz_error **err);

#endif
