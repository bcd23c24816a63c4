#include "expr/expression.h"

#include "expr/sample.h"

static const frz_reference column = {
    .path = "x", .steps = &(const frz_step){.field_id = 9}, .step_count = 1};
static const frz_reference other = {
    .path = "y", .steps = &(const frz_step){.field_id = 4}, .step_count = 1};

static void constructors_simplify_constants(void **state)
{
    (void)state;
    frz_arena arena = {0};
    const frz_expr *leaf = frz_expr_leaf(FRZ_EXPR_IS_NULL, &column, NULL, 0, &arena);
    CHECK(frz_expr_and(leaf, &frz_expr_true, &arena) == leaf);
    CHECK(frz_expr_and(&frz_expr_true, leaf, &arena) == leaf);
    CHECK(frz_expr_and(leaf, &frz_expr_false, &arena) == &frz_expr_false);
    CHECK(frz_expr_and(&frz_expr_false, leaf, &arena) == &frz_expr_false);
    CHECK(frz_expr_or(leaf, &frz_expr_false, &arena) == leaf);
    CHECK(frz_expr_or(&frz_expr_false, leaf, &arena) == leaf);
    CHECK(frz_expr_or(leaf, &frz_expr_true, &arena) == &frz_expr_true);
    CHECK(frz_expr_or(&frz_expr_true, leaf, &arena) == &frz_expr_true);
    CHECK(frz_expr_and(leaf, leaf, &arena)->op == FRZ_EXPR_AND);
    CHECK(frz_expr_or(NULL, leaf, &arena) == NULL);
    CHECK(frz_expr_and(leaf, NULL, &arena) == NULL);
    CHECK(frz_expr_not(NULL, &arena) == NULL);
    frz_arena_clear(&arena);
}

static void not_is_pushed_down_to_the_leaves(void **state)
{
    (void)state;
    frz_arena arena = {0};
    const frz_expr *a = frz_expr_leaf(FRZ_EXPR_IS_NULL, &column, NULL, 0, &arena);
    const frz_expr *b = frz_expr_leaf(FRZ_EXPR_NOT_NAN, &other, NULL, 0, &arena);
    const frz_expr *negated = frz_expr_not(frz_expr_and(a, b, &arena), &arena);
    check_prints(negated, "x IS NOT NULL OR y IS NAN", "NOT (x IS NULL AND y IS NOT NAN)");
    check_prints(frz_expr_not(negated, &arena), "x IS NULL AND y IS NOT NAN", "NOT of that");
    const frz_expr wrapped = {.op = FRZ_EXPR_NOT, .left = a};
    CHECK(frz_expr_not(&wrapped, &arena) == a);
    CHECK(frz_expr_not(&frz_expr_true, &arena) == &frz_expr_false);
    CHECK(frz_expr_not(&frz_expr_false, &arena) == &frz_expr_true);
    frz_arena_clear(&arena);
}

static void negation_is_its_own_inverse(void **state)
{
    (void)state;
    for (int op = FRZ_EXPR_TRUE; op <= FRZ_EXPR_NOT_LIKE; op++) {
        const frz_expr_op negated = frz_expr_op_negate((frz_expr_op)op);
        CHECK(frz_expr_op_negate(negated) == (frz_expr_op)op);
        CHECK((negated == (frz_expr_op)op) == (op == FRZ_EXPR_NOT));
    }
    CHECK(frz_expr_op_negate(FRZ_EXPR_LT) == FRZ_EXPR_GE);
    CHECK(frz_expr_op_negate(FRZ_EXPR_LE) == FRZ_EXPR_GT);
}

static void columns_are_ascending_and_distinct(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    const int32_t *ids = NULL;
    size_t count = 9;
    const frz_expr *a = frz_expr_leaf(FRZ_EXPR_IS_NULL, &column, NULL, 0, &arena);
    const frz_expr *b = frz_expr_leaf(FRZ_EXPR_NOT_NULL, &other, NULL, 0, &arena);
    const frz_expr *all = frz_expr_or(frz_expr_and(a, b, &arena), a, &arena);
    CHECK_OK(frz_expr_columns(all, &arena, &ids, &count, &err), err);
    CHECK(count == 2 && ids[0] == 4 && ids[1] == 9);
    CHECK_OK(frz_expr_columns(&frz_expr_true, &arena, &ids, &count, &err), err);
    CHECK(count == 0);
    frz_arena tight = {.budget = 1};
    CHECK(frz_expr_columns(all, &tight, &ids, &count, NULL) == FRZ_NO_MEMORY);
    CHECK(frz_expr_leaf(FRZ_EXPR_IS_NULL, &column, NULL, 0, &tight) == NULL);
    frz_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constructors_simplify_constants),
        cmocka_unit_test(not_is_pushed_down_to_the_leaves),
        cmocka_unit_test(negation_is_its_own_inverse),
        cmocka_unit_test(columns_are_ascending_and_distinct),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
