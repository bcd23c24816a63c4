#include "spec/printed.h"

#include <string.h>

#include "base/fail.h"

frz_slice frz_printed_text(const frz_printed *printed)
{
    return frz_slice_of(frz_tape_bytes(printed->tape), printed->size);
}

frz_status frz_printed_complete(frz_printed *printed, const void *list, size_t count,
                                frz_printed_write write, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_buffer text = {0};
    frz_json_writer json = frz_json_writer_to(&text, 0);
    if (printed->count == count)
        return FRZ_OK;
    frz_json_open_array(&json);
    write(list, printed->count, count, &json);
    FRZ_TRY_DONE(frz_buffer_check(&text, err));
    if (printed->count > 0)
        text.data[0] = ','; /* the items go on where the bracket would open */
    const size_t skipped = printed->count > 0 ? 0 : 1;
    void *at = frz_tape_extend(&printed->tape, printed->size, text.size - skipped);
    if (!at) {
        status = frz_fail_memory(err);
        goto done;
    }
    memcpy(at, text.data + skipped, text.size - skipped);
    printed->size += text.size - skipped;
    printed->count = count;
done:
    frz_buffer_clear(&text);
    return status;
}

frz_printed frz_printed_share(const frz_printed *printed)
{
    frz_printed shared = *printed;
    shared.tape = frz_tape_ref(printed->tape);
    return shared;
}

void frz_printed_clear(frz_printed *printed)
{
    frz_tape_unref(printed->tape);
    *printed = (frz_printed){0};
}
