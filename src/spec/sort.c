#include "spec/sort.h"

#include <string.h>

#include "base/fail.h"
#include "spec/json_list.h"
#include "spec/transform_json.h"

/* One of two words of any case: which one, or FRZ_CORRUPT. */
static frz_status read_word(frz_json_reader *json, const char *const words[2], bool *second_out,
                            frz_error **err)
{
    frz_slice text = {0};
    const size_t offset = frz_json_value_offset(json);
    FRZ_TRY(frz_json_read_string(json, &text, err));
    for (size_t i = 0; i < 2; i++) {
        size_t at = 0;
        while (at < text.size && words[i][at] && (text.data[at] | 0x20) == (words[i][at] | 0x20))
            at++;
        if (at == text.size && !words[i][at]) {
            *second_out = i == 1;
            return FRZ_OK;
        }
    }
    return frz_fail(err, FRZ_CORRUPT, offset, "sort field: expected \"%s\" or \"%s\", got \"%.*s\"",
                    words[0], words[1], (int)(text.size > 80 ? 80 : text.size),
                    (const char *)text.data);
}

typedef struct field_members {
    frz_arena *arena;
    frz_sort_field field;
    frz_transform_members source;
    bool has_direction;
    bool has_null_order;
} field_members;

static frz_status read_member(frz_json_reader *json, frz_slice key, void *context, frz_error **err)
{
    field_members *members = context;
    static const char *const directions[2] = {"asc", "desc"};
    static const char *const null_orders[2] = {"nulls-first", "nulls-last"};
    if (frz_slice_is_text(key, "direction")) {
        members->has_direction = true;
        return read_word(json, directions, &members->field.descending, err);
    }
    if (frz_slice_is_text(key, "null-order")) {
        members->has_null_order = true;
        return read_word(json, null_orders, &members->field.nulls_last, err);
    }
    return frz_transform_members_read(json, key, members->arena, &members->source, err);
}

static frz_status read_field(frz_json_reader *json, const frz_json_list *list, void *item,
                             frz_error **err)
{
    field_members members = {.arena = list->arena};
    const size_t offset = frz_json_value_offset(json);
    FRZ_TRY(frz_json_read_members(json, read_member, &members, err));
    if (!members.has_direction || !members.has_null_order || !members.source.has_transform ||
        members.source.source_count == 0)
        return frz_fail(err, FRZ_CORRUPT, offset,
                        "sort field: expected the members transform, direction, null-order and "
                        "source-id or source-ids");
    members.field.transform = members.source.transform;
    members.field.source_ids = members.source.source_ids;
    members.field.source_count = members.source.source_count;
    memcpy(item, &members.field, sizeof members.field);
    return FRZ_OK;
}

static frz_status read_fields(frz_json_reader *json, frz_arena *arena, frz_sort_order *out,
                              frz_error **err)
{
    const frz_json_list list = {
        .arena = arena, .item_size = sizeof(frz_sort_field), .read = read_field};
    frz_list fields = {0};
    FRZ_TRY(frz_json_list_read(json, &list, &fields, err));
    out->fields = fields.items;
    out->field_count = fields.count;
    return FRZ_OK;
}

typedef struct order_members {
    frz_arena *arena;
    frz_sort_order order;
    bool has_id;
    bool has_fields;
} order_members;

static frz_status read_order_member(frz_json_reader *json, frz_slice key, void *context,
                                    frz_error **err)
{
    order_members *members = context;
    if (frz_slice_is_text(key, "order-id")) {
        members->has_id = true;
        return frz_json_read_i32(json, &members->order.order_id, err);
    }
    if (frz_slice_is_text(key, "fields")) {
        members->has_fields = true;
        return read_fields(json, members->arena, &members->order, err);
    }
    return frz_json_skip(json, err);
}

frz_status frz_sort_order_read_json(frz_json_reader *json, frz_arena *arena, frz_sort_order *out,
                                    frz_error **err)
{
    order_members members = {.arena = arena};
    const size_t offset = frz_json_value_offset(json);
    FRZ_TRY(frz_json_read_members(json, read_order_member, &members, err));
    if (!members.has_id || !members.has_fields)
        return frz_fail(err, FRZ_CORRUPT, offset,
                        "sort order: expected the members order-id and fields");
    *out = members.order;
    return FRZ_OK;
}

bool frz_sort_order_equivalent(const frz_sort_order *a, const frz_sort_order *b)
{
    if (a->field_count != b->field_count)
        return false;
    for (size_t i = 0; i < a->field_count; i++) {
        const frz_sort_field *x = &a->fields[i];
        const frz_sort_field *y = &b->fields[i];
        if (x->descending != y->descending || x->nulls_last != y->nulls_last ||
            x->source_count != y->source_count ||
            memcmp(x->source_ids, y->source_ids, x->source_count * sizeof *x->source_ids) != 0 ||
            !frz_transform_equal(&x->transform, &y->transform))
            return false;
    }
    return true;
}

void frz_sort_order_write_json(const frz_sort_order *order, frz_json_writer *json)
{
    frz_json_open_object(json);
    frz_json_key(json, "order-id");
    frz_json_i64(json, order->order_id);
    frz_json_key(json, "fields");
    frz_json_open_array(json);
    for (size_t i = 0; i < order->field_count; i++) {
        const frz_sort_field *field = &order->fields[i];
        frz_json_open_object(json);
        frz_transform_members_write(&field->transform, field->source_ids, field->source_count,
                                    json);
        frz_json_key(json, "direction");
        frz_json_string(json, field->descending ? "desc" : "asc");
        frz_json_key(json, "null-order");
        frz_json_string(json, field->nulls_last ? "nulls-last" : "nulls-first");
        frz_json_close_object(json);
    }
    frz_json_close_array(json);
    frz_json_close_object(json);
}
