/*
 * Rows of several arrays of one type into one array, in any order: what sorting and merging end in.
 * Column by column, so that what is copied at a time has one type and one width.
 */
#ifndef FRZ_ARROW_GATHER_H
#define FRZ_ARROW_GATHER_H

#include <stddef.h>
#include <stdint.h>

#include "frazil/arrow.h"
#include "frazil/error.h"

/* A row, relative to the offset of its array. */
typedef struct frz_row_pick {
    uint32_t source;
    uint32_t row;
} frz_row_pick;

/*
 * Copies the picked rows, repeats allowed, of sources (those without rows may be all zero) into new
 * memory at offset 0. `schema` is plain (arrow/normalize.h). FRZ_UNSUPPORTED for other types, and
 * when texts or lists of the result would need offsets beyond 32 bits.
 */
FRZ_MUST_CHECK frz_status frz_arrow_array_gather(const struct ArrowSchema *schema,
                                                 const struct ArrowArray *const *sources,
                                                 size_t source_count, const frz_row_pick *picks,
                                                 size_t count, struct ArrowArray *out,
                                                 frz_error **err);

#endif
