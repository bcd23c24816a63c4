#include "text/moment.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"

enum { FRACTION_DIGITS_MAX = 9, CENTURY_PIVOT = 69 };

static const char *const months[] = {"january",   "february", "march",    "april",
                                     "may",       "june",     "july",     "august",
                                     "september", "october",  "november", "december"};

/* A text being read, and what was read of it. */
typedef struct moment {
    const char *at;
    const char *end;
    int year;
    int month;
    int day;
    int hour;
    int minute;
    int second;
    bool half; /* the hour is of 1 to 12 */
    bool afternoon;
    char fraction[FRACTION_DIGITS_MAX + 1];
    char zone[16]; /* empty: none */
} moment;

frz_status frz_moment_check(const char *format, frz_error **err)
{
    for (const char *at = strchr(format, '%'); at; at = strchr(at + 2, '%')) {
        if (!at[1] || !strchr("YymdHIMSpfzbBFT%", at[1]))
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                            "format \"%s\": %.2s is none of %%Y %%y %%m %%b %%B %%d %%H %%I %%p "
                            "%%M %%S %%f %%z %%F %%T %%%%",
                            format, at);
    }
    return FRZ_OK;
}

/* `least` to `most` digits. */
static bool read_number(moment *self, int least, int most, int *out)
{
    int value = 0;
    int count = 0;
    for (; count < most && self->at < self->end && *self->at >= '0' && *self->at <= '9'; count++)
        value = value * 10 + (*self->at++ - '0');
    *out = value;
    return count >= least;
}

static bool read_month(moment *self, bool whole)
{
    for (int i = 0; i < 12; i++) {
        const size_t size = whole ? strlen(months[i]) : 3;
        if ((size_t)(self->end - self->at) < size || strncasecmp(self->at, months[i], size) != 0)
            continue;
        self->at += size;
        self->month = i + 1;
        return true;
    }
    return false;
}

static bool read_half(moment *self)
{
    if (self->end - self->at < 2 || (self->at[1] | 0x20) != 'm')
        return false;
    self->afternoon = (self->at[0] | 0x20) == 'p';
    const bool known = self->afternoon || (self->at[0] | 0x20) == 'a';
    self->at += 2;
    return known;
}

static bool read_fraction(moment *self)
{
    size_t count = 0;
    for (; count < FRACTION_DIGITS_MAX && self->at < self->end && *self->at >= '0' &&
           *self->at <= '9';
         count++)
        self->fraction[count] = *self->at++;
    self->fraction[count] = '\0';
    return count > 0;
}

static bool read_zone(moment *self)
{
    int hours = 0;
    int minutes = 0;
    if (self->at == self->end)
        return false;
    const char sign = *self->at++;
    if (sign == 'Z' || sign == 'z') {
        (void)snprintf(self->zone, sizeof self->zone, "Z");
        return true;
    }
    if ((sign != '+' && sign != '-') || !read_number(self, 2, 2, &hours))
        return false;
    const bool colon = self->at < self->end && *self->at == ':';
    self->at += colon;
    if (self->at < self->end || colon) {
        const char *before = self->at;
        if (!read_number(self, 2, 2, &minutes)) {
            if (colon || self->at != before)
                return false;
            minutes = 0;
        }
    }
    (void)snprintf(self->zone, sizeof self->zone, "%c%02d:%02d", sign, hours, minutes);
    return true;
}

static bool read_all(moment *self, const char *format);

static bool read_year_of_century(moment *self)
{
    if (!read_number(self, 2, 2, &self->year))
        return false;
    self->year += self->year >= CENTURY_PIVOT ? 1900 : 2000;
    return true;
}

static bool read_part(moment *self, char part)
{
    switch (part) {
    case 'Y':
        return read_number(self, 4, 4, &self->year);
    case 'y':
        return read_year_of_century(self);
    case 'm':
        return read_number(self, 1, 2, &self->month);
    case 'd':
        return read_number(self, 1, 2, &self->day);
    case 'H':
        return read_number(self, 1, 2, &self->hour);
    case 'I':
        self->half = true;
        return read_number(self, 1, 2, &self->hour) && self->hour >= 1 && self->hour <= 12;
    case 'M':
        return read_number(self, 1, 2, &self->minute);
    case 'S':
        return read_number(self, 1, 2, &self->second);
    case 'p':
        return read_half(self);
    case 'f':
        return read_fraction(self);
    case 'z':
        return read_zone(self);
    case 'b':
    case 'B':
        return read_month(self, part == 'B');
    case 'F':
        return read_all(self, "%Y-%m-%d");
    case 'T':
        return read_all(self, "%H:%M:%S");
    default:
        return self->at < self->end && *self->at++ == part;
    }
}

static bool read_all(moment *self, const char *format)
{
    for (const char *at = format; *at; at++) {
        if (*at == '%') {
            if (!read_part(self, *++at))
                return false;
        } else if (self->at == self->end || *self->at++ != *at) {
            return false;
        }
    }
    return true;
}

size_t frz_moment_to_iso(const char *format, frz_slice text, bool date, char *out, size_t room)
{
    const char *start = text.data ? (const char *)text.data : "";
    moment self = {.at = start, .end = start + text.size};
    if (!read_all(&self, format) || self.at != self.end)
        return 0;
    if (self.half)
        self.hour = self.hour % 12 + (self.afternoon ? 12 : 0);
    const int size = date ? snprintf(out, room, "%04d-%02d-%02d", self.year, self.month, self.day)
                          : snprintf(out, room, "%04d-%02d-%02dT%02d:%02d:%02d%s%s%s", self.year,
                                     self.month, self.day, self.hour, self.minute, self.second,
                                     *self.fraction ? "." : "", self.fraction, self.zone);
    return size > 0 && (size_t)size < room ? (size_t)size : 0;
}
