#include "write/live_paths.h"

#include "base/fail.h"
#include "spec/manifest_list.h"

static bool leaves(const frz_change *change, frz_slice path)
{
    for (size_t i = 0; i < change->removed_count; i++)
        if (!change->removed[i].deletes && frz_slice_equal(change->removed[i].path, path))
            return true;
    return false;
}

static frz_status check_manifest(const frz_table *table, const frz_manifest_file *file,
                                 const frz_map *added, const frz_change *change, frz_error **err)
{
    const frz_manifest_fields none = {0};
    frz_manifest *manifest = NULL;
    frz_status status = FRZ_OK;
    FRZ_TRY(
        frz_manifest_read(table->io, file, table->metadata, &none, &table->limits, &manifest, err));
    for (size_t i = 0; i < frz_manifest_count(manifest) && status == FRZ_OK; i++) {
        const frz_manifest_entry *entry = frz_manifest_entry_at(manifest, i);
        const frz_slice path = entry->file.path;
        if (entry->status != FRZ_ENTRY_DELETED && frz_map_find(added, path) &&
            !leaves(change, path))
            status = frz_fail(err, FRZ_ALREADY_EXISTS, FRZ_NO_OFFSET,
                              "data file %.*s is in the table already", (int)path.size,
                              (const char *)path.data);
    }
    frz_manifest_unref(manifest);
    return status;
}

static frz_status check_parent(const frz_table *table, const frz_snapshot *parent,
                               const frz_map *added, const frz_change *change, frz_error **err)
{
    frz_arena arena = {0};
    frz_manifest_list list = {0};
    frz_status status = frz_manifest_list_read(table->io, table->metadata, parent, &table->limits,
                                               &arena, &list, err);
    for (size_t i = 0; i < list.count && status == FRZ_OK; i++) {
        const frz_manifest_file *file = &list.files[i];
        if (file->content == 0 && (file->added_files != 0 || file->existing_files != 0))
            status = check_manifest(table, file, added, change, err);
    }
    frz_arena_clear(&arena);
    return status;
}

frz_status frz_live_paths_check(const frz_table *table, const frz_snapshot *parent,
                                const frz_change *change, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_map added = {0};
    for (size_t i = 0; i < change->added_data_count; i++) {
        const frz_slice path = change->added_data[i].path;
        if (frz_map_find(&added, path)) {
            status = frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "data file %.*s is added twice",
                              (int)path.size, (const char *)path.data);
            goto done;
        }
        if (!frz_map_put(&added, path, (frz_map_value){.number = 1})) {
            status = frz_fail_memory(err);
            goto done;
        }
    }
    if (change->brings_files && parent && added.count > 0)
        status = check_parent(table, parent, &added, change, err);

done:
    frz_map_clear(&added);
    return status;
}
