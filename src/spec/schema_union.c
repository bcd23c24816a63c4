#include "base/fail.h"
#include "spec/schema_edit.h"

static frz_status unite_struct(frz_schema_update *self, int32_t parent, const frz_type *other,
                               frz_arena *arena, frz_error **err);

static const frz_field *find_child(const frz_schema_update *self, int32_t parent, const char *name)
{
    const frz_type *type = frz_schema_edit_struct(self->schema, parent);
    const frz_field *exact = frz_type_find_field(type, name, true);
    return exact || !self->case_insensitive ? exact : frz_type_find_field(type, name, false);
}

static frz_status refuse_shape(const frz_schema_update *self, const frz_field *field,
                               const frz_type *other, frz_error **err)
{
    return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "column %s is a %s here and a %s there",
                    frz_schema_path(self->schema, field->id), frz_type_word(field->type->kind),
                    frz_type_word(other->kind));
}

/* What is narrower there is read as it stands here. */
static bool is_narrower(const frz_schema_update *self, const frz_field *field,
                        const frz_type *other)
{
    return frz_type_promotes(other, field->type, self->format_version) ||
           other->kind == FRZ_TYPE_UNKNOWN;
}

static bool identifies_rows(const frz_schema *schema, const frz_field *field)
{
    size_t count = 0;
    const int32_t *ids = frz_schema_identifier_ids(schema, &count);
    for (size_t i = 0; i < count; i++)
        if (frz_schema_edit_is_within(schema, ids[i], field->id))
            return true;
    return false;
}

/* Nullability, type, comment and default of the field itself. What identifies rows stays required,
 * where Java gives up. */
static frz_status unite_attributes(frz_schema_update *self, const frz_field *field,
                                   const frz_field *other, frz_arena *arena, frz_error **err)
{
    frz_field changed = *field;
    if (!other->required && !identifies_rows(self->schema, field))
        changed.required = false;
    if (other->doc)
        changed.doc = other->doc;
    if (field->type->field_count == 0 && !is_narrower(self, field, other->type))
        FRZ_TRY(frz_schema_edit_promote(self, &changed, other->type, arena, err));
    if (other->write_default && frz_type_equal(changed.type, other->type))
        changed.write_default = other->write_default;
    const bool same = changed.required == field->required && changed.doc == field->doc &&
                      changed.type == field->type && changed.write_default == field->write_default;
    return same ? FRZ_OK : frz_schema_edit_field(self, &changed, arena, err);
}

/* The key of a map is of its type or narrower, down to the last field. */
static frz_status check_key(const frz_schema_update *self, const frz_field *key,
                            const frz_field *other, frz_error **err)
{
    if (key->type->field_count != other->type->field_count ||
        (key->type->field_count == 0 && !is_narrower(self, key, other->type)))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "column %s: the key of a map cannot be changed",
                        frz_schema_path(self->schema, key->id));
    for (size_t i = 0; i < key->type->field_count; i++)
        FRZ_TRY(check_key(self, &key->type->fields[i], &other->type->fields[i], err));
    return FRZ_OK;
}

static frz_status unite_field(frz_schema_update *self, int32_t id, const frz_field *other,
                              frz_arena *arena, frz_error **err)
{
    const frz_field *field = frz_schema_find_id(self->schema, id);
    const frz_type_kind kind = field->type->kind;
    const bool nested = field->type->field_count > 0;
    if (nested && other->type->kind != kind && other->type->kind != FRZ_TYPE_UNKNOWN)
        return refuse_shape(self, field, other->type, err);
    if (!nested && other->type->field_count > 0 && kind != FRZ_TYPE_UNKNOWN)
        return refuse_shape(self, field, other->type, err);
    FRZ_TRY(unite_attributes(self, field, other, arena, err));
    if (!nested || other->type->kind != kind)
        return FRZ_OK;
    field = frz_schema_find_id(self->schema, id);
    if (kind == FRZ_TYPE_STRUCT)
        return unite_struct(self, id, other->type, arena, err);
    if (kind == FRZ_TYPE_LIST)
        return unite_field(self, field->type->fields[0].id, &other->type->fields[0], arena, err);
    FRZ_TRY(check_key(self, &field->type->fields[0], &other->type->fields[0], err));
    return unite_field(self, field->type->fields[1].id, &other->type->fields[1], arena, err);
}

static frz_status unite_struct(frz_schema_update *self, int32_t parent, const frz_type *other,
                               frz_arena *arena, frz_error **err)
{
    for (size_t i = 0; i < other->field_count; i++) {
        const frz_field *found = find_child(self, parent, other->fields[i].name);
        if (found) {
            FRZ_TRY(unite_field(self, found->id, &other->fields[i], arena, err));
            continue;
        }
        const frz_type *type = frz_schema_edit_struct(self->schema, parent);
        frz_field added = other->fields[i];
        int32_t id = 0;
        added.required = false;
        FRZ_TRY(frz_schema_edit_check_name(self, parent, added.name, err));
        FRZ_TRY(frz_schema_edit_add(self, parent, &added, type->field_count, arena, &id, err));
    }
    return FRZ_OK;
}

frz_status frz_schema_update_union(frz_schema_update *self, const frz_schema *other,
                                   frz_error **err)
{
    frz_arena arena = {.budget = frz_limits_default.parse_budget};
    const frz_status status =
        unite_struct(self, FRZ_SCHEMA_TOP, frz_schema_type(other), &arena, err);
    frz_arena_clear(&arena);
    return status;
}
