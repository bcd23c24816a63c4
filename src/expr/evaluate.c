#include "expr/evaluate.h"

#include "base/arena.h"
#include "base/fail.h"
#include "base/mem.h"
#include "expr/kernel.h"
#include "expr/location.h"

/* The tree, compiled. Without NOT a row's test is monotone: unknown and false clear the bit alike.
 */
typedef struct node {
    frz_expr_op op; /* TRUE, FALSE, AND, OR, or that of the leaf */
    const struct node *left;
    const struct node *right;
    frz_location location;
    frz_test test;
    bool is_pair; /* of two columns, without a test */
    frz_location other;
} node;

struct frz_evaluator {
    frz_arena arena;
    const node *root;
    size_t child_count;
    size_t level_count; /* scratch masks that are in use at once */
    uint64_t *scratch;  /* level_count masks of `scratch_words` */
    size_t scratch_words;
};

typedef struct run {
    const struct ArrowArray *batch;
    size_t words;
    uint64_t *scratch;
} run;

static size_t greater(size_t a, size_t b)
{
    return a > b ? a : b;
}

static frz_status compile(frz_evaluator *evaluator, const frz_expr *expr, const frz_type *columns,
                          size_t level, const node **out, frz_error **err)
{
    node *made = frz_arena_alloc(&evaluator->arena, sizeof *made);
    if (!made)
        return frz_fail_memory(err);
    made->op = expr->op;
    evaluator->level_count = greater(evaluator->level_count, level + 1);
    if (expr->op == FRZ_EXPR_NOT) {
        const frz_expr *pushed = frz_expr_not(expr->left, &evaluator->arena);
        return pushed ? compile(evaluator, pushed, columns, level, out, err) : frz_fail_memory(err);
    }
    if (expr->op == FRZ_EXPR_AND || expr->op == FRZ_EXPR_OR) {
        const size_t below = level + (expr->op == FRZ_EXPR_OR);
        FRZ_TRY(compile(evaluator, expr->left, columns, below, &made->left, err));
        FRZ_TRY(compile(evaluator, expr->right, columns, below, &made->right, err));
    } else if (expr->reference) {
        FRZ_TRY(
            frz_location_init(&made->location, expr->reference, columns, &evaluator->arena, err));
        made->is_pair = expr->other != NULL;
        if (made->is_pair)
            FRZ_TRY(frz_location_init(&made->other, expr->other, columns, &evaluator->arena, err));
        else
            frz_test_init(&made->test, expr, made->location.type);
    }
    *out = made;
    return FRZ_OK;
}

frz_status frz_evaluator_new(const frz_expr *expr, const frz_type *columns, frz_evaluator **out,
                             frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_evaluator *evaluator = frz_alloc_zero(sizeof *evaluator);
    if (!evaluator)
        return frz_fail_memory(err);
    evaluator->child_count = columns->field_count;
    FRZ_TRY_DONE(compile(evaluator, expr, columns, 0, &evaluator->root, err));
    *out = evaluator;
    evaluator = NULL;
done:
    frz_evaluator_free(evaluator);
    return status;
}

void frz_evaluator_free(frz_evaluator *evaluator)
{
    if (!evaluator)
        return;
    frz_arena_clear(&evaluator->arena);
    frz_free(evaluator->scratch);
    frz_free(evaluator);
}

static bool row_passes(const run *r, const node *n, int64_t row)
{
    const frz_value value = frz_location_value(&n->location, r->batch, row);
    if (!n->is_pair)
        return frz_expr_test_value(n->test.leaf, &value) == FRZ_TRUTH_TRUE;
    const frz_value other = frz_location_value(&n->other, r->batch, row);
    return frz_expr_test_pair(n->op, &value, &other) == FRZ_TRUTH_TRUE;
}

/* List elements, map values and pairs of columns: row by row. */
static void run_rows(const run *r, const node *n, uint64_t *mask)
{
    for (size_t word = 0; word < r->words; word++) {
        for (uint64_t left = mask[word]; left; left &= left - 1) {
            const int at = __builtin_ctzll(left);
            if (!row_passes(r, n, (int64_t)word * 64 + at))
                mask[word] &= ~((uint64_t)1 << at);
        }
    }
}

/* Rows that pass for being null: IS NULL, and NOT NAN as a null is not NaN. */
static void run_negative(const run *r, const node *n, uint64_t *mask, uint64_t *scratch)
{
    int64_t start = 0;
    memcpy(scratch, mask, r->words * sizeof *mask);
    frz_location_clear_nulls(&n->location, r->batch, scratch);
    if (n->op == FRZ_EXPR_NOT_NAN) {
        frz_test is_nan = n->test;
        const struct ArrowArray *column = frz_location_column(&n->location, r->batch, &start);
        is_nan.negated = !is_nan.negated;
        is_nan.kernel(&is_nan, column, start, r->batch->length, scratch);
    }
    for (size_t i = 0; i < r->words; i++)
        mask[i] &= ~scratch[i];
}

static void run_leaf(const run *r, const node *n, uint64_t *mask, uint64_t *scratch)
{
    int64_t start = 0;
    if (n->is_pair || !n->location.columnar) {
        run_rows(r, n, mask);
    } else if (n->op == FRZ_EXPR_IS_NULL || n->op == FRZ_EXPR_NOT_NAN) {
        run_negative(r, n, mask, scratch);
    } else {
        frz_location_clear_nulls(&n->location, r->batch, mask);
        const struct ArrowArray *column = frz_location_column(&n->location, r->batch, &start);
        if (n->test.kernel)
            n->test.kernel(&n->test, column, start, r->batch->length, mask);
    }
}

/* Clears the bits of rows for which the node is not true. `level` is the first scratch mask that is
 * free. */
static void run_node(const run *r, const node *n, size_t level, uint64_t *mask)
{
    uint64_t *scratch = r->scratch + level * r->words;
    if (n->op == FRZ_EXPR_TRUE)
        return;
    if (n->op == FRZ_EXPR_FALSE) {
        memset(mask, 0, r->words * sizeof *mask);
    } else if (n->op == FRZ_EXPR_AND) {
        run_node(r, n->left, level, mask);
        run_node(r, n->right, level, mask);
    } else if (n->op == FRZ_EXPR_OR) {
        memcpy(scratch, mask, r->words * sizeof *mask);
        run_node(r, n->left, level + 1, scratch);
        for (size_t i = 0; i < r->words; i++)
            mask[i] &= ~scratch[i]; /* the right side sees only what the left side left */
        run_node(r, n->right, level + 1, mask);
        for (size_t i = 0; i < r->words; i++)
            mask[i] |= scratch[i];
    } else {
        run_leaf(r, n, mask, scratch);
    }
}

static frz_status grow_scratch(frz_evaluator *evaluator, size_t words, frz_error **err)
{
    if (words <= evaluator->scratch_words)
        return FRZ_OK;
    uint64_t *grown = frz_alloc_array(words, evaluator->level_count * sizeof *grown);
    if (!grown)
        return frz_fail_memory(err);
    frz_free(evaluator->scratch);
    evaluator->scratch = grown;
    evaluator->scratch_words = words;
    return FRZ_OK;
}

frz_status frz_evaluator_run(frz_evaluator *evaluator, const struct ArrowArray *batch,
                             uint64_t *mask, int64_t *kept_out, frz_error **err)
{
    const size_t words = ((size_t)batch->length + 63) / 64;
    if (batch->n_children != (int64_t)evaluator->child_count)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "expected a batch of %zu columns, got %lld", evaluator->child_count,
                        (long long)batch->n_children);
    if (words == 0) {
        *kept_out = 0;
        return FRZ_OK;
    }
    FRZ_TRY(grow_scratch(evaluator, words, err));
    const run r = {.batch = batch, .words = words, .scratch = evaluator->scratch};
    if (batch->length % 64)
        mask[words - 1] &= ((uint64_t)1 << batch->length % 64) - 1;
    run_node(&r, evaluator->root, 0, mask);
    int64_t kept = 0;
    for (size_t i = 0; i < words; i++)
        kept += __builtin_popcountll(mask[i]);
    *kept_out = kept;
    return FRZ_OK;
}
