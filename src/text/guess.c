#include "text/guess.h"

#include <string.h>

#include "base/calendar.h"
#include "base/decimal.h"
#include "base/number.h"

static const unsigned numbers_mask = FRZ_GUESS_LONG | FRZ_GUESS_INTEGER | FRZ_GUESS_DOUBLE;

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

/* -12 as well as 0, but neither 007 nor +1 nor -0. */
static bool is_plain_integer(frz_slice text)
{
    const size_t sign = text.size > 0 && text.data[0] == '-';
    if (text.size == sign || (text.data[sign] == '0' && text.size > 1))
        return false;
    for (size_t i = sign; i < text.size; i++) {
        if (!is_digit(text.data[i]))
            return false;
    }
    return true;
}

static unsigned guess_integer(frz_slice text)
{
    int64_t value = 0;
    const size_t sign = text.data[0] == '-';
    if (frz_number_parse_i64((const char *)text.data, text.size, &value))
        return FRZ_GUESS_LONG;
    return text.size - sign <= 38 ? FRZ_GUESS_INTEGER : 0;
}

unsigned frz_guess_number(frz_slice text)
{
    const unsigned integer = is_plain_integer(text) ? guess_integer(text) : 0;
    return integer ? integer : FRZ_GUESS_DOUBLE;
}

/* 1.5 -0.25 1e9; not 1. .5 00.5. */
static bool is_plain_fraction(frz_slice text)
{
    double value = 0;
    size_t at = text.size > 0 && text.data[0] == '-';
    const size_t first = at;
    while (at < text.size && is_digit(text.data[at]))
        at++;
    if (at == first || at == text.size || (text.data[first] == '0' && at - first > 1))
        return false;
    return is_digit(text.data[text.size - 1]) &&
           frz_number_parse_f64((const char *)text.data, text.size, &value);
}

static bool is_word(frz_slice text, const char *word)
{
    if (text.size != strlen(word))
        return false;
    for (size_t i = 0; i < text.size; i++) {
        if ((text.data[i] | 0x20) != (uint8_t)word[i])
            return false;
    }
    return true;
}

static bool is_date(frz_slice text, const frz_csv_dialect *dialect)
{
    int64_t days = 0;
    char room[FRZ_CSV_ISO_ROOM];
    if (dialect && frz_csv_dialect_text(dialect, FRZ_TYPE_DATE, text, room, &text, NULL) != FRZ_OK)
        return false;
    return frz_calendar_parse_date((const char *)text.data, text.size, &days);
}

static unsigned guess_timestamp(frz_slice text, const frz_csv_dialect *dialect)
{
    int64_t seconds = 0;
    int32_t fraction = 0;
    bool zoned = false;
    char room[FRZ_CSV_ISO_ROOM];
    if (dialect &&
        frz_csv_dialect_text(dialect, FRZ_TYPE_TIMESTAMP, text, room, &text, NULL) != FRZ_OK)
        return 0;
    if (!frz_calendar_parse_timestamp((const char *)text.data, text.size, &seconds, &fraction,
                                      &zoned))
        return 0;
    return (zoned ? (unsigned)FRZ_GUESS_TIMESTAMPTZ : (unsigned)FRZ_GUESS_TIMESTAMP) |
           (fraction % 1000 != 0 ? (unsigned)FRZ_GUESS_NANOS : 0u);
}

unsigned frz_guess_text(frz_slice text, bool numbers, const frz_csv_dialect *dialect)
{
    unsigned kinds = 0;
    if (text.size == 0)
        return FRZ_GUESS_TEXT;
    if (numbers && is_plain_integer(text)) {
        kinds = guess_integer(text);
        return kinds ? kinds : (unsigned)FRZ_GUESS_TEXT;
    }
    if (numbers && is_plain_fraction(text))
        return FRZ_GUESS_DOUBLE;
    if (numbers && (is_word(text, "true") || is_word(text, "false")))
        return FRZ_GUESS_BOOLEAN;
    if (is_date(text, dialect))
        return FRZ_GUESS_DATE;
    kinds = guess_timestamp(text, dialect);
    return kinds ? kinds : (unsigned)FRZ_GUESS_TEXT;
}

static bool within(unsigned kinds, unsigned mask)
{
    return (kinds & ~mask) == 0;
}

static const char *timestamp_format(unsigned kinds)
{
    const bool nanos = kinds & FRZ_GUESS_NANOS;
    if (within(kinds, FRZ_GUESS_TIMESTAMPTZ | FRZ_GUESS_NANOS))
        return nanos ? "tsn:UTC" : "tsu:UTC";
    if (within(kinds, FRZ_GUESS_TIMESTAMP | FRZ_GUESS_NANOS))
        return nanos ? "tsn:" : "tsu:";
    return NULL;
}

const char *frz_guess_format(unsigned kinds, bool mixed)
{
    const unsigned times =
        FRZ_GUESS_DATE | FRZ_GUESS_TIMESTAMP | FRZ_GUESS_TIMESTAMPTZ | FRZ_GUESS_NANOS;
    if (kinds & (FRZ_GUESS_OBJECT | FRZ_GUESS_ARRAY))
        return NULL;
    if (kinds == 0 || kinds == FRZ_GUESS_TEXT)
        return "u";
    if (kinds == FRZ_GUESS_BOOLEAN)
        return "b";
    if (kinds == FRZ_GUESS_LONG)
        return "l";
    if (within(kinds, FRZ_GUESS_LONG | FRZ_GUESS_INTEGER))
        return "d:38,0";
    if (within(kinds, numbers_mask))
        return "g";
    if (kinds == FRZ_GUESS_DATE)
        return "tdD";
    const char *timestamp = timestamp_format(kinds);
    if (timestamp)
        return timestamp;
    return mixed || within(kinds, times | FRZ_GUESS_TEXT) ? "u" : NULL;
}

const char *frz_guess_name(unsigned kinds)
{
    if (kinds & FRZ_GUESS_OBJECT)
        return "objects";
    if (kinds & FRZ_GUESS_ARRAY)
        return "arrays";
    if (kinds & numbers_mask)
        return "numbers";
    return kinds & FRZ_GUESS_BOOLEAN ? "booleans" : "texts";
}
