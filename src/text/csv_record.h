/*
 * One CSV record taken apart into fields (RFC 4180, in any dialect).
 */
#ifndef FRZ_TEXT_CSV_RECORD_H
#define FRZ_TEXT_CSV_RECORD_H

#include "base/buffer.h"
#include "text/dialect.h"

/* One field: its text as it stands, or between its quotes. */
typedef struct frz_csv_field {
    frz_slice text;
    bool quoted;
    bool doubled; /* holds two quotes for one */
} frz_csv_field;

/* A record being taken apart. */
typedef struct frz_csv_record {
    const frz_csv_dialect *dialect;
    frz_slice bytes;
    size_t pos;
    bool more; /* a further field follows */
} frz_csv_record;

frz_csv_record frz_csv_record_of(frz_slice bytes, const frz_csv_dialect *dialect);

/* FRZ_CORRUPT for quotes where RFC 4180 has none. */
FRZ_MUST_CHECK frz_status frz_csv_record_next(frz_csv_record *record, frz_csv_field *out,
                                              frz_error **err);

/* The value of a field, doubled quotes undone; borrowed from the record or from `scratch`. */
FRZ_MUST_CHECK frz_status frz_csv_field_text(const frz_csv_field *field,
                                             const frz_csv_dialect *dialect, frz_buffer *scratch,
                                             frz_slice *out, frz_error **err);

#endif
