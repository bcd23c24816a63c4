/*
 * How arrays of ours share memory: counted owners of one buffer, or of a whole foreign array. Used
 * inside arrow/ and by readers that hand out pages without copying.
 */
#ifndef FRZ_ARROW_OWNER_H
#define FRZ_ARROW_OWNER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "frazil/arrow.h"
#include "frazil/error.h"

typedef struct frz_arrow_owner frz_arrow_owner;

/* One reference to a new owner of memory from base/mem.h; NULL when memory is short (`buffer`
 * stays). */
frz_arrow_owner *frz_arrow_owner_of_buffer(void *buffer);
/* Moves *foreign in (its release becomes NULL); NULL when memory is short (*foreign stays). */
frz_arrow_owner *frz_arrow_owner_of_array(struct ArrowArray *foreign);
const struct ArrowArray *frz_arrow_owner_array(const frz_arrow_owner *owner);
/* Moves it out again, for failures; nobody borrows from it any more. */
struct ArrowArray frz_arrow_owner_give_back(frz_arrow_owner *owner);

/* Both accept NULL. */
frz_arrow_owner *frz_arrow_owner_ref(frz_arrow_owner *owner);
void frz_arrow_owner_unref(frz_arrow_owner *owner);

/* An array of ours without rows: room for buffers (NULL) and zeroed children. */
FRZ_MUST_CHECK frz_status frz_arrow_array_shell(struct ArrowArray *out, int64_t buffer_count,
                                                int64_t child_count, frz_error **err);

/* Sets a buffer of an array of ours that has none yet. `owner` NULL: the bytes outlive the array.
 */
void frz_arrow_array_borrow(struct ArrowArray *array, int64_t index, const void *bytes,
                            frz_arrow_owner *owner);
/* Likewise with memory of its own; `buffer` is empty afterwards, also on failure. */
FRZ_MUST_CHECK frz_status frz_arrow_array_give(struct ArrowArray *array, int64_t index,
                                               frz_buffer *buffer, frz_error **err);

/* Gives an array of ours another buffer in place of the one it has; `buffer` as above. */
FRZ_MUST_CHECK frz_status frz_arrow_array_replace(struct ArrowArray *array, int64_t index,
                                                  frz_buffer *buffer, frz_error **err);

bool frz_arrow_array_is_ours(const struct ArrowArray *array);
/* The owner of one buffer of an array of ours; NULL when it owns nothing. */
frz_arrow_owner *frz_arrow_array_owner(const struct ArrowArray *array, int64_t index);

/*
 * A second array over the same memory. `owner` keeps it; NULL: `array` is ours throughout, and its
 * own owners are shared.
 */
FRZ_MUST_CHECK frz_status frz_arrow_array_share(const struct ArrowArray *array,
                                                frz_arrow_owner *owner, struct ArrowArray *out,
                                                frz_error **err);

#endif
