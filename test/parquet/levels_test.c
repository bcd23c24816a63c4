#include "parquet/levels.h"

#include "harness.h"

static void test_widths_of_levels(void **state)
{
    (void)state;
    CHECK(frz_parquet_level_width(0) == 0 && frz_parquet_level_width(1) == 1);
    CHECK(frz_parquet_level_width(2) == 2 && frz_parquet_level_width(3) == 2);
    CHECK(frz_parquet_level_width(4) == 3 && frz_parquet_level_width(255) == 8);
}

/* Encodings.md, BIT_PACKED: 0 to 7 from the most significant bit on. */
static void test_deprecated_bit_packing(void **state)
{
    (void)state;
    const uint8_t bytes[] = {0x05, 0x39, 0x77};
    uint8_t got[8];
    frz_parquet_levels levels = frz_parquet_levels_over(frz_slice_of(bytes, sizeof bytes), 7, true);
    CHECK(frz_parquet_levels_decode(&levels, got, 3) &&
          frz_parquet_levels_decode(&levels, got + 3, 5));
    for (uint8_t i = 0; i < 8; i++)
        CHECK(got[i] == i);
    CHECK(!frz_parquet_levels_decode(&levels, got, 1));
}

static void test_a_level_above_the_maximum_is_refused(void **state)
{
    (void)state;
    const uint8_t bytes[] = {0x08, 0x03}; /* four times 3 */
    uint8_t got[4];
    frz_parquet_levels levels =
        frz_parquet_levels_over(frz_slice_of(bytes, sizeof bytes), 2, false);
    CHECK(!frz_parquet_levels_decode(&levels, got, 4));
    levels = frz_parquet_levels_over(frz_slice_of(bytes, sizeof bytes), 3, false);
    CHECK(frz_parquet_levels_decode(&levels, got, 4) && got[3] == 3);
    CHECK(!frz_parquet_levels_decode(&levels, got, 1));
}

static void test_maximum_zero_needs_no_bytes(void **state)
{
    (void)state;
    uint8_t got[3] = {9, 9, 9};
    frz_parquet_levels levels = frz_parquet_levels_over((frz_slice){0}, 0, false);
    CHECK(frz_parquet_levels_decode(&levels, got, 3) && got[0] == 0 && got[2] == 0);
}

static void test_bits_of_both_encodings(void **state)
{
    (void)state;
    const uint8_t packed[] = {0xb0};     /* 1011 from the top */
    const uint8_t runs[] = {0x03, 0x0d}; /* 1011 from the bottom, as a packed run */
    for (int kind = 0; kind < 2; kind++) {
        const frz_slice bytes = kind ? frz_slice_of(packed, 1) : frz_slice_of(runs, 2);
        frz_parquet_levels levels = frz_parquet_levels_over(bytes, 1, kind == 1);
        uint8_t bits = 0;
        size_t ones = 0, skipped = 0;
        CHECK(frz_parquet_levels_skip_bits(&levels, 1, &skipped) && skipped == 1);
        CHECK(frz_parquet_levels_decode_bits(&levels, &bits, 2, 3, &ones));
        CHECK(ones == 2 && bits == 0x18);
    }
    frz_parquet_levels levels = frz_parquet_levels_over(frz_slice_of(packed, 1), 1, true);
    size_t ones = 0;
    CHECK(!frz_parquet_levels_skip_bits(&levels, 9, &ones));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_widths_of_levels),
        cmocka_unit_test(test_deprecated_bit_packing),
        cmocka_unit_test(test_a_level_above_the_maximum_is_refused),
        cmocka_unit_test(test_maximum_zero_needs_no_bytes),
        cmocka_unit_test(test_bits_of_both_encodings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
