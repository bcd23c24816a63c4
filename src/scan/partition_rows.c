/*
 * The metadata table `partitions`: live files grouped by partition tuple, over the union of all
 * specs.
 */
#include "base/calendar.h"
#include "base/fail.h"
#include "base/map.h"
#include "base/mem.h"
#include "scan/metadata_table.h"
#include "spec/tuple_key.h"
#include "spec/value_arrow.h"

typedef struct partition_total {
    const frz_value *values; /* by the union of all specs; in the arena */
    int32_t spec_id;
    int64_t record_count;
    int64_t file_count;
    int64_t data_size;
    int64_t position_records;
    int64_t position_files;
    int64_t equality_records;
    int64_t equality_files;
    int64_t updated_at_ms; /* -1 unknown */
    int64_t updated_by;
} partition_total;

typedef struct partition_rows {
    frz_map map; /* key of the tuple -> partition_total */
    partition_total **totals;
    size_t count;
    size_t capacity;
} partition_rows;

enum { COUNT_FIELDS = 9 };

static const frz_field count_fields[COUNT_FIELDS] = {
    FRZ_CELL(2, "record_count", true, frz_cell_long),
    FRZ_CELL(3, "file_count", true, frz_cell_int),
    FRZ_CELL(11, "total_data_file_size_in_bytes", true, frz_cell_long),
    FRZ_CELL(5, "position_delete_record_count", true, frz_cell_long),
    FRZ_CELL(6, "position_delete_file_count", true, frz_cell_int),
    FRZ_CELL(7, "equality_delete_record_count", true, frz_cell_long),
    FRZ_CELL(8, "equality_delete_file_count", true, frz_cell_int),
    FRZ_CELL(9, "last_updated_at", false, frz_cell_timestamptz),
    FRZ_CELL(10, "last_updated_snapshot_id", false, frz_cell_long),
};

static frz_status make_row_type(frz_metadata_rows *rows, frz_error **err)
{
    const frz_type *partition = rows->scan->partition_type;
    frz_field *fields = frz_arena_array(&rows->arena, COUNT_FIELDS + 2, sizeof *fields);
    frz_type *type = frz_arena_alloc(&rows->arena, sizeof *type);
    if (!fields || !type)
        return frz_fail_memory(err);
    size_t n = 0;
    if (partition->field_count) {
        fields[n++] =
            (frz_field){.id = 1, .name = "partition", .required = true, .type = partition};
        fields[n++] = (frz_field)FRZ_CELL(4, "spec_id", true, frz_cell_int);
    }
    memcpy(fields + n, count_fields, sizeof count_fields);
    *type = (frz_type){.kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = n + COUNT_FIELDS};
    rows->type = type;
    return FRZ_OK;
}

/* The tuple over the union of all specs, with its bytes in the arena. */
static frz_status coerce(const frz_metadata_rows *rows, const frz_data_file *file, frz_arena *arena,
                         frz_value **out, frz_error **err)
{
    const frz_type *type = rows->scan->partition_type;
    const frz_partition_spec *spec = frz_metadata_find_spec(rows->scan->metadata, file->spec_id);
    frz_value *values = frz_arena_array(arena, type->field_count, sizeof *values);
    if (!values)
        return frz_fail_memory(err);
    for (size_t i = 0; i < type->field_count; i++)
        for (size_t k = 0; spec && k < spec->field_count && k < file->partition_count; k++)
            if (spec->fields[k].field_id == type->fields[i].id &&
                !frz_value_copy(&file->partition[k], arena, &values[i]))
                return frz_fail_memory(err);
    *out = values;
    return FRZ_OK;
}

static frz_status find_total(frz_metadata_rows *rows, const frz_data_file *file,
                             partition_total **out, frz_error **err)
{
    partition_rows *state = rows->state;
    frz_value *values = NULL;
    frz_buffer key = {0};
    frz_slice kept = {0};
    frz_status status = FRZ_OK;

    FRZ_TRY_DONE(coerce(rows, file, &rows->arena, &values, err));
    /* As Java compares them: tuples of specs with another number of fields are other partitions. */
    const frz_partition_spec *spec = frz_metadata_find_spec(rows->scan->metadata, file->spec_id);
    frz_buffer_append_u32le(&key, spec ? (uint32_t)spec->field_count : 0);
    frz_tuple_key(values, rows->scan->partition_type->field_count, &key);
    FRZ_TRY_DONE(frz_buffer_check(&key, err));
    const frz_map_value *found = frz_map_find(&state->map, frz_buffer_slice(&key));
    if (found) {
        *out = found->pointer;
        goto done;
    }
    partition_total *total = frz_arena_alloc(&rows->arena, sizeof *total);
    if (!total || !frz_arena_slice(&rows->arena, frz_buffer_slice(&key), &kept) ||
        !frz_grow_array((void **)&state->totals, &state->capacity, state->count, sizeof(void *)) ||
        !frz_map_put(&state->map, kept, (frz_map_value){.pointer = total})) {
        status = frz_fail_memory(err);
        goto done;
    }
    total->values = values;
    total->updated_at_ms = -1;
    total->updated_by = -1;
    state->totals[state->count++] = total;
    *out = total;

done:
    frz_buffer_clear(&key);
    return status;
}

static void add_entry(const frz_metadata *metadata, const frz_manifest_entry *entry,
                      partition_total *total)
{
    const frz_data_file *file = &entry->file;
    const frz_snapshot *snapshot = frz_metadata_find_snapshot(metadata, entry->snapshot_id);
    if (snapshot && snapshot->timestamp_ms > total->updated_at_ms) {
        total->updated_at_ms = snapshot->timestamp_ms;
        total->updated_by = snapshot->snapshot_id;
        total->spec_id = file->spec_id;
    }
    switch (file->content) {
    case FRZ_CONTENT_DATA:
        total->record_count += file->record_count;
        total->file_count++;
        total->data_size += file->file_size;
        break;
    case FRZ_CONTENT_POSITION_DELETES:
        total->position_records += file->record_count;
        total->position_files++;
        break;
    case FRZ_CONTENT_EQUALITY_DELETES:
        total->equality_records += file->record_count;
        total->equality_files++;
        break;
    }
}

static frz_status collect_manifest(frz_metadata_rows *rows, const frz_manifest_file *source,
                                   frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_manifest *manifest = NULL;
    FRZ_TRY(frz_metadata_read_manifest(rows->scan, source, false, &manifest, err));
    for (size_t i = 0; i < frz_manifest_count(manifest); i++) {
        const frz_manifest_entry *entry = frz_manifest_entry_at(manifest, i);
        partition_total *total = NULL;
        if (entry->status == FRZ_ENTRY_DELETED)
            continue;
        FRZ_TRY_DONE(find_total(rows, &entry->file, &total, err));
        add_entry(rows->scan->metadata, entry, total);
    }

done:
    frz_manifest_unref(manifest);
    return status;
}

static frz_status collect(frz_metadata_rows *rows, frz_error **err)
{
    const frz_scan *scan = rows->scan;
    frz_manifest_list list = {0};
    if (scan->snapshot)
        FRZ_TRY(frz_manifest_list_read(scan->io, scan->metadata, scan->snapshot, &scan->limits,
                                       &rows->arena, &list, err));
    for (size_t i = 0; i < list.count; i++)
        FRZ_TRY(collect_manifest(rows, &list.files[i], err));
    return FRZ_OK;
}

static void append_total(const frz_metadata_rows *rows, const partition_total *total,
                         frz_arrow_builder *out)
{
    const frz_type *partition = rows->scan->partition_type;
    size_t n = 0;
    if (partition->field_count) {
        frz_arrow_builder *tuple = frz_arrow_builder_child(out, n++);
        for (size_t i = 0; i < partition->field_count; i++)
            frz_value_append(NULL, &total->values[i], frz_arrow_builder_child(tuple, i));
        frz_arrow_append_struct(tuple);
        frz_arrow_append_i64(frz_arrow_builder_child(out, n++), total->spec_id);
    }
    const int64_t counts[COUNT_FIELDS] = {
        total->record_count,
        total->file_count,
        total->data_size,
        total->position_records,
        total->position_files,
        total->equality_records,
        total->equality_files,
        total->updated_at_ms < 0 ? -1 : frz_calendar_micros(total->updated_at_ms),
        total->updated_by};
    for (size_t i = 0; i < COUNT_FIELDS; i++)
        frz_cell_count(frz_arrow_builder_child(out, n++), counts[i]);
    frz_arrow_append_struct(out);
}

static frz_status fill(frz_metadata_rows *rows, frz_arrow_builder *out, frz_error **err)
{
    partition_rows *state = rows->state;
    FRZ_TRY(collect(rows, err));
    for (size_t i = 0; i < state->count; i++)
        append_total(rows, state->totals[i], out);
    return FRZ_END;
}

static void clear(frz_metadata_rows *rows)
{
    partition_rows *state = rows->state;
    if (!state)
        return;
    frz_map_clear(&state->map);
    frz_free(state->totals);
}

static const frz_metadata_rows_ops ops = {.fill = fill, .clear = clear};

frz_status frz_partition_rows_init(frz_metadata_rows *rows, frz_error **err)
{
    rows->ops = &ops;
    rows->state = frz_arena_alloc(&rows->arena, sizeof(partition_rows));
    if (!rows->state)
        return frz_fail_memory(err);
    return make_row_type(rows, err);
}
