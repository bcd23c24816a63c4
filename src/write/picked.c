#include "write/picked.h"

#include <inttypes.h>

#include "base/fail.h"
#include "spec/ancestry.h"
#include "spec/tuple_key.h"

static frz_status keep_manifest(frz_picked *self, frz_manifest *manifest, frz_error **err)
{
    frz_manifest **slot = frz_list_add(&self->manifests, &self->arena, sizeof(frz_manifest *));
    if (!slot) {
        frz_manifest_unref(manifest);
        return frz_fail_memory(err);
    }
    *slot = manifest;
    return FRZ_OK;
}

static frz_status take_entry(frz_picked *self, const frz_manifest_entry *entry, frz_error **err)
{
    if (entry->status == FRZ_ENTRY_ADDED) {
        frz_data_file *file = frz_list_add(&self->added, &self->arena, sizeof *file);
        if (!file)
            return frz_fail_memory(err);
        *file = entry->file;
        file->first_row_id = -1;
        return FRZ_OK;
    }
    frz_slice *path = frz_list_add(&self->removed, &self->arena, sizeof *path);
    if (!path)
        return frz_fail_memory(err);
    *path = entry->file.path;
    return FRZ_OK;
}

static frz_status take_manifest(frz_picked *self, const frz_table *table,
                                const frz_manifest_file *file, int64_t snapshot_id, frz_error **err)
{
    frz_manifest *manifest = NULL;
    FRZ_TRY(
        frz_manifest_read(table->io, file, table->metadata, NULL, &table->limits, &manifest, err));
    FRZ_TRY(keep_manifest(self, manifest, err));
    for (size_t i = 0; i < frz_manifest_count(manifest); i++) {
        const frz_manifest_entry *entry = frz_manifest_entry_at(manifest, i);
        if (entry->snapshot_id == snapshot_id && entry->status != FRZ_ENTRY_EXISTING)
            FRZ_TRY(take_entry(self, entry, err));
    }
    return FRZ_OK;
}

frz_status frz_picked_read(frz_picked *self, const frz_table *table, const frz_snapshot *snapshot,
                           frz_error **err)
{
    frz_manifest_list list = {0};
    FRZ_TRY(frz_manifest_list_read(table->io, table->metadata, snapshot, &table->limits,
                                   &self->arena, &list, err));
    for (size_t i = 0; i < list.count; i++)
        if (list.files[i].content == 0 && list.files[i].added_snapshot_id == snapshot->snapshot_id)
            FRZ_TRY(take_manifest(self, table, &list.files[i], snapshot->snapshot_id, err));
    return FRZ_OK;
}

void frz_picked_clear(frz_picked *self)
{
    frz_manifest **manifests = self->manifests.items;
    for (size_t i = 0; i < self->manifests.count; i++)
        frz_manifest_unref(manifests[i]);
    frz_arena_clear(&self->arena);
    *self = (frz_picked){0};
}

static void partition_key(const frz_data_file *file, frz_buffer *out)
{
    frz_buffer_reset(out);
    frz_buffer_append_u64le(out, (uint64_t)file->spec_id);
    frz_tuple_key(file->partition, file->partition_count, out);
}

static frz_status index_partitions(const frz_picked *self, frz_arena *arena, frz_map *out,
                                   frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_buffer key = {0};
    const frz_data_file *files = self->added.items;
    for (size_t i = 0; i < self->added.count && status == FRZ_OK; i++) {
        frz_slice copy;
        partition_key(&files[i], &key);
        if (key.failed || !frz_arena_slice(arena, frz_buffer_slice(&key), &copy) ||
            !frz_map_put(out, copy, (frz_map_value){.number = 0}))
            status = frz_fail_memory(err);
    }
    frz_buffer_clear(&key);
    return status;
}

static frz_status check_snapshot(const frz_map *partitions, const frz_table *table,
                                 const frz_snapshot *snapshot, frz_error **err)
{
    frz_picked other = {0};
    frz_buffer key = {0};
    frz_status status = frz_picked_read(&other, table, snapshot, err);
    const frz_data_file *files = other.added.items;
    for (size_t i = 0; i < other.added.count && status == FRZ_OK; i++) {
        partition_key(&files[i], &key);
        if (key.failed)
            status = frz_fail_memory(err);
        else if (frz_map_find(partitions, frz_buffer_slice(&key)))
            status = frz_fail(
                err, FRZ_INVALID, FRZ_NO_OFFSET,
                "snapshot %" PRId64 " added files to a partition that it replaces: %.*s",
                snapshot->snapshot_id, (int)files[i].path.size, (const char *)files[i].path.data);
    }
    frz_buffer_clear(&key);
    frz_picked_clear(&other);
    return status;
}

frz_status frz_picked_check_partitions(const frz_picked *self, const frz_table *table,
                                       const frz_snapshot *head, int64_t base_id, frz_error **err)
{
    frz_arena arena = {0};
    frz_map partitions = {0};
    frz_ancestry line = frz_ancestry_of(table->metadata, head);
    frz_status status = index_partitions(self, &arena, &partitions, err);
    for (const frz_snapshot *at = frz_ancestry_next(&line);
         at && at->snapshot_id != base_id && status == FRZ_OK; at = frz_ancestry_next(&line))
        status = check_snapshot(&partitions, table, at, err);
    frz_map_clear(&partitions);
    frz_arena_clear(&arena);
    return status;
}
