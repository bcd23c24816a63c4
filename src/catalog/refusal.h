/*
 * What every catalog back-end refuses, in the same words: callers and their tests see no difference
 * between them. Each sets the error and returns its status.
 */
#ifndef FRZ_CATALOG_REFUSAL_H
#define FRZ_CATALOG_REFUSAL_H

#include "base/slice.h"
#include "frazil/error.h"

/* FRZ_NOT_FOUND */
FRZ_MUST_CHECK frz_status frz_refuse_no_table(const char *identifier, frz_error **err);
FRZ_MUST_CHECK frz_status frz_refuse_no_namespace(frz_slice name, frz_error **err);

/* FRZ_ALREADY_EXISTS */
FRZ_MUST_CHECK frz_status frz_refuse_table_exists(const char *identifier, frz_error **err);
FRZ_MUST_CHECK frz_status frz_refuse_namespace_exists(const char *name, frz_error **err);

/* FRZ_INVALID: what is in it has to be dropped first. */
FRZ_MUST_CHECK frz_status frz_refuse_namespace_used(const char *name, frz_error **err);

/* FRZ_CONFLICT: a swap that found another metadata file than it expected. */
FRZ_MUST_CHECK frz_status frz_refuse_lost_swap(const char *identifier, const char *found,
                                               const char *expected, frz_error **err);

#endif
