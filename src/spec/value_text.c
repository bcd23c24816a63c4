/*
 * The text forms of values: literals read, and values printed for people.
 */
#include <math.h>
#include <string.h>

#include "base/calendar.h"
#include "base/fail.h"
#include "base/number.h"
#include "base/uuid.h"
#include "spec/value.h"

enum { SHOWN_MAX = 80 }; /* bytes of a wrong literal that a message repeats */

static frz_status refuse(const frz_type *type, frz_slice text, const char *expected,
                         frz_error **err)
{
    return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "\"%.*s\" is no %s: expected %s",
                    (int)(text.size > SHOWN_MAX ? SHOWN_MAX : text.size), (const char *)text.data,
                    frz_type_word(type->kind), expected);
}

static const char *chars(frz_slice text)
{
    return text.data ? (const char *)text.data : "";
}

static bool equal_word(frz_slice text, const char *word)
{
    if (text.size != strlen(word))
        return false;
    for (size_t i = 0; i < text.size; i++)
        if ((text.data[i] | 0x20) != (uint8_t)word[i])
            return false;
    return true;
}

static frz_status parse_boolean(const frz_type *type, frz_slice text, frz_value *out,
                                frz_error **err)
{
    if (!equal_word(text, "true") && !equal_word(text, "false"))
        return refuse(type, text, "true or false", err);
    *out = (frz_value){.form = FRZ_VALUE_BOOLEAN, .boolean = equal_word(text, "true")};
    return FRZ_OK;
}

static frz_status parse_whole(const frz_type *type, frz_slice text, int64_t *out, frz_error **err)
{
    const bool narrow = type->kind == FRZ_TYPE_INT;
    int64_t value = 0;
    if (!frz_number_parse_i64(chars(text), text.size, &value) ||
        (narrow && (value < INT32_MIN || value > INT32_MAX)))
        return refuse(type, text,
                      narrow ? "a whole number of 32 bits" : "a whole number of 64 bits", err);
    *out = value;
    return FRZ_OK;
}

static frz_status parse_date(const frz_type *type, frz_slice text, int64_t *out, frz_error **err)
{
    int64_t days = 0;
    if (!frz_calendar_parse_date(chars(text), text.size, &days) || days < INT32_MIN ||
        days > INT32_MAX)
        return refuse(type, text, "YYYY-MM-DD", err);
    *out = days;
    return FRZ_OK;
}

static frz_status parse_timestamp(const frz_type *type, frz_slice text, int64_t *out,
                                  frz_error **err)
{
    const bool nanos = type->kind == FRZ_TYPE_TIMESTAMP_NS || type->kind == FRZ_TYPE_TIMESTAMPTZ_NS;
    const bool zoned = type->kind == FRZ_TYPE_TIMESTAMPTZ || type->kind == FRZ_TYPE_TIMESTAMPTZ_NS;
    int64_t seconds = 0;
    int32_t fraction = 0;
    bool has_zone = false;
    if (!frz_calendar_parse_timestamp(chars(text), text.size, &seconds, &fraction, &has_zone))
        return refuse(type, text, "YYYY-MM-DDTHH:MM:SS with an optional fraction", err);
    if (has_zone && !zoned)
        return refuse(type, text, "no time zone", err);
    if (!nanos && fraction % 1000 != 0)
        return refuse(type, text, "at most 6 digits of a second", err);

    /* Near the ends of the range seconds alone may overflow where the sum does not: -1 s + 0.8 s.
     */
    const frz_int128 unit = nanos ? 1000000000 : 1000000;
    const frz_int128 total = (frz_int128)seconds * unit + (nanos ? fraction : fraction / 1000);
    if (total < INT64_MIN || total > INT64_MAX)
        return refuse(type, text, "a time within its range", err);
    *out = (int64_t)total;
    return FRZ_OK;
}

static frz_status parse_integer(const frz_type *type, frz_slice text, frz_value *out,
                                frz_error **err)
{
    out->form = FRZ_VALUE_INTEGER;
    if (type->kind == FRZ_TYPE_INT || type->kind == FRZ_TYPE_LONG)
        return parse_whole(type, text, &out->integer, err);
    if (type->kind == FRZ_TYPE_DATE)
        return parse_date(type, text, &out->integer, err);
    if (type->kind != FRZ_TYPE_TIME)
        return parse_timestamp(type, text, &out->integer, err);
    return frz_calendar_parse_time(chars(text), text.size, &out->integer)
               ? FRZ_OK
               : refuse(type, text, "HH:MM:SS with at most 6 digits of a second", err);
}

static frz_status parse_number(const frz_type *type, frz_slice text, frz_value *out,
                               frz_error **err)
{
    double value = 0;
    if (!frz_number_parse_f64(chars(text), text.size, &value))
        return refuse(type, text, "a number, NaN or Infinity", err);
    const double kept = type->kind == FRZ_TYPE_FLOAT ? (double)(float)value : value;
    /* Digits that become an infinity are out of range; a written infinity has none. */
    if (isinf(kept) && memchr(text.data, 'n', text.size) == NULL &&
        memchr(text.data, 'N', text.size) == NULL)
        return refuse(type, text, "a number within its range", err);
    *out = (frz_value){.form = FRZ_VALUE_NUMBER, .number = kept};
    return FRZ_OK;
}

static frz_status parse_decimal(const frz_type *type, frz_slice text, frz_value *out,
                                frz_error **err)
{
    int scale = 0;
    if (!frz_decimal_parse(chars(text), text.size, &out->decimal, &scale) ||
        !frz_decimal_rescale(out->decimal, scale, type->scale, &out->decimal) ||
        !frz_decimal_fits(out->decimal, type->precision))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "\"%.*s\" is no decimal(%d, %d): expected a number that needs no rounding",
                        (int)(text.size > SHOWN_MAX ? SHOWN_MAX : text.size), chars(text),
                        type->precision, type->scale);
    out->form = FRZ_VALUE_DECIMAL;
    return FRZ_OK;
}

frz_status frz_value_decode_hex(frz_slice digits, frz_arena *arena, frz_slice *out)
{
    if (digits.size % 2 != 0)
        return FRZ_INVALID;
    uint8_t *bytes = frz_arena_alloc(arena, digits.size / 2);
    if (!bytes)
        return FRZ_NO_MEMORY;
    for (size_t i = 0; i < digits.size / 2; i++) {
        const int high = frz_hex_digit(digits.data[2 * i]);
        const int low = frz_hex_digit(digits.data[2 * i + 1]);
        if (high < 0 || low < 0)
            return FRZ_INVALID;
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    *out = frz_slice_of(bytes, digits.size / 2);
    return FRZ_OK;
}

void frz_value_encode_hex(frz_slice bytes, frz_buffer *out)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < bytes.size; i++) {
        frz_buffer_append_byte(out, (uint8_t)digits[bytes.data[i] >> 4]);
        frz_buffer_append_byte(out, (uint8_t)digits[bytes.data[i] & 15]);
    }
}

static frz_status parse_hex(const frz_type *type, frz_slice text, frz_arena *arena, frz_slice *out,
                            frz_error **err)
{
    const char *expected = "0x and two hexadecimal digits for each byte";
    if (text.size < 2 || text.data[0] != '0' || (text.data[1] | 0x20) != 'x')
        return refuse(type, text, expected, err);
    frz_slice bytes = {0};
    const frz_slice digits = frz_slice_of(text.data + 2, text.size - 2);
    const frz_status status = frz_value_decode_hex(digits, arena, &bytes);
    if (status != FRZ_OK)
        return status == FRZ_NO_MEMORY ? frz_fail_memory(err) : refuse(type, text, expected, err);
    if (type->kind == FRZ_TYPE_FIXED && bytes.size != (size_t)type->length)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "fixed[%d] of %zu bytes", type->length,
                        bytes.size);
    *out = bytes;
    return FRZ_OK;
}

static frz_status parse_uuid(const frz_type *type, frz_slice text, frz_arena *arena, frz_slice *out,
                             frz_error **err)
{
    frz_uuid uuid;
    if (!frz_uuid_parse(chars(text), text.size, &uuid))
        return refuse(type, text, "8-4-4-4-12 hexadecimal digits", err);
    return frz_arena_slice(arena, frz_slice_of(uuid.bytes, sizeof uuid.bytes), out)
               ? FRZ_OK
               : frz_fail_memory(err);
}

static frz_status parse_bytes(const frz_type *type, frz_slice text, frz_arena *arena,
                              frz_value *out, frz_error **err)
{
    out->form = FRZ_VALUE_BYTES;
    if (type->kind == FRZ_TYPE_STRING)
        return frz_arena_slice(arena, text, &out->bytes) ? FRZ_OK : frz_fail_memory(err);
    if (type->kind == FRZ_TYPE_UUID)
        return parse_uuid(type, text, arena, &out->bytes, err);
    return parse_hex(type, text, arena, &out->bytes, err);
}

frz_status frz_value_parse(const frz_type *type, frz_slice text, frz_arena *arena, frz_value *out,
                           frz_error **err)
{
    frz_value value = {0};
    switch (type->kind) {
    case FRZ_TYPE_BOOLEAN:
        FRZ_TRY(parse_boolean(type, text, &value, err));
        break;
    case FRZ_TYPE_INT:
    case FRZ_TYPE_LONG:
    case FRZ_TYPE_DATE:
    case FRZ_TYPE_TIME:
    case FRZ_TYPE_TIMESTAMP:
    case FRZ_TYPE_TIMESTAMPTZ:
    case FRZ_TYPE_TIMESTAMP_NS:
    case FRZ_TYPE_TIMESTAMPTZ_NS:
        FRZ_TRY(parse_integer(type, text, &value, err));
        break;
    case FRZ_TYPE_FLOAT:
    case FRZ_TYPE_DOUBLE:
        FRZ_TRY(parse_number(type, text, &value, err));
        break;
    case FRZ_TYPE_DECIMAL:
        FRZ_TRY(parse_decimal(type, text, &value, err));
        break;
    case FRZ_TYPE_STRING:
    case FRZ_TYPE_UUID:
    case FRZ_TYPE_FIXED:
    case FRZ_TYPE_BINARY:
        FRZ_TRY(parse_bytes(type, text, arena, &value, err));
        break;
    case FRZ_TYPE_UNKNOWN:
    case FRZ_TYPE_STRUCT:
    case FRZ_TYPE_LIST:
    case FRZ_TYPE_MAP:
    case FRZ_TYPE_VARIANT:
    case FRZ_TYPE_GEOMETRY:
    case FRZ_TYPE_GEOGRAPHY:
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "a %s has no literal",
                        frz_type_word(type->kind));
    }
    *out = value;
    return FRZ_OK;
}

static void print_bytes(const frz_type *type, frz_slice bytes, frz_buffer *out)
{
    if (type->kind == FRZ_TYPE_STRING) {
        frz_buffer_append(out, bytes.data, bytes.size);
    } else if (type->kind == FRZ_TYPE_UUID && bytes.size == sizeof(frz_uuid)) {
        frz_uuid uuid;
        char text[FRZ_UUID_TEXT_SIZE];
        memcpy(uuid.bytes, bytes.data, sizeof uuid.bytes);
        frz_uuid_print(&uuid, text);
        frz_buffer_append_text(out, text);
    } else {
        frz_buffer_append_text(out, "0x");
        frz_value_encode_hex(bytes, out);
    }
}

static void print_integer(const frz_type *type, int64_t value, frz_buffer *out)
{
    char text[FRZ_CALENDAR_TEXT_SIZE];
    size_t size = 0;
    if (type->kind == FRZ_TYPE_DATE)
        size = frz_calendar_print_date(value, text);
    else if (type->kind == FRZ_TYPE_TIME)
        size = frz_calendar_print_time(value, text);
    else if (type->kind == FRZ_TYPE_TIMESTAMP || type->kind == FRZ_TYPE_TIMESTAMPTZ)
        size = frz_calendar_print_micros(value, type->kind == FRZ_TYPE_TIMESTAMPTZ, text);
    else if (type->kind == FRZ_TYPE_TIMESTAMP_NS || type->kind == FRZ_TYPE_TIMESTAMPTZ_NS)
        size = frz_calendar_print_nanos(value, type->kind == FRZ_TYPE_TIMESTAMPTZ_NS, text);
    if (size)
        frz_buffer_append(out, text, size);
    else
        frz_buffer_printf(out, "%lld", (long long)value);
}

static void print_struct(const frz_type *type, const frz_value *value, frz_buffer *out)
{
    frz_buffer_append_byte(out, '{');
    for (size_t i = 0; i < value->items.count && i < type->field_count; i++) {
        frz_buffer_printf(out, "%s%s: ", i ? ", " : "", type->fields[i].name);
        frz_value_print(type->fields[i].type, &value->items.data[i], out);
    }
    frz_buffer_append_byte(out, '}');
}

static void print_list(const frz_type *type, const frz_value *value, frz_buffer *out)
{
    const bool map = type->kind == FRZ_TYPE_MAP;
    frz_buffer_append_byte(out, map ? '{' : '[');
    for (size_t i = 0; i < value->items.count; i++) {
        const bool second = map && i % 2 == 1;
        if (i)
            frz_buffer_append_text(out, second ? ": " : ", ");
        frz_value_print(type->fields[second].type, &value->items.data[i], out);
    }
    frz_buffer_append_byte(out, map ? '}' : ']');
}

void frz_value_print(const frz_type *type, const frz_value *value, frz_buffer *out)
{
    char text[FRZ_DECIMAL_TEXT_SIZE];
    _Static_assert((int)FRZ_DECIMAL_TEXT_SIZE >= (int)FRZ_NUMBER_TEXT_SIZE, "room for a number");
    switch (value->form) {
    case FRZ_VALUE_NULL:
        frz_buffer_append_text(out, "null");
        break;
    case FRZ_VALUE_BOOLEAN:
        frz_buffer_append_text(out, value->boolean ? "true" : "false");
        break;
    case FRZ_VALUE_INTEGER:
        print_integer(type, value->integer, out);
        break;
    case FRZ_VALUE_NUMBER:
        frz_buffer_append(out, text,
                          type->kind == FRZ_TYPE_FLOAT
                              ? frz_number_print_f32((float)value->number, text)
                              : frz_number_print_f64(value->number, text));
        break;
    case FRZ_VALUE_DECIMAL:
        frz_buffer_append(out, text, frz_decimal_print(value->decimal, type->scale, text));
        break;
    case FRZ_VALUE_BYTES:
        print_bytes(type, value->bytes, out);
        break;
    case FRZ_VALUE_STRUCT:
        print_struct(type, value, out);
        break;
    case FRZ_VALUE_LIST:
        print_list(type, value, out);
        break;
    }
}
