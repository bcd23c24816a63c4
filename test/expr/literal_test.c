#include "expr/literal.h"

#include "expr/sample.h"

static frz_schema *schema;

/* Tests through the parser: what the literal becomes in the type of its column. */
static const struct {
    const char *text;
    const char *want;
} conversions[] = {
    /* int: whole numbers in range, and what lies between and outside, decided exactly */
    {"i = 5.0", "i = 5"},
    {"i = 5e1", "i = 50"},
    {"i = '7'", "i = 7"},
    {"i = 2.5", "FALSE"},
    {"i <> 2.5", "i IS NOT NULL"},
    {"i < 2.5", "i <= 2"},
    {"i <= 2.5", "i <= 2"},
    {"i > 2.5", "i > 2"},
    {"i >= 2.5", "i > 2"},
    {"i < -2.5", "i <= -3"},
    {"i > -2.5", "i > -3"},
    {"i > 5000000000", "FALSE"},
    {"i < 5000000000", "i IS NOT NULL"},
    {"i > -5000000000", "i IS NOT NULL"},
    {"i = 5000000000", "FALSE"},
    {"i != 5000000000", "i IS NOT NULL"},
    {"id != 1e30", "TRUE"},
    {"id < 1e30", "TRUE"},
    {"i IN (1, 2.5, 5000000000)", "i = 1"},
    {"i NOT IN (2.5, 5000000000)", "i IS NOT NULL"},
    {"i BETWEEN 0.5 AND 1e99999999999", "i > 0 AND i IS NOT NULL"},
    {"l = 9223372036854775807", "l = 9223372036854775807"},
    {"l >= 9223372036854775808", "FALSE"},
    {"l >= -9223372036854775808", "l >= -9223372036854775808"},
    {"l = 0.000000000000000000000000000000000000000000000001", "FALSE"},
    {"l = 100000000000000000000000000000000000000000000e-42", "l = 100"},
    /* decimals */
    {"dec = 1.50", "dec = 1.50"},
    {"dec = 1.5", "dec = 1.50"},
    {"dec = 1.505", "FALSE"},
    {"dec > 1.505", "dec > 1.50"},
    {"dec < -1.505", "dec <= -1.51"},
    {"dec < 10000000", "dec IS NOT NULL"},
    {"dec >= 9999999.99", "dec >= 9999999.99"},
    {"dec38 = -0.0000000001", "dec38 = -0.0000000001"},
    {"dec38 < 9999999999999999999999999999.9999999999",
     "dec38 < 9999999999999999999999999999.9999999999"},
    {"dec38 < 1e28", "dec38 IS NOT NULL"},
    /* floating */
    {"d = 0.1", "d = 0.1"},
    {"f = 0.1", "f = 0.1"},
    {"f > 1e39", "f >= 'Infinity'"},
    {"f < 1e39", "f < 'Infinity'"},
    {"f <= 1e39", "f < 'Infinity'"},
    {"f >= -1e39", "f > '-Infinity'"},
    {"f = 1e39", "FALSE"},
    {"d = 1e999", "FALSE"},
    {"d > 'Infinity'", "d > 'Infinity'"},
    {"d = 'nan'", "d = 'NaN'"},
    {"d IN ('NaN', 1)", "d IN (1.0, 'NaN')"},
    /* dates and times */
    {"dt = date '2024-03-01'", "dt = date '2024-03-01'"},
    {"dt = DATE'2024-03-01'", "dt = date '2024-03-01'"},
    {"dt = '2024-03-01'", "dt = date '2024-03-01'"},
    {"dt < timestamp '2024-03-01T12:00:00'", "dt <= date '2024-03-01'"},
    {"dt >= timestamp '2024-03-01 00:00:00'", "dt >= date '2024-03-01'"},
    {"dt = timestamp '1969-12-31T23:00:00'", "FALSE"},
    {"dt > timestamp '1969-12-31T23:00:00'", "dt > date '1969-12-31'"},
    {"tm >= time '12:00:00'", "tm >= time '12:00:00.000000'"},
    {"tm = '12:00:00.5'", "tm = time '12:00:00.500000'"},
    {"ts = timestamp '2024-01-01 00:10:00'", "ts = timestamp '2024-01-01T00:10:00.000000'"},
    {"ts = '2024-01-01T00:10:00'", "ts = timestamp '2024-01-01T00:10:00.000000'"},
    {"ts >= date '2024-01-01'", "ts >= timestamp '2024-01-01T00:00:00.000000'"},
    {"ts > timestamp_ns '1969-12-31T23:59:59.999999999'",
     "ts > timestamp '1969-12-31T23:59:59.999999'"},
    {"ts = timestamp_ns '1969-12-31T23:59:59.999999999'", "FALSE"},
    {"tz < timestamptz '2024-01-01T00:00:00+01:00'",
     "tz < timestamptz '2023-12-31T23:00:00.000000Z'"},
    {"tz < '2024-01-01T00:00:00'", "tz < timestamptz '2024-01-01T00:00:00.000000Z'"},
    {"tz < timestamp '2024-01-01T00:00:00'", "tz < timestamptz '2024-01-01T00:00:00.000000Z'"},
    {"tn = timestamp_ns '2024-02-29T12:34:56.123456789'",
     "tn = timestamp_ns '2024-02-29T12:34:56.123456789'"},
    {"tn = timestamp '2024-02-29T12:34:56.123456'",
     "tn = timestamp_ns '2024-02-29T12:34:56.123456000'"},
    {"zn < timestamptz_ns '1970-01-01T00:00:00.000000001Z'",
     "zn < timestamptz_ns '1970-01-01T00:00:00.000000001Z'"},
    {"tn < '9999-12-31T00:00:00'", "tn IS NOT NULL"},
    {"tn < '0001-01-01T00:00:00'", "FALSE"},
    /* bytes */
    {"u = uuid 'F79C3E09-677C-4BBD-A479-512F87F72B3C'",
     "u = uuid 'f79c3e09-677c-4bbd-a479-512f87f72b3c'"},
    {"u = 'f79c3e09-677c-4bbd-a479-512f87f72b3c'",
     "u = uuid 'f79c3e09-677c-4bbd-a479-512f87f72b3c'"},
    {"u = X'f79c3e09677c4bbda479512f87f72b3c'", "u = uuid 'f79c3e09-677c-4bbd-a479-512f87f72b3c'"},
    {"bin = X'00fF'", "bin = X'00ff'"},
    {"bin = X''", "bin = X''"},
    {"bin = '0x00ff'", "bin = X'00ff'"},
    {"fx = X'00010203'", "fx = X'00010203'"},
    {"fx = X'00'", "FALSE"},
    {"fx < X'80'", "fx < X'80000000'"},
    {"fx <= X'80'", "fx < X'80000000'"},
    {"fx > X'0001020304'", "fx > X'00010203'"},
    {"fx >= X'0001020304'", "fx > X'00010203'"},
    /* text and booleans */
    {"s = 'it''s \\ '", "s = 'it''s \\ '"},
    {"b = 'TRUE'", "b = TRUE"},
    {"b <> 'false'", "b != FALSE"},
    {"TRUE = b", "b = TRUE"},
};

static void literals_take_the_type_of_their_column(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof conversions / sizeof conversions[0]; i++)
        check_parses(schema, conversions[i].text, conversions[i].want);
}

static void literals_of_another_kind_are_refused(void **state)
{
    (void)state;
    check_refused(schema, "i = TRUE", 4, "expected a literal of type int, got a boolean");
    check_refused(schema, "i = '1x'", 4, "type int, got text '1x'");
    check_refused(schema, "i = ''", 4, "type int, got text");
    check_refused(schema, "i = '1e'", 4, "type int");
    check_refused(schema, "i = '.'", 4, "type int");
    check_refused(schema, "i = X'01'", 4, "type int, got bytes");
    check_refused(schema, "dec = 'abc'", 6, "type decimal(9, 2), got text 'abc'");
    check_refused(schema, "d = 'abc'", 4, "type double");
    check_refused(schema, "ts = 1700000000", 5, "type timestamp, got a number '1700000000'");
    check_refused(schema, "ts = timestamptz '2024-01-01T00:00:00Z'", 5,
                  "type timestamp, got a timestamp with a zone");
    check_refused(schema, "dt = '2024-01-01T00:00:00Z'", 5, "type date");
    check_refused(schema, "tm = date '2024-01-01'", 5, "type time, got a date");
    check_refused(schema, "tm = time '25:00'", 5, "expected a time as");
    check_refused(schema, "tm = '25:00'", 5, "type time");
    check_refused(schema, "u = uuid 'zz'", 4, "expected a uuid as");
    check_refused(schema, "u = X'00'", 4, "type uuid, got bytes");
    check_refused(schema, "u = 'zz'", 4, "type uuid");
    check_refused(schema, "s = 5", 4, "type string, got a number '5'");
    check_refused(schema, "b = 1", 4, "type boolean");
    check_refused(schema, "b = 'yes'", 4, "type boolean");
    check_refused(schema, "bin = 'xyz'", 6, "type binary");
    check_refused(schema, "ts = timestamp 'tomorrow'", 5, "expected a timestamp as");
    check_refused(schema, "ls = 5", 5, "has no literals");
}

static void values_become_literals_of_other_types(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_literal literal;
    frz_value value;
    frz_literal_side side = FRZ_SIDE_EQUAL;
    const frz_value day = {.form = FRZ_VALUE_INTEGER, .integer = -1};
    CHECK_OK(frz_literal_from(frz_type_of(FRZ_TYPE_DATE), &day, &arena, &literal, &err), err);
    CHECK_OK(frz_literal_convert(&literal, frz_type_of(FRZ_TYPE_TIMESTAMP_NS), &arena, &value,
                                 &side, &err),
             err);
    CHECK(side == FRZ_SIDE_EQUAL && value.integer == INT64_C(-86400000000000));
    const frz_value nano = {.form = FRZ_VALUE_INTEGER, .integer = -1};
    CHECK_OK(frz_literal_from(frz_type_of(FRZ_TYPE_TIMESTAMP_NS), &nano, &arena, &literal, &err),
             err);
    CHECK_OK(
        frz_literal_convert(&literal, frz_type_of(FRZ_TYPE_TIMESTAMP), &arena, &value, &side, &err),
        err);
    CHECK(side == FRZ_SIDE_ABOVE && value.integer == -1);
    const frz_value big = {.form = FRZ_VALUE_INTEGER, .integer = INT64_C(5000000000)};
    CHECK_OK(frz_literal_from(frz_type_of(FRZ_TYPE_LONG), &big, &arena, &literal, &err), err);
    CHECK_OK(frz_literal_convert(&literal, frz_type_of(FRZ_TYPE_INT), &arena, &value, &side, &err),
             err);
    CHECK(side == FRZ_SIDE_ABOVE_ALL);
    const frz_value tenth = {.form = FRZ_VALUE_NUMBER, .number = 0.5};
    CHECK_OK(frz_literal_from(frz_type_of(FRZ_TYPE_FLOAT), &tenth, &arena, &literal, &err), err);
    CHECK_OK(
        frz_literal_convert(&literal, frz_type_of(FRZ_TYPE_DOUBLE), &arena, &value, &side, &err),
        err);
    CHECK(side == FRZ_SIDE_EQUAL && value.number == 0.5);
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
        cmocka_unit_test(literals_take_the_type_of_their_column),
        cmocka_unit_test(literals_of_another_kind_are_refused),
        cmocka_unit_test(values_become_literals_of_other_types),
    };
    return cmocka_run_group_tests(tests, open_schema, close_schema);
}
