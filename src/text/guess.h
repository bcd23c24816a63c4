/*
 * The type of a column that no schema tells, by the values it holds.
 */
#ifndef FRZ_TEXT_GUESS_H
#define FRZ_TEXT_GUESS_H

#include "text/dialect.h"

/* What values were met, as bits. */
typedef enum frz_guess_kind {
    FRZ_GUESS_BOOLEAN = 1,
    FRZ_GUESS_LONG = 2,
    FRZ_GUESS_INTEGER = 4, /* beyond 64 bits, at most 38 digits */
    FRZ_GUESS_DOUBLE = 8,
    FRZ_GUESS_DATE = 16,
    FRZ_GUESS_TIMESTAMP = 32,
    FRZ_GUESS_TIMESTAMPTZ = 64,
    FRZ_GUESS_NANOS = 128, /* beside one of the two: more than 6 digits of a second */
    FRZ_GUESS_TEXT = 256,
    FRZ_GUESS_OBJECT = 512,
    FRZ_GUESS_ARRAY = 1024
} frz_guess_kind;

/* The bits of a JSON number as written. */
unsigned frz_guess_number(frz_slice text);

/* The bits of a text: dates and times are told by their form, and with `numbers`, numbers and
 * booleans too. What would not be printed the same again (007, +1) is text. `dialect` NULL: ISO
 * 8601. */
unsigned frz_guess_text(frz_slice text, bool numbers, const frz_csv_dialect *dialect);

/* The Arrow format of a scalar column with these values, text when they are of several types and
 * `mixed` is allowed; NULL when it is not, or for objects and arrays. Without values: text. */
const char *frz_guess_format(unsigned kinds, bool mixed);

/* "numbers", "texts", ...: the first kind of the bits, for messages. */
const char *frz_guess_name(unsigned kinds);

#endif
