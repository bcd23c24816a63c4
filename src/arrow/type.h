/*
 * Arrow's types: format strings (C data interface, "Data type description: format strings") as
 * enums.
 */
#ifndef FRZ_ARROW_TYPE_H
#define FRZ_ARROW_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frazil/error.h"

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
    FRZ_ARROW_FIXED, /* `width` bytes */
    FRZ_ARROW_DATE32,
    FRZ_ARROW_DATE64,
    FRZ_ARROW_TIME32,    /* `unit` s or ms */
    FRZ_ARROW_TIME64,    /* `unit` us or ns */
    FRZ_ARROW_TIMESTAMP, /* `unit`; `zoned` when a time zone is given */
    FRZ_ARROW_DURATION,
    FRZ_ARROW_INTERVAL,
    FRZ_ARROW_STRUCT,
    FRZ_ARROW_LIST,
    FRZ_ARROW_LARGE_LIST,
    FRZ_ARROW_FIXED_LIST, /* `width` items */
    FRZ_ARROW_LIST_VIEW,
    FRZ_ARROW_MAP,
    FRZ_ARROW_UNION,
    FRZ_ARROW_RUN_END
} frz_arrow_kind;

/* What a format string says. */
typedef struct frz_arrow_type {
    frz_arrow_kind kind;
    int32_t width; /* FIXED, FIXED_LIST, DECIMAL_OTHER; LIST_VIEW: 32 or 64, bits of an offset */
    int32_t precision; /* DECIMAL* */
    int32_t scale;
    char unit; /* 's', 'm', 'u', 'n' */
    bool zoned;
} frz_arrow_type;

/* How rows of a kind stand in buffers and children (Columnar.rst, "Buffer Listing for Each
 * Layout").
 */
typedef enum frz_arrow_form {
    FRZ_ARROW_FORM_NULL,       /* nothing */
    FRZ_ARROW_FORM_BITS,       /* validity, a bit per row */
    FRZ_ARROW_FORM_FIXED,      /* validity, values of one width */
    FRZ_ARROW_FORM_BYTES,      /* validity, offsets, data */
    FRZ_ARROW_FORM_VIEWS,      /* validity, views, any number of data, their sizes */
    FRZ_ARROW_FORM_LIST,       /* validity, offsets into the child */
    FRZ_ARROW_FORM_LIST_VIEWS, /* validity, offsets into the child, sizes */
    FRZ_ARROW_FORM_PARALLEL,   /* validity; rows stand at the same place in the children */
    FRZ_ARROW_FORM_RUNS,       /* children: ends, values */
    FRZ_ARROW_FORM_UNION       /* type ids; rows stand at the same place in the children */
} frz_arrow_form;

typedef struct frz_arrow_layout {
    frz_arrow_form form;
    int32_t buffers;      /* VIEWS: at least */
    int32_t children;     /* -1: any number */
    int32_t offset_width; /* bytes of an offset; 0 where there is none, or the type says it */
} frz_arrow_layout;

const frz_arrow_layout *frz_arrow_layout_of(frz_arrow_kind kind);

/* FRZ_UNSUPPORTED for a format we do not know. */
FRZ_MUST_CHECK frz_status frz_arrow_type_parse(const char *format, frz_arrow_type *out,
                                               frz_error **err);

/* Whether a union is sparse and has the type ids 0, 1, 2 ... of its children: the unions that are
 * read here. */
bool frz_arrow_union_is_plain(const char *format, int64_t child_count);

/* The format string of a type; `out` has room for 32 bytes. Not for INTERVAL and UNION (asserted).
 */
void frz_arrow_type_print(const frz_arrow_type *type, char out[32]);

/* Bytes of one value for types of fixed width of whole bytes; 0 for all others. */
size_t frz_arrow_type_width(const frz_arrow_type *type);

/* A word for messages: "int32", "large_string", ... */
const char *frz_arrow_kind_name(frz_arrow_kind kind);

#endif
