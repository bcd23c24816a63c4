/*
 * The line of a snapshot: itself, its parent, and so on, as far as the metadata has them.
 */
#ifndef FRZ_SPEC_ANCESTRY_H
#define FRZ_SPEC_ANCESTRY_H

#include "spec/metadata.h"

/* Walks from a snapshot to the oldest; ends on metadata whose parents go round, too. */
typedef struct frz_ancestry {
    const frz_metadata *metadata; /* borrowed */
    const frz_snapshot *next;     /* NULL: at the end */
    size_t left;
} frz_ancestry;

/* `snapshot` NULL has no line. */
frz_ancestry frz_ancestry_of(const frz_metadata *metadata, const frz_snapshot *snapshot);
/* NULL at the end. */
const frz_snapshot *frz_ancestry_next(frz_ancestry *self);

/* Whether `ancestor_id` is in the line of `snapshot` (NULL: no). */
bool frz_is_ancestor(const frz_metadata *metadata, int64_t ancestor_id,
                     const frz_snapshot *snapshot);

#endif
