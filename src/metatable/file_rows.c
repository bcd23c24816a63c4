/*
 * The metadata tables over manifests: files, data_files, delete_files, entries, and the same of all
 * snapshots. Manifests are read one after the other, each in parts.
 */
#include <ctype.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/mem.h"
#include "metatable/manifest_walk.h"
#include "metatable/readable_metrics.h"
#include "metatable/rows.h"
#include "spec/manifest_schema.h"

enum {
    MAP_COUNT =
        6, /* column_sizes, value_counts, null_value_counts, nan_value_counts, both bounds */
    FIELDS_MAX = 24,
    FILE_ID_SPEC_ID = 141, /* Java's, not in the specification */
    PARTITION_ID_MIN = 1000
};

/* Map columns: ids of map, key and value ("Data File Fields"). */
static const struct {
    int32_t id, key_id, value_id;
    const char *name;
    bool bytes;
} metric_maps[MAP_COUNT] = {
    {FRZ_FILE_ID_COLUMN_SIZES, 117, 118, "column_sizes", false},
    {FRZ_FILE_ID_VALUE_COUNTS, 119, 120, "value_counts", false},
    {FRZ_FILE_ID_NULL_VALUE_COUNTS, 121, 122, "null_value_counts", false},
    {FRZ_FILE_ID_NAN_VALUE_COUNTS, 138, 139, "nan_value_counts", false},
    {FRZ_FILE_ID_LOWER_BOUNDS, 126, 127, "lower_bounds", true},
    {FRZ_FILE_ID_UPPER_BOUNDS, 129, 130, "upper_bounds", true},
};

typedef struct file_rows {
    frz_entry_walk walk;
    const frz_manifest_entry **entries; /* the rows; owned, they point into the walk's part */
    size_t capacity;
    frz_partition_column partition;
    frz_readable_metrics metrics;
    int32_t metrics_id; /* of the column readable_metrics */
} file_rows;

static bool shows_entries(frz_metadata_table kind)
{
    return kind == FRZ_METADATA_TABLE_ENTRIES || kind == FRZ_METADATA_TABLE_ALL_ENTRIES;
}

static frz_status make_map(frz_arena *arena, size_t index, frz_field *out, frz_error **err)
{
    frz_field *entry = frz_arena_array(arena, 2, sizeof *entry);
    frz_type *type = frz_arena_alloc(arena, sizeof *type);
    if (!entry || !type)
        return frz_fail_memory(err);
    entry[0] = (frz_field)FRZ_CELL(metric_maps[index].key_id, "key", true, frz_cell_int);
    entry[1] = (frz_field){.id = metric_maps[index].value_id,
                           .name = "value",
                           .required = true,
                           .type = metric_maps[index].bytes ? &frz_cell_binary : &frz_cell_long};
    *type = (frz_type){.kind = FRZ_TYPE_MAP, .fields = entry, .field_count = 2};
    *out = (frz_field){.id = metric_maps[index].id, .name = metric_maps[index].name, .type = type};
    return FRZ_OK;
}

static frz_status make_file_type(frz_metadata_rows *rows, const frz_type **out, frz_error **err)
{
    static const frz_field offset_element[] = {FRZ_CELL(133, "element", true, frz_cell_long)};
    static const frz_field id_element[] = {FRZ_CELL(136, "element", true, frz_cell_int)};
    static const frz_type offsets = {
        .kind = FRZ_TYPE_LIST, .fields = offset_element, .field_count = 1};
    static const frz_type ids = {.kind = FRZ_TYPE_LIST, .fields = id_element, .field_count = 1};
    const file_rows *state = rows->state;
    frz_field *fields = frz_arena_array(&rows->arena, FIELDS_MAX, sizeof *fields);
    frz_type *type = frz_arena_alloc(&rows->arena, sizeof *type);
    if (!fields || !type)
        return frz_fail_memory(err);
    size_t n = 0;
    fields[n++] = (frz_field)FRZ_CELL(FRZ_FILE_ID_CONTENT, "content", false, frz_cell_int);
    fields[n++] = (frz_field)FRZ_CELL(FRZ_FILE_ID_FILE_PATH, "file_path", true, frz_cell_string);
    fields[n++] =
        (frz_field)FRZ_CELL(FRZ_FILE_ID_FILE_FORMAT, "file_format", true, frz_cell_string);
    fields[n++] = (frz_field)FRZ_CELL(FILE_ID_SPEC_ID, "spec_id", false, frz_cell_int);
    if (state->partition.type->field_count)
        fields[n++] = (frz_field){.id = FRZ_FILE_ID_PARTITION,
                                  .name = "partition",
                                  .required = true,
                                  .type = state->partition.type};
    fields[n++] =
        (frz_field)FRZ_CELL(FRZ_FILE_ID_RECORD_COUNT, "record_count", true, frz_cell_long);
    fields[n++] =
        (frz_field)FRZ_CELL(FRZ_FILE_ID_FILE_SIZE, "file_size_in_bytes", true, frz_cell_long);
    for (size_t i = 0; i < MAP_COUNT; i++)
        FRZ_TRY(make_map(&rows->arena, i, &fields[n++], err));
    fields[n++] =
        (frz_field)FRZ_CELL(FRZ_FILE_ID_KEY_METADATA, "key_metadata", false, frz_cell_binary);
    fields[n++] = (frz_field)FRZ_CELL(FRZ_FILE_ID_SPLIT_OFFSETS, "split_offsets", false, offsets);
    fields[n++] = (frz_field)FRZ_CELL(FRZ_FILE_ID_EQUALITY_IDS, "equality_ids", false, ids);
    fields[n++] =
        (frz_field)FRZ_CELL(FRZ_FILE_ID_SORT_ORDER_ID, "sort_order_id", false, frz_cell_int);
    fields[n++] =
        (frz_field)FRZ_CELL(FRZ_FILE_ID_FIRST_ROW_ID, "first_row_id", false, frz_cell_long);
    fields[n++] = (frz_field)FRZ_CELL(FRZ_FILE_ID_REFERENCED_DATA_FILE, "referenced_data_file",
                                      false, frz_cell_string);
    fields[n++] =
        (frz_field)FRZ_CELL(FRZ_FILE_ID_CONTENT_OFFSET, "content_offset", false, frz_cell_long);
    fields[n++] = (frz_field)FRZ_CELL(FRZ_FILE_ID_CONTENT_SIZE, "content_size_in_bytes", false,
                                      frz_cell_long);
    *type = (frz_type){.kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = n};
    *out = type;
    return FRZ_OK;
}

/* The row: a file's columns, or an entry around them; then readable_metrics. */
static frz_status make_row_type(frz_metadata_rows *rows, int32_t next_id, frz_error **err)
{
    file_rows *state = rows->state;
    const frz_type *file = NULL;
    frz_field *fields = frz_arena_array(&rows->arena, FIELDS_MAX + 1, sizeof *fields);
    frz_type *type = frz_arena_alloc(&rows->arena, sizeof *type);
    if (!fields || !type)
        return frz_fail_memory(err);
    FRZ_TRY(make_file_type(rows, &file, err));
    size_t n = 0;
    if (shows_entries(rows->kind)) {
        fields[n++] = (frz_field)FRZ_CELL(FRZ_ENTRY_ID_STATUS, "status", true, frz_cell_int);
        fields[n++] =
            (frz_field)FRZ_CELL(FRZ_ENTRY_ID_SNAPSHOT_ID, "snapshot_id", false, frz_cell_long);
        fields[n++] = (frz_field)FRZ_CELL(FRZ_ENTRY_ID_SEQUENCE_NUMBER, "sequence_number", false,
                                          frz_cell_long);
        fields[n++] = (frz_field)FRZ_CELL(FRZ_ENTRY_ID_FILE_SEQUENCE_NUMBER, "file_sequence_number",
                                          false, frz_cell_long);
        fields[n++] = (frz_field){
            .id = FRZ_ENTRY_ID_DATA_FILE, .name = "data_file", .required = true, .type = file};
    } else {
        memcpy(fields, file->fields, file->field_count * sizeof *fields);
        n = file->field_count;
    }
    FRZ_TRY(frz_readable_metrics_make(rows->scan->schema, &next_id, &rows->arena, &state->metrics,
                                      err));
    state->metrics_id = next_id;
    fields[n++] =
        (frz_field){.id = next_id, .name = "readable_metrics", .type = state->metrics.type};
    *type = (frz_type){.kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = n};
    rows->type = type;
    return FRZ_OK;
}

/* The number or bound of a column that belongs into the map; false when it has none. */
static bool map_value(const frz_column_metrics *column, size_t map, int64_t *number,
                      frz_slice *bytes)
{
    switch (map) {
    case 0:
        *number = column->column_size;
        break;
    case 1:
        *number = column->value_count;
        break;
    case 2:
        *number = column->null_count;
        break;
    case 3:
        *number = column->nan_count;
        break;
    case 4:
        *bytes = column->lower;
        return column->has_lower;
    default:
        *bytes = column->upper;
        return column->has_upper;
    }
    return *number >= 0;
}

static void append_map(frz_arrow_builder *column, const frz_data_file *file, size_t map)
{
    if (!(file->metric_maps >> map & 1)) {
        frz_arrow_append_null(column);
        return;
    }
    frz_arrow_builder *entries = frz_arrow_builder_child(column, 0);
    for (size_t i = 0; i < file->column_count; i++) {
        int64_t number = 0;
        frz_slice bytes = {0};
        if (!map_value(&file->columns[i], map, &number, &bytes))
            continue;
        frz_arrow_append_i64(frz_arrow_builder_child(entries, 0), file->columns[i].field_id);
        if (metric_maps[map].bytes)
            frz_arrow_append_bytes(frz_arrow_builder_child(entries, 1), bytes);
        else
            frz_arrow_append_i64(frz_arrow_builder_child(entries, 1), number);
        frz_arrow_append_struct(entries);
    }
    frz_arrow_append_list(column);
}

static void append_format(frz_arrow_builder *column, frz_slice text)
{
    char upper[16];
    const size_t size = text.size < sizeof upper ? text.size : sizeof upper;
    for (size_t i = 0; i < size; i++)
        upper[i] = (char)toupper(text.data[i]);
    frz_arrow_append_bytes(column, frz_slice_of(upper, size));
}

static void append_offsets(frz_arrow_builder *column, const frz_data_file *file)
{
    for (size_t i = 0; i < file->split_offset_count; i++)
        frz_arrow_append_i64(frz_arrow_builder_child(column, 0), file->split_offsets[i]);
    if (file->split_offset_count)
        frz_arrow_append_list(column);
    else
        frz_arrow_append_null(column);
}

static void append_equality_ids(frz_arrow_builder *column, const frz_data_file *file)
{
    for (size_t i = 0; i < file->equality_id_count; i++)
        frz_arrow_append_i64(frz_arrow_builder_child(column, 0), file->equality_ids[i]);
    if (file->equality_id_count)
        frz_arrow_append_list(column);
    else
        frz_arrow_append_null(column);
}

static void append_metrics(const file_rows *state, const frz_data_file *file,
                           const frz_field *column, frz_arrow_builder *out)
{
    for (size_t i = 0; i < MAP_COUNT; i++) {
        if (column->id == metric_maps[i].id) {
            append_map(out, file, i);
            return;
        }
    }
    frz_readable_metrics_append(&state->metrics, file, column->type, out);
}

static void file_cell(const file_rows *state, const frz_data_file *file, const frz_field *column,
                      frz_arrow_builder *out)
{
    switch (column->id) {
    case FRZ_FILE_ID_CONTENT:
        frz_arrow_append_i64(out, (int64_t)file->content);
        return;
    case FRZ_FILE_ID_FILE_PATH:
        frz_arrow_append_bytes(out, file->path);
        return;
    case FRZ_FILE_ID_FILE_FORMAT:
        append_format(out, file->format_text);
        return;
    case FILE_ID_SPEC_ID:
        frz_arrow_append_i64(out, file->spec_id);
        return;
    case FRZ_FILE_ID_PARTITION:
        frz_partition_column_append(&state->partition, file, column->type, out);
        return;
    case FRZ_FILE_ID_RECORD_COUNT:
        frz_arrow_append_i64(out, file->record_count);
        return;
    case FRZ_FILE_ID_FILE_SIZE:
        frz_arrow_append_i64(out, file->file_size);
        return;
    case FRZ_FILE_ID_KEY_METADATA:
        frz_cell_slice(out, file->key_metadata);
        return;
    case FRZ_FILE_ID_SPLIT_OFFSETS:
        append_offsets(out, file);
        return;
    case FRZ_FILE_ID_EQUALITY_IDS:
        append_equality_ids(out, file);
        return;
    case FRZ_FILE_ID_SORT_ORDER_ID:
        frz_cell_count(out, file->sort_order_id);
        return;
    case FRZ_FILE_ID_FIRST_ROW_ID:
        frz_cell_count(out, file->first_row_id);
        return;
    case FRZ_FILE_ID_REFERENCED_DATA_FILE:
        frz_cell_slice(out, file->referenced_data_file);
        return;
    case FRZ_FILE_ID_CONTENT_OFFSET:
        frz_cell_count(out, file->content_offset);
        return;
    case FRZ_FILE_ID_CONTENT_SIZE:
        frz_cell_count(out, file->content_size);
        return;
    default:
        append_metrics(state, file, column, out);
    }
}

static void entry_cell(const file_rows *state, const frz_manifest_entry *entry,
                       const frz_field *column, frz_arrow_builder *out)
{
    switch (column->id) {
    case FRZ_ENTRY_ID_STATUS:
        frz_arrow_append_i64(out, (int64_t)entry->status);
        return;
    case FRZ_ENTRY_ID_SNAPSHOT_ID:
        frz_cell_count(out, entry->snapshot_id);
        return;
    case FRZ_ENTRY_ID_SEQUENCE_NUMBER:
        frz_cell_count(out, entry->sequence_number);
        return;
    case FRZ_ENTRY_ID_FILE_SEQUENCE_NUMBER:
        frz_cell_count(out, entry->file_sequence_number);
        return;
    case FRZ_ENTRY_ID_DATA_FILE:
        for (size_t i = 0; i < column->type->field_count; i++)
            file_cell(state, &entry->file, &column->type->fields[i],
                      frz_arrow_builder_child(out, i));
        frz_arrow_append_struct(out);
        return;
    default:
        append_metrics(state, &entry->file, column, out);
    }
}

static frz_status cell(frz_metadata_rows *rows, size_t index, const frz_field *column,
                       frz_arrow_builder *out, frz_error **err)
{
    const file_rows *state = rows->state;
    (void)err;
    if (shows_entries(rows->kind))
        entry_cell(state, state->entries[index], column, out);
    else
        file_cell(state, &state->entries[index]->file, column, out);
    return FRZ_OK;
}

/* What a column needs decoded. */
typedef struct field_choice {
    const file_rows *state;
    frz_manifest_fields *fields;
    int32_t *ids; /* with room for every column, twice */
} field_choice;

static void choose_fields(void *context, const frz_field *column)
{
    const field_choice *choice = context;
    frz_manifest_fields *fields = choice->fields;
    if (column->id == FRZ_ENTRY_ID_DATA_FILE) {
        for (size_t i = 0; i < column->type->field_count; i++)
            choose_fields(context, &column->type->fields[i]);
    } else if (column->id == choice->state->metrics_id) {
        fields->all_metrics |= frz_readable_metrics_has_size(column->type);
        for (size_t i = 0; i < column->type->field_count; i++)
            choice->ids[fields->metric_id_count++] =
                frz_readable_metrics_column(&choice->state->metrics, &column->type->fields[i]);
    } else if (column->type->kind == FRZ_TYPE_MAP) {
        fields->all_metrics = true;
    } else if (column->id == FRZ_FILE_ID_SPLIT_OFFSETS || column->id == FRZ_FILE_ID_SORT_ORDER_ID) {
        fields->details = true;
    }
}

static int by_id(const void *a, const void *b)
{
    const int32_t left = *(const int32_t *)a;
    const int32_t right = *(const int32_t *)b;
    return left < right ? -1 : left > right;
}

static size_t sort_distinct(int32_t *ids, size_t count)
{
    size_t kept = 0;
    if (count)
        qsort(ids, count, sizeof *ids, by_id);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || ids[kept - 1] != ids[i])
            ids[kept++] = ids[i];
    return kept;
}

static frz_status start(frz_metadata_rows *rows, frz_error **err)
{
    file_rows *state = rows->state;
    int32_t *ids = frz_arena_array(&rows->arena, 2 * state->metrics.type->field_count, sizeof *ids);
    if (!ids)
        return frz_fail_memory(err);
    frz_manifest_walk_options options = {.scan = rows->scan,
                                         .filter = rows->filter,
                                         .partition = &state->partition,
                                         .partition_id = FRZ_FILE_ID_PARTITION,
                                         .content_id = FRZ_FILE_ID_CONTENT,
                                         .spec_id = FILE_ID_SPEC_ID};
    options.all_snapshots = rows->kind == FRZ_METADATA_TABLE_ALL_FILES ||
                            rows->kind == FRZ_METADATA_TABLE_ALL_DATA_FILES ||
                            rows->kind == FRZ_METADATA_TABLE_ALL_DELETE_FILES ||
                            rows->kind == FRZ_METADATA_TABLE_ALL_ENTRIES;
    if (rows->kind == FRZ_METADATA_TABLE_DATA_FILES ||
        rows->kind == FRZ_METADATA_TABLE_ALL_DATA_FILES)
        options.choice = FRZ_MANIFESTS_DATA;
    if (rows->kind == FRZ_METADATA_TABLE_DELETE_FILES ||
        rows->kind == FRZ_METADATA_TABLE_ALL_DELETE_FILES)
        options.choice = FRZ_MANIFESTS_DELETES;
    frz_entry_walk_init(&state->walk, &options);

    frz_manifest_fields *fields = &state->walk.fields;
    field_choice choice = {.state = state, .fields = fields, .ids = ids};
    frz_metadata_rows_visit(rows, choose_fields, &choice);
    fields->metric_ids = ids;
    fields->metric_id_count = sort_distinct(ids, fields->metric_id_count);
    return FRZ_OK;
}

static frz_status next(frz_metadata_rows *rows, size_t *count_out, frz_error **err)
{
    file_rows *state = rows->state;
    const frz_manifest *part = NULL;
    const frz_status status = frz_entry_walk_next(&state->walk, &part, err);
    if (status != FRZ_OK)
        return status;
    size_t count = 0;
    for (size_t i = 0; i < frz_manifest_count(part); i++) {
        const frz_manifest_entry *entry = frz_manifest_entry_at(part, i);
        if (entry->status == FRZ_ENTRY_DELETED && !shows_entries(rows->kind))
            continue;
        if (!frz_grow_array((void **)&state->entries, &state->capacity, count,
                            sizeof *state->entries))
            return frz_fail_memory(err);
        state->entries[count++] = entry;
    }
    *count_out = count;
    return FRZ_OK;
}

static void clear(frz_metadata_rows *rows)
{
    file_rows *state = rows->state;
    frz_entry_walk_clear(&state->walk);
    frz_free((void *)state->entries);
}

static const frz_metadata_rows_ops ops = {
    .next = next, .cell = cell, .start = start, .clear = clear};

frz_status frz_file_rows_init(frz_metadata_rows *rows, frz_error **err)
{
    enum { FIRST_FREE_ID = 146 };
    file_rows *state = frz_arena_alloc(&rows->arena, sizeof *state);
    if (!state)
        return frz_fail_memory(err);
    rows->ops = &ops;
    rows->state = state;
    int32_t next_id = FIRST_FREE_ID;
    const frz_type *partition = rows->scan->partition_type;
    for (size_t i = 0; i < partition->field_count; i++)
        if (partition->fields[i].id >= next_id)
            next_id = partition->fields[i].id + 1;
    FRZ_TRY(frz_partition_column_make(rows->scan, PARTITION_ID_MIN, &next_id, &rows->arena,
                                      &state->partition, err));
    return make_row_type(rows, next_id, err);
}
