/*
 * The projection of one leaf onto a partition tuple, for whole trees (project.c) and for residuals.
 */
#ifndef FRZ_EXPR_PROJECT_H
#define FRZ_EXPR_PROJECT_H

#include "expr/prune.h"

typedef struct frz_projector {
    const frz_partition_spec *spec;
    const frz_type *partition_type;
    frz_arena *arena;
} frz_projector;

/* Over all fields of the spec: any of them may exclude a partition (inclusive), or prove it
 * (strict). */
FRZ_MUST_CHECK frz_status frz_project_leaf(const frz_projector *projector, const frz_expr *leaf,
                                           bool strict, const frz_expr **out, frz_error **err);

#endif
