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

static frz_status read_member(frz_json_reader *json, frz_slice key, frz_arena *arena,
                              frz_partition_field *field, frz_transform_members *source,
                              frz_error **err)
{
    if (frz_slice_is_text(key, "name")) {
        const char *name = NULL;
        FRZ_TRY(frz_json_read_text(json, &name, err));
        field->name = frz_arena_text(arena, name);
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
    return frz_transform_members_read(json, key, arena, source, err);
}

static frz_status read_field(frz_json_reader *json, const frz_json_list *list, void *item,
                             frz_error **err)
{
    frz_partition_field *out = item;
    frz_partition_field field = {.field_id = NO_FIELD_ID};
    frz_transform_members source = {0};
    frz_slice key = {0};
    bool more = false;
    const size_t offset = frz_json_value_offset(json);
    FRZ_TRY(frz_json_enter_object(json, err));
    for (;;) {
        FRZ_TRY(frz_json_next_key(json, &key, &more, err));
        if (!more)
            break;
        FRZ_TRY(read_member(json, key, list->arena, &field, &source, err));
    }
    if (!field.name || !source.has_transform || source.source_count == 0)
        return frz_fail(err, FRZ_CORRUPT, offset,
                        "partition field: expected the members name, transform and source-id or "
                        "source-ids");
    field.transform = source.transform;
    field.source_ids = source.source_ids;
    field.source_count = source.source_count;
    *out = field;
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
    bool spec_id;
    bool fields;
} spec_members;

static frz_status read_spec_member(frz_json_reader *json, frz_slice key, frz_arena *arena,
                                   frz_partition_spec *spec, spec_members *seen, frz_error **err)
{
    if (frz_slice_is_text(key, "spec-id")) {
        seen->spec_id = true;
        return frz_json_read_i32(json, &spec->spec_id, err);
    }
    if (frz_slice_is_text(key, "fields")) {
        seen->fields = true;
        return frz_partition_fields_read_json(json, arena, spec, err);
    }
    return frz_json_skip(json, err);
}

frz_status frz_partition_spec_read_json(frz_json_reader *json, frz_arena *arena,
                                        frz_partition_spec *out, frz_error **err)
{
    frz_partition_spec spec = {0};
    spec_members seen = {0};
    frz_slice key = {0};
    bool more = false;
    const size_t offset = frz_json_value_offset(json);
    FRZ_TRY(frz_json_enter_object(json, err));
    for (;;) {
        FRZ_TRY(frz_json_next_key(json, &key, &more, err));
        if (!more)
            break;
        FRZ_TRY(read_spec_member(json, key, arena, &spec, &seen, err));
    }
    if (!seen.spec_id || !seen.fields)
        return frz_fail(err, FRZ_CORRUPT, offset,
                        "partition spec: expected the members spec-id and fields");
    *out = spec;
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
