#include "expr/sample.h"

static frz_schema *schema;

static const struct {
    const char *text;
    const char *want;
} readings[] = {
    {"i = 1", "i = 1"},
    {"i == 1", "i = 1"},
    {"i <> 1", "i != 1"},
    {"1 < i", "i > 1"},
    {"1 <= i", "i >= 1"},
    {"1 > i", "i < 1"},
    {"1 >= i", "i <= 1"},
    {"i IN (3, 1, 2, 1)", "i IN (1, 2, 3)"},
    {"i in (3)", "i = 3"},
    {"i NOT IN (3)", "i != 3"},
    {"i not in (5, 4)", "i NOT IN (4, 5)"},
    {"i BETWEEN 1 AND 5 AND l = 2", "i >= 1 AND i <= 5 AND l = 2"},
    {"i NOT BETWEEN 1 AND 5", "i < 1 OR i > 5"},
    {"not (i between 1 and 5)", "i < 1 OR i > 5"},
    {"s LIKE 'abc%'", "s STARTS WITH 'abc'"},
    {"s NOT LIKE 'abc%'", "s NOT STARTS WITH 'abc'"},
    {"s LIKE 'abc'", "s = 'abc'"},
    {"s NOT LIKE 'abc'", "s != 'abc'"},
    {"s LIKE '%'", "s IS NOT NULL"},
    {"s LIKE '%%'", "s IS NOT NULL"},
    {"s LIKE '%b%%c_'", "s LIKE '%b%c_'"},
    {"s LIKE 'a\\%b'", "s = 'a%b'"},
    {"s LIKE 'a!%b%' ESCAPE '!'", "s STARTS WITH 'a%b'"},
    {"s LIKE '!_!!\\_' ESCAPE '!'", "s LIKE '\\_!\\\\_'"},
    {"s STARTS WITH 'it''s'", "s STARTS WITH 'it''s'"},
    {"s starts with ''", "s IS NOT NULL"},
    {"s NOT STARTS WITH ''", "FALSE"},
    {"i IS NULL", "i IS NULL"},
    {"i IS NOT NULL", "i IS NOT NULL"},
    {"NOT i IS NULL", "i IS NOT NULL"},
    {"id IS NULL", "FALSE"},
    {"id IS NOT NULL", "TRUE"},
    {"d IS NAN", "d IS NAN"},
    {"f IS NOT NAN", "f IS NOT NAN"},
    {"isnan(d)", "d IS NAN"},
    {"not isnan(d)", "d IS NOT NAN"},
    {"i < l", "i < l"},
    {"NOT st.b <> \"a.b\"", "st.b = \"a.b\""},
    {"not (i >= size(ls) or f == d)", "i < size(ls) AND f != d"},
    {"unk = i OR i > unk", "FALSE"},
    {"TRUE", "TRUE"},
    {"false", "FALSE"},
    {"NOT TRUE", "FALSE"},
    {"NULL", "FALSE"},
    {"NOT NULL", "FALSE"},
    {"b", "b = TRUE"},
    {"NOT b", "b != TRUE"},
    {"NOT NOT b", "b = TRUE"},
    {"b = true AND TRUE", "b = TRUE"},
    {"b = false OR TRUE", "TRUE"},
    {"b AND FALSE", "FALSE"},
    {"i = NULL", "FALSE"},
    {"NOT i = NULL", "FALSE"},
    {"NULL <> i", "FALSE"},
    {"i IN (1, NULL)", "i = 1"},
    {"i NOT IN (1, NULL)", "FALSE"},
    {"NOT (i IN (1, NULL))", "FALSE"},
    {"unk = 5", "FALSE"},
    {"unk IS NULL", "unk IS NULL"},
    {"i = 1 AND l = 2 OR s = 'x'", "i = 1 AND l = 2 OR s = 'x'"},
    {"i = 1 AND (l = 2 OR s = 'x')", "i = 1 AND (l = 2 OR s = 'x')"},
    {"NOT (i = 1 AND l = 2 OR b)", "(i != 1 OR l != 2) AND b != TRUE"},
    {"NOT (i < 1 OR i >= 2)", "i >= 1 AND i < 2"},
    {"i=1 AND i=2 AND i=3 AND i=4 AND i=5", "i = 1 AND i = 2 AND i = 3 AND i = 4 AND i = 5"},
    {"i=1 AND (i=2 AND (i=3 AND i=4))", "i = 1 AND (i = 2 AND (i = 3 AND i = 4))"},
    {"(i=1 OR i=2) OR i=3", "i = 1 OR i = 2 OR i = 3"},
    {"st.a = 3", "st.a = 3"},
    {"\"st\".`b` = 'x'", "st.b = 'x'"},
    {"\"a.b\" = 'x'", "\"a.b\" = 'x'"},
    {"a.b = 'x'", "\"a.b\" = 'x'"},
    {"`weird \"name` = 1", "\"weird \"\"name\" = 1"},
    {"\"weird \"\"name\" = 1", "\"weird \"\"name\" = 1"},
    {"ls[0] = 5", "ls[0] = 5"},
    {"m['k'] > 5", "m['k'] > 5"},
    {"m['it''s'] IS NULL", "m['it''s'] IS NULL"},
    {"lst[2].x = 1", "lst[2].x = 1"},
    {"2 < SIZE(ls)", "size(ls) > 2"},
    {"size(m) is null or size (lst) in (3, 1)", "size(m) IS NULL OR size(lst) IN (1, 3)"},
    {"not size(ls) between 2 and 4", "size(ls) < 2 OR size(ls) > 4"},
    {"size(ls) > 5000000000", "FALSE"},
    {"_file STARTS WITH 's3://'", "_file STARTS WITH 's3://'"},
    {"_pos >= 10", "_pos >= 10"},
    {"_spec_id = 0", "_spec_id = 0"},
    {"_deleted", "_deleted = TRUE"},
    {"_row_id IN (1, 2)", "_row_id IN (1, 2)"},
    {"_last_updated_sequence_number > 5", "_last_updated_sequence_number > 5"},
    {"_partition.p = 3", "_partition.p = 3"},
    {"_pos IS NULL", "FALSE"},
    {" \t\r\ni=1\n", "i = 1"},
};

static void every_form_of_the_language_is_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof readings / sizeof readings[0]; i++) {
        check_parses(schema, readings[i].text, readings[i].want);
    }
}

static const struct {
    const char *text;
    uint64_t offset;
    const char *message;
} refusals[] = {
    {"", 0, "expected a column or a literal, got the end"},
    {"i = ", 4, "expected a column or a literal, got the end"},
    {"i", 1, "expected an operator behind the column"},
    {"i 5", 2, "expected an operator behind the column"},
    {"idd = 5", 0, "no column idd (near: "},
    {"st.c = 5", 3, "no column st.c"},
    {"i.x = 5", 2, "i has no fields"},
    {"i[0] = 5", 2, "i has no elements"},
    {"ls[-1] = 5", 3, "an index of 0 or more"},
    {"ls['x'] = 5", 3, "expected a literal of type long, got text 'x'"},
    {"ls[0 = 5", 5, "expected ], got ="},
    {"m[NULL] = 5", 2, "got NULL"},
    {"i = 'x'", 4, "expected a literal of type int, got text 'x'"},
    {"i = 1 AND i < s", 14, "columns i and s do not compare: they must be of one type"},
    {"dec = dec38", 6, "columns dec and dec38 do not compare"},
    {"ls = ls", 5, "columns ls and ls do not compare"},
    {"ts = tn", 5, "columns ts and tn do not compare"},
    {"i BETWEEN l AND id", 10, "expected a literal"},
    {"1 = 1", 0, "expected a column on one side"},
    {"5", 1, "expected a comparison with a column behind the literal"},
    {"i IN ()", 6, "expected a literal, got )"},
    {"i IN (1", 7, "expected , or ), got the end"},
    {"i IN 1", 5, "expected ( behind IN"},
    {"i BETWEEN 1 OR 2", 12, "expected AND behind the lower bound"},
    {"i NOT 5", 6, "expected IN, BETWEEN, LIKE or STARTS WITH behind NOT"},
    {"i IS 5", 5, "expected NULL, NAN or NOT behind IS"},
    {"s STARTS 'x'", 9, "expected WITH"},
    {"i LIKE 'x'", 7, "i is none"},
    {"s LIKE 5", 7, "expected text in single quotes"},
    {"s LIKE 'a\\b'", 7, "behind the escape \\"},
    {"s LIKE 'a' ESCAPE '%'", 18, "neither % nor _"},
    {"i IS NAN", 0, "NAN needs a float or double column; i is none"},
    {"st = 5", 5, "has no literals; only IS NULL tests it"},
    {"[0] = 5", 0, "expected a column or a literal, got ["},
    {".i = 5", 0, "expected a column or a literal, got ."},
    {"st..a = 5", 3, "expected a column or a literal, got ."},
    {"st.[0] = 5", 3, "expected a column or a literal, got ["},
    {"(i = 1", 6, "expected AND, OR or ), got the end"},
    {"i = 1)", 5, "expected AND, OR or the end, got )"},
    {"i = 1 x", 6, "expected AND, OR or the end, got x"},
    {"i = 1 AND", 9, "expected a column or a literal, got the end"},
    {"AND", 0, "expected a column or a literal, got AND"},
    {"length(s) = 2", 0, "no function length; there are isnan(column) and size(column)"},
    {"size(s) = 2", 0, "size() is of a list or a map; the column s is neither"},
    {"size(ls", 7, "expected ), got the end"},
    {"size(5) = 5", 5, "expected a column or a literal, got 5"},
    {"size(size(ls)) = 5", 5, "no function size"},
    {"size(ls) = 'x'", 11, "expected a literal of type int, got text 'x'"},
    {"isnan(d", 7, "expected ), got the end"},
    {"i = 'abc", 4, "expected a closing '"},
    {"i = X'0'", 4, "expected pairs of hexadecimal digits"},
    {"i = X'0g'", 7, "expected a hexadecimal digit, got g"},
    {"i = 5x", 5, "expected the end of the number, got x"},
    {"i ; 5", 2, "got ;"},
    {"dt = date '2024-13-01'", 5, "expected a date as 'YYYY-MM-DD', got '2024-13-01'"},
    {"_fil = 'x'", 0, "_file"},
    {"_partition.zz = 1", 11, "no column _partition.zz"},
};

static void a_wrong_expression_points_at_its_fault(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
        check_refused(schema, refusals[i].text, refusals[i].offset, refusals[i].message);
}

/* Paths are terminated text; found by fuzzing. */
static void a_key_with_a_nul_byte_is_refused(void **state)
{
    (void)state;
    static const char text[] = "m['a\0b'] > 5";
    frz_arena arena = {0};
    frz_error *err = NULL;
    const frz_expr *expr = NULL;
    CHECK_FAILS(frz_expr_parse(frz_slice_of(text, sizeof text - 1),
                               &(const frz_expr_scope){schema, NULL, true, false}, &arena, &expr,
                               &err),
                FRZ_INVALID, err, "expected a key without NUL bytes");
    frz_arena_clear(&arena);
}

static void names_follow_the_wanted_case(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    const frz_expr *expr = NULL;
    CHECK_OK(frz_expr_parse(frz_slice_of_text("ID = 1 and ST.A = 2 and AMB = 3"),
                            &(const frz_expr_scope){schema, NULL, false, false}, &arena, &expr,
                            &err),
             err);
    check_prints(expr, "id = 1 AND st.a = 2 AND AMB = 3", "any case");
    CHECK_FAILS(frz_expr_parse(frz_slice_of_text("Amb = 1"),
                               &(const frz_expr_scope){schema, NULL, false, false}, &arena, &expr,
                               &err),
                FRZ_INVALID, err, "ambiguous without its case: AMB, amb");
    CHECK_FAILS(frz_expr_parse(frz_slice_of_text("ID = 1"),
                               &(const frz_expr_scope){schema, NULL, true, false}, &arena, &expr,
                               &err),
                FRZ_INVALID, err, "no column ID (near: id");
    CHECK_FAILS(frz_expr_parse(frz_slice_of_text("_pos = 1"),
                               &(const frz_expr_scope){schema, NULL, true, false}, &arena, &expr,
                               &err),
                FRZ_INVALID, err, "no column _pos");
    CHECK_FAILS(frz_expr_parse(frz_slice_of_text("_partition.p = 1"),
                               &(const frz_expr_scope){schema, NULL, true, true}, &arena, &expr,
                               &err),
                FRZ_INVALID, err, "no column _partition");
    frz_arena_clear(&arena);
}

static void deep_and_long_expressions_stay_within_limits(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    const frz_expr *expr = NULL;
    frz_buffer text = {0};
    frz_buffer_append_fill(&text, '(', 100000);
    CHECK_FAILS(frz_expr_parse(frz_buffer_slice(&text),
                               &(const frz_expr_scope){schema, NULL, true, false}, &arena, &expr,
                               &err),
                FRZ_UNSUPPORTED, err, "nesting_depth");
    frz_buffer_reset(&text);
    for (int i = 0; i < 100000; i++)
        frz_buffer_append_text(&text, "NOT ");
    frz_buffer_append_text(&text, "i = 1");
    for (int i = 0; i < 100000; i++)
        frz_buffer_append_text(&text, " OR l = 2");
    CHECK_OK(frz_expr_parse(frz_buffer_slice(&text),
                            &(const frz_expr_scope){schema, NULL, true, false}, &arena, &expr,
                            &err),
             err);
    int depth = 0;
    for (const frz_expr *at = expr; at->op == FRZ_EXPR_OR; at = at->left)
        depth++;
    CHECK(depth == 17);
    frz_buffer_reset(&text);
    frz_buffer_append_text(&text, "i");
    frz_buffer_append_fill(&text, '.', 1);
    for (int i = 0; i < 1000; i++)
        frz_buffer_append_text(&text, "i.");
    frz_buffer_append_text(&text, "i = 1");
    CHECK_FAILS(frz_expr_parse(frz_buffer_slice(&text),
                               &(const frz_expr_scope){schema, NULL, true, false}, &arena, &expr,
                               &err),
                FRZ_UNSUPPORTED, err, "nesting_depth");
    frz_buffer_clear(&text);
    frz_arena_clear(&arena);
}

static void parse_once(const char *text)
{
    frz_arena arena = {0};
    frz_error *err = NULL;
    const frz_expr *expr = NULL;
    const frz_status status = frz_expr_parse(
        frz_slice_of_text(text), &(const frz_expr_scope){schema, sample_partition(), false, true},
        &arena, &expr, &err);
    if (frz_mem_failed())
        CHECK(status == FRZ_NO_MEMORY || status == FRZ_INVALID || status == FRZ_OK);
    else
        CHECK(status == FRZ_OK || status == FRZ_INVALID);
    CHECK((expr != NULL) == (status == FRZ_OK));
    frz_error_free(err);
    frz_arena_clear(&arena);
}

static void parse_many(void)
{
    parse_once(
        "i IN (1, 2, 3) AND (s LIKE 'a!%b%' ESCAPE '!' OR NOT st.a BETWEEN 1 AND 2) OR m['k'] = 1 "
        "OR \"a.b\" = 'it''s' OR fx = X'01' OR u = uuid 'f79c3e09-677c-4bbd-a479-512f87f72b3c'");
    parse_once("nothing_like = 5");
}

static void every_failing_allocation_is_reported(void **state)
{
    (void)state;
    sweep_allocation_failures(parse_many);
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
        cmocka_unit_test(every_form_of_the_language_is_read),
        cmocka_unit_test(a_wrong_expression_points_at_its_fault),
        cmocka_unit_test(a_key_with_a_nul_byte_is_refused),
        cmocka_unit_test(names_follow_the_wanted_case),
        cmocka_unit_test(deep_and_long_expressions_stay_within_limits),
        cmocka_unit_test(every_failing_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, open_schema, close_schema);
}
