/*
 * The metadata table `manifests`: the manifest list of a snapshot, row by row.
 */
#include "base/fail.h"
#include "scan/metadata_table.h"

static const frz_field summary_fields[] = {
    FRZ_CELL(10, "contains_null", true, frz_cell_boolean),
    FRZ_CELL(11, "contains_nan", false, frz_cell_boolean),
    FRZ_CELL(12, "lower_bound", false, frz_cell_string),
    FRZ_CELL(13, "upper_bound", false, frz_cell_string),
};
static const frz_type summary_struct = {
    .kind = FRZ_TYPE_STRUCT, .fields = summary_fields, .field_count = 4};
static const frz_field summary_element[] = {FRZ_CELL(9, "element", true, summary_struct)};
static const frz_type summary_list = {
    .kind = FRZ_TYPE_LIST, .fields = summary_element, .field_count = 1};

static const frz_field manifest_fields[] = {
    FRZ_CELL(14, "content", true, frz_cell_int),
    FRZ_CELL(1, "path", true, frz_cell_string),
    FRZ_CELL(2, "length", true, frz_cell_long),
    FRZ_CELL(3, "partition_spec_id", true, frz_cell_int),
    FRZ_CELL(4, "added_snapshot_id", true, frz_cell_long),
    FRZ_CELL(5, "added_data_files_count", true, frz_cell_int),
    FRZ_CELL(6, "existing_data_files_count", true, frz_cell_int),
    FRZ_CELL(7, "deleted_data_files_count", true, frz_cell_int),
    FRZ_CELL(15, "added_delete_files_count", true, frz_cell_int),
    FRZ_CELL(16, "existing_delete_files_count", true, frz_cell_int),
    FRZ_CELL(17, "deleted_delete_files_count", true, frz_cell_int),
    FRZ_CELL(8, "partition_summaries", true, summary_list),
};
static const frz_type manifest_row = {
    .kind = FRZ_TYPE_STRUCT, .fields = manifest_fields, .field_count = 12};

static void append_bound(frz_arrow_builder *column, const frz_transform *transform,
                         const frz_type *type, bool known, frz_slice bytes, frz_buffer *text)
{
    frz_value value = {.form = FRZ_VALUE_NULL}; /* a missing bound prints as null, in Java too */
    if (known && frz_value_decode(type, bytes, &value, NULL) != FRZ_OK)
        value = (frz_value){.form = FRZ_VALUE_NULL};
    frz_buffer_reset(text);
    frz_transform_print(transform, type, &value, text);
    frz_arrow_append_bytes(column, frz_buffer_slice(text));
}

static frz_status append_summaries(const frz_metadata *metadata, const frz_manifest_file *manifest,
                                   frz_arrow_builder *list, frz_error **err)
{
    frz_buffer text = {0};
    frz_arrow_builder *item = frz_arrow_builder_child(list, 0);
    const frz_partition_spec *spec = frz_metadata_find_spec(metadata, manifest->spec_id);
    const frz_type *type = frz_metadata_partition_type(metadata, manifest->spec_id);
    for (size_t i = 0; spec && i < manifest->partition_count && i < spec->field_count; i++) {
        const frz_field_summary *summary = &manifest->partitions[i];
        const frz_type *field_type = type->fields[i].type;
        frz_arrow_append_bool(frz_arrow_builder_child(item, 0), summary->contains_null);
        if (summary->contains_nan < 0)
            frz_arrow_append_null(frz_arrow_builder_child(item, 1));
        else
            frz_arrow_append_bool(frz_arrow_builder_child(item, 1), summary->contains_nan);
        append_bound(frz_arrow_builder_child(item, 2), &spec->fields[i].transform, field_type,
                     summary->has_lower, summary->lower, &text);
        append_bound(frz_arrow_builder_child(item, 3), &spec->fields[i].transform, field_type,
                     summary->has_upper, summary->upper, &text);
        frz_arrow_append_struct(item);
    }
    frz_arrow_append_list(list);
    const frz_status status = frz_buffer_check(&text, err);
    frz_buffer_clear(&text);
    return status;
}

/* A count of a V1 list may be unknown; Java shows 0 for a required column. */
static void append_count(frz_arrow_builder *column, bool of_this_content, int32_t count)
{
    frz_arrow_append_i64(column, of_this_content && count > 0 ? count : 0);
}

static frz_status append_manifest(const frz_metadata *metadata, const frz_manifest_file *manifest,
                                  frz_arrow_builder *out, frz_error **err)
{
    const bool data = manifest->content == 0;
    frz_arrow_append_i64(frz_arrow_builder_child(out, 0), manifest->content);
    frz_cell_text(frz_arrow_builder_child(out, 1), manifest->path);
    frz_arrow_append_i64(frz_arrow_builder_child(out, 2), manifest->length);
    frz_arrow_append_i64(frz_arrow_builder_child(out, 3), manifest->spec_id);
    frz_arrow_append_i64(frz_arrow_builder_child(out, 4), manifest->added_snapshot_id);
    append_count(frz_arrow_builder_child(out, 5), data, manifest->added_files);
    append_count(frz_arrow_builder_child(out, 6), data, manifest->existing_files);
    append_count(frz_arrow_builder_child(out, 7), data, manifest->deleted_files);
    append_count(frz_arrow_builder_child(out, 8), !data, manifest->added_files);
    append_count(frz_arrow_builder_child(out, 9), !data, manifest->existing_files);
    append_count(frz_arrow_builder_child(out, 10), !data, manifest->deleted_files);
    FRZ_TRY(append_summaries(metadata, manifest, frz_arrow_builder_child(out, 11), err));
    frz_arrow_append_struct(out);
    return FRZ_OK;
}

static frz_status fill(frz_metadata_rows *rows, frz_arrow_builder *out, frz_error **err)
{
    const frz_manifest_list *list = rows->state;
    for (size_t i = 0; i < list->count; i++)
        FRZ_TRY(append_manifest(rows->scan->metadata, &list->files[i], out, err));
    return FRZ_END;
}

static const frz_metadata_rows_ops ops = {.fill = fill};

frz_status frz_manifest_rows_init(frz_metadata_rows *rows, frz_error **err)
{
    const frz_scan *scan = rows->scan;
    frz_manifest_list *list = frz_arena_alloc(&rows->arena, sizeof *list);
    if (!list)
        return frz_fail_memory(err);
    rows->ops = &ops;
    rows->type = &manifest_row;
    rows->state = list;
    if (!scan->snapshot)
        return FRZ_OK;
    return frz_manifest_list_read(scan->io, scan->metadata, scan->snapshot, &scan->limits,
                                  &rows->arena, list, err);
}
