/*
 * The metadata table `partitions`: live files grouped by partition tuple, over the union of all
 * specs.
 */
#include "base/calendar.h"
#include "base/fail.h"
#include "base/map.h"
#include "base/mem.h"
#include "metatable/manifest_walk.h"
#include "metatable/rows.h"
#include "spec/tuple_key.h"
#include "spec/value_arrow.h"

typedef struct partition_total {
    const frz_value *values; /* by the union of all specs; in the arena */
    int32_t spec_id;         /* of the file whose snapshot is the latest */
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
    frz_partition_column partition;
    bool collected;
    frz_value *tuple; /* of the file at hand */
    frz_map map;      /* key of the tuple -> partition_total */
    partition_total **totals;
    size_t count;
    size_t capacity;
} partition_rows;

enum {
    ID_PARTITION = 1,
    ID_SPEC_ID = 4,
    COUNT_FIELDS = 9,
    FIELDS_MAX = COUNT_FIELDS + 2,
    FIRST_FREE_ID = 12,
    PARTITION_ID_MIN = 1000
};

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
    const partition_rows *state = rows->state;
    const frz_type *partition = state->partition.type;
    frz_field *fields = frz_arena_array(&rows->arena, FIELDS_MAX, sizeof *fields);
    frz_type *type = frz_arena_alloc(&rows->arena, sizeof *type);
    if (!fields || !type)
        return frz_fail_memory(err);
    size_t n = 0;
    if (partition->field_count) {
        fields[n++] = (frz_field){
            .id = ID_PARTITION, .name = "partition", .required = true, .type = partition};
        fields[n++] = (frz_field)FRZ_CELL(ID_SPEC_ID, "spec_id", true, frz_cell_int);
    }
    memcpy(fields + n, count_fields, sizeof count_fields);
    *type = (frz_type){.kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = n + COUNT_FIELDS};
    rows->type = type;
    return FRZ_OK;
}

/* The file's tuple over the union of all specs; borrows its bytes. */
static void spread_tuple(const frz_metadata_rows *rows, const frz_data_file *file, frz_value *out)
{
    const frz_type *type = rows->scan->partition_type;
    const frz_partition_spec *spec = frz_metadata_find_spec(rows->scan->metadata, file->spec_id);
    for (size_t i = 0; i < type->field_count; i++) {
        out[i] = (frz_value){.form = FRZ_VALUE_NULL};
        for (size_t k = 0; spec && k < spec->field_count && k < file->partition_count; k++)
            if (spec->fields[k].field_id == type->fields[i].id)
                out[i] = file->partition[k];
    }
}

/* NULL when memory is short. */
static partition_total *new_total(frz_metadata_rows *rows, frz_slice key)
{
    partition_rows *state = rows->state;
    frz_arena *arena = &rows->arena;
    const size_t count = rows->scan->partition_type->field_count;
    frz_slice kept = {0};
    partition_total *total = frz_arena_alloc(arena, sizeof *total);
    frz_value *values = frz_arena_array(arena, count, sizeof *values);
    if (!total || !values || !frz_arena_slice(arena, key, &kept) ||
        !frz_grow_array((void **)&state->totals, &state->capacity, state->count,
                        sizeof *state->totals) ||
        !frz_map_put(&state->map, kept, (frz_map_value){.pointer = total}))
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (!frz_value_copy(&state->tuple[i], arena, &values[i]))
            return NULL;
    *total = (partition_total){.values = values, .updated_at_ms = -1, .updated_by = -1};
    state->totals[state->count++] = total;
    return total;
}

/* NULL when memory is short. */
static partition_total *find_total(frz_metadata_rows *rows, const frz_data_file *file)
{
    partition_rows *state = rows->state;
    frz_buffer key = {0};
    partition_total *total = NULL;
    spread_tuple(rows, file, state->tuple);
    /* As Java compares them: tuples of specs with another number of fields are other partitions. */
    const frz_partition_spec *spec = frz_metadata_find_spec(rows->scan->metadata, file->spec_id);
    frz_buffer_append_u32le(&key, spec ? (uint32_t)spec->field_count : 0);
    frz_tuple_key(state->tuple, rows->scan->partition_type->field_count, &key);
    if (!key.failed) {
        const frz_map_value *found = frz_map_find(&state->map, frz_buffer_slice(&key));
        total = found ? found->pointer : new_total(rows, frz_buffer_slice(&key));
    }
    frz_buffer_clear(&key);
    return total;
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

static frz_status add_part(frz_metadata_rows *rows, const frz_manifest *part, frz_error **err)
{
    for (size_t i = 0; i < frz_manifest_count(part); i++) {
        const frz_manifest_entry *entry = frz_manifest_entry_at(part, i);
        if (entry->status == FRZ_ENTRY_DELETED)
            continue;
        partition_total *total = find_total(rows, &entry->file);
        if (!total)
            return frz_fail_memory(err);
        add_entry(rows->scan->metadata, entry, total);
    }
    return FRZ_OK;
}

/* A filter on the partition leaves out manifests; what stays of other partitions it drops later. */
static frz_status collect(frz_metadata_rows *rows, frz_error **err)
{
    const partition_rows *state = rows->state;
    const frz_manifest_walk_options options = {.scan = rows->scan,
                                               .filter = rows->filter,
                                               .partition = &state->partition,
                                               .partition_id = ID_PARTITION,
                                               .content_id = -1,
                                               .spec_id = -1};
    frz_entry_walk walk;
    const frz_manifest *part = NULL;
    frz_entry_walk_init(&walk, &options);
    frz_status status = frz_entry_walk_next(&walk, &part, err);
    while (status == FRZ_OK) {
        status = add_part(rows, part, err);
        if (status == FRZ_OK)
            status = frz_entry_walk_next(&walk, &part, err);
    }
    frz_entry_walk_clear(&walk);
    return status == FRZ_END ? FRZ_OK : status;
}

static frz_status next(frz_metadata_rows *rows, size_t *count_out, frz_error **err)
{
    partition_rows *state = rows->state;
    if (state->collected)
        return FRZ_END;
    FRZ_TRY(collect(rows, err));
    state->collected = true;
    *count_out = state->count;
    return FRZ_OK;
}

static void append_tuple(const partition_rows *state, const partition_total *total,
                         const frz_type *part, frz_arrow_builder *out)
{
    const frz_type *all = state->partition.type;
    for (size_t i = 0; i < part->field_count; i++)
        for (size_t k = 0; k < all->field_count; k++)
            if (all->fields[k].id == part->fields[i].id)
                frz_value_append(NULL, &total->values[k], frz_arrow_builder_child(out, i));
    frz_arrow_append_struct(out);
}

static frz_status cell(frz_metadata_rows *rows, size_t index, const frz_field *column,
                       frz_arrow_builder *out, frz_error **err)
{
    const partition_rows *state = rows->state;
    const partition_total *total = state->totals[index];
    (void)err;
    if (column->id == ID_PARTITION) {
        append_tuple(state, total, column->type, out);
        return FRZ_OK;
    }
    const int64_t counts[FIRST_FREE_ID] = {
        [2] = total->record_count,
        [3] = total->file_count,
        [ID_SPEC_ID] = total->spec_id,
        [5] = total->position_records,
        [6] = total->position_files,
        [7] = total->equality_records,
        [8] = total->equality_files,
        [9] = total->updated_at_ms < 0 ? -1 : frz_calendar_micros(total->updated_at_ms),
        [10] = total->updated_by,
        [11] = total->data_size,
    };
    frz_cell_count(out, counts[column->id]);
    return FRZ_OK;
}

static void clear(frz_metadata_rows *rows)
{
    partition_rows *state = rows->state;
    frz_map_clear(&state->map);
    frz_free(state->totals);
}

static const frz_metadata_rows_ops ops = {.next = next, .cell = cell, .clear = clear};

frz_status frz_partition_rows_init(frz_metadata_rows *rows, frz_error **err)
{
    partition_rows *state = frz_arena_alloc(&rows->arena, sizeof *state);
    int32_t next_id = FIRST_FREE_ID;
    if (!state)
        return frz_fail_memory(err);
    rows->ops = &ops;
    rows->state = state;
    state->tuple =
        frz_arena_array(&rows->arena, rows->scan->partition_type->field_count, sizeof(frz_value));
    if (!state->tuple)
        return frz_fail_memory(err);
    FRZ_TRY(frz_partition_column_make(rows->scan, PARTITION_ID_MIN, &next_id, &rows->arena,
                                      &state->partition, err));
    return make_row_type(rows, err);
}
