/*
 * What a caller gets to know of a commit (frz_commit): copies that outlive the transaction.
 */
#ifndef FRZ_WRITE_RESULT_H
#define FRZ_WRITE_RESULT_H

#include "base/arena.h"
#include "frazil/write.h"
#include "spec/snapshot.h"

/* `snapshot` NULL: there was nothing to commit. */
FRZ_MUST_CHECK frz_status frz_commit_result_new(const frz_snapshot *snapshot, frz_commit **out,
                                                frz_error **err);

/* The same into a place of the caller's, with the texts in `arena`. False when memory is short. */
bool frz_commit_fill(frz_commit *commit, const frz_snapshot *snapshot, frz_arena *arena);

#endif
