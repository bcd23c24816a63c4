/*
 * What every row of a data file has for a field that the file does not hold (spec "Column
 * Projection"): the identity partition value of the file, else the field's initial default, else
 * null.
 */
#ifndef FRZ_SCAN_ABSENT_H
#define FRZ_SCAN_ABSENT_H

#include "scan/scan.h"
#include "spec/manifest.h"

/* The value of an identity partition field of the file's own spec, null included; false when the
 * spec has none of that column, or the file's tuple lacks it. */
bool frz_partition_constant(const frz_scan *scan, const frz_data_file *file, int32_t field_id,
                            frz_value *out);

/*
 * `field` as this file sees it: fields nested in structs whose column is an identity partition of
 * the file have its value as their initial default. The field itself where there are none; else a
 * copy in `arena`.
 */
FRZ_MUST_CHECK frz_status frz_partition_defaults(const frz_scan *scan, const frz_data_file *file,
                                                 const frz_field *field, frz_arena *arena,
                                                 const frz_field **out, frz_error **err);

/* FRZ_CORRUPT when the field, or a field of the struct that is its default, is required and has
 * none. `path` names it. */
FRZ_MUST_CHECK frz_status frz_absent_value(const frz_scan *scan, const frz_data_file *file,
                                           const frz_field *field, const char *path, frz_value *out,
                                           frz_error **err);

#endif
