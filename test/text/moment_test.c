#include "text/moment.h"

#include <string.h>

#include "harness.h"

static void check_iso(const char *format, const char *text, bool date, const char *want)
{
    char out[64] = "";
    CHECK_OK(frz_moment_check(format, NULL), NULL);
    const size_t size =
        frz_moment_to_iso(format, frz_slice_of(text, strlen(text)), date, out, sizeof out);
    assert_int_equal(size, strlen(want));
    if (size)
        assert_string_equal(out, want);
}

static void dates_of_many_forms_are_read(void **state)
{
    (void)state;
    check_iso("%d/%m/%Y", "31/12/2026", true, "2026-12-31");
    check_iso("%m-%d-%y", "1-2-69", true, "1969-01-02");
    check_iso("%m-%d-%y", "1-2-68", true, "2068-01-02");
    check_iso("%d %B %Y", "3 march 1999", true, "1999-03-03");
    check_iso("%d%b%Y", "03MAY1999", true, "1999-05-03");
    check_iso("%Y%m%d", "20260102", true, "2026-01-02");
    check_iso("week %% %F", "week % 2026-01-02", true, "2026-01-02");
}

static void times_of_many_forms_are_read(void **state)
{
    (void)state;
    check_iso("%d.%m.%Y %H:%M", "02.01.2026 3:04", false, "2026-01-02T03:04:00");
    check_iso("%F %I:%M:%S %p", "2026-01-02 12:00:01 AM", false, "2026-01-02T00:00:01");
    check_iso("%F %I:%M %p", "2026-01-02 12:30 pm", false, "2026-01-02T12:30:00");
    check_iso("%F %T.%f%z", "2026-01-02 03:04:05.123456789+0130", false,
              "2026-01-02T03:04:05.123456789+01:30");
    check_iso("%FT%T%z", "2026-01-02T03:04:05Z", false, "2026-01-02T03:04:05Z");
    check_iso("%FT%T%z", "2026-01-02T03:04:05-08", false, "2026-01-02T03:04:05-08:00");
    check_iso("%FT%T%z", "2026-01-02T03:04:05-08:30", false, "2026-01-02T03:04:05-08:30");
}

static void other_forms_are_none(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"%d/%m/%Y", "31/12/26"},
        {"%d/%m/%Y", "31-12-2026"},
        {"%d/%m/%Y", "31/12/2026 "},
        {"%d/%m/%Y", "/12/2026"},
        {"%d/%m/%Y", ""},
        {"%d %b %Y", "3 foo 1999"},
        {"%F %I:%M %p", "2026-01-02 13:00 PM"},
        {"%F %I:%M %p", "2026-01-02 1:00 XM"},
        {"%F%z", "2026-01-02+1"},
        {"%F%z", "2026-01-02+01:"},
        {"%F%z", "2026-01-02+01:3"},
        {"%F%z", "2026-01-02"},
        {"%F.%f", "2026-01-02."},
        {"%F %p", "2026-01-02 A"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_iso(cases[i][0], cases[i][1], false, "");
}

static void a_format_is_checked(void **state)
{
    (void)state;
    frz_error *err = NULL;
    CHECK_FAILS(frz_moment_check("%Y-%q", &err), FRZ_INVALID, err, "%q is none of");
    CHECK_FAILS(frz_moment_check("%Y-%", &err), FRZ_INVALID, err, "format");
    CHECK_OK(frz_moment_check("%%%Y", &err), err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dates_of_many_forms_are_read),
        cmocka_unit_test(times_of_many_forms_are_read),
        cmocka_unit_test(other_forms_are_none),
        cmocka_unit_test(a_format_is_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
