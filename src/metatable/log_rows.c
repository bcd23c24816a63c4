/*
 * The metadata tables that metadata.json alone fills: snapshots, history, refs,
 * metadata_log_entries.
 */
#include "base/calendar.h"
#include "base/fail.h"
#include "metatable/rows.h"

static const frz_field summary_entry[] = {
    FRZ_CELL(7, "key", true, frz_cell_string),
    FRZ_CELL(8, "value", true, frz_cell_string),
};
static const frz_type summary_map = {
    .kind = FRZ_TYPE_MAP, .fields = summary_entry, .field_count = 2};

static const frz_field snapshot_fields[] = {
    FRZ_CELL(1, "committed_at", true, frz_cell_timestamptz),
    FRZ_CELL(2, "snapshot_id", true, frz_cell_long),
    FRZ_CELL(3, "parent_id", false, frz_cell_long),
    FRZ_CELL(4, "operation", false, frz_cell_string),
    FRZ_CELL(5, "manifest_list", false, frz_cell_string),
    FRZ_CELL(6, "summary", false, summary_map),
};
static const frz_field history_fields[] = {
    FRZ_CELL(1, "made_current_at", true, frz_cell_timestamptz),
    FRZ_CELL(2, "snapshot_id", true, frz_cell_long),
    FRZ_CELL(3, "parent_id", false, frz_cell_long),
    FRZ_CELL(4, "is_current_ancestor", true, frz_cell_boolean),
};
static const frz_field ref_fields[] = {
    FRZ_CELL(1, "name", true, frz_cell_string),
    FRZ_CELL(2, "type", true, frz_cell_string),
    FRZ_CELL(3, "snapshot_id", true, frz_cell_long),
    FRZ_CELL(4, "max_reference_age_in_ms", false, frz_cell_long),
    FRZ_CELL(5, "min_snapshots_to_keep", false, frz_cell_int),
    FRZ_CELL(6, "max_snapshot_age_in_ms", false, frz_cell_long),
};
static const frz_field metadata_log_fields[] = {
    FRZ_CELL(1, "timestamp", true, frz_cell_timestamptz),
    FRZ_CELL(2, "file", true, frz_cell_string),
    FRZ_CELL(3, "latest_snapshot_id", false, frz_cell_long),
    FRZ_CELL(4, "latest_schema_id", false, frz_cell_int),
    FRZ_CELL(5, "latest_sequence_number", false, frz_cell_long),
};

static const frz_type snapshot_row = {
    .kind = FRZ_TYPE_STRUCT, .fields = snapshot_fields, .field_count = 6};
static const frz_type history_row = {
    .kind = FRZ_TYPE_STRUCT, .fields = history_fields, .field_count = 4};
static const frz_type ref_row = {.kind = FRZ_TYPE_STRUCT, .fields = ref_fields, .field_count = 6};
static const frz_type metadata_log_row = {
    .kind = FRZ_TYPE_STRUCT, .fields = metadata_log_fields, .field_count = 5};

static void append_summary(const frz_snapshot *snapshot, frz_arrow_builder *out)
{
    frz_arrow_builder *entries = frz_arrow_builder_child(out, 0);
    if (!snapshot->summary_count && !snapshot->operation) {
        frz_arrow_append_null(out);
        return;
    }
    for (size_t i = 0; i < snapshot->summary_count; i++) {
        frz_cell_text(frz_arrow_builder_child(entries, 0), snapshot->summary[i].key);
        frz_cell_text(frz_arrow_builder_child(entries, 1), snapshot->summary[i].value);
        frz_arrow_append_struct(entries);
    }
    frz_arrow_append_list(out);
}

/* Columns are told by the ids above. */
static frz_status cell_of_snapshot(frz_metadata_rows *rows, size_t index, const frz_field *column,
                                   frz_arrow_builder *out, frz_error **err)
{
    (void)err;
    const frz_snapshot *snapshot = &rows->scan->metadata->snapshots[index];
    switch (column->id) {
    case 1:
        frz_arrow_append_i64(out, frz_calendar_micros(snapshot->timestamp_ms));
        break;
    case 2:
        frz_arrow_append_i64(out, snapshot->snapshot_id);
        break;
    case 3:
        frz_cell_count(out, snapshot->parent_id);
        break;
    case 4:
        frz_cell_text(out, snapshot->operation);
        break;
    case 5:
        frz_cell_text(out, snapshot->manifest_list);
        break;
    default:
        append_summary(snapshot, out);
    }
    return FRZ_OK;
}

/* Whether the snapshot is the current one or an ancestor of it. */
static bool is_current_ancestor(const frz_metadata *metadata, int64_t snapshot_id)
{
    const frz_snapshot *at = frz_metadata_current_snapshot(metadata);
    for (size_t steps = 0; at && steps <= metadata->snapshot_count; steps++) {
        if (at->snapshot_id == snapshot_id)
            return true;
        at = frz_metadata_find_snapshot(metadata, at->parent_id);
    }
    return false;
}

/* From the snapshot log, which also lists expired snapshots: their parents are unknown. */
static frz_status cell_of_history(frz_metadata_rows *rows, size_t index, const frz_field *column,
                                  frz_arrow_builder *out, frz_error **err)
{
    (void)err;
    const frz_metadata *metadata = rows->scan->metadata;
    const frz_snapshot_log_entry *entry = &metadata->snapshot_log[index];
    const frz_snapshot *snapshot = frz_metadata_find_snapshot(metadata, entry->snapshot_id);
    switch (column->id) {
    case 1:
        frz_arrow_append_i64(out, frz_calendar_micros(entry->timestamp_ms));
        break;
    case 2:
        frz_arrow_append_i64(out, entry->snapshot_id);
        break;
    case 3:
        frz_cell_count(out, snapshot ? snapshot->parent_id : -1);
        break;
    default:
        frz_arrow_append_bool(out, is_current_ancestor(metadata, entry->snapshot_id));
    }
    return FRZ_OK;
}

static frz_status cell_of_ref(frz_metadata_rows *rows, size_t index, const frz_field *column,
                              frz_arrow_builder *out, frz_error **err)
{
    (void)err;
    const frz_snapshot_ref *ref = &rows->scan->metadata->refs[index];
    switch (column->id) {
    case 1:
        frz_cell_text(out, ref->name);
        break;
    case 2:
        frz_cell_text(out, ref->is_tag ? "TAG" : "BRANCH");
        break;
    case 3:
        frz_arrow_append_i64(out, ref->snapshot_id);
        break;
    case 4:
        frz_cell_count(out, ref->max_ref_age_ms);
        break;
    case 5:
        frz_cell_count(out, ref->min_snapshots_to_keep);
        break;
    default:
        frz_cell_count(out, ref->max_snapshot_age_ms);
    }
    return FRZ_OK;
}

/* The log, then the current file, as Java lists them. */
static frz_status cell_of_metadata_log(frz_metadata_rows *rows, size_t index,
                                       const frz_field *column, frz_arrow_builder *out,
                                       frz_error **err)
{
    (void)err;
    const frz_metadata *metadata = rows->scan->metadata;
    const bool current = index == metadata->metadata_log_count;
    const frz_metadata_log_entry here = {.timestamp_ms = metadata->last_updated_ms,
                                         .metadata_file = rows->metadata_location};
    const frz_metadata_log_entry *entry = current ? &here : &metadata->metadata_log[index];
    const frz_snapshot *latest = frz_metadata_snapshot_as_of(metadata, entry->timestamp_ms);
    switch (column->id) {
    case 1:
        frz_arrow_append_i64(out, frz_calendar_micros(entry->timestamp_ms));
        break;
    case 2:
        frz_cell_text(out, entry->metadata_file);
        break;
    case 3:
        frz_cell_count(out, latest ? latest->snapshot_id : -1);
        break;
    case 4:
        frz_cell_count(out, latest ? latest->schema_id : -1);
        break;
    default:
        frz_cell_count(out, latest ? latest->sequence_number : -1);
    }
    return FRZ_OK;
}

/* All rows at once: the metadata is in memory. */
static frz_status next(frz_metadata_rows *rows, size_t *count_out, frz_error **err)
{
    (void)err;
    size_t *left = rows->state;
    if (*left == 0)
        return FRZ_END;
    *count_out = *left;
    *left = 0;
    return FRZ_OK;
}

static const frz_metadata_rows_ops snapshot_ops = {.next = next, .cell = cell_of_snapshot};
static const frz_metadata_rows_ops history_ops = {.next = next, .cell = cell_of_history};
static const frz_metadata_rows_ops ref_ops = {.next = next, .cell = cell_of_ref};
static const frz_metadata_rows_ops metadata_log_ops = {.next = next, .cell = cell_of_metadata_log};

frz_status frz_log_rows_init(frz_metadata_rows *rows, frz_error **err)
{
    const frz_metadata *metadata = rows->scan->metadata;
    size_t *left = frz_arena_alloc(&rows->arena, sizeof *left);
    if (!left)
        return frz_fail_memory(err);
    rows->state = left;
    if (rows->kind == FRZ_METADATA_TABLE_SNAPSHOTS) {
        rows->ops = &snapshot_ops;
        rows->type = &snapshot_row;
        *left = metadata->snapshot_count;
    } else if (rows->kind == FRZ_METADATA_TABLE_HISTORY) {
        rows->ops = &history_ops;
        rows->type = &history_row;
        *left = metadata->snapshot_log_count;
    } else if (rows->kind == FRZ_METADATA_TABLE_REFS) {
        rows->ops = &ref_ops;
        rows->type = &ref_row;
        *left = metadata->ref_count;
    } else {
        rows->ops = &metadata_log_ops;
        rows->type = &metadata_log_row;
        *left = metadata->metadata_log_count + 1;
    }
    return FRZ_OK;
}
