/*
 * Where the values of a reference are within an Arrow batch.
 *
 * A struct path leads to one column that has a row for each row of the batch, null where a parent
 * is null; list elements and map values are found row by row.
 */
#ifndef FRZ_EXPR_LOCATION_H
#define FRZ_EXPR_LOCATION_H

#include "expr/expression.h"
#include "frazil/arrow.h"

typedef struct frz_location {
    const frz_reference *reference;
    const frz_type *columns; /* the batch's struct type */
    const frz_type *type;    /* of the values, as the batch has them */
    const size_t *children;  /* for each step, the index of its field in the type that holds it */
    bool columnar;           /* struct steps only */
} frz_location;

/* FRZ_INVALID when the struct type `columns` lacks the field, or has it in another type. */
FRZ_MUST_CHECK frz_status frz_location_init(frz_location *out, const frz_reference *reference,
                                            const frz_type *columns, frz_arena *arena,
                                            frz_error **err);

/* The column of a columnar location; its row r is at physical index *start_out + r of its buffers.
 */
const struct ArrowArray *frz_location_column(const frz_location *location,
                                             const struct ArrowArray *batch, int64_t *start_out);

/* Clears the bits of rows that are null, a parent's null included. Columnar locations. */
void frz_location_clear_nulls(const frz_location *location, const struct ArrowArray *batch,
                              uint64_t *mask);

/* The value of one row, null when it or what holds it is; bytes point into the batch. Leaves of
 * nested types give FRZ_VALUE_STRUCT without items. */
frz_value frz_location_value(const frz_location *location, const struct ArrowArray *batch,
                             int64_t row);

/* `count` bits (at most 64) from bit `offset` of an Arrow bitmap. */
uint64_t frz_bitmap_word(const uint8_t *bits, int64_t offset, int64_t count);

#endif
