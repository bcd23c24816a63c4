#include "json/writer.h"

#include <string.h>

#include "base/number.h"
#include "base/utf8.h"

frz_json_writer frz_json_writer_to(frz_buffer *out, uint32_t indent)
{
    return (frz_json_writer){.out = out, .indent = indent};
}

static void new_line(frz_json_writer *json)
{
    frz_buffer_append_byte(json->out, '\n');
    frz_buffer_append_fill(json->out, ' ', (size_t)json->depth * json->indent);
}

/* What stands between values. At the top, values simply follow each other. */
static void begin_value(frz_json_writer *json)
{
    if (json->after_key) {
        json->after_key = false;
        return;
    }
    if (json->depth == 0)
        return;
    if (json->need_comma)
        frz_buffer_append_byte(json->out, ',');
    if (json->indent)
        new_line(json);
}

static void open(frz_json_writer *json, uint8_t bracket)
{
    begin_value(json);
    frz_buffer_append_byte(json->out, bracket);
    if (json->depth < 64) {
        json->arrays &= ~(UINT64_C(1) << json->depth);
        json->arrays |= (uint64_t)(bracket == '[') << json->depth;
    }
    json->depth++;
    json->need_comma = false;
}

static void close(frz_json_writer *json, uint8_t bracket)
{
    json->depth--;
    if (json->need_comma && json->indent)
        new_line(json);
    frz_buffer_append_byte(json->out, bracket);
    json->need_comma = true;
}

void frz_json_open_object(frz_json_writer *json)
{
    open(json, '{');
}

void frz_json_close_object(frz_json_writer *json)
{
    close(json, '}');
}

void frz_json_open_array(frz_json_writer *json)
{
    open(json, '[');
}

void frz_json_close_array(frz_json_writer *json)
{
    close(json, ']');
}

void frz_json_close_to(frz_json_writer *json, uint32_t depth)
{
    if (json->after_key)
        frz_json_null(json);
    while (json->depth > depth) {
        const uint32_t level = json->depth - 1;
        close(json, level < 64 && json->arrays >> level & 1 ? ']' : '}');
    }
}

static void put_escape(frz_buffer *out, uint8_t byte)
{
    static const char from[] = "\"\\\b\f\n\r\t";
    static const char to[] = "\"\\bfnrt";
    const char *found = byte ? strchr(from, byte) : NULL;
    if (!found) {
        frz_buffer_printf(out, "\\u%04x", byte);
        return;
    }
    frz_buffer_append_byte(out, '\\');
    frz_buffer_append_byte(out, (uint8_t)to[found - from]);
}

static void put_string(frz_buffer *out, frz_slice text)
{
    frz_buffer_append_byte(out, '"');
    size_t written = 0;
    for (size_t pos = 0; pos < text.size;) {
        const uint8_t byte = text.data[pos];
        size_t step = 1;
        if (byte >= 0x80)
            step = frz_utf8_size(text.data + pos, text.size - pos);
        if (step > 0 && byte >= 0x20 && byte != '"' && byte != '\\') {
            pos += step;
            continue;
        }
        frz_buffer_append(out, text.data + written, pos - written);
        if (step == 0)
            frz_buffer_append_text(out, "\xef\xbf\xbd"); /* U+FFFD */
        else
            put_escape(out, byte);
        written = ++pos;
    }
    if (written < text.size)
        frz_buffer_append(out, text.data + written, text.size - written);
    frz_buffer_append_byte(out, '"');
}

void frz_json_key_slice(frz_json_writer *json, frz_slice key)
{
    begin_value(json);
    put_string(json->out, key);
    frz_buffer_append_byte(json->out, ':');
    if (json->indent)
        frz_buffer_append_byte(json->out, ' ');
    json->after_key = true;
    json->need_comma = true;
}

void frz_json_key(frz_json_writer *json, const char *key)
{
    frz_json_key_slice(json, frz_slice_of_text(key));
}

void frz_json_string_slice(frz_json_writer *json, frz_slice text)
{
    begin_value(json);
    put_string(json->out, text);
    json->need_comma = true;
}

void frz_json_string(frz_json_writer *json, const char *text)
{
    frz_json_string_slice(json, frz_slice_of_text(text));
}

void frz_json_raw(frz_json_writer *json, frz_slice value)
{
    begin_value(json);
    frz_buffer_append(json->out, value.data, value.size);
    json->need_comma = true;
}

void frz_json_i64(frz_json_writer *json, int64_t value)
{
    char digits[24];
    size_t at = sizeof digits;
    uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        digits[--at] = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (value < 0)
        digits[--at] = '-';
    frz_json_raw(json, frz_slice_of(digits + at, sizeof digits - at));
}

void frz_json_f64(frz_json_writer *json, double value)
{
    char text[FRZ_NUMBER_TEXT_SIZE];
    const size_t size = frz_number_print_f64(value, text);
    const bool finite = value - value == 0;
    if (finite)
        frz_json_raw(json, frz_slice_of(text, size));
    else
        frz_json_string_slice(json, frz_slice_of(text, size));
}

void frz_json_bool(frz_json_writer *json, bool value)
{
    frz_json_raw(json, frz_slice_of_text(value ? "true" : "false"));
}

void frz_json_null(frz_json_writer *json)
{
    frz_json_raw(json, frz_slice_of_text("null"));
}
