#include "base/options.h"

#include "harness.h"

typedef struct frz_test_options {
    size_t struct_size;
    int64_t number;
    const char *text;
    bool flag; /* padding behind it */
} frz_test_options;

static const frz_test_options defaults = {.struct_size = sizeof defaults, .number = 7};

/* A struct of another release: the same, and more or less behind it. */
typedef struct other_release {
    frz_test_options known;
    int64_t more[2];
} other_release;

static void nothing_given_is_all_defaults(void **state)
{
    frz_test_options out = defaults;
    frz_error *err = NULL;
    (void)state;
    CHECK_OK(FRZ_OPTIONS_TAKE(frz_test_options, NULL, &out, &err), err);
    CHECK(out.number == 7 && !out.text && !out.flag && out.struct_size == sizeof out);
}

static void an_older_caller_sets_what_it_knew(void **state)
{
    frz_test_options out = defaults;
    frz_error *err = NULL;
    frz_test_options given = {.number = 3, .text = "beyond", .flag = true};
    (void)state;
    given.struct_size = offsetof(frz_test_options, text);
    CHECK_OK(FRZ_OPTIONS_TAKE(frz_test_options, &given, &out, &err), err);
    CHECK(out.number == 3 && !out.text && !out.flag && out.struct_size == sizeof out);
    given.struct_size = sizeof(size_t);
    out = defaults;
    CHECK_OK(FRZ_OPTIONS_TAKE(frz_test_options, &given, &out, &err), err);
    CHECK(out.number == 7 && out.struct_size == sizeof out);
}

static void a_newer_caller_may_leave_what_is_new(void **state)
{
    frz_test_options out = defaults;
    frz_error *err = NULL;
    other_release given = {.known = {.struct_size = sizeof given, .number = 4, .flag = true}};
    (void)state;
    CHECK_OK(FRZ_OPTIONS_TAKE(frz_test_options, &given.known, &out, &err), err);
    CHECK(out.number == 4 && out.flag && out.struct_size == sizeof out);
    given.more[1] = 1;
    out = defaults;
    CHECK_FAILS(FRZ_OPTIONS_TAKE(frz_test_options, &given.known, &out, &err), FRZ_INVALID, err,
                "frz_test_options: something is set at byte 40 of 48, and this library knows the "
                "first 32");
    CHECK(out.number == 7);
}

static void sizes_that_nobody_sets_are_refused(void **state)
{
    static const size_t sizes[] = {0, 1, sizeof(size_t) - 1, FRZ_OPTIONS_SIZE_MAX + 1, SIZE_MAX};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        frz_test_options out = defaults;
        frz_error *err = NULL;
        const frz_test_options given = {.struct_size = sizes[i], .number = 3};
        CHECK_FAILS(FRZ_OPTIONS_TAKE(frz_test_options, &given, &out, &err), FRZ_INVALID, err,
                    "set it to sizeof(frz_test_options)");
        CHECK(out.number == 7);
    }
}

static void what_is_filled_goes_as_far_as_the_caller_knew(void **state)
{
    const frz_test_options filled = {.number = 9, .text = "t", .flag = true};
    frz_test_options held = {.struct_size = offsetof(frz_test_options, text), .text = "kept"};
    other_release newer = {.known.struct_size = sizeof newer, .more = {5, 6}};
    frz_error *err = NULL;
    (void)state;
    CHECK_OK(frz_options_check_out(&held, "frz_test_options", &err), err);
    frz_options_give(&filled, sizeof filled, &held);
    CHECK(held.number == 9 && strcmp(held.text, "kept") == 0 && !held.flag);
    CHECK(held.struct_size == offsetof(frz_test_options, text));
    CHECK_OK(frz_options_check_out(&newer, "frz_test_options", &err), err);
    frz_options_give(&filled, sizeof filled, &newer);
    CHECK(newer.known.flag && newer.known.struct_size == sizeof newer);
    CHECK(newer.more[0] == 5 && newer.more[1] == 6);
    held.struct_size = 0;
    CHECK_FAILS(frz_options_check_out(&held, "frz_test_options", &err), FRZ_INVALID, err,
                "struct_size 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_given_is_all_defaults),
        cmocka_unit_test(an_older_caller_sets_what_it_knew),
        cmocka_unit_test(a_newer_caller_may_leave_what_is_new),
        cmocka_unit_test(sizes_that_nobody_sets_are_refused),
        cmocka_unit_test(what_is_filled_goes_as_far_as_the_caller_knew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
