/*
 * Whether columns that an operation has read are what they were, when another commit changed the
 * schema meanwhile: a filter or formula names columns, and a name may have gone to another one.
 */
#ifndef FRZ_WRITE_KEPT_COLUMNS_H
#define FRZ_WRITE_KEPT_COLUMNS_H

#include "spec/metadata.h"

/* FRZ_CONFLICT names a column of the current schema of `base` that `now` has not, or under another
 * name or with another type. New columns, and what is said of columns beside, are none. */
FRZ_MUST_CHECK frz_status frz_kept_columns_check(const frz_metadata *base, const frz_metadata *now,
                                                 frz_error **err);

#endif
