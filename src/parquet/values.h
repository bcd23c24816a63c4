/*
 * The values of one leaf column on their way into Arrow buffers: decoded, looked up in the
 * dictionary and converted, dense at first, then spread over the slots that have nulls between.
 *
 * No allocation per value; buffers that become Arrow's begin on 64 bytes where their size is known
 * before.
 */
#ifndef FRZ_PARQUET_VALUES_H
#define FRZ_PARQUET_VALUES_H

#include "parquet/decoder.h"
#include "parquet/dictionary.h"
#include "parquet/layout.h"

/* What is collected for one batch. All zero is valid and empty. */
typedef struct frz_parquet_values {
    size_t count;       /* values so far, nulls included once they are spread */
    frz_buffer data;    /* FIXED: width each; BITS: packed; BYTES: contents */
    frz_buffer offsets; /* BYTES: int32, count + 1 (nothing while count is 0) */
} frz_parquet_values;

/* Where they come from: the open page of a column chunk. */
typedef struct frz_parquet_source {
    const frz_parquet_node *leaf;
    frz_parquet_layout layout;
    frz_parquet_decoder decoder;
    frz_parquet_dictionary dictionary;
    frz_buffer physical; /* scratch of conversions */
    frz_buffer ends;
    const uint64_t *mask; /* borrowed: which of the next values that are appended are wanted, if
                             they come by the dictionary; NULL: all */
    size_t size_max; /* most bytes that one batch may have: a limit on what hostile runs ask for */
} frz_parquet_source;

void frz_parquet_source_clear(frz_parquet_source *source);

/* Makes room for `count` values in all, if their size is known. */
FRZ_MUST_CHECK frz_status frz_parquet_values_reserve(const frz_parquet_source *source,
                                                     frz_parquet_values *values, size_t count,
                                                     frz_error **err);

/* Appends the next `count` values of the page (fewer with a mask, see above). FRZ_CORRUPT messages
 * lack the place. */
FRZ_MUST_CHECK frz_status frz_parquet_values_append(frz_parquet_source *source,
                                                    frz_parquet_values *values, size_t count,
                                                    frz_error **err);

/* Passes over them. */
FRZ_MUST_CHECK frz_status frz_parquet_source_skip(frz_parquet_source *source, size_t count,
                                                  frz_error **err);

/*
 * Spreads all values behind the first `kept` over `slots` slots: those whose bit is set, from bit
 * `at` of `bits` on, get the values in order; the others are zero or empty.
 */
FRZ_MUST_CHECK frz_status frz_parquet_values_spread(const frz_parquet_source *source,
                                                    frz_parquet_values *values, size_t kept,
                                                    const uint8_t *bits, size_t at, size_t slots,
                                                    frz_error **err);

void frz_parquet_values_clear(frz_parquet_values *values);

#endif
