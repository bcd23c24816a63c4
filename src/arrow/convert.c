#include "arrow/convert.h"

#include <assert.h>
#include <string.h>

#include "arrow/array.h"
#include "base/calendar.h"
#include "base/decimal.h"
#include "base/fail.h"

enum { DAY_MS = 86400000 };

float frz_arrow_half_to_float(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t exponent = half >> 10 & 0x1f;
    uint32_t fraction = half & 0x3ff;
    uint32_t bits;
    if (exponent == 0x1f) {
        bits = sign | 0x7f800000u | fraction << 13;
    } else if (exponent == 0 && fraction == 0) {
        bits = sign;
    } else {
        if (exponent == 0) { /* subnormal: shift until the leading bit is implied */
            const uint32_t shift = (uint32_t)__builtin_clz(fraction) - 21;
            fraction = fraction << shift & 0x3ff;
            exponent = 1 - shift;
        }
        bits = sign | (exponent + 112) << 23 | fraction << 13;
    }
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static frz_status refuse(const frz_arrow_type *from, int64_t row, const char *why, frz_error **err)
{
    return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "row %lld: %s value %s", (long long)row,
                    frz_arrow_kind_name(from->kind), why);
}

static bool is_valid(const struct ArrowArray *array, int64_t place)
{
    const uint8_t *valid = array->null_count == 0 ? NULL : array->buffers[0];
    return !valid || frz_bit_get(valid, place);
}

/* Pairs that hold every value: one loop each. The first two arguments are types, and an int8_t is a
 * number here: NOLINTBEGIN(bugprone-macro-parentheses,bugprone-signed-char-misuse,cert-str34-c) */
#define WIDEN(from_type, to_type, expression)                                       \
    do {                                                                            \
        const uint8_t *from_ =                                                      \
            (const uint8_t *)array->buffers[1] + (size_t)start * sizeof(from_type); \
        to_type *to_ = (to_type *)(void *)to;                                       \
        for (int64_t i = 0; i < length; i++) {                                      \
            from_type value;                                                        \
            memcpy(&value, from_ + (size_t)i * sizeof value, sizeof value);         \
            to_[i] = (expression);                                                  \
        }                                                                           \
    } while (0)

static bool widen_integers(const frz_arrow_type *from, const struct ArrowArray *array,
                           int64_t start, int64_t length, uint8_t *to)
{
    if (from->kind == FRZ_ARROW_INT8)
        WIDEN(int8_t, int32_t, value);
    else if (from->kind == FRZ_ARROW_UINT8)
        WIDEN(uint8_t, int32_t, value);
    else if (from->kind == FRZ_ARROW_INT16)
        WIDEN(int16_t, int32_t, value);
    else if (from->kind == FRZ_ARROW_UINT16)
        WIDEN(uint16_t, int32_t, value);
    else if (from->kind == FRZ_ARROW_UINT32)
        WIDEN(uint32_t, int64_t, value);
    else
        return false;
    return true;
}

static bool widen(const frz_arrow_type *from, const struct ArrowArray *array, int64_t start,
                  int64_t length, uint8_t *to)
{
    if (from->kind == FRZ_ARROW_HALF)
        WIDEN(uint16_t, float, frz_arrow_half_to_float(value));
    else if (from->kind == FRZ_ARROW_TIME32 && from->unit == 's')
        WIDEN(int32_t, int64_t, value * INT64_C(1000000));
    else if (from->kind == FRZ_ARROW_TIME32)
        WIDEN(int32_t, int64_t, value * INT64_C(1000));
    else if (from->kind == FRZ_ARROW_DECIMAL_OTHER && from->width == 32)
        WIDEN(int32_t, frz_int128, value);
    else if (from->kind == FRZ_ARROW_DECIMAL_OTHER && from->width == 64)
        WIDEN(int64_t, frz_int128, value);
    else
        return widen_integers(from, array, start, length, to);
    return true;
}
/* NOLINTEND(bugprone-macro-parentheses,bugprone-signed-char-misuse,cert-str34-c) */

/* Why an int64 value has no place in the plain type; NULL when it has, and *out is set. */
static const char *narrow(const frz_arrow_type *from, int64_t value, int64_t *out)
{
    if (from->kind == FRZ_ARROW_UINT64) {
        *out = value; /* the sign bit is the one that does not fit */
        return value < 0 ? "is above 2^63-1" : NULL;
    }
    if (from->kind == FRZ_ARROW_DATE64) {
        *out = frz_floor_div(value, DAY_MS);
        return *out < INT32_MIN || *out > INT32_MAX ? "is outside of the days of a date" : NULL;
    }
    if (from->kind == FRZ_ARROW_TIME64) {
        *out = value / 1000;
        return value % 1000 ? "has nanoseconds, which the type time cannot hold" : NULL;
    }
    assert(from->kind == FRZ_ARROW_TIMESTAMP);
    const bool fits = !__builtin_mul_overflow(value, from->unit == 's' ? 1000000 : 1000, out);
    return fits ? NULL : "is outside of the range of microseconds";
}

static frz_status convert_checked(const frz_arrow_type *from, const struct ArrowArray *array,
                                  int64_t start, int64_t length, uint8_t *to, frz_error **err)
{
    const size_t width = from->kind == FRZ_ARROW_DATE64 ? 4 : 8;
    const uint8_t *values = array->buffers[1];
    for (int64_t i = 0; i < length; i++, to += width) {
        int64_t value;
        int64_t plain = 0;
        memcpy(&value, values + (size_t)(start + i) * sizeof value, sizeof value);
        if (is_valid(array, start + i)) {
            const char *why = narrow(from, value, &plain);
            if (why)
                return refuse(from, start + i - array->offset, why, err);
        }
        const int32_t days = (int32_t)plain;
        memcpy(to, width == 4 ? (const void *)&days : (const void *)&plain, width);
    }
    return FRZ_OK;
}

/* decimal256 of at most 38 digits: the upper half must be the sign of the lower. */
static frz_status convert_decimal256(const frz_arrow_type *from, const struct ArrowArray *array,
                                     int64_t start, int64_t length, uint8_t *to, frz_error **err)
{
    const uint8_t *values = array->buffers[1];
    for (int64_t i = 0; i < length; i++) {
        frz_int128 halves[2];
        memcpy(halves, values + (size_t)(start + i) * sizeof halves, sizeof halves);
        if (is_valid(array, start + i) && halves[1] != (halves[0] < 0 ? -1 : 0))
            return refuse(from, start + i - array->offset, "has more than 38 digits", err);
        memcpy(to + (size_t)i * sizeof halves[0], &halves[0], sizeof halves[0]);
    }
    return FRZ_OK;
}

static size_t plain_width(const frz_arrow_type *from)
{
    if (from->kind == FRZ_ARROW_DECIMAL_OTHER)
        return 16;
    const bool narrow_type = from->kind == FRZ_ARROW_INT8 || from->kind == FRZ_ARROW_UINT8 ||
                             from->kind == FRZ_ARROW_INT16 || from->kind == FRZ_ARROW_UINT16 ||
                             from->kind == FRZ_ARROW_HALF || from->kind == FRZ_ARROW_DATE64;
    return narrow_type ? 4 : 8;
}

frz_status frz_arrow_convert(const frz_arrow_type *from, const struct ArrowArray *array,
                             int64_t start, int64_t length, frz_buffer *out, frz_error **err)
{
    uint8_t *to = frz_buffer_extend(out, (size_t)length * plain_width(from));
    if (!to)
        return frz_fail_memory(err);
    if (length == 0 || widen(from, array, start, length, to))
        return FRZ_OK;
    if (from->kind == FRZ_ARROW_DECIMAL_OTHER)
        return convert_decimal256(from, array, start, length, to, err);
    return convert_checked(from, array, start, length, to, err);
}
