#include "expr/prune.h"

#include "expr/like.h"
#include "expr/truth.h"

typedef struct pruner {
    frz_stats_source source;
    void *context;
} pruner;

/* The statistics of one leaf's column, as far as they are known and believed. */
typedef struct evidence {
    frz_column_stats stats;
    bool floating;
    bool all_null;
    bool no_null;
    bool no_nan;   /* no value is NaN; always for other types than float and double */
    bool all_nan;  /* every value that is not null is NaN */
    bool all_same; /* every value that is not null equals stats.lower */
} evidence;

static bool is_floating(const frz_type *type)
{
    return type->kind == FRZ_TYPE_FLOAT || type->kind == FRZ_TYPE_DOUBLE;
}

/* Bounds never are NaN or inverted ("Data File Fields", notes on bounds), but writers have made
 * both. */
static void drop_false_bounds(frz_column_stats *stats)
{
    stats->has_lower = stats->has_lower && !frz_value_is_nan(&stats->lower);
    stats->has_upper = stats->has_upper && !frz_value_is_nan(&stats->upper);
    if (stats->has_lower && stats->has_upper &&
        frz_value_compare(&stats->lower, &stats->upper) > 0) {
        stats->has_lower = false;
        stats->has_upper = false;
    }
}

static bool gather(const pruner *p, const frz_expr *leaf, evidence *out)
{
    evidence e = {.stats = {.value_count = -1, .null_count = -1, .nan_count = -1}};
    if (leaf->other) /* rows are looked at */
        return false;
    if (!leaf->reference->direct || !p->source(p->context, leaf->reference, &e.stats))
        return false;
    frz_column_stats *stats = &e.stats;
    if (!stats->absent_constant)
        drop_false_bounds(stats);
    e.floating = is_floating(leaf->reference->type);
    const bool counted = stats->value_count >= 0 && stats->null_count >= 0;
    e.all_null = counted && stats->null_count == stats->value_count;
    e.no_null = stats->null_count == 0;
    e.no_nan = !e.floating || stats->nan_count == 0;
    e.all_nan = e.floating && counted && stats->nan_count >= 0 && !e.all_null &&
                stats->nan_count == stats->value_count - stats->null_count;
    e.all_same = stats->has_lower && stats->has_upper && e.no_nan &&
                 frz_value_compare(&stats->lower, &stats->upper) == 0;
    *out = e;
    return true;
}

static bool starts_with(frz_slice text, frz_slice prefix)
{
    return text.size >= prefix.size && memcmp(text.data, prefix.data, prefix.size) == 0;
}

/* Whether values with the prefix can lie within the bounds. */
static bool prefix_may(const frz_column_stats *stats, frz_slice prefix)
{
    if (prefix.size == 0)
        return true;
    if (stats->has_upper && frz_slice_compare(stats->upper.bytes, prefix) < 0)
        return false;
    return !stats->has_lower || frz_slice_compare(stats->lower.bytes, prefix) <= 0 ||
           starts_with(stats->lower.bytes, prefix);
}

/* Whether every value within the bounds has the prefix. */
static bool prefix_must(const frz_column_stats *stats, frz_slice prefix)
{
    return stats->has_lower && stats->has_upper && starts_with(stats->lower.bytes, prefix) &&
           starts_with(stats->upper.bytes, prefix);
}

/* Whether a value that equals `value` can be among them. */
static bool value_may(const evidence *e, const frz_value *value)
{
    const frz_column_stats *stats = &e->stats;
    if (frz_value_is_nan(value))
        return !e->no_nan;
    if (stats->has_lower && frz_value_compare(value, &stats->lower) < 0)
        return false;
    return !stats->has_upper || frz_value_compare(value, &stats->upper) <= 0;
}

static bool any_value_may(const evidence *e, const frz_expr *leaf)
{
    for (size_t i = 0; i < leaf->value_count; i++) {
        if (value_may(e, &leaf->values[i]))
            return true;
    }
    return false;
}

/* The orders of `value` with the bounds; 1 and -1 hold only where the bound is there. */
static int lower_order(const evidence *e, const frz_value *value)
{
    return frz_value_compare(&e->stats.lower, value);
}

static int upper_order(const evidence *e, const frz_value *value)
{
    return frz_value_compare(&e->stats.upper, value);
}

/* One value stands for all. */
static bool test_is(const frz_expr *leaf, const frz_value *value)
{
    return frz_expr_test_value(leaf, value) == FRZ_TRUTH_TRUE;
}

static const frz_value nan_value = {.form = FRZ_VALUE_NUMBER, .number = (double)__builtin_nanf("")};
static const frz_value null_value = {.form = FRZ_VALUE_NULL};

/* Whether some value that is not null may pass. */
static bool values_may(const evidence *e, const frz_expr *leaf)
{
    const frz_column_stats *stats = &e->stats;
    const frz_value *value = leaf->values;
    switch (leaf->op) {
    case FRZ_EXPR_IS_NAN:
        return !e->no_nan;
    case FRZ_EXPR_LT:
        return !stats->has_lower || lower_order(e, value) < 0;
    case FRZ_EXPR_LE:
        return !stats->has_lower || lower_order(e, value) <= 0;
    case FRZ_EXPR_GT:
        return !e->no_nan || !stats->has_upper || upper_order(e, value) > 0;
    case FRZ_EXPR_GE:
        return !e->no_nan || !stats->has_upper || upper_order(e, value) >= 0;
    case FRZ_EXPR_EQ:
    case FRZ_EXPR_IN:
        return any_value_may(e, leaf);
    case FRZ_EXPR_STARTS_WITH:
        return prefix_may(stats, value->bytes);
    case FRZ_EXPR_NOT_STARTS_WITH:
        return !prefix_must(stats, value->bytes);
    case FRZ_EXPR_LIKE:
        return prefix_may(stats, frz_like_prefix(value->bytes));
    case FRZ_EXPR_TRUE:
    case FRZ_EXPR_FALSE:
    case FRZ_EXPR_AND:
    case FRZ_EXPR_OR:
    case FRZ_EXPR_NOT:
    case FRZ_EXPR_IS_NULL:
    case FRZ_EXPR_NOT_NULL:
    case FRZ_EXPR_NOT_NAN:
    case FRZ_EXPR_NE:
    case FRZ_EXPR_NOT_IN:
    case FRZ_EXPR_NOT_LIKE:
        break;
    }
    return true;
}

static bool leaf_may(const pruner *p, const frz_expr *leaf)
{
    evidence e;
    if (!gather(p, leaf, &e))
        return true;
    if (e.stats.absent_constant)
        return test_is(leaf, e.stats.has_lower ? &e.stats.lower : &null_value);
    if (leaf->op == FRZ_EXPR_IS_NULL)
        return !e.no_null;
    if (!e.no_null && test_is(leaf, &null_value))
        return true;
    if (e.all_null)
        return false;
    if (e.all_nan)
        return test_is(leaf, &nan_value);
    if (e.all_same)
        return test_is(leaf, &e.stats.lower);
    return values_may(&e, leaf);
}

/* Whether every value of the set is known not to be there. */
static bool values_excluded(const evidence *e, const frz_expr *leaf)
{
    return !any_value_may(e, leaf);
}

/* Whether every value that is not null passes. */
static bool values_must(const evidence *e, const frz_expr *leaf)
{
    const frz_column_stats *stats = &e->stats;
    const frz_value *value = leaf->values;
    switch (leaf->op) {
    case FRZ_EXPR_NOT_NULL:
        return true;
    case FRZ_EXPR_NOT_NAN:
        return e->no_nan;
    case FRZ_EXPR_LT:
        if (frz_value_is_nan(value))
            return e->no_nan;
        return e->no_nan && stats->has_upper && upper_order(e, value) < 0;
    case FRZ_EXPR_LE:
        if (frz_value_is_nan(value))
            return true;
        return e->no_nan && stats->has_upper && upper_order(e, value) <= 0;
    case FRZ_EXPR_GT: /* NaN is greater than every other value */
        return stats->has_lower && lower_order(e, value) > 0;
    case FRZ_EXPR_GE:
        return stats->has_lower && lower_order(e, value) >= 0;
    case FRZ_EXPR_NE:
    case FRZ_EXPR_NOT_IN:
        return values_excluded(e, leaf);
    case FRZ_EXPR_STARTS_WITH:
        return prefix_must(stats, value->bytes);
    case FRZ_EXPR_NOT_STARTS_WITH:
        return !prefix_may(stats, value->bytes);
    case FRZ_EXPR_NOT_LIKE:
        return !prefix_may(stats, frz_like_prefix(value->bytes));
    case FRZ_EXPR_TRUE:
    case FRZ_EXPR_FALSE:
    case FRZ_EXPR_AND:
    case FRZ_EXPR_OR:
    case FRZ_EXPR_NOT:
    case FRZ_EXPR_IS_NULL:
    case FRZ_EXPR_IS_NAN:
    case FRZ_EXPR_EQ: /* decided by all_same */
    case FRZ_EXPR_IN:
    case FRZ_EXPR_LIKE:
        break;
    }
    return false;
}

static bool leaf_must(const pruner *p, const frz_expr *leaf)
{
    evidence e;
    if (!gather(p, leaf, &e))
        return false;
    if (e.stats.absent_constant)
        return test_is(leaf, e.stats.has_lower ? &e.stats.lower : &null_value);
    if (e.all_null)
        return test_is(leaf, &null_value);
    if (!e.no_null && !test_is(leaf, &null_value))
        return false;
    if (leaf->op == FRZ_EXPR_IS_NULL)
        return false;
    if (e.all_nan)
        return test_is(leaf, &nan_value);
    if (e.all_same)
        return test_is(leaf, &e.stats.lower);
    return values_must(&e, leaf);
}

/* Whether `expr` (its negation when `negated`) may hold for a row, or must for all. */
static bool decide(const pruner *p, const frz_expr *expr, bool negated, bool must)
{
    const frz_expr_op op = negated ? frz_expr_op_negate(expr->op) : expr->op;
    if (op == FRZ_EXPR_TRUE || op == FRZ_EXPR_FALSE)
        return op == FRZ_EXPR_TRUE;
    if (op == FRZ_EXPR_NOT)
        return decide(p, expr->left, !negated, must);
    if (op == FRZ_EXPR_AND)
        return decide(p, expr->left, negated, must) && decide(p, expr->right, negated, must);
    if (op == FRZ_EXPR_OR)
        return decide(p, expr->left, negated, must) || decide(p, expr->right, negated, must);
    frz_expr leaf = *expr;
    leaf.op = op;
    return must ? leaf_must(p, &leaf) : leaf_may(p, &leaf);
}

bool frz_prune_may_match(const frz_expr *expr, frz_stats_source source, void *context)
{
    const pruner p = {.source = source, .context = context};
    return decide(&p, expr, false, false);
}

bool frz_prune_must_match(const frz_expr *expr, frz_stats_source source, void *context)
{
    const pruner p = {.source = source, .context = context};
    return decide(&p, expr, false, true);
}
