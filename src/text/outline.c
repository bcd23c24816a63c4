#include "text/outline.h"

#include "base/arena.h"
#include "base/fail.h"
#include "json/reader.h"

/* A key or string: what could drive a terminal or start a line of its own becomes an escape. */
static void put_line_text(frz_buffer *out, frz_slice text)
{
    for (size_t i = 0; i < text.size; i++) {
        const uint8_t byte = text.data[i];
        const bool c1 = i > 0 && text.data[i - 1] == 0xc2 && byte >= 0x80 && byte < 0xa0;
        if (byte < 0x20 || byte == 0x7f || c1)
            frz_buffer_printf(out, "\\x%02x", byte);
        else if (byte != 0xc2 || i + 1 == text.size || text.data[i + 1] >= 0xa0)
            frz_buffer_append_byte(out, byte);
    }
}

/* Ends the line that its key began, or opens the lines below it. */
static frz_status put_value(frz_json_reader *json, uint32_t depth, frz_buffer *out,
                            frz_error **err);

static frz_status put_object(frz_json_reader *json, uint32_t depth, frz_buffer *out,
                             frz_error **err)
{
    FRZ_TRY(frz_json_enter_object(json, err));
    if (depth > 0)
        frz_buffer_append_byte(out, '\n');
    for (;;) {
        frz_slice key = {0};
        bool more = false;
        FRZ_TRY(frz_json_next_key(json, &key, &more, err));
        if (!more)
            return FRZ_OK;
        frz_buffer_append_fill(out, ' ', (size_t)depth * 2);
        put_line_text(out, key);
        frz_buffer_append_byte(out, ':');
        FRZ_TRY(put_value(json, depth + 1, out, err));
    }
}

static frz_status put_array(frz_json_reader *json, uint32_t depth, frz_buffer *out, frz_error **err)
{
    FRZ_TRY(frz_json_enter_array(json, err));
    frz_buffer_append_byte(out, '\n');
    for (;;) {
        bool more = false;
        FRZ_TRY(frz_json_next_item(json, &more, err));
        if (!more)
            return FRZ_OK;
        frz_buffer_append_fill(out, ' ', (size_t)depth * 2);
        frz_buffer_append_byte(out, '-');
        FRZ_TRY(put_value(json, depth + 1, out, err));
    }
}

static frz_status put_value(frz_json_reader *json, uint32_t depth, frz_buffer *out, frz_error **err)
{
    frz_json_kind kind = FRZ_JSON_NULL;
    frz_slice text = {0};
    FRZ_TRY(frz_json_peek(json, &kind, err));
    if (kind == FRZ_JSON_OBJECT)
        return put_object(json, depth, out, err);
    if (kind == FRZ_JSON_ARRAY)
        return put_array(json, depth, out, err);
    if (kind == FRZ_JSON_STRING)
        FRZ_TRY(frz_json_read_string(json, &text, err));
    else
        FRZ_TRY(frz_json_read_raw(json, &text, err));
    frz_buffer_append_byte(out, ' ');
    put_line_text(out, text);
    frz_buffer_append_byte(out, '\n');
    return FRZ_OK;
}

frz_status frz_text_outline(frz_slice json, frz_buffer *out, frz_error **err)
{
    frz_arena arena = {0};
    frz_json_reader reader = frz_json_reader_over(json, &arena);
    frz_json_kind kind = FRZ_JSON_NULL;
    frz_status status = frz_json_peek(&reader, &kind, err);
    if (status == FRZ_OK)
        status = kind == FRZ_JSON_OBJECT ? put_object(&reader, 0, out, err)
                                         : put_value(&reader, 0, out, err);
    frz_arena_clear(&arena);
    return status == FRZ_OK ? frz_buffer_check(out, err) : status;
}
