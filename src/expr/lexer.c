#include "expr/lexer.h"

#include <strings.h>

#include "base/fail.h"
#include "base/number.h"

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_word_start(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
}

static bool is_word_part(uint8_t c)
{
    return is_word_start(c) || is_digit(c) || c == '$';
}

bool frz_token_is(const frz_token *token, const char *keyword)
{
    return token->kind == FRZ_TOKEN_WORD && token->text.size == strlen(keyword) &&
           strncasecmp((const char *)token->text.data, keyword, token->text.size) == 0;
}

bool frz_name_is_bare(const char *name)
{
    static const char *const reserved[] = {"and",  "or", "not",  "in",   "between",
                                           "like", "is", "null", "true", "false"};
    if (!is_word_start((uint8_t)name[0]))
        return false;
    for (const char *at = name; *at; at++) {
        if (!is_word_part((uint8_t)*at))
            return false;
    }
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++) {
        if (strcasecmp(name, reserved[i]) == 0)
            return false;
    }
    return true;
}

/* The text between quotes that starts behind `start`; a doubled quote stands for itself. */
static frz_status quoted(frz_slice source, size_t start, uint8_t quote, frz_arena *arena,
                         frz_token *token, frz_error **err)
{
    size_t at = start + 1;
    size_t doubled = 0;
    for (;; at++) {
        if (at >= source.size)
            return frz_fail(err, FRZ_INVALID, token->offset, "expected a closing %c, got the end",
                            quote);
        if (source.data[at] != quote)
            continue;
        if (at + 1 >= source.size || source.data[at + 1] != quote)
            break;
        doubled++;
        at++;
    }
    token->end = at + 1;
    token->text = frz_slice_of(source.data + start + 1, at - start - 1);
    if (doubled == 0)
        return FRZ_OK;
    uint8_t *text = frz_arena_alloc(arena, token->text.size);
    if (!text)
        return frz_fail_memory(err);
    size_t size = 0;
    for (size_t i = start + 1; i < at; i++) {
        text[size++] = source.data[i];
        i += source.data[i] == quote;
    }
    token->text = frz_slice_of(text, size);
    return FRZ_OK;
}

static frz_status hex_bytes(frz_slice source, frz_arena *arena, frz_token *token, frz_error **err)
{
    FRZ_TRY(quoted(source, token->offset + 1, '\'', arena, token, err));
    const frz_slice digits = token->text;
    if (digits.size % 2)
        return frz_fail(err, FRZ_INVALID, token->offset,
                        "expected pairs of hexadecimal digits, got %zu digits", digits.size);
    uint8_t *bytes = frz_arena_alloc(arena, digits.size / 2);
    if (!bytes)
        return frz_fail_memory(err);
    for (size_t i = 0; i < digits.size; i++) {
        const int digit = frz_hex_digit(digits.data[i]);
        if (digit < 0)
            return frz_fail(err, FRZ_INVALID, token->offset + 2 + i,
                            "expected a hexadecimal digit, got %c", digits.data[i]);
        bytes[i / 2] = (uint8_t)(bytes[i / 2] << 4 | digit);
    }
    token->text = frz_slice_of(bytes, digits.size / 2);
    return FRZ_OK;
}

static size_t skip_digits(frz_slice source, size_t at)
{
    while (at < source.size && is_digit(source.data[at]))
        at++;
    return at;
}

static uint8_t peek(frz_slice source, size_t at)
{
    return at < source.size ? source.data[at] : 0;
}

/* The end of [+-]digits[.digits][e[+-]digits] at `at`; `at` itself when there is no number. */
static size_t skip_number(frz_slice source, size_t at)
{
    const size_t start = at;
    at += peek(source, at) == '-' || peek(source, at) == '+';
    if (!is_digit(peek(source, at)) && !(peek(source, at) == '.' && is_digit(peek(source, at + 1))))
        return start;
    at = skip_digits(source, at);
    if (peek(source, at) == '.')
        at = skip_digits(source, at + 1);
    if ((peek(source, at) | 0x20) == 'e') {
        const size_t sign = peek(source, at + 1) == '-' || peek(source, at + 1) == '+';
        if (is_digit(peek(source, at + 1 + sign)))
            at = skip_digits(source, at + 1 + sign);
    }
    return at;
}

static frz_token_kind symbol(frz_slice source, size_t at, size_t *size_out)
{
    const uint8_t next = peek(source, at + 1);
    const bool equal = next == '=';
    *size_out = 1;
    switch (source.data[at]) {
    case '=':
        *size_out += equal;
        return FRZ_TOKEN_EQ;
    case '!':
        *size_out = 2;
        return equal ? FRZ_TOKEN_NE : FRZ_TOKEN_END;
    case '<':
        *size_out += equal || next == '>';
        return equal ? FRZ_TOKEN_LE : next == '>' ? FRZ_TOKEN_NE : FRZ_TOKEN_LT;
    case '>':
        *size_out += equal;
        return equal ? FRZ_TOKEN_GE : FRZ_TOKEN_GT;
    case '(':
        return FRZ_TOKEN_OPEN;
    case ')':
        return FRZ_TOKEN_CLOSE;
    case '[':
        return FRZ_TOKEN_OPEN_BRACKET;
    case ']':
        return FRZ_TOKEN_CLOSE_BRACKET;
    case ',':
        return FRZ_TOKEN_COMMA;
    case '.':
        return FRZ_TOKEN_DOT;
    default:
        return FRZ_TOKEN_END;
    }
}

static frz_status fail_symbol(frz_slice source, size_t at, frz_error **err)
{
    const uint8_t c = source.data[at];
    if (c < 0x20 || c > 0x7e)
        return frz_fail(err, FRZ_INVALID, at,
                        "expected a name, a literal or an operator, got byte 0x%02x", c);
    return frz_fail(err, FRZ_INVALID, at, "expected a name, a literal or an operator, got %c", c);
}

static frz_status word_or_number(frz_slice source, frz_token *token, frz_error **err)
{
    const size_t at = token->offset;
    token->kind = FRZ_TOKEN_NUMBER;
    token->end = skip_number(source, at);
    if (token->end == at) {
        token->kind = FRZ_TOKEN_WORD;
        while (is_word_part(peek(source, token->end)))
            token->end++;
    } else if (is_word_part(peek(source, token->end))) {
        return frz_fail(
            err, FRZ_INVALID, token->end,
            "expected the end of the number, got %c; a name that starts with a digit is "
            "written in double quotes",
            source.data[token->end]);
    }
    token->text = frz_slice_of(source.data + at, token->end - at);
    return FRZ_OK;
}

static frz_status punctuation(frz_slice source, frz_token *token, frz_error **err)
{
    size_t size = 0;
    token->kind = symbol(source, token->offset, &size);
    if (token->kind == FRZ_TOKEN_END)
        return fail_symbol(source, token->offset, err);
    token->end = token->offset + size;
    token->text = frz_slice_of(source.data + token->offset, size);
    return FRZ_OK;
}

/* By its first byte; there is one. */
static frz_status scan(frz_slice source, frz_arena *arena, frz_token *token, frz_error **err)
{
    const size_t at = token->offset;
    const uint8_t c = source.data[at];
    if (c == '"' || c == '`' || c == '\'') {
        token->kind = c == '\'' ? FRZ_TOKEN_TEXT : FRZ_TOKEN_QUOTED;
        return quoted(source, at, c, arena, token, err);
    }
    if ((c == 'x' || c == 'X') && peek(source, at + 1) == '\'') {
        token->kind = FRZ_TOKEN_BYTES;
        return hex_bytes(source, arena, token, err);
    }
    if (is_word_start(c) || skip_number(source, at) > at)
        return word_or_number(source, token, err);
    return punctuation(source, token, err);
}

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

frz_status frz_token_next(frz_slice source, size_t offset, frz_arena *arena, frz_token *out,
                          frz_error **err)
{
    size_t at = offset;
    while (at < source.size && is_blank(source.data[at]))
        at++;
    frz_token token = {.kind = FRZ_TOKEN_END, .offset = at, .end = at};
    if (at < source.size)
        FRZ_TRY(scan(source, arena, &token, err));
    *out = token;
    return FRZ_OK;
}
