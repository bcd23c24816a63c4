/*
 * Dates and times of any form, as strptime takes it, brought to ISO 8601.
 *
 * %Y %m %d %H %M %S as numbers; %y (69 to 99 are of the last century), %I with %p, %b and %B
 * (English, any case), %f (1 to 9 digits of a second), %z (+01:00, +0100, +01 or Z), %F and %T for
 * %Y-%m-%d and %H:%M:%S, %% for a percent sign. Everything else stands for itself.
 */
#ifndef FRZ_TEXT_MOMENT_H
#define FRZ_TEXT_MOMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"
#include "frazil/error.h"

/* FRZ_INVALID names the part of a format that is none of these. */
FRZ_MUST_CHECK frz_status frz_moment_check(const char *format, frz_error **err);

/* `text` in the form of a checked format, as YYYY-MM-DD or (unless `date`) YYYY-MM-DDTHH:MM:SS with
 * fraction and zone where the text has them; the size, 0 when the text has another form. Whether
 * there is such a day is not looked at. */
size_t frz_moment_to_iso(const char *format, frz_slice text, bool date, char *out, size_t room);

#endif
