#include "expr/bind.h"

#include <stdlib.h>

#include "base/fail.h"
#include "expr/like.h"
#include "expr/reference.h"

static frz_status yield(const frz_expr *expr, const frz_expr **out, frz_error **err)
{
    if (!expr)
        return frz_fail_memory(err);
    *out = expr;
    return FRZ_OK;
}

/* Every value but null. */
static frz_status any_value(const frz_reference *reference, frz_arena *arena, const frz_expr **out,
                            frz_error **err)
{
    if (reference->required)
        return yield(&frz_expr_true, out, err);
    return yield(frz_expr_leaf(FRZ_EXPR_NOT_NULL, reference, NULL, 0, arena), out, err);
}

static frz_status leaf(frz_expr_op op, const frz_reference *reference, const frz_value *value,
                       frz_arena *arena, const frz_expr **out, frz_error **err)
{
    frz_value *copy = frz_arena_alloc(arena, sizeof *copy);
    if (!copy || !frz_value_copy(value, arena, copy))
        return frz_fail_memory(err);
    return yield(frz_expr_leaf(op, reference, copy, 1, arena), out, err);
}

/* A literal between two values compares as the value beside it does. */
static frz_expr_op beside(frz_expr_op op, frz_literal_side side)
{
    if (side == FRZ_SIDE_ABOVE)
        return op == FRZ_EXPR_LT ? FRZ_EXPR_LE : op == FRZ_EXPR_GE ? FRZ_EXPR_GT : op;
    if (side == FRZ_SIDE_BELOW)
        return op == FRZ_EXPR_LE ? FRZ_EXPR_LT : op == FRZ_EXPR_GT ? FRZ_EXPR_GE : op;
    return op;
}

static frz_status bind_comparison(frz_expr_op op, const frz_reference *reference,
                                  const frz_literal *literal, frz_arena *arena,
                                  const frz_expr **out, frz_error **err)
{
    frz_value value = {0};
    frz_literal_side side = FRZ_SIDE_EQUAL;
    FRZ_TRY(frz_literal_convert(literal, reference->type, arena, &value, &side, err));
    const bool less = op == FRZ_EXPR_LT || op == FRZ_EXPR_LE;
    const bool greater = op == FRZ_EXPR_GT || op == FRZ_EXPR_GE;
    if (side != FRZ_SIDE_EQUAL && op == FRZ_EXPR_EQ)
        return yield(&frz_expr_false, out, err);
    if (side != FRZ_SIDE_EQUAL && op == FRZ_EXPR_NE)
        return any_value(reference, arena, out, err);
    if (side == FRZ_SIDE_ABOVE_ALL)
        return less ? any_value(reference, arena, out, err) : yield(&frz_expr_false, out, err);
    if (side == FRZ_SIDE_BELOW_ALL)
        return greater ? any_value(reference, arena, out, err) : yield(&frz_expr_false, out, err);
    return leaf(beside(op, side), reference, &value, arena, out, err);
}

static int compare_values(const void *a, const void *b)
{
    return frz_value_compare(a, b);
}

static size_t sort_distinct(frz_value *values, size_t count)
{
    size_t kept = 0;
    if (count)
        qsort(values, count, sizeof *values, compare_values);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || frz_value_compare(&values[kept - 1], &values[i]) != 0)
            values[kept++] = values[i];
    }
    return kept;
}

static frz_status bind_set(const frz_column_test *test, frz_arena *arena, const frz_expr **out,
                           frz_error **err)
{
    frz_value *values = frz_arena_array(arena, test->literal_count, sizeof *values);
    if (!values)
        return frz_fail_memory(err);
    bool has_null = false;
    size_t count = 0;
    for (size_t i = 0; i < test->literal_count; i++) {
        frz_literal_side side = FRZ_SIDE_EQUAL;
        if (test->literals[i].kind == FRZ_LITERAL_NULL) {
            has_null = true;
            continue;
        }
        FRZ_TRY(frz_literal_convert(&test->literals[i], test->reference->type, arena,
                                    &values[count], &side, err));
        if (side != FRZ_SIDE_EQUAL)
            continue; /* equals no value of the type */
        if (!frz_value_copy(&values[count], arena, &values[count]))
            return frz_fail_memory(err);
        count++;
    }
    const bool in = test->op == FRZ_EXPR_IN;
    frz_expr_op op = test->op;
    count = sort_distinct(values, count);
    if (!in && has_null)
        return yield(&frz_expr_false, out, err);
    if (count == 0)
        return in ? yield(&frz_expr_false, out, err) : any_value(test->reference, arena, out, err);
    if (count == 1)
        op = in ? FRZ_EXPR_EQ : FRZ_EXPR_NE;
    return yield(frz_expr_leaf(op, test->reference, values, count, arena), out, err);
}

static frz_status require_text(const frz_reference *reference, const frz_literal *literal,
                               frz_error **err)
{
    if (reference->type->kind != FRZ_TYPE_STRING)
        return frz_fail(err, FRZ_INVALID, literal->offset,
                        "LIKE and STARTS WITH need a string column; %s is none", reference->path);
    if (literal->kind != FRZ_LITERAL_TEXT)
        return frz_fail(err, FRZ_INVALID, literal->offset, "expected text in single quotes");
    return FRZ_OK;
}

static frz_status bind_prefix(bool negated, const frz_reference *reference, frz_slice prefix,
                              frz_arena *arena, const frz_expr **out, frz_error **err)
{
    const frz_value value = {.form = FRZ_VALUE_BYTES, .bytes = prefix};
    if (prefix.size == 0)
        return negated ? yield(&frz_expr_false, out, err) : any_value(reference, arena, out, err);
    return leaf(negated ? FRZ_EXPR_NOT_STARTS_WITH : FRZ_EXPR_STARTS_WITH, reference, &value, arena,
                out, err);
}

static frz_status bind_like(bool negated, const frz_reference *reference,
                            const frz_literal *literal, frz_arena *arena, const frz_expr **out,
                            frz_error **err)
{
    frz_like_shape shape = FRZ_LIKE_GENERAL;
    frz_value value = {.form = FRZ_VALUE_BYTES};
    FRZ_TRY(frz_like_parse(literal->bytes, literal->offset, arena, &shape, &value.bytes, err));
    switch (shape) {
    case FRZ_LIKE_EXACT:
        return leaf(negated ? FRZ_EXPR_NE : FRZ_EXPR_EQ, reference, &value, arena, out, err);
    case FRZ_LIKE_PREFIX:
        return bind_prefix(negated, reference, value.bytes, arena, out, err);
    case FRZ_LIKE_GENERAL:
        return leaf(negated ? FRZ_EXPR_NOT_LIKE : FRZ_EXPR_LIKE, reference, &value, arena, out,
                    err);
    }
    return FRZ_OK;
}

static frz_status bind_text(frz_expr_op op, const frz_reference *reference,
                            const frz_literal *literal, frz_arena *arena, const frz_expr **out,
                            frz_error **err)
{
    if (literal->kind == FRZ_LITERAL_NULL)
        return yield(&frz_expr_false, out, err);
    FRZ_TRY(require_text(reference, literal, err));
    if (op == FRZ_EXPR_STARTS_WITH || op == FRZ_EXPR_NOT_STARTS_WITH)
        return bind_prefix(op == FRZ_EXPR_NOT_STARTS_WITH, reference, literal->bytes, arena, out,
                           err);
    return bind_like(op == FRZ_EXPR_NOT_LIKE, reference, literal, arena, out, err);
}

/* IS [NOT] NULL, IS [NOT] NAN. */
static frz_status bind_state(frz_expr_op op, const frz_reference *reference, frz_arena *arena,
                             const frz_expr **out, frz_error **err)
{
    const frz_type_kind kind = reference->type->kind;
    const bool nan = op == FRZ_EXPR_IS_NAN || op == FRZ_EXPR_NOT_NAN;
    if (nan && kind != FRZ_TYPE_FLOAT && kind != FRZ_TYPE_DOUBLE)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "NAN needs a float or double column; %s is none", reference->path);
    if (reference->required && op == FRZ_EXPR_IS_NULL)
        return yield(&frz_expr_false, out, err);
    if (reference->required && op == FRZ_EXPR_NOT_NULL)
        return yield(&frz_expr_true, out, err);
    return yield(frz_expr_leaf(op, reference, NULL, 0, arena), out, err);
}

frz_status frz_expr_bind(const frz_column_test *test, frz_arena *arena, const frz_expr **out,
                         frz_error **err)
{
    const frz_expr_op op = test->op;
    const frz_reference *reference = test->reference;
    const frz_literal *literals = test->literals;
    switch (op) {
    case FRZ_EXPR_IS_NULL:
    case FRZ_EXPR_NOT_NULL:
    case FRZ_EXPR_IS_NAN:
    case FRZ_EXPR_NOT_NAN:
        return bind_state(op, reference, arena, out, err);
    case FRZ_EXPR_LT:
    case FRZ_EXPR_LE:
    case FRZ_EXPR_GT:
    case FRZ_EXPR_GE:
    case FRZ_EXPR_EQ:
    case FRZ_EXPR_NE:
        /* A column of type unknown is null in every row. */
        if (literals[0].kind == FRZ_LITERAL_NULL || reference->type->kind == FRZ_TYPE_UNKNOWN)
            return yield(&frz_expr_false, out, err);
        return bind_comparison(op, reference, &literals[0], arena, out, err);
    case FRZ_EXPR_IN:
    case FRZ_EXPR_NOT_IN:
        if (reference->type->kind == FRZ_TYPE_UNKNOWN)
            return yield(&frz_expr_false, out, err);
        return bind_set(test, arena, out, err);
    case FRZ_EXPR_STARTS_WITH:
    case FRZ_EXPR_NOT_STARTS_WITH:
    case FRZ_EXPR_LIKE:
    case FRZ_EXPR_NOT_LIKE:
        return bind_text(op, reference, &literals[0], arena, out, err);
    case FRZ_EXPR_TRUE:
    case FRZ_EXPR_FALSE:
    case FRZ_EXPR_AND:
    case FRZ_EXPR_OR:
    case FRZ_EXPR_NOT:
        break;
    }
    return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "the operation is no test of a column");
}

/* Kinds whose values compare are told by one of them; -1: none that is compared. */
static int comparison_kind(const frz_type *type)
{
    if (!frz_type_is_primitive(type) || type->kind == FRZ_TYPE_VARIANT ||
        type->kind == FRZ_TYPE_GEOMETRY || type->kind == FRZ_TYPE_GEOGRAPHY)
        return -1;
    if (type->kind == FRZ_TYPE_INT)
        return FRZ_TYPE_LONG;
    return type->kind == FRZ_TYPE_FLOAT ? FRZ_TYPE_DOUBLE : (int)type->kind;
}

static bool compare_with_each_other(const frz_type *left, const frz_type *right)
{
    const int kind = comparison_kind(left);
    return kind >= 0 && kind == comparison_kind(right) &&
           (kind != FRZ_TYPE_DECIMAL || left->scale == right->scale);
}

frz_status frz_expr_bind_pair(frz_expr_op op, const frz_reference *left, const frz_reference *right,
                              frz_arena *arena, const frz_expr **out, frz_error **err)
{
    if (left->type->kind == FRZ_TYPE_UNKNOWN || right->type->kind == FRZ_TYPE_UNKNOWN)
        return yield(&frz_expr_false, out, err); /* null in every row */
    if (!compare_with_each_other(left->type, right->type))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "columns %s and %s do not compare: they must be of one type (or int and "
                        "long, float and double, decimals of one scale)",
                        left->path, right->path);
    return yield(frz_expr_pair(op, left, right, arena), out, err);
}

static frz_status rebind_leaf(const frz_expr *expr, const frz_expr_scope *scope, frz_arena *arena,
                              const frz_expr **out, frz_error **err)
{
    const frz_reference *reference = NULL;
    FRZ_TRY(frz_reference_rebind(expr->reference, scope, arena, &reference, err));
    if (expr->other) {
        const frz_reference *other = NULL;
        FRZ_TRY(frz_reference_rebind(expr->other, scope, arena, &other, err));
        return frz_expr_bind_pair(expr->op, reference, other, arena, out, err);
    }
    frz_literal *literals = frz_arena_array(arena, expr->value_count, sizeof *literals);
    if (!literals)
        return frz_fail_memory(err);
    for (size_t i = 0; i < expr->value_count; i++)
        FRZ_TRY(
            frz_literal_from(expr->reference->type, &expr->values[i], arena, &literals[i], err));
    const frz_column_test test = {.op = expr->op,
                                  .reference = reference,
                                  .literals = literals,
                                  .literal_count = expr->value_count};
    return frz_expr_bind(&test, arena, out, err);
}

static frz_status rebind(const frz_expr *expr, const frz_expr_scope *scope, frz_arena *arena,
                         const frz_expr **out, frz_error **err)
{
    const frz_expr *left = NULL;
    const frz_expr *right = NULL;
    if (expr->reference)
        return rebind_leaf(expr, scope, arena, out, err);
    if (expr->left)
        FRZ_TRY(rebind(expr->left, scope, arena, &left, err));
    if (expr->right)
        FRZ_TRY(rebind(expr->right, scope, arena, &right, err));
    if (expr->op == FRZ_EXPR_NOT)
        return yield(frz_expr_not(left, arena), out, err);
    if (expr->op == FRZ_EXPR_AND)
        return yield(frz_expr_and(left, right, arena), out, err);
    if (expr->op == FRZ_EXPR_OR)
        return yield(frz_expr_or(left, right, arena), out, err);
    return yield(expr->op == FRZ_EXPR_TRUE ? &frz_expr_true : &frz_expr_false, out, err);
}

frz_status frz_expr_rebind(const frz_expr *expr, const frz_schema *schema, frz_arena *arena,
                           const frz_expr **out, frz_error **err)
{
    const frz_expr_scope scope = {
        .schema = schema, .case_sensitive = true, .metadata_columns = true};
    return rebind(expr, &scope, arena, out, err);
}
