/*
 * The metadata tables `manifests` and `all_manifests`: the manifest list of a snapshot, or of every
 * snapshot, row by row.
 */
#include "base/fail.h"
#include "expr/prune.h"
#include "metatable/rows.h"

enum column_id {
    ID_PATH = 1,
    ID_LENGTH = 2,
    ID_SPEC_ID = 3,
    ID_ADDED_SNAPSHOT_ID = 4,
    ID_ADDED_DATA_FILES = 5,
    ID_EXISTING_DATA_FILES = 6,
    ID_DELETED_DATA_FILES = 7,
    ID_SUMMARIES = 8,
    ID_CONTAINS_NULL = 10,
    ID_CONTAINS_NAN = 11,
    ID_LOWER_BOUND = 12,
    ID_UPPER_BOUND = 13,
    ID_CONTENT = 14,
    ID_ADDED_DELETE_FILES = 15,
    ID_EXISTING_DELETE_FILES = 16,
    ID_DELETED_DELETE_FILES = 17,
    ID_REFERENCE_SNAPSHOT_ID = 18,
    ID_KEY_METADATA = 19
};

static const frz_field summary_fields[] = {
    FRZ_CELL(ID_CONTAINS_NULL, "contains_null", true, frz_cell_boolean),
    FRZ_CELL(ID_CONTAINS_NAN, "contains_nan", false, frz_cell_boolean),
    FRZ_CELL(ID_LOWER_BOUND, "lower_bound", false, frz_cell_string),
    FRZ_CELL(ID_UPPER_BOUND, "upper_bound", false, frz_cell_string),
};
static const frz_type summary_struct = {
    .kind = FRZ_TYPE_STRUCT, .fields = summary_fields, .field_count = 4};
static const frz_field summary_element[] = {FRZ_CELL(9, "element", true, summary_struct)};
static const frz_type summary_list = {
    .kind = FRZ_TYPE_LIST, .fields = summary_element, .field_count = 1};

static const frz_field manifest_fields[] = {
    FRZ_CELL(ID_CONTENT, "content", true, frz_cell_int),
    FRZ_CELL(ID_PATH, "path", true, frz_cell_string),
    FRZ_CELL(ID_LENGTH, "length", true, frz_cell_long),
    FRZ_CELL(ID_SPEC_ID, "partition_spec_id", true, frz_cell_int),
    FRZ_CELL(ID_ADDED_SNAPSHOT_ID, "added_snapshot_id", true, frz_cell_long),
    FRZ_CELL(ID_ADDED_DATA_FILES, "added_data_files_count", true, frz_cell_int),
    FRZ_CELL(ID_EXISTING_DATA_FILES, "existing_data_files_count", true, frz_cell_int),
    FRZ_CELL(ID_DELETED_DATA_FILES, "deleted_data_files_count", true, frz_cell_int),
    FRZ_CELL(ID_ADDED_DELETE_FILES, "added_delete_files_count", true, frz_cell_int),
    FRZ_CELL(ID_EXISTING_DELETE_FILES, "existing_delete_files_count", true, frz_cell_int),
    FRZ_CELL(ID_DELETED_DELETE_FILES, "deleted_delete_files_count", true, frz_cell_int),
    FRZ_CELL(ID_SUMMARIES, "partition_summaries", true, summary_list),
};
static const frz_type manifest_row = {
    .kind = FRZ_TYPE_STRUCT, .fields = manifest_fields, .field_count = 12};

/* Of all snapshots; counts that a V1 list lacks are null here, as in Java. */
static const frz_field all_manifest_fields[] = {
    FRZ_CELL(ID_CONTENT, "content", true, frz_cell_int),
    FRZ_CELL(ID_PATH, "path", true, frz_cell_string),
    FRZ_CELL(ID_LENGTH, "length", true, frz_cell_long),
    FRZ_CELL(ID_SPEC_ID, "partition_spec_id", false, frz_cell_int),
    FRZ_CELL(ID_ADDED_SNAPSHOT_ID, "added_snapshot_id", false, frz_cell_long),
    FRZ_CELL(ID_ADDED_DATA_FILES, "added_data_files_count", false, frz_cell_int),
    FRZ_CELL(ID_EXISTING_DATA_FILES, "existing_data_files_count", false, frz_cell_int),
    FRZ_CELL(ID_DELETED_DATA_FILES, "deleted_data_files_count", false, frz_cell_int),
    FRZ_CELL(ID_ADDED_DELETE_FILES, "added_delete_files_count", true, frz_cell_int),
    FRZ_CELL(ID_EXISTING_DELETE_FILES, "existing_delete_files_count", true, frz_cell_int),
    FRZ_CELL(ID_DELETED_DELETE_FILES, "deleted_delete_files_count", true, frz_cell_int),
    FRZ_CELL(ID_SUMMARIES, "partition_summaries", false, summary_list),
    FRZ_CELL(ID_REFERENCE_SNAPSHOT_ID, "reference_snapshot_id", true, frz_cell_long),
    FRZ_CELL(ID_KEY_METADATA, "key_metadata", false, frz_cell_binary),
};
static const frz_type all_manifest_row = {
    .kind = FRZ_TYPE_STRUCT, .fields = all_manifest_fields, .field_count = 14};

typedef struct manifest_rows {
    frz_arena arena; /* of the list */
    frz_manifest_list list;
    size_t snapshots_left;        /* whose lists were not read yet */
    const frz_snapshot *snapshot; /* whose list it is */
} manifest_rows;

/* What the summaries of one partition field are printed by. */
typedef struct summary_source {
    const frz_transform *transform;
    const frz_type *type;
    const frz_field_summary *summary;
} summary_source;

/* A missing bound prints as null, in Java too. */
static frz_status append_bound(const summary_source *source, bool known, frz_slice bytes,
                               frz_arrow_builder *out, frz_error **err)
{
    frz_buffer text = {0};
    frz_value value = {.form = FRZ_VALUE_NULL};
    if (source->transform->kind == FRZ_TRANSFORM_UNKNOWN)
        known = false; /* and so is the type of its bounds */
    if (known && frz_value_decode(source->type, bytes, &value, NULL) != FRZ_OK)
        value = (frz_value){.form = FRZ_VALUE_NULL};
    frz_transform_print(source->transform, source->type, &value, &text);
    frz_arrow_append_bytes(out, frz_buffer_slice(&text));
    const frz_status status = frz_buffer_check(&text, err);
    frz_buffer_clear(&text);
    return status;
}

static frz_status append_summary(const summary_source *source, const frz_type *part,
                                 frz_arrow_builder *out, frz_error **err)
{
    const frz_field_summary *summary = source->summary;
    for (size_t i = 0; i < part->field_count; i++) {
        frz_arrow_builder *cell = frz_arrow_builder_child(out, i);
        switch (part->fields[i].id) {
        case ID_CONTAINS_NULL:
            frz_arrow_append_bool(cell, summary->contains_null);
            break;
        case ID_CONTAINS_NAN:
            if (summary->contains_nan < 0)
                frz_arrow_append_null(cell);
            else
                frz_arrow_append_bool(cell, summary->contains_nan);
            break;
        case ID_LOWER_BOUND:
            FRZ_TRY(append_bound(source, summary->has_lower, summary->lower, cell, err));
            break;
        default:
            FRZ_TRY(append_bound(source, summary->has_upper, summary->upper, cell, err));
            break;
        }
    }
    frz_arrow_append_struct(out);
    return FRZ_OK;
}

static frz_status append_summaries(const frz_metadata *metadata, const frz_manifest_file *manifest,
                                   const frz_field *column, frz_arrow_builder *out, frz_error **err)
{
    const frz_partition_spec *spec = frz_metadata_find_spec(metadata, manifest->spec_id);
    const frz_type *type = frz_metadata_partition_type(metadata, manifest->spec_id);
    if (!manifest->partitions && !column->required) {
        frz_arrow_append_null(out);
        return FRZ_OK;
    }
    const size_t count = manifest->partitions ? manifest->partition_count : 0;
    for (size_t i = 0; spec && i < count && i < spec->field_count; i++) {
        const summary_source source = {.transform = &spec->fields[i].transform,
                                       .type = type->fields[i].type,
                                       .summary = &manifest->partitions[i]};
        FRZ_TRY(append_summary(&source, column->type->fields[0].type,
                               frz_arrow_builder_child(out, 0), err));
    }
    frz_arrow_append_list(out);
    return FRZ_OK;
}

/* 0 for files of the other content; an unknown count is null, or 0 where null is not allowed. */
static void append_count(const frz_field *column, bool of_this_content, int32_t count,
                         frz_arrow_builder *out)
{
    if (!of_this_content || (count < 0 && column->required))
        frz_arrow_append_i64(out, 0);
    else
        frz_cell_count(out, count);
}

static frz_status cell(frz_metadata_rows *rows, size_t index, const frz_field *column,
                       frz_arrow_builder *out, frz_error **err)
{
    const manifest_rows *state = rows->state;
    const frz_manifest_file *manifest = &state->list.files[index];
    const bool data = manifest->content == 0;
    switch ((enum column_id)column->id) {
    case ID_CONTENT:
        frz_arrow_append_i64(out, manifest->content);
        break;
    case ID_PATH:
        frz_cell_text(out, manifest->path);
        break;
    case ID_LENGTH:
        frz_arrow_append_i64(out, manifest->length);
        break;
    case ID_SPEC_ID:
        frz_arrow_append_i64(out, manifest->spec_id);
        break;
    case ID_ADDED_SNAPSHOT_ID:
        frz_arrow_append_i64(out, manifest->added_snapshot_id);
        break;
    case ID_ADDED_DATA_FILES:
        append_count(column, data, manifest->added_files, out);
        break;
    case ID_EXISTING_DATA_FILES:
        append_count(column, data, manifest->existing_files, out);
        break;
    case ID_DELETED_DATA_FILES:
        append_count(column, data, manifest->deleted_files, out);
        break;
    case ID_ADDED_DELETE_FILES:
        append_count(column, !data, manifest->added_files, out);
        break;
    case ID_EXISTING_DELETE_FILES:
        append_count(column, !data, manifest->existing_files, out);
        break;
    case ID_DELETED_DELETE_FILES:
        append_count(column, !data, manifest->deleted_files, out);
        break;
    case ID_SUMMARIES:
        return append_summaries(rows->scan->metadata, manifest, column, out, err);
    case ID_REFERENCE_SNAPSHOT_ID:
        frz_arrow_append_i64(out, state->snapshot->snapshot_id);
        break;
    case ID_KEY_METADATA:
        frz_cell_slice(out, manifest->key_metadata);
        break;
    case ID_CONTAINS_NULL:
    case ID_CONTAINS_NAN:
    case ID_LOWER_BOUND:
    case ID_UPPER_BOUND:
        break;
    }
    return FRZ_OK;
}

/* `context` is the snapshot's id. */
static bool snapshot_stats(void *context, const frz_reference *reference, frz_column_stats *out)
{
    const frz_value id = {.form = FRZ_VALUE_INTEGER, .integer = *(const int64_t *)context};
    if (reference->field_id != ID_REFERENCE_SNAPSHOT_ID)
        return false;
    *out = (frz_column_stats){
        .value_count = -1, .has_lower = true, .has_upper = true, .lower = id, .upper = id};
    return true;
}

/* The snapshot whose list comes next, in the order of the metadata; NULL at the end. */
static const frz_snapshot *next_snapshot(const frz_metadata_rows *rows, manifest_rows *state)
{
    const frz_metadata *metadata = rows->scan->metadata;
    if (rows->kind == FRZ_METADATA_TABLE_MANIFESTS) {
        const bool left = state->snapshots_left > 0;
        state->snapshots_left = 0;
        return left ? rows->scan->snapshot : NULL;
    }
    while (state->snapshots_left) {
        const frz_snapshot *snapshot =
            &metadata->snapshots[metadata->snapshot_count - state->snapshots_left--];
        int64_t id = snapshot->snapshot_id;
        if (frz_prune_may_match(rows->filter, snapshot_stats, &id))
            return snapshot;
    }
    return NULL;
}

static frz_status next(frz_metadata_rows *rows, size_t *count_out, frz_error **err)
{
    manifest_rows *state = rows->state;
    const frz_scan *scan = rows->scan;
    state->snapshot = next_snapshot(rows, state);
    if (!state->snapshot)
        return FRZ_END;
    frz_arena_clear(&state->arena);
    FRZ_TRY(frz_manifest_list_read(scan->io, scan->metadata, state->snapshot, &scan->limits,
                                   &state->arena, &state->list, err));
    *count_out = state->list.count;
    return FRZ_OK;
}

static void clear(frz_metadata_rows *rows)
{
    manifest_rows *state = rows->state;
    frz_arena_clear(&state->arena);
}

static const frz_metadata_rows_ops ops = {.next = next, .cell = cell, .clear = clear};

frz_status frz_manifest_rows_init(frz_metadata_rows *rows, frz_error **err)
{
    const bool all = rows->kind == FRZ_METADATA_TABLE_ALL_MANIFESTS;
    manifest_rows *state = frz_arena_alloc(&rows->arena, sizeof *state);
    if (!state)
        return frz_fail_memory(err);
    rows->ops = &ops;
    rows->type = all ? &all_manifest_row : &manifest_row;
    rows->state = state;
    if (all)
        state->snapshots_left = rows->scan->metadata->snapshot_count;
    else
        state->snapshots_left = rows->scan->snapshot ? 1 : 0;
    return FRZ_OK;
}
