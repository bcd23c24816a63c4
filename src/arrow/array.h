/*
 * Arrow arrays that we make and read.
 *
 * An array that we make owns its buffers, aligned to 16 bytes at least and from base/mem.h; a
 * buffer may be shared by several arrays (slices, columns handed through unchanged) and is freed
 * with the last of them.
 *
 * Invariant of our own arrays: offset 0, unless frz_arrow_array_slice made them; validity buffer
 * NULL when null_count is 0.
 */
#ifndef FRZ_ARROW_ARRAY_H
#define FRZ_ARROW_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "frazil/arrow.h"
#include "frazil/error.h"

/* Bits are numbered from the least significant, as Arrow has it. */
static inline bool frz_bit_get(const uint8_t *bits, int64_t index)
{
    return bits[index >> 3] >> (index & 7) & 1;
}

static inline void frz_bit_set(uint8_t *bits, int64_t index)
{
    bits[index >> 3] |= (uint8_t)(1u << (index & 7));
}

/* The number of set bits in [start, start + length). */
int64_t frz_bit_count(const uint8_t *bits, int64_t start, int64_t length);

/* Whether row `index` (relative to the array's offset) is null. */
bool frz_arrow_is_null(const struct ArrowArray *array, int64_t index);

/* -1 (not computed) resolved by counting. */
int64_t frz_arrow_null_count(const struct ArrowArray *array);

/*
 * Makes an array of `length` rows with `buffer_count` buffers and `child_count` zeroed children.
 * Takes the contents of `buffers` (each frz_buffer with zero size becomes NULL) and leaves them
 * empty, also on failure.
 */
FRZ_MUST_CHECK frz_status frz_arrow_array_init(struct ArrowArray *out, int64_t length,
                                               int64_t null_count, frz_buffer *buffers,
                                               int64_t buffer_count, int64_t child_count,
                                               frz_error **err);

/*
 * `length` rows of *array from `start`, sharing its memory; both stay valid on their own and may be
 * released in any order. A foreign *array becomes one of ours in place (same buffers, its release
 * kept for the last).
 */
FRZ_MUST_CHECK frz_status frz_arrow_array_slice(struct ArrowArray *array, int64_t start,
                                                int64_t length, struct ArrowArray *out,
                                                frz_error **err);

/*
 * The rows of `array` whose bit is set in `mask` (array length bits, from bit 0), in order,
 * compacted into new memory. `count` is the number of set bits. Types per `schema`, nested ones
 * included.
 */
FRZ_MUST_CHECK frz_status frz_arrow_array_filter(const struct ArrowSchema *schema,
                                                 const struct ArrowArray *array,
                                                 const uint64_t *mask, int64_t count,
                                                 struct ArrowArray *out, frz_error **err);

/* Rows picked by index (each within the array), in that order, repeats allowed. */
FRZ_MUST_CHECK frz_status frz_arrow_array_take(const struct ArrowSchema *schema,
                                               const struct ArrowArray *array, const int64_t *rows,
                                               int64_t count, struct ArrowArray *out,
                                               frz_error **err);

/* `length` nulls of any type. */
FRZ_MUST_CHECK frz_status frz_arrow_array_nulls(const struct ArrowSchema *schema, int64_t length,
                                                struct ArrowArray *out, frz_error **err);

/*
 * Checks a foreign array against its schema: buffer and child counts, offsets ascending and within
 * the data, lengths of children. The data buffers' sizes cannot be known.
 */
FRZ_MUST_CHECK frz_status frz_arrow_array_validate(const struct ArrowSchema *schema,
                                                   const struct ArrowArray *array, frz_error **err);

#endif
