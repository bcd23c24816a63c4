/*
 * Builds one Arrow column value by value: for text inputs, metadata tables and defaults. Hot paths
 * (Parquet, Avro) fill buffers themselves.
 */
#ifndef FRZ_ARROW_BUILDER_H
#define FRZ_ARROW_BUILDER_H

#include "arrow/schema.h"
#include "base/decimal.h"

typedef struct frz_arrow_builder frz_arrow_builder;

/* For the types of `schema` (copied), nested ones too. No large, view, union or dictionary types.
 */
FRZ_MUST_CHECK frz_status frz_arrow_builder_new(const struct ArrowSchema *schema,
                                                frz_arrow_builder **out, frz_error **err);
/* Accepts NULL. */
void frz_arrow_builder_free(frz_arrow_builder *builder);

int64_t frz_arrow_builder_length(const frz_arrow_builder *builder);

/* Appending: sticky failure, reported by finish. The value must fit the type (asserted). */
void frz_arrow_append_null(frz_arrow_builder *builder);
void frz_arrow_append_bool(frz_arrow_builder *builder, bool value);
void frz_arrow_append_i64(frz_arrow_builder *builder,
                          int64_t value); /* every integer, date and time type */
void frz_arrow_append_f64(frz_arrow_builder *builder, double value); /* float and double */
void frz_arrow_append_decimal(frz_arrow_builder *builder, frz_int128 unscaled);
void frz_arrow_append_bytes(frz_arrow_builder *builder,
                            frz_slice value); /* string, binary, fixed */

/*
 * Nested: append to the children first, then close one parent row. A struct row needs one row in
 * each child; a list or map row takes all child rows since the last one. Map: child(0) is the
 * entries struct.
 */
frz_arrow_builder *frz_arrow_builder_child(frz_arrow_builder *builder, size_t index);
void frz_arrow_append_struct(frz_arrow_builder *builder);
void frz_arrow_append_list(frz_arrow_builder *builder);

/* Copies row `index` of an array of the builder's type, which must be plain (arrow/normalize.h). */
void frz_arrow_append_row(frz_arrow_builder *builder, const struct ArrowArray *array,
                          int64_t index);

/* Drops rows behind `length`, children included: for a line that turned out wrong. */
void frz_arrow_builder_truncate(frz_arrow_builder *builder, int64_t length);

/* Hands over what was built; the builder is empty and reusable. FRZ_NO_MEMORY from any append. */
FRZ_MUST_CHECK frz_status frz_arrow_builder_finish(frz_arrow_builder *builder,
                                                   struct ArrowArray *out, frz_error **err);

#endif
