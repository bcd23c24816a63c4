#include "scan/stored_column.h"

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "scan/required.h"

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

/* By id. Reserved columns have fixed names too ("Reserved Field IDs"), which find them where a
 * writer left the ids out. */
static const frz_parquet_node *find_child(const frz_parquet_node *parent, const frz_field *field)
{
    for (size_t i = 0; i < parent->child_count; i++) {
        const frz_parquet_node *child = &parent->children[i];
        if (child->has_field_id ? child->field_id == field->id
                                : field->id > FRZ_FIELD_ID_MAX && !strcmp(child->name, field->name))
            return child;
    }
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
        const frz_parquet_node *child = find_child(node, &type->fields[i]);
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

static frz_status find_in_parquet(frz_stored_column *column, frz_arena *arena, frz_error **err)
{
    const frz_parquet_metadata *metadata = frz_parquet_file_metadata(column->file->parquet);
    column->node = find_child(&metadata->root, column->field);
    if (!column->node)
        return FRZ_END;
    FRZ_TRY(check_type(column->field, err));
    column->leaf_selected = frz_arena_array(arena, metadata->leaf_count, sizeof(bool));
    if (!column->leaf_selected)
        return frz_fail_memory(err);
    select_leaves(column->node, column->field->type, column->leaf_selected);
    return FRZ_OK;
}

static frz_status find_in_avro(frz_stored_column *column, frz_error **err)
{
    FRZ_TRY(frz_avro_rows_want(column->file->avro, column->field, &column->avro, err));
    return check_type(column->field, err);
}

frz_status frz_stored_column_find(frz_stored_file *file, const frz_field *field, frz_arena *arena,
                                  frz_stored_column **out, frz_error **err)
{
    frz_stored_column *column = frz_arena_alloc(arena, sizeof *column);
    if (!column)
        return frz_fail_memory(err);
    *column = (frz_stored_column){.field = field, .file = file};
    const frz_status status =
        file->avro ? find_in_avro(column, err) : find_in_parquet(column, arena, err);
    if (status != FRZ_OK && status != FRZ_END)
        return status;
    *out = status == FRZ_END ? NULL : column;
    return FRZ_OK;
}

static frz_status stored_type(const frz_stored_column *column, struct ArrowSchema *out,
                              frz_error **err)
{
    const frz_stored_file *file = column->file;
    if (file->avro)
        return frz_avro_rows_open_column(file->avro, column->avro, out, err);
    return frz_parquet_node_arrow(file->parquet, column->node, column->leaf_selected, out, err);
}

frz_status frz_stored_column_open(frz_stored_column *column, const frz_row_ranges *ranges,
                                  frz_arena *arena, frz_error **err)
{
    struct ArrowSchema schema = {0};
    FRZ_TRY(stored_type(column, &schema, err));
    const frz_status status = frz_reshape_compile(&schema, column->field, column->field->name,
                                                  arena, &column->reshape, err);
    frz_arrow_schema_clear(&schema);
    if (status != FRZ_OK || column->file->avro)
        return status;
    return frz_parquet_field_reader_open(column->file->parquet, column->node, column->leaf_selected,
                                         ranges ? ranges->items : NULL, ranges ? ranges->count : 0,
                                         &column->values, err);
}

void frz_stored_column_close(frz_stored_column *column)
{
    if (!column)
        return;
    frz_parquet_field_reader_close(column->values);
    column->values = NULL;
}

frz_status frz_stored_column_read(frz_stored_column *column, const frz_row_selection *rows,
                                  struct ArrowArray *out, frz_error **err)
{
    struct ArrowArray stored = {0};
    frz_status status = FRZ_OK;
    if (column->file->avro)
        status = frz_avro_rows_read(column->file->avro, column->avro, rows, &stored, err);
    else
        status = frz_parquet_field_reader_read(column->values, rows->start, rows->count, rows->mask,
                                               rows->selected, &stored, err);
    FRZ_TRY(status);
    status = frz_reshape_run(column->reshape, &stored, out, err);
    if (status != FRZ_OK)
        return frz_context(err, status, "column %s", column->field->name);
    status = frz_required_check(column->field, out, column->field->name, err);
    if (status != FRZ_OK)
        frz_arrow_array_clear(out);
    return status;
}
