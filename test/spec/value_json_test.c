#include "harness.h"

#include "spec/value.h"

static const frz_type *parsed_type(frz_arena *arena, const char *text)
{
    frz_error *err = NULL;
    const frz_type *type = NULL;
    CHECK_OK(frz_type_parse(frz_slice_of_text(text), arena, &type, &err), err);
    return type;
}

static frz_status read_text(const frz_type *type, const char *text, frz_arena *arena,
                            frz_value *out, frz_error **err)
{
    frz_json_reader json = frz_json_reader_over(frz_slice_of_text(text), arena);
    const frz_status status = frz_value_read_json(&json, type, arena, out, err);
    return status == FRZ_OK ? frz_json_expect_end(&json, err) : status;
}

static void check_written(const frz_type *type, const frz_value *value, const char *want)
{
    frz_buffer text = {0};
    frz_json_writer json = frz_json_writer_to(&text, 0);
    frz_value_write_json(type, value, &json);
    if (!frz_slice_is_text(frz_buffer_slice(&text), want))
        fail_msg("written %.*s, want %s", (int)text.size, (const char *)text.data, want);
    frz_buffer_clear(&text);
}

/* Appendix D, the rows of JSON single-value serialization, and what else other writers write. */
static void test_json_forms_equal_appendix_d(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        const char *text;
        const char *written;
    } rows[] = {
        {"boolean", "true", "true"},
        {"int", "34", "34"},
        {"long", "-9223372036854775808", "-9223372036854775808"},
        {"float", "1.0", "1.0"},
        {"float", "0.1", "0.1"},
        {"float", "\"NaN\"", "\"NaN\""},
        {"double", "1", "1.0"},
        {"double", "-0.0", "-0.0"},
        {"double", "0.1", "0.1"},
        {"double", "\"-Infinity\"", "\"-Infinity\""},
        {"decimal(9,2)", "\"14.20\"", "\"14.20\""},
        {"decimal(38,0)", "\"2E+20\"", "\"200000000000000000000\""},
        {"decimal(38,38)", "\"-0.99999999999999999999999999999999999999\"",
         "\"-0.99999999999999999999999999999999999999\""},
        {"date", "\"2017-11-16\"", "\"2017-11-16\""},
        {"time", "\"22:31:08.123456\"", "\"22:31:08.123456\""},
        {"time", "\"22:31\"", "\"22:31:00.000000\""},
        {"timestamp", "\"2017-11-16T22:31:08.123456\"", "\"2017-11-16T22:31:08.123456\""},
        {"timestamp", "\"2017-11-16T22:31:08\"", "\"2017-11-16T22:31:08.000000\""},
        {"timestamptz", "\"2017-11-16T22:31:08.123456+00:00\"",
         "\"2017-11-16T22:31:08.123456+00:00\""},
        {"timestamptz", "\"2017-11-16T22:31:08Z\"", "\"2017-11-16T22:31:08.000000+00:00\""},
        {"timestamp_ns", "\"2017-11-16T22:31:08.123456789\"", "\"2017-11-16T22:31:08.123456789\""},
        {"timestamptz_ns", "\"1969-12-31T23:59:59.999999999+00:00\"",
         "\"1969-12-31T23:59:59.999999999+00:00\""},
        {"string", "\"iceberg\"", "\"iceberg\""},
        {"string", "\"a\\u0000\\n\\\"\"", "\"a\\u0000\\n\\\"\""},
        {"uuid", "\"F79c3e09-677c-4bbd-a479-3f349cb785e7\"",
         "\"f79c3e09-677c-4bbd-a479-3f349cb785e7\""},
        {"fixed[4]", "\"000102FF\"", "\"000102ff\""},
        {"binary", "\"000102ff\"", "\"000102ff\""},
        {"binary", "\"\"", "\"\""},
        {"int", "null", "null"},
        {"unknown", "null", "null"},
        {"variant", " null", "null"},
    };
    frz_arena arena = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        frz_error *err = NULL;
        frz_value value = {0};
        frz_value again = {0};
        const frz_type *type = parsed_type(&arena, rows[i].type);
        CHECK_OK(read_text(type, rows[i].text, &arena, &value, &err), err);
        check_written(type, &value, rows[i].written);
        CHECK_OK(read_text(type, rows[i].written, &arena, &again, &err), err);
        CHECK(frz_value_same(&value, &again));
    }
    frz_arena_clear(&arena);
}

static void test_refuses_what_is_no_value_of_the_type(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        const char *text;
        uint64_t offset;
        const char *message;
    } rows[] = {
        {"boolean", " 1", 1, "expected a boolean"},
        {"int", "2147483648", 0, "JSON value of type int: expected a whole number of 32 bits"},
        {"int", "\"1\"", 0, "expected a number"},
        {"int", "1.5", 0, "expected a 64-bit integer"},
        {"long", "9223372036854775808", 0, "expected a 64-bit integer"},
        {"float", "1e39", 0, "is no float: expected a number within its range"},
        {"double", "\"1.0\"", 0, "JSON value of type double: expected a number"},
        {"double", "\"x\"", 0, "is no double"},
        {"decimal(9,2)", " \"14.201\"", 1, "is no decimal(9, 2)"},
        {"decimal(9,2)", "14.20", 0, "expected a string"},
        {"date", "  \"2017-02-30\"", 2, "is no date: expected YYYY-MM-DD"},
        {"date", "17486", 0, "expected a string"},
        {"time", "\"25:00:00\"", 0, "is no time"},
        {"timestamp", "\"2017-11-16T22:31:08+00:00\"", 0, "expected no time zone"},
        {"timestamptz", "\"2017-11-16T22:31:08\"", 0, "a time with the offset +00:00"},
        {"timestamptz", "\"2017-11-16T22:31:08-08:00\"", 0, "a time with the offset +00:00"},
        {"timestamptz_ns", "\"2017-11-16T22:31:08\"", 0, "a time with the offset +00:00"},
        {"timestamp", "\"2017-11-16T22:31:08.1234567\"", 0, "at most 6 digits"},
        {"uuid", "\"f79c\"", 0, "is no uuid"},
        {"fixed[4]", "\"0001\"", 0, "two hexadecimal digits"},
        {"binary", "\"0\"", 0, "two hexadecimal digits"},
        {"binary", "\"0x00\"", 0, "two hexadecimal digits"},
        {"unknown", "1", 0, "JSON value of type unknown: expected null"},
        {"variant", "{}", 0, "JSON value of type variant: expected null"},
        {"geometry", "\"POINT (30 10)\"", 0, "expected null"},
    };
    frz_arena arena = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        frz_error *err = NULL;
        frz_value value = {.form = FRZ_VALUE_LIST};
        uint64_t offset = 999;
        const frz_type *type = parsed_type(&arena, rows[i].type);
        CHECK(read_text(type, rows[i].text, &arena, &value, &err) == FRZ_CORRUPT);
        CHECK(frz_error_offset(err, &offset));
        if (offset != rows[i].offset || !strstr(frz_error_message(err), rows[i].message))
            fail_msg("%s %s: %d %s", rows[i].type, rows[i].text, (int)offset,
                     frz_error_message(err));
        CHECK(value.form == FRZ_VALUE_LIST);
        frz_error_free(err);
    }
    frz_arena_clear(&arena);
}

static const frz_field sample_fields[] = {
    {.id = 1, .name = "x", .type = &(const frz_type){.kind = FRZ_TYPE_INT}},
    {.id = 2, .name = "y", .type = &(const frz_type){.kind = FRZ_TYPE_STRING}}};
static const frz_type struct_type = {
    .kind = FRZ_TYPE_STRUCT, .fields = sample_fields, .field_count = 2};
static const frz_type list_type = {
    .kind = FRZ_TYPE_LIST, .fields = sample_fields, .field_count = 1};
static const frz_type map_type = {.kind = FRZ_TYPE_MAP, .fields = sample_fields, .field_count = 2};

static void test_nested_values(void **state)
{
    (void)state;
    static const struct {
        const frz_type *type;
        const char *text;
        size_t count;
        const char *written;
    } rows[] = {
        {&struct_type, "{}", 0, "{}"},
        {&struct_type, "{\"1\": 1, \"2\": \"bar\"}", 2, "{\"1\":1,\"2\":\"bar\"}"},
        {&struct_type, "{\"9\": [], \"2\": \"bar\"}", 2, "{\"2\":\"bar\"}"},
        {&struct_type, "{\"x\": 5}", 0, "{}"},
        {&list_type, "[1, 2, null, 3]", 4, "[1,2,null,3]"},
        {&list_type, "[]", 0, "[]"},
        {&map_type, "{ \"keys\": [1, 2], \"values\": [\"a\", null] }", 4,
         "{\"keys\":[1,2],\"values\":[\"a\",null]}"},
        {&map_type, "{\"values\":[],\"keys\":[]}", 0, "{\"keys\":[],\"values\":[]}"},
        {&struct_type, "null", 0, "null"},
    };
    frz_arena arena = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        frz_error *err = NULL;
        frz_value value = {0};
        CHECK_OK(read_text(rows[i].type, rows[i].text, &arena, &value, &err), err);
        CHECK(value.form == FRZ_VALUE_NULL || value.items.count == rows[i].count);
        check_written(rows[i].type, &value, rows[i].written);
    }
    frz_error *err = NULL;
    frz_value value = {0};
    CHECK_FAILS(read_text(&map_type, "{\"keys\":[1],\"values\":[]}", &arena, &value, &err),
                FRZ_CORRUPT, err, "as many keys as values");
    CHECK_FAILS(read_text(&map_type, "{\"keys\":[null],\"values\":[\"a\"]}", &arena, &value, &err),
                FRZ_CORRUPT, err, "keys that are not null");
    CHECK_FAILS(read_text(&list_type, "[1", &arena, &value, &err), FRZ_CORRUPT, err, "expected");
    CHECK_FAILS(read_text(&list_type, "{}", &arena, &value, &err), FRZ_CORRUPT, err,
                "expected an array");
    frz_arena_clear(&arena);
}

static void read_and_write_once(void)
{
    static const char *const texts[] = {
        "{\"keys\":[1,2],\"values\":[\"a\",null]}",
        "{\"keys\":[1,2,3,4,5],\"values\":[\"\\n\",null,\"\",\"\",\"\"]}"};
    for (size_t i = 0; i < 2; i++) {
        frz_arena arena = {0};
        frz_buffer text = {0};
        frz_error *err = NULL;
        frz_value value = {0};
        frz_status status = read_text(&map_type, texts[i], &arena, &value, &err);
        if (status == FRZ_OK) {
            frz_json_writer json = frz_json_writer_to(&text, 0);
            frz_value_write_json(&map_type, &value, &json);
            status = frz_buffer_check(&text, &err);
        }
        CHECK(status == FRZ_OK || (status == FRZ_NO_MEMORY && frz_mem_failed()));
        CHECK(status != FRZ_OK || frz_slice_is_text(frz_buffer_slice(&text), texts[i]));
        frz_error_free(err);
        frz_buffer_clear(&text);
        frz_arena_clear(&arena);
    }
}

static void test_short_memory_is_reported(void **state)
{
    (void)state;
    sweep_allocation_failures(read_and_write_once);
}

/* Hex and uuid values pass through a buffer of their own, whose failure must reach the writer's. */
static void write_bytes_once(void)
{
    uint8_t bytes[16] = {1, 2, 3};
    const frz_value value = {.form = FRZ_VALUE_BYTES, .bytes = {bytes, 16}};
    frz_buffer text = {0};
    frz_json_writer json = frz_json_writer_to(&text, 0);
    frz_value_write_json(frz_type_of(FRZ_TYPE_BINARY), &value, &json);
    CHECK(text.failed == frz_mem_failed());
    frz_buffer_clear(&text);
}

static void test_short_memory_while_writing_bytes_is_reported(void **state)
{
    (void)state;
    sweep_allocation_failures(write_bytes_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json_forms_equal_appendix_d),
        cmocka_unit_test(test_refuses_what_is_no_value_of_the_type),
        cmocka_unit_test(test_nested_values),
        cmocka_unit_test(test_short_memory_is_reported),
        cmocka_unit_test(test_short_memory_while_writing_bytes_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
