/*
 * Write options as a caller gives them, and those that outlive the call they were given to.
 */
#ifndef FRZ_WRITE_OPTIONS_H
#define FRZ_WRITE_OPTIONS_H

#include "base/arena.h"
#include "frazil/write.h"

/* What the caller's release knew of, over the defaults (base/options.h). NULL = all defaults. */
FRZ_MUST_CHECK frz_status frz_write_options_take(const frz_write_options *given,
                                                 frz_write_options *out, frz_error **err);

/* With copies of all texts in `arena`, but for what only the call itself looks at (cancelled,
 * input_names: NULL in the copy). */
FRZ_MUST_CHECK frz_status frz_write_options_copy(const frz_write_options *options, frz_arena *arena,
                                                 frz_write_options *out, frz_error **err);

#endif
