/*
 * The partition tuple of each row of a batch (bytes that are equal where tuples are:
 * spec/tuple_key.h).
 */
#ifndef FRZ_WRITE_PARTITION_KEY_H
#define FRZ_WRITE_PARTITION_KEY_H

#include "frazil/arrow.h"
#include "spec/metadata.h"
#include "write/row_value.h"

/* One partition field, bound to the column it is computed from. */
typedef struct frz_bound_transform {
    const frz_transform *transform;
    frz_column_path source;
    bool present; /* false: always null (a void transform, or its source was dropped) */
} frz_bound_transform;

/* FRZ_UNSUPPORTED names a transform that is not written. `*out` in `arena`, one per field of the
 * spec. */
FRZ_MUST_CHECK frz_status frz_partition_bind(const frz_partition_spec *spec, const frz_type *root,
                                             frz_arena *arena, frz_bound_transform **out,
                                             frz_error **err);

/* The tuple of one row; bytes point into the batch or `scratch`. */
FRZ_MUST_CHECK frz_status frz_partition_tuple(const frz_bound_transform *fields, size_t count,
                                              const struct ArrowArray *batch, int64_t row,
                                              frz_arena *scratch, frz_value *out, frz_error **err);

#endif
