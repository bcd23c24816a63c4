#include "write/key_columns.h"

#include <string.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "spec/tuple_key.h"

/* Spec "Equality Delete Files": the restrictions of identifier fields, but optional ones may be. */
static frz_status check_types(const frz_key_columns *self, const frz_schema *schema,
                              frz_error **err)
{
    for (size_t i = 0; i < self->count; i++) {
        const frz_type_kind kind = self->fields[i]->type->kind;
        if (kind == FRZ_TYPE_FLOAT || kind == FRZ_TYPE_DOUBLE)
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                            "column %s (%s) is no delete column: equality deletes cannot compare "
                            "floating point numbers",
                            frz_schema_path(schema, self->fields[i]->id), frz_type_word(kind));
    }
    return FRZ_OK;
}

static bool is_wanted(const frz_key_columns *self, int32_t id)
{
    for (size_t i = 0; i < self->count; i++) {
        if (self->ids[i] == id)
            return true;
    }
    return false;
}

/* The fields of a struct that are key columns or hold some, in the struct's order. */
static frz_status prune(const frz_key_columns *self, const frz_type *type, frz_arena *arena,
                        frz_type *out, frz_error **err)
{
    frz_field *fields = frz_arena_array(arena, type->field_count + 1, sizeof *fields);
    size_t count = 0;
    if (!fields)
        return frz_fail_memory(err);
    for (size_t i = 0; i < type->field_count; i++) {
        const frz_field *field = &type->fields[i];
        frz_type *below = NULL;
        if (field->type->kind == FRZ_TYPE_STRUCT) {
            below = frz_arena_alloc(arena, sizeof *below);
            if (!below)
                return frz_fail_memory(err);
            FRZ_TRY(prune(self, field->type, arena, below, err));
        }
        if (below ? below->field_count == 0 : !is_wanted(self, field->id))
            continue;
        fields[count] = *field;
        fields[count].initial_default = NULL; /* each key states what it deletes */
        fields[count].write_default = NULL;
        if (below)
            fields[count].type = below;
        count++;
    }
    *out = (frz_type){.kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = count};
    return FRZ_OK;
}

static frz_status find_paths(const frz_key_columns *self, const frz_type *root, frz_arena *arena,
                             frz_column_path **out, frz_error **err)
{
    frz_column_path *paths = frz_arena_array(arena, self->count, sizeof *paths);
    if (!paths)
        return frz_fail_memory(err);
    for (size_t i = 0; i < self->count; i++) {
        if (!frz_column_path_find(root, self->ids[i], &paths[i]))
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "column %s is within a list or map",
                            self->fields[i]->name);
    }
    *out = paths;
    return FRZ_OK;
}

static frz_status open_columns(frz_key_columns *self, const frz_schema *schema,
                               const frz_key_choice *choice, frz_arena *arena, frz_error **err)
{
    frz_type pruned;
    FRZ_TRY(frz_row_key_fields(schema, choice, arena, &self->fields, &self->count, err));
    FRZ_TRY(check_types(self, schema, err));
    int32_t *ids = frz_arena_array(arena, self->count, sizeof *ids);
    self->values = frz_arena_array(arena, self->count, sizeof *self->values);
    if (!ids || !self->values)
        return frz_fail_memory(err);
    for (size_t i = 0; i < self->count; i++)
        ids[i] = self->fields[i]->id;
    self->ids = ids;
    self->table = frz_schema_type(schema);
    FRZ_TRY(prune(self, self->table, arena, &pruned, err));
    FRZ_TRY(frz_schema_new(0, pruned.fields, pruned.field_count, NULL, 0, &self->schema, err));
    FRZ_TRY(frz_schema_to_arrow(self->schema, &self->arrow, err));
    FRZ_TRY(find_paths(self, self->table, arena, &self->in_table, err));
    return find_paths(self, frz_schema_type(self->schema), arena, &self->in_keys, err);
}

frz_status frz_key_columns_open(frz_key_columns *self, const frz_schema *schema,
                                const frz_key_choice *choice, frz_arena *arena, frz_error **err)
{
    *self = (frz_key_columns){0};
    const frz_status status = open_columns(self, schema, choice, arena, err);
    if (status != FRZ_OK)
        frz_key_columns_close(self);
    return status;
}

void frz_key_columns_close(frz_key_columns *self)
{
    frz_schema_unref(self->schema);
    frz_arrow_schema_clear(&self->arrow);
    frz_buffer_clear(&self->bytes);
    *self = (frz_key_columns){0};
}

frz_status frz_key_columns_check_spec(const frz_key_columns *self, const frz_schema *schema,
                                      const frz_partition_spec *spec, frz_error **err)
{
    for (size_t i = 0; i < spec->field_count; i++) {
        const frz_partition_field *field = &spec->fields[i];
        if (field->transform.kind == FRZ_TRANSFORM_VOID)
            continue;
        for (size_t k = 0; k < field->source_count; k++) {
            const char *path = frz_schema_path(schema, field->source_ids[k]);
            if (!is_wanted(self, field->source_ids[k]))
                return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                                "the table is partitioned by column %s, which is no part of the "
                                "key: equality deletes reach their own partition only. Add it to "
                                "the key, or delete globally (--all-partitions)",
                                path ? path : field->name);
        }
    }
    return FRZ_OK;
}

frz_status frz_key_columns_read(frz_key_columns *self, const frz_column_path *paths,
                                const struct ArrowArray *batch, int64_t row, frz_error **err)
{
    for (size_t i = 0; i < self->count; i++)
        frz_column_path_value(&paths[i], batch, row, &self->values[i]);
    frz_buffer_reset(&self->bytes);
    frz_tuple_key(self->values, self->count, &self->bytes);
    return frz_buffer_check(&self->bytes, err);
}

/* A struct array that shows some children of another one, whose memory it borrows. */
static frz_status view(const frz_type *type, const frz_type *pruned, const struct ArrowArray *array,
                       frz_arena *arena, struct ArrowArray *out, frz_error **err)
{
    struct ArrowArray **children =
        frz_arena_array(arena, pruned->field_count, sizeof(struct ArrowArray *));
    if (!children)
        return frz_fail_memory(err);
    for (size_t i = 0, at = 0; i < pruned->field_count; i++, at++) {
        while (type->fields[at].id != pruned->fields[i].id)
            at++;
        children[i] = array->children[at];
        if (pruned->fields[i].type->kind != FRZ_TYPE_STRUCT)
            continue;
        children[i] = frz_arena_alloc(arena, sizeof(struct ArrowArray));
        if (!children[i])
            return frz_fail_memory(err);
        FRZ_TRY(view(type->fields[at].type, pruned->fields[i].type, array->children[at], arena,
                     children[i], err));
    }
    *out = *array;
    out->n_children = (int64_t)pruned->field_count;
    out->children = children;
    out->release = NULL;
    return FRZ_OK;
}

frz_status frz_key_columns_take(const frz_key_columns *self, const struct ArrowArray *batch,
                                const int64_t *rows, int64_t count, struct ArrowArray *out,
                                frz_error **err)
{
    frz_arena arena = {0};
    struct ArrowArray shown;
    frz_status status =
        view(self->table, frz_schema_type(self->schema), batch, &arena, &shown, err);
    if (status == FRZ_OK)
        status = frz_arrow_array_take(&self->arrow, &shown, rows, count, out, err);
    frz_arena_clear(&arena);
    return status;
}
