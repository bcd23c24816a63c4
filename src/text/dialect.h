/*
 * How a CSV file writes what RFC 4180 leaves open: its delimiter, quote, nulls, dates and times.
 */
#ifndef FRZ_TEXT_DIALECT_H
#define FRZ_TEXT_DIALECT_H

#include "base/arena.h"
#include "base/slice.h"
#include "frazil/text.h"
#include "spec/type.h"

typedef struct frz_csv_dialect {
    char delimiter;
    char quote;
    bool no_header;
    const char *const *nulls; /* unquoted fields that are null */
    size_t null_count;
    const char *date_format;      /* NULL: ISO 8601 */
    const char *timestamp_format; /* NULL: ISO 8601 */
} frz_csv_dialect;

/* In `arena`. FRZ_INVALID names an option that is none. */
FRZ_MUST_CHECK frz_status frz_csv_dialect_from(const frz_csv_options *options, frz_arena *arena,
                                               frz_csv_dialect *out, frz_error **err);

/* Whether an unquoted field is null. */
bool frz_csv_dialect_is_null(const frz_csv_dialect *dialect, frz_slice text);

/* The text of a value of `kind` as frz_value_parse reads it: dates and times of the dialect's form
 * are brought to ISO 8601, in `room`. FRZ_INVALID when it has not that form. */
enum { FRZ_CSV_ISO_ROOM = 64 };
FRZ_MUST_CHECK frz_status frz_csv_dialect_text(const frz_csv_dialect *dialect, frz_type_kind kind,
                                               frz_slice text, char *room, frz_slice *out,
                                               frz_error **err);

#endif
