#include "base/decimal.h"

#include "harness.h"

static frz_int128 parse(const char *text, int *scale)
{
    frz_int128 value = 0;
    if (!frz_decimal_parse(text, strlen(text), &value, scale))
        fail_msg("%s does not parse", text);
    return value;
}

static void test_text_parses_to_unscaled_value_and_scale(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t unscaled;
        int scale;
    } cases[] = {
        {"0", 0, 0},       {"0.00", 0, 2},    {"14.20", 1420, 2}, {"-14.20", -1420, 2},
        {"+7", 7, 0},      {".5", 5, 1},      {"5.", 5, 0},       {"1e3", 1, -3},
        {"1.5e3", 15, -2}, {"1.5e-3", 15, 4}, {"100", 100, 0},    {"00012.50", 1250, 2},
        {"-0.01", -1, 2},  {"1E+2", 1, -2},   {"10e2", 10, -2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int scale = 99;
        const frz_int128 value = parse(cases[i].text, &scale);
        if (value != cases[i].unscaled || scale != cases[i].scale)
            fail_msg("%s: %lld scale %d", cases[i].text, (long long)value, scale);
    }
}

static void test_what_is_no_decimal_is_refused(void **state)
{
    (void)state;
    static const char *const cases[] = {"",
                                        "+",
                                        "-",
                                        ".",
                                        "e5",
                                        "1e",
                                        "1e+",
                                        "1 ",
                                        " 1",
                                        "1,5",
                                        "0x1",
                                        "NaN",
                                        "1.2.3",
                                        "--1",
                                        "1e9999999",
                                        "123456789012345678901234567890123456789",
                                        "1.00000000000000000000000000000000000001234"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        frz_int128 value = 42;
        int scale = 42;
        if (frz_decimal_parse(cases[i], strlen(cases[i]), &value, &scale))
            fail_msg("\"%s\" parses", cases[i]);
        CHECK(value == 42 && scale == 42);
    }
    frz_int128 value = 0;
    int scale = 0;
    CHECK(!frz_decimal_parse(NULL, 0, &value, &scale));
}

static void test_thirty_eight_digits_are_exact_and_print_back(void **state)
{
    (void)state;
    static const char *const cases[] = {"99999999999999999999999999999999999999",
                                        "-99999999999999999999999999999999999999",
                                        "0.99999999999999999999999999999999999999",
                                        "-12345678901234567890.123456789012345678",
                                        "0.00000000000000000000000000000000000001",
                                        "1.00",
                                        "0",
                                        "0.000",
                                        "-0.5"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int scale = 0;
        const frz_int128 value = parse(cases[i], &scale);
        char text[FRZ_DECIMAL_TEXT_SIZE];
        const size_t size = frz_decimal_print(value, scale, text);
        assert_string_equal(text, cases[i]);
        CHECK(size == strlen(cases[i]));
    }
}

static void test_zeros_beyond_the_digits_do_not_count(void **state)
{
    (void)state;
    int scale = 0;
    const frz_int128 value = parse("1.5000000000000000000000000000000000000000000000000", &scale);
    frz_int128 two = 0;
    CHECK(frz_decimal_rescale(value, scale, 2, &two) && two == 150);
    const frz_int128 big = parse("1000000000000000000000000000000000000000000", &scale);
    CHECK(frz_decimal_rescale(big, scale, -42, &two) && two == 1);
    CHECK(!frz_decimal_rescale(big, scale, 0, &two));
}

static void test_the_largest_scale_and_value_still_print(void **state)
{
    (void)state;
    char text[FRZ_DECIMAL_TEXT_SIZE];
    const frz_int128 least = (frz_int128)((frz_uint128)1 << 127);
    CHECK(frz_decimal_print(least, 38, text) == 41);
    assert_string_equal(text, "-1.70141183460469231731687303715884105728");
}

static void test_rescaling_is_exact_or_refused(void **state)
{
    (void)state;
    frz_int128 out = 7;
    CHECK(frz_decimal_rescale(1420, 2, 4, &out) && out == 142000);
    CHECK(frz_decimal_rescale(1420, 2, 1, &out) && out == 142);
    out = 7;
    CHECK(!frz_decimal_rescale(1421, 2, 1, &out) && out == 7);
    CHECK(!frz_decimal_rescale(frz_decimal_power(37), 0, 1, &out) && out == 7);
    CHECK(!frz_decimal_rescale(-frz_decimal_power(38), 0, 0, &out) && out == 7);
    CHECK(!frz_decimal_rescale(1, -2000000000, 2000000000, &out) && out == 7);
    CHECK(frz_decimal_rescale(0, -2000000000, 2000000000, &out) && out == 0);
}

static void test_precision_counts_digits(void **state)
{
    (void)state;
    CHECK(frz_decimal_fits(99, 2) && !frz_decimal_fits(100, 2) && frz_decimal_fits(-99, 2));
    CHECK(!frz_decimal_fits(-100, 2) && frz_decimal_fits(frz_decimal_power(38) - 1, 38));
    CHECK(!frz_decimal_fits(frz_decimal_power(38), 38) && !frz_decimal_fits(0, 0));
    CHECK(!frz_decimal_fits(0, 39));
    frz_int128 power = 1;
    for (int i = 0; i <= 38; i++, power *= i <= 38 ? 10 : 1)
        CHECK(frz_decimal_power(i) == power);
}

static void test_big_endian_is_as_short_as_the_sign_allows(void **state)
{
    (void)state;
    /* Sizes at the edges of the sign bit: a byte too many changes bucket hashes and bounds. */
    static const struct {
        int64_t value;
        size_t size;
        uint8_t bytes[9];
    } cases[] = {
        {0, 1, {0}},
        {127, 1, {0x7f}},
        {128, 2, {0, 0x80}},
        {-128, 1, {0x80}},
        {-129, 2, {0xff, 0x7f}},
        {255, 2, {0, 0xff}},
        {256, 2, {1, 0}},
        {32767, 2, {0x7f, 0xff}},
        {32768, 3, {0, 0x80, 0}},
        {-32768, 2, {0x80, 0}},
        {-32769, 3, {0xff, 0x7f, 0xff}},
        {-8388608, 3, {0x80, 0, 0}},
        {1420, 2, {5, 0x8c}},
        {-1, 1, {0xff}},
        {INT64_MIN, 8, {0x80}},
        {INT64_MAX, 8, {0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t bytes[16];
        const size_t size = frz_decimal_to_be(cases[i].value, bytes);
        if (size != cases[i].size || memcmp(bytes, cases[i].bytes, size) != 0)
            fail_msg("%lld: %zu bytes", (long long)cases[i].value, size);
        frz_int128 back = 0;
        CHECK(frz_decimal_from_be(frz_slice_of(bytes, size), &back) && back == cases[i].value);
    }
}

static void test_big_endian_accepts_padding_by_sign_only(void **state)
{
    (void)state;
    uint8_t bytes[20];
    frz_int128 out = 0;
    memset(bytes, 0xff, sizeof bytes);
    CHECK(frz_decimal_from_be(frz_slice_of(bytes, sizeof bytes), &out) && out == -1);
    bytes[4] = 0x7f;
    CHECK(!frz_decimal_from_be(frz_slice_of(bytes, sizeof bytes), &out));
    bytes[4] = 0xff;
    bytes[0] = 0;
    CHECK(!frz_decimal_from_be(frz_slice_of(bytes, sizeof bytes), &out));
    memset(bytes, 0, 4);
    CHECK(!frz_decimal_from_be(frz_slice_of(bytes, sizeof bytes), &out)); /* 2^128 - 1 */
    CHECK(!frz_decimal_from_be(frz_slice_of(NULL, 0), &out));
}

static void test_random_values_survive_text_and_bytes(void **state)
{
    (void)state;
    uint64_t seed = 20261130;
    for (int i = 0; i < 20000; i++) {
        frz_uint128 bits = 0;
        for (int j = 0; j < 2; j++) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
            bits = bits << 64 | seed;
        }
        const frz_int128 value = ((frz_int128)bits >> (seed >> 57)) % frz_decimal_power(38);
        const int scale = (int)(seed >> 40) % 39;
        char text[FRZ_DECIMAL_TEXT_SIZE];
        int scale_back = -1;
        (void)frz_decimal_print(value, scale, text);
        CHECK(parse(text, &scale_back) == value && scale_back == scale);
        uint8_t bytes[16];
        const size_t size = frz_decimal_to_be(value, bytes);
        frz_int128 back = 0;
        CHECK(frz_decimal_from_be(frz_slice_of(bytes, size), &back) && back == value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_parses_to_unscaled_value_and_scale),
        cmocka_unit_test(test_what_is_no_decimal_is_refused),
        cmocka_unit_test(test_thirty_eight_digits_are_exact_and_print_back),
        cmocka_unit_test(test_zeros_beyond_the_digits_do_not_count),
        cmocka_unit_test(test_the_largest_scale_and_value_still_print),
        cmocka_unit_test(test_rescaling_is_exact_or_refused),
        cmocka_unit_test(test_precision_counts_digits),
        cmocka_unit_test(test_big_endian_is_as_short_as_the_sign_allows),
        cmocka_unit_test(test_big_endian_accepts_padding_by_sign_only),
        cmocka_unit_test(test_random_values_survive_text_and_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
