#include "parquet/rle_encode.h"

#include "arrow_equal.h"
#include "parquet/bitpack.h"
#include "parquet/hybrid.h"

static void test_bit_widths(void **state)
{
    (void)state;
    CHECK(frz_parquet_bit_width(0) == 0 && frz_parquet_bit_width(1) == 1);
    CHECK(frz_parquet_bit_width(7) == 3 && frz_parquet_bit_width(8) == 4);
    CHECK(frz_parquet_bit_width(UINT64_MAX) == 64);
}

/* Encodings.md, "Run Length Encoding / Bit-Packing Hybrid": 0 to 7 in 3 bits are 88 C6 FA. */
static void test_the_example_of_the_specification(void **state)
{
    (void)state;
    static const uint32_t numbers[] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const uint64_t wide[] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const uint8_t want[] = {1 << 1 | 1, 0x88, 0xc6, 0xfa};
    frz_buffer out = {0};
    frz_parquet_rle_encode_indexes(numbers, 8, 3, &out);
    CHECK(out.size == sizeof want && memcmp(out.data, want, sizeof want) == 0);
    frz_buffer_reset(&out);
    frz_parquet_bit_pack(wide, 8, 3, &out);
    CHECK(out.size == 3 && memcmp(out.data, want + 1, 3) == 0);
    frz_buffer_reset(&out);
    frz_parquet_rle_encode_run(300, 100, 9, &out);
    CHECK(out.size == 4 && memcmp(out.data, (uint8_t[]){0xc8, 0x01, 0x2c, 0x01}, 4) == 0);
    frz_buffer_reset(&out);
    frz_parquet_rle_encode_run(1, 0, 1, &out);
    CHECK(out.size == 0);
    frz_parquet_append_uvarint(&out, UINT64_MAX);
    CHECK(out.size == 10 && out.data[9] == 1);
    frz_buffer_clear(&out);
}

/* Runs and noise of every length; what comes back is what went in, in no more bytes than packed. */
static void test_random_sequences_come_back(void **state)
{
    (void)state;
    static uint32_t numbers[700];
    static uint32_t decoded[700];
    static uint8_t levels[700];
    uint64_t seed = 42;
    for (int round = 0; round < 3000; round++) {
        const int width = (int)(next_random(&seed) % 32) + 1;
        const size_t count = next_random(&seed) % 700;
        const uint64_t stay = next_random(&seed) % 40 + 1;
        for (size_t i = 0; i < count; i++) {
            numbers[i] = i > 0 && next_random(&seed) % stay
                             ? numbers[i - 1]
                             : (uint32_t)(next_random(&seed) >> (64 - width));
            levels[i] = (uint8_t)numbers[i];
        }
        frz_buffer out = {0};
        frz_parquet_rle_encode_indexes(numbers, count, width, &out);
        CHECK(!out.failed);
        frz_parquet_hybrid back = frz_parquet_hybrid_over(frz_buffer_slice(&out), (unsigned)width);
        CHECK(frz_parquet_hybrid_decode(&back, decoded, count));
        CHECK(memcmp(decoded, numbers, count * sizeof *numbers) == 0);
        CHECK(frz_cursor_left(&back.cursor) == 0);
        frz_buffer_reset(&out);
        frz_parquet_rle_encode_levels(levels, count, 8, &out);
        back = frz_parquet_hybrid_over(frz_buffer_slice(&out), 8);
        CHECK(frz_parquet_hybrid_decode(&back, decoded, count));
        for (size_t i = 0; i < count; i++)
            CHECK(decoded[i] == levels[i]);
        frz_buffer_clear(&out);
    }
}

static void test_packing_of_every_width(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int width = 0; width <= 64; width++) {
        uint64_t numbers[64];
        uint64_t decoded[64];
        frz_buffer out = {0};
        for (size_t i = 0; i < 64; i++)
            numbers[i] = width ? next_random(&seed) >> (64 - width) : 0;
        frz_parquet_bit_pack(numbers, 64, width, &out);
        CHECK(out.size == (size_t)width * 8);
        frz_parquet_unpack_u64(frz_buffer_slice(&out), (unsigned)width, 0, decoded, 64);
        CHECK(memcmp(decoded, numbers, sizeof numbers) == 0);
        frz_buffer_clear(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bit_widths),
        cmocka_unit_test(test_the_example_of_the_specification),
        cmocka_unit_test(test_random_sequences_come_back),
        cmocka_unit_test(test_packing_of_every_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
