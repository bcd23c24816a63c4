/*
 * What a caller gets to know of a commit (frz_commit): copies that outlive the transaction.
 */
#ifndef FRZ_WRITE_RESULT_H
#define FRZ_WRITE_RESULT_H

#include "frazil/write.h"
#include "spec/snapshot.h"

/* `snapshot` NULL: there was nothing to commit. */
FRZ_MUST_CHECK frz_status frz_commit_result_new(const frz_snapshot *snapshot, frz_commit **out,
                                                frz_error **err);

#endif
