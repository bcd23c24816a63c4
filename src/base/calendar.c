#include "base/calendar.h"

#include <stdio.h>

enum {
    DAYS_PER_ERA = 146097, /* 400 years */
    SECONDS_PER_DAY = 86400
};

int64_t frz_floor_div(int64_t value, int64_t divisor)
{
    const int64_t quotient = value / divisor;
    return value % divisor != 0 && (value < 0) != (divisor < 0) ? quotient - 1 : quotient;
}

int64_t frz_floor_mod(int64_t value, int64_t divisor)
{
    const int64_t rest = value % divisor;
    return rest != 0 && (rest < 0) != (divisor < 0) ? rest + divisor : rest;
}

int64_t frz_calendar_micros(int64_t ms)
{
    int64_t micros = 0;
    if (__builtin_mul_overflow(ms, INT64_C(1000), &micros))
        return ms < 0 ? INT64_MIN : INT64_MAX;
    return micros;
}

/* Years are counted from March, so that the leap day is the last of its year. */
int64_t frz_calendar_days(int64_t year, int month, int day)
{
    const int64_t shifted = month <= 2 ? year - 1 : year;
    const int64_t era = frz_floor_div(shifted, 400);
    const int64_t year_of_era = shifted - era * 400;
    const int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    const int64_t day_of_era =
        year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * DAYS_PER_ERA + day_of_era - 719468;
}

void frz_calendar_civil(int64_t days, int64_t *year_out, int *month_out, int *day_out)
{
    /* 0000-03-01 is 719468 days, four eras and 135080 days, before the epoch. */
    int64_t era = frz_floor_div(days, DAYS_PER_ERA) + 4;
    int64_t day_of_era = frz_floor_mod(days, DAYS_PER_ERA) + 135080;
    if (day_of_era >= DAYS_PER_ERA) {
        day_of_era -= DAYS_PER_ERA;
        era++;
    }
    const int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    const int64_t day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const int64_t shifted_month = (5 * day_of_year + 2) / 153;
    *day_out = (int)(day_of_year - (153 * shifted_month + 2) / 5 + 1);
    *month_out = (int)(shifted_month < 10 ? shifted_month + 3 : shifted_month - 9);
    *year_out = year_of_era + era * 400 + (*month_out <= 2);
}

/* `width` digits, zero filled. */
static char *print_digits(char *at, int64_t value, int width)
{
    for (int i = width - 1; i >= 0; i--, value /= 10)
        at[i] = (char)('0' + value % 10);
    return at + width;
}

static char *print_year(char *at, int64_t year)
{
    if (year >= 0 && year <= 9999)
        return print_digits(at, year, 4);
    /* ISO 8601 expanded years carry a sign. */
    *at++ = year < 0 ? '-' : '+';
    const uint64_t size = year < 0 ? -(uint64_t)year : (uint64_t)year;
    return at + snprintf(at, 24, "%04llu", (unsigned long long)size);
}

size_t frz_calendar_print_date(int64_t days, char out[FRZ_CALENDAR_TEXT_SIZE])
{
    int64_t year = 0;
    int month = 0;
    int day = 0;
    frz_calendar_civil(days, &year, &month, &day);
    char *at = print_year(out, year);
    *at++ = '-';
    at = print_digits(at, month, 2);
    *at++ = '-';
    at = print_digits(at, day, 2);
    *at = '\0';
    return (size_t)(at - out);
}

/* HH:MM:SS.fraction of `units` since midnight, `per_second` of them in a second. */
static char *print_clock(char *at, int64_t units, int64_t per_second, int fraction_digits)
{
    const int64_t seconds = units / per_second;
    at = print_digits(at, seconds / 3600, 2);
    *at++ = ':';
    at = print_digits(at, seconds / 60 % 60, 2);
    *at++ = ':';
    at = print_digits(at, seconds % 60, 2);
    *at++ = '.';
    return print_digits(at, units % per_second, fraction_digits);
}

size_t frz_calendar_print_time(int64_t micros, char out[FRZ_CALENDAR_TEXT_SIZE])
{
    const int64_t of_day = frz_floor_mod(micros, SECONDS_PER_DAY * INT64_C(1000000));
    char *at = print_clock(out, of_day, 1000000, 6);
    *at = '\0';
    return (size_t)(at - out);
}

static size_t print_instant(int64_t value, int64_t per_second, int fraction_digits, bool utc_suffix,
                            char *out)
{
    const int64_t per_day = SECONDS_PER_DAY * per_second;
    char *at = out + frz_calendar_print_date(frz_floor_div(value, per_day), out);
    *at++ = 'T';
    at = print_clock(at, frz_floor_mod(value, per_day), per_second, fraction_digits);
    if (utc_suffix)
        *at++ = 'Z';
    *at = '\0';
    return (size_t)(at - out);
}

size_t frz_calendar_print_micros(int64_t micros, bool utc_suffix, char out[FRZ_CALENDAR_TEXT_SIZE])
{
    return print_instant(micros, 1000000, 6, utc_suffix, out);
}

size_t frz_calendar_print_nanos(int64_t nanos, bool utc_suffix, char out[FRZ_CALENDAR_TEXT_SIZE])
{
    return print_instant(nanos, 1000000000, 9, utc_suffix, out);
}

/* A text that is being parsed; every step passes what it read, or leaves it. */
typedef struct scanner {
    const char *at;
    const char *end;
} scanner;

static scanner scanner_over(const char *text, size_t size)
{
    return (scanner){.at = text, .end = size ? text + size : text};
}

static bool take(scanner *text, char c)
{
    if (text->at == text->end || *text->at != c)
        return false;
    text->at++;
    return true;
}

static bool digit_next(const scanner *text)
{
    return text->at != text->end && *text->at >= '0' && *text->at <= '9';
}

/* Exactly `width` digits, at most `max`. */
static bool take_number(scanner *text, int width, int max, int *out)
{
    int value = 0;
    for (int i = 0; i < width; i++) {
        if (!digit_next(text))
            return false;
        value = value * 10 + (*text->at++ - '0');
    }
    *out = value;
    return value <= max;
}

static bool is_leap(int64_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int days_in_month(int64_t year, int month)
{
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year));
}

/* Four digits; five to nine only with a sign (ISO 8601 expanded years). */
static bool take_year(scanner *text, int64_t *out)
{
    const bool negative = take(text, '-');
    const bool is_signed = negative || take(text, '+');
    int64_t year = 0;
    int count = 0;
    for (; digit_next(text) && count < 10; count++)
        year = year * 10 + (*text->at++ - '0');
    if (count < 4 || count > (is_signed ? 9 : 4))
        return false;
    *out = negative ? -year : year;
    return true;
}

static bool take_date(scanner *text, int64_t *days_out)
{
    int64_t year = 0;
    int month = 0;
    int day = 0;
    if (!take_year(text, &year) || !take(text, '-') || !take_number(text, 2, 12, &month) ||
        !take(text, '-') || !take_number(text, 2, 31, &day))
        return false;
    if (month < 1 || day < 1 || day > days_in_month(year, month))
        return false;
    *days_out = frz_calendar_days(year, month, day);
    return true;
}

static bool take_fraction(scanner *text, int32_t *nanos_out)
{
    int32_t nanos = 0;
    int count = 0;
    for (; digit_next(text) && count < 9; count++)
        nanos = nanos * 10 + (*text->at++ - '0');
    if (count == 0 || digit_next(text))
        return false;
    for (; count < 9; count++)
        nanos *= 10;
    *nanos_out = nanos;
    return true;
}

static bool take_clock(scanner *text, int32_t *seconds_out, int32_t *nanos_out)
{
    int hour = 0;
    int minute = 0;
    int second = 0;
    int32_t nanos = 0;
    if (!take_number(text, 2, 23, &hour) || !take(text, ':') || !take_number(text, 2, 59, &minute))
        return false;
    if (take(text, ':')) {
        if (!take_number(text, 2, 59, &second))
            return false;
        if (take(text, '.') && !take_fraction(text, &nanos))
            return false;
    }
    *seconds_out = hour * 3600 + minute * 60 + second;
    *nanos_out = nanos;
    return true;
}

/* Z, +HH, +HH:MM or +HHMM, or nothing. At most 18 hours, as in java.time. */
static bool take_zone(scanner *text, int32_t *offset_out, bool *zoned_out)
{
    *offset_out = 0;
    *zoned_out = true;
    if (take(text, 'Z') || take(text, 'z'))
        return true;
    const bool negative = take(text, '-');
    if (!negative && !take(text, '+')) {
        *zoned_out = false;
        return true;
    }
    int hours = 0;
    int minutes = 0;
    if (!take_number(text, 2, 18, &hours))
        return false;
    if ((take(text, ':') || digit_next(text)) && !take_number(text, 2, 59, &minutes))
        return false;
    const int32_t offset = hours * 3600 + minutes * 60;
    if (offset > 18 * 3600)
        return false;
    *offset_out = negative ? -offset : offset;
    return true;
}

bool frz_calendar_parse_date(const char *text, size_t size, int64_t *days_out)
{
    scanner scan = scanner_over(text, size);
    int64_t days = 0;
    if (!take_date(&scan, &days) || scan.at != scan.end)
        return false;
    *days_out = days;
    return true;
}

bool frz_calendar_parse_time(const char *text, size_t size, int64_t *micros_out)
{
    scanner scan = scanner_over(text, size);
    int32_t seconds = 0;
    int32_t nanos = 0;
    if (!take_clock(&scan, &seconds, &nanos) || scan.at != scan.end || nanos % 1000 != 0)
        return false;
    *micros_out = seconds * INT64_C(1000000) + nanos / 1000;
    return true;
}

bool frz_calendar_parse_timestamp(const char *text, size_t size, int64_t *seconds_out,
                                  int32_t *nanos_out, bool *zoned_out)
{
    scanner scan = scanner_over(text, size);
    int64_t days = 0;
    int32_t seconds = 0;
    int32_t nanos = 0;
    int32_t offset = 0;
    bool zoned = false;
    if (!take_date(&scan, &days))
        return false;
    if (scan.at != scan.end) {
        if (!take(&scan, 'T') && !take(&scan, 't') && !take(&scan, ' '))
            return false;
        if (!take_clock(&scan, &seconds, &nanos) || !take_zone(&scan, &offset, &zoned) ||
            scan.at != scan.end)
            return false;
    }
    *seconds_out = days * SECONDS_PER_DAY + seconds - offset;
    *nanos_out = nanos;
    *zoned_out = zoned;
    return true;
}
