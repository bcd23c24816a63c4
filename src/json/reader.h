/*
 * A pull reader for JSON (RFC 8259) over bytes in memory.
 *
 * The reader stands before a value. A caller asks for what it expects; anything else is FRZ_CORRUPT
 * with the byte offset. Numbers keep their text: 64-bit integers are exact, and an integer written
 * as 4.5e18 is accepted only where it is exact. Unknown values are skipped, or kept as their byte
 * range.
 *
 * Strings are returned decoded; without escapes they are borrowed from the input, otherwise they
 * live in the reader's arena.
 */
#ifndef FRZ_JSON_READER_H
#define FRZ_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/slice.h"
#include "frazil/error.h"

typedef enum frz_json_kind {
    FRZ_JSON_NULL,
    FRZ_JSON_BOOL,
    FRZ_JSON_NUMBER,
    FRZ_JSON_STRING,
    FRZ_JSON_ARRAY,
    FRZ_JSON_OBJECT
} frz_json_kind;

typedef struct frz_json_reader {
    frz_slice text; /* borrowed */
    size_t pos;
    uint32_t depth; /* open arrays and objects */
    uint32_t depth_max;
    bool first;       /* no member of the innermost container was read yet */
    frz_arena *arena; /* borrowed; for strings with escapes */
} frz_json_reader;

frz_json_reader frz_json_reader_over(frz_slice text, frz_arena *arena);

/* What stands at the reader; FRZ_CORRUPT when it is no value. */
FRZ_MUST_CHECK frz_status frz_json_peek(frz_json_reader *json, frz_json_kind *out, frz_error **err);

/*
 * Iterates an object: frz_json_enter_object, then frz_json_next_key until *more_out is false (which
 * also leaves the object). After each key read or skip exactly one value.
 */
FRZ_MUST_CHECK frz_status frz_json_enter_object(frz_json_reader *json, frz_error **err);
FRZ_MUST_CHECK frz_status frz_json_next_key(frz_json_reader *json, frz_slice *key_out,
                                            bool *more_out, frz_error **err);

/* The object at the reader: `read` takes the value behind each key. */
typedef frz_status (*frz_json_member_read)(frz_json_reader *json, frz_slice key, void *context,
                                           frz_error **err);
FRZ_MUST_CHECK frz_status frz_json_read_members(frz_json_reader *json, frz_json_member_read read,
                                                void *context, frz_error **err);

/* The same for arrays: after each true, read or skip exactly one value. */
FRZ_MUST_CHECK frz_status frz_json_enter_array(frz_json_reader *json, frz_error **err);
FRZ_MUST_CHECK frz_status frz_json_next_item(frz_json_reader *json, bool *more_out,
                                             frz_error **err);

FRZ_MUST_CHECK frz_status frz_json_read_string(frz_json_reader *json, frz_slice *out,
                                               frz_error **err);
/* Terminated, in the arena; FRZ_CORRUPT when it holds a NUL. */
FRZ_MUST_CHECK frz_status frz_json_read_text(frz_json_reader *json, const char **out,
                                             frz_error **err);
FRZ_MUST_CHECK frz_status frz_json_read_i64(frz_json_reader *json, int64_t *out, frz_error **err);
FRZ_MUST_CHECK frz_status frz_json_read_i32(frz_json_reader *json, int32_t *out, frz_error **err);
FRZ_MUST_CHECK frz_status frz_json_read_f64(frz_json_reader *json, double *out, frz_error **err);
FRZ_MUST_CHECK frz_status frz_json_read_bool(frz_json_reader *json, bool *out, frz_error **err);
/* The number as written. */
FRZ_MUST_CHECK frz_status frz_json_read_number(frz_json_reader *json, frz_slice *out,
                                               frz_error **err);
/* Reads null and sets *out, or leaves another value in place. */
FRZ_MUST_CHECK frz_status frz_json_read_null(frz_json_reader *json, bool *out, frz_error **err);

/* Validates and passes one value of any kind; the second gives its bytes as they stand. */
FRZ_MUST_CHECK frz_status frz_json_skip(frz_json_reader *json, frz_error **err);
FRZ_MUST_CHECK frz_status frz_json_read_raw(frz_json_reader *json, frz_slice *out, frz_error **err);

/* FRZ_CORRUPT unless only white space is left. */
FRZ_MUST_CHECK frz_status frz_json_expect_end(frz_json_reader *json, frz_error **err);

#endif
