/*
 * Values of foreign fixed-width types as values of plain ones (arrow/normalize.h lists the pairs).
 */
#ifndef FRZ_ARROW_CONVERT_H
#define FRZ_ARROW_CONVERT_H

#include "arrow/type.h"
#include "base/buffer.h"
#include "frazil/arrow.h"

/*
 * Rows [start, start + length) of the array's buffers, where `start` has the array's offset in it.
 * FRZ_INVALID names the first value (nulls apart) that the plain type cannot hold.
 */
FRZ_MUST_CHECK frz_status frz_arrow_convert(const frz_arrow_type *from,
                                            const struct ArrowArray *array, int64_t start,
                                            int64_t length, frz_buffer *out, frz_error **err);

/* IEEE 754 binary16 as binary32, exactly. */
float frz_arrow_half_to_float(uint16_t half);

#endif
