#include "write/assigner.h"

#include <inttypes.h>

#include "arrow/array.h"
#include "arrow/builder.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"
#include "spec/value_arrow.h"

enum { SCRATCH_SIZE = 65536 };

/* A field that is assigned to, or a struct that holds such fields. */
typedef struct node {
    const frz_field *field;
    const char *path;
    const frz_assignment *assignment; /* NULL: of the fields below */
    struct node **children;           /* one per field of a struct; NULL where nothing is set */
} node;

/* A top-level column that changes. */
typedef struct changed_column {
    size_t index;
    const node *root;
    frz_arrow_builder *builder;
    struct ArrowArray made;
} changed_column;

struct frz_assigner {
    frz_arena arena;
    frz_arena scratch; /* of one row's values */
    const frz_schema *table;
    changed_column *columns;
    size_t column_count;
};

typedef struct row {
    frz_assigner *self;
    const struct ArrowArray *batch;
    int64_t index;
} row;

static size_t index_of(const frz_type *type, int32_t field_id)
{
    size_t i = 0;
    while (i < type->field_count && type->fields[i].id != field_id)
        i++;
    return i;
}

static frz_status make_node(frz_assigner *self, const frz_field *field, node **out, frz_error **err)
{
    node *made = frz_arena_alloc(&self->arena, sizeof *made);
    node **children = frz_arena_array(&self->arena, field->type->field_count + 1, sizeof(node *));
    if (!made || !children)
        return frz_fail_memory(err);
    const char *path = frz_schema_path(self->table, field->id);
    *made = (node){.field = field, .path = path ? path : field->name, .children = children};
    *out = made;
    return FRZ_OK;
}

/* The nodes along the path of an assignment, those that are missing made. */
static frz_status add_assignment(frz_assigner *self, node **top, const frz_assignment *assignment,
                                 frz_error **err)
{
    const frz_type *type = frz_schema_type(self->table);
    node **children = top;
    for (size_t i = 0; i < assignment->target->step_count; i++) {
        const size_t child = index_of(type, assignment->target->steps[i].field_id);
        if (!children[child])
            FRZ_TRY(make_node(self, &type->fields[child], &children[child], err));
        type = type->fields[child].type;
        if (i + 1 == assignment->target->step_count)
            children[child]->assignment = assignment;
        children = children[child]->children;
    }
    return FRZ_OK;
}

static frz_status add_column(frz_assigner *self, size_t index, const node *root, frz_error **err)
{
    struct ArrowSchema schema = {0};
    changed_column *column = &self->columns[self->column_count];
    *column = (changed_column){.index = index, .root = root};
    FRZ_TRY(frz_type_to_arrow(root->field, &schema, err));
    const frz_status status = frz_arrow_builder_new(&schema, &column->builder, err);
    frz_arrow_schema_clear(&schema);
    if (status == FRZ_OK)
        self->column_count++;
    return status;
}

static frz_status compile(frz_assigner *self, const frz_assignment *assignments, size_t count,
                          frz_error **err)
{
    const size_t width = frz_schema_type(self->table)->field_count;
    node **top = frz_arena_array(&self->arena, width + 1, sizeof(node *));
    self->columns = frz_arena_array(&self->arena, width + 1, sizeof *self->columns);
    if (!top || !self->columns)
        return frz_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        FRZ_TRY(add_assignment(self, top, &assignments[i], err));
    for (size_t i = 0; i < width; i++) {
        if (top[i])
            FRZ_TRY(add_column(self, i, top[i], err));
    }
    return FRZ_OK;
}

frz_status frz_assigner_new(const frz_assignment *assignments, size_t count,
                            const frz_schema *table, frz_assigner **out, frz_error **err)
{
    frz_assigner *self = frz_alloc_zero(sizeof *self);
    if (!self)
        return frz_fail_memory(err);
    self->table = frz_schema_ref(table);
    const frz_status status = compile(self, assignments, count, err);
    if (status != FRZ_OK) {
        frz_assigner_free(self);
        return status;
    }
    *out = self;
    return FRZ_OK;
}

void frz_assigner_free(frz_assigner *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < self->column_count; i++) {
        frz_arrow_builder_free(self->columns[i].builder);
        frz_arrow_array_clear(&self->columns[i].made);
    }
    frz_arena_clear(&self->arena);
    frz_arena_clear(&self->scratch);
    frz_schema_unref(self->table);
    frz_free(self);
}

static frz_status append_value(const row *r, const node *n, frz_arrow_builder *builder,
                               frz_error **err)
{
    frz_value value = {.form = FRZ_VALUE_NULL};
    const frz_assignment *assignment = n->assignment;
    if (assignment->formula)
        FRZ_TRY(frz_formula_value(assignment->formula, r->batch, r->index, &r->self->scratch,
                                  &value, err));
    else if (n->field->write_default)
        value = *n->field->write_default;
    if (value.form == FRZ_VALUE_NULL && n->field->required)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "null in the required column %s", n->path);
    frz_value_append(n->field->type, &value, builder);
    return FRZ_OK;
}

/* `array` is the column as it was, `null` that it, or what holds it, is null in this row. */
static frz_status append_node(const row *r, const node *n, const struct ArrowArray *array,
                              int64_t index, bool null, frz_arrow_builder *builder, frz_error **err)
{
    if (n->assignment)
        return append_value(r, n, builder, err);
    null = null || frz_arrow_is_null(array, index);
    const int64_t at = array->offset + index;
    for (size_t i = 0; i < n->field->type->field_count; i++) {
        const frz_field *field = &n->field->type->fields[i];
        frz_arrow_builder *child = frz_arrow_builder_child(builder, i);
        if (n->children[i])
            FRZ_TRY(append_node(r, n->children[i], array->children[i], at, null, child, err));
        else if (!null)
            frz_arrow_append_row(child, array->children[i], at);
        else if (field->required)
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                            "%s is null here, and its required field %s would have no value",
                            n->path, field->name);
        else
            frz_arrow_append_null(child);
    }
    frz_arrow_append_struct(builder);
    return FRZ_OK;
}

static frz_status fail_row(const node *n, const frz_row_origin *origin, int64_t index,
                           frz_status status, frz_error **err)
{
    return frz_context(err, status, "column %s, row at position %" PRId64 " of %.*s", n->path,
                       origin->positions[index], (int)origin->path.size,
                       (const char *)origin->path.data);
}

static frz_status compute(frz_assigner *self, changed_column *column,
                          const struct ArrowArray *batch, const frz_row_origin *origin,
                          frz_error **err)
{
    const struct ArrowArray *old = batch->children[column->index];
    for (int64_t i = 0; i < batch->length; i++) {
        const row r = {self, batch, i};
        if (self->scratch.used > SCRATCH_SIZE)
            frz_arena_clear(&self->scratch);
        const frz_status status =
            append_node(&r, column->root, old, i, false, column->builder, err);
        if (status != FRZ_OK)
            return status == FRZ_INVALID ? fail_row(column->root, origin, i, status, err) : status;
    }
    return frz_arrow_builder_finish(column->builder, &column->made, err);
}

frz_status frz_assigner_run(frz_assigner *self, struct ArrowArray *batch,
                            const frz_row_origin *origin, frz_error **err)
{
    for (size_t i = 0; i < self->column_count; i++)
        FRZ_TRY(compute(self, &self->columns[i], batch, origin, err));
    for (size_t i = 0; i < self->column_count; i++) {
        changed_column *column = &self->columns[i];
        struct ArrowArray *child = batch->children[column->index];
        frz_arrow_array_clear(child);
        *child = column->made;
        column->made = (struct ArrowArray){0};
    }
    return FRZ_OK;
}
