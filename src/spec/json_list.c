#include "spec/json_list.h"

#include "base/fail.h"

size_t frz_json_value_offset(frz_json_reader *json)
{
    frz_json_kind kind = FRZ_JSON_NULL;
    const frz_status status = frz_json_peek(json, &kind, NULL);
    (void)status; /* what is no value is refused by who reads it */
    return json->pos;
}

frz_status frz_json_list_read(frz_json_reader *json, const frz_json_list *list, frz_list *out,
                              frz_error **err)
{
    bool more = false;
    FRZ_TRY(frz_json_enter_array(json, err));
    for (;;) {
        FRZ_TRY(frz_json_next_item(json, &more, err));
        if (!more)
            return FRZ_OK;
        void *item = frz_list_add(out, list->arena, list->item_size);
        if (!item)
            return frz_fail_memory(err);
        FRZ_TRY(list->read(json, list, item, err));
    }
}

static frz_status read_id(frz_json_reader *json, const frz_json_list *list, void *item,
                          frz_error **err)
{
    (void)list;
    return frz_json_read_i32(json, item, err);
}

frz_status frz_json_list_read_ids(frz_json_reader *json, frz_arena *arena, frz_list *out,
                                  frz_error **err)
{
    const frz_json_list list = {.arena = arena, .item_size = sizeof(int32_t), .read = read_id};
    return frz_json_list_read(json, &list, out, err);
}

void frz_json_list_write_ids(const int32_t *ids, size_t count, frz_json_writer *json)
{
    frz_json_open_array(json);
    for (size_t i = 0; i < count; i++)
        frz_json_i64(json, ids[i]);
    frz_json_close_array(json);
}
