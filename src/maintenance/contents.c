#include "maintenance/contents.h"

#include "base/fail.h"
#include "maintenance/entries.h"
#include "maintenance/file_reading.h"

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
    *self = (frz_contents){.verification = ledger->verification, .ledger = ledger};
    FRZ_TRY(frz_scan_new(self->verification->table, NULL, &self->scan, err));
    return gather_columns(self, err);
}

void frz_contents_close(frz_contents *self)
{
    frz_scan_free(self->scan);
    frz_map_clear(&self->seen);
    frz_arena_clear(&self->puffin.arena);
    frz_arena_clear(&self->arena);
    *self = (frz_contents){0};
}

void frz_contents_reset(frz_contents *self)
{
    frz_map_clear(&self->seen);
}

frz_status frz_file_failed(const frz_file_reading *self, frz_rule rule, frz_status status,
                           frz_error **cause, frz_error **err)
{
    if (!frz_file_is_new(self) && frz_is_finding(status)) {
        frz_error_free(*cause);
        *cause = NULL;
        return FRZ_OK;
    }
    return frz_report_failure(self->contents->verification->report, rule, &self->place, status,
                              cause, err);
}

static frz_status read_file(const frz_file_reading *reading, frz_error **err)
{
    switch (frz_entry_kind_of(&reading->entry->file)) {
    case FRZ_KIND_DATA:
    case FRZ_KIND_EQUALITY_DELETES:
        return frz_verify_rows(reading, err);
    case FRZ_KIND_POSITION_DELETES:
        return frz_verify_positions(reading, err);
    case FRZ_KIND_VECTOR:
    case FRZ_KIND_COUNT:
        break;
    }
    return frz_verify_vector(reading, err);
}

frz_status frz_contents_check(frz_contents *self, const frz_entry_at *at,
                              const frz_manifest_entry *entry, frz_error **err)
{
    const frz_data_file *file = &entry->file;
    const bool vector = frz_entry_kind_of(file) == FRZ_KIND_VECTOR;
    const uint64_t key = frz_ledger_key(file->path, vector ? file->content_offset : -1);
    const frz_entry_place where = {&self->verification->manifests[at->manifest], at->entry};
    const frz_file_reading reading = {.contents = self,
                                      .at = at,
                                      .entry = entry,
                                      .place = frz_place_of_entry(&where, file->path)};
    if (file->content != FRZ_CONTENT_POSITION_DELETES && !frz_ledger_takes(self->ledger, key))
        return FRZ_OK;
    if (frz_map_find_i64(&self->seen, (int64_t)key))
        return FRZ_OK;
    if (!frz_map_put_i64(&self->seen, (int64_t)key, (frz_map_value){.number = 1}))
        return frz_fail_memory(err);
    return read_file(&reading, err);
}
