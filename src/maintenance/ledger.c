#include "maintenance/ledger.h"

#include <assert.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "maintenance/entries.h"
#include "maintenance/ledger_entry.h"

void frz_ledger_clear(frz_ledger *self)
{
    frz_presence_clear(&self->presence);
    frz_free(self->entries);
    frz_free(self->deletes);
    frz_free(self->positions);
    frz_free(self->ranges);
    self->entries = NULL;
    self->deletes = NULL;
    self->positions = NULL;
    self->ranges = NULL;
}

uint64_t frz_ledger_key(frz_slice path, int64_t content_offset)
{
    return frz_hash_xxh3(path.data, path.size, (uint64_t)(content_offset + 1));
}

bool frz_ledger_takes(const frz_ledger *self, uint64_t key)
{
    return key % self->pass_count == self->pass;
}

static frz_status add_entry(frz_ledger *self, const frz_entry_at *at,
                            const frz_manifest_entry *entry, frz_error **err)
{
    const frz_data_file *file = &entry->file;
    const frz_entry_kind kind = frz_entry_kind_of(file);
    const uint64_t key =
        frz_ledger_key(file->path, kind == FRZ_KIND_VECTOR ? file->content_offset : -1);
    if (!frz_ledger_takes(self, key))
        return FRZ_OK;
    if (!frz_grow_array((void **)&self->entries, &self->entry_capacity, self->entry_count,
                        sizeof *self->entries))
        return frz_fail_memory(err);
    self->entries[self->entry_count++] =
        (frz_ledger_entry){.key = key,
                           .snapshot_id = entry->snapshot_id,
                           .sequence_number = entry->sequence_number,
                           .first_row_id = file->first_row_id,
                           .record_count = file->record_count,
                           .at = *at,
                           .status = (uint8_t)entry->status,
                           .kind = (uint8_t)kind};
    return FRZ_OK;
}

static frz_status add_delete(frz_ledger *self, const frz_entry_at *at,
                             const frz_manifest_entry *entry, frz_error **err)
{
    const frz_data_file *file = &entry->file;
    const uint64_t key = frz_ledger_key(file->referenced_data_file, -1);
    if (file->content != FRZ_CONTENT_POSITION_DELETES || file->referenced_data_file.size == 0 ||
        !frz_ledger_takes(self, key))
        return FRZ_OK;
    if (!frz_grow_array((void **)&self->deletes, &self->delete_capacity, self->delete_count,
                        sizeof *self->deletes))
        return frz_fail_memory(err);
    self->deletes[self->delete_count++] =
        (frz_ledger_delete){.key = key,
                            .sequence_number = entry->sequence_number,
                            .record_count = file->record_count,
                            .at = *at,
                            .vector = file->format == FRZ_FORMAT_PUFFIN};
    return FRZ_OK;
}

frz_status frz_ledger_add_position(frz_ledger *self, uint64_t key, int64_t last,
                                   const frz_entry_at *at, frz_error **err)
{
    if (!frz_ledger_takes(self, key))
        return FRZ_OK;
    if (!frz_grow_array((void **)&self->positions, &self->position_capacity, self->position_count,
                        sizeof *self->positions))
        return frz_fail_memory(err);
    self->positions[self->position_count++] =
        (frz_ledger_position){.key = key, .last = last, .at = *at};
    return FRZ_OK;
}

static frz_status add_range(frz_ledger *self, const frz_entry_at *at, const frz_data_file *file,
                            frz_error **err)
{
    const int64_t share = self->verification->metadata->next_row_id / (int64_t)self->pass_count + 1;
    if (file->content != FRZ_CONTENT_DATA || file->first_row_id < 0 || file->record_count == 0)
        return FRZ_OK;
    const int64_t room = INT64_MAX - file->first_row_id;
    uint64_t pass = (uint64_t)(file->first_row_id / share);
    pass = pass < self->pass_count ? pass : self->pass_count - 1;
    if (pass != self->pass)
        return FRZ_OK;
    if (!frz_grow_array((void **)&self->ranges, &self->range_capacity, self->range_count,
                        sizeof *self->ranges))
        return frz_fail_memory(err);
    self->ranges[self->range_count++] =
        (frz_ledger_range){.first = file->first_row_id,
                           .count = file->record_count < room ? file->record_count : room,
                           .key = frz_ledger_key(file->path, -1),
                           .at = *at};
    return FRZ_OK;
}

frz_status frz_ledger_add(frz_ledger *self, size_t manifest, size_t index,
                          const frz_manifest_entry *entry, frz_error **err)
{
    const frz_entry_at at = {(uint32_t)manifest, (uint32_t)index};
    const frz_entry_place where = {&self->verification->manifests[manifest], index};
    const frz_place place = frz_place_of_entry(&where, entry->file.path);
    FRZ_TRY(add_entry(self, &at, entry, err));
    if (entry->status == FRZ_ENTRY_DELETED)
        return FRZ_OK;
    FRZ_TRY(add_delete(self, &at, entry, err));
    FRZ_TRY(add_range(self, &at, &entry->file, err));
    if (!frz_ledger_takes(self, frz_ledger_key(entry->file.path, -1)))
        return FRZ_OK;
    return frz_presence_check(&self->presence, self->verification, &place, entry->file.file_size,
                              err);
}

frz_status frz_ledger_read_again(const frz_verification *verification, const frz_entry_at *at,
                                 frz_arena *arena, frz_slice *path_out, frz_slice *referenced_out,
                                 frz_error **err)
{
    const frz_manifest_record *record = &verification->manifests[at->manifest];
    const frz_manifest_fields fields = {0};
    frz_status status = FRZ_OK;
    frz_manifest_reader *reader = NULL;
    frz_manifest *part = NULL;
    size_t before = 0;
    FRZ_TRY_DONE(frz_manifest_reader_open(verification->table->io, &record->file,
                                          verification->metadata, &fields, verification->limits,
                                          &reader, err));
    for (;;) {
        FRZ_TRY_DONE(frz_manifest_reader_next(reader, &part, err));
        if (at->entry - before < frz_manifest_count(part))
            break;
        before += frz_manifest_count(part);
        frz_manifest_unref(part);
        part = NULL;
    }
    const frz_data_file *file = &frz_manifest_entry_at(part, at->entry - before)->file;
    if (!frz_arena_slice(arena, file->path, path_out) ||
        !frz_arena_slice(arena, file->referenced_data_file, referenced_out))
        status = frz_fail_memory(err);

done:
    frz_manifest_unref(part);
    frz_manifest_reader_close(reader);
    if (status == FRZ_END)
        status = frz_fail(err, FRZ_NOT_FOUND, FRZ_NO_OFFSET, "manifest %s has no entry %u any more",
                          record->file.path, at->entry);
    return status;
}
