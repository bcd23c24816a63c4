#include "expr/cast.h"

#include <math.h>

#include "base/calendar.h"
#include "base/fail.h"
#include "base/number.h"

static const int64_t micros_per_day = INT64_C(86400000000);
static const int64_t nanos_per_day = INT64_C(86400000000000);

static bool is_integer(const frz_type *type)
{
    return type->kind == FRZ_TYPE_INT || type->kind == FRZ_TYPE_LONG;
}

static bool is_floating(const frz_type *type)
{
    return type->kind == FRZ_TYPE_FLOAT || type->kind == FRZ_TYPE_DOUBLE;
}

static bool is_number(const frz_type *type)
{
    return is_integer(type) || is_floating(type) || type->kind == FRZ_TYPE_DECIMAL;
}

/* Units of a day; 0 for types that are no point in time. */
static int64_t units_per_day(const frz_type *type)
{
    switch (type->kind) {
    case FRZ_TYPE_DATE:
        return 1;
    case FRZ_TYPE_TIMESTAMP:
    case FRZ_TYPE_TIMESTAMPTZ:
        return micros_per_day;
    case FRZ_TYPE_TIMESTAMP_NS:
    case FRZ_TYPE_TIMESTAMPTZ_NS:
        return nanos_per_day;
    case FRZ_TYPE_UNKNOWN:
    case FRZ_TYPE_BOOLEAN:
    case FRZ_TYPE_INT:
    case FRZ_TYPE_LONG:
    case FRZ_TYPE_FLOAT:
    case FRZ_TYPE_DOUBLE:
    case FRZ_TYPE_DECIMAL:
    case FRZ_TYPE_TIME:
    case FRZ_TYPE_STRING:
    case FRZ_TYPE_UUID:
    case FRZ_TYPE_FIXED:
    case FRZ_TYPE_BINARY:
    case FRZ_TYPE_VARIANT:
    case FRZ_TYPE_GEOMETRY:
    case FRZ_TYPE_GEOGRAPHY:
    case FRZ_TYPE_STRUCT:
    case FRZ_TYPE_LIST:
    case FRZ_TYPE_MAP:
        break;
    }
    return 0;
}

static bool is_bytes(const frz_type *type)
{
    return type->kind == FRZ_TYPE_BINARY || type->kind == FRZ_TYPE_FIXED;
}

/* Types whose values have the same meaning and another name: a decimal of other digits, a fixed of
 * other length, numbers. */
static bool exact_exists(const frz_type *from, const frz_type *to)
{
    if (is_integer(from))
        return is_number(to);
    if (from->kind == FRZ_TYPE_DECIMAL)
        return to->kind == FRZ_TYPE_DECIMAL || is_floating(to);
    if (is_floating(from))
        return is_floating(to);
    if (is_bytes(from) && is_bytes(to))
        return true;
    return from->kind == to->kind || frz_type_promotes(from, to, 3);
}

bool frz_cast_exists(const frz_type *from, const frz_type *to, bool exact)
{
    if (!frz_type_is_primitive(from) || !frz_type_is_primitive(to))
        return frz_type_equal(from, to);
    if (from->kind == FRZ_TYPE_UNKNOWN || exact_exists(from, to))
        return true;
    if (exact)
        return false;
    if (from->kind == FRZ_TYPE_STRING || to->kind == FRZ_TYPE_STRING)
        return from->kind != FRZ_TYPE_GEOMETRY && from->kind != FRZ_TYPE_GEOGRAPHY &&
               to->kind != FRZ_TYPE_GEOMETRY && to->kind != FRZ_TYPE_GEOGRAPHY;
    if (is_number(from) && is_number(to))
        return true;
    return units_per_day(from) > 0 && units_per_day(to) > 0;
}

static frz_status fail_value(const frz_type *from, const frz_type *to, const frz_value *value,
                             const char *why, frz_error **err)
{
    frz_buffer text = {0};
    frz_value_print(from, value, &text);
    frz_buffer_append_text(&text, " ");
    frz_buffer_append_text(&text, why);
    frz_buffer_append_text(&text, " ");
    frz_type_print(to, &text);
    const frz_status status = text.failed ? frz_fail_memory(err)
                                          : frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "%.*s",
                                                     (int)text.size, (const char *)text.data);
    frz_buffer_clear(&text);
    return status;
}

/* What a number is on its way: an integer of 128 bits with a scale, or a double. */
static bool to_integer(const frz_type *to, frz_int128 whole, frz_value *out)
{
    const frz_int128 low = to->kind == FRZ_TYPE_INT ? INT32_MIN : INT64_MIN;
    const frz_int128 high = to->kind == FRZ_TYPE_INT ? INT32_MAX : INT64_MAX;
    *out = (frz_value){.form = FRZ_VALUE_INTEGER, .integer = (int64_t)whole};
    return whole >= low && whole <= high;
}

static double decimal_number(frz_int128 unscaled, int scale)
{
    char text[FRZ_DECIMAL_TEXT_SIZE];
    double number = 0;
    const size_t size = frz_decimal_print(unscaled, scale, text);
    (void)frz_number_parse_f64(text, size, &number);
    return number;
}

/* Drops digits behind the point: half up, away from zero. */
static frz_int128 round_down_scale(frz_int128 unscaled, int digits)
{
    if (digits > FRZ_DECIMAL_PRECISION_MAX)
        return 0;
    const frz_int128 power = frz_decimal_power(digits);
    const frz_int128 rest = unscaled % power;
    const frz_int128 whole = unscaled / power;
    const frz_int128 size = rest < 0 ? -rest : rest;
    if (size < power - size)
        return whole;
    return unscaled < 0 ? whole - 1 : whole + 1;
}

static bool decimal_to_decimal(const frz_type *to, frz_int128 unscaled, int scale, bool exact,
                               frz_value *out)
{
    frz_int128 made = 0;
    if (scale > to->scale && !exact)
        made = round_down_scale(unscaled, scale - to->scale);
    else if (!frz_decimal_rescale(unscaled, scale, to->scale, &made))
        return false;
    *out = (frz_value){.form = FRZ_VALUE_DECIMAL, .decimal = made};
    return frz_decimal_fits(made, to->precision);
}

static bool number_to_float(const frz_type *to, double number, frz_value *out)
{
    if (to->kind == FRZ_TYPE_FLOAT) {
        const double rounded = (double)(float)number;
        if (isinf(rounded) && !isinf(number))
            return false;
        number = rounded;
    }
    *out = (frz_value){.form = FRZ_VALUE_NUMBER, .number = number};
    return true;
}

static bool double_to_decimal(const frz_type *to, double number, frz_value *out)
{
    char text[FRZ_NUMBER_TEXT_SIZE];
    frz_int128 unscaled = 0;
    int scale = 0;
    const size_t size = frz_number_print_f64(number, text);
    return isfinite(number) && frz_decimal_parse(text, size, &unscaled, &scale) &&
           decimal_to_decimal(to, unscaled, scale, false, out);
}

static bool from_floating(const frz_type *to, double number, frz_value *out)
{
    static const double beyond_i64 = 9223372036854775808.0;
    if (is_floating(to))
        return number_to_float(to, number, out);
    if (to->kind == FRZ_TYPE_DECIMAL)
        return double_to_decimal(to, number, out);
    const double whole = trunc(number);
    return whole >= -beyond_i64 && whole < beyond_i64 && to_integer(to, (int64_t)whole, out);
}

static bool cast_number(const frz_type *from, const frz_type *to, bool exact,
                        const frz_value *value, frz_value *out)
{
    if (is_floating(from))
        return from_floating(to, value->number, out);
    const bool decimal = from->kind == FRZ_TYPE_DECIMAL;
    const frz_int128 unscaled = decimal ? value->decimal : value->integer;
    const int scale = decimal ? from->scale : 0;
    if (is_floating(to))
        return number_to_float(
            to, decimal ? decimal_number(unscaled, scale) : (double)value->integer, out);
    if (to->kind == FRZ_TYPE_DECIMAL)
        return decimal_to_decimal(to, unscaled, scale, exact, out);
    return to_integer(to, decimal ? round_down_scale(unscaled, scale) : unscaled, out);
}

static bool cast_time(const frz_type *from, const frz_type *to, int64_t point, frz_value *out)
{
    const int64_t have = units_per_day(from);
    const int64_t want = units_per_day(to);
    int64_t made = 0;
    if (have == 0 || want == 0)
        return false;
    if (have > want)
        made = frz_floor_div(point, have / want);
    else if (__builtin_mul_overflow(point, want / have, &made))
        return false;
    *out = (frz_value){.form = FRZ_VALUE_INTEGER, .integer = made};
    return to->kind != FRZ_TYPE_DATE || (made >= INT32_MIN && made <= INT32_MAX);
}

static frz_status to_text(const frz_type *from, const frz_value *value, frz_arena *arena,
                          frz_value *out, frz_error **err)
{
    frz_buffer text = {0};
    frz_slice copy = {0};
    frz_value_print(from, value, &text);
    const bool kept = !text.failed && frz_arena_slice(arena, frz_buffer_slice(&text), &copy);
    frz_buffer_clear(&text);
    if (!kept)
        return frz_fail_memory(err);
    *out = (frz_value){.form = FRZ_VALUE_BYTES, .bytes = copy};
    return FRZ_OK;
}

static bool cast_bytes(const frz_type *to, const frz_value *value, frz_value *out)
{
    *out = *value;
    return to->kind != FRZ_TYPE_FIXED || value->bytes.size == (size_t)to->length;
}

frz_status frz_cast(const frz_type *from, const frz_type *to, bool exact, const frz_value *value,
                    frz_arena *arena, frz_value *out, frz_error **err)
{
    bool fits = true;
    if (value->form == FRZ_VALUE_NULL || !frz_type_is_primitive(from)) {
        *out = *value;
        return FRZ_OK;
    }
    if (to->kind == FRZ_TYPE_STRING && from->kind != FRZ_TYPE_STRING)
        return to_text(from, value, arena, out, err);
    if (from->kind == FRZ_TYPE_STRING && to->kind != FRZ_TYPE_STRING)
        return frz_value_parse(to, value->bytes, arena, out, err);
    if (is_number(from))
        fits = cast_number(from, to, exact, value, out);
    else if (units_per_day(from) > 0 && from->kind != to->kind)
        fits = cast_time(from, to, value->integer, out);
    else if (is_bytes(from))
        fits = cast_bytes(to, value, out);
    else
        *out = *value;
    if (fits)
        return FRZ_OK;
    if (exact && is_number(from) && cast_number(from, to, false, value, out))
        return fail_value(from, to, value,
                          "has more digits behind the point (cast rounds them off) than", err);
    return fail_value(from, to, value, "does not fit", err);
}
