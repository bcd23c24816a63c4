/*
 * One value of an Iceberg type: partition values, bounds, literals, defaults. Order, hash and the
 * serial forms of Appendices B, C and D are here.
 *
 * A value does not own its bytes; they live in an arena, a manifest or an Arrow buffer.
 */
#ifndef FRZ_SPEC_VALUE_H
#define FRZ_SPEC_VALUE_H

#include "base/decimal.h"
#include "json/reader.h"
#include "json/writer.h"
#include "spec/type.h"

typedef enum frz_value_form {
    FRZ_VALUE_NULL,
    FRZ_VALUE_BOOLEAN,
    FRZ_VALUE_INTEGER, /* int, long, date (days), time and timestamps (micros or nanos) */
    FRZ_VALUE_NUMBER,  /* float (exact in a double), double */
    FRZ_VALUE_DECIMAL,
    FRZ_VALUE_BYTES,  /* string, uuid (16), fixed, binary */
    FRZ_VALUE_STRUCT, /* default `{}` of a struct; items NULL, or one value per field */
    FRZ_VALUE_LIST,   /* items; a map alternates key and value */
} frz_value_form;

struct frz_value {
    frz_value_form form;
    union {
        bool boolean;
        int64_t integer;
        double number;
        frz_int128 decimal; /* unscaled; the scale is the type's */
        frz_slice bytes;
        struct {
            const frz_value *data;
            size_t count;
        } items;
    };
};

/* Order of two non-null values of one type: numbers with -0.0 = 0.0 and NaN greatest, bytes
 * unsigned, false < true. Both must have the same form. */
int frz_value_compare(const frz_value *a, const frz_value *b);

/* Equality as partition tuples need it: null equals null, NaN equals NaN, -0.0 differs from 0.0. */
bool frz_value_same(const frz_value *a, const frz_value *b);

bool frz_value_is_nan(const frz_value *value);

/* The form that values of a type have; of unknown, null. */
frz_value_form frz_value_form_of(frz_type_kind kind);

/* Whether a value of the type has this form (null always has). */
bool frz_value_fits(const frz_type *type, const frz_value *value);

/*
 * Appendix B, the 32-bit hash of a non-null value of a primitive type (boolean, float and double as
 * well, though no transform hashes them yet). Nanoseconds are floored to microseconds first.
 */
int32_t frz_value_hash(const frz_type *type, const frz_value *value);

/*
 * Appendix D, binary single-value. Decode borrows `bytes` and accepts the shorter forms of promoted
 * types
 * ("Schema Evolution": int for long, float for double, date for timestamp and timestamp_ns) and
 * decimals padded with sign bytes; FRZ_CORRUPT for other sizes, and for a date outside of the
 * timestamp's range. FRZ_UNSUPPORTED for the types that have no such form. Encode takes a non-null
 * value of the type.
 */
FRZ_MUST_CHECK frz_status frz_value_decode(const frz_type *type, frz_slice bytes, frz_value *out,
                                           frz_error **err);
void frz_value_encode(const frz_type *type, const frz_value *value, frz_buffer *out);

/*
 * Appendix D, JSON single-value; nested types too: a struct is an object by field id and {} has no
 * items, a map is {"keys", "values"}. null reads as a null value. FRZ_CORRUPT has the offset of the
 * value. Read copies into `arena`.
 */
FRZ_MUST_CHECK frz_status frz_value_read_json(frz_json_reader *json, const frz_type *type,
                                              frz_arena *arena, frz_value *out, frz_error **err);
void frz_value_write_json(const frz_type *type, const frz_value *value, frz_json_writer *json);

/*
 * From the text of a literal (DDL, CSV, expression): the type's own text form, exactly or
 * FRZ_INVALID: integers in range, decimals that need no rounding, ISO dates and times, true/false,
 * dashed uuid, hex for fixed and binary (0x..). Copies into `arena`.
 */
FRZ_MUST_CHECK frz_status frz_value_parse(const frz_type *type, frz_slice text, frz_arena *arena,
                                          frz_value *out, frz_error **err);

/* Pairs of hexadecimal digits of any case; FRZ_INVALID or FRZ_NO_MEMORY, the caller tells the
 * story. */
FRZ_MUST_CHECK frz_status frz_value_decode_hex(frz_slice digits, frz_arena *arena, frz_slice *out);
/* Lower-case digits. */
void frz_value_encode_hex(frz_slice bytes, frz_buffer *out);

/* For people and for --output: ISO, full scale, 0x hex, dashed; null as "null". */
void frz_value_print(const frz_type *type, const frz_value *value, frz_buffer *out);

/*
 * Converts a value between types along frz_type_promotes (of V3), and int and long to any numeric
 * type, to float and double rounding to nearest; false when the types do not allow it or the value
 * does not fit.
 */
bool frz_value_promote(const frz_type *from, const frz_type *to, const frz_value *value,
                       frz_value *out);

/* A deep copy of the value's bytes; false when memory is short. */
bool frz_value_copy(const frz_value *value, frz_arena *arena, frz_value *out);

#endif
