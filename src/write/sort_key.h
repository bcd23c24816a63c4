/*
 * The place of a row in a table's sort order as bytes that compare as the order asks (spec
 * "Sorting"): transforms, directions, places of nulls; floats by IEEE 754 totalOrder.
 */
#ifndef FRZ_WRITE_SORT_KEY_H
#define FRZ_WRITE_SORT_KEY_H

#include "frazil/arrow.h"
#include "spec/sort.h"
#include "write/row_value.h"

typedef struct frz_sort_key_field {
    const frz_sort_field *field;
    frz_column_path source;
} frz_sort_key_field;

/* A sort order bound to the struct that batches hold. All zero is one that orders nothing. */
typedef struct frz_sort_key {
    frz_sort_key_field *fields; /* those whose source is there: a dropped column orders nothing */
    size_t count;
} frz_sort_key;

/* `order` is borrowed; the rest is in `arena`. FRZ_UNSUPPORTED names a transform that is not
 * known. */
FRZ_MUST_CHECK frz_status frz_sort_key_bind(const frz_sort_order *order, const frz_type *root,
                                            frz_arena *arena, frz_sort_key *out, frz_error **err);

/* Appends the bytes of one row: the lesser of two rows has the lesser bytes (memcmp). */
FRZ_MUST_CHECK frz_status frz_sort_key_append(const frz_sort_key *key,
                                              const struct ArrowArray *batch, int64_t row,
                                              frz_arena *scratch, frz_buffer *out, frz_error **err);

#endif
