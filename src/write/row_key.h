/*
 * The key of a row: the values of some columns, as bytes that are equal where
 * SQL's `=` holds: -0.0 is 0.0, a NaN equals a NaN. A null equals nothing, so
 * that such a row has no key.
 */
#ifndef FRZ_WRITE_ROW_KEY_H
#define FRZ_WRITE_ROW_KEY_H

#include "spec/schema.h"
#include "write/row_value.h"

typedef struct frz_row_key {
    const frz_field *const *fields; /* of the table */
    frz_column_path *paths;         /* in the batches; in the arena it was made with */
    frz_value *values;              /* of the last row that was read */
    size_t count;
    frz_buffer bytes;
} frz_row_key;

/* Which columns a key is made of. */
typedef struct frz_key_choice {
    const char *const *names; /* NULL: the identifier fields of the schema */
    size_t count;
    bool case_sensitive;
} frz_key_choice;

/* The fields that are chosen. FRZ_INVALID names one that is unknown, repeated or
 * of a type that has no equality. In `arena`. */
FRZ_MUST_CHECK frz_status frz_row_key_fields(const frz_schema *schema, const frz_key_choice *choice,
                                             frz_arena *arena, const frz_field *const **out,
                                             size_t *count_out, frz_error **err);

/* For batches of the struct type `root`, which has all fields. */
FRZ_MUST_CHECK frz_status frz_row_key_init(frz_row_key *self, const frz_field *const *fields,
                                           size_t count, const frz_type *root, frz_arena *arena,
                                           frz_error **err);
void frz_row_key_clear(frz_row_key *self);

/* Sets values and bytes, which are valid until the next read; *has_out is false
 * when a part is null. */
FRZ_MUST_CHECK frz_status frz_row_key_read(frz_row_key *self, const struct ArrowArray *batch,
                                           int64_t row, bool *has_out, frz_error **err);

/* `id = 5, name = 'x'`, of the last row. Appends. */
void frz_row_key_print(const frz_row_key *self, frz_buffer *out);

#endif
