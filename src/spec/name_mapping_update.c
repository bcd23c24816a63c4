#include "spec/name_mapping_update.h"

#include <string.h>

typedef struct follower {
    const frz_schema *before;
    const frz_schema *after;
    frz_json_writer json;
} follower;

static bool is_new(const follower *self, const frz_field *field)
{
    return !frz_schema_find_id(self->before, field->id);
}

static bool is_renamed(const follower *self, const frz_field *field)
{
    const frz_field *old = frz_schema_find_id(self->before, field->id);
    return old && strcmp(old->name, field->name) != 0;
}

/* Another field of the struct has taken the name. */
static bool is_taken(const follower *self, const frz_type *type, const char *name, int32_t id)
{
    for (size_t i = 0; type && i < type->field_count; i++) {
        const frz_field *field = &type->fields[i];
        if (field->id != id && strcmp(field->name, name) == 0 &&
            (is_new(self, field) || is_renamed(self, field)))
            return true;
    }
    return false;
}

static void write_new(follower *self, const frz_field *field)
{
    frz_json_writer *json = &self->json;
    frz_json_open_object(json);
    frz_json_key(json, "field-id");
    frz_json_i64(json, field->id);
    frz_json_key(json, "names");
    frz_json_open_array(json);
    frz_json_string(json, field->name);
    frz_json_close_array(json);
    if (field->type->field_count) {
        frz_json_key(json, "fields");
        frz_json_open_array(json);
        for (size_t i = 0; i < field->type->field_count; i++)
            write_new(self, &field->type->fields[i]);
        frz_json_close_array(json);
    }
    frz_json_close_object(json);
}

static void write_names(follower *self, const frz_name_mapping *mapping, const frz_type *siblings,
                        const frz_field *field)
{
    bool has_name = false;
    frz_json_key(&self->json, "names");
    frz_json_open_array(&self->json);
    for (size_t i = 0; i < mapping->name_count; i++) {
        if (is_taken(self, siblings, mapping->names[i], mapping->field_id))
            continue;
        frz_json_string(&self->json, mapping->names[i]);
        has_name |= field && strcmp(mapping->names[i], field->name) == 0;
    }
    if (field && !has_name && is_renamed(self, field))
        frz_json_string(&self->json, field->name);
    frz_json_close_array(&self->json);
}

/* The mappings of one level, and the fields of `type` that it lacks; NULL: a field that is gone. */
static void write_level(follower *self, const frz_name_mapping *parent, const frz_type *type)
{
    frz_json_writer *json = &self->json;
    frz_json_open_array(json);
    for (size_t i = 0; i < parent->child_count; i++) {
        const frz_name_mapping *child = &parent->children[i];
        const frz_field *field =
            child->field_id < 0 ? NULL : frz_schema_find_id(self->after, child->field_id);
        frz_json_open_object(json);
        if (child->field_id >= 0) {
            frz_json_key(json, "field-id");
            frz_json_i64(json, child->field_id);
        }
        write_names(self, child, type, field);
        if (child->child_count || (field && field->type->field_count)) {
            frz_json_key(json, "fields");
            write_level(self, child, field ? field->type : NULL);
        }
        frz_json_close_object(json);
    }
    for (size_t i = 0; type && i < type->field_count; i++)
        if (is_new(self, &type->fields[i]))
            write_new(self, &type->fields[i]);
    frz_json_close_array(json);
}

frz_status frz_name_mapping_follow(const frz_name_mapping *root, const frz_schema *before,
                                   const frz_schema *after, frz_buffer *out, frz_error **err)
{
    follower self = {.before = before, .after = after, .json = frz_json_writer_to(out, 0)};
    write_level(&self, root, frz_schema_type(after));
    return frz_buffer_check(out, err);
}
