/*
 * Arrays as bytes and back, for temporary files of this process: no format that anybody else reads.
 */
#ifndef FRZ_ARROW_PACK_H
#define FRZ_ARROW_PACK_H

#include "base/buffer.h"
#include "base/cursor.h"
#include "frazil/arrow.h"
#include "frazil/error.h"

/* Appends an array of ours at offset 0 throughout, as frz_arrow_array_take makes them. `schema` is
 * plain (arrow/normalize.h); FRZ_UNSUPPORTED for other types. */
FRZ_MUST_CHECK frz_status frz_arrow_array_pack(const struct ArrowSchema *schema,
                                               const struct ArrowArray *array, frz_buffer *out,
                                               frz_error **err);

/* The array that stands at the cursor, in memory of its own. FRZ_CORRUPT when the bytes end within
 * it. */
FRZ_MUST_CHECK frz_status frz_arrow_array_unpack(const struct ArrowSchema *schema,
                                                 frz_cursor *cursor, struct ArrowArray *out,
                                                 frz_error **err);

#endif
