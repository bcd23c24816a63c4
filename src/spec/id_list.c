#include "spec/id_list.h"

#include <string.h>

#include "base/fail.h"
#include "base/mem.h"

frz_status frz_id_list_read_json(frz_json_reader *json, frz_arena *arena, const int32_t **ids_out,
                                 size_t *count_out, frz_error **err)
{
    int32_t *ids = NULL;
    size_t count = 0;
    size_t capacity = 0;
    bool more = false;
    frz_status status = FRZ_OK;
    FRZ_TRY_DONE(frz_json_enter_array(json, err));
    for (;;) {
        FRZ_TRY_DONE(frz_json_next_item(json, &more, err));
        if (!more)
            break;
        if (!frz_grow_array((void **)&ids, &capacity, count, sizeof *ids)) {
            status = frz_fail_memory(err);
            goto done;
        }
        FRZ_TRY_DONE(frz_json_read_i32(json, &ids[count], err));
        count++;
    }
    int32_t *kept = frz_arena_array(arena, count, sizeof *kept);
    if (!kept) {
        status = frz_fail_memory(err);
        goto done;
    }
    if (count)
        memcpy(kept, ids, count * sizeof *kept);
    *ids_out = kept;
    *count_out = count;
done:
    frz_free(ids);
    return status;
}

void frz_id_list_write_json(const int32_t *ids, size_t count, frz_json_writer *json)
{
    frz_json_open_array(json);
    for (size_t i = 0; i < count; i++)
        frz_json_i64(json, ids[i]);
    frz_json_close_array(json);
}
