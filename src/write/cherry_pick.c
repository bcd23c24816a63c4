/*
 * Cherry-pick, as Java's CherryPickOperation does it; publish is the cherry-pick of a staged
 * snapshot.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/mem.h"
#include "spec/ancestry.h"
#include "spec/update.h"
#include "write/idempotency.h"
#include "write/options.h"
#include "write/picked.h"
#include "write/result.h"
#include "write/transaction.h"

typedef struct picking {
    frz_transaction transaction;
    frz_write_options given;
    frz_write_options options; /* and what the new snapshot tells of the picked one */
    int64_t snapshot_id;
    frz_picked picked;
    const char *key;       /* the idempotency key of the picked snapshot; NULL: it has none */
    frz_commit *forwarded; /* the result when the branch just moved */
} picking;

static const char *find_wap_id(const frz_snapshot *snapshot)
{
    const char *id = frz_snapshot_summary_find(snapshot, "wap.id");
    return id && id[0] ? id : NULL;
}

/* Java's WapUtil: an id is published once. */
static frz_status check_wap_id(const frz_metadata *metadata, const frz_snapshot *head,
                               const frz_snapshot *picked, frz_error **err)
{
    const char *id = find_wap_id(picked);
    frz_ancestry line = frz_ancestry_of(metadata, head);
    for (const frz_snapshot *at = frz_ancestry_next(&line); id && at;
         at = frz_ancestry_next(&line)) {
        const char *staged = frz_snapshot_summary_find(at, "wap.id");
        const char *published = frz_snapshot_summary_find(at, "published-wap-id");
        if ((staged && strcmp(staged, id) == 0) || (published && strcmp(published, id) == 0))
            return frz_fail(err, FRZ_ALREADY_EXISTS, FRZ_NO_OFFSET,
                            "write-audit-publish id %s is published already, by snapshot %" PRId64,
                            id, at->snapshot_id);
    }
    return FRZ_OK;
}

static frz_status check_not_there(const frz_metadata *metadata, const frz_snapshot *head,
                                  const frz_snapshot *picked, frz_error **err)
{
    char id[32];
    (void)snprintf(id, sizeof id, "%" PRId64, picked->snapshot_id);
    frz_ancestry line = frz_ancestry_of(metadata, head);
    for (const frz_snapshot *at = frz_ancestry_next(&line); at; at = frz_ancestry_next(&line)) {
        const char *source = frz_snapshot_summary_find(at, "source-snapshot-id");
        if (at->snapshot_id == picked->snapshot_id)
            return frz_fail(err, FRZ_ALREADY_EXISTS, FRZ_NO_OFFSET,
                            "it is in the history of the branch already");
        if (source && strcmp(source, id) == 0)
            return frz_fail(err, FRZ_ALREADY_EXISTS, FRZ_NO_OFFSET,
                            "snapshot %" PRId64 " is what was picked from it already",
                            at->snapshot_id);
    }
    return FRZ_OK;
}

static bool is_append(const frz_snapshot *snapshot)
{
    return snapshot->operation && strcmp(snapshot->operation, "append") == 0;
}

static bool replaces_partitions(const frz_snapshot *snapshot)
{
    const char *flag = frz_snapshot_summary_find(snapshot, "replace-partitions");
    return snapshot->operation && strcmp(snapshot->operation, "overwrite") == 0 && flag &&
           strcasecmp(flag, "true") == 0;
}

/* The branch just moves to the snapshot. */
static frz_status fast_forward(picking *self, const frz_snapshot *picked, frz_change *out,
                               frz_error **err)
{
    const frz_metadata *metadata = self->transaction.table->metadata;
    const char *branch = self->options.branch ? self->options.branch : "main";
    const frz_snapshot_ref *known = frz_metadata_find_ref(metadata, branch);
    frz_metadata_builder *builder = NULL;
    frz_snapshot_ref ref = {.name = branch,
                            .min_snapshots_to_keep = -1,
                            .max_snapshot_age_ms = -1,
                            .max_ref_age_ms = -1};
    if (known)
        ref = *known;
    ref.snapshot_id = picked->snapshot_id;
    frz_commit_free(self->forwarded);
    self->forwarded = NULL;
    FRZ_TRY(frz_commit_result_new(picked, &self->forwarded, err));
    FRZ_TRY(frz_metadata_builder_new(metadata, metadata->format_version, &builder, err));
    const frz_status status = frz_update_set_ref(builder, &ref, err);
    if (status == FRZ_OK)
        out->builder = builder;
    else
        frz_metadata_builder_free(builder);
    return status;
}

static frz_status set_properties(picking *self, const frz_snapshot *picked, frz_error **err)
{
    frz_arena *arena = &self->transaction.attempt_arena;
    size_t count = self->given.snapshot_property_count;
    frz_option *properties = frz_arena_array(arena, count + 2, sizeof *properties);
    const char *id = frz_arena_printf(arena, "%" PRId64, picked->snapshot_id);
    if (!properties || !id)
        return frz_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        properties[i] = self->given.snapshot_properties[i];
    properties[count++] = (frz_option){"source-snapshot-id", id};
    if (find_wap_id(picked))
        properties[count++] = (frz_option){"published-wap-id", find_wap_id(picked)};
    self->options.idempotency_key = self->key;
    self->options.snapshot_properties = properties;
    self->options.snapshot_property_count = count;
    return FRZ_OK;
}

static bool is_removed(const frz_picked *picked, frz_slice path)
{
    const frz_slice *removed = picked->removed.items;
    for (size_t i = 0; i < picked->removed.count; i++)
        if (frz_slice_equal(removed[i], path))
            return true;
    return false;
}

/* Deletion vectors and other deletes of a data file go with it. */
static frz_status list_dangling(picking *self, const frz_manifest_file *file, frz_list *removed,
                                frz_error **err)
{
    frz_arena *arena = &self->transaction.attempt_arena;
    const frz_table *table = self->transaction.table;
    frz_manifest *manifest = NULL;
    frz_status status = FRZ_OK;
    FRZ_TRY(
        frz_manifest_read(table->io, file, table->metadata, NULL, &table->limits, &manifest, err));
    for (size_t i = 0; i < frz_manifest_count(manifest) && status == FRZ_OK; i++) {
        const frz_manifest_entry *entry = frz_manifest_entry_at(manifest, i);
        frz_slice path;
        if (entry->status == FRZ_ENTRY_DELETED || !entry->file.referenced_data_file.size ||
            !is_removed(&self->picked, entry->file.referenced_data_file))
            continue;
        frz_removed_file *gone = frz_list_add(removed, arena, sizeof *gone);
        if (!gone || !frz_arena_slice(arena, entry->file.path, &path))
            status = frz_fail_memory(err);
        else
            *gone = (frz_removed_file){
                .path = path, .content_offset = entry->file.content_offset, .deletes = true};
    }
    frz_manifest_unref(manifest);
    return status;
}

/* The files that the overwrite removed, wherever the branch lists them. */
static frz_status list_removed(picking *self, const frz_snapshot *parent, frz_change *out,
                               frz_error **err)
{
    frz_arena *arena = &self->transaction.attempt_arena;
    const frz_table *table = self->transaction.table;
    frz_manifest_list list = {0};
    frz_list removed = {0};
    const frz_slice *paths = self->picked.removed.items;
    for (size_t i = 0; i < self->picked.removed.count; i++) {
        frz_removed_file *gone = frz_list_add(&removed, arena, sizeof *gone);
        if (!gone)
            return frz_fail_memory(err);
        *gone = (frz_removed_file){.path = paths[i], .content_offset = -1};
    }
    FRZ_TRY(frz_manifest_list_read(table->io, table->metadata, parent, &table->limits, arena, &list,
                                   err));
    const char **manifests = frz_arena_array(arena, list.count + 1, sizeof *manifests);
    if (!manifests)
        return frz_fail_memory(err);
    for (size_t i = 0; i < list.count; i++) {
        if (list.files[i].content == 0)
            manifests[out->removed_manifest_count++] = list.files[i].path;
        else
            FRZ_TRY(list_dangling(self, &list.files[i], &removed, err));
    }
    out->removed_manifests = manifests;
    out->removed = removed.items;
    out->removed_count = removed.count;
    return FRZ_OK;
}

static frz_status replay(picking *self, const frz_snapshot *picked, const frz_snapshot *parent,
                         frz_change *out, frz_error **err)
{
    const frz_table *table = self->transaction.table;
    FRZ_TRY(check_not_there(table->metadata, parent, picked, err));
    if (!self->picked.manifests.count)
        FRZ_TRY(frz_picked_read(&self->picked, table, picked, err));
    *out = (frz_change){.operation = picked->operation,
                        .brings_files = true,
                        .added_data = self->picked.added.items,
                        .added_data_count = self->picked.added.count};
    if (replaces_partitions(picked) && parent) {
        if (picked->parent_id != FRZ_NO_SNAPSHOT &&
            !frz_is_ancestor(table->metadata, picked->parent_id, parent))
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                            "its parent %" PRId64 " is not in the history of the branch",
                            picked->parent_id);
        FRZ_TRY(frz_picked_check_partitions(&self->picked, table, parent, picked->parent_id, err));
        FRZ_TRY(list_removed(self, parent, out, err));
    }
    return set_properties(self, picked, err);
}

/* What was loaded under a key is loaded once, directly or by publishing it. */
static frz_status check_key(picking *self, const frz_snapshot *head, const frz_snapshot *picked,
                            frz_error **err)
{
    const frz_metadata *metadata = self->transaction.table->metadata;
    const char *key = frz_snapshot_summary_find(picked, FRZ_IDEMPOTENCY_KEY);
    frz_write_options options = FRZ_WRITE_OPTIONS_INIT;
    options.idempotency_key = key;
    const frz_snapshot *known = frz_idempotent_find(metadata, head, &options);
    if (known)
        return frz_fail(err, FRZ_ALREADY_EXISTS, FRZ_NO_OFFSET,
                        "its idempotency key %s is committed already, by snapshot %" PRId64, key,
                        known->snapshot_id);
    if (key && !self->key)
        self->key = frz_arena_text(&self->transaction.arena, key);
    return key && !self->key ? frz_fail_memory(err) : FRZ_OK;
}

static frz_status prepare(void *context, frz_transaction *transaction, const frz_snapshot *parent,
                          frz_change *out, frz_error **err)
{
    picking *self = context;
    const frz_metadata *metadata = transaction->table->metadata;
    const frz_snapshot *picked = frz_metadata_find_snapshot(metadata, self->snapshot_id);
    if (!picked)
        return frz_fail(err, FRZ_NOT_FOUND, FRZ_NO_OFFSET, "the table has no such snapshot");
    const bool replayable = is_append(picked) || replaces_partitions(picked);
    const bool forward =
        parent ? picked->parent_id == parent->snapshot_id : picked->parent_id == FRZ_NO_SNAPSHOT;
    if (replayable)
        FRZ_TRY(check_wap_id(metadata, parent, picked, err));
    FRZ_TRY(check_key(self, parent, picked, err));
    if (forward)
        return fast_forward(self, picked, out, err);
    if (!replayable)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "it is neither an append nor an overwrite of whole partitions, nor is its "
                        "parent what the branch is at");
    return replay(self, picked, parent, out, err);
}

static void release(void *context)
{
    picking *self = context;
    frz_commit_free(self->forwarded);
    frz_picked_clear(&self->picked);
    frz_transaction_close(&self->transaction, FRZ_OK);
    frz_free(self);
}

static frz_status pick(picking *self, frz_table *table, const frz_write_options *options,
                       frz_commit **out, frz_error **err)
{
    frz_commit *commit = NULL;
    FRZ_TRY(frz_write_options_take(options, &self->options, err));
    self->options.wap_id = NULL;
    self->options.idempotency_key = NULL;
    self->given = self->options;
    FRZ_TRY(frz_transaction_open(table, &self->options, &self->transaction, err));
    self->transaction.options = &self->options;
    FRZ_TRY(frz_transaction_commit(&self->transaction, prepare, self, &commit, err));
    if (out) {
        *out = self->forwarded && !commit->operation ? self->forwarded : commit;
        if (*out == commit)
            commit = NULL;
        else
            self->forwarded = NULL;
    }
    frz_commit_free(commit);
    return FRZ_OK;
}

/* The options are its own, and change with each attempt: those of the caller are left behind. */
static frz_status end(picking *self, frz_status status, frz_error **err)
{
    const bool stays = self->transaction.staged && status == FRZ_OK;
    status = frz_transaction_retire(&self->transaction, status, self, release, err);
    if (!stays)
        return status;
    self->given = self->transaction.kept_options;
    self->options = self->given;
    self->transaction.options = &self->options;
    return status;
}

frz_status frz_table_cherry_pick(frz_table *table, int64_t snapshot_id,
                                 const frz_write_options *options, frz_commit **out,
                                 frz_error **err)
{
    picking *self = frz_alloc_zero(sizeof *self);
    if (!self)
        return frz_fail_memory(err);
    self->snapshot_id = snapshot_id;
    frz_status status = pick(self, table, options, out, err);
    if (status != FRZ_OK)
        status =
            frz_context(err, status, "cherry-pick snapshot %" PRId64 " of table %s", snapshot_id,
                        table->identifier ? table->identifier : "without catalog");
    return end(self, status, err);
}

/* The snapshot that was staged under the id. */
static frz_status find_staged(const frz_table *table, const char *wap_id, int64_t *out,
                              frz_error **err)
{
    const frz_metadata *metadata = table->metadata;
    const frz_snapshot *found = NULL;
    for (size_t i = 0; i < metadata->snapshot_count; i++) {
        const frz_snapshot *at = &metadata->snapshots[i];
        const char *id = find_wap_id(at);
        if (!id || strcmp(id, wap_id) != 0)
            continue;
        if (found)
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                            "snapshots %" PRId64 " and %" PRId64
                            " were both staged under the id %s: cherry-pick one of them",
                            found->snapshot_id, at->snapshot_id, wap_id);
        found = at;
    }
    if (!found)
        return frz_fail(err, FRZ_NOT_FOUND, FRZ_NO_OFFSET, "no snapshot was staged under the id %s",
                        wap_id);
    *out = found->snapshot_id;
    return FRZ_OK;
}

frz_status frz_table_publish(frz_table *table, const char *wap_id, const frz_write_options *options,
                             frz_commit **out, frz_error **err)
{
    int64_t snapshot_id = 0;
    frz_status status = table->catalog ? frz_table_refresh(table, err) : FRZ_OK;
    if (status == FRZ_OK)
        status = find_staged(table, wap_id, &snapshot_id, err);
    if (status != FRZ_OK)
        return frz_context(err, status, "publish in table %s",
                           table->identifier ? table->identifier : "without catalog");
    return frz_table_cherry_pick(table, snapshot_id, options, out, err);
}
