/*
 * 128-bit signed integers and decimals: unscaled value and scale, at most 38 digits.
 */
#ifndef FRZ_BASE_DECIMAL_H
#define FRZ_BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

__extension__ typedef __int128 frz_int128;
__extension__ typedef unsigned __int128 frz_uint128;

enum { FRZ_DECIMAL_PRECISION_MAX = 38, FRZ_DECIMAL_TEXT_SIZE = 48 };

/* 10 to the power of `exponent`, 0 to 38. */
frz_int128 frz_decimal_power(int exponent);

/* Whether |unscaled| has at most `precision` digits. */
bool frz_decimal_fits(frz_int128 unscaled, int precision);

/*
 * Parses [+-]digits[.digits][e[+-]digits] exactly. False when it is not a decimal, or not exactly
 * representable with 38 digits. *scale_out is the number of digits after the point (may be negative
 * only through an exponent).
 */
bool frz_decimal_parse(const char *text, size_t size, frz_int128 *unscaled_out, int *scale_out);

/* Changes the scale exactly; false when digits would be lost or 38 digits exceeded. */
bool frz_decimal_rescale(frz_int128 unscaled, int from_scale, int to_scale, frz_int128 *out);

/* Prints with exactly `scale` digits after the point; returns the length. */
size_t frz_decimal_print(frz_int128 unscaled, int scale, char out[FRZ_DECIMAL_TEXT_SIZE]);

/* Minimal big-endian two's complement (Iceberg Appendix B and D); returns the size, 1 to 16. */
size_t frz_decimal_to_be(frz_int128 unscaled, uint8_t out[16]);

/* From big-endian two's complement of 1 to 16 bytes (longer when only sign extension); false
 * otherwise. */
bool frz_decimal_from_be(frz_slice bytes, frz_int128 *out);

#endif
