#include "parquet/delta_encode.h"

#include "arrow_equal.h"
#include "parquet/delta.h"

/* Encodings.md, "Delta Encoding", examples 1 and 2, with blocks of 128 in 4 miniblocks. */
static void test_the_examples_of_the_specification(void **state)
{
    (void)state;
    static const int32_t rising[] = {1, 2, 3, 4, 5};
    static const uint8_t want[] = {0x80, 0x01, 4, 5, 2, 2, 0, 0, 0, 0};
    static const int64_t falling[] = {7, 5, 3, 1, 2, 3, 4, 5};
    static const uint8_t want_falling[] = {0x80, 0x01, 4,    8, 14, 3, 2, 0, 0,
                                           0,    0xc0, 0x3f, 0, 0,  0, 0, 0, 0};
    frz_buffer out = {0};
    frz_parquet_delta_encode_i32(rising, 5, &out);
    CHECK(out.size == sizeof want && memcmp(out.data, want, sizeof want) == 0);
    frz_buffer_reset(&out);
    frz_parquet_delta_encode_i64(falling, 8, &out);
    CHECK(out.size == sizeof want_falling &&
          memcmp(out.data, want_falling, sizeof want_falling) == 0);
    frz_buffer_reset(&out);
    frz_parquet_delta_encode_i64(NULL, 0, &out);
    CHECK(out.size == 5 && out.data[3] == 0);
    frz_buffer_clear(&out);
}

static void check_back(const void *values, bool wide, size_t count)
{
    static int64_t decoded[600];
    frz_buffer out = {0};
    if (wide)
        frz_parquet_delta_encode_i64(values, count, &out);
    else
        frz_parquet_delta_encode_i32(values, count, &out);
    frz_parquet_delta back = frz_parquet_delta_over(frz_buffer_slice(&out), wide ? 64 : 32);
    if (!frz_parquet_delta_decode(&back, decoded, count))
        fail_msg("%zu values: %s", count, back.problem);
    for (size_t i = 0; i < count; i++)
        CHECK(wide ? decoded[i] == ((const int64_t *)values)[i]
                   : (int32_t)decoded[i] == ((const int32_t *)values)[i]);
    size_t end = 0;
    CHECK(frz_parquet_delta_end(&back, &end) && end == out.size);
    frz_buffer_clear(&out);
}

static void test_random_values_come_back_with_overflowing_differences(void **state)
{
    (void)state;
    static int64_t wide[600];
    static int32_t narrow[600];
    uint64_t seed = 17;
    for (int round = 0; round < 600; round++) {
        const size_t count = (size_t)round;
        const int bits = (int)(next_random(&seed) % 64);
        for (size_t i = 0; i < count; i++) {
            wide[i] = (int64_t)(next_random(&seed) >> bits) * (next_random(&seed) & 1 ? 1 : -1);
            narrow[i] = (int32_t)wide[i];
        }
        if (count > 3) {
            wide[1] = INT64_MIN;
            wide[2] = INT64_MAX;
            narrow[1] = INT32_MIN;
            narrow[2] = INT32_MAX;
        }
        check_back(wide, true, count);
        check_back(narrow, false, count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_examples_of_the_specification),
        cmocka_unit_test(test_random_values_come_back_with_overflowing_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
