/*
 * From the batches a caller hands in to batches of the table's schema: columns by name, narrower
 * types widened, missing columns filled with their write default, nulls in required columns
 * refused.
 *
 * Compiled once per stream, run per batch; buffers are moved where types agree.
 */
#ifndef FRZ_WRITE_INPUT_H
#define FRZ_WRITE_INPUT_H

#include "frazil/arrow.h"
#include "spec/schema.h"

typedef struct frz_input_columns frz_input_columns;

/*
 * FRZ_INVALID names an unknown column with near ones, a required column that is missing and has no
 * write default, or a column whose type cannot become the table's. Borrows `schema`.
 */
FRZ_MUST_CHECK frz_status frz_input_columns_new(const struct ArrowSchema *given,
                                                const frz_schema *schema, bool case_sensitive,
                                                frz_input_columns **out, frz_error **err);
/* Accepts NULL. */
void frz_input_columns_free(frz_input_columns *self);

/* Whether the input has the column `index` of the table, or every row gets its write default. */
bool frz_input_columns_has(const frz_input_columns *self, size_t index);

/* Sets has[id] for every field, at any depth, that the input has; ids below `id_count`. */
void frz_input_columns_mark(const frz_input_columns *self, bool *has, size_t id_count);

/* Takes `batch`, also on failure. *out is a struct array of the table's columns, in order. */
FRZ_MUST_CHECK frz_status frz_input_columns_run(frz_input_columns *self, struct ArrowArray *batch,
                                                struct ArrowArray *out, frz_error **err);

#endif
