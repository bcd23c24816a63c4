#include "base/decimal.h"

#include <assert.h>

frz_int128 frz_decimal_power(int exponent)
{
    static const int64_t low[] = {INT64_C(1),
                                  INT64_C(10),
                                  INT64_C(100),
                                  INT64_C(1000),
                                  INT64_C(10000),
                                  INT64_C(100000),
                                  INT64_C(1000000),
                                  INT64_C(10000000),
                                  INT64_C(100000000),
                                  INT64_C(1000000000),
                                  INT64_C(10000000000),
                                  INT64_C(100000000000),
                                  INT64_C(1000000000000),
                                  INT64_C(10000000000000),
                                  INT64_C(100000000000000),
                                  INT64_C(1000000000000000),
                                  INT64_C(10000000000000000),
                                  INT64_C(100000000000000000),
                                  INT64_C(1000000000000000000)};
    enum { LOW_MAX = 18 };
    assert(exponent >= 0 && exponent <= FRZ_DECIMAL_PRECISION_MAX);
    frz_int128 power = 1;
    for (; exponent > LOW_MAX; exponent -= LOW_MAX)
        power *= low[LOW_MAX];
    return power * low[exponent];
}

bool frz_decimal_fits(frz_int128 unscaled, int precision)
{
    if (precision < 1 || precision > FRZ_DECIMAL_PRECISION_MAX)
        return false;
    const frz_int128 bound = frz_decimal_power(precision);
    return unscaled < bound && unscaled > -bound;
}

/* A text that is being parsed; every step passes what it read. */
typedef struct scanner {
    const char *at;
    const char *end;
} scanner;

static bool take(scanner *text, char c)
{
    if (text->at == text->end || *text->at != c)
        return false;
    text->at++;
    return true;
}

static bool next_digit(scanner *text, int *digit_out)
{
    if (text->at == text->end || *text->at < '0' || *text->at > '9')
        return false;
    *digit_out = *text->at++ - '0';
    return true;
}

static bool take_sign(scanner *text)
{
    const bool negative = take(text, '-');
    if (!negative)
        (void)take(text, '+');
    return negative;
}

/* What the digits say so far: value * 10^zeros, zeros being those that ended the digits and were
 * not multiplied in yet, so that 1e38-sized runs of zeros can still be undone by an exponent. */
typedef struct digits {
    frz_int128 value;
    int64_t zeros;
    int64_t count;
} digits;

static bool scan_digits(scanner *text, digits *out)
{
    int digit = 0;
    while (next_digit(text, &digit)) {
        out->count++;
        if (digit == 0) {
            out->zeros++;
            continue;
        }
        if (out->value == 0)
            out->zeros = 0;
        for (; out->zeros >= 0; out->zeros--) {
            if (!frz_decimal_fits(out->value, FRZ_DECIMAL_PRECISION_MAX - 1))
                return false;
            out->value *= 10;
        }
        out->zeros = 0;
        out->value += digit;
    }
    return true;
}

static bool scan_exponent(scanner *text, int64_t *exponent_out)
{
    *exponent_out = 0;
    if (!take(text, 'e') && !take(text, 'E'))
        return true;
    const bool negative = take_sign(text);
    int digit = 0;
    if (!next_digit(text, &digit))
        return false;
    int64_t exponent = digit;
    while (next_digit(text, &digit)) {
        exponent = exponent * 10 + digit;
        if (exponent > 1000000)
            return false;
    }
    *exponent_out = negative ? -exponent : exponent;
    return true;
}

bool frz_decimal_parse(const char *text, size_t size, frz_int128 *unscaled_out, int *scale_out)
{
    scanner scan = {.at = text, .end = text ? text + size : NULL};
    const bool negative = take_sign(&scan);
    digits all = {0};
    if (!scan_digits(&scan, &all))
        return false;
    const int64_t whole_count = all.count;
    if (take(&scan, '.') && !scan_digits(&scan, &all))
        return false;
    int64_t exponent = 0;
    if (all.count == 0 || !scan_exponent(&scan, &exponent) || scan.at != scan.end)
        return false;

    /* Put the trailing zeros back as long as they fit; the rest lowers the scale. */
    int64_t scale = all.count - whole_count - exponent;
    for (; all.zeros > 0 && all.value != 0; all.zeros--) {
        if (!frz_decimal_fits(all.value, FRZ_DECIMAL_PRECISION_MAX - 1))
            break;
        all.value *= 10;
    }
    if (all.value != 0)
        scale -= all.zeros;
    if (scale > INT32_MAX || scale < INT32_MIN)
        return false;
    *unscaled_out = negative ? -all.value : all.value;
    *scale_out = (int)scale;
    return true;
}

bool frz_decimal_rescale(frz_int128 unscaled, int from_scale, int to_scale, frz_int128 *out)
{
    const int64_t shift = (int64_t)to_scale - from_scale;
    if (unscaled == 0) {
        *out = 0;
        return true;
    }
    if (shift > FRZ_DECIMAL_PRECISION_MAX || shift < -FRZ_DECIMAL_PRECISION_MAX)
        return false;
    if (shift >= 0) {
        frz_int128 product = 0;
        if (__builtin_mul_overflow(unscaled, frz_decimal_power((int)shift), &product) ||
            !frz_decimal_fits(product, FRZ_DECIMAL_PRECISION_MAX))
            return false;
        *out = product;
        return true;
    }
    const frz_int128 power = frz_decimal_power((int)-shift);
    if (unscaled % power != 0 || !frz_decimal_fits(unscaled / power, FRZ_DECIMAL_PRECISION_MAX))
        return false;
    *out = unscaled / power;
    return true;
}

size_t frz_decimal_print(frz_int128 unscaled, int scale, char out[FRZ_DECIMAL_TEXT_SIZE])
{
    assert(scale >= 0 && scale <= FRZ_DECIMAL_PRECISION_MAX);
    frz_uint128 left = unscaled < 0 ? -(frz_uint128)unscaled : (frz_uint128)unscaled;
    char reversed[FRZ_DECIMAL_TEXT_SIZE];
    size_t count = 0;
    while (left != 0 || count <= (size_t)scale) {
        /* 64-bit divisions are several times cheaper, and most values are short. */
        if (left <= UINT64_MAX) {
            reversed[count++] = (char)('0' + (uint64_t)left % 10);
            left = (uint64_t)left / 10;
        } else {
            reversed[count++] = (char)('0' + (int)(left % 10));
            left /= 10;
        }
    }
    size_t at = 0;
    if (unscaled < 0)
        out[at++] = '-';
    while (count > 0) {
        if (count == (size_t)scale)
            out[at++] = '.';
        out[at++] = reversed[--count];
    }
    out[at] = '\0';
    return at;
}

size_t frz_decimal_to_be(frz_int128 unscaled, uint8_t out[16])
{
    size_t size = 16;
    while (size > 1) {
        const int shift = (int)(size - 1) * 8 - 1; /* the sign bit of the next shorter form */
        const frz_int128 rest = unscaled >> shift;
        if (rest != 0 && rest != -1)
            break;
        size--;
    }
    for (size_t i = 0; i < size; i++)
        out[i] = (uint8_t)((frz_uint128)unscaled >> (size - 1 - i) * 8);
    return size;
}

bool frz_decimal_from_be(frz_slice bytes, frz_int128 *out)
{
    if (bytes.size == 0)
        return false;
    const uint8_t sign = bytes.data[0] & 0x80 ? 0xff : 0;
    const size_t extra = bytes.size > 16 ? bytes.size - 16 : 0;
    for (size_t i = 0; i < extra; i++) {
        if (bytes.data[i] != sign)
            return false;
    }
    if (extra && (bytes.data[extra] & 0x80) != (sign & 0x80))
        return false;
    frz_uint128 value = sign ? ~(frz_uint128)0 : 0;
    for (size_t i = extra; i < bytes.size; i++)
        value = value << 8 | bytes.data[i];
    *out = (frz_int128)value;
    return true;
}
