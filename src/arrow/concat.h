/*
 * One array out of several of the same type, in order: for buffers of rows that are sorted as a
 * whole.
 */
#ifndef FRZ_ARROW_CONCAT_H
#define FRZ_ARROW_CONCAT_H

#include <stddef.h>

#include "frazil/arrow.h"
#include "frazil/error.h"

/*
 * Copies the rows of `arrays` (plain types, see arrow/normalize.h; any offsets) into new memory.
 * FRZ_UNSUPPORTED when texts or lists of the result would need offsets beyond 32 bits.
 */
FRZ_MUST_CHECK frz_status frz_arrow_array_concat(const struct ArrowSchema *schema,
                                                 const struct ArrowArray *arrays, size_t count,
                                                 struct ArrowArray *out, frz_error **err);

#endif
