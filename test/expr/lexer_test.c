#include "expr/lexer.h"

#include "harness.h"

typedef struct wanted {
    frz_token_kind kind;
    size_t offset;
    const char *text;
} wanted;

static void check_tokens(const char *source, const wanted *want, size_t count)
{
    frz_arena arena = {0};
    frz_error *err = NULL;
    size_t at = 0;
    for (size_t i = 0; i <= count; i++) {
        frz_token token;
        CHECK_OK(frz_token_next(frz_slice_of_text(source), at, &arena, &token, &err), err);
        at = token.end;
        if (i == count) {
            CHECK(token.kind == FRZ_TOKEN_END && token.offset == strlen(source));
            break;
        }
        if (token.kind != want[i].kind || token.offset != want[i].offset ||
            !frz_slice_is_text(token.text, want[i].text))
            fail_msg("%s: token %zu is %d at %zu: %.*s", source, i, token.kind, token.offset,
                     (int)token.text.size, (const char *)token.text.data);
    }
    frz_arena_clear(&arena);
}

static void words_and_symbols_are_split(void **state)
{
    (void)state;
    const wanted want[] = {
        {FRZ_TOKEN_WORD, 0, "a"},         {FRZ_TOKEN_DOT, 1, "."},
        {FRZ_TOKEN_WORD, 2, "b$1"},       {FRZ_TOKEN_LE, 5, "<="},
        {FRZ_TOKEN_NUMBER, 7, "-1.5e+3"}, {FRZ_TOKEN_NE, 14, "<>"},
        {FRZ_TOKEN_NUMBER, 16, ".5"},     {FRZ_TOKEN_NE, 18, "!="},
        {FRZ_TOKEN_NUMBER, 20, "7."},     {FRZ_TOKEN_EQ, 22, "=="},
        {FRZ_TOKEN_WORD, 24, "\xc3\xa9"}, {FRZ_TOKEN_GE, 26, ">="},
        {FRZ_TOKEN_LT, 29, "<"},          {FRZ_TOKEN_GE, 31, ">="},
    };
    check_tokens("a.b$1<=-1.5e+3<>.5!=7.==\xc3\xa9>= < >=", want, 14);
    const wanted rest[] = {
        {FRZ_TOKEN_OPEN, 0, "("},  {FRZ_TOKEN_OPEN_BRACKET, 1, "["},
        {FRZ_TOKEN_COMMA, 2, ","}, {FRZ_TOKEN_CLOSE_BRACKET, 3, "]"},
        {FRZ_TOKEN_CLOSE, 4, ")"}, {FRZ_TOKEN_EQ, 6, "="},
        {FRZ_TOKEN_GT, 8, ">"},
    };
    check_tokens("([,]) = >", rest, 7);
}

static void quotes_are_doubled_to_stand_for_themselves(void **state)
{
    (void)state;
    const wanted want[] = {
        {FRZ_TOKEN_QUOTED, 0, "a\"b"}, {FRZ_TOKEN_QUOTED, 7, "c`d"}, {FRZ_TOKEN_TEXT, 14, "it's"},
        {FRZ_TOKEN_TEXT, 22, ""},      {FRZ_TOKEN_BYTES, 25, "AB"},  {FRZ_TOKEN_WORD, 33, "x"},
        {FRZ_TOKEN_BYTES, 35, ""},
    };
    check_tokens("\"a\"\"b\" `c``d` 'it''s' '' x'4142' x X''", want, 7);
}

static void faults_have_their_offset(void **state)
{
    (void)state;
    static const struct {
        const char *source;
        uint64_t offset;
        const char *message;
    } bad[] = {
        {"  'abc", 2, "expected a closing '"},
        {"\"a", 0, "expected a closing \""},
        {"1.5x", 3, "got x"},
        {"1e", 1, "got e"},
        {"X'abc'", 0, "pairs of hexadecimal"},
        {"X'ax'", 3, "got x"},
        {"#", 0, "got #"},
        {"\x01", 0, "byte 0x01"},
        {"!", 0, "got !"},
        {"- 1", 0, "got -"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        frz_arena arena = {0};
        frz_error *err = NULL;
        frz_token token;
        uint64_t offset = UINT64_MAX;
        const frz_status status =
            frz_token_next(frz_slice_of_text(bad[i].source), 0, &arena, &token, &err);
        if (status != FRZ_INVALID || !frz_error_offset(err, &offset) || offset != bad[i].offset ||
            !strstr(frz_error_message(err), bad[i].message))
            fail_msg("%s: %d: %s", bad[i].source, (int)offset, frz_error_message(err));
        frz_error_free(err);
        frz_arena_clear(&arena);
    }
}

static void reserved_words_cannot_stand_bare(void **state)
{
    (void)state;
    CHECK(frz_name_is_bare("a_1"));
    CHECK(frz_name_is_bare("date"));
    CHECK(frz_name_is_bare("\xc3\xa9"));
    CHECK(!frz_name_is_bare("Between"));
    CHECK(!frz_name_is_bare("null"));
    CHECK(!frz_name_is_bare("1a"));
    CHECK(!frz_name_is_bare("a b"));
    CHECK(!frz_name_is_bare("a.b"));
    CHECK(!frz_name_is_bare(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_and_symbols_are_split),
        cmocka_unit_test(quotes_are_doubled_to_stand_for_themselves),
        cmocka_unit_test(faults_have_their_offset),
        cmocka_unit_test(reserved_words_cannot_stand_bare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
