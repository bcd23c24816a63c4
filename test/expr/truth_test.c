#include "expr/truth.h"

#include "expr/random.h"

static frz_schema *schema;

static const struct {
    const char *text;
    frz_truth null;
    frz_truth nan;
    frz_truth three;
} tests_of_d[] = {
    {"d IS NULL", FRZ_TRUTH_TRUE, FRZ_TRUTH_FALSE, FRZ_TRUTH_FALSE},
    {"d IS NOT NULL", FRZ_TRUTH_FALSE, FRZ_TRUTH_TRUE, FRZ_TRUTH_TRUE},
    {"d IS NAN", FRZ_TRUTH_FALSE, FRZ_TRUTH_TRUE, FRZ_TRUTH_FALSE},
    {"d IS NOT NAN", FRZ_TRUTH_TRUE, FRZ_TRUTH_FALSE, FRZ_TRUTH_TRUE},
    {"d = 3", FRZ_TRUTH_UNKNOWN, FRZ_TRUTH_FALSE, FRZ_TRUTH_TRUE},
    {"d != 3", FRZ_TRUTH_UNKNOWN, FRZ_TRUTH_TRUE, FRZ_TRUTH_FALSE},
    {"d > 5", FRZ_TRUTH_UNKNOWN, FRZ_TRUTH_TRUE, FRZ_TRUTH_FALSE},
    {"d <= 'NaN'", FRZ_TRUTH_UNKNOWN, FRZ_TRUTH_TRUE, FRZ_TRUTH_TRUE},
    {"d < 'NaN'", FRZ_TRUTH_UNKNOWN, FRZ_TRUTH_FALSE, FRZ_TRUTH_TRUE},
    {"d >= 'NaN'", FRZ_TRUTH_UNKNOWN, FRZ_TRUTH_TRUE, FRZ_TRUTH_FALSE},
    {"d IN (1, 3)", FRZ_TRUTH_UNKNOWN, FRZ_TRUTH_FALSE, FRZ_TRUTH_TRUE},
    {"d NOT IN (1, 3)", FRZ_TRUTH_UNKNOWN, FRZ_TRUTH_TRUE, FRZ_TRUTH_FALSE},
    {"d > 5 AND d IS NULL", FRZ_TRUTH_UNKNOWN, FRZ_TRUTH_FALSE, FRZ_TRUTH_FALSE},
    {"d > 5 OR d IS NULL", FRZ_TRUTH_TRUE, FRZ_TRUTH_TRUE, FRZ_TRUTH_FALSE},
    {"d > 5 OR d < 2", FRZ_TRUTH_UNKNOWN, FRZ_TRUTH_TRUE, FRZ_TRUTH_FALSE},
};

static void null_and_nan_follow_sql(void **state)
{
    (void)state;
    const frz_field field = {.id = 5, .name = "d", .type = frz_type_of(FRZ_TYPE_DOUBLE)};
    const frz_type columns = {.kind = FRZ_TYPE_STRUCT, .fields = &field, .field_count = 1};
    const frz_value null = {.form = FRZ_VALUE_NULL};
    const frz_value nan = {.form = FRZ_VALUE_NUMBER, .number = (double)NAN};
    const frz_value three = {.form = FRZ_VALUE_NUMBER, .number = 3};
    for (size_t i = 0; i < sizeof tests_of_d / sizeof tests_of_d[0]; i++) {
        frz_arena arena = {0};
        const frz_expr *expr = sample_parse(schema, tests_of_d[i].text, &arena);
        const frz_expr negated = {.op = FRZ_EXPR_NOT, .left = expr};
        if (frz_expr_test_tuple(expr, &columns, &null) != tests_of_d[i].null ||
            frz_expr_test_tuple(expr, &columns, &nan) != tests_of_d[i].nan ||
            frz_expr_test_tuple(expr, &columns, &three) != tests_of_d[i].three)
            fail_msg("%s", tests_of_d[i].text);
        CHECK(frz_expr_test_tuple(&negated, &columns, &three) == flip(tests_of_d[i].three));
        frz_arena_clear(&arena);
    }
}

static void a_column_outside_of_the_tuple_is_unknown(void **state)
{
    (void)state;
    frz_arena arena = {0};
    const frz_field field = {.id = 5, .name = "d", .type = frz_type_of(FRZ_TYPE_DOUBLE)};
    const frz_type columns = {.kind = FRZ_TYPE_STRUCT, .fields = &field, .field_count = 1};
    const frz_value three = {.form = FRZ_VALUE_NUMBER, .number = 3};
    CHECK(frz_expr_test_tuple(sample_parse(schema, "i IS NULL", &arena), &columns, &three) ==
          FRZ_TRUTH_UNKNOWN);
    CHECK(frz_expr_test_tuple(sample_parse(schema, "i = 1 OR d = 3", &arena), &columns, &three) ==
          FRZ_TRUTH_TRUE);
    CHECK(frz_expr_test_tuple(&frz_expr_true, &columns, &three) == FRZ_TRUTH_TRUE);
    CHECK(frz_expr_test_tuple(&frz_expr_false, &columns, &three) == FRZ_TRUTH_FALSE);
    frz_arena_clear(&arena);
}

/* A null struct, and one whose default has no items, give null fields. */
static void nested_values_are_followed(void **state)
{
    (void)state;
    frz_arena arena = {0};
    static table t;
    t = (table){0};
    rng r = {.state = 3};
    fill_table(&t, &r, schema, 1);
    const frz_type *type = frz_schema_type(schema);
    const frz_expr *is_null = sample_parse(schema, "st.a IS NULL", &arena);
    t.tops[0][16] = (frz_value){.form = FRZ_VALUE_NULL};
    CHECK(frz_expr_test_tuple(is_null, type, t.tops[0]) == FRZ_TRUTH_TRUE);
    t.tops[0][16] = (frz_value){.form = FRZ_VALUE_STRUCT};
    CHECK(frz_expr_test_tuple(is_null, type, t.tops[0]) == FRZ_TRUTH_TRUE);
    const frz_value items[] = {integer_value_of(4), integer_value_of(5)};
    t.tops[0][17] = (frz_value){.form = FRZ_VALUE_LIST, .items = {.data = items, .count = 2}};
    CHECK(frz_expr_test_tuple(sample_parse(schema, "ls[1] = 5", &arena), type, t.tops[0]) ==
          FRZ_TRUTH_TRUE);
    CHECK(frz_expr_test_tuple(sample_parse(schema, "ls[2] = 5", &arena), type, t.tops[0]) ==
          FRZ_TRUTH_UNKNOWN);
    CHECK(frz_expr_test_tuple(sample_parse(schema, "ls[9223372036854775807] IS NULL", &arena), type,
                              t.tops[0]) == FRZ_TRUTH_TRUE);
    const frz_value pairs[] = {text_value(&arena, "k"), integer_value_of(7)};
    t.tops[0][18] = (frz_value){.form = FRZ_VALUE_LIST, .items = {.data = pairs, .count = 2}};
    CHECK(frz_expr_test_tuple(sample_parse(schema, "m['k'] = 7", &arena), type, t.tops[0]) ==
          FRZ_TRUTH_TRUE);
    CHECK(frz_expr_test_tuple(sample_parse(schema, "m['x'] IS NULL", &arena), type, t.tops[0]) ==
          FRZ_TRUTH_TRUE);
    CHECK(frz_expr_test_tuple(sample_parse(schema, "size(ls) = 2 AND size(m) = 1", &arena), type,
                              t.tops[0]) == FRZ_TRUTH_TRUE);
    t.tops[0][17] = (frz_value){.form = FRZ_VALUE_NULL};
    CHECK(frz_expr_test_tuple(sample_parse(schema, "size(ls) = 0", &arena), type, t.tops[0]) ==
          FRZ_TRUTH_UNKNOWN);
    clear_table(&t);
    frz_arena_clear(&arena);
}

static int open_schema(void **state)
{
    (void)state;
    schema = sample_schema();
    return schema ? 0 : -1;
}

static int close_schema(void **state)
{
    (void)state;
    frz_schema_unref(schema);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_and_nan_follow_sql),
        cmocka_unit_test(a_column_outside_of_the_tuple_is_unknown),
        cmocka_unit_test(nested_values_are_followed),
    };
    return cmocka_run_group_tests(tests, open_schema, close_schema);
}
