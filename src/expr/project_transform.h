/*
 * One test of a column as a test of one partition field (spec "Scan Planning", "Partition
 * Transforms").
 */
#ifndef FRZ_EXPR_PROJECT_TRANSFORM_H
#define FRZ_EXPR_PROJECT_TRANSFORM_H

#include "expr/expression.h"
#include "spec/partition.h"

typedef struct frz_projection {
    bool strict;
    const frz_expr *leaf; /* a test of the field's source column */
    const frz_transform *transform;
    const frz_reference *reference; /* the partition field, in the type of the tuple */
    frz_arena *arena;
} frz_projection;

/*
 * Inclusive: true for the partition value of every row that passes the leaf. Strict: true only for
 * partition values of which all rows pass. *out is NULL when the transform tells nothing.
 */
FRZ_MUST_CHECK frz_status frz_project_transform(const frz_projection *projection,
                                                const frz_expr **out, frz_error **err);

#endif
