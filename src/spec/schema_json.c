/*
 * Schemas in JSON (spec Appendix C, "Schemas"). Members may come in any order: a default may stand
 * before the type that tells how to read it.
 */
#include <string.h>

#include "base/fail.h"
#include "spec/json_list.h"
#include "spec/schema_build.h"

/* What an object that is a type may hold; `seen` bits tell which members it did. */
typedef struct type_members {
    frz_slice word;
    const frz_field *fields;
    size_t field_count;
    frz_field inner[2]; /* element, or key and value */
    int32_t schema_id;
    const int32_t *identifier_ids;
    size_t identifier_count;
    unsigned seen;
} type_members;

enum {
    SEEN_TYPE = 1,
    SEEN_FIELDS = 2,
    SEEN_ELEMENT_ID = 4,
    SEEN_ELEMENT = 8,
    SEEN_ELEMENT_REQUIRED = 16,
    SEEN_KEY_ID = 32,
    SEEN_KEY = 64,
    SEEN_VALUE_ID = 128,
    SEEN_VALUE = 256,
    SEEN_VALUE_REQUIRED = 512,
    SEEN_LIST = SEEN_ELEMENT_ID | SEEN_ELEMENT | SEEN_ELEMENT_REQUIRED,
    SEEN_MAP = SEEN_KEY_ID | SEEN_KEY | SEEN_VALUE_ID | SEEN_VALUE | SEEN_VALUE_REQUIRED
};

enum { SEEN_ID = 1, SEEN_NAME = 2, SEEN_REQUIRED = 4, SEEN_FIELD_TYPE = 8, SEEN_FIELD = 15 };

static frz_status read_type(frz_json_reader *json, frz_arena *arena, const frz_type **out,
                            frz_error **err);

static frz_status read_text(frz_json_reader *json, frz_arena *arena, const char **out,
                            frz_error **err)
{
    frz_slice text = {0};
    const size_t offset = frz_json_value_offset(json);
    FRZ_TRY(frz_json_read_string(json, &text, err));
    if (text.size && memchr(text.data, 0, text.size))
        return frz_fail(err, FRZ_CORRUPT, offset, "schema: a name or doc with a zero byte");
    const char *copy = frz_arena_text_n(arena, text.data, text.size);
    if (!copy)
        return frz_fail_memory(err);
    *out = copy;
    return FRZ_OK;
}

/* A default whose reader was kept at its value; a null default is the same as none. */
static frz_status read_default(frz_json_reader kept, const frz_type *type, frz_arena *arena,
                               const frz_value **out, frz_error **err)
{
    if (kept.text.size == 0)
        return FRZ_OK;
    frz_value *value = frz_arena_alloc(arena, sizeof *value);
    if (!value)
        return frz_fail_memory(err);
    FRZ_TRY(frz_value_read_json(&kept, type, arena, value, err));
    if (value->form != FRZ_VALUE_NULL)
        *out = value;
    return FRZ_OK;
}

static frz_status read_doc(frz_json_reader *json, frz_arena *arena, const char **out,
                           frz_error **err)
{
    bool is_null = false;
    FRZ_TRY(frz_json_read_null(json, &is_null, err));
    return is_null ? FRZ_OK : read_text(json, arena, out, err);
}

typedef struct field_members {
    frz_field field;
    frz_json_reader initial; /* at the value; empty text when absent */
    frz_json_reader write;
    unsigned seen;
} field_members;

static frz_status read_field_member(frz_json_reader *json, frz_slice key, frz_arena *arena,
                                    field_members *members, frz_error **err)
{
    frz_field *field = &members->field;
    if (frz_slice_is_text(key, "id")) {
        members->seen |= SEEN_ID;
        return frz_json_read_i32(json, &field->id, err);
    }
    if (frz_slice_is_text(key, "name")) {
        members->seen |= SEEN_NAME;
        return read_text(json, arena, &field->name, err);
    }
    if (frz_slice_is_text(key, "required")) {
        members->seen |= SEEN_REQUIRED;
        return frz_json_read_bool(json, &field->required, err);
    }
    if (frz_slice_is_text(key, "type")) {
        members->seen |= SEEN_FIELD_TYPE;
        return read_type(json, arena, &field->type, err);
    }
    if (frz_slice_is_text(key, "doc"))
        return read_doc(json, arena, &field->doc, err);
    if (frz_slice_is_text(key, "initial-default"))
        members->initial = *json;
    else if (frz_slice_is_text(key, "write-default"))
        members->write = *json;
    return frz_json_skip(json, err);
}

static frz_status read_field(frz_json_reader *json, const frz_json_list *list, void *item,
                             frz_error **err)
{
    frz_arena *arena = list->arena;
    field_members members = {0};
    frz_slice key = {0};
    bool more = false;
    const size_t offset = frz_json_value_offset(json);
    FRZ_TRY(frz_json_enter_object(json, err));
    for (;;) {
        FRZ_TRY(frz_json_next_key(json, &key, &more, err));
        if (!more)
            break;
        FRZ_TRY(read_field_member(json, key, arena, &members, err));
    }
    if (members.seen != SEEN_FIELD)
        return frz_fail(err, FRZ_CORRUPT, offset,
                        "schema field: expected the members id, name, required and type");
    const frz_type *type = members.field.type;
    frz_status status =
        read_default(members.initial, type, arena, &members.field.initial_default, err);
    if (status == FRZ_OK)
        status = read_default(members.write, type, arena, &members.field.write_default, err);
    if (status != FRZ_OK)
        return frz_context(err, status, "default of column %.200s", members.field.name);
    memcpy(item, &members.field, sizeof members.field);
    return FRZ_OK;
}

static frz_status read_fields(frz_json_reader *json, frz_arena *arena, type_members *members,
                              frz_error **err)
{
    const frz_json_list list = {.arena = arena, .item_size = sizeof(frz_field), .read = read_field};
    frz_list fields = {0};
    FRZ_TRY(frz_json_list_read(json, &list, &fields, err));
    members->fields = fields.items;
    members->field_count = fields.count;
    return FRZ_OK;
}

static frz_status read_identifier_ids(frz_json_reader *json, frz_arena *arena,
                                      type_members *members, frz_error **err)
{
    frz_list ids = {0};
    bool is_null = false;
    FRZ_TRY(frz_json_read_null(json, &is_null, err));
    if (!is_null)
        FRZ_TRY(frz_json_list_read_ids(json, arena, &ids, err));
    members->identifier_ids = ids.items;
    members->identifier_count = ids.count;
    return FRZ_OK;
}

/* The members of lists and maps, each with the part of `inner` that it fills. */
static const struct inner_member {
    const char *key;
    size_t index;
    unsigned seen;
    enum { INNER_ID, INNER_TYPE, INNER_REQUIRED } part;
} inner_members[] = {
    {"element-id", 0, SEEN_ELEMENT_ID, INNER_ID},
    {"element", 0, SEEN_ELEMENT, INNER_TYPE},
    {"element-required", 0, SEEN_ELEMENT_REQUIRED, INNER_REQUIRED},
    {"key-id", 0, SEEN_KEY_ID, INNER_ID},
    {"key", 0, SEEN_KEY, INNER_TYPE},
    {"value-id", 1, SEEN_VALUE_ID, INNER_ID},
    {"value", 1, SEEN_VALUE, INNER_TYPE},
    {"value-required", 1, SEEN_VALUE_REQUIRED, INNER_REQUIRED},
};

static frz_status read_inner_member(frz_json_reader *json, frz_slice key, frz_arena *arena,
                                    type_members *members, frz_error **err)
{
    for (size_t i = 0; i < sizeof inner_members / sizeof inner_members[0]; i++) {
        const struct inner_member *member = &inner_members[i];
        if (!frz_slice_is_text(key, member->key))
            continue;
        frz_field *field = &members->inner[member->index];
        members->seen |= member->seen;
        if (member->part == INNER_ID)
            return frz_json_read_i32(json, &field->id, err);
        if (member->part == INNER_TYPE)
            return read_type(json, arena, &field->type, err);
        return frz_json_read_bool(json, &field->required, err);
    }
    return frz_json_skip(json, err);
}

/* `whole` tells a schema from a struct inside of it, where the schema's own members mean nothing.
 */
static frz_status read_type_member(frz_json_reader *json, frz_slice key, frz_arena *arena,
                                   bool whole, type_members *members, frz_error **err)
{
    if (frz_slice_is_text(key, "type")) {
        members->seen |= SEEN_TYPE;
        return frz_json_read_string(json, &members->word, err);
    }
    if (frz_slice_is_text(key, "fields")) {
        members->seen |= SEEN_FIELDS;
        return read_fields(json, arena, members, err);
    }
    if (whole && frz_slice_is_text(key, "schema-id"))
        return frz_json_read_i32(json, &members->schema_id, err);
    if (whole && frz_slice_is_text(key, "identifier-field-ids"))
        return read_identifier_ids(json, arena, members, err);
    return read_inner_member(json, key, arena, members, err);
}

static frz_status read_members(frz_json_reader *json, frz_arena *arena, bool whole,
                               type_members *members, frz_error **err)
{
    frz_slice key = {0};
    bool more = false;
    FRZ_TRY(frz_json_enter_object(json, err));
    for (;;) {
        FRZ_TRY(frz_json_next_key(json, &key, &more, err));
        if (!more)
            return FRZ_OK;
        FRZ_TRY(read_type_member(json, key, arena, whole, members, err));
    }
}

static frz_status make_inner(type_members *members, frz_arena *arena, frz_type *type,
                             frz_error **err)
{
    const bool map = type->kind == FRZ_TYPE_MAP;
    type->field_count = map ? 2 : 1;
    frz_field *fields = frz_arena_array(arena, type->field_count, sizeof *fields);
    if (!fields)
        return frz_fail_memory(err);
    members->inner[0].name = map ? "key" : "element";
    members->inner[1].name = "value";
    if (map)
        members->inner[0].required = true;
    memcpy(fields, members->inner, type->field_count * sizeof *fields);
    type->fields = fields;
    return FRZ_OK;
}

static frz_status make_nested(size_t offset, type_members *members, frz_arena *arena,
                              const frz_type **out, frz_error **err)
{
    frz_type *type = frz_arena_alloc(arena, sizeof *type);
    if (!type)
        return frz_fail_memory(err);
    *out = type;
    if (frz_slice_is_text(members->word, "struct") && (members->seen & SEEN_FIELDS)) {
        *type = (frz_type){.kind = FRZ_TYPE_STRUCT,
                           .fields = members->fields,
                           .field_count = members->field_count};
        return FRZ_OK;
    }
    if (frz_slice_is_text(members->word, "list") && (members->seen & SEEN_LIST) == SEEN_LIST) {
        type->kind = FRZ_TYPE_LIST;
        return make_inner(members, arena, type, err);
    }
    if (frz_slice_is_text(members->word, "map") && (members->seen & SEEN_MAP) == SEEN_MAP) {
        type->kind = FRZ_TYPE_MAP;
        return make_inner(members, arena, type, err);
    }
    return frz_fail(err, FRZ_CORRUPT, offset,
                    "schema: expected a struct, list or map type with all of its members");
}

static frz_status read_type_text(frz_json_reader *json, frz_arena *arena, const frz_type **out,
                                 frz_error **err)
{
    frz_slice text = {0};
    frz_error *reason = NULL;
    const size_t offset = frz_json_value_offset(json);
    FRZ_TRY(frz_json_read_string(json, &text, err));
    const frz_status status = frz_type_parse(text, arena, out, &reason);
    if (status == FRZ_NO_MEMORY)
        (void)frz_fail_memory(err);
    else if (status != FRZ_OK)
        (void)frz_fail(err, status, offset, "schema: %s", frz_error_message(reason));
    frz_error_free(reason);
    return status;
}

static frz_status read_type(frz_json_reader *json, frz_arena *arena, const frz_type **out,
                            frz_error **err)
{
    frz_json_kind kind = FRZ_JSON_NULL;
    FRZ_TRY(frz_json_peek(json, &kind, err));
    if (kind == FRZ_JSON_STRING)
        return read_type_text(json, arena, out, err);
    type_members members = {0};
    const size_t offset = frz_json_value_offset(json);
    FRZ_TRY(read_members(json, arena, false, &members, err));
    return make_nested(offset, &members, arena, out, err);
}

frz_status frz_schema_read_json(frz_json_reader *json, frz_schema **out, frz_error **err)
{
    frz_arena arena = {.budget = frz_limits_default.parse_budget};
    type_members members = {0};
    frz_json_kind kind = FRZ_JSON_NULL;
    frz_status status = FRZ_OK;
    FRZ_TRY(frz_json_peek(json, &kind, err));
    const size_t offset = json->pos;
    FRZ_TRY_DONE(read_members(json, &arena, true, &members, err));
    if (!frz_slice_is_text(members.word, "struct") || !(members.seen & SEEN_FIELDS)) {
        status = frz_fail(err, FRZ_CORRUPT, offset,
                          "schema: expected the type \"struct\" and its fields");
        goto done;
    }
    const frz_schema_parts parts = {.schema_id = members.schema_id,
                                    .fields = members.fields,
                                    .field_count = members.field_count,
                                    .identifier_ids = members.identifier_ids,
                                    .identifier_count = members.identifier_count,
                                    .foreign = true};
    status = frz_schema_build(&parts, &arena, out, err);
done:
    frz_arena_clear(&arena);
    return status;
}

static void write_type(const frz_type *type, frz_json_writer *json);

static void write_fields(const frz_type *type, frz_json_writer *json)
{
    frz_json_key(json, "fields");
    frz_json_open_array(json);
    for (size_t i = 0; i < type->field_count; i++) {
        const frz_field *field = &type->fields[i];
        frz_json_open_object(json);
        frz_json_key(json, "id");
        frz_json_i64(json, field->id);
        frz_json_key(json, "name");
        frz_json_string(json, field->name);
        frz_json_key(json, "required");
        frz_json_bool(json, field->required);
        frz_json_key(json, "type");
        write_type(field->type, json);
        if (field->doc) {
            frz_json_key(json, "doc");
            frz_json_string(json, field->doc);
        }
        if (field->initial_default) {
            frz_json_key(json, "initial-default");
            frz_value_write_json(field->type, field->initial_default, json);
        }
        if (field->write_default) {
            frz_json_key(json, "write-default");
            frz_value_write_json(field->type, field->write_default, json);
        }
        frz_json_close_object(json);
    }
    frz_json_close_array(json);
}

static void write_member(const frz_type *type, size_t index, bool with_required,
                         frz_json_writer *json)
{
    static const char *const keys[3][3] = {{"element-id", "element", "element-required"},
                                           {"key-id", "key", NULL},
                                           {"value-id", "value", "value-required"}};
    const char *const *key = keys[type->kind == FRZ_TYPE_LIST ? 0 : 1 + index];
    const frz_field *field = &type->fields[index];
    frz_json_key(json, key[0]);
    frz_json_i64(json, field->id);
    frz_json_key(json, key[1]);
    write_type(field->type, json);
    if (with_required) {
        frz_json_key(json, key[2]);
        frz_json_bool(json, field->required);
    }
}

static void write_primitive(const frz_type *type, frz_json_writer *json)
{
    frz_buffer text = {0};
    frz_type_print(type, &text);
    json->out->failed |= text.failed;
    frz_json_string_slice(json, frz_buffer_slice(&text));
    frz_buffer_clear(&text);
}

static void write_type(const frz_type *type, frz_json_writer *json)
{
    if (type->kind < FRZ_TYPE_STRUCT) {
        write_primitive(type, json);
        return;
    }
    frz_json_open_object(json);
    frz_json_key(json, "type");
    frz_json_string(json, frz_type_word(type->kind));
    if (type->kind == FRZ_TYPE_STRUCT) {
        write_fields(type, json);
    } else if (type->kind == FRZ_TYPE_LIST) {
        write_member(type, 0, true, json);
    } else {
        write_member(type, 0, false, json);
        write_member(type, 1, true, json);
    }
    frz_json_close_object(json);
}

void frz_schema_write_json(const frz_schema *schema, frz_json_writer *json)
{
    size_t count = 0;
    const int32_t *ids = frz_schema_identifier_ids(schema, &count);
    frz_json_open_object(json);
    frz_json_key(json, "type");
    frz_json_string(json, "struct");
    frz_json_key(json, "schema-id");
    frz_json_i64(json, frz_schema_id(schema));
    if (count) {
        frz_json_key(json, "identifier-field-ids");
        frz_json_list_write_ids(ids, count, json);
    }
    write_fields(frz_schema_type(schema), json);
    frz_json_close_object(json);
}
