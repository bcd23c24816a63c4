#include "parquet/utf8.h"

#include "harness.h"

static bool valid_text(const char *text)
{
    const int32_t end = (int32_t)strlen(text);
    return frz_utf8_values_valid((const uint8_t *)text, 0, &end, 1);
}

static void test_what_rfc_3629_allows_and_what_not(void **state)
{
    (void)state;
    CHECK(valid_text("") && valid_text("plain ascii of more than eight bytes"));
    CHECK(valid_text("\xc2\x80 \xdf\xbf \xe0\xa0\x80 \xed\x9f\xbf \xef\xbf\xbf"));
    CHECK(valid_text("\xf0\x90\x80\x80 \xf4\x8f\xbf\xbf"));
    CHECK(!valid_text("TREL\xc3")); /* duckdb invalid.parquet */
    CHECK(!valid_text("\xc0\xaf")); /* overlong */
    CHECK(!valid_text("\xe0\x9f\xbf") && !valid_text("\xf0\x8f\xbf\xbf"));
    CHECK(!valid_text("\xed\xa0\x80")); /* surrogate */
    CHECK(!valid_text("\xf4\x90\x80\x80") && !valid_text("\xf5\x80\x80\x80"));
    CHECK(!valid_text("\x80") && !valid_text("abc\xffxyz") && !valid_text("\xe2\x28\xa1"));
}

static void test_a_value_must_not_begin_inside_a_sequence(void **state)
{
    (void)state;
    const char *text = "a\xc3\xa9z";
    const int32_t good[] = {1, 3, 4}, bad[] = {2, 3, 4}, empty[] = {1, 1, 3, 4};
    CHECK(frz_utf8_values_valid((const uint8_t *)text, 0, good, 3));
    CHECK(!frz_utf8_values_valid((const uint8_t *)text, 0, bad, 3));
    CHECK(frz_utf8_values_valid((const uint8_t *)text, 0, empty, 4));
    CHECK(frz_utf8_values_valid((const uint8_t *)text, 0, NULL, 0));
    const int32_t rest[] = {4};
    CHECK(!frz_utf8_values_valid((const uint8_t *)text, 2, rest, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_rfc_3629_allows_and_what_not),
        cmocka_unit_test(test_a_value_must_not_begin_inside_a_sequence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
