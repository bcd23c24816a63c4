/*
 * Columns that the file does not hold: one value for every row (initial defaults, identity
 * partition values, metadata columns), as an Arrow array.
 */
#ifndef FRZ_SCAN_CONSTANT_H
#define FRZ_SCAN_CONSTANT_H

#include "frazil/arrow.h"
#include "spec/schema.h"

/*
 * `length` rows of `value` in the Arrow type of frz_type_to_arrow. A struct takes one value per
 * field from `value`; where it gives none (the default `{}`), each field's initial default
 * ("Default values").
 */
FRZ_MUST_CHECK frz_status frz_constant_array(const frz_type *type, const frz_value *value,
                                             int64_t length, struct ArrowArray *out,
                                             frz_error **err);

/* FRZ_CORRUPT when `field` is required and the value is null, or when the default {} takes the
 * default of a required field that has none. `path` names the field. */
FRZ_MUST_CHECK frz_status frz_constant_check(const frz_field *field, const frz_value *value,
                                             const char *path, frz_error **err);

/* int64 values counting up from `first`, only those whose bit of `mask` (NULL = all of `length`) is
 * set. */
FRZ_MUST_CHECK frz_status frz_sequence_array(int64_t first, int64_t length, const uint64_t *mask,
                                             int64_t selected, struct ArrowArray *out,
                                             frz_error **err);

#endif
