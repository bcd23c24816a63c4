#include "parquet/dictionary_builder.h"

#include "arrow_equal.h"

static void test_numbers_are_entered_once_in_order_of_appearance(void **state)
{
    (void)state;
    frz_parquet_dictionary_builder builder = {.width = 8};
    static int64_t values[5000];
    static uint32_t indexes[5000];
    uint64_t seed = 3;
    for (size_t i = 0; i < 5000; i++)
        values[i] = (int64_t)(next_random(&seed) % 1800) - 900;
    CHECK(frz_parquet_dictionary_builder_add_fixed(&builder, values, 2500, indexes));
    CHECK(frz_parquet_dictionary_builder_add_fixed(&builder, values + 2500, 2500, indexes + 2500));
    uint32_t highest = 0;
    for (size_t i = 0; i < 5000; i++) {
        CHECK(indexes[i] <= highest);
        highest += indexes[i] == highest;
        CHECK(memcmp(builder.plain.data + indexes[i] * 8u, &values[i], 8) == 0);
    }
    CHECK(highest == builder.count && builder.plain.size == (size_t)builder.count * 8);
    frz_buffer back = {0};
    frz_parquet_dictionary_builder_append_plain(&builder, indexes, 5000, &back);
    CHECK(back.size == sizeof values && memcmp(back.data, values, sizeof values) == 0);
    frz_buffer_clear(&back);
    CHECK(frz_parquet_dictionary_builder_memory(&builder) >= builder.plain.size);
    frz_parquet_dictionary_builder_reset(&builder);
    CHECK(frz_parquet_dictionary_builder_add_fixed(&builder, values, 1, indexes));
    CHECK(indexes[0] == 0 && builder.count == 1);
    frz_parquet_dictionary_builder_clear(&builder);
    CHECK(builder.width == 8);
}

static void test_widths_of_four_and_of_odd_sizes(void **state)
{
    (void)state;
    frz_parquet_dictionary_builder four = {.width = 4};
    frz_parquet_dictionary_builder five = {.width = 5};
    uint32_t indexes[4];
    CHECK(frz_parquet_dictionary_builder_add_fixed(&four, (float[]){1.0f, -0.0f, 0.0f, 1.0f}, 4,
                                                   indexes));
    CHECK(memcmp(indexes, (uint32_t[]){0, 1, 2, 0}, sizeof indexes) == 0);
    CHECK(frz_parquet_dictionary_builder_add_fixed(&five, "aaaaabbbbbaaaabaaaaa", 4, indexes));
    CHECK(memcmp(indexes, (uint32_t[]){0, 1, 2, 0}, sizeof indexes) == 0);
    frz_parquet_dictionary_builder_clear(&four);
    frz_parquet_dictionary_builder_clear(&five);
}

static void test_texts_new_to_a_page_are_moved_to_the_front(void **state)
{
    (void)state;
    frz_parquet_dictionary_builder builder = {0};
    const frz_slice a = frz_slice_of_text("a");
    const frz_slice empty = frz_slice_of_text("");
    const frz_slice longer = frz_slice_of_text("longer than eight bytes");
    frz_slice values[] = {a, a, empty, longer, empty};
    uint32_t indexes[5];
    size_t fresh = 0;
    CHECK(frz_parquet_dictionary_builder_add_slices(&builder, values, 5, 1, indexes, &fresh));
    CHECK(memcmp(indexes, (uint32_t[]){0, 0, 1, 2, 1}, sizeof indexes) == 0);
    CHECK(fresh == 3 && frz_slice_equal(values[0], a) && frz_slice_equal(values[1], empty) &&
          frz_slice_equal(values[2], longer));
    frz_slice again[] = {longer, longer, a};
    CHECK(frz_parquet_dictionary_builder_add_slices(&builder, again, 3, 1, indexes, &fresh));
    CHECK(fresh == 0);
    CHECK(frz_parquet_dictionary_builder_add_slices(&builder, again, 3, 2, indexes, &fresh));
    CHECK(fresh == 2 && frz_slice_equal(again[1], a));
    CHECK(builder.plain.size == 4 + 1 + 4 + 4 + longer.size);
    frz_buffer back = {0};
    frz_parquet_dictionary_builder_append_plain(&builder, (uint32_t[]){1, 0}, 2, &back);
    CHECK(back.size == 9 && memcmp(back.data, "\0\0\0\0\1\0\0\0a", 9) == 0);
    frz_buffer_clear(&back);
    frz_parquet_dictionary_builder_clear(&builder);
}

static void add_some(void)
{
    frz_parquet_dictionary_builder builder = {0};
    frz_slice values[] = {frz_slice_of_text("a"), frz_slice_of_text("b")};
    uint32_t indexes[2];
    size_t fresh = 0;
    CHECK(frz_parquet_dictionary_builder_add_slices(&builder, values, 2, 1, indexes, &fresh) ==
          !frz_mem_failed());
    frz_parquet_dictionary_builder_clear(&builder);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    sweep_allocation_failures(add_some);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_are_entered_once_in_order_of_appearance),
        cmocka_unit_test(test_widths_of_four_and_of_odd_sizes),
        cmocka_unit_test(test_texts_new_to_a_page_are_moved_to_the_front),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
