/*
 * Option structs of the public interface, as callers of any release hand them over. Each begins
 * with `size_t struct_size`, which says how much of it the caller knew of; members only ever come
 * to the end, and not into padding that a release had there.
 *
 * An older caller's struct is shorter: what it lacks keeps its default. A newer caller's is longer:
 * that is accepted as long as nothing is asked there that this library does not know of.
 */
#ifndef FRZ_BASE_OPTIONS_H
#define FRZ_BASE_OPTIONS_H

#include <stddef.h>

#include "frazil/error.h"

/* No struct of options is larger, of whatever release: a struct_size above was never set. */
#define FRZ_OPTIONS_SIZE_MAX 4096

/*
 * Copies what `given` knew of over the defaults that `out` holds, whose struct_size is set to
 * `size`. `given` NULL = all defaults. FRZ_INVALID, naming `name`, when struct_size is none, or
 * there is anything but zero behind `size`.
 */
FRZ_MUST_CHECK frz_status frz_options_take(const void *given, void *out, size_t size,
                                           const char *name, frz_error **err);

/* The same of a `type`, for which both are checked. */
#define FRZ_OPTIONS_TAKE(type, given, out, err) \
    frz_options_take((const type *){given}, (type *){out}, sizeof(type), #type, err)

/*
 * The other way round: a struct that the caller holds and the library fills, up to what the caller
 * knew of. Refused like the above, but for what stands behind `size`, which stays as it is.
 */
FRZ_MUST_CHECK frz_status frz_options_check_out(const void *held, const char *name,
                                                frz_error **err);
void frz_options_give(const void *filled, size_t size, void *held);

#endif
