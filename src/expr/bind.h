/*
 * Makes the leaves of a tree: a test of a column with literals, decided as far as the types decide
 * it.
 *
 * Leaves are made for a filter: one that is never true is FRZ_EXPR_FALSE, one that is true for
 * every value but null is NOT_NULL (TRUE where the column is required). Negation happens before
 * (frz_expr_op_negate).
 */
#ifndef FRZ_EXPR_BIND_H
#define FRZ_EXPR_BIND_H

#include "expr/literal.h"

/* A test of a column as written. */
typedef struct frz_column_test {
    frz_expr_op op; /* any leaf operation */
    const frz_reference *reference;
    const frz_literal *literals; /* none for IS_NULL .. NOT_NAN, one or more for IN, else one; LIKE:
                                    a pattern with backslash escapes */
    size_t literal_count;
} frz_column_test;

/* FRZ_INVALID has the offset of the literal at fault, or none where the column is. */
FRZ_MUST_CHECK frz_status frz_expr_bind(const frz_column_test *test, frz_arena *arena,
                                        const frz_expr **out, frz_error **err);

/* A comparison (LT .. NE) of two columns. FRZ_INVALID, without an offset, for types that do not
 * compare. */
FRZ_MUST_CHECK frz_status frz_expr_bind_pair(frz_expr_op op, const frz_reference *left,
                                             const frz_reference *right, frz_arena *arena,
                                             const frz_expr **out, frz_error **err);

#endif
