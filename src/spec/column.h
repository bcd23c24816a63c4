/*
 * Typed views of the columns that the Avro reader gives, for manifests and manifest lists. A column
 * that the file lacks, or that was not asked for, reads as all null.
 */
#ifndef FRZ_SPEC_COLUMN_H
#define FRZ_SPEC_COLUMN_H

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/slice.h"
#include "spec/value.h"

typedef struct frz_column {
    const struct ArrowArray *array; /* borrowed; NULL = all null */
    const struct ArrowSchema *schema;
    frz_arrow_type type;
} frz_column;

typedef enum frz_column_class {
    FRZ_COLUMN_INTEGER, /* int, long, date, time, timestamp */
    FRZ_COLUMN_BOOLEAN,
    FRZ_COLUMN_BYTES, /* string, bytes, fixed */
    FRZ_COLUMN_STRUCT,
    FRZ_COLUMN_LIST, /* also a map: a list of key-value structs */
    FRZ_COLUMN_ANY
} frz_column_class;

/* The child `index` of a struct or list; FRZ_CORRUPT when its type is of another class. */
FRZ_MUST_CHECK frz_status frz_column_child(const struct ArrowSchema *schema,
                                           const struct ArrowArray *array, int64_t index,
                                           frz_column_class want, frz_column *out, frz_error **err);

bool frz_column_is_null(const frz_column *column, int64_t row);

/* `absent` for a null. */
int64_t frz_column_i64(const frz_column *column, int64_t row, int64_t absent);
/* False for a null. */
bool frz_column_bool(const frz_column *column, int64_t row);
/* Empty for a null; borrowed from the array. */
frz_slice frz_column_bytes(const frz_column *column, int64_t row);
/* The rows of the child that belong to a row of a list; empty for a null. */
void frz_column_range(const frz_column *column, int64_t row, int64_t *start_out, int64_t *end_out);

/* The value as one of `type`, promoted where the column was written before the type was (spec
 * "Schema Evolution"); FRZ_CORRUPT when it is of another kind. Bytes are borrowed from the array.
 */
FRZ_MUST_CHECK frz_status frz_column_value(const frz_column *column, int64_t row,
                                           const frz_type *type, frz_value *out, frz_error **err);

/* The value as text in `arena`, whatever the column's type: for partition fields whose type nobody
 * knows. Equal values have equal texts. */
FRZ_MUST_CHECK frz_status frz_column_text(const frz_column *column, int64_t row, frz_arena *arena,
                                          frz_value *out, frz_error **err);

/* Bytes of the buffers of an array of ours, children included. */
size_t frz_column_memory(const struct ArrowSchema *schema, const struct ArrowArray *array);

#endif
