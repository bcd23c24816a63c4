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

enum { LINE_MAX = 150 }; /* bytes of a container that is put on one line */

/* What may stand on one line. */
typedef struct line_rule {
    bool braces;  /* around an object */
    bool strings; /* may be members of an object */
} line_rule;

static frz_status put_line(frz_json_reader *json, line_rule rule, bool *fits, frz_buffer *out,
                           frz_error **err);

static frz_status put_line_object(frz_json_reader *json, line_rule rule, bool *fits,
                                  frz_buffer *out, frz_error **err)
{
    const char *between = rule.braces ? "{" : "";
    FRZ_TRY(frz_json_enter_object(json, err));
    for (bool empty = true;; empty = false) {
        frz_slice key = {0};
        frz_json_kind kind = FRZ_JSON_NULL;
        bool more = false;
        FRZ_TRY(frz_json_next_key(json, &key, &more, err));
        if (!more) {
            frz_buffer_append_text(out, empty ? "{}" : rule.braces ? "}" : "");
            return FRZ_OK;
        }
        FRZ_TRY(frz_json_peek(json, &kind, err));
        if (kind == FRZ_JSON_OBJECT || (kind == FRZ_JSON_STRING && !rule.strings))
            *fits = false;
        frz_buffer_append_text(out, between);
        put_line_text(out, key);
        frz_buffer_append_text(out, ": ");
        FRZ_TRY(put_line(json, (line_rule){.braces = true}, fits, out, err));
        between = ", ";
    }
}

static frz_status put_line_array(frz_json_reader *json, bool *fits, frz_buffer *out,
                                 frz_error **err)
{
    const char *between = "[";
    FRZ_TRY(frz_json_enter_array(json, err));
    for (bool empty = true;; empty = false) {
        frz_json_kind kind = FRZ_JSON_NULL;
        bool more = false;
        FRZ_TRY(frz_json_next_item(json, &more, err));
        if (!more) {
            frz_buffer_append_text(out, empty ? "[]" : "]");
            return FRZ_OK;
        }
        FRZ_TRY(frz_json_peek(json, &kind, err));
        if (kind == FRZ_JSON_OBJECT || kind == FRZ_JSON_ARRAY)
            *fits = false;
        frz_buffer_append_text(out, between);
        FRZ_TRY(put_line(json, (line_rule){.braces = true}, fits, out, err));
        between = ", ";
    }
}

/* One value on the line; *fits becomes false when it should have several. What does not fit is
 * passed over, and out is then of no use. */
static frz_status put_line(frz_json_reader *json, line_rule rule, bool *fits, frz_buffer *out,
                           frz_error **err)
{
    frz_json_kind kind = FRZ_JSON_NULL;
    frz_slice text = {0};
    if (!*fits)
        return frz_json_skip(json, err);
    FRZ_TRY(frz_json_peek(json, &kind, err));
    if (kind == FRZ_JSON_OBJECT)
        return put_line_object(json, rule, fits, out, err);
    if (kind == FRZ_JSON_ARRAY)
        return put_line_array(json, fits, out, err);
    if (kind == FRZ_JSON_STRING)
        FRZ_TRY(frz_json_read_string(json, &text, err));
    else
        FRZ_TRY(frz_json_read_raw(json, &text, err));
    put_line_text(out, text);
    return FRZ_OK;
}

/* The value on what is left of the line, if it is short enough. */
static frz_status try_line(frz_slice raw, line_rule rule, bool scalar, bool *fits_out,
                           frz_buffer *out, frz_error **err)
{
    frz_arena arena = {0};
    frz_json_reader json = frz_json_reader_over(raw, &arena);
    const size_t start = out->size;
    bool fits = true;
    const frz_status status = put_line(&json, rule, &fits, out, err);
    fits = fits && (scalar || out->size - start <= LINE_MAX);
    if (!fits)
        out->size = start;
    else
        frz_buffer_append_byte(out, '\n');
    *fits_out = fits;
    frz_arena_clear(&arena);
    return status;
}

/* What a value stands behind. */
typedef enum value_place { AT_TOP, BEHIND_KEY, BEHIND_DASH } value_place;

static frz_status put_value(frz_slice raw, uint32_t depth, value_place place, frz_buffer *out,
                            frz_error **err);

static frz_status put_object(frz_json_reader *json, uint32_t depth, bool first_indented,
                             frz_buffer *out, frz_error **err)
{
    FRZ_TRY(frz_json_enter_object(json, err));
    for (bool indent = first_indented;; indent = true) {
        frz_slice key = {0};
        frz_slice raw = {0};
        bool more = false;
        FRZ_TRY(frz_json_next_key(json, &key, &more, err));
        if (!more)
            return FRZ_OK;
        if (indent)
            frz_buffer_append_fill(out, ' ', (size_t)depth * 2);
        put_line_text(out, key);
        frz_buffer_append_byte(out, ':');
        FRZ_TRY(frz_json_read_raw(json, &raw, err));
        FRZ_TRY(put_value(raw, depth + 1, BEHIND_KEY, out, err));
    }
}

static frz_status put_array(frz_json_reader *json, uint32_t depth, frz_buffer *out, frz_error **err)
{
    FRZ_TRY(frz_json_enter_array(json, err));
    for (;;) {
        frz_slice raw = {0};
        bool more = false;
        FRZ_TRY(frz_json_next_item(json, &more, err));
        if (!more)
            return FRZ_OK;
        frz_buffer_append_fill(out, ' ', (size_t)depth * 2);
        frz_buffer_append_byte(out, '-');
        FRZ_TRY(frz_json_read_raw(json, &raw, err));
        FRZ_TRY(put_value(raw, depth + 1, BEHIND_DASH, out, err));
    }
}

/* The lines of a container that does not fit on one. An object behind a dash begins there. */
static frz_status put_lines(frz_slice raw, uint32_t depth, value_place place, frz_buffer *out,
                            frz_error **err)
{
    frz_arena arena = {0};
    frz_json_reader json = frz_json_reader_over(raw, &arena);
    const bool object = raw.data[0] == '{';
    if (place == BEHIND_DASH && object)
        frz_buffer_append_byte(out, ' ');
    else if (place != AT_TOP)
        frz_buffer_append_byte(out, '\n');
    const frz_status status = object ? put_object(&json, depth, place != BEHIND_DASH, out, err)
                                     : put_array(&json, depth, out, err);
    frz_arena_clear(&arena);
    return status;
}

/* `raw` is a value without blanks around it; recursion is as deep as it, which its reader has
 * limited. */
static frz_status put_value(frz_slice raw, uint32_t depth, value_place place, frz_buffer *out,
                            frz_error **err)
{
    const bool container = raw.data[0] == '{' || raw.data[0] == '[';
    const line_rule rule = {.braces = place != BEHIND_DASH, .strings = place == BEHIND_DASH};
    const size_t start = out->size;
    bool fits = false;
    if (place == AT_TOP && container)
        return put_lines(raw, depth, place, out, err);
    if (place != AT_TOP)
        frz_buffer_append_byte(out, ' ');
    FRZ_TRY(try_line(raw, rule, !container, &fits, out, err));
    if (fits)
        return FRZ_OK;
    out->size = start;
    return put_lines(raw, depth, place, out, err);
}

frz_status frz_text_outline(frz_slice json, frz_buffer *out, frz_error **err)
{
    frz_arena arena = {0};
    frz_json_reader reader = frz_json_reader_over(json, &arena);
    frz_slice raw = {0};
    frz_status status = frz_json_read_raw(&reader, &raw, err);
    if (status == FRZ_OK)
        status = put_value(raw, 0, AT_TOP, out, err);
    frz_arena_clear(&arena);
    return status == FRZ_OK ? frz_buffer_check(out, err) : status;
}
