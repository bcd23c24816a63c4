/* Covers: spec/sort spec/transform_json */
#include "harness.h"

#include "spec/sort.h"

static frz_status read_order(const char *text, frz_arena *arena, frz_sort_order *out,
                             frz_error **err)
{
    frz_json_reader json = frz_json_reader_over(frz_slice_of_text(text), arena);
    return frz_sort_order_read_json(&json, arena, out, err);
}

static void check_written(const frz_sort_order *order, const char *want)
{
    frz_buffer text = {0};
    frz_json_writer json = frz_json_writer_to(&text, 0);
    frz_sort_order_write_json(order, &json);
    if (!frz_slice_is_text(frz_buffer_slice(&text), want))
        fail_msg("written %.*s", (int)text.size, (const char *)text.data);
    frz_buffer_clear(&text);
}

/* Appendix C's example, and several sources. */
static const char whole[] = "{\"order-id\":1,\"fields\":["
                            "{\"transform\":\"identity\",\"source-id\":2,\"direction\":\"asc\","
                            "\"null-order\":\"nulls-first\"},"
                            "{\"transform\":\"bucket[4]\",\"source-id\":3,\"direction\":\"desc\","
                            "\"null-order\":\"nulls-last\"},"
                            "{\"transform\":\"zorder\",\"source-ids\":[3,4],\"direction\":\"desc\","
                            "\"null-order\":\"nulls-first\"}]}";

static void test_round_trips(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_sort_order order = {0};
    CHECK_OK(read_order(whole, &arena, &order, &err), err);
    CHECK(order.order_id == 1 && order.field_count == 3);
    CHECK(!order.fields[0].descending && !order.fields[0].nulls_last);
    CHECK(order.fields[1].descending && order.fields[1].nulls_last);
    CHECK(order.fields[2].transform.kind == FRZ_TRANSFORM_UNKNOWN);
    check_written(&order, whole);
    CHECK_OK(read_order("{\"fields\":[],\"x\":{},\"order-id\":0}", &arena, &order, &err), err);
    check_written(&order, "{\"order-id\":0,\"fields\":[]}");
    frz_arena_clear(&arena);
}

static void test_words_of_any_case(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_sort_order order = {0};
    CHECK_OK(read_order("{\"order-id\":1,\"fields\":[{\"direction\":\"DESC\",\"source-id\":7,"
                        "\"source-ids\":[8],\"null-order\":\"NULLS-LAST\",\"transform\":\"Day\"}]}",
                        &arena, &order, &err),
             err);
    CHECK(order.fields[0].descending && order.fields[0].nulls_last);
    CHECK(order.fields[0].source_ids[0] == 8); /* source-ids wins */
    check_written(&order, "{\"order-id\":1,\"fields\":[{\"transform\":\"Day\",\"source-id\":8,"
                          "\"direction\":\"desc\",\"null-order\":\"nulls-last\"}]}");
    frz_arena_clear(&arena);
}

static void test_equivalence_ignores_the_order_id(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_sort_order a = {0};
    frz_sort_order b = {0};
    CHECK_OK(read_order(whole, &arena, &a, &err), err);
    CHECK_OK(read_order(whole, &arena, &b, &err), err);
    b.order_id = 4;
    CHECK(frz_sort_order_equivalent(&a, &b));
    frz_sort_field fields[3];
    memcpy(fields, b.fields, sizeof fields);
    b.fields = fields;
    fields[1].nulls_last = false;
    CHECK(!frz_sort_order_equivalent(&a, &b));
    fields[1] = a.fields[1];
    fields[2].source_count = 1;
    CHECK(!frz_sort_order_equivalent(&a, &b));
    fields[2] = a.fields[2];
    fields[0].transform = a.fields[1].transform;
    CHECK(!frz_sort_order_equivalent(&a, &b));
    fields[0] = a.fields[0];
    CHECK(frz_sort_order_equivalent(&a, &b));
    b.field_count = 2;
    CHECK(!frz_sort_order_equivalent(&a, &b));
    frz_arena_clear(&arena);
}

#define ORDER(members) "{\"order-id\":1,\"fields\":[{" members "}]}"

static void test_refuses_broken_orders(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t offset;
        const char *message;
    } rows[] = {
        {"{\"fields\":[]}", 0, "sort order: expected the members order-id and fields"},
        {"{\"order-id\":1}", 0, "sort order: expected the members order-id and fields"},
        {ORDER("\"direction\":\"up\""), 37, "expected \"asc\" or \"desc\", got \"up\""},
        {ORDER("\"direction\":\"ascending\""), 37, "got \"ascending\""},
        {ORDER("\"null-order\":\"first\""), 38, "expected \"nulls-first\" or \"nulls-last\""},
        {ORDER("\"transform\":\"day\",\"source-id\":1,\"direction\":\"asc\""), 24,
         "sort field: expected the members transform, direction, null-order and source-id"},
        {ORDER("\"transform\":\"day\",\"null-order\":\"nulls-last\",\"direction\":\"asc\""), 24,
         "or source-ids"},
        {ORDER("\"transform\":\"truncate[0]\""), 37, "expected a parameter"},
        {ORDER("\"source-id\":null"), 37, "expected a number"},
    };
    frz_arena arena = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        frz_error *err = NULL;
        frz_sort_order order = {.order_id = -7};
        uint64_t offset = 999;
        CHECK(read_order(rows[i].text, &arena, &order, &err) == FRZ_CORRUPT);
        CHECK(order.order_id == -7 && frz_error_offset(err, &offset));
        if (offset != rows[i].offset || !strstr(frz_error_message(err), rows[i].message))
            fail_msg("%s: %d %s", rows[i].text, (int)offset, frz_error_message(err));
        frz_error_free(err);
    }
    frz_arena_clear(&arena);
}

static void read_and_write_once(void)
{
    frz_arena arena = {0};
    frz_buffer text = {0};
    frz_error *err = NULL;
    frz_sort_order order = {0};
    frz_status status = read_order(whole, &arena, &order, &err);
    if (status == FRZ_OK) {
        frz_json_writer json = frz_json_writer_to(&text, 0);
        frz_sort_order_write_json(&order, &json);
        status = frz_buffer_check(&text, &err);
    }
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_error_free(err);
    frz_buffer_clear(&text);
    frz_arena_clear(&arena);
}

static void test_short_memory_is_reported(void **state)
{
    (void)state;
    sweep_allocation_failures(read_and_write_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_words_of_any_case),
        cmocka_unit_test(test_equivalence_ignores_the_order_id),
        cmocka_unit_test(test_refuses_broken_orders),
        cmocka_unit_test(test_short_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
