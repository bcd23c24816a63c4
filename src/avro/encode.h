/*
 * Arrow columns to Avro's binary encoding: a batch is bound to a schema once, then encoded row by
 * row.
 */
#ifndef FRZ_AVRO_ENCODE_H
#define FRZ_AVRO_ENCODE_H

#include "arrow/schema.h"
#include "avro/schema.h"
#include "base/buffer.h"
#include "frazil/arrow.h"

/* A value of the schema and the column that it comes from. */
typedef struct frz_avro_source {
    const frz_avro_schema
        *schema; /* of the value: a union of null and T stands as T with `option` */
    bool option;
    bool null_branch; /* the index of null in that union: 0 or 1 */
    frz_arrow_type type;
    const struct ArrowArray *array;
    const char *name;
    struct frz_avro_source *children; /* record: fields; array: the item; map: key and value */
    size_t child_count;
} frz_avro_source;

/* Everything borrowed; sources live in `arena`. FRZ_INVALID, naming the column, when the Arrow type
 * does not fit the Avro type. Record fields and struct children go by position. */
FRZ_MUST_CHECK frz_status frz_avro_source_bind(const frz_avro_schema *schema,
                                               const struct ArrowSchema *arrow,
                                               const struct ArrowArray *array, frz_arena *arena,
                                               frz_avro_source *out, frz_error **err);

/* Appends row `row` (relative to the array's offset). FRZ_INVALID for a null where the schema has
 * none and for a value beyond its type. Short memory sticks in *out. */
FRZ_MUST_CHECK frz_status frz_avro_encode(const frz_avro_source *source, int64_t row,
                                          frz_buffer *out, frz_error **err);

void frz_avro_put_long(frz_buffer *out, int64_t value);

#endif
