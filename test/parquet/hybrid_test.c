#include "parquet/hybrid.h"

#include "harness.h"

/* Width 3: five 6s, then 0 to 7 packed, then three 2s. */
static const uint8_t mixed[] = {0x0a, 0x06, 0x03, 0x88, 0xc6, 0xfa, 0x06, 0x02};
static const uint32_t mixed_values[16] = {6, 6, 6, 6, 6, 0, 1, 2, 3, 4, 5, 6, 7, 2, 2, 2};

static void test_runs_of_both_kinds_in_any_portions(void **state)
{
    (void)state;
    for (size_t portion = 1; portion <= 16; portion++) {
        frz_parquet_hybrid hybrid = frz_parquet_hybrid_over(frz_slice_of(mixed, sizeof mixed), 3);
        uint32_t got[16];
        for (size_t at = 0; at < 16; at += portion) {
            const size_t count = 16 - at < portion ? 16 - at : portion;
            CHECK(frz_parquet_hybrid_decode(&hybrid, got + at, count));
        }
        CHECK(memcmp(got, mixed_values, sizeof got) == 0);
        CHECK(!frz_parquet_hybrid_decode(&hybrid, got, 1) && hybrid.failed);
    }
}

static void test_skipping_and_bytes_agree_with_decoding(void **state)
{
    (void)state;
    for (size_t skip = 0; skip < 16; skip++) {
        frz_parquet_hybrid hybrid = frz_parquet_hybrid_over(frz_slice_of(mixed, sizeof mixed), 3);
        uint8_t got[16];
        CHECK(frz_parquet_hybrid_skip(&hybrid, skip));
        CHECK(frz_parquet_hybrid_decode_u8(&hybrid, got, 16 - skip));
        for (size_t i = skip; i < 16; i++)
            CHECK(got[i - skip] == mixed_values[i]);
    }
}

static void test_a_run_is_told_only_where_it_is_one(void **state)
{
    (void)state;
    frz_parquet_hybrid hybrid = frz_parquet_hybrid_over(frz_slice_of(mixed, sizeof mixed), 3);
    uint32_t value = 0;
    CHECK(frz_parquet_hybrid_run(&hybrid, 3, &value) == 3 && value == 6);
    CHECK(frz_parquet_hybrid_run(&hybrid, 9, &value) == 2);
    CHECK(frz_parquet_hybrid_run(&hybrid, 9, &value) == 0);
    CHECK(frz_parquet_hybrid_skip(&hybrid, 8));
    CHECK(frz_parquet_hybrid_run(&hybrid, 9, &value) == 3 && value == 2);
}

static void test_bits_are_copied_counted_and_skipped(void **state)
{
    (void)state;
    /* Width 1: nine ones, then 16 packed bits, then four zeros. */
    const uint8_t bytes[] = {0x12, 0x01, 0x05, 0xa5, 0x3c, 0x08, 0x00};
    for (size_t split = 0; split <= 29; split++) {
        frz_parquet_hybrid hybrid = frz_parquet_hybrid_over(frz_slice_of(bytes, sizeof bytes), 1);
        uint8_t bits[8] = {0};
        size_t ones = 0, skipped = 0;
        CHECK(frz_parquet_hybrid_decode_bits(&hybrid, bits, 3, split, &ones));
        CHECK(frz_parquet_hybrid_skip_bits(&hybrid, 29 - split, &skipped));
        CHECK(ones + skipped == 9 + 4 + 4);
        CHECK((bits[0] & 7) == 0);
        CHECK(!frz_parquet_hybrid_skip_bits(&hybrid, 1, &skipped));
    }
}

/* "bug" files end their last packed run with the bytes that are needed; and hostile ones with
 * fewer. */
static void test_a_last_run_may_be_cut_to_what_is_needed(void **state)
{
    (void)state;
    const uint8_t bytes[] = {0x05, 0x88, 0xc6, 0xfa, 0x88}; /* two groups said, 32 bits there */
    uint32_t got[16];
    frz_parquet_hybrid hybrid = frz_parquet_hybrid_over(frz_slice_of(bytes, sizeof bytes), 3);
    CHECK(frz_parquet_hybrid_decode(&hybrid, got, 10) && got[8] == 0 && got[9] == 1);
    CHECK(!frz_parquet_hybrid_decode(&hybrid, got, 1));
}

static void test_hostile_runs_fail_without_harm(void **state)
{
    (void)state;
    const uint8_t huge_packed[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0x01};
    const uint8_t huge_run[] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0x05};
    const uint8_t too_wide[] = {0x02, 0xff};
    const uint8_t empty_runs[] = {0x00, 0x01, 0x00, 0x01};
    uint32_t got[100];
    frz_parquet_hybrid hybrid =
        frz_parquet_hybrid_over(frz_slice_of(huge_packed, sizeof huge_packed), 3);
    CHECK(!frz_parquet_hybrid_decode(&hybrid, got, 100));
    hybrid = frz_parquet_hybrid_over(frz_slice_of(huge_run, sizeof huge_run), 3);
    CHECK(frz_parquet_hybrid_decode(&hybrid, got, 100) && got[99] == 5);
    hybrid = frz_parquet_hybrid_over(frz_slice_of(too_wide, sizeof too_wide), 3);
    CHECK(!frz_parquet_hybrid_decode(&hybrid, got, 1));
    hybrid = frz_parquet_hybrid_over(frz_slice_of(empty_runs, sizeof empty_runs), 0);
    CHECK(!frz_parquet_hybrid_decode(&hybrid, got, 1));
    hybrid = frz_parquet_hybrid_over((frz_slice){0}, 5);
    CHECK(!frz_parquet_hybrid_decode(&hybrid, got, 1));
}

/* parquet-testing ARROW-GH-43605: indices of no bits are all 0. */
static void test_width_zero_takes_no_bytes(void **state)
{
    (void)state;
    const uint8_t bytes[] = {0x03};
    uint32_t got[8];
    frz_parquet_hybrid hybrid = frz_parquet_hybrid_over(frz_slice_of(bytes, 1), 0);
    CHECK(frz_parquet_hybrid_decode(&hybrid, got, 8) && got[0] == 0 && got[7] == 0);
    CHECK(!frz_parquet_hybrid_decode(&hybrid, got, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_of_both_kinds_in_any_portions),
        cmocka_unit_test(test_skipping_and_bytes_agree_with_decoding),
        cmocka_unit_test(test_a_run_is_told_only_where_it_is_one),
        cmocka_unit_test(test_bits_are_copied_counted_and_skipped),
        cmocka_unit_test(test_a_last_run_may_be_cut_to_what_is_needed),
        cmocka_unit_test(test_hostile_runs_fail_without_harm),
        cmocka_unit_test(test_width_zero_takes_no_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
