#include "expr/project_transform.h"

#include "expr/partitioned.h"

static frz_schema *schema;

/*
 * Each transform by itself, on each column that takes it: a whole spec's projection could hide a
 * transform that tells nothing behind another.
 */
static void each_transform_keeps_its_promise_alone(void **state)
{
    (void)state;
    static partitioned parts;
    static table t;
    static frz_value tuple[PARTS_MAX];
    static int64_t told[FRZ_TRANSFORM_UNKNOWN + 1];
    rng r = {.state = 31};
    make_parts(&parts, schema);
    for (int round = 0; round < 400; round++) {
        t = (table){0};
        fill_table(&t, &r, schema, 4);
        for (int i = 0; i < parts.part_count; i++) {
            frz_arena arena = {0};
            frz_buffer text = {0};
            frz_error *err = NULL;
            const tree *wanted = random_leaf(&r, schema, &arena, parts.leaf[i]);
            const frz_expr *expr = parse_tree(wanted, schema, &arena, &text);
            const frz_partition_spec one = {.field_count = 1, .fields = &parts.fields[i]};
            const frz_expr *may = NULL;
            const frz_expr *must = NULL;
            CHECK_OK(frz_expr_project_inclusive(expr, &one, parts.type, &arena, &may, &err), err);
            CHECK_OK(frz_expr_project_strict(expr, &one, parts.type, &arena, &must, &err), err);
            for (int64_t row = 0; row < t.row_count; row++) {
                if (!make_tuple(&parts, schema, t.leaves[row], row % 2, tuple))
                    continue;
                const bool truth = oracle(wanted, t.leaves[row]) == FRZ_TRUTH_TRUE;
                const bool in = frz_expr_test_tuple(may, parts.type, tuple) == FRZ_TRUTH_TRUE;
                const bool all = frz_expr_test_tuple(must, parts.type, tuple) == FRZ_TRUTH_TRUE;
                if (truth ? !in : all)
                    fail_msg("%s: %s", parts.fields[i].name, (const char *)text.data);
                told[parts.fields[i].transform.kind] += !in || all;
            }
            frz_buffer_clear(&text);
            frz_arena_clear(&arena);
        }
        clear_table(&t);
    }
    for (int kind = 0; kind <= FRZ_TRANSFORM_UNKNOWN; kind++) {
        const bool mute = kind == FRZ_TRANSFORM_VOID || kind == FRZ_TRANSFORM_UNKNOWN;
        if (!mute && told[kind] < 500)
            fail_msg("transform %d tells only %d times", kind, (int)told[kind]);
    }
    frz_arena_clear(&parts.arena);
}

static void a_transform_that_does_not_take_the_type_tells_nothing(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    const frz_transform hour = {FRZ_TRANSFORM_HOUR, 0, "hour"};
    const frz_reference tuple_field = {.path = "p", .type = frz_type_of(FRZ_TYPE_INT)};
    const frz_expr *out = &frz_expr_true;
    const frz_projection projection = {.leaf = sample_parse(schema, "dt IS NULL", &arena),
                                       .transform = &hour,
                                       .reference = &tuple_field,
                                       .arena = &arena};
    CHECK_OK(frz_project_transform(&projection, &out, &err), err);
    CHECK(out == NULL);
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
        cmocka_unit_test(each_transform_keeps_its_promise_alone),
        cmocka_unit_test(a_transform_that_does_not_take_the_type_tells_nothing),
    };
    return cmocka_run_group_tests(tests, open_schema, close_schema);
}
