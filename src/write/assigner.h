/*
 * Runs assignments over batches: the columns they name get new values, fields of structs one by
 * one, and required ones refuse null.
 */
#ifndef FRZ_WRITE_ASSIGNER_H
#define FRZ_WRITE_ASSIGNER_H

#include "expr/assignment.h"

typedef struct frz_assigner frz_assigner;

/* Where the rows of a batch come from, for messages. */
typedef struct frz_row_origin {
    frz_slice path;
    const int64_t *positions;
} frz_row_origin;

/* `assignments` are borrowed. Batches start with the columns of `table` in order. */
FRZ_MUST_CHECK frz_status frz_assigner_new(const frz_assignment *assignments, size_t count,
                                           const frz_schema *table, frz_assigner **out,
                                           frz_error **err);
/* Accepts NULL. */
void frz_assigner_free(frz_assigner *self);

/*
 * Replaces the columns of `batch` (a struct array of ours, offset 0) that are assigned to. A struct
 * that was null and has a field set becomes one whose other fields are null. FRZ_INVALID names
 * column and row when a value cannot be computed or is null in a required column; the batch is then
 * unchanged.
 */
FRZ_MUST_CHECK frz_status frz_assigner_run(frz_assigner *self, struct ArrowArray *batch,
                                           const frz_row_origin *origin, frz_error **err);

#endif
