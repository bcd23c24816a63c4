#include "write/idempotency.h"

#include <string.h>

#include "spec/ancestry.h"

static bool has_entry(const frz_snapshot *snapshot, const char *key, const char *value)
{
    const char *found = frz_snapshot_summary_find(snapshot, key);
    return found && strcmp(found, value) == 0;
}

const frz_snapshot *frz_idempotent_find(const frz_metadata *metadata, const frz_snapshot *head,
                                        const frz_write_options *options)
{
    const char *key = options->idempotency_key;
    if (!key)
        return NULL;
    frz_ancestry line = frz_ancestry_of(metadata, head);
    for (const frz_snapshot *at = frz_ancestry_next(&line); at; at = frz_ancestry_next(&line))
        if (has_entry(at, FRZ_IDEMPOTENCY_KEY, key))
            return at;
    for (size_t i = 0; options->wap_id && i < metadata->snapshot_count; i++) {
        const frz_snapshot *at = &metadata->snapshots[i];
        if (has_entry(at, "wap.id", options->wap_id) && has_entry(at, FRZ_IDEMPOTENCY_KEY, key))
            return at;
    }
    return NULL;
}
