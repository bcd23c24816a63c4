/*
 * Arrow schemas that we make: an ArrowSchema whose memory is ours, built child by child.
 *
 * Field ids travel in the metadata key "PARQUET:field_id", as Arrow's own Parquet readers write it.
 */
#ifndef FRZ_ARROW_SCHEMA_H
#define FRZ_ARROW_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "frazil/arrow.h"
#include "frazil/error.h"

enum { FRZ_ARROW_NO_FIELD_ID = INT32_MIN };

typedef enum frz_arrow_kind {
    FRZ_ARROW_NULL,
    FRZ_ARROW_BOOL,
    FRZ_ARROW_INT8,
    FRZ_ARROW_UINT8,
    FRZ_ARROW_INT16,
    FRZ_ARROW_UINT16,
    FRZ_ARROW_INT32,
    FRZ_ARROW_UINT32,
    FRZ_ARROW_INT64,
    FRZ_ARROW_UINT64,
    FRZ_ARROW_HALF,
    FRZ_ARROW_FLOAT,
    FRZ_ARROW_DOUBLE,
    FRZ_ARROW_DECIMAL,       /* 128 bit; precision and scale */
    FRZ_ARROW_DECIMAL_OTHER, /* 32, 64 or 256 bit: `width` bits */
    FRZ_ARROW_STRING,
    FRZ_ARROW_LARGE_STRING,
    FRZ_ARROW_STRING_VIEW,
    FRZ_ARROW_BINARY,
    FRZ_ARROW_LARGE_BINARY,
    FRZ_ARROW_BINARY_VIEW,
    FRZ_ARROW_FIXED,         /* `width` bytes */
    FRZ_ARROW_DATE32,
    FRZ_ARROW_DATE64,
    FRZ_ARROW_TIME32,        /* `unit` s or ms */
    FRZ_ARROW_TIME64,        /* `unit` us or ns */
    FRZ_ARROW_TIMESTAMP,     /* `unit`; `zoned` when a time zone is given */
    FRZ_ARROW_DURATION,
    FRZ_ARROW_INTERVAL,
    FRZ_ARROW_STRUCT,
    FRZ_ARROW_LIST,
    FRZ_ARROW_LARGE_LIST,
    FRZ_ARROW_FIXED_LIST,    /* `width` items */
    FRZ_ARROW_LIST_VIEW,
    FRZ_ARROW_MAP,
    FRZ_ARROW_UNION,
    FRZ_ARROW_RUN_END
} frz_arrow_kind;

/* What a format string says. */
typedef struct frz_arrow_type {
    frz_arrow_kind kind;
    int32_t width;     /* FIXED, FIXED_LIST, DECIMAL_OTHER */
    int32_t precision; /* DECIMAL* */
    int32_t scale;
    char unit;         /* 's', 'm', 'u', 'n' */
    bool zoned;
} frz_arrow_type;

/* FRZ_UNSUPPORTED for a format we do not know. */
FRZ_MUST_CHECK frz_status frz_arrow_type_parse(const char *format, frz_arrow_type *out,
                                               frz_error **err);

/* The format string of a type; `out` has room for 32 bytes. */
void frz_arrow_type_print(const frz_arrow_type *type, char out[32]);

/*
 * Fills *out (not initialised by the caller) with a leaf or parent of `child_count` zeroed children that
 * the caller fills with the same function. On failure *out is released and zero.
 */
FRZ_MUST_CHECK frz_status frz_arrow_schema_init(struct ArrowSchema *out, const char *format,
                                                const char *name, bool nullable, int32_t field_id,
                                                int64_t child_count, frz_error **err);

/* Replaces the metadata: `count` key-value pairs. The field id, if any, must be among them. */
FRZ_MUST_CHECK frz_status frz_arrow_schema_set_metadata(struct ArrowSchema *schema,
                                                        const char *const *keys,
                                                        const frz_slice *values, size_t count,
                                                        frz_error **err);

/* FRZ_ARROW_NO_FIELD_ID when there is none. */
int32_t frz_arrow_schema_field_id(const struct ArrowSchema *schema);

/* Empty when the key is absent. */
frz_slice frz_arrow_schema_metadata(const struct ArrowSchema *schema, const char *key);

/* A deep copy of any producer's schema. */
FRZ_MUST_CHECK frz_status frz_arrow_schema_copy(const struct ArrowSchema *schema,
                                                struct ArrowSchema *out, frz_error **err);

/* Calls release when there is one, and zeroes. */
void frz_arrow_schema_clear(struct ArrowSchema *schema);
void frz_arrow_array_clear(struct ArrowArray *array);
void frz_arrow_stream_clear(struct ArrowArrayStream *stream);

#endif
