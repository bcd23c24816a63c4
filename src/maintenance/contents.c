#include "maintenance/contents.h"

#include "base/fail.h"
#include "base/mem.h"
#include "maintenance/entries.h"
#include "maintenance/file_reading.h"

enum { WAITING_MAX = 256 }; /* of no number of threads: so findings come in one order */

static bool has_column(const frz_field *fields, size_t count, int32_t id)
{
    for (size_t i = 0; i < count; i++)
        if (fields[i].id == id)
            return true;
    return false;
}

/* Files may hold columns that were dropped since: they are read as their newest schema has them. */
static frz_status gather_columns(frz_contents *self, frz_error **err)
{
    const frz_metadata *metadata = self->verification->metadata;
    const frz_type *current = frz_schema_type(frz_metadata_schema(metadata));
    size_t most = current->field_count;
    size_t count = current->field_count;
    for (size_t i = 0; i < metadata->schema_count; i++)
        most += frz_schema_type(metadata->schemas[i])->field_count;
    frz_field *fields = frz_arena_array(&self->arena, most, sizeof *fields);
    frz_type *columns = frz_arena_alloc(&self->arena, sizeof *columns);
    if (!fields || !columns)
        return frz_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        fields[i] = current->fields[i];
    for (size_t i = metadata->schema_count; i > 0; i--) {
        const frz_type *older = frz_schema_type(metadata->schemas[i - 1]);
        for (size_t k = 0; k < older->field_count; k++) {
            if (!has_column(fields, count, older->fields[k].id))
                fields[count++] = older->fields[k];
        }
    }
    *columns = (frz_type){.kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = count};
    self->columns = columns;
    return FRZ_OK;
}

frz_status frz_contents_open(frz_contents *self, frz_ledger *ledger, frz_error **err)
{
    const int32_t threads = ledger->verification->options->threads;
    *self = (frz_contents){.verification = ledger->verification, .ledger = ledger};
    FRZ_TRY(frz_scan_new(self->verification->table, NULL, &self->scan, err));
    FRZ_TRY(frz_pool_new(threads > 0 ? (size_t)threads : 1, &self->pool, err));
    self->waiting = frz_alloc_array(WAITING_MAX, sizeof *self->waiting);
    if (!self->waiting)
        return frz_fail_memory(err);
    return gather_columns(self, err);
}

static void forget_waiting(frz_contents *self)
{
    for (size_t i = 0; i < self->waiting_count; i++)
        frz_manifest_unref(self->waiting[i].part);
    self->waiting_count = 0;
}

void frz_contents_close(frz_contents *self)
{
    forget_waiting(self);
    frz_free(self->waiting);
    frz_pool_free(self->pool);
    frz_scan_free(self->scan);
    frz_map_clear(&self->seen);
    frz_map_clear(&self->with_row_ids);
    frz_arena_clear(&self->arena);
    *self = (frz_contents){0};
}

void frz_contents_reset(frz_contents *self)
{
    frz_map_clear(&self->seen);
}

frz_status frz_contents_flush(frz_contents *self, frz_error **err)
{
    frz_status status = frz_readings_make(self, self->waiting, self->waiting_count, err);
    for (size_t i = 0; i < self->waiting_count && status == FRZ_OK; i++) {
        const int64_t key = (int64_t)frz_ledger_key(self->waiting[i].entry->file.path, -1);
        if (self->waiting[i].holds_row_ids &&
            !frz_map_put_i64(&self->with_row_ids, key, (frz_map_value){.number = 1}))
            status = frz_fail_memory(err);
    }
    forget_waiting(self);
    return status;
}

frz_status frz_contents_check(frz_contents *self, const frz_entry_at *at, frz_manifest *part,
                              size_t index, frz_error **err)
{
    const frz_manifest_entry *entry = frz_manifest_entry_at(part, index);
    const frz_data_file *file = &entry->file;
    const bool vector = frz_entry_kind_of(file) == FRZ_KIND_VECTOR;
    const uint64_t key = frz_ledger_key(file->path, vector ? file->content_offset : -1);
    const frz_entry_place where = {&self->verification->manifests[at->manifest], at->entry};
    if (file->content != FRZ_CONTENT_POSITION_DELETES && !frz_ledger_takes(self->ledger, key))
        return FRZ_OK;
    if (frz_map_find_i64(&self->seen, (int64_t)key))
        return FRZ_OK;
    if (!frz_map_put_i64(&self->seen, (int64_t)key, (frz_map_value){.number = 1}))
        return frz_fail_memory(err);
    self->waiting[self->waiting_count++] =
        (frz_file_reading){.at = *at,
                           .part = frz_manifest_ref(part),
                           .entry = entry,
                           .place = frz_place_of_entry(&where, file->path)};
    return self->waiting_count < WAITING_MAX ? FRZ_OK : frz_contents_flush(self, err);
}
