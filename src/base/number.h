/*
 * Numbers to text and back, independent of the locale. Parsing takes the whole text or fails.
 */
#ifndef FRZ_BASE_NUMBER_H
#define FRZ_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FRZ_NUMBER_TEXT_SIZE = 40 };

/* 0 to 15 of a hexadecimal digit of either case; -1 for what is none. */
int frz_hex_digit(uint8_t c);

/* [+-]digits within int64_t. */
bool frz_number_parse_i64(const char *text, size_t size, int64_t *out);

/* A decimal floating number, NaN, Infinity, inf (any case, signed). */
bool frz_number_parse_f64(const char *text, size_t size, double *out);

/* Shortest text that reads back as the same double (or float): 0.1, 1e300; NaN, Infinity,
 * -Infinity. */
size_t frz_number_print_f64(double value, char out[FRZ_NUMBER_TEXT_SIZE]);
size_t frz_number_print_f32(float value, char out[FRZ_NUMBER_TEXT_SIZE]);

#endif
