#include "scan/file_columns.h"

#include "base/fail.h"
#include "scan/absent.h"

static frz_value text_value(frz_slice text)
{
    return (frz_value){.form = FRZ_VALUE_BYTES, .bytes = text};
}

static frz_value number_value(int64_t number)
{
    return (frz_value){.form = FRZ_VALUE_INTEGER, .integer = number};
}

/* The file's tuple in the union of all specs; fields of other specs are null. */
static frz_status partition_value(const frz_scan *scan, const frz_scan_task *task, frz_arena *arena,
                                  frz_value *out, frz_error **err)
{
    const frz_data_file *file = &task->entry->file;
    const frz_type *type = scan->partition_type;
    const frz_partition_spec *spec = frz_metadata_find_spec(scan->metadata, file->spec_id);
    frz_value *values = frz_arena_array(arena, type->field_count, sizeof *values);
    if (!values)
        return frz_fail_memory(err);
    for (size_t i = 0; i < type->field_count; i++)
        for (size_t k = 0; spec && k < spec->field_count && k < file->partition_count; k++)
            if (spec->fields[k].field_id == type->fields[i].id)
                values[i] = file->partition[k];
    *out = (frz_value){.form = FRZ_VALUE_STRUCT};
    out->items.data = values;
    out->items.count = type->field_count;
    return FRZ_OK;
}

static frz_status resolve_metadata(const frz_scan *scan, const frz_scan_task *task,
                                   frz_stored_file *file, frz_arena *arena, frz_file_column *column,
                                   frz_error **err)
{
    const frz_manifest_entry *entry = task->entry;
    column->source = FRZ_COLUMN_CONSTANT;
    switch (column->field->id) {
    case FRZ_FIELD_ID_FILE:
        column->constant = text_value(entry->file.path);
        return FRZ_OK;
    case FRZ_FIELD_ID_SPEC_ID:
        column->constant = number_value(entry->file.spec_id);
        return FRZ_OK;
    case FRZ_FIELD_ID_PARTITION:
        return partition_value(scan, task, arena, &column->constant, err);
    case FRZ_FIELD_ID_POS:
        column->source = FRZ_COLUMN_POSITION;
        return FRZ_OK;
    case FRZ_FIELD_ID_DELETED:
        column->source = FRZ_COLUMN_DELETED;
        return FRZ_OK;
    default:
        break;
    }
    /* "Row Lineage for Upgraded Tables": without first_row_id the snapshot has no lineage: both are
     * null. */
    const bool row_id = column->field->id == FRZ_FIELD_ID_ROW_ID;
    column->source = row_id ? FRZ_COLUMN_ROW_ID : FRZ_COLUMN_SEQUENCE;
    if (entry->file.first_row_id < 0) {
        column->source = FRZ_COLUMN_CONSTANT;
        column->constant = (frz_value){.form = FRZ_VALUE_NULL};
        return FRZ_OK;
    }
    return frz_stored_column_find(file, column->field, arena, &column->stored, err);
}

/* The columns of a position delete file are reserved, and stored as any others. */
static bool is_of_delete_file(int32_t id)
{
    return id == FRZ_FIELD_ID_DELETE_FILE_PATH || id == FRZ_FIELD_ID_DELETE_POS ||
           id == FRZ_FIELD_ID_DELETE_ROW;
}

static frz_status resolve_column(const frz_scan *scan, const frz_scan_task *task,
                                 frz_stored_file *file, frz_arena *arena, frz_file_column *column,
                                 frz_error **err)
{
    const frz_field *field = column->field;
    if (field->id > FRZ_FIELD_ID_MAX && !is_of_delete_file(field->id))
        return resolve_metadata(scan, task, file, arena, column, err);
    FRZ_TRY(frz_partition_defaults(scan, &task->entry->file, column->field, arena, &field, err));
    column->field = field;

    if (field->type->kind != FRZ_TYPE_UNKNOWN)
        FRZ_TRY(frz_stored_column_find(file, field, arena, &column->stored, err));
    if (column->stored) {
        column->source = FRZ_COLUMN_FROM_FILE;
        return FRZ_OK;
    }
    column->source = FRZ_COLUMN_CONSTANT;
    return frz_absent_value(scan, &task->entry->file, field, field->name, &column->constant, err);
}

/* "Column Projection" would make every column of such a file its default or null, though the rows
 * are there; which column is which, nobody can know. */
static frz_status check_ids(const frz_scan *scan, const frz_scan_task *task,
                            const frz_stored_file *file, const frz_type *wanted, frz_error **err)
{
    frz_value constant = {0};
    if (scan->name_mapping || frz_stored_file_has_ids(file))
        return FRZ_OK;
    for (size_t i = 0; i < wanted->field_count; i++) {
        const frz_field *field = &wanted->fields[i];
        if (field->id <= FRZ_FIELD_ID_MAX &&
            !frz_partition_constant(scan, &task->entry->file, field->id, &constant))
            return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                            "column %s: the file has no field ids, and the table no name mapping "
                            "(schema.name-mapping.default)",
                            field->name);
    }
    return FRZ_OK;
}

frz_status frz_file_columns_resolve(const frz_scan *scan, const frz_scan_task *task,
                                    frz_stored_file *file, const frz_type *wanted, frz_arena *arena,
                                    frz_file_columns *out, frz_error **err)
{
    FRZ_TRY(check_ids(scan, task, file, wanted, err));
    out->items = frz_arena_array(arena, wanted->field_count, sizeof *out->items);
    if (!out->items)
        return frz_fail_memory(err);
    out->count = wanted->field_count;
    for (size_t i = 0; i < wanted->field_count; i++) {
        out->items[i].field = &wanted->fields[i];
        FRZ_TRY(resolve_column(scan, task, file, arena, &out->items[i], err));
    }
    return FRZ_OK;
}
