/*
 * The list of an update: `a = formula, b.c = formula, d = DEFAULT`.
 *
 * A target is a column of the table or a field of structs; the same one twice, or one within
 * another, is refused. Formulas see the row as it was.
 */
#ifndef FRZ_EXPR_ASSIGNMENT_H
#define FRZ_EXPR_ASSIGNMENT_H

#include "expr/formula.h"

typedef struct frz_assignment {
    const frz_reference *target; /* struct steps only, in the table's schema */
    const frz_field *field;      /* that it ends at */
    const frz_formula *formula;  /* of the field's type; NULL: DEFAULT, its write default or null */
} frz_assignment;

typedef struct frz_assignment_scope {
    const frz_schema *table;      /* of the targets */
    const frz_expr_scope *values; /* of the formulas */
    const frz_type *columns;      /* of the batches they run on */
} frz_assignment_scope;

/* In `arena`; the scope's schemas and types must outlive the result. FRZ_INVALID has the offset in
 * `text`. */
FRZ_MUST_CHECK frz_status frz_assignments_parse(frz_slice text, const frz_assignment_scope *scope,
                                                frz_arena *arena, const frz_assignment **out,
                                                size_t *count_out, frz_error **err);

#endif
