/*
 * Iceberg types (spec "Schemas and Data Types"). A type is immutable and lives in the arena of the
 * schema that holds it; primitive types without parameters are constants (frz_type_of).
 */
#ifndef FRZ_SPEC_TYPE_H
#define FRZ_SPEC_TYPE_H

#include "base/arena.h"
#include "base/buffer.h"
#include "frazil/error.h"

typedef enum frz_type_kind {
    FRZ_TYPE_UNKNOWN,
    FRZ_TYPE_BOOLEAN,
    FRZ_TYPE_INT,
    FRZ_TYPE_LONG,
    FRZ_TYPE_FLOAT,
    FRZ_TYPE_DOUBLE,
    FRZ_TYPE_DECIMAL, /* precision, scale */
    FRZ_TYPE_DATE,
    FRZ_TYPE_TIME,
    FRZ_TYPE_TIMESTAMP,
    FRZ_TYPE_TIMESTAMPTZ,
    FRZ_TYPE_TIMESTAMP_NS,
    FRZ_TYPE_TIMESTAMPTZ_NS,
    FRZ_TYPE_STRING,
    FRZ_TYPE_UUID,
    FRZ_TYPE_FIXED, /* length */
    FRZ_TYPE_BINARY,
    FRZ_TYPE_VARIANT,
    FRZ_TYPE_GEOMETRY,  /* crs */
    FRZ_TYPE_GEOGRAPHY, /* crs, algorithm */
    FRZ_TYPE_STRUCT,
    FRZ_TYPE_LIST, /* fields[0] is the element */
    FRZ_TYPE_MAP   /* fields[0] is the key, fields[1] the value */
} frz_type_kind;

typedef struct frz_value frz_value;
typedef struct frz_field frz_field;

typedef struct frz_type {
    frz_type_kind kind;
    int32_t precision; /* DECIMAL */
    int32_t scale;
    int32_t length;          /* FIXED */
    const char *crs;         /* GEOMETRY, GEOGRAPHY; NULL = OGC:CRS84 */
    const char *algorithm;   /* GEOGRAPHY; NULL = spherical */
    const frz_field *fields; /* STRUCT, LIST, MAP */
    size_t field_count;
} frz_type;

/* A field of a struct; also the element of a list ("element") and key and value of a map. */
struct frz_field {
    int32_t id;
    const char *name;
    bool required;
    const frz_type *type;
    const char *doc;                  /* NULL when none */
    const frz_value *initial_default; /* NULL when not set */
    const frz_value *write_default;
};

/* The constant for a primitive type without parameters. */
const frz_type *frz_type_of(frz_type_kind kind);

/* The bare word of a kind ("decimal", "struct"), for messages. */
const char *frz_type_word(frz_type_kind kind);

/* Neither struct, list, map nor variant. */
bool frz_type_is_primitive(const frz_type *type);

/* The first field of that name; NULL when there is none. Case is that of ASCII letters. */
const frz_field *frz_type_find_field(const frz_type *type, const char *name, bool case_sensitive);

bool frz_type_equal(const frz_type *a,
                    const frz_type *b); /* ids, names, nullability too; not docs or defaults */

/* The format version that first has the type (of all that is nested in it): 1 or 3. */
int frz_type_format_version(const frz_type *type);

/* Spec "Schema Evolution": whether a value written as `from` may be read as `to` under
 * `format_version`. */
bool frz_type_promotes(const frz_type *from, const frz_type *to, int format_version);

/* As in metadata JSON for primitives ("decimal(9, 2)"), and struct<1: a: required int, ...> for
 * people. */
void frz_type_print(const frz_type *type, frz_buffer *out);

/*
 * A primitive's name (or variant) as metadata JSON writes it, blanks and any case allowed.
 * FRZ_UNSUPPORTED names an unknown type or edge algorithm; FRZ_CORRUPT for parameters that no type
 * can have.
 */
FRZ_MUST_CHECK frz_status frz_type_parse(frz_slice text, frz_arena *arena, const frz_type **out,
                                         frz_error **err);

/*
 * The type with new ids for all of its fields, in the order Java gives them (AssignFreshIds: the
 * fields of a struct before what is nested in them, key and value before both of their insides),
 * from *last_id + 1; *last_id is then the last one given. Names, docs and defaults are shared with
 * `type`. NULL when memory is short.
 */
const frz_type *frz_type_assign_ids(const frz_type *type, frz_arena *arena, int32_t *last_id);

/* A deep copy into another arena; NULL when memory is short. */
const frz_type *frz_type_copy(const frz_type *type, frz_arena *arena);

#endif
