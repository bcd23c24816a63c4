#include "parquet/delta.h"

#include "harness.h"

/* 7, 5, 3, 1, 2, 3, 4, 5 as in Encodings.md, example 2, in a block of a legal size: min delta -2,
 * width 2. */
static const uint8_t example[] = {0x80, 0x01, 0x04, 0x08, 0x0e, 0x03, 0x02, 0xa5, 0xa5,
                                  0xa5, 0xc0, 0x3f, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};
static const int64_t example_values[8] = {7, 5, 3, 1, 2, 3, 4, 5};

/* Widths of miniblocks that no value needs are 0xa5: anything goes there (D122). */
static void d122_widths_of_unneeded_miniblocks_do_not_matter(void **state)
{
    (void)state;
    for (size_t portion = 1; portion <= 8; portion++) {
        frz_parquet_delta delta = frz_parquet_delta_over(frz_slice_of(example, sizeof example), 32);
        int64_t got[8];
        for (size_t at = 0; at < 8; at += portion)
            CHECK(frz_parquet_delta_decode(&delta, got + at, 8 - at < portion ? 8 - at : portion));
        CHECK(memcmp(got, example_values, sizeof got) == 0);
        CHECK(!frz_parquet_delta_decode(&delta, got, 1));
        CHECK(strstr(delta.problem, "fewer delta values"));
    }
}

static void test_the_end_is_found_without_decoding(void **state)
{
    (void)state;
    const frz_parquet_delta delta =
        frz_parquet_delta_over(frz_slice_of(example, sizeof example), 32);
    size_t end = 0;
    CHECK(frz_parquet_delta_end(&delta, &end) && end == sizeof example);
    const uint8_t single[] = {0x80, 0x01, 0x04, 0x01, 0x54, 0xee};
    const frz_parquet_delta one = frz_parquet_delta_over(frz_slice_of(single, sizeof single), 64);
    CHECK(frz_parquet_delta_end(&one, &end) && end == 5);
    const uint8_t none[] = {0x80, 0x01, 0x04, 0x00, 0x00};
    const frz_parquet_delta empty = frz_parquet_delta_over(frz_slice_of(none, sizeof none), 64);
    CHECK(frz_parquet_delta_end(&empty, &end) && end == 5);
}

/* Many equal values: blocks of width 0 take no bytes for their miniblocks. */
static void d122_width_zero_blocks_take_no_bytes(void **state)
{
    (void)state;
    uint8_t bytes[4 + 5 * 400] = {0x80, 0x01, 0x04, 0xd0, 0x86, 0x03, 0x12}; /* 50,000 times 9 */
    const size_t size = 7 + 391 * 5;
    frz_parquet_delta delta = frz_parquet_delta_over(frz_slice_of(bytes, size), 64);
    int64_t got[1000];
    for (int i = 0; i < 50; i++) {
        CHECK(frz_parquet_delta_decode(&delta, got, 1000));
        CHECK(got[0] == 9 && got[999] == 9);
    }
    size_t end = 0;
    delta = frz_parquet_delta_over(frz_slice_of(bytes, size), 64);
    CHECK(frz_parquet_delta_end(&delta, &end) && end == size);
}

static void test_differences_wrap_around(void **state)
{
    (void)state;
    /* INT64_MIN, then INT64_MAX: the difference is -1. */
    const uint8_t bytes[] = {0x80, 0x01, 0x04, 0x02, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                             0xff, 0xff, 0xff, 0x01, 0x01, 0x00, 0x00, 0x00, 0x00};
    frz_parquet_delta delta = frz_parquet_delta_over(frz_slice_of(bytes, sizeof bytes), 64);
    int64_t got[2];
    CHECK(frz_parquet_delta_decode(&delta, got, 2));
    CHECK(got[0] == INT64_MIN && got[1] == INT64_MAX);
}

static void test_wrong_headers_are_named(void **state)
{
    (void)state;
    static const struct {
        uint8_t bytes[6];
        const char *text;
    } cases[] = {
        {{0x80, 0x01, 0x00, 0x05, 0x02, 0x00}, "miniblocks"}, /* duckdb internal_6129 */
        {{0x80, 0x01, 0x03, 0x05, 0x02, 0x00}, "miniblocks"},
        {{0x80, 0x01, 0x10, 0x05, 0x02, 0x00}, "miniblocks"}, /* 8 values each */
        {{0x00, 0x04, 0x05, 0x02, 0x00, 0x00}, "block size"},
        {{0x08, 0x01, 0x05, 0x02, 0x00, 0x00}, "block size"},
        {{0x80, 0x80, 0x80, 0x80, 0x80, 0x80}, "cut short"},
    };
    int64_t got[8];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        frz_parquet_delta delta = frz_parquet_delta_over(frz_slice_of(cases[i].bytes, 6), 32);
        CHECK(!frz_parquet_delta_decode(&delta, got, 1));
        CHECK(strstr(delta.problem, cases[i].text));
        size_t end = 0;
        CHECK(!frz_parquet_delta_end(&delta, &end));
    }
    uint8_t wide[sizeof example];
    memcpy(wide, example, sizeof wide);
    wide[6] = 33; /* more bits than INT32 has */
    frz_parquet_delta delta = frz_parquet_delta_over(frz_slice_of(wide, sizeof wide), 32);
    CHECK(!frz_parquet_delta_decode(&delta, got, 8) && strstr(delta.problem, "more bits"));
}

static void test_every_truncation_fails(void **state)
{
    (void)state;
    int64_t got[8];
    /* The values end 6 bytes before the padding does; some writers leave that away. */
    for (size_t size = 0; size < 12; size++) {
        frz_parquet_delta delta = frz_parquet_delta_over(frz_slice_of(example, size), 32);
        CHECK(!frz_parquet_delta_decode(&delta, got, 8) && delta.problem);
    }
    frz_parquet_delta delta = frz_parquet_delta_over(frz_slice_of(example, 12), 32);
    CHECK(frz_parquet_delta_decode(&delta, got, 8) && got[7] == 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(d122_widths_of_unneeded_miniblocks_do_not_matter),
        cmocka_unit_test(test_the_end_is_found_without_decoding),
        cmocka_unit_test(d122_width_zero_blocks_take_no_bytes),
        cmocka_unit_test(test_differences_wrap_around),
        cmocka_unit_test(test_wrong_headers_are_named),
        cmocka_unit_test(test_every_truncation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
