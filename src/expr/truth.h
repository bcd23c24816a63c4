/*
 * Three-valued results for single values and tuples of values (partition tuples, constants of a
 * file).
 */
#ifndef FRZ_EXPR_TRUTH_H
#define FRZ_EXPR_TRUTH_H

#include "expr/expression.h"

typedef enum frz_truth {
    FRZ_TRUTH_FALSE,
    FRZ_TRUTH_UNKNOWN, /* null */
    FRZ_TRUTH_TRUE
} frz_truth;

/* A leaf's test on one value of the reference's type, null included. */
frz_truth frz_expr_test_value(const frz_expr *leaf, const frz_value *value);

/* LT .. NE of two values that compare, null included. */
frz_truth frz_expr_test_pair(frz_expr_op op, const frz_value *left, const frz_value *right);

/* Values by field order of `columns`; a column that is not among them is unknown. */
frz_truth frz_expr_test_tuple(const frz_expr *expr, const frz_type *columns,
                              const frz_value *values);

#endif
