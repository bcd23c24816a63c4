#include "expr/literal.h"

#include <inttypes.h>
#include <math.h>
#include <strings.h>

#include "base/calendar.h"
#include "base/fail.h"
#include "base/number.h"
#include "base/uuid.h"

enum { SECONDS_PER_DAY = 86400, EXPONENT_MAX = 100000 };

typedef struct literal_word {
    const char *word;
    frz_literal_kind kind;
    int8_t zone; /* TIMESTAMP: 1 with a zone (UTC when the text gives none), 0 either way */
    const char *expected;
} literal_word;

static const literal_word words[] = {
    {"date", FRZ_LITERAL_DATE, 0, "a date as 'YYYY-MM-DD'"},
    {"time", FRZ_LITERAL_TIME, 0, "a time as 'HH:MM:SS.ffffff'"},
    {"timestamp", FRZ_LITERAL_TIMESTAMP, 0, "a timestamp as 'YYYY-MM-DDTHH:MM:SS.ffffff'"},
    {"timestamptz", FRZ_LITERAL_TIMESTAMP, 1, "a timestamp as 'YYYY-MM-DDTHH:MM:SS.ffffffZ'"},
    {"timestamp_ns", FRZ_LITERAL_TIMESTAMP, 0, "a timestamp as 'YYYY-MM-DDTHH:MM:SS.fffffffff'"},
    {"timestamptz_ns", FRZ_LITERAL_TIMESTAMP, 1, "a timestamp as 'YYYY-MM-DDTHH:MM:SS.fffffffffZ'"},
    {"uuid", FRZ_LITERAL_UUID, 0, "a uuid as 8-4-4-4-12 hexadecimal digits"},
};

static const literal_word *find_word(frz_slice text)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i].word) == text.size &&
            strncasecmp(words[i].word, (const char *)text.data, text.size) == 0)
            return &words[i];
    }
    return NULL;
}

bool frz_literal_is_word(frz_slice word)
{
    return find_word(word) != NULL;
}

static bool parse_uuid(frz_slice text, frz_arena *arena, frz_slice *out, bool *short_out)
{
    frz_uuid uuid;
    if (!frz_uuid_parse((const char *)text.data, text.size, &uuid))
        return false;
    *short_out = !frz_arena_slice(arena, frz_slice_of(uuid.bytes, sizeof uuid.bytes), out);
    return true;
}

frz_status frz_literal_parse_typed(frz_slice word, frz_slice text, frz_arena *arena,
                                   frz_literal *literal, frz_error **err)
{
    const literal_word *known = find_word(word);
    if (!known)
        return frz_fail(err, FRZ_INVALID, literal->offset, "%.*s is no kind of literal",
                        (int)word.size, (const char *)word.data);
    const char *at = (const char *)text.data;
    frz_literal parsed = {.kind = known->kind, .offset = literal->offset, .bytes = text};
    bool fits = false;
    bool memory_short = false;
    int64_t days = 0;
    if (known->kind == FRZ_LITERAL_DATE) {
        /* Beyond 32-bit days the seconds could wrap; no column has such dates. */
        fits =
            frz_calendar_parse_date(at, text.size, &days) && days >= INT32_MIN && days <= INT32_MAX;
        parsed.seconds = fits ? days * SECONDS_PER_DAY : 0;
    } else if (known->kind == FRZ_LITERAL_TIME) {
        fits = frz_calendar_parse_time(at, text.size, &parsed.micros);
    } else if (known->kind == FRZ_LITERAL_TIMESTAMP) {
        fits = frz_calendar_parse_timestamp(at, text.size, &parsed.seconds, &parsed.nanos,
                                            &parsed.zoned);
        parsed.zoned = parsed.zoned || known->zone == 1;
    } else {
        fits = parse_uuid(text, arena, &parsed.bytes, &memory_short);
    }
    if (memory_short)
        return frz_fail_memory(err);
    if (!fits)
        return frz_fail(err, FRZ_INVALID, literal->offset, "expected %s, got '%.*s'",
                        known->expected, (int)text.size, at);
    *literal = parsed;
    return FRZ_OK;
}

static const char *describe(const frz_literal *literal)
{
    switch (literal->kind) {
    case FRZ_LITERAL_NULL:
        return "NULL";
    case FRZ_LITERAL_BOOLEAN:
        return "a boolean";
    case FRZ_LITERAL_NUMBER:
        return "a number";
    case FRZ_LITERAL_TEXT:
        return "text";
    case FRZ_LITERAL_DATE:
        return "a date";
    case FRZ_LITERAL_TIME:
        return "a time";
    case FRZ_LITERAL_TIMESTAMP:
        return literal->zoned ? "a timestamp with a zone" : "a timestamp";
    case FRZ_LITERAL_UUID:
        return "a uuid";
    case FRZ_LITERAL_BYTES:
        return "bytes";
    }
    return "a literal";
}

static frz_status fail_kind(const frz_literal *literal, const frz_type *type, frz_error **err)
{
    frz_buffer name = {0};
    frz_type_print(type, &name);
    const bool shown = literal->kind == FRZ_LITERAL_TEXT || literal->kind == FRZ_LITERAL_NUMBER;
    const frz_status status = frz_fail(
        err, FRZ_INVALID, literal->offset, "expected a literal of type %.*s, got %s%s%.*s%s",
        name.failed ? 0 : (int)name.size, (const char *)name.data, describe(literal),
        shown ? " '" : "", shown ? (int)literal->bytes.size : 0, (const char *)literal->bytes.data,
        shown ? "'" : "");
    frz_buffer_clear(&name);
    return status;
}

/* The parts of [+-]digits[.digits][e[+-]digits]. */
typedef struct number_parts {
    bool negative;
    const char *digits; /* with at most one point */
    size_t size;
    int64_t exponent; /* power of ten of the last digit */
} number_parts;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool split_exponent(const char *at, const char *end, int64_t *exponent)
{
    if (at == end)
        return true;
    if (*at != 'e' && *at != 'E')
        return false;
    at++;
    const bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    if (at == end)
        return false;
    int64_t value = 0;
    for (; at < end; at++) {
        if (!is_digit(*at))
            return false;
        if (value < EXPONENT_MAX)
            value = value * 10 + (*at - '0');
    }
    *exponent += negative ? -value : value;
    return true;
}

static bool split_number(frz_slice text, number_parts *out)
{
    const char *at = (const char *)text.data;
    const char *end = at + text.size;
    number_parts parts = {.negative = text.size && *at == '-'};
    if (text.size && (*at == '-' || *at == '+'))
        at++;
    parts.digits = at;
    size_t digits = 0;
    bool point = false;
    for (; at < end && (is_digit(*at) || (*at == '.' && !point)); at++) {
        if (*at == '.') {
            point = true;
        } else {
            digits++;
            parts.exponent -= point;
        }
    }
    parts.size = (size_t)(at - parts.digits);
    *out = parts;
    return digits > 0 && split_exponent(at, end, &out->exponent);
}

/*
 * floor(number * 10^scale), and whether something was cut off. False when it has more than 38
 * digits
 * (*out is then untouched).
 */
static bool scale_number(const number_parts *parts, int scale, frz_int128 *out, bool *exact_out)
{
    size_t left = 0; /* digits from the first that is not 0 */
    for (size_t i = 0; i < parts->size; i++)
        left += parts->digits[i] != '.' && (left || parts->digits[i] != '0');
    int64_t kept = (int64_t)left + parts->exponent + scale;
    if (left && kept > FRZ_DECIMAL_PRECISION_MAX)
        return false;
    frz_int128 value = 0;
    bool exact = true;
    bool started = false;
    for (size_t i = 0; i < parts->size; i++) {
        const char c = parts->digits[i];
        started = started || (c != '.' && c != '0');
        if (c == '.' || !started)
            continue;
        if (kept > 0)
            value = value * 10 + (c - '0');
        else
            exact = exact && c == '0';
        kept--;
    }
    for (; started && kept > 0; kept--)
        value *= 10;
    if (parts->negative)
        value = exact ? -value : -value - 1;
    *out = value;
    *exact_out = exact;
    return true;
}

static frz_status to_integer(const frz_literal *literal, const frz_type *type, frz_value *out,
                             frz_literal_side *side, frz_error **err)
{
    number_parts parts;
    if ((literal->kind != FRZ_LITERAL_NUMBER && literal->kind != FRZ_LITERAL_TEXT) ||
        !split_number(literal->bytes, &parts))
        return fail_kind(literal, type, err);
    const bool decimal = type->kind == FRZ_TYPE_DECIMAL;
    frz_int128 least = type->kind == FRZ_TYPE_INT ? INT32_MIN : INT64_MIN;
    frz_int128 most = type->kind == FRZ_TYPE_INT ? INT32_MAX : INT64_MAX;
    if (decimal) {
        most = frz_decimal_power(type->precision) - 1;
        least = -most;
    }
    frz_int128 value = 0;
    bool exact = true;
    if (!scale_number(&parts, decimal ? type->scale : 0, &value, &exact)) {
        *side = parts.negative ? FRZ_SIDE_BELOW_ALL : FRZ_SIDE_ABOVE_ALL;
        return FRZ_OK;
    }
    if (value < least || value > most) {
        *side = value < least ? FRZ_SIDE_BELOW_ALL : FRZ_SIDE_ABOVE_ALL;
        return FRZ_OK;
    }
    *side = exact ? FRZ_SIDE_EQUAL : FRZ_SIDE_ABOVE;
    if (decimal)
        *out = (frz_value){.form = FRZ_VALUE_DECIMAL, .decimal = value};
    else
        *out = (frz_value){.form = FRZ_VALUE_INTEGER, .integer = (int64_t)value};
    return FRZ_OK;
}

/* Rounds to the nearest value of the type, as these types mean it; only what lies beyond the
 * largest finite value is placed between that and infinity. */
static frz_status to_floating(const frz_literal *literal, const frz_type *type, frz_value *out,
                              frz_literal_side *side, frz_error **err)
{
    double number = 0;
    number_parts parts;
    if ((literal->kind != FRZ_LITERAL_NUMBER && literal->kind != FRZ_LITERAL_TEXT) ||
        !frz_number_parse_f64((const char *)literal->bytes.data, literal->bytes.size, &number))
        return fail_kind(literal, type, err);
    if (type->kind == FRZ_TYPE_FLOAT)
        number = (double)(float)number;
    *side = FRZ_SIDE_EQUAL;
    if (isinf(number) && split_number(literal->bytes, &parts))
        *side = number > 0 ? FRZ_SIDE_BELOW : FRZ_SIDE_ABOVE;
    *out = (frz_value){.form = FRZ_VALUE_NUMBER, .number = number};
    return FRZ_OK;
}

static bool is_zoned_type(const frz_type *type)
{
    return type->kind == FRZ_TYPE_TIMESTAMPTZ || type->kind == FRZ_TYPE_TIMESTAMPTZ_NS;
}

/* The seconds and nanoseconds as an integer of the type's unit, floored. */
static void place_instant(const frz_literal *literal, const frz_type *type, frz_value *out,
                          frz_literal_side *side)
{
    const bool nanos = type->kind == FRZ_TYPE_TIMESTAMP_NS || type->kind == FRZ_TYPE_TIMESTAMPTZ_NS;
    const frz_int128 instant = (frz_int128)literal->seconds * 1000000000 + literal->nanos;
    frz_int128 unit = nanos ? 1 : 1000;
    if (type->kind == FRZ_TYPE_DATE)
        unit = (frz_int128)SECONDS_PER_DAY * 1000000000;
    const frz_int128 rest = (instant % unit + unit) % unit;
    const frz_int128 value = (instant - rest) / unit;
    const int64_t least = type->kind == FRZ_TYPE_DATE ? INT32_MIN : INT64_MIN;
    const int64_t most = type->kind == FRZ_TYPE_DATE ? INT32_MAX : INT64_MAX;
    if (value < least || value > most) {
        *side = value < least ? FRZ_SIDE_BELOW_ALL : FRZ_SIDE_ABOVE_ALL;
        return;
    }
    *side = rest ? FRZ_SIDE_ABOVE : FRZ_SIDE_EQUAL;
    *out = (frz_value){.form = FRZ_VALUE_INTEGER, .integer = (int64_t)value};
}

static frz_status to_instant(const frz_literal *literal, const frz_type *type, frz_value *out,
                             frz_literal_side *side, frz_error **err)
{
    frz_literal instant = *literal;
    if (literal->kind == FRZ_LITERAL_TEXT) {
        if (!frz_calendar_parse_timestamp((const char *)literal->bytes.data, literal->bytes.size,
                                          &instant.seconds, &instant.nanos, &instant.zoned))
            return fail_kind(literal, type, err);
    } else if (literal->kind != FRZ_LITERAL_DATE && literal->kind != FRZ_LITERAL_TIMESTAMP) {
        return fail_kind(literal, type, err);
    }
    if (instant.zoned && !is_zoned_type(type))
        return fail_kind(literal, type, err);
    place_instant(&instant, type, out, side);
    return FRZ_OK;
}

static frz_status to_time(const frz_literal *literal, const frz_type *type, frz_value *out,
                          frz_error **err)
{
    int64_t micros = literal->micros;
    if (literal->kind == FRZ_LITERAL_TEXT) {
        if (!frz_calendar_parse_time((const char *)literal->bytes.data, literal->bytes.size,
                                     &micros))
            return fail_kind(literal, type, err);
    } else if (literal->kind != FRZ_LITERAL_TIME) {
        return fail_kind(literal, type, err);
    }
    *out = (frz_value){.form = FRZ_VALUE_INTEGER, .integer = micros};
    return FRZ_OK;
}

static frz_status to_boolean(const frz_literal *literal, const frz_type *type, frz_value *out,
                             frz_error **err)
{
    bool value = literal->boolean;
    if (literal->kind == FRZ_LITERAL_TEXT) {
        const char *text = (const char *)literal->bytes.data;
        value = literal->bytes.size == 4 && strncasecmp(text, "true", 4) == 0;
        if (!value && !(literal->bytes.size == 5 && strncasecmp(text, "false", 5) == 0))
            return fail_kind(literal, type, err);
    } else if (literal->kind != FRZ_LITERAL_BOOLEAN) {
        return fail_kind(literal, type, err);
    }
    *out = (frz_value){.form = FRZ_VALUE_BOOLEAN, .boolean = value};
    return FRZ_OK;
}

/* Fixed columns order as bytes do: a shorter literal is just below itself with zeros behind, a
 * longer one just above itself cut. */
static frz_status fit_fixed(const frz_type *type, frz_arena *arena, frz_value *value,
                            frz_literal_side *side, frz_error **err)
{
    const size_t length = (size_t)type->length;
    if (value->bytes.size > length) {
        value->bytes.size = length;
        *side = FRZ_SIDE_ABOVE;
    } else if (value->bytes.size < length) {
        uint8_t *padded = frz_arena_alloc(arena, length);
        if (!padded)
            return frz_fail_memory(err);
        if (value->bytes.size)
            memcpy(padded, value->bytes.data, value->bytes.size);
        value->bytes = frz_slice_of(padded, length);
        *side = FRZ_SIDE_BELOW;
    }
    return FRZ_OK;
}

static frz_status to_bytes(const frz_literal *literal, const frz_type *type, frz_arena *arena,
                           frz_value *out, frz_error **err)
{
    const bool uuid = type->kind == FRZ_TYPE_UUID;
    if (literal->kind == FRZ_LITERAL_TEXT) {
        const frz_type *as = uuid ? type : frz_type_of(FRZ_TYPE_BINARY);
        const frz_status status = frz_value_parse(as, literal->bytes, arena, out, NULL);
        return status == FRZ_INVALID ? fail_kind(literal, type, err)
               : status == FRZ_OK    ? FRZ_OK
                                     : frz_fail_memory(err);
    }
    const bool fits = literal->kind == FRZ_LITERAL_UUID ? uuid
                                                        : literal->kind == FRZ_LITERAL_BYTES &&
                                                              (!uuid || literal->bytes.size == 16);
    if (!fits)
        return fail_kind(literal, type, err);
    *out = (frz_value){.form = FRZ_VALUE_BYTES, .bytes = literal->bytes};
    return FRZ_OK;
}

static frz_status fail_type(const frz_literal *literal, const frz_type *type, frz_error **err)
{
    frz_buffer name = {0};
    frz_type_print(type, &name);
    const frz_status status =
        frz_fail(err, FRZ_INVALID, literal->offset, "a %.*s has no literals; only IS NULL tests it",
                 name.failed ? 0 : (int)name.size, (const char *)name.data);
    frz_buffer_clear(&name);
    return status;
}

frz_status frz_literal_convert(const frz_literal *literal, const frz_type *type, frz_arena *arena,
                               frz_value *out, frz_literal_side *side_out, frz_error **err)
{
    *side_out = FRZ_SIDE_EQUAL;
    switch (type->kind) {
    case FRZ_TYPE_BOOLEAN:
        return to_boolean(literal, type, out, err);
    case FRZ_TYPE_INT:
    case FRZ_TYPE_LONG:
    case FRZ_TYPE_DECIMAL:
        return to_integer(literal, type, out, side_out, err);
    case FRZ_TYPE_FLOAT:
    case FRZ_TYPE_DOUBLE:
        return to_floating(literal, type, out, side_out, err);
    case FRZ_TYPE_DATE:
    case FRZ_TYPE_TIMESTAMP:
    case FRZ_TYPE_TIMESTAMPTZ:
    case FRZ_TYPE_TIMESTAMP_NS:
    case FRZ_TYPE_TIMESTAMPTZ_NS:
        return to_instant(literal, type, out, side_out, err);
    case FRZ_TYPE_TIME:
        return to_time(literal, type, out, err);
    case FRZ_TYPE_STRING:
        if (literal->kind != FRZ_LITERAL_TEXT)
            return fail_kind(literal, type, err);
        *out = (frz_value){.form = FRZ_VALUE_BYTES, .bytes = literal->bytes};
        return FRZ_OK;
    case FRZ_TYPE_FIXED:
        FRZ_TRY(to_bytes(literal, type, arena, out, err));
        return fit_fixed(type, arena, out, side_out, err);
    case FRZ_TYPE_UUID:
    case FRZ_TYPE_BINARY:
        return to_bytes(literal, type, arena, out, err);
    case FRZ_TYPE_UNKNOWN:
    case FRZ_TYPE_VARIANT:
    case FRZ_TYPE_GEOMETRY:
    case FRZ_TYPE_GEOGRAPHY:
    case FRZ_TYPE_STRUCT:
    case FRZ_TYPE_LIST:
    case FRZ_TYPE_MAP:
        break;
    }
    return fail_type(literal, type, err);
}

static void print_text(frz_slice text, frz_buffer *out)
{
    frz_buffer_append_byte(out, '\'');
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '\'')
            frz_buffer_append_byte(out, '\'');
        frz_buffer_append_byte(out, text.data[i]);
    }
    frz_buffer_append_byte(out, '\'');
}

static void print_floating(const frz_type *type, double number, frz_buffer *out)
{
    char text[FRZ_NUMBER_TEXT_SIZE];
    size_t size = 0;
    if (!isfinite(number)) {
        frz_buffer_append_text(out, isnan(number) ? "'NaN'"
                                    : number > 0  ? "'Infinity'"
                                                  : "'-Infinity'");
        return;
    }
    if (type->kind == FRZ_TYPE_FLOAT) {
        /* The shortest text of a float is read back through a double, which may round twice. */
        double again = 0;
        size = frz_number_print_f32((float)number, text);
        if (!frz_number_parse_f64(text, size, &again) || (float)again != (float)number)
            size = 0;
    }
    if (size == 0)
        size = frz_number_print_f64(number, text);
    frz_buffer_append(out, text, size);
}

static void print_instant(const frz_type *type, int64_t value, frz_buffer *out)
{
    char text[FRZ_CALENDAR_TEXT_SIZE];
    size_t size = 0;
    const char *word = "";
    if (type->kind == FRZ_TYPE_DATE) {
        word = "date";
        size = frz_calendar_print_date(value, text);
    } else if (type->kind == FRZ_TYPE_TIME) {
        word = "time";
        size = frz_calendar_print_time(value, text);
    } else if (type->kind == FRZ_TYPE_TIMESTAMP || type->kind == FRZ_TYPE_TIMESTAMPTZ) {
        word = is_zoned_type(type) ? "timestamptz" : "timestamp";
        size = frz_calendar_print_micros(value, is_zoned_type(type), text);
    } else {
        word = is_zoned_type(type) ? "timestamptz_ns" : "timestamp_ns";
        size = frz_calendar_print_nanos(value, is_zoned_type(type), text);
    }
    frz_buffer_printf(out, "%s '%.*s'", word, (int)size, text);
}

static void print_bytes(const frz_type *type, frz_slice bytes, frz_buffer *out)
{
    if (type->kind == FRZ_TYPE_UUID && bytes.size == 16) {
        char text[FRZ_UUID_TEXT_SIZE];
        frz_uuid uuid;
        memcpy(uuid.bytes, bytes.data, 16);
        frz_uuid_print(&uuid, text);
        frz_buffer_printf(out, "uuid '%s'", text);
        return;
    }
    frz_buffer_append_text(out, "X'");
    for (size_t i = 0; i < bytes.size; i++)
        frz_buffer_printf(out, "%02x", bytes.data[i]);
    frz_buffer_append_byte(out, '\'');
}

void frz_literal_print(const frz_type *type, const frz_value *value, frz_buffer *out)
{
    char text[FRZ_DECIMAL_TEXT_SIZE];
    switch (value->form) {
    case FRZ_VALUE_BOOLEAN:
        frz_buffer_append_text(out, value->boolean ? "TRUE" : "FALSE");
        return;
    case FRZ_VALUE_INTEGER:
        if (type->kind == FRZ_TYPE_INT || type->kind == FRZ_TYPE_LONG)
            frz_buffer_printf(out, "%" PRId64, value->integer);
        else
            print_instant(type, value->integer, out);
        return;
    case FRZ_VALUE_NUMBER:
        print_floating(type, value->number, out);
        return;
    case FRZ_VALUE_DECIMAL:
        frz_buffer_append(out, text, frz_decimal_print(value->decimal, type->scale, text));
        return;
    case FRZ_VALUE_BYTES:
        if (type->kind == FRZ_TYPE_STRING)
            print_text(value->bytes, out);
        else
            print_bytes(type, value->bytes, out);
        return;
    case FRZ_VALUE_NULL:
    case FRZ_VALUE_STRUCT:
    case FRZ_VALUE_LIST:
        frz_buffer_append_text(out, "NULL");
        return;
    }
}

/* A date or timestamp as seconds and nanoseconds. */
static void split_instant(const frz_type *type, int64_t value, frz_literal *out)
{
    const bool nanos = type->kind == FRZ_TYPE_TIMESTAMP_NS || type->kind == FRZ_TYPE_TIMESTAMPTZ_NS;
    const int64_t second = nanos ? 1000000000 : 1000000;
    out->kind = FRZ_LITERAL_TIMESTAMP;
    out->zoned = is_zoned_type(type);
    if (type->kind == FRZ_TYPE_DATE) {
        out->kind = FRZ_LITERAL_DATE;
        out->seconds = value * SECONDS_PER_DAY;
        return;
    }
    out->seconds = frz_floor_div(value, second);
    out->nanos = (int32_t)(frz_floor_mod(value, second) * (nanos ? 1 : 1000));
}

static frz_status number_from(const frz_type *type, const frz_value *value, frz_arena *arena,
                              frz_literal *out, frz_error **err)
{
    char text[FRZ_DECIMAL_TEXT_SIZE];
    size_t size = 0;
    if (value->form == FRZ_VALUE_NUMBER)
        size = frz_number_print_f64(value->number, text);
    else if (value->form == FRZ_VALUE_DECIMAL)
        size = frz_decimal_print(value->decimal, type->scale, text);
    else
        size = frz_decimal_print(value->integer, 0, text);
    out->kind = FRZ_LITERAL_NUMBER;
    return frz_arena_slice(arena, frz_slice_of(text, size), &out->bytes) ? FRZ_OK
                                                                         : frz_fail_memory(err);
}

frz_status frz_literal_from(const frz_type *type, const frz_value *value, frz_arena *arena,
                            frz_literal *out, frz_error **err)
{
    frz_literal literal = {.kind = FRZ_LITERAL_NULL, .offset = FRZ_NO_OFFSET};
    switch (value->form) {
    case FRZ_VALUE_BOOLEAN:
        literal.kind = FRZ_LITERAL_BOOLEAN;
        literal.boolean = value->boolean;
        break;
    case FRZ_VALUE_INTEGER:
        if (type->kind == FRZ_TYPE_INT || type->kind == FRZ_TYPE_LONG) {
            FRZ_TRY(number_from(type, value, arena, &literal, err));
        } else if (type->kind == FRZ_TYPE_TIME) {
            literal.kind = FRZ_LITERAL_TIME;
            literal.micros = value->integer;
        } else {
            split_instant(type, value->integer, &literal);
        }
        break;
    case FRZ_VALUE_NUMBER:
    case FRZ_VALUE_DECIMAL:
        FRZ_TRY(number_from(type, value, arena, &literal, err));
        break;
    case FRZ_VALUE_BYTES:
        literal.kind = type->kind == FRZ_TYPE_STRING ? FRZ_LITERAL_TEXT
                       : type->kind == FRZ_TYPE_UUID ? FRZ_LITERAL_UUID
                                                     : FRZ_LITERAL_BYTES;
        literal.bytes = value->bytes;
        break;
    case FRZ_VALUE_NULL:
    case FRZ_VALUE_STRUCT:
    case FRZ_VALUE_LIST:
        break;
    }
    *out = literal;
    return FRZ_OK;
}
