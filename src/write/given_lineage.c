#include "write/given_lineage.h"

#include "base/fail.h"
#include "base/mem.h"
#include "spec/manifest.h"

/* Tables without row lineage have no next-row-id; upgraded ones start at 0. */
static int64_t next_row_id_of(const frz_metadata *metadata)
{
    return metadata->next_row_id > 0 ? metadata->next_row_id : 0;
}

void frz_given_lineage_start(frz_given_lineage *self, const frz_metadata *before,
                             const frz_metadata *now)
{
    frz_given_lineage_clear(self);
    self->next_row_id = next_row_id_of(before);
    self->last_sequence_number = before->last_sequence_number;
    self->ids_moved = self->next_row_id != next_row_id_of(now);
    self->numbers_moved = self->last_sequence_number != now->last_sequence_number;
}

bool frz_given_lineage_concerns(const frz_given_lineage *self, const frz_transaction *operation)
{
    return (self->ids_moved && operation->stated_row_id >= self->next_row_id) ||
           (self->numbers_moved && operation->stated_sequence_number > self->last_sequence_number);
}

/* Called for every file that a snapshot gave ids to. */
typedef frz_status (*take_file)(frz_given_lineage *self, size_t step, frz_slice path,
                                const frz_data_file *file, frz_error **err);

typedef struct snapshot_walk {
    frz_given_lineage *lineage;
    size_t step;
    const frz_table *table;
    const frz_metadata *metadata;
    const frz_snapshot *snapshot;
    const frz_first_names *names;
    take_file take;
} snapshot_walk;

static frz_status walk_manifest(const snapshot_walk *self, const frz_manifest_file *file,
                                frz_error **err)
{
    const frz_manifest_fields none = {0};
    frz_manifest *manifest = NULL;
    frz_status status = frz_manifest_read(self->table->io, file, self->metadata, &none,
                                          &self->table->limits, &manifest, err);
    for (size_t i = 0; status == FRZ_OK && i < frz_manifest_count(manifest); i++) {
        const frz_manifest_entry *entry = frz_manifest_entry_at(manifest, i);
        if (entry->status != FRZ_ENTRY_DELETED &&
            entry->file.first_row_id >= self->snapshot->first_row_id)
            status = self->take(self->lineage, self->step,
                                frz_first_name(self->names, entry->file.path), &entry->file, err);
    }
    frz_manifest_unref(manifest);
    return status;
}

/* Spec "First Row ID Assignment": manifests that were given ids by the snapshot have them from its
 * first-row-id on; those that had some before keep lower ones. */
static frz_status walk_snapshot(const snapshot_walk *self, frz_error **err)
{
    frz_arena arena = {0};
    frz_manifest_list list = {0};
    if (self->snapshot->first_row_id < 0)
        return FRZ_OK;
    frz_status status = frz_manifest_list_read(self->table->io, self->metadata, self->snapshot,
                                               &self->table->limits, &arena, &list, err);
    for (size_t i = 0; status == FRZ_OK && i < list.count; i++)
        if (list.files[i].content == 0 &&
            list.files[i].first_row_id >= self->snapshot->first_row_id)
            status = walk_manifest(self, &list.files[i], err);
    frz_arena_clear(&arena);
    return status;
}

static frz_status keep_ids(frz_given_lineage *self, size_t step, frz_slice path,
                           const frz_data_file *file, frz_error **err)
{
    frz_slice copy;
    if (!frz_arena_slice(&self->arena, path, &copy) ||
        !frz_grow_array((void **)&self->ids, &self->id_capacity, self->id_count, sizeof *self->ids))
        return frz_fail_memory(err);
    self->ids[self->id_count++] =
        (frz_given_ids){step, copy, file->first_row_id, -1, file->record_count};
    return FRZ_OK;
}

frz_status frz_given_lineage_note(frz_given_lineage *self, size_t step, const frz_table *table,
                                  const frz_metadata *metadata, const frz_snapshot *snapshot,
                                  const frz_first_names *names, frz_error **err)
{
    const snapshot_walk walk = {self, step, table, metadata, snapshot, names, keep_ids};
    if (!frz_grow_array((void **)&self->numbers, &self->number_capacity, self->number_count,
                        sizeof *self->numbers))
        return frz_fail_memory(err);
    self->numbers[self->number_count++] = (frz_given_number){step, snapshot->sequence_number, -1};
    return walk_snapshot(&walk, err);
}

static frz_status renew_ids(frz_given_lineage *self, size_t step, frz_slice path,
                            const frz_data_file *file, frz_error **err)
{
    (void)err;
    for (size_t i = 0; i < self->id_count; i++)
        if (self->ids[i].step == step && frz_slice_equal(self->ids[i].path, path) &&
            self->ids[i].count == file->record_count)
            self->ids[i].now = file->first_row_id;
    return FRZ_OK;
}

frz_status frz_given_lineage_renew(frz_given_lineage *self, size_t step, const frz_table *table,
                                   const frz_snapshot *snapshot, const frz_first_names *names,
                                   frz_error **err)
{
    const snapshot_walk walk = {self, step, table, table->metadata, snapshot, names, renew_ids};
    for (size_t i = 0; i < self->number_count; i++)
        if (self->numbers[i].step == step)
            self->numbers[i].now = snapshot->sequence_number;
    return walk_snapshot(&walk, err);
}

bool frz_given_lineage_row_id(const frz_given_lineage *self, int64_t was, int64_t *out)
{
    size_t low = 0;
    size_t high = self->id_count;
    *out = was;
    if (was < self->next_row_id)
        return true;
    while (low < high) { /* the last that starts at or before `was` */
        const size_t middle = low + (high - low) / 2;
        if (self->ids[middle].was <= was)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return false;
    const frz_given_ids *ids = &self->ids[low - 1];
    *out = ids->now + (was - ids->was);
    return ids->now >= 0 && was - ids->was < ids->count;
}

bool frz_given_lineage_number(const frz_given_lineage *self, int64_t was, int64_t *out)
{
    *out = was;
    if (was <= self->last_sequence_number)
        return true;
    for (size_t i = 0; i < self->number_count; i++) {
        if (self->numbers[i].was != was)
            continue;
        *out = self->numbers[i].now;
        return *out >= 0;
    }
    return false;
}

void frz_given_lineage_clear(frz_given_lineage *self)
{
    frz_free(self->ids);
    frz_free(self->numbers);
    frz_arena_clear(&self->arena);
    *self = (frz_given_lineage){0};
}
