#include "json/reader.h"

#include <string.h>

#include "base/decimal.h"
#include "base/fail.h"
#include "base/limits.h"
#include "base/number.h"
#include "base/utf8.h"

/* frz_json_skip remembers one bit per open container. */
enum { DEPTH_MAX = 1024 };

frz_json_reader frz_json_reader_over(frz_slice text, frz_arena *arena)
{
    return (frz_json_reader){
        .text = text, .depth_max = frz_limits_default.nesting_depth, .arena = arena};
}

static frz_status fail_at(size_t pos, const char *what, frz_error **err)
{
    return frz_fail(err, FRZ_CORRUPT, pos, "JSON at offset %zu: %s", pos, what);
}

static const char *kind_name(frz_json_kind kind)
{
    static const char *const names[] = {
        [FRZ_JSON_NULL] = "null",       [FRZ_JSON_BOOL] = "a boolean",
        [FRZ_JSON_NUMBER] = "a number", [FRZ_JSON_STRING] = "a string",
        [FRZ_JSON_ARRAY] = "an array",  [FRZ_JSON_OBJECT] = "an object",
    };
    return names[kind];
}

/* The next byte that is no white space; -1 at the end. */
static int next_byte(frz_json_reader *json)
{
    while (json->pos < json->text.size) {
        const uint8_t byte = json->text.data[json->pos];
        if (byte != ' ' && byte != '\n' && byte != '\r' && byte != '\t')
            return byte;
        json->pos++;
    }
    return -1;
}

frz_status frz_json_peek(frz_json_reader *json, frz_json_kind *out, frz_error **err)
{
    const int byte = next_byte(json);
    if (byte == 'n')
        *out = FRZ_JSON_NULL;
    else if (byte == 't' || byte == 'f')
        *out = FRZ_JSON_BOOL;
    else if (byte == '-' || (byte >= '0' && byte <= '9'))
        *out = FRZ_JSON_NUMBER;
    else if (byte == '"')
        *out = FRZ_JSON_STRING;
    else if (byte == '[')
        *out = FRZ_JSON_ARRAY;
    else if (byte == '{')
        *out = FRZ_JSON_OBJECT;
    else if (byte < 0)
        return fail_at(json->pos, "expected a value, got the end", err);
    else
        return frz_fail(err, FRZ_CORRUPT, json->pos,
                        "JSON at offset %zu: expected a value, got byte 0x%02x", json->pos,
                        (unsigned)byte);
    return FRZ_OK;
}

static frz_status expect(frz_json_reader *json, frz_json_kind want, frz_error **err)
{
    frz_json_kind got = FRZ_JSON_NULL;
    FRZ_TRY(frz_json_peek(json, &got, err));
    if (got == want)
        return FRZ_OK;
    return frz_fail(err, FRZ_CORRUPT, json->pos, "JSON at offset %zu: expected %s, got %s",
                    json->pos, kind_name(want), kind_name(got));
}

static frz_status enter(frz_json_reader *json, frz_json_kind kind, frz_error **err)
{
    FRZ_TRY(expect(json, kind, err));
    const uint32_t depth_max = json->depth_max < DEPTH_MAX ? json->depth_max : DEPTH_MAX;
    if (json->depth >= depth_max)
        return frz_fail(err, FRZ_UNSUPPORTED, json->pos,
                        "JSON at offset %zu: nested deeper than the limit nesting_depth of %u",
                        json->pos, depth_max);
    json->pos++;
    json->depth++;
    json->first = true;
    return FRZ_OK;
}

frz_status frz_json_enter_object(frz_json_reader *json, frz_error **err)
{
    return enter(json, FRZ_JSON_OBJECT, err);
}

frz_status frz_json_read_members(frz_json_reader *json, frz_json_member_read read, void *context,
                                 frz_error **err)
{
    FRZ_TRY(frz_json_enter_object(json, err));
    for (;;) {
        frz_slice key = {0};
        bool more = false;
        FRZ_TRY(frz_json_next_key(json, &key, &more, err));
        if (!more)
            return FRZ_OK;
        FRZ_TRY(read(json, key, context, err));
    }
}

frz_status frz_json_enter_array(frz_json_reader *json, frz_error **err)
{
    return enter(json, FRZ_JSON_ARRAY, err);
}

/* Passes the comma before a further member, or the bracket that closes. */
static frz_status next_member(frz_json_reader *json, char closing, bool *more_out, frz_error **err)
{
    int byte = next_byte(json);
    if (byte == closing) {
        json->pos++;
        json->depth--;
        json->first = false;
        *more_out = false;
        return FRZ_OK;
    }
    if (!json->first) {
        if (byte != ',')
            return fail_at(json->pos,
                           closing == '}' ? "expected ',' or '}'" : "expected ',' or ']'", err);
        json->pos++;
    }
    json->first = false;
    *more_out = true;
    return FRZ_OK;
}

frz_status frz_json_next_item(frz_json_reader *json, bool *more_out, frz_error **err)
{
    return next_member(json, ']', more_out, err);
}

/* The four digits behind \u. */
static bool hex4(frz_slice text, size_t pos, uint32_t *out)
{
    if (text.size - pos < 4)
        return false;
    uint32_t code = 0;
    for (size_t i = 0; i < 4; i++) {
        const uint8_t c = text.data[pos + i];
        uint32_t digit = 0;
        if (c >= '0' && c <= '9')
            digit = c - '0';
        else if (c >= 'a' && c <= 'f')
            digit = c - 'a' + 10u;
        else if (c >= 'A' && c <= 'F')
            digit = c - 'A' + 10u;
        else
            return false;
        code = code << 4 | digit;
    }
    *out = code;
    return true;
}

/* One escape at `pos` (the backslash): its code point and size in the text; 0 when it is none. */
static size_t scan_escape(frz_slice text, size_t pos, uint32_t *code_out)
{
    static const char from[] = "\"\\/bfnrt";
    static const char to[] = "\"\\/\b\f\n\r\t";
    if (text.size - pos < 2)
        return 0;
    const char kind = (char)text.data[pos + 1];
    if (kind != 'u') {
        const char *found = kind ? strchr(from, kind) : NULL;
        if (!found)
            return 0;
        *code_out = (uint8_t)to[found - from];
        return 2;
    }
    uint32_t code = 0;
    if (!hex4(text, pos + 2, &code) || (code >= 0xdc00 && code <= 0xdfff))
        return 0;
    if (code < 0xd800 || code > 0xdbff) {
        *code_out = code;
        return 6;
    }
    /* A high surrogate needs the low one behind it. */
    uint32_t low = 0;
    if (text.size - pos < 12 || text.data[pos + 6] != '\\' || text.data[pos + 7] != 'u' ||
        !hex4(text, pos + 8, &low) || low < 0xdc00 || low > 0xdfff)
        return 0;
    *code_out = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    return 12;
}

/* A string as it stands, without its quotes; the reader is behind it. */
typedef struct raw_string {
    frz_slice text;
    bool escaped;
} raw_string;

static frz_status scan_string(frz_json_reader *json, raw_string *out, frz_error **err)
{
    FRZ_TRY(expect(json, FRZ_JSON_STRING, err));
    const size_t start = json->pos + 1;
    const uint8_t *data = json->text.data;
    const size_t size = json->text.size;
    bool escaped = false;
    for (size_t pos = start; pos < size;) {
        const uint8_t byte = data[pos];
        size_t step = 1;
        if (byte == '"') {
            *out = (raw_string){frz_slice_of(data + start, pos - start), escaped};
            json->pos = pos + 1;
            return FRZ_OK;
        }
        if (byte == '\\') {
            uint32_t code = 0;
            step = scan_escape(json->text, pos, &code);
            escaped = true;
            if (step == 0)
                return fail_at(pos, "an escape that is none, or half a surrogate pair", err);
        } else if (byte < 0x20) {
            return fail_at(pos, "a control character inside a string", err);
        } else if (byte >= 0x80) {
            step = frz_utf8_size(data + pos, size - pos);
            if (step == 0)
                return fail_at(pos, "bytes that are not UTF-8", err);
        }
        pos += step;
    }
    return fail_at(start - 1, "a string without its closing quote", err);
}

static frz_status decode_string(frz_json_reader *json, frz_slice text, frz_slice *out,
                                frz_error **err)
{
    /* Every escape is longer than what it stands for. */
    uint8_t *bytes = frz_arena_alloc(json->arena, text.size);
    if (!bytes)
        return frz_fail_memory(err);
    size_t count = 0;
    for (size_t pos = 0; pos < text.size;) {
        if (text.data[pos] != '\\') {
            bytes[count++] = text.data[pos++];
            continue;
        }
        uint32_t code = 0;
        pos += scan_escape(text, pos, &code);
        count += frz_utf8_put(code, bytes + count);
    }
    *out = frz_slice_of(bytes, count);
    return FRZ_OK;
}

frz_status frz_json_read_string(frz_json_reader *json, frz_slice *out, frz_error **err)
{
    raw_string raw = {0};
    FRZ_TRY(scan_string(json, &raw, err));
    if (raw.escaped)
        return decode_string(json, raw.text, out, err);
    *out = raw.text;
    return FRZ_OK;
}

frz_status frz_json_read_text(frz_json_reader *json, const char **out, frz_error **err)
{
    FRZ_TRY(expect(json, FRZ_JSON_STRING, err));
    const size_t start = json->pos;
    frz_slice text = {0};
    FRZ_TRY(frz_json_read_string(json, &text, err));
    if (text.size && memchr(text.data, 0, text.size))
        return fail_at(start, "a text that holds U+0000", err);
    const char *copy = frz_arena_text_n(json->arena, text.data, text.size);
    if (!copy)
        return frz_fail_memory(err);
    *out = copy;
    return FRZ_OK;
}

frz_status frz_json_next_key(frz_json_reader *json, frz_slice *key_out, bool *more_out,
                             frz_error **err)
{
    bool more = false;
    frz_slice key = {0};
    FRZ_TRY(next_member(json, '}', &more, err));
    if (more) {
        FRZ_TRY(frz_json_read_string(json, &key, err));
        if (next_byte(json) != ':')
            return fail_at(json->pos, "expected ':' behind a key", err);
        json->pos++;
        *key_out = key;
    }
    *more_out = more;
    return FRZ_OK;
}

static size_t skip_digits(frz_slice text, size_t pos)
{
    while (pos < text.size && text.data[pos] >= '0' && text.data[pos] <= '9')
        pos++;
    return pos;
}

/* The end of the number at `pos` (RFC 8259, section 6); 0 when there is none. */
static size_t number_end(frz_slice text, size_t pos)
{
    pos += text.data[pos] == '-';
    const size_t whole = pos;
    pos = skip_digits(text, pos);
    if (pos == whole || (text.data[whole] == '0' && pos > whole + 1))
        return 0;
    if (pos < text.size && text.data[pos] == '.') {
        const size_t fraction = pos + 1;
        pos = skip_digits(text, fraction);
        if (pos == fraction)
            return 0;
    }
    if (pos < text.size && (text.data[pos] == 'e' || text.data[pos] == 'E')) {
        size_t exponent = pos + 1;
        if (exponent < text.size && (text.data[exponent] == '+' || text.data[exponent] == '-'))
            exponent++;
        pos = skip_digits(text, exponent);
        if (pos == exponent)
            return 0;
    }
    return pos;
}

/* Whether the byte behind a number or word may stand there. */
static bool ends_token(frz_slice text, size_t pos)
{
    return pos >= text.size || (text.data[pos] && strchr(" \n\r\t,]}", text.data[pos]));
}

frz_status frz_json_read_number(frz_json_reader *json, frz_slice *out, frz_error **err)
{
    FRZ_TRY(expect(json, FRZ_JSON_NUMBER, err));
    const size_t end = number_end(json->text, json->pos);
    if (end == 0 || !ends_token(json->text, end))
        return fail_at(json->pos, "a number that is not well formed", err);
    *out = frz_slice_of(json->text.data + json->pos, end - json->pos);
    json->pos = end;
    return FRZ_OK;
}

static bool exact_i64(frz_slice number, int64_t *out)
{
    const char *text = (const char *)number.data;
    if (frz_number_parse_i64(text, number.size, out))
        return true;
    /* 4.5e18, 1.0: other writers' integers, as long as nothing has to be guessed. */
    frz_int128 unscaled = 0;
    int scale = 0;
    if (!frz_decimal_parse(text, number.size, &unscaled, &scale) ||
        !frz_decimal_rescale(unscaled, scale, 0, &unscaled) || unscaled < INT64_MIN ||
        unscaled > INT64_MAX)
        return false;
    *out = (int64_t)unscaled;
    return true;
}

static frz_status not_within(size_t pos, frz_slice number, const char *type, frz_error **err)
{
    return frz_fail(err, FRZ_CORRUPT, pos, "JSON at offset %zu: expected a %s integer, got %.*s",
                    pos, type, (int)(number.size < 60 ? number.size : 60),
                    (const char *)number.data);
}

frz_status frz_json_read_i64(frz_json_reader *json, int64_t *out, frz_error **err)
{
    frz_slice number = {0};
    FRZ_TRY(frz_json_read_number(json, &number, err));
    if (!exact_i64(number, out))
        return not_within(json->pos - number.size, number, "64-bit", err);
    return FRZ_OK;
}

frz_status frz_json_read_i32(frz_json_reader *json, int32_t *out, frz_error **err)
{
    frz_slice number = {0};
    int64_t value = 0;
    FRZ_TRY(frz_json_read_number(json, &number, err));
    if (!exact_i64(number, &value) || value < INT32_MIN || value > INT32_MAX)
        return not_within(json->pos - number.size, number, "32-bit", err);
    *out = (int32_t)value;
    return FRZ_OK;
}

frz_status frz_json_read_f64(frz_json_reader *json, double *out, frz_error **err)
{
    frz_slice number = {0};
    FRZ_TRY(frz_json_read_number(json, &number, err));
    if (!frz_number_parse_f64((const char *)number.data, number.size, out))
        return fail_at(json->pos - number.size, "a number that is not well formed", err);
    return FRZ_OK;
}

static frz_status expect_word(frz_json_reader *json, const char *word, frz_error **err)
{
    const size_t size = strlen(word);
    if (json->text.size - json->pos < size ||
        memcmp(json->text.data + json->pos, word, size) != 0 ||
        !ends_token(json->text, json->pos + size))
        return fail_at(json->pos, "a word that is not true, false or null", err);
    json->pos += size;
    return FRZ_OK;
}

frz_status frz_json_read_bool(frz_json_reader *json, bool *out, frz_error **err)
{
    FRZ_TRY(expect(json, FRZ_JSON_BOOL, err));
    const bool value = json->text.data[json->pos] == 't';
    FRZ_TRY(expect_word(json, value ? "true" : "false", err));
    *out = value;
    return FRZ_OK;
}

frz_status frz_json_read_null(frz_json_reader *json, bool *out, frz_error **err)
{
    frz_json_kind kind = FRZ_JSON_NULL;
    FRZ_TRY(frz_json_peek(json, &kind, err));
    if (kind == FRZ_JSON_NULL)
        FRZ_TRY(expect_word(json, "null", err));
    *out = kind == FRZ_JSON_NULL;
    return FRZ_OK;
}

/* A value without members is passed; a container is entered. */
static frz_status skip_shallow(frz_json_reader *json, frz_json_kind kind, frz_error **err)
{
    frz_slice number = {0};
    raw_string string = {0};
    bool truth = false;
    switch (kind) {
    case FRZ_JSON_NULL:
        return expect_word(json, "null", err);
    case FRZ_JSON_BOOL:
        return frz_json_read_bool(json, &truth, err);
    case FRZ_JSON_NUMBER:
        return frz_json_read_number(json, &number, err);
    case FRZ_JSON_STRING:
        return scan_string(json, &string, err);
    case FRZ_JSON_ARRAY:
    case FRZ_JSON_OBJECT:
        break;
    }
    return enter(json, kind, err);
}

/* As frz_json_next_key, without decoding the key. */
static frz_status skip_key(frz_json_reader *json, bool *more_out, frz_error **err)
{
    raw_string key = {0};
    FRZ_TRY(next_member(json, '}', more_out, err));
    if (!*more_out)
        return FRZ_OK;
    FRZ_TRY(scan_string(json, &key, err));
    if (next_byte(json) != ':')
        return fail_at(json->pos, "expected ':' behind a key", err);
    json->pos++;
    return FRZ_OK;
}

frz_status frz_json_skip(frz_json_reader *json, frz_error **err)
{
    uint64_t is_object[DEPTH_MAX / 64 + 1] = {0};
    const uint32_t base = json->depth;
    do {
        frz_json_kind kind = FRZ_JSON_NULL;
        FRZ_TRY(frz_json_peek(json, &kind, err));
        FRZ_TRY(skip_shallow(json, kind, err));
        const uint64_t bit = (uint64_t)1 << json->depth % 64;
        if (kind == FRZ_JSON_OBJECT)
            is_object[json->depth / 64] |= bit;
        else if (kind == FRZ_JSON_ARRAY)
            is_object[json->depth / 64] &= ~bit;
        /* To the next value, through the ends of containers. */
        for (bool more = false; !more && json->depth > base;) {
            if (is_object[json->depth / 64] >> json->depth % 64 & 1)
                FRZ_TRY(skip_key(json, &more, err));
            else
                FRZ_TRY(frz_json_next_item(json, &more, err));
        }
    } while (json->depth > base);
    return FRZ_OK;
}

frz_status frz_json_read_raw(frz_json_reader *json, frz_slice *out, frz_error **err)
{
    (void)next_byte(json);
    const size_t start = json->pos;
    FRZ_TRY(frz_json_skip(json, err));
    *out = frz_slice_of(json->text.data + start, json->pos - start);
    return FRZ_OK;
}

frz_status frz_json_expect_end(frz_json_reader *json, frz_error **err)
{
    if (next_byte(json) >= 0)
        return fail_at(json->pos, "expected the end", err);
    return FRZ_OK;
}
