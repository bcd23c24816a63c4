/*
 * The metadata tables that metadata.json alone fills: snapshots, history, refs,
 * metadata_log_entries.
 */
#include "base/calendar.h"
#include "scan/metadata_table.h"

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

static frz_arrow_builder *cell(frz_arrow_builder *row, size_t index)
{
    return frz_arrow_builder_child(row, index);
}

static frz_status fill_snapshots(frz_metadata_rows *rows, frz_arrow_builder *out, frz_error **err)
{
    (void)err;
    const frz_metadata *metadata = rows->scan->metadata;
    for (size_t i = 0; i < metadata->snapshot_count; i++) {
        const frz_snapshot *snapshot = &metadata->snapshots[i];
        frz_arrow_append_i64(cell(out, 0), frz_calendar_micros(snapshot->timestamp_ms));
        frz_arrow_append_i64(cell(out, 1), snapshot->snapshot_id);
        frz_cell_count(cell(out, 2), snapshot->parent_id);
        frz_cell_text(cell(out, 3), snapshot->operation);
        frz_cell_text(cell(out, 4), snapshot->manifest_list);
        if (!snapshot->summary_count && !snapshot->operation) {
            frz_arrow_append_null(cell(out, 5));
        } else {
            frz_arrow_builder *entries = cell(cell(out, 5), 0);
            for (size_t k = 0; k < snapshot->summary_count; k++) {
                frz_cell_text(cell(entries, 0), snapshot->summary[k].key);
                frz_cell_text(cell(entries, 1), snapshot->summary[k].value);
                frz_arrow_append_struct(entries);
            }
            frz_arrow_append_list(cell(out, 5));
        }
        frz_arrow_append_struct(out);
    }
    return FRZ_END;
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
static frz_status fill_history(frz_metadata_rows *rows, frz_arrow_builder *out, frz_error **err)
{
    (void)err;
    const frz_metadata *metadata = rows->scan->metadata;
    for (size_t i = 0; i < metadata->snapshot_log_count; i++) {
        const frz_snapshot_log_entry *entry = &metadata->snapshot_log[i];
        const frz_snapshot *snapshot = frz_metadata_find_snapshot(metadata, entry->snapshot_id);
        frz_arrow_append_i64(cell(out, 0), frz_calendar_micros(entry->timestamp_ms));
        frz_arrow_append_i64(cell(out, 1), entry->snapshot_id);
        frz_cell_count(cell(out, 2), snapshot ? snapshot->parent_id : -1);
        frz_arrow_append_bool(cell(out, 3), is_current_ancestor(metadata, entry->snapshot_id));
        frz_arrow_append_struct(out);
    }
    return FRZ_END;
}

static frz_status fill_refs(frz_metadata_rows *rows, frz_arrow_builder *out, frz_error **err)
{
    (void)err;
    const frz_metadata *metadata = rows->scan->metadata;
    for (size_t i = 0; i < metadata->ref_count; i++) {
        const frz_snapshot_ref *ref = &metadata->refs[i];
        frz_cell_text(cell(out, 0), ref->name);
        frz_cell_text(cell(out, 1), ref->is_tag ? "TAG" : "BRANCH");
        frz_arrow_append_i64(cell(out, 2), ref->snapshot_id);
        frz_cell_count(cell(out, 3), ref->max_ref_age_ms);
        frz_cell_count(cell(out, 4), ref->min_snapshots_to_keep);
        frz_cell_count(cell(out, 5), ref->max_snapshot_age_ms);
        frz_arrow_append_struct(out);
    }
    return FRZ_END;
}

static void append_metadata_file(const frz_metadata *metadata, int64_t timestamp_ms,
                                 const char *file, frz_arrow_builder *out)
{
    const frz_snapshot *latest = frz_metadata_snapshot_as_of(metadata, timestamp_ms);
    frz_arrow_append_i64(cell(out, 0), frz_calendar_micros(timestamp_ms));
    frz_cell_text(cell(out, 1), file);
    frz_cell_count(cell(out, 2), latest ? latest->snapshot_id : -1);
    frz_cell_count(cell(out, 3), latest ? latest->schema_id : -1);
    frz_cell_count(cell(out, 4), latest ? latest->sequence_number : -1);
    frz_arrow_append_struct(out);
}

/* The log, then the current file, as Java lists them. */
static frz_status fill_metadata_log(frz_metadata_rows *rows, frz_arrow_builder *out,
                                    frz_error **err)
{
    (void)err;
    const frz_metadata *metadata = rows->scan->metadata;
    for (size_t i = 0; i < metadata->metadata_log_count; i++)
        append_metadata_file(metadata, metadata->metadata_log[i].timestamp_ms,
                             metadata->metadata_log[i].metadata_file, out);
    append_metadata_file(metadata, metadata->last_updated_ms, rows->metadata_location, out);
    return FRZ_END;
}

static const frz_metadata_rows_ops snapshot_ops = {.fill = fill_snapshots};
static const frz_metadata_rows_ops history_ops = {.fill = fill_history};
static const frz_metadata_rows_ops ref_ops = {.fill = fill_refs};
static const frz_metadata_rows_ops metadata_log_ops = {.fill = fill_metadata_log};

frz_status frz_log_rows_init(frz_metadata_rows *rows, frz_error **err)
{
    (void)err;
    if (rows->kind == FRZ_METADATA_TABLE_SNAPSHOTS) {
        rows->ops = &snapshot_ops;
        rows->type = &snapshot_row;
    } else if (rows->kind == FRZ_METADATA_TABLE_HISTORY) {
        rows->ops = &history_ops;
        rows->type = &history_row;
    } else if (rows->kind == FRZ_METADATA_TABLE_REFS) {
        rows->ops = &ref_ops;
        rows->type = &ref_row;
    } else {
        rows->ops = &metadata_log_ops;
        rows->type = &metadata_log_row;
    }
    return FRZ_OK;
}
