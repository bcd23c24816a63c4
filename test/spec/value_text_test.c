#include "harness.h"

#include <math.h>

#include "spec/value.h"

static const frz_type *parsed_type(frz_arena *arena, const char *text)
{
    frz_error *err = NULL;
    const frz_type *type = NULL;
    CHECK_OK(frz_type_parse(frz_slice_of_text(text), arena, &type, &err), err);
    return type;
}

static void check_print(const frz_type *type, const frz_value *value, const char *want)
{
    frz_buffer text = {0};
    frz_value_print(type, value, &text);
    if (!frz_slice_is_text(frz_buffer_slice(&text), want))
        fail_msg("printed \"%.*s\", want \"%s\"", (int)text.size, (const char *)text.data, want);
    frz_buffer_clear(&text);
}

/* A literal, and what --output prints for it. */
static void test_literals_of_every_type(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        const char *text;
        const char *printed;
    } rows[] = {
        {"boolean", "true", "true"},
        {"boolean", "FALSE", "false"},
        {"int", "-2147483648", "-2147483648"},
        {"int", "+7", "7"},
        {"long", "-9223372036854775808", "-9223372036854775808"},
        {"long", "9223372036854775807", "9223372036854775807"},
        {"float", "0.1", "0.1"},
        {"float", "3.4028235e38", "3.4028235e38"},
        {"float", "nan", "NaN"},
        {"double", "-inf", "-Infinity"},
        {"double", "Infinity", "Infinity"},
        {"double", "1e-400", "0.0"},
        {"double", "0.1", "0.1"},
        {"decimal(9,2)", "14.2", "14.20"},
        {"decimal(9,2)", "14.2000", "14.20"},
        {"decimal(9,2)", "1e3", "1000.00"},
        {"decimal(9,2)", "-0.01", "-0.01"},
        {"decimal(38,0)", "-99999999999999999999999999999999999999",
         "-99999999999999999999999999999999999999"},
        {"decimal(38,38)", "0.00000000000000000000000000000000000001",
         "0.00000000000000000000000000000000000001"},
        {"date", "1969-12-31", "1969-12-31"},
        {"date", "2024-02-29", "2024-02-29"},
        {"time", "22:31", "22:31:00.000000"},
        {"time", "22:31:08.1", "22:31:08.100000"},
        {"time", "22:31:08.123456000", "22:31:08.123456"},
        {"timestamp", "2017-11-16T22:31:08.000001", "2017-11-16T22:31:08.000001"},
        {"timestamp", "2017-11-16 22:31:08", "2017-11-16T22:31:08.000000"},
        {"timestamp", "2017-11-16", "2017-11-16T00:00:00.000000"},
        {"timestamptz", "2017-11-16T14:31:08-08:00", "2017-11-16T22:31:08.000000Z"},
        {"timestamptz", "2017-11-16T22:31:08Z", "2017-11-16T22:31:08.000000Z"},
        {"timestamptz", "2017-11-16T22:31:08", "2017-11-16T22:31:08.000000Z"},
        {"timestamp_ns", "1677-09-21T00:12:43.145224192", "1677-09-21T00:12:43.145224192"},
        {"timestamp_ns", "2262-04-11T23:47:16.854775807", "2262-04-11T23:47:16.854775807"},
        {"timestamptz_ns", "1969-12-31T23:59:59.999999999Z", "1969-12-31T23:59:59.999999999Z"},
        {"timestamptz_ns", "1970-01-01T01:00:00+01:00", "1970-01-01T00:00:00.000000000Z"},
        {"string", "", ""},
        {"string", "null", "null"},
        {"uuid", "F79C3E09-677c-4bbd-a479-3f349cb785e7", "f79c3e09-677c-4bbd-a479-3f349cb785e7"},
        {"fixed[2]", "0x00Ff", "0x00ff"},
        {"binary", "0X", "0x"},
        {"binary", "0xabcdef", "0xabcdef"},
    };
    frz_arena arena = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        frz_error *err = NULL;
        frz_value value = {0};
        const frz_type *type = parsed_type(&arena, rows[i].type);
        CHECK_OK(frz_value_parse(type, frz_slice_of_text(rows[i].text), &arena, &value, &err), err);
        check_print(type, &value, rows[i].printed);
    }
    frz_arena_clear(&arena);
}

static void test_refuses_what_does_not_fit_exactly(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        const char *text;
        const char *message;
    } rows[] = {
        {"boolean", "yes", "\"yes\" is no boolean: expected true or false"},
        {"boolean", "t\x12ue", "is no boolean"},
        {"int", "2147483648", "\"2147483648\" is no int: expected a whole number of 32 bits"},
        {"int", "1.0", "is no int"},
        {"int", "", "is no int"},
        {"long", "9223372036854775808", "is no long: expected a whole number of 64 bits"},
        {"float", "1e39", "is no float: expected a number within its range"},
        {"float", "abc", "expected a number, NaN or Infinity"},
        {"double", "1e999", "is no double: expected a number within its range"},
        {"decimal(9,2)", "14.201", "is no decimal(9, 2): expected a number that needs no rounding"},
        {"decimal(9,2)", "12345678.00", "is no decimal(9, 2)"},
        {"decimal(9,2)", "NaN", "is no decimal(9, 2)"},
        {"date", "2023-02-29", "is no date: expected YYYY-MM-DD"},
        {"date", "+9999999-01-01", "is no date"},
        {"time", "24:00:00", "is no time"},
        {"time", "22:31:08.1234567", "at most 6 digits"},
        {"timestamp", "2017-11-16T22:31:08Z", "is no timestamp: expected no time zone"},
        {"timestamp", "2017-11-16T22:31:08.0000001", "at most 6 digits of a second"},
        {"timestamp_ns", "2262-04-11T23:47:16.854775808", "a time within its range"},
        {"timestamp_ns", "1677-09-21T00:12:43.145224191", "a time within its range"},
        {"timestamp", "+294248-01-01T00:00:00", "a time within its range"},
        {"timestamptz", "yesterday", "is no timestamptz"},
        {"uuid", "f79c3e09677c4bbda4793f349cb785e7", "is no uuid: expected 8-4-4-4-12"},
        {"fixed[2]", "0x00", "fixed[2] of 1 bytes"},
        {"binary", "00ff", "expected 0x and two hexadecimal digits"},
        {"binary", "0x0", "two hexadecimal digits"},
        {"binary", "0x0g", "two hexadecimal digits"},
        {"unknown", "1", "a unknown has no literal"},
        {"variant", "1", "has no literal"},
        {"geometry", "POINT (1 2)", "has no literal"},
    };
    frz_arena arena = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        frz_error *err = NULL;
        frz_value value = {.form = FRZ_VALUE_LIST};
        CHECK_FAILS(frz_value_parse(parsed_type(&arena, rows[i].type),
                                    frz_slice_of_text(rows[i].text), &arena, &value, &err),
                    FRZ_INVALID, err, rows[i].message);
        CHECK(value.form == FRZ_VALUE_LIST);
    }
    frz_arena_clear(&arena);
}

static void test_prints_nested_values_for_people(void **state)
{
    (void)state;
    const frz_field fields[] = {{.id = 1, .name = "x", .type = frz_type_of(FRZ_TYPE_INT)},
                                {.id = 2, .name = "y", .type = frz_type_of(FRZ_TYPE_STRING)}};
    const frz_value items[] = {{.form = FRZ_VALUE_INTEGER, .integer = 5}, {.form = FRZ_VALUE_NULL}};
    frz_type type = {.kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = 2};
    frz_value value = {.form = FRZ_VALUE_STRUCT, .items = {items, 2}};
    check_print(&type, &value, "{x: 5, y: null}");
    check_print(&type, &(frz_value){.form = FRZ_VALUE_STRUCT}, "{}");
    check_print(&type, &(frz_value){.form = FRZ_VALUE_NULL}, "null");
    type.kind = FRZ_TYPE_MAP;
    value.form = FRZ_VALUE_LIST;
    check_print(&type, &value, "{5: null}");
    type.kind = FRZ_TYPE_LIST;
    type.field_count = 1;
    check_print(&type, &value, "[5, null]");
    check_print(frz_type_of(FRZ_TYPE_GEOMETRY),
                &(frz_value){.form = FRZ_VALUE_BYTES, .bytes = frz_slice_of_text("\x01\x02")},
                "0x0102");
}

static void parse_once(void)
{
    static const char *const rows[][2] = {
        {"uuid", "f79c3e09-677c-4bbd-a479-3f349cb785e7"}, {"binary", "0x00"}, {"string", "abc"}};
    for (size_t i = 0; i < 3; i++) {
        frz_arena arena = {0};
        frz_error *err = NULL;
        frz_value value = {0};
        const frz_type *type = NULL;
        CHECK_OK(frz_type_parse(frz_slice_of_text(rows[i][0]), &arena, &type, &err), err);
        const frz_status status =
            frz_value_parse(type, frz_slice_of_text(rows[i][1]), &arena, &value, &err);
        CHECK(status == FRZ_OK || (status == FRZ_NO_MEMORY && frz_mem_failed()));
        CHECK(value.form == (status == FRZ_OK ? FRZ_VALUE_BYTES : FRZ_VALUE_NULL));
        frz_error_free(err);
        frz_arena_clear(&arena);
    }
}

static void test_short_memory_is_reported(void **state)
{
    (void)state;
    sweep_allocation_failures(parse_once);
}

/* Seeded: what is printed parses to the same value. */
static void test_random_values_survive_their_text(void **state)
{
    (void)state;
    static const char *const types[] = {"int",           "long",          "float",
                                        "double",        "date",          "timestamp",
                                        "timestamptz",   "timestamp_ns",  "timestamptz_ns",
                                        "decimal(38,5)", "decimal(38,38)"};
    uint64_t seed = 7;
    frz_arena arena = {0};
    for (int i = 0; i < 22000; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const uint64_t bits = seed >> (seed >> 58);
        const frz_type *type = parsed_type(&arena, types[i % 11]);
        frz_value value = {.form = FRZ_VALUE_INTEGER, .integer = (int64_t)bits};
        if (type->kind == FRZ_TYPE_INT || type->kind == FRZ_TYPE_DATE)
            value.integer = (int32_t)bits;
        if (type->kind == FRZ_TYPE_DOUBLE || type->kind == FRZ_TYPE_FLOAT) {
            double number = 0;
            float narrow = 0;
            memcpy(&number, &bits, 8);
            memcpy(&narrow, &bits, 4);
            number = type->kind == FRZ_TYPE_FLOAT ? (double)narrow : number;
            value = (frz_value){.form = FRZ_VALUE_NUMBER, .number = number};
        }
        if (type->kind == FRZ_TYPE_DECIMAL)
            value =
                (frz_value){.form = FRZ_VALUE_DECIMAL,
                            .decimal = (frz_int128)(int64_t)bits * INT64_C(1000000000000000007)};
        frz_buffer text = {0};
        frz_error *err = NULL;
        frz_value back = {0};
        frz_value_print(type, &value, &text);
        CHECK_OK(frz_value_parse(type, frz_buffer_slice(&text), &arena, &back, &err), err);
        if (!frz_value_same(&value, &back))
            fail_msg("%s %.*s", types[i % 11], (int)text.size, (const char *)text.data);
        frz_buffer_clear(&text);
        frz_arena_clear(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_literals_of_every_type),
        cmocka_unit_test(test_refuses_what_does_not_fit_exactly),
        cmocka_unit_test(test_prints_nested_values_for_people),
        cmocka_unit_test(test_short_memory_is_reported),
        cmocka_unit_test(test_random_values_survive_their_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
