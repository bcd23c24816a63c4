#include "maintenance/verification.h"

#include "base/mem.h"

frz_entry_kind frz_entry_kind_of(const frz_data_file *file)
{
    switch (file->content) {
    case FRZ_CONTENT_DATA:
        return FRZ_KIND_DATA;
    case FRZ_CONTENT_EQUALITY_DELETES:
        return FRZ_KIND_EQUALITY_DELETES;
    case FRZ_CONTENT_POSITION_DELETES:
        break;
    }
    return file->format == FRZ_FORMAT_PUFFIN ? FRZ_KIND_VECTOR : FRZ_KIND_POSITION_DELETES;
}

int64_t frz_count_add(int64_t a, int64_t b)
{
    int64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

bool frz_is_earlier(int64_t ms, int64_t than_ms)
{
    return ms < than_ms && (uint64_t)than_ms - (uint64_t)ms > FRZ_CLOCK_TOLERANCE_MS;
}

void frz_verification_clear(frz_verification *self)
{
    frz_map_clear(&self->manifests_by_path);
    frz_free(self->snapshots);
    frz_free(self->manifests);
    frz_arena_clear(&self->arena);
}

bool frz_verification_index(const frz_verification *self, int64_t snapshot_id, size_t *out)
{
    const frz_snapshot *found = frz_metadata_find_snapshot(self->metadata, snapshot_id);
    if (!found)
        return false;
    *out = (size_t)(found - self->metadata->snapshots);
    return true;
}

bool frz_manifest_is_listed(const frz_manifest_record *manifest, size_t snapshot)
{
    const frz_snapshot_run *runs = manifest->runs.items;
    size_t low = 0;
    size_t high = manifest->runs.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (runs[middle].to < snapshot)
            low = middle + 1;
        else
            high = middle;
    }
    return low < manifest->runs.count && runs[low].from <= snapshot;
}

frz_place frz_place_of_manifest(const frz_manifest_record *manifest)
{
    frz_place place = FRZ_PLACE_NONE;
    place.manifest = manifest->file.path;
    if (manifest->listed_by)
        place.snapshot_id = manifest->listed_by->snapshot_id;
    return place;
}
