#include "expr/kernel.h"

#include "expr/random.h"

static frz_schema *schema;

enum { ROWS = 131 };

/* Runs a leaf's kernel over random values without nulls, at several starts and lengths. */
static void check_leaf(rng *r, const frz_expr *leaf, const frz_type *type)
{
    frz_arena arena = {0};
    frz_error *err = NULL;
    struct ArrowSchema arrow = {0};
    struct ArrowArray array = {0};
    frz_arrow_builder *builder = NULL;
    frz_value values[ROWS];
    frz_test test;
    const frz_field field = {.id = 1, .name = "x", .required = true, .type = type};
    CHECK_OK(frz_type_to_arrow(&field, &arrow, &err), err);
    CHECK_OK(frz_arrow_builder_new(&arrow, &builder, &err), err);
    for (int i = 0; i < ROWS; i++) {
        values[i] = random_value(r, type, &arena);
        append_row(builder, type, &values[i]);
    }
    CHECK_OK(frz_arrow_builder_finish(builder, &array, &err), err);
    frz_test_init(&test, leaf, type);
    CHECK(test.kernel != NULL);
    for (int64_t start = 0; start < ROWS; start += 1 + rng_below(r, 40)) {
        const int64_t count = 1 + rng_below(r, ROWS - start);
        uint64_t given[3] = {rng_next(r), rng_below(r, 2) ? rng_next(r) : 0, rng_next(r)};
        uint64_t mask[3];
        if (count % 64)
            given[count / 64] &= ((uint64_t)1 << count % 64) - 1;
        memcpy(mask, given, sizeof mask);
        test.kernel(&test, &array, start, count, mask);
        for (int64_t i = 0; i < count; i++) {
            const bool was = given[i / 64] >> (i % 64) & 1;
            const bool is = mask[i / 64] >> (i % 64) & 1;
            const bool passes = frz_expr_test_value(leaf, &values[start + i]) == FRZ_TRUTH_TRUE;
            if (is != (was && passes))
                fail_msg("row %d of %d at %d", (int)i, (int)count, (int)start);
        }
    }
    frz_arrow_array_clear(&array);
    frz_arrow_schema_clear(&arrow);
    frz_arrow_builder_free(builder);
    frz_arena_clear(&arena);
}

static void check_text(rng *r, const char *text)
{
    frz_arena arena = {0};
    const frz_expr *leaf = sample_parse(schema, text, &arena);
    check_leaf(r, leaf, leaf->reference->type);
    frz_arena_clear(&arena);
}

/* Bounds of the types, NaN, and every operation, by the one-value test. */
static void each_kernel_agrees_with_the_test_of_one_value(void **state)
{
    (void)state;
    static const char *const literals[][8] = {
        {"b", "TRUE", "FALSE", NULL},
        {"i", "0", "-2147483648", "2147483647", "7", NULL},
        {"l", "0", "-9223372036854775808", "9223372036854775807", "-3", NULL},
        {"f", "0", "-0.0", "1.5", "'NaN'", "'Infinity'", "'-Infinity'", NULL},
        {"d", "0", "-0.0", "1.5", "'NaN'", "'Infinity'", "'-Infinity'", NULL},
        {"dec", "0", "9999999.99", "-9999999.99", "0.05", NULL},
        {"dec38", "0", "9999999999999999999999999999.9999999999",
         "-9999999999999999999999999999.9999999999", NULL},
        {"dt", "'1970-01-01'", "'1969-12-31'", NULL},
        {"tm", "'00:00:00'", "'12:00:00'", NULL},
        {"zn", "'1970-01-01T00:00:00'", NULL},
        {"s", "''", "'ab'", "'\xc3\xa9'", NULL},
        {"bin", "X''", "X'0001'", "X'80'", NULL},
        {"u", "X'00ff4040404040404040404040404040'", "X'80804040404040404040404040404040'", NULL},
        {"fx", "X'00000000'", "X'00ff4040'", NULL},
    };
    static const char *const ops[] = {"<", "<=", ">", ">=", "=", "!="};
    char text[400];
    rng r = {.state = 21};
    for (size_t c = 0; c < sizeof literals / sizeof literals[0]; c++) {
        char all[300] = "";
        for (size_t v = 1; literals[c][v]; v++) {
            for (size_t o = 0; o < 6; o++) {
                (void)snprintf(text, sizeof text, "%s %s %s", literals[c][0], ops[o],
                               literals[c][v]);
                check_text(&r, text);
            }
            (void)snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", v > 1 ? ", " : "",
                           literals[c][v]);
        }
        (void)snprintf(text, sizeof text, "%s IN (%s)", literals[c][0], all);
        check_text(&r, text);
        (void)snprintf(text, sizeof text, "%s NOT IN (%s)", literals[c][0], all);
        check_text(&r, text);
    }
}

static void text_and_state_kernels_agree_too(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "s STARTS WITH 'a'",
        "s NOT STARTS WITH 'ab'",
        "s LIKE '%a_'",
        "s NOT LIKE '_b%a'",
        "f IS NAN",
        "f IS NOT NAN",
        "d IS NAN",
        "d IS NOT NAN",
        "l IN (-15, -14, -13, -9, -7, -1, 0, 2, 3, 5, 8, 13, 14)",
        "l NOT IN (-15, -14, -13, -9, -7, -1, 0, 2, 3, 5, 8, 13, 14)",
        "i IN (-15, -14, -13, -9, -7, -1, 0, 2, 3, 5, 8, 13, 14)",
    };
    rng r = {.state = 22};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        check_text(&r, texts[i]);
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
        cmocka_unit_test(each_kernel_agrees_with_the_test_of_one_value),
        cmocka_unit_test(text_and_state_kernels_agree_too),
    };
    return cmocka_run_group_tests(tests, open_schema, close_schema);
}
