#include "expr/like.h"

#include "harness.h"

static const struct {
    const char *pattern;
    const char *text;
    bool matches;
} matches[] = {
    {"", "", true},
    {"", "a", false},
    {"%", "", true},
    {"a%", "abc", true},
    {"%c", "abc", true},
    {"%b%", "abc", true},
    {"%d%", "abc", false},
    {"a_c", "abc", true},
    {"a_c", "ac", false},
    {"_", "\xc3\xa9", true},
    {"__", "\xc3\xa9", false},
    {"%_", "\xf0\x9f\x98\x80", true},
    {"%__", "\xf0\x9f\x98\x80", false},
    {"%ab%abc", "ababababc", true},
    {"a\\%b", "a%b", true},
    {"a\\%b", "axb", false},
    {"a\\_b", "a_b", true},
    {"\\\\%", "\\x", true},
    {"%aab", "aaaaab", true},
    {"_%_", "a", false},
    {"_%_", "ab", true},
};

static void patterns_match_by_characters(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof matches / sizeof matches[0]; i++) {
        const bool got = frz_like_match(frz_slice_of_text(matches[i].pattern),
                                        frz_slice_of_text(matches[i].text));
        if (got != matches[i].matches)
            fail_msg("'%s' LIKE '%s' is %d", matches[i].text, matches[i].pattern, got);
    }
}

static void a_hostile_pattern_takes_bounded_time(void **state)
{
    (void)state;
    static char pattern[2001];
    static char text[20001];
    for (size_t i = 0; i < 2000; i += 2)
        memcpy(pattern + i, "%a", 2);
    memset(text, 'a', 20000);
    text[19999] = 'b';
    CHECK(!frz_like_match(frz_slice_of_text(pattern), frz_slice_of_text(text)));
}

static const struct {
    const char *pattern;
    frz_like_shape shape;
    const char *text;
} shapes[] = {
    {"abc", FRZ_LIKE_EXACT, "abc"},
    {"", FRZ_LIKE_EXACT, ""},
    {"a\\%\\_\\\\", FRZ_LIKE_EXACT, "a%_\\"},
    {"abc%", FRZ_LIKE_PREFIX, "abc"},
    {"abc%%%", FRZ_LIKE_PREFIX, "abc"},
    {"a\\%b%", FRZ_LIKE_PREFIX, "a%b"},
    {"%", FRZ_LIKE_PREFIX, ""},
    {"a%b", FRZ_LIKE_GENERAL, "a%b"},
    {"a_", FRZ_LIKE_GENERAL, "a_"},
    {"%%a", FRZ_LIKE_GENERAL, "%a"},
    {"a\\%%%b", FRZ_LIKE_GENERAL, "a\\%%b"},
    {"abc%_", FRZ_LIKE_GENERAL, "abc%_"},
};

static void simple_patterns_are_told_from_general_ones(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        frz_arena arena = {0};
        frz_error *err = NULL;
        frz_like_shape shape = FRZ_LIKE_GENERAL;
        frz_slice text = {0};
        CHECK_OK(
            frz_like_parse(frz_slice_of_text(shapes[i].pattern), 0, &arena, &shape, &text, &err),
            err);
        if (shape != shapes[i].shape || !frz_slice_is_text(text, shapes[i].text))
            fail_msg("'%s' is %d '%.*s'", shapes[i].pattern, shape, (int)text.size,
                     (const char *)text.data);
        frz_arena_clear(&arena);
    }
}

static void a_stray_escape_is_refused_with_its_offset(void **state)
{
    (void)state;
    static const char *const bad[] = {"a\\", "a\\b", "\\\\\\"};
    frz_arena arena = {0};
    frz_like_shape shape = FRZ_LIKE_GENERAL;
    frz_slice text = {0};
    for (size_t i = 0; i < 3; i++) {
        frz_error *err = NULL;
        uint64_t offset = 0;
        CHECK(frz_like_parse(frz_slice_of_text(bad[i]), 42, &arena, &shape, &text, &err) ==
              FRZ_INVALID);
        CHECK(frz_error_offset(err, &offset) && offset == 42);
        frz_error_free(err);
    }
    frz_error *err = NULL;
    CHECK_FAILS(frz_like_rewrite(frz_slice_of_text("a!b"), '!', 1, &arena, &text, &err),
                FRZ_INVALID, err, "expected %, _ or ! behind the escape !");
    CHECK_FAILS(frz_like_rewrite(frz_slice_of_text("ab!"), '!', 1, &arena, &text, &err),
                FRZ_INVALID, err, "behind the escape !");
    frz_arena_clear(&arena);
}

static void another_escape_becomes_the_backslash(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_slice text = {0};
    CHECK_OK(frz_like_rewrite(frz_slice_of_text("a!%!!\\_%"), '!', 0, &arena, &text, &err), err);
    CHECK(frz_slice_is_text(text, "a\\%!\\\\_%"));
    frz_arena_clear(&arena);
}

static void the_prefix_ends_at_the_first_special_byte(void **state)
{
    (void)state;
    CHECK(frz_slice_is_text(frz_like_prefix(frz_slice_of_text("ab_c%")), "ab"));
    CHECK(frz_slice_is_text(frz_like_prefix(frz_slice_of_text("ab\\%c")), "ab"));
    CHECK(frz_slice_is_text(frz_like_prefix(frz_slice_of_text("%b")), ""));
    CHECK(frz_slice_is_text(frz_like_prefix(frz_slice_of_text("abc")), "abc"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_match_by_characters),
        cmocka_unit_test(a_hostile_pattern_takes_bounded_time),
        cmocka_unit_test(simple_patterns_are_told_from_general_ones),
        cmocka_unit_test(a_stray_escape_is_refused_with_its_offset),
        cmocka_unit_test(another_escape_becomes_the_backslash),
        cmocka_unit_test(the_prefix_ends_at_the_first_special_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
