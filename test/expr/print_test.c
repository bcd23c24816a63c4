#include "expr/expression.h"

#include "expr/sample.h"

static const frz_step step = {.kind = FRZ_STEP_FIELD, .field_id = 5};
static const frz_reference column = {.path = "x", .steps = &step, .step_count = 1};
static const frz_expr leaf = {.op = FRZ_EXPR_IS_NULL, .reference = &column};

static const frz_expr *chain(frz_arena *arena, int count, bool left)
{
    const frz_expr *expr = &leaf;
    for (int i = 1; i < count; i++)
        expr = left ? frz_expr_and(expr, &leaf, arena) : frz_expr_and(&leaf, expr, arena);
    return expr;
}

static void parentheses_stand_only_where_the_parser_needs_them(void **state)
{
    (void)state;
    frz_arena arena = {0};
    check_prints(chain(&arena, 3, true), "x IS NULL AND x IS NULL AND x IS NULL", "left chain");
    check_prints(chain(&arena, 3, false), "x IS NULL AND (x IS NULL AND x IS NULL)", "right chain");
    check_prints(chain(&arena, 4, true), "(x IS NULL AND x IS NULL AND x IS NULL) AND x IS NULL",
                 "left chain of four");
    const frz_expr *two = chain(&arena, 2, true);
    check_prints(frz_expr_or(two, &leaf, &arena), "x IS NULL AND x IS NULL OR x IS NULL",
                 "or of and");
    check_prints(frz_expr_and(frz_expr_or(&leaf, &leaf, &arena), &leaf, &arena),
                 "(x IS NULL OR x IS NULL) AND x IS NULL", "and of or");
    check_prints(frz_expr_and(two, two, &arena),
                 "x IS NULL AND x IS NULL AND x IS NULL AND x IS NULL", "balanced");
    frz_arena_clear(&arena);
}

static void not_and_constants_print(void **state)
{
    (void)state;
    frz_arena arena = {0};
    const frz_expr negated = {.op = FRZ_EXPR_NOT, .left = chain(&arena, 2, true)};
    const frz_expr twice = {.op = FRZ_EXPR_NOT, .left = &negated};
    check_prints(&negated, "NOT (x IS NULL AND x IS NULL)", "not");
    check_prints(&twice, "NOT NOT (x IS NULL AND x IS NULL)", "not not");
    check_prints(&frz_expr_true, "TRUE", "true");
    check_prints(&frz_expr_false, "FALSE", "false");
    frz_arena_clear(&arena);
}

static void shallow_and_deep_trees_print(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_buffer text = {0};
    frz_expr_print(chain(&arena, 400, true), &text);
    CHECK(!text.failed && text.size == 400 * strlen("x IS NULL") + 399 * strlen(" AND ") + 2 * 397);
    frz_buffer_clear(&text);
    frz_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parentheses_stand_only_where_the_parser_needs_them),
        cmocka_unit_test(not_and_constants_print),
        cmocka_unit_test(shallow_and_deep_trees_print),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
