#include "spec/printed.h"

#include "harness.h"

static const int64_t numbers[] = {10, 20, 30};
static size_t written;

static void write_numbers(const void *list, size_t first, size_t end, frz_json_writer *json)
{
    for (size_t i = first; i < end; i++, written++)
        frz_json_i64(json, ((const int64_t *)list)[i]);
}

static frz_status complete(frz_printed *printed, size_t count)
{
    frz_error *err = NULL;
    const frz_status status = frz_printed_complete(printed, numbers, count, write_numbers, &err);
    CHECK(status == FRZ_OK || frz_mem_failed());
    frz_error_free(err);
    return status;
}

/* Each item is written once, whatever versions see of them. */
static void print_once(void)
{
    frz_printed first = {0};
    written = 0;
    if (complete(&first, 0) == FRZ_OK && complete(&first, 1) == FRZ_OK) {
        frz_printed second = frz_printed_share(&first);
        CHECK(frz_slice_is_text(frz_printed_text(&first), "10"));
        if (complete(&second, 3) == FRZ_OK) {
            CHECK(frz_slice_is_text(frz_printed_text(&second), "10,20,30"));
            CHECK(frz_slice_is_text(frz_printed_text(&first), "10") && written == 3);
            CHECK(complete(&second, 3) == FRZ_OK && written == 3);
        } else {
            CHECK(second.count == 1 && frz_slice_is_text(frz_printed_text(&second), "10"));
        }
        frz_printed_clear(&second);
        CHECK(second.count == 0 && frz_printed_text(&second).size == 0);
    }
    frz_printed_clear(&first);
}

static void each_item_is_printed_once(void **state)
{
    (void)state;
    print_once();
}

static void survives_short_memory(void **state)
{
    (void)state;
    sweep_allocation_failures(print_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_item_is_printed_once),
        cmocka_unit_test(survives_short_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
