/*
 * Whether files that are named are there, each asked for once.
 */
#ifndef FRZ_MAINTENANCE_PRESENCE_H
#define FRZ_MAINTENANCE_PRESENCE_H

#include "maintenance/verification.h"

/* The size of a file; false in *there_out when there is none. */
FRZ_MUST_CHECK frz_status frz_presence_ask(frz_io *io, const char *location, bool *there_out,
                                           uint64_t *size_out, frz_error **err);

/* Files by a hash of their path: 64 bits, of which no two of some million paths are equal but with
 * a chance of one in a million. */
typedef struct frz_presence {
    frz_map seen; /* to the size that was checked */
} frz_presence;

void frz_presence_clear(frz_presence *self);

/* Checks that a file is there with `size` bytes ("file-exists", "file-size"). */
FRZ_MUST_CHECK frz_status frz_presence_check(frz_presence *self, frz_verification *verification,
                                             const frz_place *place, int64_t size, frz_error **err);

#endif
