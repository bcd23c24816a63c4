#include "base/utf8.h"

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

static void test_code_points_go_there_and_back(void **state)
{
    (void)state;
    static const uint32_t codes[] = {0,      0x7f,   0x80,   0x7ff,   0x800,
                                     0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff};
    static const size_t sizes[] = {1, 1, 2, 2, 3, 3, 3, 3, 4, 4};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        uint8_t bytes[4];
        CHECK(frz_utf8_put(codes[i], bytes) == sizes[i]);
        CHECK(frz_utf8_size(bytes, sizes[i]) == sizes[i]);
        CHECK(frz_utf8_size(bytes, sizes[i] - 1) == 0);
        CHECK(frz_utf8_get(bytes, sizes[i]) == codes[i]);
    }
    CHECK(frz_utf8_successor('a') == 'b');
    CHECK(frz_utf8_successor(0xd7ff) == 0xe000); /* over the surrogates */
    CHECK(frz_utf8_successor(0x10ffff) == 0);
}

static void test_text_is_counted_and_cut_between_characters(void **state)
{
    (void)state;
    const uint8_t *text = (const uint8_t *)"a\xc3\xa9\xf0\x9f\x98\x80z";
    CHECK(frz_utf8_count(text, 8) == 4);
    CHECK(frz_utf8_start(text, 0) == 0);
    CHECK(frz_utf8_start(text, 2) == 1);
    CHECK(frz_utf8_start(text, 6) == 3);
    CHECK(frz_utf8_start(text, 7) == 7);
    CHECK(frz_utf8_start((const uint8_t *)"\x80\x80", 1) == 0); /* no character holds them */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_rfc_3629_allows_and_what_not),
        cmocka_unit_test(test_code_points_go_there_and_back),
        cmocka_unit_test(test_text_is_counted_and_cut_between_characters),
        cmocka_unit_test(test_a_value_must_not_begin_inside_a_sequence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
