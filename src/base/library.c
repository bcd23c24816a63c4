#include "frazil/frazil.h"

#include <string.h>

#include "base/calendar.h"
#include "base/fail.h"
#include "base/mem.h"
#include "base/number.h"

const char *frz_version(void)
{
    return FRZ_VERSION;
}

void frz_text_free(char *text)
{
    frz_free(text);
}

frz_status frz_time_parse(const char *text, int64_t *ms_out, frz_error **err)
{
    int64_t seconds = 0;
    int32_t nanos = 0;
    bool zoned = false;
    const size_t size = strlen(text);
    if (frz_number_parse_i64(text, size, ms_out))
        return FRZ_OK;
    if (!frz_calendar_parse_timestamp(text, size, &seconds, &nanos, &zoned) ||
        __builtin_mul_overflow(seconds, INT64_C(1000), ms_out))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "expected a time as ISO 8601 (2026-01-31T12:00:00Z) or milliseconds since "
                        "1970, got \"%s\"",
                        text);
    *ms_out += nanos / 1000000;
    return FRZ_OK;
}
