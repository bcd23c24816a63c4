#include "harness.h"

#include "spec/members.h"

static frz_arena arena;

static frz_json_reader over(const char *text)
{
    return frz_json_reader_over(frz_slice_of_text(text), &arena);
}

static int clear_arena(void **state)
{
    (void)state;
    frz_arena_clear(&arena);
    return 0;
}

static void null_leaves_a_number_or_text_as_it_is(void **state)
{
    (void)state;
    frz_error *err = NULL;
    int64_t number = 7;
    int32_t small = 8;
    const char *text = "before";
    frz_json_reader json = over("null");
    CHECK_OK(frz_member_i64(&json, &number, &err), err);
    json = over("null");
    CHECK_OK(frz_member_i32(&json, &small, &err), err);
    json = over("null");
    CHECK_OK(frz_member_text(&json, &text, &err), err);
    CHECK(number == 7 && small == 8 && strcmp(text, "before") == 0);
    json = over("4598286611352242717");
    CHECK_OK(frz_member_i64(&json, &number, &err), err);
    CHECK(number == INT64_C(4598286611352242717));
    json = over("\"9\"");
    CHECK_FAILS(frz_member_i64(&json, &number, &err), FRZ_CORRUPT, err, "");
}

static void d155_properties_take_scalars_as_text_and_leave_nulls_out(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_list list = {0};
    frz_json_reader json = over("{\"a\":\"x\",\"b\":5,\"c\":true,\"d\":null,\"e\":\"\\u00e9\"}");
    CHECK_OK(frz_member_properties(&json, &list, &err), err);
    const frz_property *items = list.items;
    CHECK(list.count == 4);
    CHECK(strcmp(items[0].key, "a") == 0 && strcmp(items[0].value, "x") == 0);
    CHECK(strcmp(items[1].value, "5") == 0);
    CHECK(strcmp(items[2].value, "true") == 0);
    CHECK(strcmp(items[3].value, "\xc3\xa9") == 0);
    json = over("{\"a\":[]}");
    CHECK_FAILS(frz_member_properties(&json, &list, &err), FRZ_CORRUPT, err, "");
    json = over("{\"a\\u0000b\":\"x\"}");
    CHECK_FAILS(frz_member_properties(&json, &list, &err), FRZ_CORRUPT, err, "NUL");
    json = over("null");
    list.count = 0;
    CHECK_OK(frz_member_properties(&json, &list, &err), err);
    CHECK(list.count == 0);
}

static void raw_members_must_be_of_their_kind(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_slice raw = {0};
    frz_json_reader json = over(" [1, {\"a\" : 2}] ");
    CHECK_OK(frz_member_raw(&json, FRZ_JSON_ARRAY, &raw, &err), err);
    CHECK(frz_slice_is_text(raw, "[1, {\"a\" : 2}]"));
    raw = (frz_slice){0};
    json = over("null");
    CHECK_OK(frz_member_raw(&json, FRZ_JSON_ARRAY, &raw, &err), err);
    CHECK(raw.size == 0);
    json = over("{}");
    CHECK_FAILS(frz_member_raw(&json, FRZ_JSON_ARRAY, &raw, &err), FRZ_CORRUPT, err,
                "expected an array");
}

static void unknown_members_come_back_as_they_stood(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_unknown_members members = {0};
    frz_slice kept = {0};
    frz_json_reader json = over("12345678901234567890.50");
    CHECK_OK(frz_unknown_members_keep(&members, &json, frz_slice_of_text("a\"b"), &err), err);
    json = over("[ 1 ,2]");
    CHECK_OK(frz_unknown_members_keep(&members, &json, frz_slice_of_text("c"), &err), err);
    CHECK_OK(frz_unknown_members_finish(&members, &arena, &kept, &err), err);
    CHECK(frz_slice_is_text(kept, "\"a\\\"b\":12345678901234567890.50,\"c\":[ 1 ,2]"));
    frz_buffer_clear(&members.text);

    frz_buffer out = {0};
    frz_json_writer writer = frz_json_writer_to(&out, 0);
    frz_json_open_object(&writer);
    frz_json_key(&writer, "k");
    frz_json_i64(&writer, 1);
    frz_unknown_members_write(kept, &writer);
    frz_unknown_members_write((frz_slice){0}, &writer);
    frz_json_close_object(&writer);
    CHECK(frz_slice_is_text(frz_buffer_slice(&out),
                            "{\"k\":1,\"a\\\"b\":12345678901234567890.50,\"c\":[ 1 ,2]}"));
    frz_buffer_clear(&out);
}

static void write_into_an_empty_object(void **state)
{
    (void)state;
    frz_buffer out = {0};
    frz_json_writer writer = frz_json_writer_to(&out, 0);
    frz_json_open_object(&writer);
    frz_unknown_members_write(frz_slice_of_text("\"a\":1"), &writer);
    frz_json_key(&writer, "b");
    frz_json_i64(&writer, 2);
    frz_json_close_object(&writer);
    CHECK(frz_slice_is_text(frz_buffer_slice(&out), "{\"a\":1,\"b\":2}"));
    frz_buffer_clear(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(null_leaves_a_number_or_text_as_it_is, clear_arena),
        cmocka_unit_test_teardown(d155_properties_take_scalars_as_text_and_leave_nulls_out,
                                  clear_arena),
        cmocka_unit_test_teardown(raw_members_must_be_of_their_kind, clear_arena),
        cmocka_unit_test_teardown(unknown_members_come_back_as_they_stood, clear_arena),
        cmocka_unit_test(write_into_an_empty_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
