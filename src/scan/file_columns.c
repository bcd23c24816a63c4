#include "scan/file_columns.h"

#include "base/fail.h"
#include "scan/absent.h"
#include "scan/file_ids.h"

const frz_parquet_node *frz_file_find_node(const frz_parquet_node *parent, int32_t field_id)
{
    for (size_t i = 0; i < parent->child_count; i++) {
        const frz_parquet_node *child = &parent->children[i];
        if (child->has_field_id && child->field_id == field_id)
            return child;
        if (child->shape == FRZ_PARQUET_SHAPE_STRUCT) {
            const frz_parquet_node *found = frz_file_find_node(child, field_id);
            if (found)
                return found;
        }
    }
    return NULL;
}

static const frz_parquet_node *find_child(const frz_parquet_node *parent, int32_t field_id)
{
    for (size_t i = 0; i < parent->child_count; i++)
        if (parent->children[i].has_field_id && parent->children[i].field_id == field_id)
            return &parent->children[i];
    return NULL;
}

/* Marks the leaves below `node` that `type` wants; a struct nobody wants a field of keeps one leaf,
 * so that its own nulls are known. */
static void select_leaves(const frz_parquet_node *node, const frz_type *type, bool *selected);

static void select_first_leaf(const frz_parquet_node *node, bool *selected)
{
    while (node->child_count)
        node = &node->children[0];
    if (node->leaf_index >= 0)
        selected[node->leaf_index] = true;
}

static void select_struct(const frz_parquet_node *node, const frz_type *type, bool *selected)
{
    bool found = false;
    for (size_t i = 0; i < type->field_count; i++) {
        const frz_parquet_node *child = find_child(node, type->fields[i].id);
        if (!child)
            continue;
        found = true;
        select_leaves(child, type->fields[i].type, selected);
    }
    if (!found)
        select_first_leaf(node, selected);
}

static void select_leaves(const frz_parquet_node *node, const frz_type *type, bool *selected)
{
    if (node->shape == FRZ_PARQUET_SHAPE_LEAF) {
        selected[node->leaf_index] = true;
        return;
    }
    if (node->shape == FRZ_PARQUET_SHAPE_STRUCT && type->kind == FRZ_TYPE_STRUCT) {
        select_struct(node, type, selected);
        return;
    }
    for (size_t i = 0; i < node->child_count; i++) {
        if (i < type->field_count)
            select_leaves(&node->children[i], type->fields[i].type, selected);
        else
            select_first_leaf(&node->children[i], selected);
    }
}

static frz_status refuse_type(const frz_field *field, frz_error **err)
{
    frz_buffer name = {0};
    frz_type_print(field->type, &name);
    const frz_status status =
        frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "column %s: type %.*s is not read yet",
                 field->name, (int)name.size, name.data ? (char *)name.data : "?");
    frz_buffer_clear(&name);
    return status;
}

/* Variant and geo columns are refused by name, wherever they are nested. */
static frz_status check_type(const frz_field *field, frz_error **err)
{
    switch ((int)field->type->kind) {
    case FRZ_TYPE_VARIANT:
    case FRZ_TYPE_GEOMETRY:
    case FRZ_TYPE_GEOGRAPHY:
        return refuse_type(field, err);
    default:
        break;
    }
    for (size_t i = 0; i < field->type->field_count; i++)
        FRZ_TRY(check_type(&field->type->fields[i], err));
    return FRZ_OK;
}

static frz_status resolve_node(const frz_parquet_file *file, const frz_parquet_node *node,
                               frz_arena *arena, frz_file_column *column, frz_error **err)
{
    struct ArrowSchema schema = {0};
    const size_t leaf_count = frz_parquet_file_metadata(file)->leaf_count;
    FRZ_TRY(check_type(column->field, err));
    column->node = node;
    column->leaf_selected = frz_arena_array(arena, leaf_count, sizeof(bool));
    if (!column->leaf_selected)
        return frz_fail_memory(err);
    select_leaves(node, column->field->type, column->leaf_selected);
    FRZ_TRY(frz_parquet_node_arrow(file, node, column->leaf_selected, &schema, err));
    const frz_status status = frz_reshape_compile(&schema, column->field, column->field->name,
                                                  arena, &column->reshape, err);
    frz_arrow_schema_clear(&schema);
    return status;
}

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
                                   const frz_parquet_file *file, frz_arena *arena,
                                   frz_file_column *column, frz_error **err)
{
    const frz_manifest_entry *entry = task->entry;
    const frz_parquet_node *root = &frz_parquet_file_metadata(file)->root;
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
    const frz_parquet_node *node = find_child(root, column->field->id);
    return node ? resolve_node(file, node, arena, column, err) : FRZ_OK;
}

static frz_status resolve_column(const frz_scan *scan, const frz_scan_task *task,
                                 const frz_parquet_file *file, frz_arena *arena,
                                 frz_file_column *column, frz_error **err)
{
    const frz_field *field = column->field;
    if (field->id > FRZ_FIELD_ID_MAX)
        return resolve_metadata(scan, task, file, arena, column, err);

    const frz_parquet_node *node = find_child(&frz_parquet_file_metadata(file)->root, field->id);
    if (node && field->type->kind != FRZ_TYPE_UNKNOWN) {
        column->source = FRZ_COLUMN_FROM_FILE;
        return resolve_node(file, node, arena, column, err);
    }
    column->source = FRZ_COLUMN_CONSTANT;
    return frz_absent_value(scan, &task->entry->file, field, field->name, &column->constant, err);
}

/* "Column Projection" would make every column of such a file its default or null, though the rows
 * are there; which column is which, nobody can know. */
static frz_status check_ids(const frz_scan *scan, const frz_scan_task *task,
                            const frz_parquet_file *file, const frz_type *wanted, frz_error **err)
{
    frz_value constant = {0};
    if (scan->name_mapping || frz_file_has_ids(file) ||
        !frz_parquet_file_metadata(file)->root.child_count)
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
                                    const frz_parquet_file *file, const frz_type *wanted,
                                    frz_arena *arena, frz_file_columns *out, frz_error **err)
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
