#include "harness.h"

#include "spec/transform.h"

/* A value by its literal, transformed, printed as Java's toHumanString does. */
static void test_prints_as_java_does(void **state)
{
    (void)state;
    static const struct {
        const char *transform;
        const char *type;
        const char *value;
        const char *want;
    } rows[] = {
        {"year", "date", "2017-12-01", "2017"},
        {"month", "date", "2017-12-01", "2017-12"},
        {"day", "date", "2017-12-01", "2017-12-01"},
        {"year", "date", "1969-12-30", "1969"},
        {"month", "date", "1969-12-30", "1969-12"},
        {"day", "date", "1969-12-30", "1969-12-30"},
        {"month", "date", "1969-01-01", "1969-01"},
        {"hour", "timestamp", "2017-12-01T10:12:55.038194", "2017-12-01-10"},
        {"hour", "timestamp", "1969-12-30T10:00:00", "1969-12-30-10"},
        {"hour", "timestamp", "1969-12-31T23:59:59.999999", "1969-12-31-23"},
        {"hour", "timestamptz_ns", "2017-12-01T10:12:55.038194789-08:00", "2017-12-01-18"},
        {"year", "date", "0007-01-01", "0007"},
        {"year", "date", "-0001-01-01", "-001"},
        {"year", "date", "+12345-01-01", "12345"},
        {"bucket[100]", "string", "iceberg", "89"},
        {"truncate[3]", "string", "iceberg", "ice"},
        {"truncate[10]", "long", "-1", "-10"},
        {"identity", "boolean", "true", "true"},
        {"identity", "int", "-7", "-7"},
        {"identity", "long", "-1234567890000", "-1234567890000"},
        {"identity", "string", "a/b/c=d", "a/b/c=d"},
        {"identity", "string", "", ""},
        {"identity", "uuid", "f79c3e09-677c-4bbd-a479-3f349cb785e7",
         "f79c3e09-677c-4bbd-a479-3f349cb785e7"},
        {"identity", "binary", "0x010203", "AQID"},
        {"identity", "fixed[3]", "0x010203", "AQID"},
        {"identity", "binary", "0x", ""},
        {"identity", "binary", "0xff", "/w=="},
        {"identity", "binary", "0xfbff", "+/8="},
        {"identity", "date", "2017-12-01", "2017-12-01"},
        {"identity", "date", "+12345-01-01", "12345-01-01"},
        {"identity", "time", "10:12:55.038194", "10:12:55.038194"},
        {"identity", "time", "10:12:55.038", "10:12:55.038"},
        {"identity", "time", "10:12:55", "10:12:55"},
        {"identity", "time", "10:12:00", "10:12"},
        {"identity", "time", "00:00:00.000001", "00:00:00.000001"},
        {"identity", "timestamp", "2017-12-01T10:12:55.038194", "2017-12-01T10:12:55.038194"},
        {"identity", "timestamp", "2017-12-01T10:12:55.03", "2017-12-01T10:12:55.03"},
        {"identity", "timestamp", "2017-12-01T10:12:00", "2017-12-01T10:12:00"},
        {"identity", "timestamp", "1969-12-31T23:59:59.999999", "1969-12-31T23:59:59.999999"},
        {"identity", "timestamp", "+12345-12-01T10:12:00", "+12345-12-01T10:12:00"},
        {"identity", "timestamptz", "2017-12-01T10:12:55.038194-08:00",
         "2017-12-01T18:12:55.038194+00:00"},
        {"identity", "timestamp_ns", "2017-12-01T10:12:55.038194789",
         "2017-12-01T10:12:55.038194789"},
        {"identity", "timestamptz_ns", "1969-12-31T23:59:59.999999990Z",
         "1969-12-31T23:59:59.99999999+00:00"},
        {"identity", "decimal(9,2)", "-1.50", "-1.50"},
        {"identity", "decimal(9,0)", "150", "150"},
        {"identity", "decimal(9,2)", "0", "0.00"},
        {"identity", "decimal(38,10)", "0.0000000001", "1E-10"},
        {"identity", "decimal(38,10)", "-0.0000000012", "-1.2E-9"},
        {"identity", "decimal(38,10)", "0.0000012345", "0.0000012345"},
        {"identity", "decimal(38,10)", "0", "0E-10"},
        {"identity", "decimal(38,6)", "0", "0.000000"},
        {"identity", "decimal(38,7)", "0", "0E-7"},
        {"identity", "float", "0.1", "0.1"},
        {"identity", "float", "-0.0", "-0.0"},
        {"identity", "float", "100", "100.0"},
        {"identity", "float", "1e7", "1.0E7"},
        {"identity", "float", "9999999", "9999999.0"},
        {"identity", "float", "1.25e-3", "0.00125"},
        {"identity", "float", "1e-4", "1.0E-4"},
        {"identity", "float", "nan", "NaN"},
        {"identity", "double", "-inf", "-Infinity"},
        {"identity", "double", "2.2e-299", "2.2E-299"},
        {"identity", "double", "123456.789", "123456.789"},
        {"identity", "double", "12345678.9", "1.23456789E7"},
        {"identity", "double", "0.001", "0.001"},
        {"identity", "double", "0.00099", "9.9E-4"},
        {"identity", "double", "1e300", "1.0E300"},
        {"identity", "double", "1e16", "1.0E16"},
    };
    frz_arena arena = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        frz_error *err = NULL;
        frz_transform transform = {0};
        const frz_type *type = NULL;
        frz_value value = {0};
        frz_value result = {0};
        frz_buffer text = {0};
        CHECK_OK(
            frz_transform_parse(frz_slice_of_text(rows[i].transform), &arena, &transform, &err),
            err);
        CHECK_OK(frz_type_parse(frz_slice_of_text(rows[i].type), &arena, &type, &err), err);
        CHECK_OK(frz_value_parse(type, frz_slice_of_text(rows[i].value), &arena, &value, &err),
                 err);
        CHECK_OK(frz_transform_apply(&transform, type, &value, &arena, &result, &err), err);
        frz_transform_print(&transform, frz_transform_result_type(&transform, type), &result,
                            &text);
        if (!frz_slice_is_text(frz_buffer_slice(&text), rows[i].want))
            fail_msg("%s of %s %s: \"%.*s\", want \"%s\"", rows[i].transform, rows[i].type,
                     rows[i].value, (int)text.size, (const char *)text.data, rows[i].want);
        frz_buffer_clear(&text);
        frz_arena_clear(&arena);
    }
}

static void test_nulls_and_unknown_transforms(void **state)
{
    (void)state;
    const frz_transform day = {.kind = FRZ_TRANSFORM_DAY, .text = "day"};
    const frz_transform none = {.kind = FRZ_TRANSFORM_VOID, .text = "void"};
    const frz_transform strange = {.kind = FRZ_TRANSFORM_UNKNOWN, .text = "zorder"};
    const frz_type *string = frz_type_of(FRZ_TYPE_STRING);
    frz_buffer text = {0};
    frz_transform_print(&day, frz_type_of(FRZ_TYPE_DATE), &(frz_value){.form = FRZ_VALUE_NULL},
                        &text);
    frz_buffer_append_byte(&text, ' ');
    frz_transform_print(&none, string,
                        &(frz_value){.form = FRZ_VALUE_BYTES, .bytes = frz_slice_of_text("x")},
                        &text);
    frz_buffer_append_byte(&text, ' ');
    frz_transform_print(&strange, string,
                        &(frz_value){.form = FRZ_VALUE_BYTES, .bytes = frz_slice_of_text("x")},
                        &text);
    frz_buffer_append_byte(&text, ' ');
    frz_transform_print(&strange, string, &(frz_value){.form = FRZ_VALUE_INTEGER, .integer = -5},
                        &text);
    CHECK(frz_slice_is_text(frz_buffer_slice(&text), "null null x -5"));
    frz_buffer_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prints_as_java_does),
        cmocka_unit_test(test_nulls_and_unknown_transforms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
