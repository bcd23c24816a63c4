#include <assert.h>
#include <string.h>

#include "arrow/schema.h"
#include "base/fail.h"
#include "scan/reshape.h"
#include "spec/list.h"
#include "write/foreign_file.h"

typedef struct checking {
    const frz_foreign_context *context;
    const frz_schema *schema;
    bool own_ids;
    frz_list ids;      /* int32_t */
    frz_list nullable; /* int32_t */
} checking;

static frz_status fail_without_id(const checking *self, const char *path, frz_error **err)
{
    if (self->own_ids)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "column %s has no field id, where others have: it would never be read",
                        path);
    if (frz_schema_find_name(self->schema, frz_slice_of_text(path), true))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "the table's name mapping (schema.name-mapping.default) lacks column %s",
                        path);
    const frz_field *namesake = frz_schema_find_name(self->schema, frz_slice_of_text(path), false);
    if (namesake)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "the table has no column %s, but %s: a name mapping "
                        "(schema.name-mapping.default) that has both names takes the file",
                        path, frz_schema_path(self->schema, namesake->id));
    return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                    "the table has no column %s: add it first (alter T add columns from FILE)",
                    path);
}

/* A field was called so in some schema of the table. */
static bool was_called(const frz_metadata *metadata, int32_t id, const char *name)
{
    for (size_t i = 0; i < metadata->schema_count; i++) {
        const frz_field *field = frz_schema_find_id(metadata->schemas[i], id);
        if (field && strcmp(field->name, name) == 0)
            return true;
    }
    return false;
}

/* Ids of another table name other columns there: names tell. */
static frz_status find_field(const checking *self, const frz_type *parent,
                             const struct ArrowSchema *column, const char *path,
                             const frz_field **out, frz_error **err)
{
    const int32_t id = frz_arrow_schema_field_id(column);
    if (id == FRZ_ARROW_NO_FIELD_ID)
        return fail_without_id(self, path, err);
    if (id > FRZ_FIELD_ID_MAX)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "column %s (field id %d) is one of Iceberg's own: row ids and positions "
                        "of another table mean nothing here",
                        path, id);
    for (size_t i = 0; i < parent->field_count; i++) {
        if (parent->fields[i].id == id)
            *out = &parent->fields[i];
    }
    if (!*out)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "column %s has field id %d, which is none of the table's there: add the "
                        "column first (alter T add columns from FILE), or the file was written "
                        "for another table",
                        path, id);
    if (self->own_ids && !was_called(self->context->metadata, id, frz_arrow_schema_name(column)))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "field id %d is column %s in the file and %s in the table: the file was "
                        "written for another table",
                        id, path, frz_schema_path(self->schema, id));
    return FRZ_OK;
}

static frz_status add_id(checking *self, const struct ArrowSchema *column, const char *path,
                         frz_error **err)
{
    const int32_t id = frz_arrow_schema_field_id(column);
    const int32_t *known = self->ids.items;
    for (size_t i = 0; i < self->ids.count; i++) {
        if (known[i] == id)
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                            "column %s: another one has its field id %d too", path, id);
    }
    int32_t *slot = frz_list_add(&self->ids, self->context->arena, sizeof *slot);
    if (!slot)
        return frz_fail_memory(err);
    *slot = id;
    if (!(column->flags & ARROW_FLAG_NULLABLE))
        return FRZ_OK;
    slot = frz_list_add(&self->nullable, self->context->arena, sizeof *slot);
    if (!slot)
        return frz_fail_memory(err);
    *slot = id;
    return FRZ_OK;
}

static frz_status check_below(checking *self, const frz_field *field,
                              const struct ArrowSchema *column, const char *path, frz_error **err);

static frz_status check_members(checking *self, const frz_type *type,
                                const struct ArrowSchema *columns, const char *path,
                                frz_error **err)
{
    for (int64_t i = 0; i < columns->n_children; i++) {
        const struct ArrowSchema *column = columns->children[i];
        const frz_field *field = NULL;
        const char *below = *path ? frz_arena_printf(self->context->arena, "%s.%s", path,
                                                     frz_arrow_schema_name(column))
                                  : frz_arrow_schema_name(column);
        if (!below)
            return frz_fail_memory(err);
        FRZ_TRY(find_field(self, type, column, below, &field, err));
        assert(field);
        FRZ_TRY(add_id(self, column, below, err));
        FRZ_TRY(check_below(self, field, column, below, err));
    }
    return FRZ_OK;
}

/* What stands in lists and maps has names of its own in every format; only its ids count. */
static frz_status check_items(checking *self, const frz_field *item,
                              const struct ArrowSchema *column, const char *path, frz_error **err)
{
    const int32_t id = frz_arrow_schema_field_id(column);
    const char *below = frz_arena_printf(self->context->arena, "%s.%s", path, item->name);
    if (!below)
        return frz_fail_memory(err);
    if (id == FRZ_ARROW_NO_FIELD_ID)
        return fail_without_id(self, below, err);
    if (id != item->id)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "%s has field id %d in the file and %d in the table: the file was written "
                        "for another table",
                        below, id, item->id);
    FRZ_TRY(add_id(self, column, below, err));
    return check_below(self, item, column, below, err);
}

static frz_status check_below(checking *self, const frz_field *field,
                              const struct ArrowSchema *column, const char *path, frz_error **err)
{
    const frz_type *type = field->type;
    if (type->kind == FRZ_TYPE_STRUCT && strcmp(column->format, "+s") == 0)
        return check_members(self, type, column, path, err);
    if (type->kind == FRZ_TYPE_LIST && strcmp(column->format, "+l") == 0 && column->n_children == 1)
        return check_items(self, &type->fields[0], column->children[0], path, err);
    if (type->kind != FRZ_TYPE_MAP || strcmp(column->format, "+m") != 0 || column->n_children != 1)
        return FRZ_OK; /* the types are compared as a whole */
    const struct ArrowSchema *entries = column->children[0];
    for (int64_t i = 0; i < entries->n_children && i < 2; i++)
        FRZ_TRY(check_items(self, &type->fields[i], entries->children[i], path, err));
    return FRZ_OK;
}

/* As a reader of the file will do. */
static frz_status check_type(const checking *self, const frz_field *field,
                             const struct ArrowSchema *column, frz_error **err)
{
    frz_error *why = NULL;
    const frz_reshape *reshape = NULL;
    frz_status status =
        frz_reshape_compile(column, field, field->name, self->context->arena, &reshape, &why);
    if (status == FRZ_CORRUPT || status == FRZ_UNSUPPORTED)
        status = frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "%s", frz_error_message(why));
    else if (status != FRZ_OK)
        status = frz_fail_memory(err);
    frz_error_free(why);
    return status;
}

frz_status frz_foreign_schema_check(const frz_foreign_context *context,
                                    const struct ArrowSchema *columns, bool own_ids,
                                    frz_foreign_file *file, frz_error **err)
{
    checking self = {
        .context = context, .schema = frz_metadata_schema(context->metadata), .own_ids = own_ids};
    const frz_type *root = frz_schema_type(self.schema);
    FRZ_TRY(check_members(&self, root, columns, "", err));
    for (int64_t i = 0; i < columns->n_children; i++) {
        const int32_t id = frz_arrow_schema_field_id(columns->children[i]);
        FRZ_TRY(check_type(&self, frz_schema_find_id(self.schema, id), columns->children[i], err));
    }
    file->ids = self.ids.items;
    file->id_count = self.ids.count;
    file->nullable_ids = self.nullable.items;
    file->nullable_id_count = self.nullable.count;
    return FRZ_OK;
}

static bool is_given(const int32_t *given, size_t count, int32_t id)
{
    for (size_t i = 0; i < count; i++) {
        if (given[i] == id)
            return true;
    }
    return false;
}

/* No null at or below: a null above a leaf is one of the leaf. */
static bool has_no_null(const frz_foreign_file *file, const frz_field *field)
{
    if (frz_type_is_primitive(field->type)) {
        const frz_foreign_column *column = frz_foreign_file_column(file, field->id);
        return column && column->null_count == 0;
    }
    for (size_t i = 0; i < field->type->field_count; i++) {
        if (has_no_null(file, &field->type->fields[i]))
            return true;
    }
    return false;
}

frz_status frz_foreign_schema_check_required(const frz_foreign_context *context,
                                             const frz_foreign_file *file, const int32_t *given,
                                             size_t given_count, frz_error **err)
{
    const frz_schema *schema = frz_metadata_schema(context->metadata);
    for (size_t i = 0; i < frz_schema_field_count(schema); i++) {
        const frz_field *field = frz_schema_field_at(schema, i);
        const frz_field *parent = frz_schema_parent(schema, field->id);
        const bool default_value =
            field->initial_default && field->initial_default->form != FRZ_VALUE_NULL;
        if (!field->required || is_given(given, given_count, field->id))
            continue;
        if (frz_foreign_file_has(file, field->id)) {
            if (is_given(file->nullable_ids, file->nullable_id_count, field->id) &&
                !has_no_null(file, field))
                return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                                "column %s is required, and optional in the file, whose statistics "
                                "do not say that it has no null",
                                frz_schema_path(schema, field->id));
            continue;
        }
        if (!default_value && (!parent || frz_foreign_file_has(file, parent->id)))
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                            "column %s is required, has no initial default, and is not in the file",
                            frz_schema_path(schema, field->id));
    }
    return FRZ_OK;
}
