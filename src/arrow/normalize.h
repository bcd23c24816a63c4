/*
 * Foreign arrays made plain: what other producers may hand us becomes one of the few types that the
 * rest of the library knows, with offset 0.
 *
 *   int8, uint8, int16, uint16      -> int32             half_float           -> float
 *   uint32, uint64 (range checked)  -> int64             decimal of any width -> decimal128
 *   date64                          -> date32            time32, time64[ns]   -> time64[us]
 *   timestamp[s, ms]                -> timestamp[us]     large_*, *_view      -> string, binary
 *   large_list, list_view, fixed_size_list -> list       dictionary, run_end_encoded -> their
 * values
 *
 * Refused by name (FRZ_UNSUPPORTED), as Iceberg has no type for them: duration, interval, union,
 * decimals of over 38 digits. A value that its plain type cannot hold exactly is FRZ_INVALID.
 */
#ifndef FRZ_ARROW_NORMALIZE_H
#define FRZ_ARROW_NORMALIZE_H

#include <stdbool.h>

#include "arrow/owner.h"
#include "frazil/arrow.h"
#include "frazil/error.h"

/* The plain schema; names, nullability and metadata (field ids) stay. */
FRZ_MUST_CHECK frz_status frz_arrow_normalize_schema(const struct ArrowSchema *schema,
                                                     struct ArrowSchema *out, frz_error **err);

/*
 * The plain form of an array of `schema`, which is checked first (frz_arrow_array_validate).
 * Columns that are plain already are shared, not copied: *array is moved in and released with *out;
 * on failure it stays the caller's.
 */
FRZ_MUST_CHECK frz_status frz_arrow_normalize(const struct ArrowSchema *schema,
                                              struct ArrowArray *array, struct ArrowArray *out,
                                              frz_error **err);

/* Likewise, but *out borrows from `array`, which must outlive it. */
FRZ_MUST_CHECK frz_status frz_arrow_normalize_borrowed(const struct ArrowSchema *schema,
                                                       const struct ArrowArray *array,
                                                       struct ArrowArray *out, frz_error **err);

/*
 * Rows [start, start + length) of the array that `owner` holds, which has been checked before
 * (frz_arrow_array_validate): for large batches, whose offsets would not fit, or whose dictionaries
 * unfold to more than memory should hold. *out shares the owner.
 */
FRZ_MUST_CHECK frz_status frz_arrow_normalize_rows(const struct ArrowSchema *schema,
                                                   frz_arrow_owner *owner, int64_t start,
                                                   int64_t length, struct ArrowArray *out,
                                                   frz_error **err);

#endif
