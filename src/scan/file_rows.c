/*
 * The metadata tables over manifests: files, data_files, delete_files, entries. One manifest at a
 * time.
 */
#include <ctype.h>
#include <stdlib.h>

#include "base/fail.h"
#include "scan/metadata_table.h"
#include "spec/value_arrow.h"

enum {
    MAP_COUNT =
        6, /* column_sizes, value_counts, null_value_counts, nan_value_counts, both bounds */
    FIELDS_MAX = 24,
    METRIC_COUNT = 6
};

/* Map columns: ids of map, key and value ("Data File Fields"). */
static const struct {
    int32_t id, key_id, value_id;
    const char *name;
    bool bytes;
} metric_maps[MAP_COUNT] = {
    {108, 117, 118, "column_sizes", false},      {109, 119, 120, "value_counts", false},
    {110, 121, 122, "null_value_counts", false}, {137, 138, 139, "nan_value_counts", false},
    {125, 126, 127, "lower_bounds", true},       {128, 129, 130, "upper_bounds", true},
};

/* A primitive column of the table's schema, for readable_metrics. */
typedef struct metric_column {
    const char *path;
    const frz_field *field;
} metric_column;

typedef struct file_rows {
    frz_manifest_list list;
    size_t next;            /* manifest to read next */
    const frz_type *file;   /* the columns of a file */
    metric_column *columns; /* in the order of readable_metrics: by path */
    size_t column_count;
    bool partitioned;
} file_rows;

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
    frz_field *fields = frz_arena_array(&rows->arena, FIELDS_MAX, sizeof *fields);
    frz_type *type = frz_arena_alloc(&rows->arena, sizeof *type);
    if (!fields || !type)
        return frz_fail_memory(err);
    size_t n = 0;
    fields[n++] = (frz_field)FRZ_CELL(134, "content", false, frz_cell_int);
    fields[n++] = (frz_field)FRZ_CELL(100, "file_path", true, frz_cell_string);
    fields[n++] = (frz_field)FRZ_CELL(101, "file_format", true, frz_cell_string);
    fields[n++] = (frz_field)FRZ_CELL(141, "spec_id", false, frz_cell_int);
    if (rows->scan->partition_type->field_count)
        fields[n++] = (frz_field){
            .id = 102, .name = "partition", .required = true, .type = rows->scan->partition_type};
    fields[n++] = (frz_field)FRZ_CELL(103, "record_count", true, frz_cell_long);
    fields[n++] = (frz_field)FRZ_CELL(104, "file_size_in_bytes", true, frz_cell_long);
    for (size_t i = 0; i < MAP_COUNT; i++)
        FRZ_TRY(make_map(&rows->arena, i, &fields[n++], err));
    fields[n++] = (frz_field)FRZ_CELL(131, "key_metadata", false, frz_cell_binary);
    fields[n++] = (frz_field)FRZ_CELL(132, "split_offsets", false, offsets);
    fields[n++] = (frz_field)FRZ_CELL(135, "equality_ids", false, ids);
    fields[n++] = (frz_field)FRZ_CELL(140, "sort_order_id", false, frz_cell_int);
    fields[n++] = (frz_field)FRZ_CELL(142, "first_row_id", false, frz_cell_long);
    fields[n++] = (frz_field)FRZ_CELL(143, "referenced_data_file", false, frz_cell_string);
    fields[n++] = (frz_field)FRZ_CELL(144, "content_offset", false, frz_cell_long);
    fields[n++] = (frz_field)FRZ_CELL(145, "content_size_in_bytes", false, frz_cell_long);
    *type = (frz_type){.kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = n};
    *out = type;
    return FRZ_OK;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const metric_column *)a)->path, ((const metric_column *)b)->path);
}

static frz_status make_metric_struct(frz_arena *arena, const frz_field *field, int32_t *next_id,
                                     const frz_type **out, frz_error **err)
{
    static const char *const names[METRIC_COUNT] = {"column_size",      "value_count",
                                                    "null_value_count", "nan_value_count",
                                                    "lower_bound",      "upper_bound"};
    frz_field *fields = frz_arena_array(arena, METRIC_COUNT, sizeof *fields);
    frz_type *type = frz_arena_alloc(arena, sizeof *type);
    if (!fields || !type)
        return frz_fail_memory(err);
    for (size_t i = 0; i < METRIC_COUNT; i++)
        fields[i] = (frz_field){
            .id = (*next_id)++, .name = names[i], .type = i < 4 ? &frz_cell_long : field->type};
    *type = (frz_type){.kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = METRIC_COUNT};
    *out = type;
    return FRZ_OK;
}

/* readable_metrics: one struct per primitive column of the schema, by dotted path (Java's
 * MetricsUtil). */
static frz_status make_readable_metrics(frz_metadata_rows *rows, file_rows *state, int32_t next_id,
                                        frz_field *out, frz_error **err)
{
    const frz_schema *schema = rows->scan->schema;
    const size_t room = frz_schema_field_count(schema);
    frz_field *fields = frz_arena_array(&rows->arena, room, sizeof *fields);
    frz_type *type = frz_arena_alloc(&rows->arena, sizeof *type);
    state->columns = frz_arena_array(&rows->arena, room, sizeof *state->columns);
    if (!fields || !type || !state->columns)
        return frz_fail_memory(err);
    for (size_t i = 0; i < room; i++) {
        const frz_field *field = frz_schema_field_at(schema, i);
        if (frz_type_is_primitive(field->type))
            state->columns[state->column_count++] =
                (metric_column){.path = frz_schema_path(schema, field->id), .field = field};
    }
    qsort(state->columns, state->column_count, sizeof *state->columns, by_path);
    for (size_t i = 0; i < state->column_count; i++) {
        fields[i] = (frz_field){.id = next_id++, .name = state->columns[i].path};
        FRZ_TRY(make_metric_struct(&rows->arena, state->columns[i].field, &next_id, &fields[i].type,
                                   err));
    }
    *type =
        (frz_type){.kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = state->column_count};
    *out = (frz_field){.id = next_id, .name = "readable_metrics", .type = type};
    return FRZ_OK;
}

/* The row: a file's columns, or an entry around them; then readable_metrics. */
static frz_status make_row_type(frz_metadata_rows *rows, file_rows *state, frz_error **err)
{
    enum { FIRST_FREE_ID = 146 };
    frz_field *fields = frz_arena_array(&rows->arena, FIELDS_MAX + 1, sizeof *fields);
    frz_type *type = frz_arena_alloc(&rows->arena, sizeof *type);
    if (!fields || !type)
        return frz_fail_memory(err);
    size_t n = 0;
    if (rows->kind == FRZ_METADATA_TABLE_ENTRIES) {
        fields[n++] = (frz_field)FRZ_CELL(0, "status", true, frz_cell_int);
        fields[n++] = (frz_field)FRZ_CELL(1, "snapshot_id", false, frz_cell_long);
        fields[n++] = (frz_field)FRZ_CELL(3, "sequence_number", false, frz_cell_long);
        fields[n++] = (frz_field)FRZ_CELL(4, "file_sequence_number", false, frz_cell_long);
        fields[n++] =
            (frz_field){.id = 2, .name = "data_file", .required = true, .type = state->file};
    } else {
        memcpy(fields, state->file->fields, state->file->field_count * sizeof *fields);
        n = state->file->field_count;
    }
    int32_t next_id = FIRST_FREE_ID;
    for (size_t i = 0; i < rows->scan->partition_type->field_count; i++)
        if (rows->scan->partition_type->fields[i].id >= next_id)
            next_id = rows->scan->partition_type->fields[i].id + 1;
    FRZ_TRY(make_readable_metrics(rows, state, next_id, &fields[n++], err));
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

static void append_file(const frz_metadata_rows *rows, const file_rows *state,
                        const frz_data_file *file, frz_arrow_builder *out)
{
    size_t n = 0;
    frz_arrow_append_i64(frz_arrow_builder_child(out, n++), (int64_t)file->content);
    frz_arrow_append_bytes(frz_arrow_builder_child(out, n++), file->path);
    append_format(frz_arrow_builder_child(out, n++), file->format_text);
    frz_arrow_append_i64(frz_arrow_builder_child(out, n++), file->spec_id);
    if (state->partitioned)
        frz_cell_partition(frz_arrow_builder_child(out, n++), rows->scan, file);
    frz_arrow_append_i64(frz_arrow_builder_child(out, n++), file->record_count);
    frz_arrow_append_i64(frz_arrow_builder_child(out, n++), file->file_size);
    for (size_t i = 0; i < MAP_COUNT; i++)
        append_map(frz_arrow_builder_child(out, n++), file, i);
    frz_cell_slice(frz_arrow_builder_child(out, n++), file->key_metadata);

    frz_arrow_builder *offsets = frz_arrow_builder_child(out, n++);
    for (size_t i = 0; i < file->split_offset_count; i++)
        frz_arrow_append_i64(frz_arrow_builder_child(offsets, 0), file->split_offsets[i]);
    if (file->split_offset_count)
        frz_arrow_append_list(offsets);
    else
        frz_arrow_append_null(offsets);
    frz_arrow_builder *ids = frz_arrow_builder_child(out, n++);
    for (size_t i = 0; i < file->equality_id_count; i++)
        frz_arrow_append_i64(frz_arrow_builder_child(ids, 0), file->equality_ids[i]);
    if (file->equality_id_count)
        frz_arrow_append_list(ids);
    else
        frz_arrow_append_null(ids);

    frz_cell_count(frz_arrow_builder_child(out, n++), file->sort_order_id);
    frz_cell_count(frz_arrow_builder_child(out, n++), file->first_row_id);
    frz_cell_slice(frz_arrow_builder_child(out, n++), file->referenced_data_file);
    frz_cell_count(frz_arrow_builder_child(out, n++), file->content_offset);
    frz_cell_count(frz_arrow_builder_child(out, n++), file->content_size);
}

static void append_readable_bound(frz_arrow_builder *column, const frz_type *type, bool known,
                                  frz_slice bytes)
{
    frz_value value = {0};
    if (known && frz_value_decode(type, bytes, &value, NULL) == FRZ_OK)
        frz_value_append(NULL, &value, column);
    else
        frz_arrow_append_null(column);
}

static void append_readable(const file_rows *state, const frz_data_file *file,
                            frz_arrow_builder *out)
{
    for (size_t i = 0; i < state->column_count; i++) {
        static const frz_column_metrics unknown = {
            .column_size = -1, .value_count = -1, .null_count = -1, .nan_count = -1};
        const frz_field *field = state->columns[i].field;
        const frz_column_metrics *found = frz_data_file_metrics(file, field->id);
        const frz_column_metrics *column = found ? found : &unknown;
        frz_arrow_builder *cells = frz_arrow_builder_child(out, i);
        frz_cell_count(frz_arrow_builder_child(cells, 0), column->column_size);
        frz_cell_count(frz_arrow_builder_child(cells, 1), column->value_count);
        frz_cell_count(frz_arrow_builder_child(cells, 2), column->null_count);
        frz_cell_count(frz_arrow_builder_child(cells, 3), column->nan_count);
        append_readable_bound(frz_arrow_builder_child(cells, 4), field->type, column->has_lower,
                              column->lower);
        append_readable_bound(frz_arrow_builder_child(cells, 5), field->type, column->has_upper,
                              column->upper);
        frz_arrow_append_struct(cells);
    }
    frz_arrow_append_struct(out);
}

static void append_entry(const frz_metadata_rows *rows, const file_rows *state,
                         const frz_manifest_entry *entry, frz_arrow_builder *out)
{
    if (rows->kind == FRZ_METADATA_TABLE_ENTRIES) {
        frz_arrow_builder *file = frz_arrow_builder_child(out, 4);
        frz_arrow_append_i64(frz_arrow_builder_child(out, 0), (int64_t)entry->status);
        frz_cell_count(frz_arrow_builder_child(out, 1), entry->snapshot_id);
        frz_cell_count(frz_arrow_builder_child(out, 2), entry->sequence_number);
        frz_cell_count(frz_arrow_builder_child(out, 3), entry->file_sequence_number);
        append_file(rows, state, &entry->file, file);
        frz_arrow_append_struct(file);
        append_readable(state, &entry->file, frz_arrow_builder_child(out, 5));
    } else {
        append_file(rows, state, &entry->file, out);
        append_readable(state, &entry->file,
                        frz_arrow_builder_child(out, state->file->field_count));
    }
    frz_arrow_append_struct(out);
}

static bool wanted(frz_metadata_table kind, const frz_manifest_file *manifest)
{
    if (kind == FRZ_METADATA_TABLE_DATA_FILES)
        return manifest->content == 0;
    if (kind == FRZ_METADATA_TABLE_DELETE_FILES)
        return manifest->content != 0;
    return true;
}

static frz_status fill(frz_metadata_rows *rows, frz_arrow_builder *out, frz_error **err)
{
    file_rows *state = rows->state;
    while (state->next < state->list.count && !wanted(rows->kind, &state->list.files[state->next]))
        state->next++;
    if (state->next == state->list.count)
        return FRZ_END;
    frz_manifest *manifest = NULL;
    FRZ_TRY(frz_metadata_read_manifest(rows->scan, &state->list.files[state->next++], true,
                                       &manifest, err));
    for (size_t i = 0; i < frz_manifest_count(manifest); i++) {
        const frz_manifest_entry *entry = frz_manifest_entry_at(manifest, i);
        if (entry->status != FRZ_ENTRY_DELETED || rows->kind == FRZ_METADATA_TABLE_ENTRIES)
            append_entry(rows, state, entry, out);
    }
    frz_manifest_unref(manifest);
    return FRZ_OK;
}

static const frz_metadata_rows_ops ops = {.fill = fill};

frz_status frz_file_rows_init(frz_metadata_rows *rows, frz_error **err)
{
    const frz_scan *scan = rows->scan;
    file_rows *state = frz_arena_alloc(&rows->arena, sizeof *state);
    if (!state)
        return frz_fail_memory(err);
    rows->ops = &ops;
    rows->state = state;
    state->partitioned = scan->partition_type->field_count > 0;
    FRZ_TRY(make_file_type(rows, &state->file, err));
    FRZ_TRY(make_row_type(rows, state, err));
    if (!scan->snapshot)
        return FRZ_OK;
    return frz_manifest_list_read(scan->io, scan->metadata, scan->snapshot, &scan->limits,
                                  &rows->arena, &state->list, err);
}
