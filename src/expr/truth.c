#include "expr/truth.h"

#include "expr/like.h"

static frz_truth truth_of(bool value)
{
    return value ? FRZ_TRUTH_TRUE : FRZ_TRUTH_FALSE;
}

static frz_truth negate(frz_truth truth)
{
    return (frz_truth)(FRZ_TRUTH_TRUE - truth);
}

static bool in_set(const frz_expr *leaf, const frz_value *value)
{
    size_t low = 0;
    size_t high = leaf->value_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = frz_value_compare(&leaf->values[middle], value);
        if (order == 0)
            return true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

static bool starts_with(frz_slice text, frz_slice prefix)
{
    return text.size >= prefix.size &&
           (prefix.size == 0 || memcmp(text.data, prefix.data, prefix.size) == 0);
}

static frz_truth test_null(frz_expr_op op)
{
    if (op == FRZ_EXPR_IS_NULL || op == FRZ_EXPR_NOT_NAN)
        return FRZ_TRUTH_TRUE;
    return op == FRZ_EXPR_NOT_NULL || op == FRZ_EXPR_IS_NAN ? FRZ_TRUTH_FALSE : FRZ_TRUTH_UNKNOWN;
}

frz_truth frz_expr_test_value(const frz_expr *leaf, const frz_value *value)
{
    if (value->form == FRZ_VALUE_NULL)
        return test_null(leaf->op);
    switch (leaf->op) {
    case FRZ_EXPR_IS_NULL:
        return FRZ_TRUTH_FALSE;
    case FRZ_EXPR_NOT_NULL:
        return FRZ_TRUTH_TRUE;
    case FRZ_EXPR_IS_NAN:
        return truth_of(frz_value_is_nan(value));
    case FRZ_EXPR_NOT_NAN:
        return truth_of(!frz_value_is_nan(value));
    case FRZ_EXPR_LT:
        return truth_of(frz_value_compare(value, leaf->values) < 0);
    case FRZ_EXPR_LE:
        return truth_of(frz_value_compare(value, leaf->values) <= 0);
    case FRZ_EXPR_GT:
        return truth_of(frz_value_compare(value, leaf->values) > 0);
    case FRZ_EXPR_GE:
        return truth_of(frz_value_compare(value, leaf->values) >= 0);
    case FRZ_EXPR_EQ:
        return truth_of(frz_value_compare(value, leaf->values) == 0);
    case FRZ_EXPR_NE:
        return truth_of(frz_value_compare(value, leaf->values) != 0);
    case FRZ_EXPR_IN:
        return truth_of(in_set(leaf, value));
    case FRZ_EXPR_NOT_IN:
        return truth_of(!in_set(leaf, value));
    case FRZ_EXPR_STARTS_WITH:
        return truth_of(starts_with(value->bytes, leaf->values->bytes));
    case FRZ_EXPR_NOT_STARTS_WITH:
        return truth_of(!starts_with(value->bytes, leaf->values->bytes));
    case FRZ_EXPR_LIKE:
        return truth_of(frz_like_match(leaf->values->bytes, value->bytes));
    case FRZ_EXPR_NOT_LIKE:
        return truth_of(!frz_like_match(leaf->values->bytes, value->bytes));
    case FRZ_EXPR_TRUE:
    case FRZ_EXPR_FALSE:
    case FRZ_EXPR_AND:
    case FRZ_EXPR_OR:
    case FRZ_EXPR_NOT:
        break;
    }
    return FRZ_TRUTH_UNKNOWN;
}

frz_truth frz_expr_test_pair(frz_expr_op op, const frz_value *left, const frz_value *right)
{
    const frz_expr leaf = {.op = op, .values = right, .value_count = 1};
    return right->form == FRZ_VALUE_NULL ? FRZ_TRUTH_UNKNOWN : frz_expr_test_value(&leaf, left);
}

static const frz_value null_value = {.form = FRZ_VALUE_NULL};

/* The item of a struct value for a field id; NULL when the type has no such field. */
static const frz_value *field_value(const frz_type *type, const frz_value *items, int32_t id,
                                    const frz_type **type_out)
{
    for (size_t i = 0; i < type->field_count; i++) {
        if (type->fields[i].id == id) {
            *type_out = type->fields[i].type;
            return items ? &items[i] : &null_value;
        }
    }
    return NULL;
}

/* A list element, or the value behind a map key; null when absent. */
static const frz_value *element_value(const frz_value *value, const frz_step *step)
{
    const size_t count = value->items.count;
    if (step->kind == FRZ_STEP_ELEMENT)
        return (uint64_t)step->index < count ? &value->items.data[step->index] : &null_value;
    for (size_t i = 0; i + 1 < count; i += 2) {
        if (frz_value_compare(&value->items.data[i], &step->key) == 0)
            return &value->items.data[i + 1];
    }
    return &null_value;
}

/* The value of a reference, made in *made where the type has none; NULL when it has no such field.
 */
static const frz_value *find_value(const frz_reference *reference, const frz_type *type,
                                   const frz_value *values, frz_value *made)
{
    const frz_value *value = field_value(type, values, reference->steps[0].field_id, &type);
    for (size_t i = 1; i < reference->step_count && value && value->form != FRZ_VALUE_NULL; i++) {
        const frz_step *step = &reference->steps[i];
        if (step->kind == FRZ_STEP_SIZE) {
            const size_t per_entry = type->kind == FRZ_TYPE_MAP ? 2 : 1;
            *made = (frz_value){.form = FRZ_VALUE_INTEGER,
                                .integer = (int64_t)(value->items.count / per_entry)};
            value = made;
        } else if (step->kind == FRZ_STEP_FIELD) {
            value = field_value(type, value->items.data, step->field_id, &type);
        } else {
            type = type->fields[type->kind == FRZ_TYPE_MAP].type;
            value = element_value(value, step);
        }
    }
    return value;
}

frz_truth frz_expr_test_tuple(const frz_expr *expr, const frz_type *columns,
                              const frz_value *values)
{
    if (expr->op == FRZ_EXPR_TRUE || expr->op == FRZ_EXPR_FALSE)
        return truth_of(expr->op == FRZ_EXPR_TRUE);
    if (expr->op == FRZ_EXPR_NOT)
        return negate(frz_expr_test_tuple(expr->left, columns, values));
    if (expr->op == FRZ_EXPR_AND || expr->op == FRZ_EXPR_OR) {
        const frz_truth left = frz_expr_test_tuple(expr->left, columns, values);
        if (left == (expr->op == FRZ_EXPR_AND ? FRZ_TRUTH_FALSE : FRZ_TRUTH_TRUE))
            return left;
        const frz_truth right = frz_expr_test_tuple(expr->right, columns, values);
        const bool take_left = expr->op == FRZ_EXPR_AND ? left < right : left > right;
        return take_left ? left : right;
    }
    frz_value made;
    frz_value other_made;
    const frz_value *value = find_value(expr->reference, columns, values, &made);
    if (!value || !expr->other)
        return value ? frz_expr_test_value(expr, value) : FRZ_TRUTH_UNKNOWN;
    const frz_value *other = find_value(expr->other, columns, values, &other_made);
    return other ? frz_expr_test_pair(expr->op, value, other) : FRZ_TRUTH_UNKNOWN;
}
