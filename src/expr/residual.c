#include "base/fail.h"
#include "expr/project.h"
#include "expr/truth.h"

typedef struct residual {
    frz_projector projector;
    const frz_value *values;
} residual;

static frz_status tuple_passes(const residual *r, const frz_expr *leaf, bool strict, bool *out,
                               frz_error **err)
{
    const frz_expr *projected = NULL;
    FRZ_TRY(frz_project_leaf(&r->projector, leaf, strict, &projected, err));
    *out = frz_expr_test_tuple(projected, r->projector.partition_type, r->values) == FRZ_TRUTH_TRUE;
    return FRZ_OK;
}

/* True where the strict projection proves all rows, false where the inclusive one excludes them. */
static frz_status reduce_leaf(const residual *r, const frz_expr *leaf, const frz_expr **out,
                              frz_error **err)
{
    bool passes = false;
    FRZ_TRY(tuple_passes(r, leaf, true, &passes, err));
    if (passes) {
        *out = &frz_expr_true;
        return FRZ_OK;
    }
    FRZ_TRY(tuple_passes(r, leaf, false, &passes, err));
    *out = passes ? leaf : &frz_expr_false;
    return FRZ_OK;
}

static frz_status reduce(const residual *r, const frz_expr *expr, const frz_expr **out,
                         frz_error **err)
{
    frz_arena *arena = r->projector.arena;
    const frz_expr *left = NULL;
    const frz_expr *right = NULL;
    if (expr->op == FRZ_EXPR_NOT) {
        const frz_expr *pushed = frz_expr_not(expr->left, arena);
        return pushed ? reduce(r, pushed, out, err) : frz_fail_memory(err);
    }
    if (expr->op != FRZ_EXPR_AND && expr->op != FRZ_EXPR_OR) {
        *out = expr;
        return expr->reference ? reduce_leaf(r, expr, out, err) : FRZ_OK;
    }
    FRZ_TRY(reduce(r, expr->left, &left, err));
    FRZ_TRY(reduce(r, expr->right, &right, err));
    if (left == expr->left && right == expr->right)
        *out = expr;
    else if (expr->op == FRZ_EXPR_AND)
        *out = frz_expr_and(left, right, arena);
    else
        *out = frz_expr_or(left, right, arena);
    return *out ? FRZ_OK : frz_fail_memory(err);
}

frz_status frz_expr_residual(const frz_expr *expr, const frz_partition_tuple *tuple,
                             frz_arena *arena, const frz_expr **out, frz_error **err)
{
    const residual r = {
        .projector = {.spec = tuple->spec, .partition_type = tuple->type, .arena = arena},
        .values = tuple->values};
    return reduce(&r, expr, out, err);
}
