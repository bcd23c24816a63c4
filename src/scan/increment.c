#include "scan/increment.h"

#include "base/fail.h"
#include "spec/list.h"

static frz_status check_operation(const frz_snapshot *snapshot, bool *is_append_out,
                                  frz_error **err)
{
    const char *operation = snapshot->operation ? snapshot->operation : "unknown";
    *is_append_out = strcmp(operation, "append") == 0;
    if (*is_append_out || strcmp(operation, "replace") == 0)
        return FRZ_OK;
    return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                    "snapshot %lld has operation %s: changes other than appends are not read yet",
                    (long long)snapshot->snapshot_id, operation);
}

static frz_status no_ancestor(const frz_metadata *metadata, int64_t from, const frz_snapshot *to,
                              const frz_snapshot *oldest, frz_error **err)
{
    if (oldest->parent_id != FRZ_NO_SNAPSHOT &&
        !frz_metadata_find_snapshot(metadata, oldest->parent_id))
        return frz_fail(err, FRZ_NOT_FOUND, FRZ_NO_OFFSET,
                        "snapshot %lld, an ancestor of snapshot %lld, is no longer there; whether "
                        "snapshot %lld is one cannot be told",
                        (long long)oldest->parent_id, (long long)to->snapshot_id, (long long)from);
    return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                    "snapshot %lld is no ancestor of snapshot %lld", (long long)from,
                    (long long)to->snapshot_id);
}

/* Counts the snapshots after `from`, which must be reached: no more than there are, even where
 * parents run in a circle. */
static frz_status count_between(const frz_metadata *metadata, int64_t from, const frz_snapshot *to,
                                size_t *out, frz_error **err)
{
    const frz_snapshot *at = to;
    *out = 0;
    if (to->snapshot_id == from)
        return FRZ_OK;
    for (*out = 1; at->parent_id != from; (*out)++) {
        const frz_snapshot *parent = at->parent_id == FRZ_NO_SNAPSHOT
                                         ? NULL
                                         : frz_metadata_find_snapshot(metadata, at->parent_id);
        if (!parent || *out >= metadata->snapshot_count)
            return no_ancestor(metadata, from, to, at, err);
        at = parent;
    }
    return FRZ_OK;
}

static void reverse(const frz_snapshot **items, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        const frz_snapshot *item = items[i];
        items[i] = items[count - 1 - i];
        items[count - 1 - i] = item;
    }
}

frz_status frz_increment_find(const frz_metadata *metadata, int64_t from_snapshot_id,
                              const frz_snapshot *to, frz_arena *arena, const frz_increment **out,
                              frz_error **err)
{
    size_t between = 0;
    if (!to)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "snapshot %lld is no ancestor: the table has no snapshot",
                        (long long)from_snapshot_id);
    FRZ_TRY(count_between(metadata, from_snapshot_id, to, &between, err));
    frz_increment *increment = frz_arena_alloc(arena, sizeof *increment);
    const frz_snapshot **appends = frz_arena_array(arena, between, sizeof *appends);
    if (!increment || !appends)
        return frz_fail_memory(err);
    *increment = (frz_increment){.from_snapshot_id = from_snapshot_id, .appends = appends};
    for (size_t i = 0; i < between; i++) {
        bool is_append = false;
        FRZ_TRY(check_operation(to, &is_append, err));
        if (is_append)
            appends[increment->append_count++] = to;
        to = frz_metadata_find_snapshot(metadata, to->parent_id);
    }
    reverse(appends, increment->append_count);
    *out = increment;
    return FRZ_OK;
}

frz_status frz_increment_manifests(const frz_scan *scan, frz_arena *arena, frz_manifest_list *out,
                                   frz_error **err)
{
    frz_list found = {0};
    for (size_t i = 0; i < scan->increment->append_count; i++) {
        const frz_snapshot *snapshot = scan->increment->appends[i];
        frz_manifest_list list = {0};
        FRZ_TRY(frz_manifest_list_read(scan->io, scan->metadata, snapshot, &scan->limits, arena,
                                       &list, err));
        for (size_t k = 0; k < list.count; k++) {
            const frz_manifest_file *file = &list.files[k];
            if (file->content != 0 || file->added_snapshot_id != snapshot->snapshot_id)
                continue;
            frz_manifest_file *copy = frz_list_add(&found, arena, sizeof *copy);
            if (!copy)
                return frz_fail_memory(err);
            *copy = *file;
        }
    }
    *out = (frz_manifest_list){.files = found.items, .count = found.count};
    return FRZ_OK;
}

bool frz_increment_has(const frz_manifest_file *manifest, const frz_manifest_entry *entry)
{
    return entry->status == FRZ_ENTRY_ADDED && entry->snapshot_id == manifest->added_snapshot_id;
}
