#include "harness.h"

#include "spec/json_list.h"

static frz_status read_ids(const char *text, frz_arena *arena, frz_list *out, frz_error **err)
{
    frz_json_reader json = frz_json_reader_over(frz_slice_of_text(text), arena);
    return frz_json_list_read_ids(&json, arena, out, err);
}

static void test_reads_and_writes_ids(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_buffer text = {0};
    frz_error *err = NULL;
    frz_list ids = {0};
    CHECK_OK(read_ids(" [1, 2,-3 ,4,5, 2147483647]", &arena, &ids, &err), err);
    CHECK(ids.count == 6 && ((const int32_t *)ids.items)[2] == -3);
    frz_json_writer json = frz_json_writer_to(&text, 0);
    frz_json_list_write_ids(ids.items, ids.count, &json);
    CHECK(frz_slice_is_text(frz_buffer_slice(&text), "[1,2,-3,4,5,2147483647]"));
    frz_list none = {0};
    CHECK_OK(read_ids("[]", &arena, &none, &err), err);
    CHECK(none.count == 0);
    frz_buffer_clear(&text);
    frz_arena_clear(&arena);
}

static void test_refuses_what_is_no_id(void **state)
{
    (void)state;
    static const char *const bad[][2] = {{"[1,\"2\"]", "expected a number"},
                                         {"[2147483648]", "expected a 32-bit integer"},
                                         {"[1.5]", "expected a 32-bit integer"},
                                         {"[1", "expected ',' or ']'"},
                                         {"{}", "expected an array"}};
    frz_arena arena = {0};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        frz_error *err = NULL;
        frz_list ids = {0};
        CHECK_FAILS(read_ids(bad[i][0], &arena, &ids, &err), FRZ_CORRUPT, err, bad[i][1]);
    }
    frz_arena_clear(&arena);
}

static void test_offsets_pass_blanks(void **state)
{
    (void)state;
    frz_json_reader json = frz_json_reader_over(frz_slice_of_text(" \n\t[1]"), NULL);
    CHECK(frz_json_value_offset(&json) == 3);
    json = frz_json_reader_over(frz_slice_of_text("  "), NULL);
    CHECK(frz_json_value_offset(&json) == 2);
}

static void read_once(void)
{
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_list ids = {0};
    const frz_status status = read_ids("[1,2,3,4,5,6,7,8,9]", &arena, &ids, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_error_free(err);
    frz_arena_clear(&arena);
}

static void test_short_memory_is_reported(void **state)
{
    (void)state;
    sweep_allocation_failures(read_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_and_writes_ids),
        cmocka_unit_test(test_refuses_what_is_no_id),
        cmocka_unit_test(test_offsets_pass_blanks),
        cmocka_unit_test(test_short_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
