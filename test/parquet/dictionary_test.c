#include "parquet/dictionary.h"

#include "harness.h"

static const frz_parquet_node text_leaf = {
    .name = "s", .type = FRZ_PARQUET_BYTE_ARRAY, .logical = FRZ_PARQUET_LOGICAL_STRING};
static const frz_parquet_node int_leaf = {.name = "i", .type = FRZ_PARQUET_INT32};
static const uint8_t texts[] = {2, 0, 0, 0, 'a', 'b', 0, 0, 0, 0, 1, 0, 0, 0, 'c'};

static frz_status load(const frz_parquet_node *leaf, const void *bytes, size_t size, size_t count,
                       frz_parquet_dictionary *out, frz_error **err)
{
    frz_parquet_layout layout;
    CHECK(frz_parquet_layout_of(leaf, &layout, NULL) == FRZ_OK);
    return frz_parquet_dictionary_load(out, leaf, &layout, frz_slice_of(bytes, size), count, err);
}

static void test_entries_are_in_arrow_form(void **state)
{
    (void)state;
    frz_parquet_dictionary dictionary = {0};
    frz_error *err = NULL;
    CHECK_OK(load(&text_leaf, texts, sizeof texts, 3, &dictionary, &err), err);
    const int32_t *offsets = (const void *)dictionary.offsets.data;
    CHECK(dictionary.present && dictionary.count == 3);
    CHECK(offsets[0] == 0 && offsets[1] == 2 && offsets[2] == 2 && offsets[3] == 3);
    CHECK(memcmp(dictionary.data.data, "abc", 3) == 0);

    const int32_t numbers[] = {-5, 7};
    CHECK_OK(load(&int_leaf, numbers, sizeof numbers, 2, &dictionary, &err), err);
    CHECK(dictionary.count == 2 && memcmp(dictionary.data.data, numbers, sizeof numbers) == 0);

    const frz_parquet_node flags = {.name = "b", .type = FRZ_PARQUET_BOOLEAN};
    CHECK_OK(load(&flags, "\x02", 1, 2, &dictionary, &err), err);
    CHECK(dictionary.data.data[0] == 0 && dictionary.data.data[1] == 1);

    const frz_parquet_node decimal = {.name = "d",
                                      .type = FRZ_PARQUET_BYTE_ARRAY,
                                      .logical = FRZ_PARQUET_LOGICAL_DECIMAL,
                                      .precision = 5};
    const uint8_t minus_one[] = {1, 0, 0, 0, 0xff};
    uint8_t all_ones[16];
    memset(all_ones, 0xff, sizeof all_ones);
    CHECK_OK(load(&decimal, minus_one, sizeof minus_one, 1, &dictionary, &err), err);
    CHECK(memcmp(dictionary.data.data, all_ones, sizeof all_ones) == 0);
    frz_parquet_dictionary_clear(&dictionary);
}

static void test_more_entries_than_bytes_are_refused_before_memory_is_taken(void **state)
{
    (void)state;
    frz_parquet_dictionary dictionary = {0};
    frz_error *err = NULL;
    CHECK_FAILS(load(&int_leaf, texts, 8, 1u << 30, &dictionary, &err), FRZ_CORRUPT, err,
                "fewer values than it says");
    CHECK_FAILS(load(&text_leaf, texts, sizeof texts, 1u << 30, &dictionary, &err), FRZ_CORRUPT,
                err, "fewer values than it says");
    CHECK_FAILS(load(&text_leaf, texts, sizeof texts - 1, 3, &dictionary, &err), FRZ_CORRUPT, err,
                "longer than the bytes left");
    const uint8_t invalid[] = {1, 0, 0, 0, 0xc3};
    CHECK_FAILS(load(&text_leaf, invalid, sizeof invalid, 1, &dictionary, &err), FRZ_CORRUPT, err,
                "no UTF-8");
    CHECK(!dictionary.present && dictionary.count == 0);
    frz_parquet_dictionary_clear(&dictionary);
}

static void load_under_failure(void)
{
    frz_parquet_dictionary dictionary = {0};
    const frz_status status = load(&text_leaf, texts, sizeof texts, 3, &dictionary, NULL);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_parquet_dictionary_clear(&dictionary);
}

static void test_allocation_failures(void **state)
{
    (void)state;
    sweep_allocation_failures(load_under_failure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entries_are_in_arrow_form),
        cmocka_unit_test(test_more_entries_than_bytes_are_refused_before_memory_is_taken),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
