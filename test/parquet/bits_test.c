#include "parquet/bits.h"

#include "harness.h"

static bool get(const uint8_t *bits, size_t at)
{
    return bits[at / 8] >> at % 8 & 1;
}

static void test_copies_at_every_alignment(void **state)
{
    (void)state;
    uint8_t in[16];
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (uint8_t)(i * 37 + 11);
    for (size_t in_at = 0; in_at < 9; in_at++) {
        for (size_t out_at = 0; out_at < 9; out_at++) {
            for (size_t count = 0; count <= 100; count += 7) {
                uint8_t out[16];
                memset(out, 0xa5, sizeof out);
                frz_bits_copy(in, in_at, out, out_at, count);
                size_t ones = 0;
                for (size_t i = 0; i < count; i++) {
                    CHECK(get(out, out_at + i) == get(in, in_at + i));
                    ones += get(in, in_at + i);
                }
                for (size_t i = 0; i < out_at; i++)
                    CHECK(get(out, i) == (0xa5 >> i % 8 & 1));
                CHECK(get(out, out_at + count) == (0xa5 >> (out_at + count) % 8 & 1));
                CHECK(frz_bits_count(in, in_at, count) == ones);
            }
        }
    }
}

static void test_fills_touch_only_their_bits(void **state)
{
    (void)state;
    for (size_t at = 0; at < 17; at++) {
        for (size_t count = 0; count < 60; count++) {
            uint8_t bits[16] = {0};
            frz_bits_fill(bits, at, count, true);
            CHECK(frz_bits_count(bits, 0, 128) == count);
            CHECK(count == 0 || (get(bits, at) && get(bits, at + count - 1)));
            memset(bits, 0xff, sizeof bits);
            frz_bits_fill(bits, at, count, false);
            CHECK(frz_bits_count(bits, 0, 128) == 128 - count);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copies_at_every_alignment),
        cmocka_unit_test(test_fills_touch_only_their_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
