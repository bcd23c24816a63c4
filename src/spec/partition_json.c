/*
 * Partition specs in JSON (spec Appendix C, "Partition Specs"), in all versions: V1 has no field
 * ids, V3 may have several source ids.
 */
#include "base/fail.h"
#include "base/map.h"
#include "spec/json_list.h"
#include "spec/partition.h"
#include "spec/transform_json.h"

enum { PARTITION_FIELD_ID_START = 1000, NO_FIELD_ID = -1 };

typedef struct field_members {
    frz_arena *arena;
    frz_partition_field field;
    frz_transform_members source;
} field_members;

static frz_status read_member(frz_json_reader *json, frz_slice key, void *context, frz_error **err)
{
    field_members *members = context;
    frz_partition_field *field = &members->field;
    if (frz_slice_is_text(key, "name")) {
        const char *name = NULL;
        FRZ_TRY(frz_json_read_text(json, &name, err));
        field->name = frz_arena_text(members->arena, name);
        return field->name ? FRZ_OK : frz_fail_memory(err);
    }
    if (frz_slice_is_text(key, "field-id")) {
        const size_t offset = frz_json_value_offset(json);
        FRZ_TRY(frz_json_read_i32(json, &field->field_id, err));
        return field->field_id >= 0
                   ? FRZ_OK
                   : frz_fail(err, FRZ_CORRUPT, offset, "partition field id %d is negative",
                              field->field_id);
    }
    return frz_transform_members_read(json, key, members->arena, &members->source, err);
}

static frz_status read_field(frz_json_reader *json, const frz_json_list *list, void *item,
                             frz_error **err)
{
    field_members members = {.arena = list->arena, .field = {.field_id = NO_FIELD_ID}};
    const size_t offset = frz_json_value_offset(json);
    FRZ_TRY(frz_json_read_members(json, read_member, &members, err));
    if (!members.field.name || !members.source.has_transform || members.source.source_count == 0)
        return frz_fail(err, FRZ_CORRUPT, offset,
                        "partition field: expected the members name, transform and source-id or "
                        "source-ids");
    members.field.transform = members.source.transform;
    members.field.source_ids = members.source.source_ids;
    members.field.source_count = members.source.source_count;
    *(frz_partition_field *)item = members.field;
    return FRZ_OK;
}

/* "Partition Evolution": V1 did not track ids; Java gives them in order from 1000. */
static frz_status settle_ids(size_t offset, frz_partition_field *fields, size_t count,
                             frz_error **err)
{
    size_t missing = 0;
    for (size_t i = 0; i < count; i++)
        missing += fields[i].field_id == NO_FIELD_ID;
    if (missing != 0 && missing != count)
        return frz_fail(err, FRZ_CORRUPT, offset,
                        "partition spec: %zu of %zu fields have no field-id", missing, count);
    for (size_t i = 0; i < missing; i++)
        fields[i].field_id = PARTITION_FIELD_ID_START + (int32_t)i;
    return FRZ_OK;
}

static frz_status check_ids_differ(size_t offset, const frz_partition_field *fields, size_t count,
                                   frz_error **err)
{
    frz_map seen = {0};
    frz_status status = FRZ_OK;
    for (size_t i = 0; i < count && status == FRZ_OK; i++) {
        const int32_t id = fields[i].field_id;
        const frz_map_value *other = frz_map_find_i64(&seen, id);
        if (other)
            status = frz_fail(err, FRZ_CORRUPT, offset,
                              "partition spec: field id %d of both %.200s and %.200s", id,
                              fields[other->number].name, fields[i].name);
        else if (!frz_map_put_i64(&seen, id, (frz_map_value){.number = (int64_t)i}))
            status = frz_fail_memory(err);
    }
    frz_map_clear(&seen);
    return status;
}

frz_status frz_partition_fields_read_json(frz_json_reader *json, frz_arena *arena,
                                          frz_partition_spec *out, frz_error **err)
{
    const frz_json_list list = {
        .arena = arena, .item_size = sizeof(frz_partition_field), .read = read_field};
    frz_list fields = {0};
    const size_t offset = frz_json_value_offset(json);
    FRZ_TRY(frz_json_list_read(json, &list, &fields, err));
    FRZ_TRY(settle_ids(offset, fields.items, fields.count, err));
    FRZ_TRY(check_ids_differ(offset, fields.items, fields.count, err));
    out->fields = fields.items;
    out->field_count = fields.count;
    return FRZ_OK;
}

typedef struct spec_members {
    frz_arena *arena;
    frz_partition_spec spec;
    bool has_id;
    bool has_fields;
} spec_members;

static frz_status read_spec_member(frz_json_reader *json, frz_slice key, void *context,
                                   frz_error **err)
{
    spec_members *members = context;
    if (frz_slice_is_text(key, "spec-id")) {
        members->has_id = true;
        return frz_json_read_i32(json, &members->spec.spec_id, err);
    }
    if (frz_slice_is_text(key, "fields")) {
        members->has_fields = true;
        return frz_partition_fields_read_json(json, members->arena, &members->spec, err);
    }
    return frz_json_skip(json, err);
}

frz_status frz_partition_spec_read_json(frz_json_reader *json, frz_arena *arena,
                                        frz_partition_spec *out, frz_error **err)
{
    spec_members members = {.arena = arena};
    const size_t offset = frz_json_value_offset(json);
    FRZ_TRY(frz_json_read_members(json, read_spec_member, &members, err));
    if (!members.has_id || !members.has_fields)
        return frz_fail(err, FRZ_CORRUPT, offset,
                        "partition spec: expected the members spec-id and fields");
    *out = members.spec;
    return FRZ_OK;
}

void frz_partition_fields_write_json(const frz_partition_spec *spec, frz_json_writer *json)
{
    frz_json_open_array(json);
    for (size_t i = 0; i < spec->field_count; i++) {
        const frz_partition_field *field = &spec->fields[i];
        frz_json_open_object(json);
        frz_json_key(json, "name");
        frz_json_string(json, field->name);
        frz_transform_members_write(&field->transform, field->source_ids, field->source_count,
                                    json);
        frz_json_key(json, "field-id");
        frz_json_i64(json, field->field_id);
        frz_json_close_object(json);
    }
    frz_json_close_array(json);
}

void frz_partition_spec_write_json(const frz_partition_spec *spec, frz_json_writer *json)
{
    frz_json_open_object(json);
    frz_json_key(json, "spec-id");
    frz_json_i64(json, spec->spec_id);
    frz_json_key(json, "fields");
    frz_partition_fields_write_json(spec, json);
    frz_json_close_object(json);
}
