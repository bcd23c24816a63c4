#include "base/number.h"

#include <math.h>

#include "harness.h"

static void test_integers_take_the_whole_text_and_range(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {{"0", 0},
                {"-0", 0},
                {"+7", 7},
                {"007", 7},
                {"9223372036854775807", INT64_MAX},
                {"-9223372036854775808", INT64_MIN}};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        int64_t value = 1;
        CHECK(frz_number_parse_i64(good[i].text, strlen(good[i].text), &value));
        CHECK(value == good[i].value);
    }
    static const char *const bad[] = {"",
                                      "+",
                                      "-",
                                      " 1",
                                      "1 ",
                                      "1.0",
                                      "0x1",
                                      "1e3",
                                      "--1",
                                      "9223372036854775808",
                                      "-9223372036854775809",
                                      "18446744073709551616",
                                      "99999999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int64_t value = 42;
        if (frz_number_parse_i64(bad[i], strlen(bad[i]), &value) || value != 42)
            fail_msg("\"%s\" parses", bad[i]);
    }
}

static double parse(const char *text)
{
    double value = 0;
    if (!frz_number_parse_f64(text, strlen(text), &value))
        fail_msg("\"%s\" does not parse", text);
    return value;
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void test_floating_numbers_round_as_strtod_does(void **state)
{
    (void)state;
    static const char *const texts[] = {"0",
                                        "-0",
                                        "0.1",
                                        "-0.1",
                                        "1e23",
                                        "9007199254740993",
                                        "9007199254740992.5",
                                        "1.7976931348623157e308",
                                        "1.7976931348623159e308",
                                        "1e309",
                                        "-1e309",
                                        "2.2250738585072011e-308",
                                        "5e-324",
                                        "2.4e-324",
                                        "4.9406564584124654e-324",
                                        "1e-400",
                                        "123456789012345678901234567890",
                                        ".5",
                                        "5.",
                                        "1E+5",
                                        "0.000000000000000000000000000000000001",
                                        "8.5e15",
                                        "72057594037927945",
                                        "1e22",
                                        "1e-22",
                                        "6929495644600919.5",
                                        "9007199254740991e22",
                                        "0.1e1000000000000",
                                        "0e99999999999"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const double want =
            i + 2 == sizeof texts / sizeof texts[0] ? (double)INFINITY : strtod(texts[i], NULL);
        if (!same_bits(parse(texts[i]), want))
            fail_msg("%s: %a, want %a", texts[i], parse(texts[i]), want);
    }
}

static void test_a_very_long_number_still_rounds_right(void **state)
{
    (void)state;
    /* Just above the middle between 1 and the next double, told only by digit 900. */
    char text[1000];
    (void)snprintf(text, sizeof text, "1.00000000000000011102230246251565404236316680908203125");
    size_t size = strlen(text);
    memset(text + size, '0', 900 - size);
    text[900] = '\0';
    CHECK(same_bits(parse(text), 1.0)); /* ties to even */
    text[899] = '1';
    CHECK(same_bits(parse(text), 1.0000000000000002));
}

static void test_words_for_what_is_no_number(void **state)
{
    (void)state;
    CHECK(isnan(parse("NaN")) && isnan(parse("-nan")));
    CHECK(same_bits(parse("Infinity"), (double)INFINITY) &&
          same_bits(parse("+inf"), (double)INFINITY));
    CHECK(same_bits(parse("-INF"), -(double)INFINITY));
    static const char *const bad[] = {"",       "-",  ".",  "e5",  "1e",    "1e+", "0x1p3", "infin",
                                      "nan(1)", "1 ", " 1", "1,5", "1.2.3", "1f",  "--1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double value = 42;
        if (frz_number_parse_f64(bad[i], strlen(bad[i]), &value) || !same_bits(value, 42))
            fail_msg("\"%s\" parses", bad[i]);
    }
}

static void test_printing_is_short_and_keeps_its_layout(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0.0, "0.0"},
                 {-0.0, "-0.0"},
                 {1.0, "1.0"},
                 {0.1, "0.1"},
                 {100.0, "100.0"},
                 {1e15, "1000000000000000.0"},
                 {1e16, "1e16"},
                 {1e300, "1e300"},
                 {1.5e-7, "1.5e-7"},
                 {0.0001, "0.0001"},
                 {0.00001, "1e-5"},
                 {-123.456, "-123.456"},
                 {5e-324, "5e-324"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {1.7976931348623157e308, "1.7976931348623157e308"},
                 {(double)INFINITY, "Infinity"},
                 {-(double)INFINITY, "-Infinity"},
                 {(double)NAN, "NaN"}};
    char text[FRZ_NUMBER_TEXT_SIZE];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK(frz_number_print_f64(cases[i].value, text) == strlen(cases[i].text));
        assert_string_equal(text, cases[i].text);
    }
    (void)frz_number_print_f32(0.1f, text);
    assert_string_equal(text, "0.1");
    (void)frz_number_print_f32(16777216.0f, text);
    assert_string_equal(text, "16777216.0");
    (void)frz_number_print_f32(1e-45f, text);
    assert_string_equal(text, "1e-45");
    (void)frz_number_print_f32(3.4028235e38f, text);
    assert_string_equal(text, "3.4028235e38");
}

static void test_random_numbers_survive(void **state)
{
    (void)state;
    uint64_t seed = 20261130;
    char text[FRZ_NUMBER_TEXT_SIZE];
    for (int i = 0; i < 50000; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        const uint64_t bits = seed ^ seed >> 29;
        double value = 0;
        memcpy(&value, &bits, sizeof value);
        if (isnan(value))
            continue;
        size_t size = frz_number_print_f64(value, text);
        double back = 0;
        CHECK(size < sizeof text && frz_number_parse_f64(text, size, &back));
        CHECK(same_bits(value, back) && same_bits(back, strtod(text, NULL)));
        float narrow = 0;
        memcpy(&narrow, &bits, sizeof narrow);
        if (isnan(narrow))
            continue;
        size = frz_number_print_f32(narrow, text);
        const float narrow_back = strtof(text, NULL);
        CHECK(size < sizeof text && memcmp(&narrow, &narrow_back, sizeof narrow) == 0);
    }
}

static void test_hexadecimal_digits_of_either_case(void **state)
{
    (void)state;
    const char lower[] = "0123456789abcdef";
    const char upper[] = "0123456789ABCDEF";
    int known = 0;
    for (int i = 0; i < 16; i++) {
        CHECK(frz_hex_digit((uint8_t)lower[i]) == i);
        CHECK(frz_hex_digit((uint8_t)upper[i]) == i);
    }
    for (int c = 0; c < 256; c++)
        known += frz_hex_digit((uint8_t)c) >= 0;
    CHECK(known == 22);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hexadecimal_digits_of_either_case),
        cmocka_unit_test(test_integers_take_the_whole_text_and_range),
        cmocka_unit_test(test_floating_numbers_round_as_strtod_does),
        cmocka_unit_test(test_a_very_long_number_still_rounds_right),
        cmocka_unit_test(test_words_for_what_is_no_number),
        cmocka_unit_test(test_printing_is_short_and_keeps_its_layout),
        cmocka_unit_test(test_random_numbers_survive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
