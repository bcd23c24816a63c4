#include "write/manifest_set.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"

enum { NAME_SIZE = 96 };

void frz_manifest_set_clear(frz_manifest_set *set)
{
    frz_free(set->files);
    *set = (frz_manifest_set){0};
}

frz_status frz_manifest_set_add(frz_manifest_set *set, const frz_manifest_file *file,
                                frz_error **err)
{
    if (!frz_grow_array((void **)&set->files, &set->capacity, set->count, sizeof *set->files))
        return frz_fail_memory(err);
    set->files[set->count++] = *file;
    return FRZ_OK;
}

static frz_status open_manifest(frz_manifest_set *set, int32_t spec_id, int32_t content,
                                int32_t attempt, frz_manifest_writer **out, frz_error **err)
{
    frz_transaction *transaction = set->transaction;
    frz_buffer path = {0};
    char name[NAME_SIZE];
    (void)snprintf(name, sizeof name, "%s-m%d.avro", transaction->uuid,
                   transaction->manifest_count++);
    frz_table_metadata_path(set->metadata, name, &path);
    frz_buffer_append_byte(&path, 0);
    frz_status status = frz_buffer_check(&path, err);
    if (status == FRZ_OK)
        status = frz_own_files_add(&transaction->own, (const char *)path.data, attempt, err);
    if (status == FRZ_OK)
        status =
            frz_manifest_writer_open(transaction->table->io, (const char *)path.data, set->metadata,
                                     spec_id, content, transaction->snapshot_id, out, err);
    frz_buffer_clear(&path);
    return status;
}

static frz_status finish_manifest(frz_manifest_set *set, frz_manifest_writer *writer,
                                  frz_arena *arena, frz_manifest_file *out, frz_error **err)
{
    const frz_status status = frz_manifest_writer_finish(writer, arena, out, err);
    frz_manifest_writer_free(writer);
    if (status == FRZ_OK)
        set->created++;
    return status;
}

static frz_status add_new(frz_manifest_set *set, frz_manifest_writer *writer,
                          const frz_data_file *file, frz_error **err)
{
    const frz_manifest_entry entry = {.status = FRZ_ENTRY_ADDED,
                                      .snapshot_id = set->transaction->snapshot_id,
                                      .sequence_number = -1,
                                      .file_sequence_number = -1,
                                      .file = *file};
    return frz_manifest_writer_add(writer, &entry, err);
}

static frz_status keep_new(frz_new_manifests *out, const frz_manifest_file *file, frz_arena *arena,
                           frz_error **err)
{
    frz_manifest_file *grown = frz_arena_array(arena, out->count + 1, sizeof *grown);
    if (!grown)
        return frz_fail_memory(err);
    if (out->count > 0)
        memcpy(grown, out->files, out->count * sizeof *grown);
    grown[out->count++] = *file;
    out->files = grown;
    return FRZ_OK;
}

/* Writes the files of one spec from `*at` on until the manifest is full or there are no more;
 * *at is then where to go on. */
static frz_status write_one(frz_manifest_set *set, const frz_new_files *new_files, size_t *at,
                            frz_arena *arena, frz_manifest_file *out, frz_error **err)
{
    frz_manifest_writer *writer = NULL;
    const size_t first = *at;
    const int32_t spec_id = new_files->files[first].spec_id;
    size_t i = first;
    FRZ_TRY(open_manifest(set, spec_id, new_files->content, new_files->attempt, &writer, err));
    for (; i < new_files->count; i++) {
        if (new_files->files[i].spec_id != spec_id)
            continue;
        if (i > first && frz_manifest_writer_size(writer) >= (uint64_t)new_files->target_size)
            break;
        const frz_status status = add_new(set, writer, &new_files->files[i], err);
        if (status != FRZ_OK) {
            frz_manifest_writer_free(writer);
            return status;
        }
    }
    *at = i;
    return finish_manifest(set, writer, arena, out, err);
}

static bool spec_seen(const frz_new_files *files, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (files->files[i].spec_id == files->files[index].spec_id)
            return true;
    }
    return false;
}

static size_t next_of_spec(const frz_new_files *files, size_t from, int32_t spec_id)
{
    while (from < files->count && files->files[from].spec_id != spec_id)
        from++;
    return from;
}

frz_status frz_manifest_set_write_new(frz_manifest_set *set, const frz_new_files *files,
                                      frz_arena *arena, frz_new_manifests *out, frz_error **err)
{
    for (size_t i = 0; i < files->count; i++) {
        const int32_t spec_id = files->files[i].spec_id;
        if ((i > 0 && spec_id == files->files[i - 1].spec_id) || spec_seen(files, i))
            continue;
        for (size_t at = i; at < files->count; at = next_of_spec(files, at, spec_id)) {
            frz_manifest_file made;
            FRZ_TRY(write_one(set, files, &at, arena, &made, err));
            FRZ_TRY(keep_new(out, &made, arena, err));
        }
    }
    return FRZ_OK;
}

void frz_removed_key(frz_slice path, int64_t content_offset, bool deletes, frz_buffer *out)
{
    frz_buffer_append_byte(out, deletes);
    frz_buffer_append_u64le(out, (uint64_t)content_offset);
    frz_buffer_append(out, path.data, path.size);
}

static frz_status find_removed(const frz_map *removed, const frz_data_file *file, frz_buffer *key,
                               frz_removed_file **out, frz_error **err)
{
    const bool deletes = file->content != FRZ_CONTENT_DATA;
    frz_buffer_reset(key);
    frz_removed_key(file->path, deletes ? file->content_offset : -1, deletes, key);
    FRZ_TRY(frz_buffer_check(key, err));
    const frz_map_value *found = frz_map_find(removed, frz_buffer_slice(key));
    *out = found ? found->pointer : NULL;
    return FRZ_OK;
}

/* A delete file older than every live data file reaches none of them, nor any to come (spec "Scan
 * Planning"; Java's dropDeleteFilesOlderThan). */
static bool reaches_nothing(const frz_manifest_set *set, const frz_manifest_entry *entry)
{
    return entry->file.content != FRZ_CONTENT_DATA && entry->sequence_number > 0 &&
           entry->sequence_number < set->oldest_data;
}

static frz_status lists_removed(const frz_manifest_set *set, const frz_manifest *manifest,
                                const frz_map *removed, frz_buffer *key, bool *out, frz_error **err)
{
    *out = false;
    for (size_t i = 0; i < frz_manifest_count(manifest) && !*out; i++) {
        const frz_manifest_entry *entry = frz_manifest_entry_at(manifest, i);
        frz_removed_file *found = NULL;
        if (entry->status == FRZ_ENTRY_DELETED)
            continue;
        FRZ_TRY(find_removed(removed, &entry->file, key, &found, err));
        *out = found || reaches_nothing(set, entry);
    }
    return FRZ_OK;
}

/* Entries that earlier snapshots deleted are not carried on (spec "Manifest Entry Fields"): a
 * reader would not see them, and a live status would bring the files back. */
static frz_status write_filtered(frz_manifest_set *set, frz_manifest_writer *writer,
                                 const frz_manifest *manifest, const frz_map *removed,
                                 frz_buffer *key, frz_error **err)
{
    for (size_t i = 0; i < frz_manifest_count(manifest); i++) {
        frz_manifest_entry entry = *frz_manifest_entry_at(manifest, i);
        frz_removed_file *found = NULL;
        if (entry.status == FRZ_ENTRY_DELETED)
            continue;
        FRZ_TRY(find_removed(removed, &entry.file, key, &found, err));
        if (found)
            found->found = true;
        entry.status =
            found || reaches_nothing(set, &entry) ? FRZ_ENTRY_DELETED : FRZ_ENTRY_EXISTING;
        if (entry.status == FRZ_ENTRY_DELETED) {
            entry.snapshot_id = set->transaction->snapshot_id;
            FRZ_TRY(frz_summary_add(set->summary, &entry.file, false, err));
        }
        FRZ_TRY(frz_manifest_writer_add(writer, &entry, err));
        set->entries_processed++;
    }
    return FRZ_OK;
}

static frz_status rewrite(frz_manifest_set *set, const frz_manifest_file *source,
                          const frz_manifest *manifest, const frz_map *removed, frz_buffer *key,
                          frz_error **err)
{
    frz_manifest_writer *writer = NULL;
    frz_manifest_file made;
    FRZ_TRY(open_manifest(set, source->spec_id, source->content, set->transaction->attempt, &writer,
                          err));
    const frz_status status = write_filtered(set, writer, manifest, removed, key, err);
    if (status != FRZ_OK) {
        frz_manifest_writer_free(writer);
        return status;
    }
    FRZ_TRY(finish_manifest(set, writer, &set->transaction->attempt_arena, &made, err));
    set->replaced++;
    return frz_manifest_set_add(set, &made, err);
}

frz_status frz_manifest_set_add_filtered(frz_manifest_set *set, const frz_manifest_file *file,
                                         const frz_map *removed, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_manifest *manifest = NULL;
    frz_buffer key = {0};
    bool listed = false;

    FRZ_TRY_DONE(frz_manifest_read(set->transaction->table->io, file, set->metadata, NULL,
                                   &set->transaction->table->limits, &manifest, err));
    FRZ_TRY_DONE(lists_removed(set, manifest, removed, &key, &listed, err));
    if (listed)
        FRZ_TRY_DONE(rewrite(set, file, manifest, removed, &key, err));
    else
        FRZ_TRY_DONE(frz_manifest_set_add(set, file, err));

done:
    frz_buffer_clear(&key);
    frz_manifest_unref(manifest);
    return status;
}

/* What stands in a merged manifest: this snapshot's own additions and deletions as such, the rest
 * as existing. */
static frz_status merge_entries(frz_manifest_set *set, frz_manifest_writer *writer,
                                const frz_manifest *manifest, frz_error **err)
{
    const int64_t own = set->transaction->snapshot_id;
    for (size_t i = 0; i < frz_manifest_count(manifest); i++) {
        frz_manifest_entry entry = *frz_manifest_entry_at(manifest, i);
        if (entry.status == FRZ_ENTRY_DELETED && entry.snapshot_id != own)
            continue;
        if (entry.status == FRZ_ENTRY_ADDED && entry.snapshot_id == own) {
            entry.sequence_number = -1;
            entry.file_sequence_number = -1;
            entry.file.first_row_id = -1;
        } else if (entry.status == FRZ_ENTRY_ADDED) {
            entry.status = FRZ_ENTRY_EXISTING;
        }
        FRZ_TRY(frz_manifest_writer_add(writer, &entry, err));
        set->entries_processed += entry.snapshot_id != own;
    }
    return FRZ_OK;
}

static frz_status merge_source(frz_manifest_set *set, frz_manifest_writer *writer,
                               const frz_manifest_file *source, frz_error **err)
{
    frz_manifest *manifest = NULL;
    frz_manifest_file readable = *source;
    if (readable.sequence_number < 0) { /* one of this attempt: its numbers are not known yet, */
        readable.sequence_number = readable.min_sequence_number = 0;
        readable.first_row_id = FRZ_ROW_IDS_AS_WRITTEN; /* but those of entries it carries are */
    }
    FRZ_TRY(frz_manifest_read(set->transaction->table->io, &readable, set->metadata, NULL,
                              &set->transaction->table->limits, &manifest, err));
    const frz_status status = merge_entries(set, writer, manifest, err);
    frz_manifest_unref(manifest);
    if (source->added_snapshot_id != set->transaction->snapshot_id)
        set->replaced++;
    return status;
}

static frz_status merge_bin(frz_manifest_set *set, const frz_manifest_file *files,
                            const size_t *bin, size_t count, frz_manifest_file *out,
                            frz_error **err)
{
    frz_manifest_writer *writer = NULL;
    const frz_manifest_file *first = &files[bin[0]];
    FRZ_TRY(open_manifest(set, first->spec_id, first->content, set->transaction->attempt, &writer,
                          err));
    for (size_t i = 0; i < count; i++) {
        const frz_status status = merge_source(set, writer, &files[bin[i]], err);
        if (status != FRZ_OK) {
            frz_manifest_writer_free(writer);
            return status;
        }
    }
    return finish_manifest(set, writer, &set->transaction->attempt_arena, out, err);
}

/* One group of manifests that may be merged with each other: same content, same spec; in list
 * order. */
typedef struct merge_group {
    const frz_manifest_file *files; /* of the whole set, before merging */
    size_t *members;
    size_t count;
    bool has_first; /* the set's first manifest of this content is among them */
} merge_group;

/* Where the bin that ends before `end` starts. */
static size_t bin_start(const merge_group *group, size_t end, int64_t target_size)
{
    size_t start = end - 1;
    int64_t size = group->files[group->members[start]].length;
    while (start > 0 && size + group->files[group->members[start - 1]].length <= target_size)
        size += group->files[group->members[--start]].length;
    return start;
}

/*
 * Bins are packed from the end, one open at a time, so that the order stays and the newest bin is
 * the one that is not full. The bin of the newest manifest waits until it has min_count members.
 */
static frz_status merge_group_bins(frz_manifest_set *set, const merge_group *group,
                                   const frz_commit_properties *properties, frz_error **err)
{
    size_t end = group->count;
    frz_manifest_file *reversed =
        frz_arena_array(&set->transaction->attempt_arena, group->count, sizeof *reversed);
    size_t made = 0;
    if (!reversed)
        return frz_fail_memory(err);
    while (end > 0) {
        const size_t start = bin_start(group, end, properties->manifest_target_size);
        const size_t count = end - start;
        const bool waits =
            start == 0 && group->has_first && (int64_t)count < properties->manifest_min_count;
        if (count == 1 || waits) {
            for (size_t i = end; i > start; i--)
                reversed[made++] = group->files[group->members[i - 1]];
        } else {
            FRZ_TRY(merge_bin(set, group->files, group->members + start, count, &reversed[made++],
                              err));
        }
        end = start;
    }
    while (made > 0)
        FRZ_TRY(frz_manifest_set_add(set, &reversed[--made], err));
    return FRZ_OK;
}

static frz_status merge_like(frz_manifest_set *set, const frz_manifest_file *files, size_t count,
                             size_t first, const frz_commit_properties *properties, frz_error **err)
{
    merge_group group = {.files = files, .has_first = true};
    group.members = frz_arena_array(&set->transaction->attempt_arena, count, sizeof *group.members);
    if (!group.members)
        return frz_fail_memory(err);
    for (size_t i = 0; i < first && group.has_first; i++)
        group.has_first = files[i].content != files[first].content;
    for (size_t i = first; i < count; i++) {
        if (files[i].content == files[first].content && files[i].spec_id == files[first].spec_id)
            group.members[group.count++] = i;
    }
    return merge_group_bins(set, &group, properties, err);
}

static bool group_seen(const frz_manifest_file *files, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (files[i].content == files[index].content && files[i].spec_id == files[index].spec_id)
            return true;
    }
    return false;
}

frz_status frz_manifest_set_merge(frz_manifest_set *set, const frz_commit_properties *properties,
                                  frz_error **err)
{
    if (!properties->merge_manifests || set->count < 2)
        return FRZ_OK;
    frz_status status = FRZ_OK;
    frz_manifest_file *files = set->files;
    const size_t count = set->count;
    set->files = NULL;
    set->count = set->capacity = 0;
    for (size_t i = 0; i < count; i++) {
        if (!group_seen(files, i))
            FRZ_TRY_DONE(merge_like(set, files, count, i, properties, err));
    }

done:
    frz_free(files);
    return status;
}
