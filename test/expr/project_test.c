#include "expr/project.h"

#include "expr/partitioned.h"

static frz_schema *schema;
static partitioned parts;

static bool passes(const frz_expr *expr, const frz_value *tuple)
{
    return frz_expr_test_tuple(expr, parts.type, tuple) == FRZ_TRUTH_TRUE;
}

static void projections_never_lie(void **state)
{
    (void)state;
    static table t;
    static frz_value tuple[PARTS_MAX];
    frz_buffer text = {0};
    frz_error *err = NULL;
    int64_t excluded = 0;
    int64_t proven = 0;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        rng r = {.state = seed * UINT64_C(0x9e3779b97f4a7c15)};
        frz_arena arena = {0};
        t = (table){0};
        fill_table(&t, &r, schema, 12);
        make_parts(&parts, schema);
        const tree *wanted = random_tree(&r, schema, &arena, (int)rng_below(&r, 3), LEAVES);
        const frz_expr *expr = parse_tree(wanted, schema, &arena, &text);
        const frz_expr *inclusive = NULL;
        const frz_expr *strict = NULL;
        CHECK_OK(
            frz_expr_project_inclusive(expr, &parts.spec, parts.type, &arena, &inclusive, &err),
            err);
        CHECK_OK(frz_expr_project_strict(expr, &parts.spec, parts.type, &arena, &strict, &err),
                 err);
        for (int64_t row = 0; row < t.row_count; row++) {
            if (!make_tuple(&parts, schema, t.leaves[row], row % 2, tuple))
                continue;
            const bool truth = oracle(wanted, t.leaves[row]) == FRZ_TRUTH_TRUE;
            const bool may = passes(inclusive, tuple);
            const bool must = passes(strict, tuple);
            if (truth ? !may : must)
                fail_msg("seed %d row %d: may %d must %d for %s", (int)seed, (int)row, may, must,
                         (const char *)text.data);
            excluded += !may;
            proven += must;
        }
        frz_arena_clear(&parts.arena);
        frz_arena_clear(&arena);
        clear_table(&t);
    }
    if (excluded < 5000 || proven < 1500)
        fail_msg("only %d excluded, %d proven", (int)excluded, (int)proven);
    frz_buffer_clear(&text);
}

/* The projections of a test onto the transform of its column alone. */
static void check_projects(const char *transform, const char *text, const char *inclusive_want,
                           const char *strict_want)
{
    frz_arena arena = {0};
    frz_error *err = NULL;
    const frz_expr *expr = sample_parse(schema, text, &arena);
    frz_partition_field field = {
        .source_ids = &expr->reference->field_id, .source_count = 1, .field_id = 1000, .name = "p"};
    const frz_partition_spec spec = {.spec_id = 1, .fields = &field, .field_count = 1};
    const frz_type *type = NULL;
    const frz_expr *out = NULL;
    CHECK_OK(frz_transform_parse(frz_slice_of_text(transform), &arena, &field.transform, &err),
             err);
    CHECK_OK(frz_partition_type(&spec, schema, NULL, 0, &arena, &type, &err), err);
    CHECK_OK(frz_expr_project_inclusive(expr, &spec, type, &arena, &out, &err), err);
    check_prints(out, inclusive_want, text);
    CHECK_OK(frz_expr_project_strict(expr, &spec, type, &arena, &out, &err), err);
    check_prints(out, strict_want, text);
    frz_arena_clear(&arena);
}

typedef struct projection {
    const char *transform;
    const char *text;
    const char *inclusive;
    const char *strict;
} projection;

static const projection projections[] = {
    {"identity", "i < 5", "p < 5", "p < 5"},
    {"identity", "s LIKE '%x'", "p LIKE '%x'", "p LIKE '%x'"},
    {"identity", "d IS NOT NAN", "p IS NOT NAN", "p IS NOT NAN"},
    {"identity", "i NOT IN (1, 2)", "p NOT IN (1, 2)", "p NOT IN (1, 2)"},
    {"void", "i = 5", "TRUE", "FALSE"},
    {"void", "i IS NULL", "TRUE", "FALSE"},
    {"zorder[3]", "i = 5", "TRUE", "FALSE"},
    {"bucket[16]", "i = 34", "p = 3", "FALSE"},
    {"bucket[16]", "i != 34", "TRUE", "p != 3"},
    {"bucket[16]", "i > 34", "TRUE", "FALSE"},
    {"bucket[16]", "i IS NULL", "p IS NULL", "p IS NULL"},
    {"truncate[8]", "i < 16", "p <= 8", "p < 16"},
    {"truncate[8]", "i <= 16", "p <= 16", "p < 16"},
    {"truncate[8]", "i > 15", "p >= 16", "p > 8"},
    {"truncate[8]", "i >= 16", "p >= 16", "p > 8"},
    {"truncate[8]", "i = -1", "p = -8", "FALSE"},
    {"truncate[8]", "i IN (1, 2, 9)", "p IN (0, 8)", "FALSE"},
    {"truncate[8]", "i NOT IN (1, 2, 9)", "TRUE", "p NOT IN (0, 8)"},
    {"truncate[10]", "i < 20", "p <= 10 OR p = 2147483646", "p < 20"},
    {"truncate[10]", "i > 20", "p >= 20", "p > 20 AND p != 2147483646"},
    {"truncate[10]", "i > 2147483646", "p >= 2147483640", "p > 2147483640 AND p != 2147483646"},
    {"truncate[10]", "i > 2147483647", "TRUE", "p > 2147483640 AND p != 2147483646"},
    {"truncate[50]", "dec <= -0.50", "p <= -0.50", "p < -0.50"},
    {"identity", "i < l", "TRUE", "FALSE"},
    {"truncate[2]", "s < 'abc'", "p <= 'ab'", "p < 'ab'"},
    {"truncate[2]", "s >= 'abc'", "p >= 'ab'", "p > 'ab'"},
    {"truncate[2]", "s = 'abc'", "p = 'ab'", "FALSE"},
    {"truncate[2]", "s STARTS WITH 'a'", "p STARTS WITH 'a'", "p STARTS WITH 'a'"},
    {"truncate[2]", "s STARTS WITH 'ab'", "p = 'ab'", "p = 'ab'"},
    {"truncate[2]", "s STARTS WITH 'abc'", "p = 'ab'", "FALSE"},
    {"truncate[2]", "s LIKE 'a%c'", "p STARTS WITH 'a'", "FALSE"},
    {"truncate[2]", "s LIKE 'abc%d'", "p = 'ab'", "FALSE"},
    {"truncate[2]", "s NOT LIKE 'abc%d'", "TRUE", "p != 'ab'"},
    {"truncate[2]", "s LIKE '%c'", "TRUE", "FALSE"},
    {"truncate[1]", "s STARTS WITH '\xc3\xa9'", "p = '\xc3\xa9'", "p = '\xc3\xa9'"},
    {"truncate[1]", "bin > X'0102'", "p >= X'01'", "p > X'01'"},
    {"day", "ts < timestamp '2024-03-02T00:00:00'", "p <= date '2024-03-01'",
     "p < date '2024-03-02'"},
    {"day", "ts >= timestamp '2024-03-01T00:00:00'", "p >= date '2024-03-01'",
     "p > date '2024-02-29'"},
    {"day", "ts = timestamp '2024-03-01T05:00:00'", "p = date '2024-03-01'", "FALSE"},
    {"month", "dt > date '2024-03-31'", "p >= 651", "p > 650"},
    {"year", "tn >= timestamp_ns '2024-01-01T00:00:00.000000000'", "p >= 54", "p > 53"},
    {"hour", "tz IS NULL", "p IS NULL", "p IS NULL"},
    {"hour", "tn >= timestamp_ns '1970-01-02T00:00:00'", "p >= 24", "p > 23"},
    {"hour", "ts > timestamp '1970-01-02T00:00:00'", "p >= 24 OR p <= -1732919508",
     "p > 24 AND p < 1732919507"},
};

/* Where the prefix is longer than the width, other rows of the partition match. */
static const projection not_prefixes[] = {
    {"truncate[2]", "s NOT STARTS WITH 'a'", "p NOT STARTS WITH 'a'", "p NOT STARTS WITH 'a'"},
    {"truncate[2]", "s NOT STARTS WITH 'ab'", "p != 'ab'", "p != 'ab'"},
    {"truncate[2]", "s NOT STARTS WITH 'abc'", "TRUE", "p != 'ab'"},
};

/* Old writers stored the hours, days, months and years of times before 1970 one too high. */
static const projection before_1970[] = {
    {"day", "ts <= timestamp '1969-12-31T10:00:00'", "p <= date '1970-01-01'",
     "p < date '1969-12-31'"},
    {"day", "ts = timestamp '1969-12-31T10:00:00'", "p IN (date '1969-12-31', date '1970-01-01')",
     "FALSE"},
    {"day", "ts != timestamp '1969-12-31T10:00:00'", "TRUE",
     "p NOT IN (date '1969-12-31', date '1970-01-01')"},
    {"day", "ts > timestamp '1969-12-30T23:59:59'", "p >= date '1969-12-30'",
     "p > date '1969-12-31'"},
    {"day", "ts >= timestamp '1969-12-31T10:00:00'", "p >= date '1969-12-31'",
     "p > date '1970-01-01'"},
};

static void each_transform_projects_as_tightly_as_it_can(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof projections / sizeof projections[0]; i++)
        check_projects(projections[i].transform, projections[i].text, projections[i].inclusive,
                       projections[i].strict);
}

static void d053_a_prefix_longer_than_the_width_is_not_excluded(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof not_prefixes / sizeof not_prefixes[0]; i++)
        check_projects(not_prefixes[i].transform, not_prefixes[i].text, not_prefixes[i].inclusive,
                       not_prefixes[i].strict);
}

static void d048_days_before_1970_may_be_stored_one_too_high(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof before_1970 / sizeof before_1970[0]; i++)
        check_projects(before_1970[i].transform, before_1970[i].text, before_1970[i].inclusive,
                       before_1970[i].strict);
}

static void several_fields_and_sources_are_taken_into_account(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    const int32_t ts[] = {9};
    const int32_t pair[] = {9, 2};
    const frz_partition_field fields[] = {
        {ts, 1, 1000, "day", {FRZ_TRANSFORM_DAY, 0, "day"}},
        {ts, 1, 1001, "year", {FRZ_TRANSFORM_YEAR, 0, "year"}},
        {pair, 2, 1002, "both", {FRZ_TRANSFORM_BUCKET, 4, "bucket[4]"}},
    };
    const frz_partition_spec spec = {.spec_id = 1, .fields = fields, .field_count = 3};
    const frz_type *type = NULL;
    const frz_expr *out = NULL;
    CHECK_OK(frz_partition_type(&spec, schema, NULL, 0, &arena, &type, &err), err);
    const frz_expr *expr =
        sample_parse(schema, "ts > timestamp '2024-03-01T05:00:00' AND i = 1 OR st.a = 1", &arena);
    CHECK_OK(frz_expr_project_inclusive(expr->left, &spec, type, &arena, &out, &err), err);
    check_prints(out, "day >= date '2024-03-01' AND year >= 54", "inclusive");
    CHECK_OK(frz_expr_project_inclusive(expr, &spec, type, &arena, &out, &err), err);
    check_prints(out, "TRUE", "or with an unpartitioned column");
    CHECK_OK(frz_expr_project_strict(expr->left->left, &spec, type, &arena, &out, &err), err);
    check_prints(out, "day > date '2024-03-01' OR year > 54", "strict");
    CHECK_OK(frz_expr_project_strict(expr, &spec, type, &arena, &out, &err), err);
    check_prints(out, "FALSE", "strict with unpartitioned columns");
    const frz_expr negated = {.op = FRZ_EXPR_NOT, .left = expr->left->left};
    CHECK_OK(frz_expr_project_inclusive(&negated, &spec, type, &arena, &out, &err), err);
    check_prints(out, "day <= date '2024-03-01' AND year <= 54", "negated");
    frz_arena_clear(&arena);
}

static void the_partition_column_projects_onto_the_tuple_itself(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    const int32_t source[] = {2};
    const frz_partition_field fields[] = {
        {source, 1, 1000, "b", {FRZ_TRANSFORM_BUCKET, 4, "bucket[4]"}}};
    const frz_partition_spec spec = {.spec_id = 1, .fields = fields, .field_count = 1};
    const frz_type *type = NULL;
    const frz_expr *out = NULL;
    CHECK_OK(frz_partition_type(&spec, schema, NULL, 0, &arena, &type, &err), err);
    CHECK_OK(frz_expr_project_strict(sample_parse(schema, "_partition.p > 1", &arena), &spec, type,
                                     &arena, &out, &err),
             err);
    check_prints(out, "b > 1", "by field id");
    CHECK_OK(frz_expr_project_inclusive(sample_parse(schema, "_partition.q = 'x'", &arena), &spec,
                                        type, &arena, &out, &err),
             err);
    check_prints(out, "FALSE", "null where the spec has no such field");
    CHECK_OK(frz_expr_project_strict(sample_parse(schema, "_partition.q IS NULL", &arena), &spec,
                                     type, &arena, &out, &err),
             err);
    check_prints(out, "TRUE", "null where the spec has no such field");
    frz_arena_clear(&arena);
}

/* date -> timestamp: the tuple has the newest type, the expression that of the schema which is
 * read. */
static void literals_follow_a_promoted_partition_type(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    const frz_field promoted[] = {
        {.id = 1000, .name = "p", .type = frz_type_of(FRZ_TYPE_TIMESTAMP)}};
    const frz_type type = {.kind = FRZ_TYPE_STRUCT, .fields = promoted, .field_count = 1};
    const int32_t source[] = {7};
    const frz_partition_field fields[] = {
        {source, 1, 1000, "p", {FRZ_TRANSFORM_IDENTITY, 0, "identity"}}};
    const frz_partition_spec spec = {.spec_id = 1, .fields = fields, .field_count = 1};
    const frz_expr *out = NULL;
    const frz_expr *expr = sample_parse(schema, "dt >= date '2024-03-01'", &arena);
    CHECK_OK(frz_expr_project_inclusive(expr, &spec, &type, &arena, &out, &err), err);
    check_prints(out, "p >= timestamp '2024-03-01T00:00:00.000000'", "promoted");
    const frz_field other[] = {{.id = 1000, .name = "p", .type = frz_type_of(FRZ_TYPE_STRING)}};
    const frz_type odd = {.kind = FRZ_TYPE_STRUCT, .fields = other, .field_count = 1};
    CHECK_OK(frz_expr_project_inclusive(expr, &spec, &odd, &arena, &out, &err), err);
    check_prints(out, "TRUE", "a type that the literal does not reach");
    frz_arena_clear(&arena);
}

static const frz_expr *swept;

static void project_once(void)
{
    frz_arena arena = {0};
    frz_error *err = NULL;
    const frz_expr *out = NULL;
    const frz_status status =
        frz_expr_project_inclusive(swept, &parts.spec, parts.type, &arena, &out, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_error_free(err);
    frz_arena_clear(&arena);
}

static void every_failing_allocation_is_reported(void **state)
{
    (void)state;
    frz_arena arena = {0};
    make_parts(&parts, schema);
    swept = sample_parse(
        schema, "i IN (1, 2, 3) AND (s > 'abc' OR NOT ts < timestamp '1960-01-01')", &arena);
    sweep_allocation_failures(project_once);
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
        cmocka_unit_test(projections_never_lie),
        cmocka_unit_test(each_transform_projects_as_tightly_as_it_can),
        cmocka_unit_test(d053_a_prefix_longer_than_the_width_is_not_excluded),
        cmocka_unit_test(d048_days_before_1970_may_be_stored_one_too_high),
        cmocka_unit_test(several_fields_and_sources_are_taken_into_account),
        cmocka_unit_test(the_partition_column_projects_onto_the_tuple_itself),
        cmocka_unit_test(literals_follow_a_promoted_partition_type),
        cmocka_unit_test(every_failing_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, open_schema, close_schema);
}
