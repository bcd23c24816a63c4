/*
 * The columns of a key as equality deletes hold them (spec "Equality Delete Files"): chosen and
 * checked, as a schema of their own, read from rows of the table and from rows of keys alone.
 *
 * A null is a value like others: it deletes the rows that have null there.
 */
#ifndef FRZ_WRITE_KEY_COLUMNS_H
#define FRZ_WRITE_KEY_COLUMNS_H

#include "spec/metadata.h"
#include "write/row_key.h"

/* All zero is closed. */
typedef struct frz_key_columns {
    const frz_field *const *fields; /* of the table */
    const int32_t *ids;             /* of these */
    size_t count;
    frz_schema *schema;       /* a reference: the key columns alone, structs pruned to them */
    struct ArrowSchema arrow; /* the same */
    const frz_type *table;    /* the struct that rows of the table hold */
    frz_column_path *in_table;
    frz_column_path *in_keys;
    frz_value *values;
    frz_buffer bytes; /* of the key that was read last */
} frz_key_columns;

/* FRZ_INVALID names what is no delete column: unknown, repeated, float, double, not primitive,
 * within a list or map. All in `arena` and of the schema, which is borrowed. */
FRZ_MUST_CHECK frz_status frz_key_columns_open(frz_key_columns *self, const frz_schema *schema,
                                               const frz_key_choice *choice, frz_arena *arena,
                                               frz_error **err);
void frz_key_columns_close(frz_key_columns *self);

/* FRZ_INVALID names the source of a partition field that is no part of the key: its deletes would
 * have no partition. */
FRZ_MUST_CHECK frz_status frz_key_columns_check_spec(const frz_key_columns *self,
                                                     const frz_schema *schema,
                                                     const frz_partition_spec *spec,
                                                     frz_error **err);

/* Sets `bytes`, equal where all delete columns are; `paths` is in_table or in_keys. */
FRZ_MUST_CHECK frz_status frz_key_columns_read(frz_key_columns *self, const frz_column_path *paths,
                                               const struct ArrowArray *batch, int64_t row,
                                               frz_error **err);

/* Rows of the key columns alone from rows of the table, picked by number. */
FRZ_MUST_CHECK frz_status frz_key_columns_take(const frz_key_columns *self,
                                               const struct ArrowArray *batch, const int64_t *rows,
                                               int64_t count, struct ArrowArray *out,
                                               frz_error **err);

#endif
