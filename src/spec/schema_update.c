#include "spec/schema_update.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "spec/ddl.h"
#include "spec/schema_edit.h"

/* Names that readers give to metadata columns (spec "Reserved Field IDs", Java's MetadataColumns):
 * a column of the table could not be asked for beside them. */
static const char *const reserved_names[] = {"_file",
                                             "_pos",
                                             "_deleted",
                                             "_spec_id",
                                             "_partition",
                                             "_change_type",
                                             "_change_ordinal",
                                             "_row_id",
                                             "_last_updated_sequence_number",
                                             "_commit_snapshot_id"};

void frz_schema_update_open(frz_schema_update *self, const frz_schema *schema,
                            int32_t last_column_id, int format_version)
{
    *self = (frz_schema_update){.schema = frz_schema_ref(schema),
                                .last_column_id = last_column_id,
                                .format_version = format_version};
}

void frz_schema_update_clear(frz_schema_update *self)
{
    frz_schema_unref(self->schema);
    self->schema = NULL;
}

static frz_status no_such_column(const frz_schema_update *self, const char *path, frz_error **err)
{
    frz_buffer near = {0};
    frz_schema_suggest(self->schema, frz_slice_of_text(path), &near);
    const frz_status status =
        near.size ? frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "no column %.200s; near: %.*s", path,
                             (int)near.size, (const char *)near.data)
                  : frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "no column %.200s", path);
    frz_buffer_clear(&near);
    return status;
}

/* Without its quotes; all of it in `arena`. */
static frz_status plain_path(const char *path, frz_arena *arena, const char **out, frz_error **err)
{
    const char *parent = NULL;
    const char *name = NULL;
    FRZ_TRY(frz_ddl_split_path(frz_slice_of_text(path), arena, &parent, &name, err));
    *out = parent ? frz_arena_printf(arena, "%s.%s", parent, name) : name;
    return *out ? FRZ_OK : frz_fail_memory(err);
}

frz_status frz_schema_update_find(const frz_schema_update *self, const char *path,
                                  const frz_field **out, frz_error **err)
{
    frz_arena arena = {0};
    const char *plain = NULL;
    const frz_field *found =
        frz_schema_find_name(self->schema, frz_slice_of_text(path), !self->case_insensitive);
    frz_status status = FRZ_OK;
    if (!found && strpbrk(path, "\"`")) {
        status = plain_path(path, &arena, &plain, err);
        if (status == FRZ_OK)
            found = frz_schema_find_name(self->schema, frz_slice_of_text(plain),
                                         !self->case_insensitive);
    }
    frz_arena_clear(&arena);
    if (status != FRZ_OK)
        return status;
    if (!found)
        return no_such_column(self, path, err);
    *out = found;
    return FRZ_OK;
}

static bool same_name(const frz_schema_update *self, const char *a, const char *b)
{
    return self->case_insensitive ? strcasecmp(a, b) == 0 : strcmp(a, b) == 0;
}

static frz_status check_reserved(const char *name, frz_error **err)
{
    for (size_t i = 0; i < sizeof reserved_names / sizeof *reserved_names; i++)
        if (strcasecmp(name, reserved_names[i]) == 0)
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                            "%s is the name of a metadata column and cannot be a column's", name);
    return FRZ_OK;
}

frz_status frz_schema_check_names(const frz_schema *schema, frz_error **err)
{
    const frz_type *type = frz_schema_type(schema);
    for (size_t i = 0; i < type->field_count; i++)
        FRZ_TRY(check_reserved(type->fields[i].name, err));
    return FRZ_OK;
}

/* A new name among the children of `parent`; `own` is the field that may have it. */
static frz_status check_name(const frz_schema_update *self, int32_t parent, const char *name,
                             int32_t own, frz_error **err)
{
    const frz_type *type = frz_schema_edit_struct(self->schema, parent);
    if (!name[0])
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "a column needs a name");
    if (parent == FRZ_SCHEMA_TOP)
        FRZ_TRY(check_reserved(name, err));
    for (size_t i = 0; i < type->field_count; i++)
        if (type->fields[i].id != own && same_name(self, type->fields[i].name, name))
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "column %.200s exists already",
                            frz_schema_path(self->schema, type->fields[i].id));
    return FRZ_OK;
}

frz_status frz_schema_edit_check_name(const frz_schema_update *self, int32_t parent,
                                      const char *name, frz_error **err)
{
    return check_name(self, parent, name, FRZ_SCHEMA_TOP, err);
}

/* The struct that new columns go to: the field, or the element or value that it has of structs. */
static frz_status find_struct(const frz_schema_update *self, const char *path, int32_t *out,
                              frz_error **err)
{
    const frz_field *field = NULL;
    if (!path) {
        *out = FRZ_SCHEMA_TOP;
        return FRZ_OK;
    }
    FRZ_TRY(frz_schema_update_find(self, path, &field, err));
    if (field->type->kind == FRZ_TYPE_LIST)
        field = &field->type->fields[0];
    else if (field->type->kind == FRZ_TYPE_MAP)
        field = &field->type->fields[1];
    FRZ_TRY(frz_schema_edit_check_key(self->schema, field->id, err));
    if (field->type->kind != FRZ_TYPE_STRUCT)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "column %s is a %s: only a struct takes new columns",
                        frz_schema_path(self->schema, field->id), frz_type_word(field->type->kind));
    *out = field->id;
    return FRZ_OK;
}

/* The index behind which place->after stands among the children of `parent`. */
static frz_status find_place(const frz_schema_update *self, int32_t parent,
                             const frz_column_place *place, size_t *index_out, frz_error **err)
{
    const frz_type *type = frz_schema_edit_struct(self->schema, parent);
    const frz_field *after = NULL;
    *index_out = place->first ? 0 : type->field_count;
    if (place->first && place->after)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "a column stands first or after another, not both");
    if (!place->after)
        return FRZ_OK;
    for (size_t i = 0; i < type->field_count; i++) {
        if (same_name(self, type->fields[i].name, place->after)) {
            *index_out = i + 1;
            return FRZ_OK;
        }
    }
    FRZ_TRY(frz_schema_update_find(self, place->after, &after, err));
    for (size_t i = 0; i < type->field_count; i++) {
        if (type->fields[i].id == after->id) {
            *index_out = i + 1;
            return FRZ_OK;
        }
    }
    return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "column %s is in another struct",
                    place->after);
}

static frz_status parse_new_column(const frz_new_column *column, const char *name, frz_arena *arena,
                                   frz_field *out, frz_error **err)
{
    FRZ_TRY(frz_ddl_parse_column(frz_slice_of_text(column->definition), arena, out, err));
    out->name = name;
    out->required |= column->required;
    if (column->default_value)
        FRZ_TRY(frz_ddl_parse_literal(frz_slice_of_text(column->default_value), out->type, arena,
                                      &out->write_default, err));
    if (column->comment)
        out->doc = column->comment[0] ? column->comment : NULL;
    return FRZ_OK;
}

static frz_status add(frz_schema_update *self, const frz_new_column *column, frz_arena *arena,
                      int32_t *id_out, frz_error **err)
{
    const char *parent_path = NULL;
    const char *name = NULL;
    int32_t parent = FRZ_SCHEMA_TOP;
    size_t index = 0;
    frz_field field = {0};
    FRZ_TRY(frz_ddl_split_path(frz_slice_of_text(column->path), arena, &parent_path, &name, err));
    FRZ_TRY(find_struct(self, parent_path, &parent, err));
    FRZ_TRY(frz_schema_edit_check_name(self, parent, name, err));
    FRZ_TRY(parse_new_column(column, name, arena, &field, err));
    FRZ_TRY(find_place(self, parent, &column->place, &index, err));
    return frz_schema_edit_add(self, parent, &field, index, arena, id_out, err);
}

frz_status frz_schema_update_add(frz_schema_update *self, const frz_new_column *column,
                                 int32_t *id_out, frz_error **err)
{
    frz_arena arena = {.budget = frz_limits_default.parse_budget};
    const frz_status status = add(self, column, &arena, id_out, err);
    frz_arena_clear(&arena);
    return status;
}

/* A field that has siblings: not the element of a list, nor the key or value of a map. */
static frz_status find_member(const frz_schema_update *self, const char *path,
                              const frz_field **out, const frz_type **siblings_out,
                              int32_t *parent_out, frz_error **err)
{
    FRZ_TRY(frz_schema_update_find(self, path, out, err));
    FRZ_TRY(frz_schema_edit_check_key(self->schema, (*out)->id, err));
    const frz_field *parent = frz_schema_parent(self->schema, (*out)->id);
    if (parent && parent->type->kind != FRZ_TYPE_STRUCT)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "column %s is the %s of a %s: it cannot be dropped, renamed or moved", path,
                        (*out)->name, frz_type_word(parent->type->kind));
    *parent_out = parent ? parent->id : FRZ_SCHEMA_TOP;
    *siblings_out = frz_schema_edit_struct(self->schema, *parent_out);
    return FRZ_OK;
}

static frz_status check_no_identifier(const frz_schema *schema, const frz_field *field,
                                      frz_error **err)
{
    size_t count = 0;
    const int32_t *ids = frz_schema_identifier_ids(schema, &count);
    for (size_t i = 0; i < count; i++)
        if (frz_schema_edit_is_within(schema, ids[i], field->id))
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                            "column %s identifies rows: set other identifier fields first",
                            frz_schema_path(schema, ids[i]));
    return FRZ_OK;
}

frz_status frz_schema_update_drop(frz_schema_update *self, const char *path, frz_error **err)
{
    const frz_field *field = NULL;
    const frz_type *siblings = NULL;
    int32_t parent = FRZ_SCHEMA_TOP;
    frz_arena arena = {0};
    size_t count = 0;
    FRZ_TRY(find_member(self, path, &field, &siblings, &parent, err));
    FRZ_TRY(check_no_identifier(self->schema, field, err));
    if (siblings->field_count == 1)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "column %s is the only one of its %s: nothing would be left", path,
                        parent == FRZ_SCHEMA_TOP ? "table" : "struct");
    frz_field *kept = frz_arena_array(&arena, siblings->field_count, sizeof *kept);
    for (size_t i = 0; kept && i < siblings->field_count; i++)
        if (siblings->fields[i].id != field->id)
            kept[count++] = siblings->fields[i];
    const frz_status status = kept
                                  ? frz_schema_edit_children(self, parent, kept, count, &arena, err)
                                  : frz_fail_memory(err);
    frz_arena_clear(&arena);
    return status;
}

frz_status frz_schema_update_rename(frz_schema_update *self, const char *path, const char *name,
                                    frz_error **err)
{
    const frz_field *field = NULL;
    const frz_type *siblings = NULL;
    int32_t parent = FRZ_SCHEMA_TOP;
    frz_arena arena = {0};
    FRZ_TRY(find_member(self, path, &field, &siblings, &parent, err));
    FRZ_TRY(check_name(self, parent, name, field->id, err));
    frz_field renamed = *field;
    renamed.name = name;
    const frz_status status = frz_schema_edit_field(self, &renamed, &arena, err);
    frz_arena_clear(&arena);
    return status;
}

/* The children in their new order: `from` goes to stand at the index `to` of those before. */
static void reorder(const frz_type *siblings, size_t from, size_t to, frz_field *out)
{
    size_t count = 0;
    for (size_t i = 0; i <= siblings->field_count; i++) {
        if (i == to)
            out[count++] = siblings->fields[from];
        if (i < siblings->field_count && i != from)
            out[count++] = siblings->fields[i];
    }
}

frz_status frz_schema_update_move(frz_schema_update *self, const char *path,
                                  const frz_column_place *place, frz_error **err)
{
    const frz_field *field = NULL;
    const frz_type *siblings = NULL;
    int32_t parent = FRZ_SCHEMA_TOP;
    size_t to = 0;
    frz_arena arena = {0};
    if (!place->first && !place->after)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "column %s: say where it moves: first, or after another", path);
    FRZ_TRY(find_member(self, path, &field, &siblings, &parent, err));
    FRZ_TRY(find_place(self, parent, place, &to, err));
    const size_t from = (size_t)(field - siblings->fields);
    if (place->after && to == from + 1)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "column %s cannot move after itself",
                        path);
    frz_field *fields = frz_arena_array(&arena, siblings->field_count, sizeof *fields);
    if (!fields)
        return frz_fail_memory(err);
    reorder(siblings, from, to, fields);
    const frz_status status =
        frz_schema_edit_children(self, parent, fields, siblings->field_count, &arena, err);
    frz_arena_clear(&arena);
    return status;
}

static frz_status change_type(frz_schema_update *self, const char *definition, frz_field *field,
                              frz_arena *arena, frz_error **err)
{
    frz_field parsed = {0};
    FRZ_TRY(frz_ddl_parse_column(frz_slice_of_text(definition), arena, &parsed, err));
    if (parsed.required && !field->required)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "column %s is optional and cannot become required: rows may lack a value",
                        frz_schema_path(self->schema, field->id));
    if (parsed.doc || parsed.write_default)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "column %s: a new default or comment stands beside the type, not in it",
                        frz_schema_path(self->schema, field->id));
    return frz_schema_edit_promote(self, field, parsed.type, arena, err);
}

static frz_status change(frz_schema_update *self, const char *path, const frz_column_change *how,
                         frz_arena *arena, frz_error **err)
{
    const frz_field *field = NULL;
    FRZ_TRY(frz_schema_update_find(self, path, &field, err));
    FRZ_TRY(frz_schema_edit_check_key(self->schema, field->id, err));
    const frz_field *parent = frz_schema_parent(self->schema, field->id);
    const bool member = !parent || parent->type->kind == FRZ_TYPE_STRUCT;
    frz_field changed = *field;
    if (!member && (how->comment || how->default_value))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "column %s is the %s of a %s, which has neither default nor comment", path,
                        field->name, frz_type_word(parent->type->kind));
    if (how->optional)
        changed.required = false;
    if (how->type)
        FRZ_TRY(change_type(self, how->type, &changed, arena, err));
    if (how->default_value)
        FRZ_TRY(frz_ddl_parse_literal(frz_slice_of_text(how->default_value), changed.type, arena,
                                      &changed.write_default, err));
    if (how->comment)
        changed.doc = how->comment[0] ? how->comment : NULL;
    return frz_schema_edit_field(self, &changed, arena, err);
}

frz_status frz_schema_update_change(frz_schema_update *self, const char *path,
                                    const frz_column_change *how, frz_error **err)
{
    frz_arena arena = {.budget = frz_limits_default.parse_budget};
    const frz_status status = change(self, path, how, &arena, err);
    frz_arena_clear(&arena);
    return status;
}

static int compare_ids(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a;
    const int32_t y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static frz_status find_identifiers(const frz_schema_update *self, const char *const *paths,
                                   size_t count, int32_t *ids, size_t *count_out, frz_error **err)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const frz_field *field = NULL;
        FRZ_TRY(frz_schema_update_find(self, paths[i], &field, err));
        ids[i] = field->id;
    }
    if (count)
        qsort(ids, count, sizeof *ids, compare_ids);
    for (size_t i = 0; i < count; i++)
        if (!kept || ids[kept - 1] != ids[i])
            ids[kept++] = ids[i];
    *count_out = kept;
    return FRZ_OK;
}

frz_status frz_schema_update_set_identifier(frz_schema_update *self, const char *const *paths,
                                            size_t count, frz_error **err)
{
    frz_arena arena = {0};
    frz_schema *next = NULL;
    const frz_type *type = frz_schema_type(self->schema);
    int32_t *ids = frz_arena_array(&arena, count + 1, sizeof *ids);
    frz_status status =
        ids ? find_identifiers(self, paths, count, ids, &count, err) : frz_fail_memory(err);
    if (status == FRZ_OK)
        status = frz_schema_new(frz_schema_id(self->schema), type->fields, type->field_count, ids,
                                count, &next, err);
    if (status == FRZ_OK) {
        frz_schema_unref(self->schema);
        self->schema = next;
    }
    frz_arena_clear(&arena);
    return status;
}
