#include "spec/ddl_lexer.h"

#include <string.h>

#include "base/fail.h"
#include "base/utf8.h"

enum { SHOWN_MAX = 60 };

static frz_status broken(const frz_ddl_lexer *lexer, size_t offset, const char *what,
                         frz_error **err)
{
    return frz_fail(err, FRZ_INVALID, offset, "%s: %s", lexer->what, what);
}

frz_status frz_ddl_expected(const frz_ddl_lexer *lexer, const char *what, frz_error **err)
{
    const frz_slice raw = lexer->token.raw;
    if (lexer->token.kind == FRZ_DDL_END)
        return frz_fail(err, FRZ_INVALID, lexer->token.offset, "%s: expected %s, got the end",
                        lexer->what, what);
    return frz_fail(err, FRZ_INVALID, lexer->token.offset, "%s: expected %s, got %.*s", lexer->what,
                    what, (int)(raw.size > SHOWN_MAX ? SHOWN_MAX : raw.size),
                    (const char *)raw.data);
}

static frz_status check_text(const frz_ddl_lexer *lexer, frz_error **err)
{
    for (size_t at = 0; at < lexer->text.size;) {
        const size_t size = frz_utf8_size(lexer->text.data + at, lexer->text.size - at);
        if (size == 0 || lexer->text.data[at] == 0)
            return broken(lexer, at, "expected text in UTF-8 without zero bytes", err);
        at += size;
    }
    return FRZ_OK;
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_word_byte(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c >= 0x80;
}

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static size_t word_end(frz_slice text, size_t at)
{
    while (at < text.size && is_word_byte(text.data[at]))
        at++;
    return at;
}

/* Digits, points, letters and the sign of an exponent: whether it is a number is for the column's
 * type. */
static size_t number_end(frz_slice text, size_t at)
{
    const bool hex = text.size - at > 1 && (text.data[at + 1] | 0x20) == 'x';
    for (; at < text.size; at++) {
        const uint8_t c = text.data[at];
        const bool exponent_sign =
            (c == '+' || c == '-') && !hex && (text.data[at - 1] | 0x20) == 'e';
        if (!is_word_byte(c) && c != '.' && !exponent_sign)
            break;
    }
    return at;
}

/* Behind the closing quote; 0 when there is none. */
static size_t quoted_end(frz_slice text, size_t start)
{
    const uint8_t quote = text.data[start];
    for (size_t at = start + 1; at < text.size; at++) {
        if (text.data[at] != quote)
            continue;
        if (at + 1 == text.size || text.data[at + 1] != quote)
            return at + 1;
        at++;
    }
    return 0;
}

static frz_status lex_quoted(frz_ddl_lexer *lexer, frz_ddl_token *token, size_t *end_out,
                             frz_error **err)
{
    const uint8_t *bytes = lexer->text.data;
    const uint8_t quote = bytes[token->offset];
    const size_t end = quoted_end(lexer->text, token->offset);
    if (end == 0)
        return broken(lexer, token->offset, "a quote that nothing closes", err);
    char *out = frz_arena_alloc(lexer->arena, end - token->offset);
    if (!out)
        return frz_fail_memory(err);
    size_t size = 0;
    for (size_t at = token->offset + 1; at < end - 1; at++) {
        at += bytes[at] == quote; /* of two, the second */
        out[size++] = (char)bytes[at];
    }
    token->kind = quote == '\'' ? FRZ_DDL_STRING : FRZ_DDL_NAME;
    token->text = out;
    *end_out = end;
    return FRZ_OK;
}

frz_status frz_ddl_advance(frz_ddl_lexer *lexer, frz_error **err)
{
    const frz_slice text = lexer->text;
    size_t at = lexer->pos;
    while (at < text.size && is_blank(text.data[at]))
        at++;
    frz_ddl_token token = {.kind = FRZ_DDL_END, .offset = at, .text = ""};
    size_t end = at;
    if (at < text.size) {
        const uint8_t c = text.data[at];
        if (c == '\'' || c == '"' || c == '`') {
            FRZ_TRY(lex_quoted(lexer, &token, &end, err));
        } else if (is_digit(c) || (c == '.' && at + 1 < text.size && is_digit(text.data[at + 1]))) {
            token.kind = FRZ_DDL_NUMBER;
            end = number_end(text, at);
        } else if (is_word_byte(c)) {
            token.kind = FRZ_DDL_WORD;
            end = word_end(text, at);
        } else {
            token.kind = FRZ_DDL_SYMBOL;
            end = at + 1;
        }
        token.raw = frz_slice_of(text.data + at, end - at);
    }
    if (token.kind == FRZ_DDL_WORD || token.kind == FRZ_DDL_NUMBER) {
        token.text = frz_arena_text_n(lexer->arena, token.raw.data, token.raw.size);
        if (!token.text)
            return frz_fail_memory(err);
    }
    lexer->token = token;
    lexer->pos = end;
    return FRZ_OK;
}

frz_status frz_ddl_open(const char *what, frz_slice text, frz_arena *arena, frz_ddl_lexer *out,
                        frz_error **err)
{
    *out = (frz_ddl_lexer){.text = text, .arena = arena, .what = what};
    FRZ_TRY(check_text(out, err));
    return frz_ddl_advance(out, err);
}

bool frz_ddl_at_symbol(const frz_ddl_lexer *lexer, char symbol)
{
    return lexer->token.kind == FRZ_DDL_SYMBOL && lexer->token.raw.data[0] == (uint8_t)symbol;
}

bool frz_ddl_at_word(const frz_ddl_lexer *lexer, const char *word)
{
    const frz_slice raw = lexer->token.raw;
    if (lexer->token.kind != FRZ_DDL_WORD || raw.size != strlen(word))
        return false;
    for (size_t i = 0; i < raw.size; i++) {
        const uint8_t c = raw.data[i];
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != (uint8_t)word[i])
            return false;
    }
    return true;
}

frz_status frz_ddl_accept_symbol(frz_ddl_lexer *lexer, char symbol, bool *taken_out,
                                 frz_error **err)
{
    *taken_out = frz_ddl_at_symbol(lexer, symbol);
    return *taken_out ? frz_ddl_advance(lexer, err) : FRZ_OK;
}

frz_status frz_ddl_accept_word(frz_ddl_lexer *lexer, const char *word, bool *taken_out,
                               frz_error **err)
{
    *taken_out = frz_ddl_at_word(lexer, word);
    return *taken_out ? frz_ddl_advance(lexer, err) : FRZ_OK;
}

frz_status frz_ddl_expect_symbol(frz_ddl_lexer *lexer, char symbol, frz_error **err)
{
    const char quoted[] = {'"', symbol, '"', 0};
    return frz_ddl_at_symbol(lexer, symbol) ? frz_ddl_advance(lexer, err)
                                            : frz_ddl_expected(lexer, quoted, err);
}

frz_status frz_ddl_expect_word(frz_ddl_lexer *lexer, const char *word, frz_error **err)
{
    return frz_ddl_at_word(lexer, word) ? frz_ddl_advance(lexer, err)
                                        : frz_ddl_expected(lexer, word, err);
}

frz_status frz_ddl_take_name(frz_ddl_lexer *lexer, const char *role, const char **out,
                             frz_error **err)
{
    const frz_ddl_token token = lexer->token;
    if ((token.kind != FRZ_DDL_WORD && token.kind != FRZ_DDL_NAME) || token.text[0] == 0)
        return frz_ddl_expected(lexer, role, err);
    *out = token.text;
    return frz_ddl_advance(lexer, err);
}
