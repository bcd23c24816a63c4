#include "parquet/values.h"

#include "harness.h"

static const frz_parquet_node int_leaf = {.name = "i", .type = FRZ_PARQUET_INT32};
static const frz_parquet_node text_leaf = {
    .name = "s", .type = FRZ_PARQUET_BYTE_ARRAY, .logical = FRZ_PARQUET_LOGICAL_STRING};
static const frz_parquet_node bool_leaf = {.name = "b", .type = FRZ_PARQUET_BOOLEAN};

static frz_parquet_source open_source(const frz_parquet_node *leaf, int32_t encoding,
                                      const void *bytes, size_t size)
{
    frz_parquet_source source = {.leaf = leaf, .size_max = 1 << 20};
    CHECK(frz_parquet_layout_of(leaf, &source.layout, NULL) == FRZ_OK);
    CHECK(frz_parquet_decoder_start(&source.decoder, leaf, encoding, frz_slice_of(bytes, size),
                                    NULL) == FRZ_OK);
    return source;
}

static void test_values_are_spread_over_their_slots(void **state)
{
    (void)state;
    const int32_t numbers[] = {10, 20, 30, 40};
    const uint8_t bits[] = {0x4a, 0x01}; /* slots 1, 3, 6, 8 of ten */
    frz_parquet_source source = open_source(&int_leaf, FRZ_PARQUET_PLAIN, numbers, sizeof numbers);
    frz_parquet_values values = {0};
    frz_error *err = NULL;
    CHECK_OK(frz_parquet_values_reserve(&source, &values, 10, &err), err);
    CHECK(((uintptr_t)values.data.data & 63) == 0);
    CHECK_OK(frz_parquet_values_append(&source, &values, 4, &err), err);
    CHECK_OK(frz_parquet_values_spread(&source, &values, 0, bits, 0, 10, &err), err);
    const int32_t want[] = {0, 10, 0, 20, 0, 0, 30, 0, 40, 0};
    CHECK(values.count == 10 && memcmp(values.data.data, want, sizeof want) == 0);
    frz_parquet_values_clear(&values);
    frz_parquet_source_clear(&source);
}

static void test_strings_are_spread_by_their_ends(void **state)
{
    (void)state;
    const uint8_t page[] = {1, 0, 0, 0, 'a', 2, 0, 0, 0, 'b', 'c', 1, 0, 0, 0, 'd'};
    const uint8_t bits[] = {0x28}; /* of slots 0 to 5 (bits 1 to 6): 2 and 4 */
    frz_parquet_source source = open_source(&text_leaf, FRZ_PARQUET_PLAIN, page, sizeof page);
    frz_parquet_values values = {0};
    frz_error *err = NULL;
    CHECK_OK(frz_parquet_values_append(&source, &values, 1, &err), err);
    CHECK_OK(frz_parquet_values_append(&source, &values, 2, &err), err);
    CHECK_OK(frz_parquet_values_spread(&source, &values, 1, bits, 1, 6, &err), err);
    const int32_t want[] = {0, 1, 1, 1, 3, 3, 4, 4};
    CHECK(values.count == 7 && values.offsets.size == sizeof want);
    CHECK(memcmp(values.offsets.data, want, sizeof want) == 0);
    CHECK(memcmp(values.data.data, "abcd", 4) == 0);
    frz_parquet_values_clear(&values);
    frz_parquet_source_clear(&source);
}

static void test_booleans_are_spread_bit_by_bit(void **state)
{
    (void)state;
    const uint8_t page[] = {0x0b}; /* 1 1 0 1 */
    const uint8_t bits[] = {0x56}; /* slots 1, 2, 4, 6 of seven */
    frz_parquet_source source = open_source(&bool_leaf, FRZ_PARQUET_PLAIN, page, 1);
    frz_parquet_values values = {0};
    frz_error *err = NULL;
    CHECK_OK(frz_parquet_values_append(&source, &values, 4, &err), err);
    CHECK_OK(frz_parquet_values_spread(&source, &values, 0, bits, 0, 7, &err), err);
    CHECK((values.data.data[0] & 0x7f) == 0x46);
    frz_parquet_values_clear(&values);
    frz_parquet_source_clear(&source);
}

static void load_dictionary(frz_parquet_source *source, const void *bytes, size_t size,
                            size_t count)
{
    CHECK(frz_parquet_dictionary_load(&source->dictionary, source->leaf, &source->layout,
                                      frz_slice_of(bytes, size), count, NULL) == FRZ_OK);
}

static void test_dictionary_entries_are_looked_up(void **state)
{
    (void)state;
    const uint8_t indices[] = {2, 0x03, 0x1b, 0x00}; /* 3 2 1 0, 0 0 0 0 */
    const int32_t entries[] = {5, 6, 7, 8};
    const uint8_t texts[] = {1, 0, 0, 0, 'w', 0, 0, 0, 0, 2, 0, 0, 0, 'x', 'y', 1, 0, 0, 0, 'z'};
    frz_error *err = NULL;
    frz_parquet_source source =
        open_source(&int_leaf, FRZ_PARQUET_RLE_DICTIONARY, indices, sizeof indices);
    load_dictionary(&source, entries, sizeof entries, 4);
    frz_parquet_values values = {0};
    CHECK_OK(frz_parquet_values_append(&source, &values, 5, &err), err);
    const int32_t want[] = {8, 7, 6, 5, 5};
    CHECK(memcmp(values.data.data, want, sizeof want) == 0);
    frz_parquet_values_clear(&values);
    frz_parquet_source_clear(&source);

    source = open_source(&text_leaf, FRZ_PARQUET_RLE_DICTIONARY, indices, sizeof indices);
    load_dictionary(&source, texts, sizeof texts, 4);
    CHECK_OK(frz_parquet_source_skip(&source, 1, &err), err);
    CHECK_OK(frz_parquet_values_append(&source, &values, 3, &err), err);
    const int32_t ends[] = {0, 2, 2, 3};
    CHECK(memcmp(values.offsets.data, ends, sizeof ends) == 0);
    CHECK(values.data.size == 3 && memcmp(values.data.data, "xyw", 3) == 0);
    frz_parquet_values_clear(&values);
    frz_parquet_source_clear(&source);
}

static void test_wrong_indices_are_refused(void **state)
{
    (void)state;
    const uint8_t indices[] = {2, 0x03, 0x1b, 0x00};
    const int32_t entries[] = {5, 6, 7};
    frz_error *err = NULL;
    frz_parquet_values values = {0};
    frz_parquet_source source =
        open_source(&int_leaf, FRZ_PARQUET_RLE_DICTIONARY, indices, sizeof indices);
    CHECK_FAILS(frz_parquet_values_append(&source, &values, 4, &err), FRZ_CORRUPT, err,
                "the column chunk has no dictionary");
    load_dictionary(&source, entries, sizeof entries, 3);
    CHECK_FAILS(frz_parquet_values_append(&source, &values, 4, &err), FRZ_CORRUPT, err,
                "dictionary index 3, but the dictionary has 3 entries");
    frz_parquet_values_clear(&values);
    source.size_max = 10;
    CHECK_FAILS(frz_parquet_values_append(&source, &values, 3, &err), FRZ_UNSUPPORTED, err,
                "parse_budget");
    frz_parquet_values_clear(&values);
    frz_parquet_source_clear(&source);
}

enum { LONG = 200, MANY = 1000 };

static void append_delta_header(frz_buffer *out, unsigned first, const void *miniblock)
{
    /* Block of 128 values in one miniblock, MANY values; the first, zigzag; then the block's least
     * delta and the width of its miniblock. */
    frz_buffer_append(out, "\x80\x01\x01\xe8\x07", 5);
    frz_buffer_append_byte(out, (uint8_t)(first * 2 | 0x80));
    frz_buffer_append_byte(out, (uint8_t)(first * 2 >> 7));
    frz_buffer_append(out, first ? "\x8f\x03\x08" : "\x00\x08", first ? 3 : 2);
    frz_buffer_append(out, miniblock, 128);
    for (int block = 1; block < (MANY + 127) / 128; block++)
        frz_buffer_append(out, "\0\0", 2);
}

/* A page of few bytes: the first value is LONG bytes, all others share it. */
static void append_prefixed_page(frz_buffer *out)
{
    uint8_t prefixes[128] = {LONG}; /* 0, then LONG for good */
    uint8_t suffixes[128];          /* LONG, then 0: deltas of -LONG, 0, 0 ... over the least */
    memset(suffixes, LONG, sizeof suffixes);
    suffixes[0] = 0;
    append_delta_header(out, 0, prefixes);
    append_delta_header(out, LONG, suffixes);
    frz_buffer_append_fill(out, 'x', LONG);
}

static void test_repeated_long_strings_stay_within_the_budget(void **state)
{
    (void)state;
    const uint8_t indices[] = {0, 0xd0, 0x0f}; /* a run of MANY, width 0 */
    frz_buffer bytes = {0};
    frz_parquet_values values = {0};
    frz_error *err = NULL;
    frz_buffer_append_u32le(&bytes, LONG);
    frz_buffer_append_fill(&bytes, 'x', LONG);
    frz_parquet_source source =
        open_source(&text_leaf, FRZ_PARQUET_RLE_DICTIONARY, indices, sizeof indices);
    load_dictionary(&source, bytes.data, bytes.size, 1);
    source.size_max = LONG * MANY - 1;
    CHECK_FAILS(frz_parquet_values_append(&source, &values, MANY, &err), FRZ_UNSUPPORTED, err,
                "parse_budget");
    frz_parquet_values_clear(&values);
    frz_parquet_source_clear(&source);

    for (size_t missing = 0; missing < 2; missing++) {
        frz_buffer_reset(&bytes);
        append_prefixed_page(&bytes);
        source = open_source(&text_leaf, FRZ_PARQUET_DELTA_BYTE_ARRAY, bytes.data, bytes.size);
        source.size_max = LONG * MANY - missing;
        const frz_status status = frz_parquet_values_append(&source, &values, MANY, &err);
        if (missing)
            CHECK_FAILS(status, FRZ_UNSUPPORTED, err, "parse_budget");
        else
            CHECK_OK(status, err);
        CHECK(values.data.size <= source.size_max);
        frz_parquet_values_clear(&values);
        frz_parquet_source_clear(&source);
    }
    frz_buffer_clear(&bytes);
}

static void append_under_failure(void)
{
    const uint8_t page[] = {1, 0, 0, 0, 'a', 2, 0, 0, 0, 'b', 'c'};
    const uint8_t bits[] = {0x05};
    frz_parquet_source source = open_source(&text_leaf, FRZ_PARQUET_PLAIN, page, sizeof page);
    frz_parquet_values values = {0};
    frz_status status = frz_parquet_values_reserve(&source, &values, 3, NULL);
    if (status == FRZ_OK)
        status = frz_parquet_values_append(&source, &values, 2, NULL);
    if (status == FRZ_OK)
        status = frz_parquet_values_spread(&source, &values, 0, bits, 0, 3, NULL);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_parquet_values_clear(&values);
    frz_parquet_source_clear(&source);
}

static void test_allocation_failures(void **state)
{
    (void)state;
    sweep_allocation_failures(append_under_failure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_are_spread_over_their_slots),
        cmocka_unit_test(test_strings_are_spread_by_their_ends),
        cmocka_unit_test(test_booleans_are_spread_bit_by_bit),
        cmocka_unit_test(test_dictionary_entries_are_looked_up),
        cmocka_unit_test(test_wrong_indices_are_refused),
        cmocka_unit_test(test_repeated_long_strings_stay_within_the_budget),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
