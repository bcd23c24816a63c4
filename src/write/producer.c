#include "write/producer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/map.h"
#include "base/mem.h"
#include "catalog/catalog.h"
#include "catalog/refused_properties.h"
#include "frazil/frazil.h"
#include "write/idempotency.h"
#include "write/live_paths.h"
#include "write/manifest_set.h"

enum { NAME_SIZE = 128, OWN_PROPERTIES = 9 };

typedef struct producer {
    frz_transaction *transaction;
    const frz_metadata *metadata; /* the base */
    frz_arena *arena;             /* of the attempt */
    frz_commit_properties commit;
    frz_summary summary;
    frz_manifest_set set;
    frz_map removed; /* by frz_removed_key */
} producer;

static frz_status index_removed(producer *self, const frz_change *change, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_buffer key = {0};
    for (size_t i = 0; i < change->removed_count; i++) {
        frz_removed_file *file = &change->removed[i];
        frz_slice copy;
        file->found = false;
        frz_buffer_reset(&key);
        frz_removed_key(file->path, file->content_offset, file->deletes, &key);
        FRZ_TRY_DONE(frz_buffer_check(&key, err));
        if (!frz_arena_slice(self->arena, frz_buffer_slice(&key), &copy) ||
            !frz_map_put(&self->removed, copy, (frz_map_value){.pointer = file})) {
            status = frz_fail_memory(err);
            goto done;
        }
    }

done:
    frz_buffer_clear(&key);
    return status;
}

static void limit_manifests(frz_transaction *transaction, const frz_new_manifests *made,
                            void (*limit)(frz_own_files *, frz_slice, int32_t))
{
    for (size_t i = 0; i < made->count; i++)
        limit(&transaction->own, frz_slice_of_text(made->files[i].path), transaction->attempt);
}

/* The manifests of added data files are written once, and again only when the table was upgraded
 * meanwhile, or files were written again. */
static frz_status add_new_data(producer *self, const frz_change *change, frz_error **err)
{
    frz_transaction *transaction = self->transaction;
    frz_new_manifests *made = &transaction->new_data;
    const frz_new_files files = {.files = change->added_data,
                                 .count = change->added_data_count,
                                 .content = 0,
                                 .attempt = FRZ_EVERY_ATTEMPT,
                                 .target_size = self->commit.manifest_target_size};
    if (made->format_version != self->metadata->format_version) {
        const bool again = made->count > 0;
        limit_manifests(transaction, made, frz_own_files_retire);
        *made = (frz_new_manifests){0};
        FRZ_TRY(frz_manifest_set_write_new(&self->set, &files, &transaction->arena, made, err));
        if (again)
            limit_manifests(transaction, made, frz_own_files_start);
        made->format_version = self->metadata->format_version;
    }
    for (size_t i = 0; i < made->count; i++)
        FRZ_TRY(frz_manifest_set_add(&self->set, &made->files[i], err));
    for (size_t i = 0; i < change->added_data_count; i++)
        FRZ_TRY(frz_summary_add(&self->summary, &change->added_data[i], true, err));
    return FRZ_OK;
}

static frz_status add_new_deletes(producer *self, const frz_change *change, frz_error **err)
{
    frz_new_manifests made = {0};
    const frz_new_files files = {.files = change->added_deletes,
                                 .count = change->added_delete_count,
                                 .content = 1,
                                 .attempt = self->transaction->attempt,
                                 .target_size = self->commit.manifest_target_size};
    FRZ_TRY(frz_manifest_set_write_new(&self->set, &files, self->arena, &made, err));
    for (size_t i = 0; i < made.count; i++)
        FRZ_TRY(frz_manifest_set_add(&self->set, &made.files[i], err));
    for (size_t i = 0; i < change->added_delete_count; i++)
        FRZ_TRY(frz_summary_add(&self->summary, &change->added_deletes[i], true, err));
    return FRZ_OK;
}

/* Counts that a V1 list does not have, from the manifest itself: later versions must state them. */
static frz_status complete_counts(const producer *self, frz_manifest_file *file, frz_error **err)
{
    const frz_table *table = self->transaction->table;
    const frz_manifest_fields none = {0};
    frz_manifest *manifest = NULL;
    int32_t files[3] = {0};
    int64_t rows[3] = {0};
    if (self->metadata->format_version == 1 ||
        (file->added_files >= 0 && file->existing_files >= 0 && file->deleted_files >= 0 &&
         file->added_rows >= 0 && file->existing_rows >= 0 && file->deleted_rows >= 0))
        return FRZ_OK;
    FRZ_TRY(
        frz_manifest_read(table->io, file, self->metadata, &none, &table->limits, &manifest, err));
    for (size_t i = 0; i < frz_manifest_count(manifest); i++) {
        const frz_manifest_entry *entry = frz_manifest_entry_at(manifest, i);
        files[entry->status]++;
        rows[entry->status] += entry->file.record_count;
    }
    frz_manifest_unref(manifest);
    file->added_files = files[FRZ_ENTRY_ADDED];
    file->existing_files = files[FRZ_ENTRY_EXISTING];
    file->deleted_files = files[FRZ_ENTRY_DELETED];
    file->added_rows = rows[FRZ_ENTRY_ADDED];
    file->existing_rows = rows[FRZ_ENTRY_EXISTING];
    file->deleted_rows = rows[FRZ_ENTRY_DELETED];
    return FRZ_OK;
}

static bool may_list_removed(const producer *self, const frz_change *change,
                             const frz_manifest_file *file)
{
    if (file->content == 1) {
        if (file->min_sequence_number < self->set.oldest_data)
            return true;
        for (size_t i = 0; i < change->removed_count; i++) {
            if (change->removed[i].deletes)
                return true;
        }
        return false;
    }
    for (size_t i = 0; i < change->removed_manifest_count; i++) {
        if (strcmp(change->removed_manifests[i], file->path) == 0)
            return true;
    }
    return false;
}

static frz_status add_parent_manifests(producer *self, const frz_manifest_list *list,
                                       int32_t content, const frz_change *change, frz_error **err)
{
    for (size_t i = 0; i < list->count; i++) {
        frz_manifest_file *file = &list->files[i];
        if (file->content != content)
            continue;
        FRZ_TRY(complete_counts(self, file, err));
        if (file->added_files == 0 && file->existing_files == 0)
            continue; /* nothing lives in it any more */
        if (may_list_removed(self, change, file))
            FRZ_TRY(frz_manifest_set_add_filtered(&self->set, file, &self->removed, err));
        else
            FRZ_TRY(frz_manifest_set_add(&self->set, file, err));
    }
    return FRZ_OK;
}

/* The lowest sequence number that a live data file may have, when this change took some away;
 * else 0. Those that it adds have the one of the snapshot, which is higher than any. */
static int64_t oldest_data(const producer *self, const frz_change *change)
{
    int64_t oldest = INT64_MAX;
    if (change->removed_manifest_count == 0)
        return 0;
    for (size_t i = 0; i < self->set.count; i++) {
        const frz_manifest_file *file = &self->set.files[i];
        const bool live = file->added_files != 0 || file->existing_files != 0;
        if (file->content == 0 && live && file->min_sequence_number >= 0 &&
            file->min_sequence_number < oldest)
            oldest = file->min_sequence_number;
    }
    return oldest;
}

/* Data manifests first: which delete files still reach one of them is known behind them. */
static frz_status add_parent(producer *self, const frz_snapshot *parent, const frz_change *change,
                             frz_error **err)
{
    const frz_table *table = self->transaction->table;
    frz_manifest_list list = {0};
    if (!parent)
        return FRZ_OK;
    FRZ_TRY(frz_manifest_list_read(table->io, self->metadata, parent, &table->limits, self->arena,
                                   &list, err));
    FRZ_TRY(add_parent_manifests(self, &list, 0, change, err));
    self->set.oldest_data = oldest_data(self, change);
    return add_parent_manifests(self, &list, 1, change, err);
}

static frz_status check_all_found(const frz_change *change, frz_error **err)
{
    for (size_t i = 0; i < change->removed_count; i++) {
        const frz_removed_file *file = &change->removed[i];
        if (!file->found)
            return frz_fail(err, FRZ_CONFLICT, FRZ_NO_OFFSET,
                            "another commit removed %s file %.*s, which this one was to replace",
                            file->deletes ? "delete" : "data", (int)file->path.size,
                            (const char *)file->path.data);
    }
    return FRZ_OK;
}

/*
 * Manifests of this attempt take its sequence number; data manifests without a first row id take
 * the next ones, in the order of the list, each as many as it has added and existing rows. Returns
 * the rows given ids.
 */
static int64_t assign_numbers(producer *self, int64_t sequence_number)
{
    const bool lineage = self->metadata->format_version >= 3;
    int64_t next = self->metadata->next_row_id;
    for (size_t i = 0; i < self->set.count; i++) {
        frz_manifest_file *file = &self->set.files[i];
        if (file->sequence_number < 0)
            file->sequence_number = sequence_number;
        if (file->min_sequence_number < 0)
            file->min_sequence_number = sequence_number;
        if (lineage && file->content == 0 && file->first_row_id < 0) {
            file->first_row_id = next;
            next += file->added_rows + file->existing_rows;
        }
    }
    return next - self->metadata->next_row_id;
}

static frz_status list_location(producer *self, const char **out, frz_error **err)
{
    frz_transaction *transaction = self->transaction;
    frz_buffer path = {0};
    char name[NAME_SIZE];
    (void)snprintf(name, sizeof name, "snap-%" PRId64 "-%" PRId32 "-%s.avro",
                   transaction->snapshot_id, transaction->attempt + 1, transaction->uuid);
    frz_table_metadata_path(self->metadata, name, &path);
    frz_buffer_append_byte(&path, 0);
    frz_status status = frz_buffer_check(&path, err);
    if (status == FRZ_OK)
        status = frz_own_files_add(&transaction->own, (const char *)path.data, transaction->attempt,
                                   err);
    if (status == FRZ_OK) {
        *out = frz_arena_text(self->arena, (const char *)path.data);
        if (!*out)
            status = frz_fail_memory(err);
    }
    frz_buffer_clear(&path);
    return status;
}

static frz_status number_option(producer *self, const char *key, int64_t value, frz_option *out,
                                frz_error **err)
{
    *out = (frz_option){key, frz_arena_printf(self->arena, "%" PRId64, value)};
    return out->value ? FRZ_OK : frz_fail_memory(err);
}

static frz_status build_summary(producer *self, const frz_snapshot *parent,
                                const frz_change *change, frz_snapshot *out, frz_error **err)
{
    const frz_write_options *options = self->transaction->options;
    const size_t given = options->snapshot_property_count;
    frz_property *summary = NULL;
    size_t count = given;
    int64_t partition_limit = 0;
    frz_option *extra = frz_arena_array(self->arena, given + OWN_PROPERTIES, sizeof *extra);
    if (!extra)
        return frz_fail_memory(err);
    for (size_t i = 0; i < given; i++)
        extra[i] = options->snapshot_properties[i];
    const int64_t kept = (int64_t)self->set.count - self->set.created;
    FRZ_TRY(number_option(self, "manifests-created", self->set.created, &extra[count++], err));
    FRZ_TRY(number_option(self, "manifests-kept", kept > 0 ? kept : 0, &extra[count++], err));
    FRZ_TRY(number_option(self, "manifests-replaced", self->set.replaced, &extra[count++], err));
    FRZ_TRY(number_option(self, "entries-processed", self->set.entries_processed, &extra[count++],
                          err));
    if (options->wap_id)
        extra[count++] = (frz_option){"wap.id", options->wap_id};
    if (options->idempotency_key)
        extra[count++] = (frz_option){FRZ_IDEMPOTENCY_KEY, options->idempotency_key};
    if (change->replaces_partitions)
        extra[count++] = (frz_option){"replace-partitions", "true"};
    extra[count++] = (frz_option){"engine-name", "frazil"};
    extra[count++] = (frz_option){"engine-version", frz_version()};
    FRZ_TRY(frz_metadata_property_i64(self->metadata, "write.summary.partition-limit", 0,
                                      &partition_limit, err));
    const frz_summary_options how = {parent, extra, count, partition_limit};
    FRZ_TRY(frz_summary_build(&self->summary, &how, &summary, &out->summary_count, err));
    out->summary = summary;
    return FRZ_OK;
}

/* The manifests of the snapshot, new ones first. */
static frz_status gather_manifests(producer *self, const frz_snapshot *parent,
                                   const frz_change *change, frz_error **err)
{
    FRZ_TRY(frz_commit_properties_read(self->metadata, &self->commit, err));
    FRZ_TRY(frz_live_paths_check(self->transaction->table, parent, change, err));
    FRZ_TRY(index_removed(self, change, err));
    FRZ_TRY(add_new_data(self, change, err));
    FRZ_TRY(add_new_deletes(self, change, err));
    FRZ_TRY(add_parent(self, parent, change, err));
    FRZ_TRY(check_all_found(change, err));
    return frz_manifest_set_merge(&self->set, &self->commit, err);
}

static frz_status produce(producer *self, const frz_snapshot *parent, frz_change *change,
                          frz_snapshot *out, frz_error **err)
{
    const bool lineage = self->metadata->format_version >= 3;
    frz_snapshot snapshot = {
        .snapshot_id = self->transaction->snapshot_id,
        .parent_id = parent ? parent->snapshot_id : FRZ_NO_SNAPSHOT,
        .sequence_number =
            self->metadata->format_version == 1 ? 0 : self->metadata->last_sequence_number + 1,
        .timestamp_ms = frz_clock_now_ms(),
        .operation = change->operation,
        .schema_id = self->metadata->current_schema_id,
        .first_row_id = lineage ? self->metadata->next_row_id : -1,
        .added_rows = -1,
    };
    FRZ_TRY(gather_manifests(self, parent, change, err));
    const int64_t rows = assign_numbers(self, snapshot.sequence_number);
    if (lineage)
        snapshot.added_rows = rows;
    if (parent && snapshot.timestamp_ms < parent->timestamp_ms)
        snapshot.timestamp_ms = parent->timestamp_ms; /* the clock of another writer runs ahead */
    FRZ_TRY(build_summary(self, parent, change, &snapshot, err));
    FRZ_TRY(list_location(self, &snapshot.manifest_list, err));
    FRZ_TRY(frz_manifest_list_write(self->transaction->table->io, snapshot.manifest_list,
                                    self->metadata->format_version, &snapshot, self->set.files,
                                    self->set.count, err));
    *out = snapshot;
    return FRZ_OK;
}

frz_status frz_produce_snapshot(frz_transaction *transaction, const frz_snapshot *parent,
                                frz_change *change, frz_snapshot *out, frz_error **err)
{
    const frz_metadata *metadata = transaction->table->metadata;
    FRZ_TRY(frz_metadata_check_refused(metadata, err));
    producer self = {
        .transaction = transaction, .metadata = metadata, .arena = &transaction->attempt_arena};
    self.summary = (frz_summary){.metadata = metadata, .arena = self.arena};
    self.set = (frz_manifest_set){
        .transaction = transaction, .metadata = metadata, .summary = &self.summary};
    const frz_status status = produce(&self, parent, change, out, err);
    frz_map_clear(&self.removed);
    frz_manifest_set_clear(&self.set);
    frz_summary_clear(&self.summary);
    return status;
}
