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

/* FRZ_CORRUPT when the field is required and has none. `path` names it. */
FRZ_MUST_CHECK frz_status frz_absent_value(const frz_scan *scan, const frz_data_file *file,
                                           const frz_field *field, const char *path, frz_value *out,
                                           frz_error **err);

#endif
