#include "spec/ancestry.h"

frz_ancestry frz_ancestry_of(const frz_metadata *metadata, const frz_snapshot *snapshot)
{
    return (frz_ancestry){.metadata = metadata, .next = snapshot, .left = metadata->snapshot_count};
}

const frz_snapshot *frz_ancestry_next(frz_ancestry *self)
{
    const frz_snapshot *snapshot = self->next;
    if (!snapshot || self->left == 0)
        return NULL;
    self->left--;
    self->next = snapshot->parent_id == FRZ_NO_SNAPSHOT
                     ? NULL
                     : frz_metadata_find_snapshot(self->metadata, snapshot->parent_id);
    return snapshot;
}

bool frz_is_ancestor(const frz_metadata *metadata, int64_t ancestor_id,
                     const frz_snapshot *snapshot)
{
    frz_ancestry line = frz_ancestry_of(metadata, snapshot);
    for (const frz_snapshot *at = frz_ancestry_next(&line); at; at = frz_ancestry_next(&line))
        if (at->snapshot_id == ancestor_id)
            return true;
    return false;
}
