#include "spec/transform.h"

#include <assert.h>
#include <string.h>

#include "base/calendar.h"
#include "base/fail.h"
#include "base/number.h"

static const int64_t micros_per_hour = INT64_C(3600000000);
static const int64_t nanos_per_hour = INT64_C(3600000000000);

/* Appendix C; those with a parameter are written with it in brackets. */
static const char *const words[] = {
    [FRZ_TRANSFORM_IDENTITY] = "identity", [FRZ_TRANSFORM_BUCKET] = "bucket",
    [FRZ_TRANSFORM_TRUNCATE] = "truncate", [FRZ_TRANSFORM_YEAR] = "year",
    [FRZ_TRANSFORM_MONTH] = "month",       [FRZ_TRANSFORM_DAY] = "day",
    [FRZ_TRANSFORM_HOUR] = "hour",         [FRZ_TRANSFORM_VOID] = "void",
};

static bool takes_parameter(frz_transform_kind kind)
{
    return kind == FRZ_TRANSFORM_BUCKET || kind == FRZ_TRANSFORM_TRUNCATE;
}

/* As Java, of any case. */
static bool is_word(frz_slice text, const char *word)
{
    if (text.size != strlen(word))
        return false;
    for (size_t i = 0; i < text.size; i++) {
        const uint8_t c = text.data[i];
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != word[i])
            return false;
    }
    return true;
}

frz_transform_kind frz_transform_find_kind(frz_slice word)
{
    size_t kind = 0;
    while (kind < FRZ_TRANSFORM_UNKNOWN && !is_word(word, words[kind]))
        kind++;
    return (frz_transform_kind)kind;
}

static bool is_digits(frz_slice text)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
    return text.size > 0;
}

/* "bucket[16]" is split before the bracket; what has no digits in brackets is no such transform. */
static bool split_parameter(frz_slice text, frz_slice *word, frz_slice *digits)
{
    const uint8_t *bracket = text.size ? memchr(text.data, '[', text.size) : NULL;
    if (!bracket || text.data[text.size - 1] != ']')
        return false;
    const size_t at = (size_t)(bracket - text.data);
    *word = frz_slice_of(text.data, at);
    *digits = frz_slice_of(bracket + 1, text.size - at - 2);
    return is_digits(*digits);
}

frz_status frz_transform_parse(frz_slice text, frz_arena *arena, frz_transform *out,
                               frz_error **err)
{
    frz_transform transform = {.kind = frz_transform_find_kind(text)};
    frz_slice word = {0};
    frz_slice digits = {0};
    if (takes_parameter(transform.kind))
        transform.kind = FRZ_TRANSFORM_UNKNOWN;
    if (split_parameter(text, &word, &digits) && takes_parameter(frz_transform_find_kind(word))) {
        int64_t parameter = 0;
        if (!frz_number_parse_i64((const char *)digits.data, digits.size, &parameter) ||
            parameter < 1 || parameter > INT32_MAX)
            return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                            "transform \"%.*s\": expected a parameter from 1 to 2147483647",
                            (int)(text.size > 80 ? 80 : text.size), (const char *)text.data);
        transform.kind = frz_transform_find_kind(word);
        transform.parameter = (int32_t)parameter;
    }
    transform.text = frz_arena_text_n(arena, text.data, text.size);
    if (!transform.text)
        return frz_fail_memory(err);
    *out = transform;
    return FRZ_OK;
}

frz_status frz_transform_make(frz_transform_kind kind, int32_t parameter, frz_arena *arena,
                              frz_transform *out, frz_error **err)
{
    assert(kind != FRZ_TRANSFORM_UNKNOWN);
    const char *text = takes_parameter(kind)
                           ? frz_arena_printf(arena, "%s[%d]", words[kind], parameter)
                           : words[kind];
    if (!text)
        return frz_fail_memory(err);
    *out = (frz_transform){kind, takes_parameter(kind) ? parameter : 0, text};
    return FRZ_OK;
}

bool frz_transform_equal(const frz_transform *a, const frz_transform *b)
{
    if (a->kind != b->kind || a->parameter != b->parameter)
        return false;
    return a->kind != FRZ_TRANSFORM_UNKNOWN || strcmp(a->text, b->text) == 0;
}

static bool is_timestamp(frz_type_kind kind)
{
    return kind == FRZ_TYPE_TIMESTAMP || kind == FRZ_TYPE_TIMESTAMPTZ ||
           kind == FRZ_TYPE_TIMESTAMP_NS || kind == FRZ_TYPE_TIMESTAMPTZ_NS;
}

static bool can_bucket(frz_type_kind kind)
{
    return kind == FRZ_TYPE_INT || kind == FRZ_TYPE_LONG || kind == FRZ_TYPE_DECIMAL ||
           kind == FRZ_TYPE_DATE || kind == FRZ_TYPE_TIME || is_timestamp(kind) ||
           kind == FRZ_TYPE_STRING || kind == FRZ_TYPE_UUID || kind == FRZ_TYPE_FIXED ||
           kind == FRZ_TYPE_BINARY;
}

bool frz_transform_accepts(const frz_transform *transform, const frz_type *source)
{
    const frz_type_kind kind = source->kind;
    switch (transform->kind) {
    case FRZ_TRANSFORM_IDENTITY:
        return frz_type_is_primitive(source) && kind != FRZ_TYPE_GEOMETRY &&
               kind != FRZ_TYPE_GEOGRAPHY;
    case FRZ_TRANSFORM_BUCKET:
        return can_bucket(kind);
    case FRZ_TRANSFORM_TRUNCATE:
        return kind == FRZ_TYPE_INT || kind == FRZ_TYPE_LONG || kind == FRZ_TYPE_DECIMAL ||
               kind == FRZ_TYPE_STRING || kind == FRZ_TYPE_BINARY;
    case FRZ_TRANSFORM_YEAR:
    case FRZ_TRANSFORM_MONTH:
    case FRZ_TRANSFORM_DAY:
        return kind == FRZ_TYPE_DATE || is_timestamp(kind);
    case FRZ_TRANSFORM_HOUR:
        return is_timestamp(kind);
    case FRZ_TRANSFORM_VOID:
    case FRZ_TRANSFORM_UNKNOWN:
        return true;
    }
    return false;
}

const frz_type *frz_transform_result_type(const frz_transform *transform, const frz_type *source)
{
    switch (transform->kind) {
    case FRZ_TRANSFORM_BUCKET:
    case FRZ_TRANSFORM_YEAR:
    case FRZ_TRANSFORM_MONTH:
    case FRZ_TRANSFORM_HOUR:
        return frz_type_of(FRZ_TYPE_INT);
    case FRZ_TRANSFORM_DAY:
        return frz_type_of(FRZ_TYPE_DATE);
    case FRZ_TRANSFORM_UNKNOWN:
        return frz_type_of(FRZ_TYPE_STRING);
    case FRZ_TRANSFORM_IDENTITY:
    case FRZ_TRANSFORM_TRUNCATE:
    case FRZ_TRANSFORM_VOID:
        break;
    }
    return source;
}

/* The first bytes of `text` that hold at most `most` code points: all that do not continue one
 * count. */
static frz_slice first_code_points(frz_slice text, int32_t most)
{
    int32_t count = 0;
    size_t at = 0;
    while (at < text.size) {
        if ((text.data[at] & 0xC0) != 0x80 && count++ == most)
            break;
        at++;
    }
    return frz_slice_of(text.data, at);
}

static frz_status out_of_range(const frz_transform *transform, const frz_type *source,
                               frz_error **err)
{
    return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                    "transform %s: the result of a %s value is out of range", transform->text,
                    frz_type_word(source->kind));
}

static frz_status truncate(const frz_transform *transform, const frz_type *source,
                           const frz_value *value, frz_value *out, frz_error **err)
{
    const int32_t width = transform->parameter;
    *out = *value;
    if (source->kind == FRZ_TYPE_STRING) {
        out->bytes = first_code_points(value->bytes, width);
    } else if (source->kind == FRZ_TYPE_BINARY) {
        if (value->bytes.size > (size_t)width)
            out->bytes.size = (size_t)width;
    } else if (source->kind == FRZ_TYPE_DECIMAL) {
        const frz_int128 rest = value->decimal % width;
        out->decimal -= rest < 0 ? rest + width : rest;
        if (!frz_decimal_fits(out->decimal, source->precision))
            return out_of_range(transform, source, err);
    } else {
        const int64_t rest = frz_floor_mod(value->integer, width);
        if (__builtin_sub_overflow(value->integer, rest, &out->integer) ||
            (source->kind == FRZ_TYPE_INT && out->integer < INT32_MIN))
            return out_of_range(transform, source, err);
    }
    return FRZ_OK;
}

static int64_t days_of(const frz_type *source, int64_t value)
{
    if (source->kind == FRZ_TYPE_DATE)
        return value;
    const bool nanos =
        source->kind == FRZ_TYPE_TIMESTAMP_NS || source->kind == FRZ_TYPE_TIMESTAMPTZ_NS;
    return frz_floor_div(value, 24 * (nanos ? nanos_per_hour : micros_per_hour));
}

static int64_t hours_of(const frz_type *source, int64_t value)
{
    const bool nanos =
        source->kind == FRZ_TYPE_TIMESTAMP_NS || source->kind == FRZ_TYPE_TIMESTAMPTZ_NS;
    return frz_floor_div(value, nanos ? nanos_per_hour : micros_per_hour);
}

static int64_t calendar_part(frz_transform_kind kind, const frz_type *source, int64_t value)
{
    int64_t year = 0;
    int month = 0;
    int day = 0;
    if (kind == FRZ_TRANSFORM_HOUR)
        return hours_of(source, value);
    const int64_t days = days_of(source, value);
    if (kind == FRZ_TRANSFORM_DAY)
        return days;
    frz_calendar_civil(days, &year, &month, &day);
    return kind == FRZ_TRANSFORM_YEAR ? year - 1970 : (year - 1970) * 12 + month - 1;
}

frz_status frz_transform_apply(const frz_transform *transform, const frz_type *source,
                               const frz_value *value, frz_arena *arena, frz_value *out,
                               frz_error **err)
{
    (void)arena; /* every result so far is a part of its source */
    frz_value result = {.form = FRZ_VALUE_INTEGER};
    if (transform->kind == FRZ_TRANSFORM_UNKNOWN)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "transform \"%.80s\" is not known",
                        transform->text);
    if (value->form == FRZ_VALUE_NULL || transform->kind == FRZ_TRANSFORM_VOID) {
        *out = (frz_value){.form = FRZ_VALUE_NULL};
        return FRZ_OK;
    }
    assert(frz_transform_accepts(transform, source) && frz_value_fits(source, value));
    if (transform->kind == FRZ_TRANSFORM_IDENTITY) {
        result = *value;
    } else if (transform->kind == FRZ_TRANSFORM_TRUNCATE) {
        FRZ_TRY(truncate(transform, source, value, &result, err));
    } else if (transform->kind == FRZ_TRANSFORM_BUCKET) {
        result.integer = (frz_value_hash(source, value) & INT32_MAX) % transform->parameter;
    } else {
        result.integer = calendar_part(transform->kind, source, value->integer);
        if (result.integer < INT32_MIN || result.integer > INT32_MAX)
            return out_of_range(transform, source, err);
    }
    *out = result;
    return FRZ_OK;
}

bool frz_transform_preserves_order(const frz_transform *transform)
{
    switch (transform->kind) {
    case FRZ_TRANSFORM_IDENTITY:
    case FRZ_TRANSFORM_TRUNCATE:
    case FRZ_TRANSFORM_YEAR:
    case FRZ_TRANSFORM_MONTH:
    case FRZ_TRANSFORM_DAY:
    case FRZ_TRANSFORM_HOUR:
        return true;
    case FRZ_TRANSFORM_BUCKET:
    case FRZ_TRANSFORM_VOID:
    case FRZ_TRANSFORM_UNKNOWN:
        break;
    }
    return false;
}
