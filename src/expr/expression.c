#include "expr/expression.h"

#include "base/fail.h"

const frz_expr frz_expr_true = {.op = FRZ_EXPR_TRUE};
const frz_expr frz_expr_false = {.op = FRZ_EXPR_FALSE};

static const frz_expr_op negations[] = {
    [FRZ_EXPR_TRUE] = FRZ_EXPR_FALSE,
    [FRZ_EXPR_FALSE] = FRZ_EXPR_TRUE,
    [FRZ_EXPR_AND] = FRZ_EXPR_OR,
    [FRZ_EXPR_OR] = FRZ_EXPR_AND,
    [FRZ_EXPR_NOT] = FRZ_EXPR_NOT,
    [FRZ_EXPR_IS_NULL] = FRZ_EXPR_NOT_NULL,
    [FRZ_EXPR_NOT_NULL] = FRZ_EXPR_IS_NULL,
    [FRZ_EXPR_IS_NAN] = FRZ_EXPR_NOT_NAN,
    [FRZ_EXPR_NOT_NAN] = FRZ_EXPR_IS_NAN,
    [FRZ_EXPR_LT] = FRZ_EXPR_GE,
    [FRZ_EXPR_LE] = FRZ_EXPR_GT,
    [FRZ_EXPR_GT] = FRZ_EXPR_LE,
    [FRZ_EXPR_GE] = FRZ_EXPR_LT,
    [FRZ_EXPR_EQ] = FRZ_EXPR_NE,
    [FRZ_EXPR_NE] = FRZ_EXPR_EQ,
    [FRZ_EXPR_IN] = FRZ_EXPR_NOT_IN,
    [FRZ_EXPR_NOT_IN] = FRZ_EXPR_IN,
    [FRZ_EXPR_STARTS_WITH] = FRZ_EXPR_NOT_STARTS_WITH,
    [FRZ_EXPR_NOT_STARTS_WITH] = FRZ_EXPR_STARTS_WITH,
    [FRZ_EXPR_LIKE] = FRZ_EXPR_NOT_LIKE,
    [FRZ_EXPR_NOT_LIKE] = FRZ_EXPR_LIKE,
};

frz_expr_op frz_expr_op_negate(frz_expr_op op)
{
    return negations[op];
}

static const frz_expr *make(frz_arena *arena, frz_expr parts)
{
    frz_expr *expr = frz_arena_alloc(arena, sizeof *expr);
    if (expr)
        *expr = parts;
    return expr;
}

const frz_expr *frz_expr_and(const frz_expr *left, const frz_expr *right, frz_arena *arena)
{
    if (!left || !right)
        return NULL;
    if (left->op == FRZ_EXPR_FALSE || right->op == FRZ_EXPR_TRUE)
        return left;
    if (left->op == FRZ_EXPR_TRUE || right->op == FRZ_EXPR_FALSE)
        return right;
    return make(arena, (frz_expr){.op = FRZ_EXPR_AND, .left = left, .right = right});
}

const frz_expr *frz_expr_or(const frz_expr *left, const frz_expr *right, frz_arena *arena)
{
    if (!left || !right)
        return NULL;
    if (left->op == FRZ_EXPR_TRUE || right->op == FRZ_EXPR_FALSE)
        return left;
    if (left->op == FRZ_EXPR_FALSE || right->op == FRZ_EXPR_TRUE)
        return right;
    return make(arena, (frz_expr){.op = FRZ_EXPR_OR, .left = left, .right = right});
}

const frz_expr *frz_expr_not(const frz_expr *expr, frz_arena *arena)
{
    if (!expr)
        return NULL;
    if (expr->op == FRZ_EXPR_TRUE)
        return &frz_expr_false;
    if (expr->op == FRZ_EXPR_FALSE)
        return &frz_expr_true;
    if (expr->op == FRZ_EXPR_NOT)
        return expr->left;
    if (expr->op == FRZ_EXPR_AND)
        return frz_expr_or(frz_expr_not(expr->left, arena), frz_expr_not(expr->right, arena),
                           arena);
    if (expr->op == FRZ_EXPR_OR)
        return frz_expr_and(frz_expr_not(expr->left, arena), frz_expr_not(expr->right, arena),
                            arena);
    frz_expr negated = *expr;
    negated.op = frz_expr_op_negate(expr->op);
    return make(arena, negated);
}

const frz_expr *frz_expr_leaf(frz_expr_op op, const frz_reference *reference,
                              const frz_value *values, size_t value_count, frz_arena *arena)
{
    return make(
        arena,
        (frz_expr){.op = op, .reference = reference, .values = values, .value_count = value_count});
}

const frz_expr *frz_expr_pair(frz_expr_op op, const frz_reference *left, const frz_reference *right,
                              frz_arena *arena)
{
    return make(arena, (frz_expr){.op = op, .reference = left, .other = right});
}

static size_t count_references(const frz_expr *expr)
{
    size_t count = (size_t)(expr->reference != NULL) + (expr->other != NULL);
    if (expr->left)
        count += count_references(expr->left);
    if (expr->right)
        count += count_references(expr->right);
    return count;
}

/* Inserts the top-level id into the ascending run ids[0..count). */
static size_t insert_id(int32_t *ids, size_t count, int32_t id)
{
    size_t at = count;
    while (at > 0 && ids[at - 1] > id)
        at--;
    if (at > 0 && ids[at - 1] == id)
        return count;
    memmove(ids + at + 1, ids + at, (count - at) * sizeof *ids);
    ids[at] = id;
    return count + 1;
}

static size_t collect_ids(const frz_expr *expr, int32_t *ids, size_t count)
{
    if (expr->reference)
        count = insert_id(ids, count, expr->reference->steps[0].field_id);
    if (expr->other)
        count = insert_id(ids, count, expr->other->steps[0].field_id);
    if (expr->left)
        count = collect_ids(expr->left, ids, count);
    if (expr->right)
        count = collect_ids(expr->right, ids, count);
    return count;
}

frz_status frz_expr_columns(const frz_expr *expr, frz_arena *arena, const int32_t **ids_out,
                            size_t *count_out, frz_error **err)
{
    int32_t *ids = frz_arena_array(arena, count_references(expr), sizeof *ids);
    if (!ids)
        return frz_fail_memory(err);
    *count_out = collect_ids(expr, ids, 0);
    *ids_out = ids;
    return FRZ_OK;
}
