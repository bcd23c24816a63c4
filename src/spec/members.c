#include "spec/members.h"

#include "base/fail.h"

frz_status frz_member_i64(frz_json_reader *json, int64_t *out, frz_error **err)
{
    bool null = false;
    FRZ_TRY(frz_json_read_null(json, &null, err));
    return null ? FRZ_OK : frz_json_read_i64(json, out, err);
}

frz_status frz_member_i32(frz_json_reader *json, int32_t *out, frz_error **err)
{
    bool null = false;
    FRZ_TRY(frz_json_read_null(json, &null, err));
    return null ? FRZ_OK : frz_json_read_i32(json, out, err);
}

frz_status frz_member_text(frz_json_reader *json, const char **out, frz_error **err)
{
    bool null = false;
    FRZ_TRY(frz_json_read_null(json, &null, err));
    return null ? FRZ_OK : frz_json_read_text(json, out, err);
}

/* A string, or the text of a number or boolean. */
static frz_status read_scalar(frz_json_reader *json, const char **out, frz_error **err)
{
    frz_json_kind kind = FRZ_JSON_NULL;
    FRZ_TRY(frz_json_peek(json, &kind, err));
    if (kind != FRZ_JSON_NUMBER && kind != FRZ_JSON_BOOL)
        return frz_json_read_text(json, out, err);
    frz_slice raw = {0};
    FRZ_TRY(frz_json_read_raw(json, &raw, err));
    *out = frz_arena_text_n(json->arena, raw.data, raw.size);
    return *out ? FRZ_OK : frz_fail_memory(err);
}

static frz_status read_property(frz_json_reader *json, frz_slice key, void *list, frz_error **err)
{
    const uint64_t at = json->pos;
    bool null = false;
    FRZ_TRY(frz_json_read_null(json, &null, err));
    if (null)
        return FRZ_OK;
    const char *name = frz_arena_text_n(json->arena, key.data, key.size);
    if (!name)
        return frz_fail_memory(err);
    if (key.size && memchr(key.data, 0, key.size))
        return frz_fail(err, FRZ_CORRUPT, at, "a key of a string map holds a NUL");
    const char *value = NULL;
    FRZ_TRY(read_scalar(json, &value, err));
    frz_property *property = frz_list_add(list, json->arena, sizeof *property);
    if (!property)
        return frz_fail_memory(err);
    *property = (frz_property){.key = name, .value = value};
    return FRZ_OK;
}

frz_status frz_member_properties(frz_json_reader *json, frz_list *list, frz_error **err)
{
    bool null = false;
    FRZ_TRY(frz_json_read_null(json, &null, err));
    return null ? FRZ_OK : frz_json_read_members(json, read_property, list, err);
}

frz_status frz_member_raw(frz_json_reader *json, frz_json_kind kind, frz_slice *out,
                          frz_error **err)
{
    bool null = false;
    FRZ_TRY(frz_json_read_null(json, &null, err));
    if (null)
        return FRZ_OK;
    const uint64_t at = json->pos;
    frz_json_kind found = FRZ_JSON_NULL;
    frz_slice raw = {0};
    FRZ_TRY(frz_json_peek(json, &found, err));
    if (found != kind)
        return frz_fail(err, FRZ_CORRUPT, at, "expected %s",
                        kind == FRZ_JSON_ARRAY ? "an array" : "an object");
    FRZ_TRY(frz_json_read_raw(json, &raw, err));
    return frz_arena_slice(json->arena, raw, out) ? FRZ_OK : frz_fail_memory(err);
}

frz_status frz_unknown_members_keep(frz_unknown_members *members, frz_json_reader *json,
                                    frz_slice key, frz_error **err)
{
    frz_slice raw = {0};
    FRZ_TRY(frz_json_read_raw(json, &raw, err));
    if (!members->json.out) {
        members->json = frz_json_writer_to(&members->text, 0);
        frz_json_open_object(&members->json);
    }
    frz_json_key_slice(&members->json, key);
    frz_json_raw(&members->json, raw);
    return frz_buffer_check(&members->text, err);
}

frz_status frz_unknown_members_finish(frz_unknown_members *members, frz_arena *arena,
                                      frz_slice *out, frz_error **err)
{
    const size_t opening = 1; /* the brace */
    if (members->text.size <= opening)
        return FRZ_OK;
    const frz_slice text = frz_slice_of(members->text.data + opening, members->text.size - opening);
    return frz_arena_slice(arena, text, out) ? FRZ_OK : frz_fail_memory(err);
}

void frz_unknown_members_write(frz_slice members, frz_json_writer *json)
{
    if (members.size == 0)
        return;
    if (json->need_comma)
        frz_buffer_append_byte(json->out, ',');
    frz_buffer_append(json->out, members.data, members.size);
    json->need_comma = true;
}
