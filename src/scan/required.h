/*
 * Nulls where the table's schema says that there are none: the file is not what its schema claims,
 * and filters that rest on the schema (IS NULL is false of a required column) would lie.
 */
#ifndef FRZ_SCAN_REQUIRED_H
#define FRZ_SCAN_REQUIRED_H

#include "frazil/arrow.h"
#include "spec/schema.h"

/* FRZ_CORRUPT names the field, `path` for the column itself, that is required and null where what
 * holds it is not. `array` is one of ours, offset 0. */
FRZ_MUST_CHECK frz_status frz_required_check(const frz_field *field, const struct ArrowArray *array,
                                             const char *path, frz_error **err);

#endif
