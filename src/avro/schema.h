/*
 * Avro schemas with what Iceberg adds to them: field-id, element-id, key-id, value-id, logical
 * types. Parsed values live in the arena that was given and are immutable.
 *
 * A logical type that does not fit its underlying type is dropped, as the Avro specification asks
 * ("Logical Types"). A named type may refer to itself: a schema is a graph, not always a tree.
 */
#ifndef FRZ_AVRO_SCHEMA_H
#define FRZ_AVRO_SCHEMA_H

#include "base/arena.h"
#include "base/limits.h"
#include "frazil/error.h"

typedef enum frz_avro_kind {
    FRZ_AVRO_NULL,
    FRZ_AVRO_BOOLEAN,
    FRZ_AVRO_INT,
    FRZ_AVRO_LONG,
    FRZ_AVRO_FLOAT,
    FRZ_AVRO_DOUBLE,
    FRZ_AVRO_BYTES,
    FRZ_AVRO_STRING,
    FRZ_AVRO_FIXED,
    FRZ_AVRO_ENUM,
    FRZ_AVRO_RECORD,
    FRZ_AVRO_ARRAY, /* items; `is_map` when logicalType map: an array of key-value records */
    FRZ_AVRO_MAP,   /* string keys; `items` are the values */
    FRZ_AVRO_UNION
} frz_avro_kind;

typedef struct frz_avro_schema frz_avro_schema;

typedef struct frz_avro_field {
    const char *name;
    int32_t field_id; /* FRZ_AVRO_NO_ID when the schema gives none */
    const frz_avro_schema *type;
} frz_avro_field;

enum { FRZ_AVRO_NO_ID = INT32_MIN };

struct frz_avro_schema {
    frz_avro_kind kind;
    const char *name;         /* named types, full name; else NULL */
    const char *logical_type; /* NULL when none */
    bool adjust_to_utc;       /* adjust-to-utc: true */
    int32_t precision;        /* decimal */
    int32_t scale;
    int32_t size;                 /* FIXED */
    const frz_avro_field *fields; /* RECORD */
    size_t field_count;
    const frz_avro_schema *items; /* ARRAY, MAP */
    int32_t element_id;           /* ARRAY; FRZ_AVRO_NO_ID */
    int32_t key_id;               /* MAP */
    int32_t value_id;
    bool is_map;
    const frz_avro_schema **branches; /* UNION */
    size_t branch_count;
    const char **symbols; /* ENUM */
    size_t symbol_count;
};

/* FRZ_CORRUPT offsets are positions in `json`. `limits` NULL = the defaults. */
FRZ_MUST_CHECK frz_status frz_avro_schema_parse(frz_slice json, const frz_limits *limits,
                                                frz_arena *arena, const frz_avro_schema **out,
                                                frz_error **err);

#endif
