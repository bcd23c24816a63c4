#include "json/writer.h"

#include <math.h>

#include "harness.h"

static void write_sample(frz_json_writer *json)
{
    frz_json_open_object(json);
    frz_json_key(json, "a");
    frz_json_i64(json, INT64_MIN);
    frz_json_key_slice(json, frz_slice_of_text("b"));
    frz_json_open_array(json);
    frz_json_bool(json, true);
    frz_json_null(json);
    frz_json_open_array(json);
    frz_json_close_array(json);
    frz_json_raw(json, frz_slice_of_text("{\"raw\":1}"));
    frz_json_close_array(json);
    frz_json_key(json, "c");
    frz_json_open_object(json);
    frz_json_close_object(json);
    frz_json_close_object(json);
}

static void check_text(frz_buffer *out, const char *want)
{
    frz_buffer_append_byte(out, 0);
    CHECK(!out->failed);
    assert_string_equal((const char *)out->data, want);
    frz_buffer_clear(out);
}

static void test_compact_and_indented_texts(void **state)
{
    (void)state;
    frz_buffer out = {0};
    frz_json_writer json = frz_json_writer_to(&out, 0);
    write_sample(&json);
    check_text(&out, "{\"a\":-9223372036854775808,\"b\":[true,null,[],{\"raw\":1}],\"c\":{}}");
    json = frz_json_writer_to(&out, 2);
    write_sample(&json);
    check_text(&out,
               "{\n  \"a\": -9223372036854775808,\n  \"b\": [\n    true,\n    null,\n    [],\n"
               "    {\"raw\":1}\n  ],\n  \"c\": {}\n}");
}

static void test_values_at_the_top_follow_each_other(void **state)
{
    (void)state;
    frz_buffer out = {0};
    frz_json_writer json = frz_json_writer_to(&out, 0);
    frz_json_open_array(&json);
    frz_json_close_array(&json);
    frz_buffer_append_byte(&out, '\n');
    frz_json_i64(&json, 0);
    check_text(&out, "[]\n0");
}

static void test_strings_are_escaped_and_made_utf8(void **state)
{
    (void)state;
    frz_buffer out = {0};
    frz_json_writer json = frz_json_writer_to(&out, 0);
    frz_json_string_slice(&json, frz_slice_of("\"\\/\b\f\n\r\t\0\x1f\x7f", 11));
    check_text(&out, "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\x7f\"");
    frz_json_string(&json, "\xc3\xa4 \xff \xed\xa0\x80 \xf0\x9f\x98\x80 \xe2\x82");
    check_text(&out, "\"\xc3\xa4 \xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd "
                     "\xf0\x9f\x98\x80 \xef\xbf\xbd\xef\xbf\xbd\"");
}

static void test_numbers_without_a_json_form_are_strings(void **state)
{
    (void)state;
    frz_buffer out = {0};
    frz_json_writer json = frz_json_writer_to(&out, 0);
    frz_json_open_array(&json);
    frz_json_f64(&json, (double)NAN);
    frz_json_f64(&json, (double)INFINITY);
    frz_json_f64(&json, (double)-INFINITY);
    frz_json_f64(&json, -0.0);
    frz_json_f64(&json, 1e300);
    frz_json_f64(&json, 0.1);
    frz_json_i64(&json, INT64_MAX);
    frz_json_close_array(&json);
    check_text(&out, "[\"NaN\",\"Infinity\",\"-Infinity\",-0.0,1e300,0.1,9223372036854775807]");
}

static void test_a_document_that_is_broken_off_is_closed(void **state)
{
    (void)state;
    frz_buffer out = {0};
    frz_json_writer json = frz_json_writer_to(&out, 0);
    frz_json_open_object(&json);
    frz_json_key(&json, "a");
    frz_json_open_array(&json);
    frz_json_i64(&json, 1);
    frz_json_open_object(&json);
    frz_json_key(&json, "b");
    frz_json_close_to(&json, 1);
    frz_json_key(&json, "c");
    frz_json_open_array(&json);
    frz_json_close_to(&json, 0);
    check_text(&out, "{\"a\":[1,{\"b\":null}],\"c\":[]}");
}

static void sweep_body(void)
{
    frz_buffer out = {0};
    frz_json_writer json = frz_json_writer_to(&out, 2);
    for (int i = 0; i < 20; i++)
        write_sample(&json);
    const frz_status status = frz_buffer_check(&out, NULL);
    CHECK((status == FRZ_NO_MEMORY) == frz_mem_failed());
    frz_buffer_clear(&out);
}

static void test_short_memory_sticks_to_the_buffer(void **state)
{
    (void)state;
    sweep_allocation_failures(sweep_body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compact_and_indented_texts),
        cmocka_unit_test(test_values_at_the_top_follow_each_other),
        cmocka_unit_test(test_strings_are_escaped_and_made_utf8),
        cmocka_unit_test(test_numbers_without_a_json_form_are_strings),
        cmocka_unit_test(test_a_document_that_is_broken_off_is_closed),
        cmocka_unit_test(test_short_memory_sticks_to_the_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
