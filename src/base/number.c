#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int frz_hex_digit(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    const int letter = c | 0x20;
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

bool frz_number_parse_i64(const char *text, size_t size, int64_t *out)
{
    size_t at = 0;
    const bool negative = size > 0 && text[0] == '-';
    if (size > 0 && (text[0] == '-' || text[0] == '+'))
        at = 1;
    if (at == size)
        return false;
    const uint64_t limit = negative ? (uint64_t)INT64_MAX + 1 : INT64_MAX;
    uint64_t value = 0;
    for (; at < size; at++) {
        if (text[at] < '0' || text[at] > '9')
            return false;
        const uint64_t digit = (uint64_t)(text[at] - '0');
        if (value > (limit - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *out = (int64_t)(negative ? 0 - value : value);
    return true;
}

static bool same_word(const char *text, size_t size, const char *word)
{
    if (strlen(word) != size)
        return false;
    for (size_t i = 0; i < size; i++) {
        const char c = text[i];
        if ((c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c) != word[i])
            return false;
    }
    return true;
}

/*
 * More digits than any double needs to be rounded right (767); what follows only matters by being
 * zero or not, which one more digit says.
 */
enum { DIGITS_MAX = 800 };

/* Significant digits and the power of ten behind the last of them. */
typedef struct floating {
    char digits[DIGITS_MAX + 2];
    size_t count;
    int64_t exponent;
    uint64_t head; /* the value of the digits while count <= 19 */
} floating;

static void add_digit(floating *number, char digit, bool fraction)
{
    if (number->count == 0 && digit == '0') {
        number->exponent -= fraction;
        return;
    }
    if (number->count < DIGITS_MAX) {
        number->digits[number->count++] = digit;
        number->exponent -= fraction;
        if (number->count <= 19)
            number->head = number->head * 10 + (uint64_t)(digit - '0');
        return;
    }
    if (digit != '0')
        number->digits[DIGITS_MAX - 1] =
            '1' > number->digits[DIGITS_MAX - 1] ? '1' : number->digits[DIGITS_MAX - 1];
    number->exponent += !fraction;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool scan_exponent(const char **at, const char *end, int64_t *exponent)
{
    if (*at == end || (**at != 'e' && **at != 'E'))
        return true;
    (*at)++;
    const bool negative = *at != end && **at == '-';
    if (*at != end && (**at == '-' || **at == '+'))
        (*at)++;
    if (*at == end || !is_digit(**at))
        return false;
    int64_t value = 0;
    for (; *at != end && is_digit(**at); (*at)++) {
        if (value < INT32_MAX)
            value = value * 10 + (**at - '0');
    }
    *exponent += negative ? -value : value;
    return true;
}

static bool scan_floating(const char *at, const char *end, floating *number)
{
    bool any = false;
    for (; at != end && is_digit(*at); at++, any = true)
        add_digit(number, *at, false);
    if (at != end && *at == '.') {
        for (at++; at != end && is_digit(*at); at++, any = true)
            add_digit(number, *at, true);
    }
    return any && scan_exponent(&at, end, &number->exponent) && at == end;
}

static double floating_value(floating *number)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (number->count == 0)
        return 0.0;
    /* Both operands are exact, so the one rounding of the operation is the right one. */
    if (number->count <= 19 && number->head <= (uint64_t)1 << 53 && number->exponent >= -22 &&
        number->exponent <= 22) {
        const double head = (double)number->head;
        return number->exponent < 0 ? head / powers[-number->exponent]
                                    : head * powers[number->exponent];
    }
    if (number->exponent > 400)
        return INFINITY;
    if (number->exponent < -2000)
        return 0.0;
    /* Without a decimal point, strtod reads the same in every locale. */
    char text[DIGITS_MAX + 16];
    memcpy(text, number->digits, number->count);
    (void)snprintf(text + number->count, sizeof text - number->count, "e%d", (int)number->exponent);
    return strtod(text, NULL);
}

bool frz_number_parse_f64(const char *text, size_t size, double *out)
{
    const char *at = text;
    const char *end = size ? text + size : text;
    const bool negative = at != end && *at == '-';
    if (at != end && (*at == '-' || *at == '+'))
        at++;
    const size_t left = (size_t)(end - at);
    double value = 0;
    if (same_word(at, left, "nan")) {
        value = NAN;
    } else if (same_word(at, left, "inf") || same_word(at, left, "infinity")) {
        value = INFINITY;
    } else {
        floating number;
        number.count = 0;
        number.exponent = 0;
        number.head = 0;
        if (!scan_floating(at, end, &number))
            return false;
        value = floating_value(&number);
    }
    *out = negative ? -value : value;
    return true;
}

/* The digits and exponent of d.ddde[+-]x, whatever the locale's point is. */
static size_t split_scientific(const char *text, char *digits, int *exponent_out)
{
    size_t count = 0;
    for (; *text != 'e'; text++) {
        if (is_digit(*text))
            digits[count++] = *text;
    }
    *exponent_out = (int)strtol(text + 1, NULL, 10);
    while (count > 1 && digits[count - 1] == '0')
        count--;
    return count;
}

static size_t append(char *out, size_t at, const char *bytes, size_t size)
{
    memcpy(out + at, bytes, size);
    return at + size;
}

static size_t append_zeros(char *out, size_t at, int count)
{
    for (; count > 0; count--)
        out[at++] = '0';
    return at;
}

/* Plain notation from 1e-4 to below 1e16, as Python and others print; always with a point or
 * exponent. */
static size_t lay_out(const char *digits, size_t count, int exponent, char *out, size_t at)
{
    if (exponent < -4 || exponent >= 16) {
        at = append(out, at, digits, 1);
        if (count > 1) {
            out[at++] = '.';
            at = append(out, at, digits + 1, count - 1);
        }
        return at + (size_t)snprintf(out + at, 8, "e%d", exponent);
    }
    if (exponent < 0) {
        at = append(out, at, "0.", 2);
        at = append_zeros(out, at, -exponent - 1);
        return append(out, at, digits, count);
    }
    const size_t whole = (size_t)exponent + 1;
    if (count <= whole) {
        at = append(out, at, digits, count);
        at = append_zeros(out, at, (int)(whole - count));
        return append(out, at, ".0", 2);
    }
    at = append(out, at, digits, whole);
    out[at++] = '.';
    return append(out, at, digits + whole, count - whole);
}

static size_t print_floating(double value, bool is_float, char *out)
{
    size_t at = 0;
    if (isnan(value)) {
        at = append(out, 0, "NaN", 3);
    } else if (isinf(value)) {
        at = value < 0 ? append(out, 0, "-Infinity", 9) : append(out, 0, "Infinity", 8);
    } else {
        /* Up to 6 (15) digits always survive, unless the value is subnormal; 9 (17) always suffice.
         */
        const bool subnormal = fabs(value) < (is_float ? 1.17549435e-38 : 2.2250738585072014e-308);
        const int last = is_float ? 9 : 17;
        char text[FRZ_NUMBER_TEXT_SIZE];
        for (int precision = subnormal ? 1 : last - 2; precision <= last; precision++) {
            (void)snprintf(text, sizeof text, "%.*e", precision - 1, value);
            const bool same =
                is_float ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value;
            if (same)
                break;
        }
        char digits[FRZ_NUMBER_TEXT_SIZE];
        int exponent = 0;
        const size_t count = split_scientific(text, digits, &exponent);
        if (signbit(value))
            out[at++] = '-';
        at = lay_out(digits, count, exponent, out, at);
    }
    out[at] = '\0';
    return at;
}

size_t frz_number_print_f64(double value, char out[FRZ_NUMBER_TEXT_SIZE])
{
    return print_floating(value, false, out);
}

size_t frz_number_print_f32(float value, char out[FRZ_NUMBER_TEXT_SIZE])
{
    return print_floating((double)value, true, out);
}
