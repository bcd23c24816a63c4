#include "expr/bind.h"

#include "expr/sample.h"

static const frz_step step = {.kind = FRZ_STEP_FIELD, .field_id = 5};

static frz_reference reference_of(frz_type_kind kind, bool required)
{
    return (frz_reference){.path = "x",
                           .field_id = 5,
                           .type = frz_type_of(kind),
                           .required = required,
                           .direct = true,
                           .steps = &step,
                           .step_count = 1};
}

static frz_literal number_literal(const char *text)
{
    return (frz_literal){.kind = FRZ_LITERAL_NUMBER, .bytes = frz_slice_of_text(text), .offset = 3};
}

/* Every comparison with a literal beside the values of an int column. */
static void comparisons_beside_the_values_are_decided(void **state)
{
    (void)state;
    static const char *const want[][6] = {
        /* LT, LE, GT, GE, EQ, NE */
        {"x < 7", "x <= 7", "x > 7", "x >= 7", "x = 7", "x != 7"},
        {"x <= 7", "x <= 7", "x > 7", "x > 7", "FALSE", "x IS NOT NULL"},
        {"x IS NOT NULL", "x IS NOT NULL", "FALSE", "FALSE", "FALSE", "x IS NOT NULL"},
        {"FALSE", "FALSE", "x IS NOT NULL", "x IS NOT NULL", "FALSE", "x IS NOT NULL"},
    };
    static const char *const literals[] = {"7", "7.5", "1e20", "-1e20"};
    const frz_reference x = reference_of(FRZ_TYPE_INT, false);
    for (int i = 0; i < 4; i++) {
        for (int op = FRZ_EXPR_LT; op <= FRZ_EXPR_NE; op++) {
            frz_arena arena = {0};
            frz_error *err = NULL;
            const frz_literal literal = number_literal(literals[i]);
            const frz_expr *out = NULL;
            CHECK_OK(frz_expr_bind(&(const frz_column_test){(frz_expr_op)op, &x, &literal, 1},
                                   &arena, &out, &err),
                     err);
            check_prints(out, want[i][op - FRZ_EXPR_LT], literals[i]);
            frz_arena_clear(&arena);
        }
    }
}

static void required_columns_need_no_null_test(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    const frz_expr *out = NULL;
    const frz_reference x = reference_of(FRZ_TYPE_INT, true);
    const frz_literal big = number_literal("1e20");
    CHECK_OK(frz_expr_bind(&(const frz_column_test){FRZ_EXPR_LT, &x, &big, 1}, &arena, &out, &err),
             err);
    CHECK(out == &frz_expr_true);
    CHECK_OK(
        frz_expr_bind(&(const frz_column_test){FRZ_EXPR_NOT_IN, &x, &big, 1}, &arena, &out, &err),
        err);
    CHECK(out == &frz_expr_true);
    CHECK_OK(
        frz_expr_bind(&(const frz_column_test){FRZ_EXPR_IS_NULL, &x, NULL, 0}, &arena, &out, &err),
        err);
    CHECK(out == &frz_expr_false);
    CHECK_OK(
        frz_expr_bind(&(const frz_column_test){FRZ_EXPR_NOT_NULL, &x, NULL, 0}, &arena, &out, &err),
        err);
    CHECK(out == &frz_expr_true);
    frz_arena_clear(&arena);
}

static void values_of_a_set_are_sorted_and_distinct(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    const frz_expr *out = NULL;
    const frz_reference x = reference_of(FRZ_TYPE_DOUBLE, false);
    const frz_literal set[] = {
        {.kind = FRZ_LITERAL_TEXT, .bytes = frz_slice_of_text("NaN")},
        number_literal("3"),
        number_literal("-0.0"),
        number_literal("0"),
        number_literal("3.0"),
        {.kind = FRZ_LITERAL_TEXT, .bytes = frz_slice_of_text("nan")},
    };
    CHECK_OK(frz_expr_bind(&(const frz_column_test){FRZ_EXPR_IN, &x, set, 6}, &arena, &out, &err),
             err);
    CHECK(out->value_count == 3 && out->values[0].number == 0 && out->values[1].number == 3);
    CHECK(frz_value_is_nan(&out->values[2]));
    frz_arena_clear(&arena);
}

static void what_is_no_test_of_the_column_is_refused(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    const frz_expr *out = NULL;
    uint64_t offset = 0;
    const frz_literal seven = number_literal("7");
    const frz_reference x = reference_of(FRZ_TYPE_BOOLEAN, false);
    const frz_reference text = reference_of(FRZ_TYPE_STRING, false);
    CHECK(frz_expr_bind(&(const frz_column_test){FRZ_EXPR_EQ, &x, &seven, 1}, &arena, &out, &err) ==
          FRZ_INVALID);
    CHECK(frz_error_offset(err, &offset) && offset == 3);
    frz_error_free(err);
    err = NULL;
    CHECK_FAILS(
        frz_expr_bind(&(const frz_column_test){FRZ_EXPR_AND, &x, &seven, 1}, &arena, &out, &err),
        FRZ_INVALID, err, "no test of a column");
    CHECK_FAILS(
        frz_expr_bind(&(const frz_column_test){FRZ_EXPR_IS_NAN, &x, NULL, 0}, &arena, &out, &err),
        FRZ_INVALID, err, "NAN needs a float or double column");
    CHECK_FAILS(frz_expr_bind(&(const frz_column_test){FRZ_EXPR_LIKE, &text, &seven, 1}, &arena,
                              &out, &err),
                FRZ_INVALID, err, "expected text in single quotes");
    CHECK_FAILS(frz_expr_bind(&(const frz_column_test){FRZ_EXPR_STARTS_WITH, &x, &seven, 1}, &arena,
                              &out, &err),
                FRZ_INVALID, err, "need a string column");
    CHECK(out == NULL);
    frz_arena_clear(&arena);
}

static void the_tree_keeps_its_own_bytes(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    const frz_expr *out = NULL;
    char source[] = "abc";
    const frz_reference x = reference_of(FRZ_TYPE_STRING, false);
    const frz_literal literal = {.kind = FRZ_LITERAL_TEXT, .bytes = frz_slice_of_text(source)};
    CHECK_OK(
        frz_expr_bind(&(const frz_column_test){FRZ_EXPR_EQ, &x, &literal, 1}, &arena, &out, &err),
        err);
    source[0] = 'z';
    CHECK(frz_slice_is_text(out->values->bytes, "abc"));
    frz_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparisons_beside_the_values_are_decided),
        cmocka_unit_test(required_columns_need_no_null_test),
        cmocka_unit_test(values_of_a_set_are_sorted_and_distinct),
        cmocka_unit_test(what_is_no_test_of_the_column_is_refused),
        cmocka_unit_test(the_tree_keeps_its_own_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
