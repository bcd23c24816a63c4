#include "expr/project_transform.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/utf8.h"
#include "expr/like.h"

static frz_status emit_values(const frz_projection *p, frz_expr_op op, const frz_value *values,
                              size_t count, const frz_expr **out, frz_error **err)
{
    frz_value *copies = frz_arena_array(p->arena, count, sizeof *copies);
    if (!copies)
        return frz_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        if (!frz_value_copy(&values[i], p->arena, &copies[i]))
            return frz_fail_memory(err);
    }
    *out = frz_expr_leaf(op, p->reference, copies, count, p->arena);
    return *out ? FRZ_OK : frz_fail_memory(err);
}

static frz_status emit(const frz_projection *p, frz_expr_op op, const frz_value *value,
                       const frz_expr **out, frz_error **err)
{
    return emit_values(p, op, value, value ? 1 : 0, out, err);
}

/*
 * A value of type `from` in the tuple's type. The tuple has the source's newest type, the
 * expression that of the schema which is read; days are ints or dates.
 */
static bool fit_value(const frz_projection *p, const frz_type *from, frz_value *value)
{
    const frz_type *to = p->reference->type;
    const bool ints = (from->kind == FRZ_TYPE_INT || from->kind == FRZ_TYPE_DATE) &&
                      (to->kind == FRZ_TYPE_INT || to->kind == FRZ_TYPE_DATE);
    const bool same =
        from->kind == to->kind && from->scale == to->scale && from->length == to->length;
    frz_value promoted;
    if (ints || same)
        return true;
    if (!frz_value_promote(from, to, value, &promoted))
        return false;
    *value = promoted;
    return true;
}

/* Transforms a literal; *fits is false when it has no result or none in the tuple's type. */
static frz_status transform_value(const frz_projection *p, const frz_value *value, frz_value *out,
                                  bool *fits, frz_error **err)
{
    const frz_type *source = p->leaf->reference->type;
    frz_error *ignored = NULL;
    const frz_status status =
        frz_transform_apply(p->transform, source, value, p->arena, out, &ignored);
    frz_error_free(ignored);
    if (status == FRZ_NO_MEMORY)
        return frz_fail_memory(err);
    *fits = status == FRZ_OK && out->form != FRZ_VALUE_NULL &&
            fit_value(p, frz_transform_result_type(p->transform, source), out);
    return FRZ_OK;
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

/*
 * The partition values of the leaf's literals. `tolerant` adds to each negative one the next:
 * writers of before Iceberg 0.11 rounded times before 1970 towards zero, one too high where it was
 * not whole; the Java reader widens likewise.
 */
static frz_status emit_set(const frz_projection *p, bool tolerant, const frz_expr **out,
                           frz_error **err)
{
    const frz_expr *leaf = p->leaf;
    const bool equal = leaf->op == FRZ_EXPR_EQ || leaf->op == FRZ_EXPR_IN;
    frz_value *values = frz_arena_array(p->arena, leaf->value_count, 2 * sizeof *values);
    if (!values)
        return frz_fail_memory(err);
    size_t count = 0;
    for (size_t i = 0; i < leaf->value_count; i++) {
        bool fits = false;
        FRZ_TRY(transform_value(p, &leaf->values[i], &values[count], &fits, err));
        if (!fits)
            return FRZ_OK;
        count++;
        if (tolerant && values[count - 1].integer < 0) {
            values[count] = values[count - 1];
            values[count++].integer++;
        }
    }
    count = sort_distinct(values, count);
    if (count == 1)
        return emit(p, equal ? FRZ_EXPR_EQ : FRZ_EXPR_NE, values, out, err);
    return emit_values(p, equal ? FRZ_EXPR_IN : FRZ_EXPR_NOT_IN, values, count, out, err);
}

/* Equality projects onto every transform: inclusive as it is, strict where it is negated. */
static bool projects_as_set(const frz_projection *p)
{
    const frz_expr_op op = p->leaf->op;
    if (p->strict)
        return op == FRZ_EXPR_NE || op == FRZ_EXPR_NOT_IN;
    return op == FRZ_EXPR_EQ || op == FRZ_EXPR_IN;
}

static frz_status project_identity(const frz_projection *p, const frz_expr **out, frz_error **err)
{
    const frz_expr *leaf = p->leaf;
    frz_value *values = frz_arena_array(p->arena, leaf->value_count, sizeof *values);
    if (!values)
        return frz_fail_memory(err);
    for (size_t i = 0; i < leaf->value_count; i++) {
        values[i] = leaf->values[i];
        if (!fit_value(p, leaf->reference->type, &values[i]))
            return FRZ_OK;
    }
    return emit_values(p, leaf->op, values, leaf->value_count, out, err);
}

/* The neighbour of a value; false beyond the type's range. */
static bool neighbour(const frz_type *type, const frz_value *value, int step, frz_value *out)
{
    *out = *value;
    if (value->form == FRZ_VALUE_DECIMAL) {
        out->decimal += step;
        return frz_decimal_fits(out->decimal, type->precision);
    }
    const bool narrow = type->kind == FRZ_TYPE_INT || type->kind == FRZ_TYPE_DATE;
    if (value->integer ==
        (step > 0 ? (narrow ? INT32_MAX : INT64_MAX) : (narrow ? INT32_MIN : INT64_MIN)))
        return false;
    out->integer += step;
    return true;
}

/*
 * Java lets results wrap around: truncation at the least integers, hours of micros far in the
 * future and the past. The rows there have partition values out of order, in the range that `out`
 * tests for.
 */
static bool find_wrapped(const frz_projection *p, bool upper, frz_expr_op *op, int64_t *out)
{
    const frz_type_kind kind = p->leaf->reference->type->kind;
    const int64_t most_hours = INT64_MAX / INT64_C(3600000000);
    if (p->transform->kind == FRZ_TRANSFORM_HOUR &&
        (kind == FRZ_TYPE_TIMESTAMP || kind == FRZ_TYPE_TIMESTAMPTZ)) {
        /* Hours above the range of 32 bits are found as very low ones, and the other way round. */
        *op = upper ? FRZ_EXPR_LE : FRZ_EXPR_GE;
        *out = upper ? most_hours - (INT64_C(1) << 32) : (INT64_C(1) << 32) - most_hours - 1;
        return true;
    }
    if (p->transform->kind != FRZ_TRANSFORM_TRUNCATE || upper || kind == FRZ_TYPE_DECIMAL)
        return false;
    const frz_int128 least = kind == FRZ_TYPE_INT ? INT32_MIN : INT64_MIN;
    const frz_int128 width = p->transform->parameter;
    const frz_int128 rest = (least % width + width) % width;
    *op = FRZ_EXPR_EQ;
    *out = (int64_t)(-least - rest);
    return rest != 0;
}

/* Inclusive: or such a value, whose rows may pass. Strict: and no such value, as its rows may not.
 */
static frz_status with_wrapped(const frz_projection *p, bool greater, const frz_expr **out,
                               frz_error **err)
{
    frz_expr_op op = FRZ_EXPR_EQ;
    frz_value wrapped = {.form = FRZ_VALUE_INTEGER};
    const frz_expr *test = NULL;
    /* Rows too low in truth look high: `>` must not prove them, `<` must not lose them. */
    if (!find_wrapped(p, greater != p->strict, &op, &wrapped.integer))
        return FRZ_OK;
    FRZ_TRY(emit(p, p->strict ? frz_expr_op_negate(op) : op, &wrapped, &test, err));
    *out = p->strict ? frz_expr_and(*out, test, p->arena) : frz_expr_or(*out, test, p->arena);
    return *out ? FRZ_OK : frz_fail_memory(err);
}

/* What a comparison becomes under a transform that keeps order and maps neighbours to one value. */
typedef struct ordered_rule {
    int step; /* the literal's neighbour is transformed */
    frz_expr_op op;
} ordered_rule;

static bool find_rule(const frz_projection *p, ordered_rule *out)
{
    switch (p->leaf->op) {
    case FRZ_EXPR_LT:
        *out = p->strict ? (ordered_rule){0, FRZ_EXPR_LT} : (ordered_rule){-1, FRZ_EXPR_LE};
        return true;
    case FRZ_EXPR_LE:
        *out = p->strict ? (ordered_rule){1, FRZ_EXPR_LT} : (ordered_rule){0, FRZ_EXPR_LE};
        return true;
    case FRZ_EXPR_GT:
        *out = p->strict ? (ordered_rule){0, FRZ_EXPR_GT} : (ordered_rule){1, FRZ_EXPR_GE};
        return true;
    case FRZ_EXPR_GE:
        *out = p->strict ? (ordered_rule){-1, FRZ_EXPR_GT} : (ordered_rule){0, FRZ_EXPR_GE};
        return true;
    case FRZ_EXPR_TRUE:
    case FRZ_EXPR_FALSE:
    case FRZ_EXPR_AND:
    case FRZ_EXPR_OR:
    case FRZ_EXPR_NOT:
    case FRZ_EXPR_IS_NULL:
    case FRZ_EXPR_NOT_NULL:
    case FRZ_EXPR_IS_NAN:
    case FRZ_EXPR_NOT_NAN:
    case FRZ_EXPR_EQ:
    case FRZ_EXPR_NE:
    case FRZ_EXPR_IN:
    case FRZ_EXPR_NOT_IN:
    case FRZ_EXPR_STARTS_WITH:
    case FRZ_EXPR_NOT_STARTS_WITH:
    case FRZ_EXPR_LIKE:
    case FRZ_EXPR_NOT_LIKE:
        break;
    }
    return false;
}

/* Truncated numbers, and the parts of dates and timestamps. */
static frz_status project_ordered(const frz_projection *p, bool temporal, const frz_expr **out,
                                  frz_error **err)
{
    ordered_rule rule;
    frz_value literal;
    frz_value boundary;
    bool fits = false;
    if (projects_as_set(p))
        return emit_set(p, temporal, out, err);
    if (!find_rule(p, &rule))
        return FRZ_OK;
    literal = *p->leaf->values;
    if (rule.step && !neighbour(p->leaf->reference->type, p->leaf->values, rule.step, &literal))
        return FRZ_OK;
    FRZ_TRY(transform_value(p, &literal, &boundary, &fits, err));
    if (!fits)
        return FRZ_OK;
    /* Tolerant of values one too high, as emit_set says. */
    const bool raise = (rule.op == FRZ_EXPR_LE && boundary.integer < 0) ||
                       (rule.op == FRZ_EXPR_GT && boundary.integer <= 0);
    if (temporal && raise)
        boundary.integer++;
    FRZ_TRY(emit(p, rule.op, &boundary, out, err));
    return with_wrapped(p, rule.op == FRZ_EXPR_GT || rule.op == FRZ_EXPR_GE, out, err);
}

/*
 * Prefix tests through truncate[W]: shorter than W the partition value has the prefix, of W it is
 * the prefix, and longer ones say only that it begins alike, which proves nothing for a negated
 * test.
 */
static frz_status project_prefix(const frz_projection *p, bool negated, frz_slice prefix,
                                 const frz_expr **out, frz_error **err)
{
    const size_t width = (size_t)p->transform->parameter;
    const size_t size = frz_utf8_count(prefix.data, prefix.size);
    const frz_value whole = {.form = FRZ_VALUE_BYTES, .bytes = prefix};
    frz_value value;
    bool fits = false;
    if (prefix.size == 0)
        return FRZ_OK;
    FRZ_TRY(transform_value(p, &whole, &value, &fits, err));
    if (!fits || (size > width && p->strict != negated))
        return FRZ_OK;
    if (size >= width)
        return emit(p, negated ? FRZ_EXPR_NE : FRZ_EXPR_EQ, &value, out, err);
    return emit(p, negated ? FRZ_EXPR_NOT_STARTS_WITH : FRZ_EXPR_STARTS_WITH, &value, out, err);
}

static frz_status project_text(const frz_projection *p, const frz_expr **out, frz_error **err)
{
    const frz_expr *leaf = p->leaf;
    frz_value value;
    bool fits = false;
    if (projects_as_set(p))
        return emit_set(p, false, out, err);
    switch (leaf->op) {
    case FRZ_EXPR_LT:
    case FRZ_EXPR_LE:
    case FRZ_EXPR_GT:
    case FRZ_EXPR_GE:
        break;
    case FRZ_EXPR_STARTS_WITH:
        return project_prefix(p, false, leaf->values->bytes, out, err);
    case FRZ_EXPR_NOT_STARTS_WITH:
        return project_prefix(p, true, leaf->values->bytes, out, err);
    case FRZ_EXPR_LIKE: /* has the prefix, and more is asked: only inclusive */
        if (p->strict)
            return FRZ_OK;
        return project_prefix(p, false, frz_like_prefix(leaf->values->bytes), out, err);
    case FRZ_EXPR_NOT_LIKE: /* holds where the prefix is missing */
        if (!p->strict)
            return FRZ_OK;
        return project_prefix(p, true, frz_like_prefix(leaf->values->bytes), out, err);
    case FRZ_EXPR_TRUE:
    case FRZ_EXPR_FALSE:
    case FRZ_EXPR_AND:
    case FRZ_EXPR_OR:
    case FRZ_EXPR_NOT:
    case FRZ_EXPR_IS_NULL:
    case FRZ_EXPR_NOT_NULL:
    case FRZ_EXPR_IS_NAN:
    case FRZ_EXPR_NOT_NAN:
    case FRZ_EXPR_EQ:
    case FRZ_EXPR_NE:
    case FRZ_EXPR_IN:
    case FRZ_EXPR_NOT_IN:
        return FRZ_OK;
    }
    FRZ_TRY(transform_value(p, leaf->values, &value, &fits, err));
    if (!fits)
        return FRZ_OK;
    const bool less = leaf->op == FRZ_EXPR_LT || leaf->op == FRZ_EXPR_LE;
    if (p->strict)
        return emit(p, less ? FRZ_EXPR_LT : FRZ_EXPR_GT, &value, out, err);
    return emit(p, less ? FRZ_EXPR_LE : FRZ_EXPR_GE, &value, out, err);
}

frz_status frz_project_transform(const frz_projection *projection, const frz_expr **out,
                                 frz_error **err)
{
    const frz_projection *p = projection;
    const frz_transform_kind kind = p->transform->kind;
    const frz_type *source = p->leaf->reference->type;
    *out = NULL;
    if (kind == FRZ_TRANSFORM_VOID || kind == FRZ_TRANSFORM_UNKNOWN ||
        p->reference->type->kind == FRZ_TYPE_UNKNOWN ||
        !frz_transform_accepts(p->transform, source))
        return FRZ_OK;
    /* Every transform gives null for null and only for it. */
    if (p->leaf->op == FRZ_EXPR_IS_NULL || p->leaf->op == FRZ_EXPR_NOT_NULL)
        return emit(p, p->leaf->op, NULL, out, err);
    switch (kind) {
    case FRZ_TRANSFORM_IDENTITY:
        return project_identity(p, out, err);
    case FRZ_TRANSFORM_BUCKET:
        return projects_as_set(p) ? emit_set(p, false, out, err) : FRZ_OK;
    case FRZ_TRANSFORM_TRUNCATE:
        if (source->kind == FRZ_TYPE_STRING || source->kind == FRZ_TYPE_BINARY)
            return project_text(p, out, err);
        return project_ordered(p, false, out, err);
    case FRZ_TRANSFORM_YEAR:
    case FRZ_TRANSFORM_MONTH:
    case FRZ_TRANSFORM_DAY:
    case FRZ_TRANSFORM_HOUR:
        return project_ordered(p, true, out, err);
    case FRZ_TRANSFORM_VOID:
    case FRZ_TRANSFORM_UNKNOWN:
        break;
    }
    return FRZ_OK;
}
