/*
 * The proleptic Gregorian calendar, without time zones of the machine: days and microseconds or
 * nanoseconds since 1970-01-01T00:00:00Z to text and back. All divisions floor.
 */
#ifndef FRZ_BASE_CALENDAR_H
#define FRZ_BASE_CALENDAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FRZ_CALENDAR_TEXT_SIZE = 48 };

int64_t frz_floor_div(int64_t value, int64_t divisor);
int64_t frz_floor_mod(int64_t value, int64_t divisor);

/* Milliseconds as microseconds, held within 64 bits: recorded times may be anything. */
int64_t frz_calendar_micros(int64_t ms);

/* Days since the epoch of a civil date, and back; year may be negative or above 9999. */
int64_t frz_calendar_days(int64_t year, int month, int day);
void frz_calendar_civil(int64_t days, int64_t *year_out, int *month_out, int *day_out);

/* ISO 8601 text. All return the length. Fraction digits: 6 for micros, 9 for nanos. */
size_t frz_calendar_print_date(int64_t days, char out[FRZ_CALENDAR_TEXT_SIZE]);
size_t frz_calendar_print_time(int64_t micros, char out[FRZ_CALENDAR_TEXT_SIZE]);
size_t frz_calendar_print_micros(int64_t micros, bool utc_suffix, char out[FRZ_CALENDAR_TEXT_SIZE]);
size_t frz_calendar_print_nanos(int64_t nanos, bool utc_suffix, char out[FRZ_CALENDAR_TEXT_SIZE]);

/* Exactly one date; false when it is not YYYY-MM-DD (with optional sign and more year digits). */
bool frz_calendar_parse_date(const char *text, size_t size, int64_t *days_out);

/* HH:MM[:SS[.f{1,9}]]; more than microseconds only when the rest is zero. */
bool frz_calendar_parse_time(const char *text, size_t size, int64_t *micros_out);

/*
 * DATE[T or space]TIME[zone]; zone is Z, +HH, +HH:MM or +HHMM. A date alone is midnight.
 * `zoned_out` tells whether a zone was given; the result is then in UTC. seconds floor, nanos
 * 0..999999999.
 */
bool frz_calendar_parse_timestamp(const char *text, size_t size, int64_t *seconds_out,
                                  int32_t *nanos_out, bool *zoned_out);

#endif
