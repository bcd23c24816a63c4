/*
 * Writes under a key of the caller's, each committed at most once on a branch: a loader that was
 * stopped starts again with the same key. The key is an entry of the snapshot summary (spec
 * "Optional Snapshot Summary Fields" leaves room for others).
 */
#ifndef FRZ_WRITE_IDEMPOTENCY_H
#define FRZ_WRITE_IDEMPOTENCY_H

#include "frazil/write.h"
#include "spec/metadata.h"

#define FRZ_IDEMPOTENCY_KEY "frazil.idempotency-key"

/*
 * The snapshot that was committed under options->idempotency_key: in the line of `head` as far back
 * as the metadata has it, or staged under the same write-audit-publish id. NULL when there is none,
 * or no key.
 */
const frz_snapshot *frz_idempotent_find(const frz_metadata *metadata, const frz_snapshot *head,
                                        const frz_write_options *options);

#endif
