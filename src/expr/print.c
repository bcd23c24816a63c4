#include "expr/expression.h"
#include "expr/literal.h"

static const char *const op_text[] = {
    [FRZ_EXPR_TRUE] = "TRUE",
    [FRZ_EXPR_FALSE] = "FALSE",
    [FRZ_EXPR_AND] = " AND ",
    [FRZ_EXPR_OR] = " OR ",
    [FRZ_EXPR_NOT] = "NOT ",
    [FRZ_EXPR_IS_NULL] = " IS NULL",
    [FRZ_EXPR_NOT_NULL] = " IS NOT NULL",
    [FRZ_EXPR_IS_NAN] = " IS NAN",
    [FRZ_EXPR_NOT_NAN] = " IS NOT NAN",
    [FRZ_EXPR_LT] = " < ",
    [FRZ_EXPR_LE] = " <= ",
    [FRZ_EXPR_GT] = " > ",
    [FRZ_EXPR_GE] = " >= ",
    [FRZ_EXPR_EQ] = " = ",
    [FRZ_EXPR_NE] = " != ",
    [FRZ_EXPR_IN] = " IN ",
    [FRZ_EXPR_NOT_IN] = " NOT IN ",
    [FRZ_EXPR_STARTS_WITH] = " STARTS WITH ",
    [FRZ_EXPR_NOT_STARTS_WITH] = " NOT STARTS WITH ",
    [FRZ_EXPR_LIKE] = " LIKE ",
    [FRZ_EXPR_NOT_LIKE] = " NOT LIKE ",
};

/* Terms of the chain of `op` that starts at `expr`. */
static size_t chain_length(const frz_expr *expr, frz_expr_op op)
{
    if (expr->op != op)
        return 1;
    return chain_length(expr->left, op) + chain_length(expr->right, op);
}

/* Whether the parser would give a chain of these terms this very shape, so that it needs no
 * parentheses. */
static bool is_balanced(const frz_expr *expr, frz_expr_op op, size_t length)
{
    if (length == 1)
        return expr->op != op;
    const size_t half = length - length / 2;
    return expr->op == op && chain_length(expr->left, op) == half &&
           is_balanced(expr->left, op, half) && is_balanced(expr->right, op, length - half);
}

static void print_leaf(const frz_expr *expr, frz_buffer *out)
{
    const bool set = expr->op == FRZ_EXPR_IN || expr->op == FRZ_EXPR_NOT_IN;
    frz_buffer_append_text(out, expr->reference->path);
    frz_buffer_append_text(out, op_text[expr->op]);
    if (expr->other)
        frz_buffer_append_text(out, expr->other->path);
    if (set)
        frz_buffer_append_byte(out, '(');
    for (size_t i = 0; i < expr->value_count; i++) {
        if (i > 0)
            frz_buffer_append_text(out, ", ");
        frz_literal_print(expr->reference->type, &expr->values[i], out);
    }
    if (set)
        frz_buffer_append_byte(out, ')');
}

static void print_term(const frz_expr *expr, frz_expr_op parent, frz_buffer *out);

/* The operands of a chain, without parentheses around its own inner nodes when `flat`. */
static void print_chain(const frz_expr *expr, frz_expr_op op, bool flat, frz_buffer *out)
{
    const frz_expr *const sides[] = {expr->left, expr->right};
    for (size_t i = 0; i < 2; i++) {
        if (i > 0)
            frz_buffer_append_text(out, op_text[op]);
        if (flat && sides[i]->op == op)
            print_chain(sides[i], op, flat, out);
        else
            print_term(sides[i], op, out);
    }
}

static void print_term(const frz_expr *expr, frz_expr_op parent, frz_buffer *out)
{
    if (expr->op == FRZ_EXPR_TRUE || expr->op == FRZ_EXPR_FALSE) {
        frz_buffer_append_text(out, op_text[expr->op]);
    } else if (expr->op == FRZ_EXPR_NOT) {
        frz_buffer_append_text(out, op_text[expr->op]);
        print_term(expr->left, FRZ_EXPR_NOT, out);
    } else if (expr->op == FRZ_EXPR_AND || expr->op == FRZ_EXPR_OR) {
        /* AND binds closer than OR; everything else nested is put in parentheses. */
        const bool enclose =
            parent != FRZ_EXPR_TRUE && !(parent == FRZ_EXPR_OR && expr->op == FRZ_EXPR_AND);
        const bool flat = is_balanced(expr, expr->op, chain_length(expr, expr->op));
        if (enclose)
            frz_buffer_append_byte(out, '(');
        print_chain(expr, expr->op, flat, out);
        if (enclose)
            frz_buffer_append_byte(out, ')');
    } else {
        print_leaf(expr, out);
    }
}

void frz_expr_print(const frz_expr *expr, frz_buffer *out)
{
    print_term(expr, FRZ_EXPR_TRUE, out);
}
