/*
 * What a leaf column becomes in Arrow: format, width, and how values are converted on the way.
 */
#ifndef FRZ_PARQUET_LAYOUT_H
#define FRZ_PARQUET_LAYOUT_H

#include "parquet/metadata.h"

typedef enum frz_parquet_form {
    FRZ_PARQUET_FORM_NULL,  /* no buffers */
    FRZ_PARQUET_FORM_BITS,  /* booleans */
    FRZ_PARQUET_FORM_FIXED, /* `width` bytes each */
    FRZ_PARQUET_FORM_BYTES  /* offsets and data */
} frz_parquet_form;

typedef enum frz_parquet_conversion {
    FRZ_PARQUET_CONVERT_NONE,
    FRZ_PARQUET_CONVERT_INT8, /* INT32 to its low byte; both signs */
    FRZ_PARQUET_CONVERT_INT16,
    FRZ_PARQUET_CONVERT_DECIMAL_32, /* to 128 bits */
    FRZ_PARQUET_CONVERT_DECIMAL_64,
    FRZ_PARQUET_CONVERT_DECIMAL_FIXED,
    FRZ_PARQUET_CONVERT_DECIMAL_BYTES,
    FRZ_PARQUET_CONVERT_INT96 /* to microseconds since the epoch */
} frz_parquet_conversion;

typedef struct frz_parquet_layout {
    frz_parquet_form form;
    frz_parquet_conversion conversion;
    size_t physical_width; /* bytes in a page; 0 for booleans and byte arrays */
    size_t width;          /* bytes in Arrow; 0 unless FORM_FIXED */
    bool text;             /* must be UTF-8 */
    char format[32];
    const char *extension; /* "arrow.uuid"; NULL when there is none */
} frz_parquet_layout;

/* FRZ_UNSUPPORTED for decimals of more than 38 digits and time units we do not know, named. */
FRZ_MUST_CHECK frz_status frz_parquet_layout_of(const frz_parquet_node *leaf,
                                                frz_parquet_layout *out, frz_error **err);

/* Converts `count` values of fixed physical width from `in` to `out`, which do not overlap
 * (conversion NONE copies). False with *problem_out set for a value that does not fit. */
bool frz_parquet_convert_fixed(const frz_parquet_layout *layout, const uint8_t *in, uint8_t *out,
                               size_t count, const char **problem_out);

/* Byte arrays that are decimals: value i ends at ends[i], the first one starts at `start`. */
bool frz_parquet_convert_bytes(const uint8_t *data, int32_t start, const int32_t *ends,
                               uint8_t *out, size_t count, const char **problem_out);

#endif
