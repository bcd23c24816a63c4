#include "parquet/squeeze.h"

#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "parquet/bits.h"

enum { ROWS = 1000, WORDS = (ROWS + 63) / 64 };

static uint64_t state = 1;

static uint64_t random_next(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return state >> 33;
}

/* About `keep` of 100 rows, and some whole words of ones and of zeros. Returns how many. */
static size_t make_mask(uint64_t *mask, size_t count, unsigned keep)
{
    memset(mask, 0, WORDS * sizeof *mask);
    for (size_t i = 0; i < count; i++)
        if (i / 64 == 2 || (i / 64 != 4 && random_next() % 100 < keep))
            mask[i / 64] |= UINT64_C(1) << i % 64;
    return frz_bits_count((const uint8_t *)mask, 0, count);
}

static bool has(const uint64_t *mask, size_t row)
{
    return mask[row / 64] >> row % 64 & 1;
}

static void check_fixed(size_t width, size_t base, size_t count, unsigned keep)
{
    uint64_t mask[WORDS];
    frz_parquet_values values = {.count = base + count};
    const frz_parquet_layout layout = {.form = FRZ_PARQUET_FORM_FIXED, .width = width};
    const size_t stay = make_mask(mask, count, keep);
    for (size_t i = 0; i < values.count * width; i++)
        frz_buffer_append_byte(&values.data,
                               (uint8_t)(i / width * 7 + i % width + i / width / 256));
    uint8_t *before = malloc(values.data.size);
    CHECK(before != NULL);
    memcpy(before, values.data.data, values.data.size);

    frz_parquet_values_squeeze(&layout, &values, base, mask, stay);
    CHECK(values.count == base + stay && values.data.size == values.count * width);
    CHECK(memcmp(values.data.data, before, base * width) == 0);
    const uint8_t *at = values.data.data + base * width;
    for (size_t i = 0; i < count; i++) {
        if (!has(mask, i))
            continue;
        CHECK(memcmp(at, before + (base + i) * width, width) == 0);
        at += width;
    }
    free(before);
    frz_parquet_values_clear(&values);
}

static void test_values_of_every_width_stay_in_order(void **unused)
{
    static const size_t widths[] = {1, 2, 4, 8, 12, 16, 20};
    (void)unused;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        check_fixed(widths[i], 0, ROWS, 95);
        check_fixed(widths[i], 3, ROWS - 1, 50);
        check_fixed(widths[i], 0, 63, 2);
        check_fixed(widths[i], 5, 64, 0);
    }
}

static void test_bits_before_the_base_stay(void **unused)
{
    (void)unused;
    for (size_t base = 0; base < 20; base++) {
        uint64_t mask[WORDS];
        uint8_t bits[ROWS / 8 + 8];
        uint8_t before[sizeof bits];
        for (size_t i = 0; i < sizeof bits; i++)
            bits[i] = (uint8_t)random_next();
        memcpy(before, bits, sizeof bits);
        make_mask(mask, ROWS, 80);
        frz_parquet_squeeze_bits(bits, base, mask, ROWS);
        size_t to = base;
        CHECK(frz_bits_count(bits, 0, base) == frz_bits_count(before, 0, base));
        for (size_t i = 0; i < ROWS; i++)
            if (has(mask, i)) {
                CHECK(frz_bits_count(bits, to, 1) == frz_bits_count(before, base + i, 1));
                to++;
            }
    }
}

static void test_strings_move_with_their_ends(void **unused)
{
    uint64_t mask[WORDS];
    const size_t base = 10;
    frz_parquet_values values = {0};
    const frz_parquet_layout layout = {.form = FRZ_PARQUET_FORM_BYTES};
    (void)unused;
    frz_buffer_append_u32le(&values.offsets, 0);
    for (size_t i = 0; i < base + ROWS; i++) {
        for (size_t k = 0; k < i % 5; k++)
            frz_buffer_append_byte(&values.data, (uint8_t)i);
        frz_buffer_append_u32le(&values.offsets, (uint32_t)values.data.size);
    }
    values.count = base + ROWS;
    const size_t stay = make_mask(mask, ROWS, 90);
    frz_parquet_values_squeeze(&layout, &values, base, mask, stay);
    CHECK(values.count == base + stay);
    CHECK(values.offsets.size == (values.count + 1) * sizeof(int32_t));
    const int32_t *ends = (const void *)values.offsets.data;
    size_t to = 0;
    for (size_t i = 0; i < base + ROWS; i++) {
        if (i >= base && !has(mask, i - base))
            continue;
        CHECK(ends[to + 1] - ends[to] == (int32_t)(i % 5));
        CHECK(i % 5 == 0 || values.data.data[ends[to]] == (uint8_t)i);
        to++;
    }
    CHECK(to == values.count && ends[to] == (int32_t)values.data.size);
    frz_parquet_values_clear(&values);
}

static void test_indices(void **unused)
{
    const uint64_t mask[2] = {UINT64_C(0xfffffffffffffff5), 0x1};
    uint32_t indices[65];
    (void)unused;
    for (uint32_t i = 0; i < 65; i++)
        indices[i] = i * 3;
    CHECK(frz_parquet_squeeze_indices(indices, mask, 65) == 63);
    CHECK(indices[0] == 0 && indices[1] == 6 && indices[2] == 12 && indices[62] == 192);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_of_every_width_stay_in_order),
        cmocka_unit_test(test_bits_before_the_base_stay),
        cmocka_unit_test(test_strings_move_with_their_ends),
        cmocka_unit_test(test_indices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
