/*
 * The place of a row in a table's sort order as bytes that compare as the order asks (spec
 * "Sorting"): transforms, directions, places of nulls; floats by IEEE 754 totalOrder.
 */
#ifndef FRZ_WRITE_SORT_KEY_H
#define FRZ_WRITE_SORT_KEY_H

#include "frazil/arrow.h"
#include "spec/sort.h"
#include "write/row_value.h"
#include "write/sort_keys.h"

typedef struct frz_sort_key_field {
    const frz_sort_field *field;
    frz_column_path source;
    size_t
        width;  /* bytes of a value behind the one that tells nulls; 0: it has a size of its own */
    bool sized; /* a text or binary */
} frz_sort_key_field;

/* A sort order bound to the struct that batches hold. All zero is one that orders nothing. */
typedef struct frz_sort_key {
    frz_sort_key_field *fields; /* those whose source is there: a dropped column orders nothing */
    size_t count;
    size_t stride; /* of its keys (write/sort_keys.h) */
} frz_sort_key;

/* `order` is borrowed; the rest is in `arena`. FRZ_UNSUPPORTED names a transform that is not
 * known. */
FRZ_MUST_CHECK frz_status frz_sort_key_bind(const frz_sort_order *order, const frz_type *root,
                                            frz_arena *arena, frz_sort_key *out, frz_error **err);

/* Replaces `out` by the keys of all rows of `batch`, in this order, behind the groups of the rows
 * (NULL: 0 each): the lesser of two rows has the lesser key (memcmp). */
FRZ_MUST_CHECK frz_status frz_sort_key_fill(const frz_sort_key *key, const struct ArrowArray *batch,
                                            const uint32_t *groups, frz_arena *scratch,
                                            frz_sort_keys *out, frz_error **err);

#endif
