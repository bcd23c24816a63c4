#include "harness.h"

#include "spec/ddl_lexer.h"

static void test_splits_text_into_tokens(void **state)
{
    (void)state;
    static const char text[] = " id BIGINT,\n`a``b` \"x\"\"y\" 'it''s' '' 1.5e-3 .5 0x1F 9col a.b "
                               "caf\xc3\xa9 <>-7";
    static const struct {
        frz_ddl_kind kind;
        size_t offset;
        const char *text;
    } want[] = {
        {FRZ_DDL_WORD, 1, "id"},
        {FRZ_DDL_WORD, 4, "BIGINT"},
        {FRZ_DDL_SYMBOL, 10, ""},
        {FRZ_DDL_NAME, 12, "a`b"},
        {FRZ_DDL_NAME, 19, "x\"y"},
        {FRZ_DDL_STRING, 26, "it's"},
        {FRZ_DDL_STRING, 34, ""},
        {FRZ_DDL_NUMBER, 37, "1.5e-3"},
        {FRZ_DDL_NUMBER, 44, ".5"},
        {FRZ_DDL_NUMBER, 47, "0x1F"},
        {FRZ_DDL_NUMBER, 52, "9col"},
        {FRZ_DDL_WORD, 57, "a"},
        {FRZ_DDL_SYMBOL, 58, ""},
        {FRZ_DDL_WORD, 59, "b"},
        {FRZ_DDL_WORD, 61, "caf\xc3\xa9"},
        {FRZ_DDL_SYMBOL, 67, ""},
        {FRZ_DDL_SYMBOL, 68, ""},
        {FRZ_DDL_SYMBOL, 69, ""},
        {FRZ_DDL_NUMBER, 70, "7"},
        {FRZ_DDL_END, 71, ""},
        {FRZ_DDL_END, 71, ""},
    };
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_ddl_lexer lexer;
    CHECK_OK(frz_ddl_open("test", frz_slice_of_text(text), &arena, &lexer, &err), err);
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        if (lexer.token.kind != want[i].kind || lexer.token.offset != want[i].offset ||
            strcmp(lexer.token.text, want[i].text) != 0)
            fail_msg("token %zu at %zu: %s", i, lexer.token.offset, lexer.token.text);
        CHECK_OK(frz_ddl_advance(&lexer, &err), err);
    }
    frz_arena_clear(&arena);
}

static void test_refuses_broken_text(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t size;
        uint64_t offset;
        const char *message;
    } rows[] = {
        {"a 'b", 4, 2, "test: a quote that nothing closes"},
        {"a \"b''", 6, 2, "a quote that nothing closes"},
        {"a `b``", 6, 2, "a quote that nothing closes"},
        {"a\0b", 3, 1, "test: expected text in UTF-8 without zero bytes"},
        {"ab\xff", 3, 2, "expected text in UTF-8"},
        {"\xc3", 1, 0, "expected text in UTF-8"},
        {"'\xed\xa0\x80'", 5, 1, "expected text in UTF-8"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        frz_arena arena = {0};
        frz_error *err = NULL;
        frz_ddl_lexer lexer;
        uint64_t offset = 999;
        frz_status status =
            frz_ddl_open("test", frz_slice_of(rows[i].text, rows[i].size), &arena, &lexer, &err);
        while (status == FRZ_OK && lexer.token.kind != FRZ_DDL_END)
            status = frz_ddl_advance(&lexer, &err);
        CHECK(status == FRZ_INVALID && frz_error_offset(err, &offset));
        CHECK(offset == rows[i].offset && strstr(frz_error_message(err), rows[i].message));
        frz_error_free(err);
        frz_arena_clear(&arena);
    }
}

static void test_accepts_and_expects(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_ddl_lexer lexer;
    bool taken = true;
    const char *name = NULL;
    uint64_t offset = 0;
    CHECK_OK(frz_ddl_open("test", frz_slice_of_text("NOT ( \"not\" \"\" 5"), &arena, &lexer, &err),
             err);
    CHECK_OK(frz_ddl_accept_word(&lexer, "null", &taken, &err), err);
    CHECK(!taken && frz_ddl_at_word(&lexer, "not"));
    CHECK_OK(frz_ddl_accept_word(&lexer, "not", &taken, &err), err);
    CHECK(taken && frz_ddl_at_symbol(&lexer, '('));
    CHECK_FAILS(frz_ddl_expect_symbol(&lexer, '<', &err), FRZ_INVALID, err,
                "test: expected \"<\", got (");
    CHECK_FAILS(frz_ddl_expect_word(&lexer, "null", &err), FRZ_INVALID, err,
                "test: expected null, got (");
    CHECK_FAILS(frz_ddl_take_name(&lexer, "a name", &name, &err), FRZ_INVALID, err,
                "test: expected a name, got (");
    CHECK_OK(frz_ddl_accept_symbol(&lexer, '(', &taken, &err), err);
    CHECK(taken && !frz_ddl_at_word(&lexer, "not")); /* a quoted name is no keyword */
    CHECK_OK(frz_ddl_take_name(&lexer, "a name", &name, &err), err);
    assert_string_equal(name, "not");
    CHECK(frz_ddl_take_name(&lexer, "a name", &name, &err) == FRZ_INVALID);
    CHECK(frz_error_offset(err, &offset) && offset == 12);
    assert_string_equal(frz_error_message(err), "test: expected a name, got \"\"");
    frz_error_free(err);
    err = NULL;
    CHECK_OK(frz_ddl_advance(&lexer, &err), err);
    CHECK_OK(frz_ddl_advance(&lexer, &err), err);
    CHECK_FAILS(frz_ddl_expected(&lexer, "more", &err), FRZ_INVALID, err,
                "test: expected more, got the end");
    frz_arena_clear(&arena);
}

static void lex_once(void)
{
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_ddl_lexer lexer;
    frz_status status =
        frz_ddl_open("test", frz_slice_of_text("a 'b' \"c\" 5"), &arena, &lexer, &err);
    while (status == FRZ_OK && lexer.token.kind != FRZ_DDL_END)
        status = frz_ddl_advance(&lexer, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_error_free(err);
    frz_arena_clear(&arena);
}

static void test_short_memory_is_reported(void **state)
{
    (void)state;
    sweep_allocation_failures(lex_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_splits_text_into_tokens),
        cmocka_unit_test(test_refuses_broken_text),
        cmocka_unit_test(test_accepts_and_expects),
        cmocka_unit_test(test_short_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
