#include "expr/partitioned.h"

static frz_schema *schema;
static partitioned parts;

static void a_residual_agrees_with_its_expression_on_the_partitions_rows(void **state)
{
    (void)state;
    static table t;
    static frz_value tuple[PARTS_MAX];
    frz_buffer text = {0};
    frz_error *err = NULL;
    int64_t reduced = 0;
    int64_t checked = 0;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        rng r = {.state = seed * UINT64_C(0x9e3779b97f4a7c15)};
        frz_arena arena = {0};
        t = (table){0};
        fill_table(&t, &r, schema, 6);
        make_parts(&parts, schema);
        const tree *wanted = random_tree(&r, schema, &arena, 2, LEAVES);
        const frz_expr *expr = parse_tree(wanted, schema, &arena, &text);
        for (int64_t row = 0; row < t.row_count; row++) {
            const frz_expr *residual = NULL;
            if (!make_tuple(&parts, schema, t.leaves[row], row % 2, tuple))
                continue;
            CHECK_OK(frz_expr_residual(expr,
                                       &(const frz_partition_tuple){&parts.spec, parts.type, tuple},
                                       &arena, &residual, &err),
                     err);
            const frz_truth got =
                frz_expr_test_tuple(residual, frz_schema_type(schema), t.tops[row]);
            const bool want = oracle(wanted, t.leaves[row]) == FRZ_TRUTH_TRUE;
            if ((got == FRZ_TRUTH_TRUE) != want)
                fail_msg("seed %d row %d: %s", (int)seed, (int)row, (const char *)text.data);
            reduced += residual != expr;
            checked++;
        }
        frz_arena_clear(&parts.arena);
        frz_arena_clear(&arena);
        clear_table(&t);
    }
    CHECK(checked > 2000 && reduced > checked / 2);
    frz_buffer_clear(&text);
}

static void check_residual(const frz_value *tuple, const char *text, const char *want)
{
    frz_arena arena = {0};
    frz_error *err = NULL;
    const int32_t source[] = {9};
    const int32_t other[] = {2};
    const frz_partition_field fields[] = {
        {source, 1, 1000, "day", {FRZ_TRANSFORM_DAY, 0, "day"}},
        {other, 1, 1001, "i", {FRZ_TRANSFORM_IDENTITY, 0, "identity"}}};
    const frz_partition_spec spec = {.spec_id = 1, .fields = fields, .field_count = 2};
    const frz_type *type = NULL;
    const frz_expr *out = NULL;
    CHECK_OK(frz_partition_type(&spec, schema, NULL, 0, &arena, &type, &err), err);
    CHECK_OK(frz_expr_residual(sample_parse(schema, text, &arena),
                               &(const frz_partition_tuple){&spec, type, tuple}, &arena, &out,
                               &err),
             err);
    check_prints(out, want, text);
    frz_arena_clear(&arena);
}

static void leaves_that_the_tuple_decides_go_away(void **state)
{
    (void)state;
    const frz_value tuple[] = {integer_value_of(19783), integer_value_of(5)}; /* 2024-03-01 */
    const frz_value nulls[] = {{.form = FRZ_VALUE_NULL}, {.form = FRZ_VALUE_NULL}};
    check_residual(tuple, "ts >= timestamp '2024-03-01T00:00:00'", "TRUE");
    check_residual(tuple, "ts >= timestamp '2024-03-01T05:00:00'",
                   "ts >= timestamp '2024-03-01T05:00:00.000000'");
    check_residual(tuple, "ts >= timestamp '2024-03-02T00:00:00'", "FALSE");
    check_residual(tuple, "i = 5 AND s = 'x'", "s = 'x'");
    check_residual(tuple, "i = 6 OR s = 'x'", "s = 'x'");
    check_residual(tuple, "i = 6 AND s = 'x'", "FALSE");
    check_residual(tuple, "i IS NULL OR ts IS NULL", "FALSE");
    check_residual(nulls, "i = 5 OR ts IS NULL", "TRUE");
    check_residual(nulls, "i != 5", "FALSE");
    check_residual(nulls, "i NOT IN (1, 2) OR b", "b = TRUE");
    check_residual(tuple, "i = 5 AND i < l", "i < l");
}

static const frz_expr *swept;

static void reduce_once(void)
{
    frz_arena arena = {0};
    frz_error *err = NULL;
    const frz_expr *out = NULL;
    static frz_value tuple[PARTS_MAX];
    const frz_status status = frz_expr_residual(
        swept, &(const frz_partition_tuple){&parts.spec, parts.type, tuple}, &arena, &out, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_error_free(err);
    frz_arena_clear(&arena);
}

static void every_failing_allocation_is_reported(void **state)
{
    (void)state;
    frz_arena arena = {0};
    make_parts(&parts, schema);
    swept = sample_parse(schema, "i IN (1, 2, 3) AND (s > 'abc' OR ts < timestamp '1960-01-01')",
                         &arena);
    sweep_allocation_failures(reduce_once);
    frz_arena_clear(&parts.arena);
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
        cmocka_unit_test(a_residual_agrees_with_its_expression_on_the_partitions_rows),
        cmocka_unit_test(leaves_that_the_tuple_decides_go_away),
        cmocka_unit_test(every_failing_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, open_schema, close_schema);
}
