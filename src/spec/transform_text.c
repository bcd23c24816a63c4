/*
 * Partition values as Java prints them (Transform.toHumanString): the names of partition folders,
 * which other engines and people compare, so that the text must be the same to the letter.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/calendar.h"
#include "base/number.h"
#include "spec/transform.h"

enum {
    EPOCH_YEAR = 1970,
    SECONDS_PER_DAY = 86400,
    NANOS_PER_SECOND = 1000000000,
    /* BigDecimal.toString changes to scientific notation below this power of ten. */
    DECIMAL_EXPONENT_MIN = -6
};

/* Java's %04d and %02d, which count a sign as a digit. */
static void print_day(int64_t days, frz_buffer *out)
{
    int64_t year = 0;
    int month = 0;
    int day = 0;
    frz_calendar_civil(days, &year, &month, &day);
    frz_buffer_printf(out, "%04lld-%02d-%02d", (long long)year, month, day);
}

static void print_ordinal(frz_transform_kind kind, int64_t ordinal, frz_buffer *out)
{
    if (kind == FRZ_TRANSFORM_YEAR) {
        frz_buffer_printf(out, "%04lld", (long long)EPOCH_YEAR + ordinal);
    } else if (kind == FRZ_TRANSFORM_MONTH) {
        frz_buffer_printf(out, "%04lld-%02lld", (long long)EPOCH_YEAR + frz_floor_div(ordinal, 12),
                          (long long)1 + frz_floor_mod(ordinal, 12));
    } else if (kind == FRZ_TRANSFORM_DAY) {
        print_day(ordinal, out);
    } else {
        print_day(frz_floor_div(ordinal, 24), out);
        frz_buffer_printf(out, "-%02lld", (long long)frz_floor_mod(ordinal, 24));
    }
}

/* LocalTime.toString leaves out seconds that are zero and prints a fraction in groups of three
 * digits. */
static void print_time(int64_t micros, frz_buffer *out)
{
    const int64_t seconds = frz_floor_div(micros, 1000000);
    const int fraction = (int)frz_floor_mod(micros, 1000000);
    frz_buffer_printf(out, "%02d:%02d", (int)(seconds / 3600), (int)(seconds / 60 % 60));
    if (seconds % 60 == 0 && fraction == 0)
        return;
    frz_buffer_printf(out, ":%02d", (int)(seconds % 60));
    if (fraction % 1000 != 0)
        frz_buffer_printf(out, ".%06d", fraction);
    else if (fraction != 0)
        frz_buffer_printf(out, ".%03d", fraction / 1000);
}

/* ISO_LOCAL_DATE_TIME: as many digits of a second as are not zero at the end, none if all are. */
static void print_timestamp(frz_type_kind kind, int64_t value, frz_buffer *out)
{
    const bool nanos = kind == FRZ_TYPE_TIMESTAMP_NS || kind == FRZ_TYPE_TIMESTAMPTZ_NS;
    const int64_t unit = nanos ? NANOS_PER_SECOND : 1000000;
    const int64_t seconds = frz_floor_div(value, unit);
    const int of_day = (int)frz_floor_mod(seconds, SECONDS_PER_DAY);
    int fraction = (int)frz_floor_mod(value, unit) * (nanos ? 1 : 1000);
    char date[FRZ_CALENDAR_TEXT_SIZE];

    frz_buffer_append(out, date,
                      frz_calendar_print_date(frz_floor_div(seconds, SECONDS_PER_DAY), date));
    frz_buffer_printf(out, "T%02d:%02d:%02d", of_day / 3600, of_day / 60 % 60, of_day % 60);
    if (fraction != 0) {
        int digits = 9;
        for (; fraction % 10 == 0; fraction /= 10)
            digits--;
        frz_buffer_printf(out, ".%0*d", digits, fraction);
    }
    if (kind == FRZ_TYPE_TIMESTAMPTZ || kind == FRZ_TYPE_TIMESTAMPTZ_NS)
        frz_buffer_append_text(out, "+00:00");
}

/* The digits of a shortest number and the power of ten of the first of them. */
static size_t take_digits(const char *text, char digits[FRZ_NUMBER_TEXT_SIZE], int *exponent_out)
{
    size_t count = 0;
    int exponent = -1;
    bool point = false;
    bool started = false;
    for (; *text && *text != 'e'; text++) {
        if (*text == '.') {
            point = true;
            continue;
        }
        started |= *text != '0';
        if (started)
            digits[count++] = *text;
        exponent += started && !point;
        exponent -= !started && point;
    }
    while (count > 1 && digits[count - 1] == '0')
        count--;
    *exponent_out = exponent + (*text == 'e' ? (int)strtol(text + 1, NULL, 10) : 0);
    return count;
}

/* Float.toString and Double.toString: plain from 1e-3 to below 1e7, else d.dddE[-]n. */
static void print_floating(bool is_float, double value, frz_buffer *out)
{
    char text[FRZ_NUMBER_TEXT_SIZE];
    char digits[FRZ_NUMBER_TEXT_SIZE] = {0};
    int exponent = 0;
    const double size = fabs(value);
    const size_t text_size =
        is_float ? frz_number_print_f32((float)size, text) : frz_number_print_f64(size, text);
    if (signbit(value) && !isnan(value))
        frz_buffer_append_byte(out, '-');
    if (!isfinite(value) || size == 0) {
        frz_buffer_append(out, text, text_size);
        return;
    }
    const int count = (int)take_digits(text, digits, &exponent);
    if (exponent < -3 || exponent >= 7) {
        frz_buffer_printf(out, "%c.%.*sE%d", digits[0], count > 1 ? count - 1 : 1,
                          count > 1 ? digits + 1 : "0", exponent);
    } else if (exponent < 0) {
        frz_buffer_append_text(out, "0.");
        frz_buffer_append_fill(out, '0', (size_t)(-exponent - 1));
        frz_buffer_append(out, digits, (size_t)count);
    } else {
        const int whole = exponent + 1;
        frz_buffer_append(out, digits, (size_t)(count < whole ? count : whole));
        frz_buffer_append_fill(out, '0', (size_t)(count < whole ? whole - count : 0));
        frz_buffer_append_byte(out, '.');
        if (count > whole)
            frz_buffer_append(out, digits + whole, (size_t)(count - whole));
        else
            frz_buffer_append_byte(out, '0');
    }
}

/* BigDecimal.toString. */
static void print_decimal(frz_int128 unscaled, int scale, frz_buffer *out)
{
    char text[FRZ_DECIMAL_TEXT_SIZE];
    size_t size = frz_decimal_print(unscaled, 0, text);
    const bool negative = text[0] == '-';
    const char *digits = text + negative;
    size -= negative;
    const int exponent = (int)size - 1 - scale;
    if (exponent >= DECIMAL_EXPONENT_MIN || scale == 0) {
        size = frz_decimal_print(unscaled, scale, text);
        frz_buffer_append(out, text, size);
        return;
    }
    frz_buffer_printf(out, "%s%c", negative ? "-" : "", digits[0]);
    if (size > 1)
        frz_buffer_printf(out, ".%.*s", (int)size - 1, digits + 1);
    frz_buffer_printf(out, "E%d", exponent);
}

static void print_base64(frz_slice bytes, frz_buffer *out)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < bytes.size; i += 3) {
        const size_t left = bytes.size - i;
        const uint32_t group = (uint32_t)bytes.data[i] << 16 |
                               (left > 1 ? (uint32_t)bytes.data[i + 1] << 8 : 0) |
                               (left > 2 ? (uint32_t)bytes.data[i + 2] : 0);
        const uint8_t text[4] = {(uint8_t)letters[group >> 18], (uint8_t)letters[group >> 12 & 63],
                                 (uint8_t)(left > 1 ? letters[group >> 6 & 63] : '='),
                                 (uint8_t)(left > 2 ? letters[group & 63] : '=')};
        frz_buffer_append(out, text, sizeof text);
    }
}

static void print_by_type(const frz_type *type, const frz_value *value, frz_buffer *out)
{
    if (type->kind == FRZ_TYPE_DATE)
        print_day(value->integer, out);
    else if (type->kind == FRZ_TYPE_TIME)
        print_time(value->integer, out);
    else if (type->kind >= FRZ_TYPE_TIMESTAMP && type->kind <= FRZ_TYPE_TIMESTAMPTZ_NS)
        print_timestamp(type->kind, value->integer, out);
    else if (value->form == FRZ_VALUE_NUMBER)
        print_floating(type->kind == FRZ_TYPE_FLOAT, value->number, out);
    else if (value->form == FRZ_VALUE_DECIMAL)
        print_decimal(value->decimal, type->scale, out);
    else if (type->kind == FRZ_TYPE_FIXED || type->kind == FRZ_TYPE_BINARY)
        print_base64(value->bytes, out);
    else
        frz_value_print(type, value, out);
}

void frz_transform_print(const frz_transform *transform, const frz_type *result_type,
                         const frz_value *value, frz_buffer *out)
{
    const bool is_integer = value->form == FRZ_VALUE_INTEGER;
    if (value->form == FRZ_VALUE_NULL || transform->kind == FRZ_TRANSFORM_VOID)
        frz_buffer_append_text(out, "null");
    else if (is_integer && transform->kind >= FRZ_TRANSFORM_YEAR &&
             transform->kind <= FRZ_TRANSFORM_HOUR)
        print_ordinal(transform->kind, value->integer, out);
    else if (frz_value_fits(result_type, value))
        print_by_type(result_type, value, out);
    else /* a value of an unknown transform, whose type the specification does not tell */
        frz_value_print(is_integer ? frz_type_of(FRZ_TYPE_LONG) : frz_type_of(FRZ_TYPE_BINARY),
                        value, out);
}
