#include "base/calendar.h"

#include "harness.h"

static void test_divisions_floor(void **state)
{
    (void)state;
    CHECK(frz_floor_div(-1, 10) == -1 && frz_floor_mod(-1, 10) == 9);
    CHECK(frz_floor_div(-10, 10) == -1 && frz_floor_mod(-10, 10) == 0);
    CHECK(frz_floor_div(19, 10) == 1 && frz_floor_mod(19, 10) == 9);
    CHECK(frz_floor_div(7, -2) == -4 && frz_floor_mod(7, -2) == -1);
}

static void test_milliseconds_stay_within_64_bits(void **state)
{
    (void)state;
    CHECK(frz_calendar_micros(-7) == -7000);
    CHECK(frz_calendar_micros(INT64_MAX / 1000) == INT64_MAX / 1000 * 1000);
    CHECK(frz_calendar_micros(INT64_MAX / 1000 + 1) == INT64_MAX);
    CHECK(frz_calendar_micros(INT64_MIN) == INT64_MIN);
}

static void test_every_day_of_eight_centuries_converts_both_ways(void **state)
{
    (void)state;
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int64_t days = frz_calendar_days(-401, 1, 1);
    CHECK(frz_calendar_days(1970, 1, 1) == 0);
    CHECK(frz_calendar_days(2017, 11, 16) == 17486);
    for (int64_t year = -401; year <= 2410; year++) {
        const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        for (int month = 1; month <= 12; month++) {
            const int length = lengths[month - 1] + (month == 2 && leap);
            for (int day = 1; day <= length; day++, days++) {
                int64_t y = 0;
                int m = 0;
                int d = 0;
                frz_calendar_civil(days, &y, &m, &d);
                if (y != year || m != month || d != day ||
                    frz_calendar_days(year, month, day) != days)
                    fail_msg("day %lld", (long long)days);
            }
        }
    }
}

static void test_dates_print_as_iso(void **state)
{
    (void)state;
    static const struct {
        int64_t days;
        const char *text;
    } cases[] = {{0, "1970-01-01"},
                 {-1, "1969-12-31"},
                 {17486, "2017-11-16"},
                 {-719528, "0000-01-01"},
                 {-719529, "-0001-12-31"},
                 {2932896, "9999-12-31"},
                 {2932897, "+10000-01-01"},
                 {INT32_MAX, "+5881580-07-11"},
                 {INT32_MIN, "-5877641-06-23"}};
    char text[FRZ_CALENDAR_TEXT_SIZE];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK(frz_calendar_print_date(cases[i].days, text) == strlen(cases[i].text));
        assert_string_equal(text, cases[i].text);
        int64_t back = 0;
        CHECK(frz_calendar_parse_date(text, strlen(text), &back) && back == cases[i].days);
    }
    /* The ends of int64 must not overflow, whatever they mean. */
    CHECK(frz_calendar_print_date(INT64_MAX, text) < sizeof text);
    CHECK(frz_calendar_print_date(INT64_MIN, text) < sizeof text);
}

static void test_instants_print_with_six_or_nine_digits(void **state)
{
    (void)state;
    char text[FRZ_CALENDAR_TEXT_SIZE];
    CHECK(frz_calendar_print_micros(0, false, text) == 26);
    assert_string_equal(text, "1970-01-01T00:00:00.000000");
    (void)frz_calendar_print_micros(-1, true, text);
    assert_string_equal(text, "1969-12-31T23:59:59.999999Z");
    (void)frz_calendar_print_micros(INT64_C(1510871468000001), false, text);
    assert_string_equal(text, "2017-11-16T22:31:08.000001");
    (void)frz_calendar_print_nanos(INT64_C(1510871468000001001), true, text);
    assert_string_equal(text, "2017-11-16T22:31:08.000001001Z");
    (void)frz_calendar_print_nanos(INT64_MIN, false, text);
    assert_string_equal(text, "1677-09-21T00:12:43.145224192");
    (void)frz_calendar_print_micros(INT64_MIN, false, text);
    assert_string_equal(text, "-290308-12-21T19:59:05.224192");
    (void)frz_calendar_print_time(INT64_C(81068000001), text);
    assert_string_equal(text, "22:31:08.000001");
}

static void test_what_is_no_date_is_refused(void **state)
{
    (void)state;
    static const char *const cases[] = {"",
                                        "2017",
                                        "2017-11",
                                        "2017-11-31",
                                        "2017-02-29",
                                        "2017-13-01",
                                        "2017-00-10",
                                        "2017-01-00",
                                        "2017-1-01",
                                        "20171116",
                                        "2017-11-16 ",
                                        "17-11-16",
                                        "12345-01-01",
                                        "+1234567890-01-01",
                                        "2017-11-16T",
                                        "1900-02-29",
                                        "-12-01-01"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t days = 42;
        if (frz_calendar_parse_date(cases[i], strlen(cases[i]), &days) || days != 42)
            fail_msg("\"%s\" parses", cases[i]);
    }
    int64_t days = 0;
    CHECK(frz_calendar_parse_date("2000-02-29", 10, &days));
}

static void test_times_parse_to_microseconds_exactly(void **state)
{
    (void)state;
    int64_t micros = 0;
    CHECK(frz_calendar_parse_time("22:31:08", 8, &micros) && micros == INT64_C(81068000000));
    CHECK(frz_calendar_parse_time("22:31", 5, &micros) && micros == INT64_C(81060000000));
    CHECK(frz_calendar_parse_time("00:00:00.1", 10, &micros) && micros == 100000);
    CHECK(frz_calendar_parse_time("23:59:59.999999000", 18, &micros) &&
          micros == INT64_C(86399999999));
    static const char *const cases[] = {"",
                                        "24:00",
                                        "23:60",
                                        "23:59:60",
                                        "1:00",
                                        "10:00:00.",
                                        "10:00:00.0000001",
                                        "10:00:00.0000000000",
                                        "10:00Z"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (frz_calendar_parse_time(cases[i], strlen(cases[i]), &micros))
            fail_msg("\"%s\" parses", cases[i]);
    }
}

static void test_timestamps_parse_with_and_without_zone(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t seconds;
        int32_t nanos;
        bool zoned;
    } cases[] = {
        {"2017-11-16T22:31:08", 1510871468, 0, false},
        {"2017-11-16 22:31:08.000001001", 1510871468, 1001, false},
        {"2017-11-16T14:31:08-08:00", 1510871468, 0, true},
        {"2017-11-16T14:31:08-08", 1510871468, 0, true},
        {"2017-11-17T04:01:08+0530", 1510871468, 0, true},
        {"2017-11-16T22:31:08Z", 1510871468, 0, true},
        {"2017-11-16", 1510790400, 0, false},
        {"1969-12-31T23:59:59.999999999Z", -1, 999999999, true},
        {"2017-11-16T22:31", 1510871460, 0, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t seconds = 0;
        int32_t nanos = -1;
        bool zoned = false;
        const bool ok = frz_calendar_parse_timestamp(cases[i].text, strlen(cases[i].text), &seconds,
                                                     &nanos, &zoned);
        if (!ok || seconds != cases[i].seconds || nanos != cases[i].nanos ||
            zoned != cases[i].zoned)
            fail_msg("%s: %lld.%d", cases[i].text, (long long)seconds, nanos);
    }
    static const char *const bad[] = {"2017-11-16T",
                                      "2017-11-16X10:00",
                                      "10:00:00",
                                      "2017-11-16T10:00:00+",
                                      "2017-11-16T10:00:00+19:00",
                                      "2017-11-16T10:00:00+18:30",
                                      "2017-11-16T10:00:00+1:00",
                                      "2017-11-16T10:00:00Zx",
                                      "2017-11-16T10:00:00.1234567890",
                                      "2017-11-16T10:00:00+01:60"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int64_t seconds = 0;
        int32_t nanos = 0;
        bool zoned = false;
        if (frz_calendar_parse_timestamp(bad[i], strlen(bad[i]), &seconds, &nanos, &zoned))
            fail_msg("\"%s\" parses", bad[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_divisions_floor),
        cmocka_unit_test(test_milliseconds_stay_within_64_bits),
        cmocka_unit_test(test_every_day_of_eight_centuries_converts_both_ways),
        cmocka_unit_test(test_dates_print_as_iso),
        cmocka_unit_test(test_instants_print_with_six_or_nine_digits),
        cmocka_unit_test(test_what_is_no_date_is_refused),
        cmocka_unit_test(test_times_parse_to_microseconds_exactly),
        cmocka_unit_test(test_timestamps_parse_with_and_without_zone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
