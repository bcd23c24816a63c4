#include "spec/schema_edit.h"

#include <string.h>

#include "base/fail.h"

const frz_type *frz_schema_edit_struct(const frz_schema *schema, int32_t id)
{
    return id == FRZ_SCHEMA_TOP ? frz_schema_type(schema) : frz_schema_find_id(schema, id)->type;
}

/* Types and defaults that the format version has; says how to get the version that has them. */
static frz_status check_version(const frz_schema_update *self, const frz_schema *schema,
                                frz_error **err)
{
    frz_error *reason = NULL;
    frz_status status = frz_schema_check_version(schema, self->format_version, &reason);
    if (status != FRZ_OK)
        status = frz_fail(err, status, FRZ_NO_OFFSET, "%s (frazil upgrade T --to 3 makes it one)",
                          frz_error_message(reason));
    frz_error_free(reason);
    return status;
}

static frz_status replace_schema(frz_schema_update *self, const frz_field *fields, size_t count,
                                 frz_error **err)
{
    size_t identifier_count = 0;
    const int32_t *identifiers = frz_schema_identifier_ids(self->schema, &identifier_count);
    frz_schema *next = NULL;
    FRZ_TRY(frz_schema_new(frz_schema_id(self->schema), fields, count, identifiers,
                           identifier_count, &next, err));
    const frz_status status = check_version(self, next, err);
    if (status != FRZ_OK) {
        frz_schema_unref(next);
        return status;
    }
    frz_schema_unref(self->schema);
    self->schema = next;
    return FRZ_OK;
}

/* A copy of the siblings of `field`, itself included and replaced. */
static frz_field *replaced_siblings(const frz_type *parent, const frz_field *field,
                                    frz_arena *arena)
{
    frz_field *fields = frz_arena_array(arena, parent->field_count, sizeof *fields);
    if (!fields)
        return NULL;
    for (size_t i = 0; i < parent->field_count; i++)
        fields[i] = parent->fields[i].id == field->id ? *field : parent->fields[i];
    return fields;
}

static const frz_field *find_field(const frz_schema *schema, int32_t id)
{
    return id == FRZ_SCHEMA_TOP ? NULL : frz_schema_find_id(schema, id);
}

frz_status frz_schema_edit_children(frz_schema_update *self, int32_t parent,
                                    const frz_field *fields, size_t count, frz_arena *arena,
                                    frz_error **err)
{
    const frz_schema *schema = self->schema;
    const frz_field *field = find_field(schema, parent);
    while (field) {
        const frz_field *above = frz_schema_parent(schema, field->id);
        const frz_type *siblings = above ? above->type : frz_schema_type(schema);
        frz_type *type = frz_arena_alloc(arena, sizeof *type);
        if (!type)
            return frz_fail_memory(err);
        *type = *field->type;
        type->fields = fields;
        type->field_count = count;
        frz_field changed = *field;
        changed.type = type;
        fields = replaced_siblings(siblings, &changed, arena);
        if (!fields)
            return frz_fail_memory(err);
        count = siblings->field_count;
        field = above;
    }
    return replace_schema(self, fields, count, err);
}

frz_status frz_schema_edit_field(frz_schema_update *self, const frz_field *field, frz_arena *arena,
                                 frz_error **err)
{
    const frz_field *parent = frz_schema_parent(self->schema, field->id);
    const frz_type *siblings = parent ? parent->type : frz_schema_type(self->schema);
    const frz_field *fields = replaced_siblings(siblings, field, arena);
    if (!fields)
        return frz_fail_memory(err);
    return frz_schema_edit_children(self, parent ? parent->id : FRZ_SCHEMA_TOP, fields,
                                    siblings->field_count, arena, err);
}

static bool is_null(const frz_value *value)
{
    return !value || value->form == FRZ_VALUE_NULL;
}

/*
 * Spec "Schema Evolution": "The initial-default must be set when a field is added". A required
 * field needs both, and so do those inside a struct that older rows have.
 */
static frz_status set_initial(const frz_field *field, bool of_old_rows, frz_arena *arena,
                              frz_field *out, frz_error **err)
{
    *out = *field;
    out->initial_default = field->write_default;
    if (of_old_rows && field->required && is_null(field->write_default))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "column %s: a required column is added with a default alone: rows that are "
                        "there have no value",
                        field->name);
    if (field->type->kind != FRZ_TYPE_STRUCT)
        return FRZ_OK;
    const bool children_of_old_rows = of_old_rows && !is_null(field->write_default);
    frz_type *type = frz_arena_alloc(arena, sizeof *type);
    frz_field *fields = frz_arena_array(arena, field->type->field_count, sizeof *fields);
    if (!type || !fields)
        return frz_fail_memory(err);
    for (size_t i = 0; i < field->type->field_count; i++)
        FRZ_TRY(set_initial(&field->type->fields[i], children_of_old_rows, arena, &fields[i], err));
    *type = *field->type;
    type->fields = fields;
    out->type = type;
    return FRZ_OK;
}

static int64_t count_fields(const frz_type *type)
{
    int64_t count = (int64_t)type->field_count;
    for (size_t i = 0; i < type->field_count; i++)
        count += count_fields(type->fields[i].type);
    return count;
}

static frz_status check_ids_left(int32_t last_id, const frz_type *type, frz_error **err)
{
    if (last_id <= FRZ_FIELD_ID_MAX - count_fields(type))
        return FRZ_OK;
    return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                    "the last field id is %d: none is left for new fields", last_id);
}

frz_status frz_schema_edit_add(frz_schema_update *self, int32_t parent, const frz_field *field,
                               size_t index, frz_arena *arena, int32_t *id_out, frz_error **err)
{
    const frz_type *siblings = frz_schema_edit_struct(self->schema, parent);
    const size_t count = siblings->field_count;
    int32_t last_id = self->last_column_id;
    frz_field added;
    frz_field *fields = frz_arena_array(arena, count + 1, sizeof *fields);
    if (!fields)
        return frz_fail_memory(err);
    FRZ_TRY(set_initial(field, true, arena, &added, err));
    const frz_type wrapped = {.kind = FRZ_TYPE_STRUCT, .fields = &added, .field_count = 1};
    FRZ_TRY(check_ids_left(last_id, &wrapped, err));
    const frz_type *fresh = frz_type_assign_ids(&wrapped, arena, &last_id);
    if (!fresh)
        return frz_fail_memory(err);
    for (size_t i = 0; i < index; i++)
        fields[i] = siblings->fields[i];
    fields[index] = fresh->fields[0];
    for (size_t i = index; i < count; i++)
        fields[i + 1] = siblings->fields[i];
    FRZ_TRY(frz_schema_edit_children(self, parent, fields, count + 1, arena, err));
    self->last_column_id = last_id;
    *id_out = fresh->fields[0].id;
    return FRZ_OK;
}

/* The same value, as one of the wider type. */
static frz_status promote_default(const frz_field *field, const frz_type *type,
                                  const frz_value **value, frz_arena *arena, frz_error **err)
{
    if (is_null(*value))
        return FRZ_OK;
    frz_value *promoted = frz_arena_alloc(arena, sizeof *promoted);
    if (!promoted)
        return frz_fail_memory(err);
    if (!frz_value_promote(field->type, type, *value, promoted))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "column %s: its default does not fit into the new type", field->name);
    *value = promoted;
    return FRZ_OK;
}

static frz_status refuse_promotion(const frz_schema_update *self, const frz_field *field,
                                   const frz_type *type, frz_error **err)
{
    frz_buffer from = {0};
    frz_buffer to = {0};
    frz_type_print(field->type, &from);
    frz_type_print(type, &to);
    frz_buffer_append_byte(&from, 0);
    frz_buffer_append_byte(&to, 0);
    const char *hint = self->format_version < 3 && frz_type_promotes(field->type, type, 3)
                           ? "; format version 3 allows it (frazil upgrade T --to 3)"
                           : "";
    const frz_status status =
        from.failed || to.failed
            ? frz_fail_memory(err)
            : frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "column %s: %s cannot become %s%s",
                       frz_schema_path(self->schema, field->id), (const char *)from.data,
                       (const char *)to.data, hint);
    frz_buffer_clear(&from);
    frz_buffer_clear(&to);
    return status;
}

frz_status frz_schema_edit_promote(frz_schema_update *self, frz_field *field, const frz_type *type,
                                   frz_arena *arena, frz_error **err)
{
    int32_t last_id = self->last_column_id;
    if (frz_type_equal(field->type, type))
        return FRZ_OK;
    if (!frz_type_promotes(field->type, type, self->format_version))
        return refuse_promotion(self, field, type, err);
    FRZ_TRY(promote_default(field, type, &field->initial_default, arena, err));
    FRZ_TRY(promote_default(field, type, &field->write_default, arena, err));
    if (type->field_count) { /* unknown becomes a nested type */
        FRZ_TRY(check_ids_left(last_id, type, err));
        type = frz_type_assign_ids(type, arena, &last_id);
        if (!type)
            return frz_fail_memory(err);
    }
    field->type = type;
    self->last_column_id = last_id;
    return FRZ_OK;
}

bool frz_schema_edit_is_within(const frz_schema *schema, int32_t id, int32_t ancestor)
{
    const frz_field *field = frz_schema_find_id(schema, id);
    while (field && field->id != ancestor)
        field = frz_schema_parent(schema, field->id);
    return field != NULL;
}

frz_status frz_schema_edit_check_key(const frz_schema *schema, int32_t id, frz_error **err)
{
    const frz_field *parent = frz_schema_parent(schema, id);
    for (const frz_field *field = frz_schema_find_id(schema, id); parent;
         field = parent, parent = frz_schema_parent(schema, parent->id))
        if (parent->type->kind == FRZ_TYPE_MAP && field->id == parent->type->fields[0].id)
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                            "column %s: the key of a map cannot be changed",
                            frz_schema_path(schema, field->id));
    return FRZ_OK;
}
