#include "spec/transform_json.h"

#include "base/fail.h"
#include "spec/json_list.h"

static frz_status read_transform(frz_json_reader *json, frz_arena *arena, frz_transform *out,
                                 frz_error **err)
{
    const char *text = NULL;
    frz_error *reason = NULL;
    const size_t offset = frz_json_value_offset(json);
    FRZ_TRY(frz_json_read_text(json, &text, err));
    const frz_status status = frz_transform_parse(frz_slice_of_text(text), arena, out, &reason);
    if (status == FRZ_NO_MEMORY)
        (void)frz_fail_memory(err);
    else if (status != FRZ_OK)
        (void)frz_fail(err, status, offset, "%s", frz_error_message(reason));
    frz_error_free(reason);
    return status;
}

static frz_status read_source_id(frz_json_reader *json, frz_arena *arena,
                                 frz_transform_members *members, frz_error **err)
{
    int32_t id = 0;
    FRZ_TRY(frz_json_read_i32(json, &id, err));
    if (members->source_count > 0)
        return FRZ_OK;
    int32_t *ids = frz_arena_alloc(arena, sizeof *ids);
    if (!ids)
        return frz_fail_memory(err);
    *ids = id;
    members->source_ids = ids;
    members->source_count = 1;
    return FRZ_OK;
}

static frz_status read_source_ids(frz_json_reader *json, frz_arena *arena,
                                  frz_transform_members *members, frz_error **err)
{
    frz_list ids = {0};
    const size_t offset = frz_json_value_offset(json);
    FRZ_TRY(frz_json_list_read_ids(json, arena, &ids, err));
    members->source_ids = ids.items;
    members->source_count = ids.count;
    return members->source_count > 0
               ? FRZ_OK
               : frz_fail(err, FRZ_CORRUPT, offset, "source-ids: expected at least one id");
}

frz_status frz_transform_members_read(frz_json_reader *json, frz_slice key, frz_arena *arena,
                                      frz_transform_members *members, frz_error **err)
{
    if (frz_slice_is_text(key, "transform")) {
        members->has_transform = true;
        return read_transform(json, arena, &members->transform, err);
    }
    if (frz_slice_is_text(key, "source-id"))
        return read_source_id(json, arena, members, err);
    if (frz_slice_is_text(key, "source-ids"))
        return read_source_ids(json, arena, members, err);
    return frz_json_skip(json, err);
}

void frz_transform_members_write(const frz_transform *transform, const int32_t *source_ids,
                                 size_t source_count, frz_json_writer *json)
{
    frz_json_key(json, "transform");
    frz_json_string(json, transform->text);
    frz_json_key(json, source_count == 1 ? "source-id" : "source-ids");
    if (source_count == 1)
        frz_json_i64(json, source_ids[0]);
    else
        frz_json_list_write_ids(source_ids, source_count, json);
}
