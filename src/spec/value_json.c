/*
 * The JSON single-value form (spec Appendix D), as schemas carry defaults in it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/calendar.h"
#include "base/fail.h"
#include "base/number.h"
#include "base/uuid.h"
#include "spec/json_list.h"
#include "spec/value.h"

static frz_status corrupt(size_t offset, const frz_type *type, const char *expected,
                          frz_error **err)
{
    return frz_fail(err, FRZ_CORRUPT, offset, "JSON value of type %s: expected %s",
                    frz_type_word(type->kind), expected);
}

static bool ends_with(frz_slice text, const char *end)
{
    const size_t size = strlen(end);
    return text.size >= size && memcmp(text.data + text.size - size, end, size) == 0;
}

/* "must include a zone offset and it must be '+00:00'"; Java reads Z as well. */
static bool is_utc(frz_slice text)
{
    return ends_with(text, "+00:00") || ends_with(text, "Z");
}

/* A form that equals the literal's; a refusal keeps its reason and gains the offset. */
static frz_status parse_literal(size_t offset, const frz_type *type, frz_slice text,
                                frz_arena *arena, frz_value *out, frz_error **err)
{
    frz_error *reason = NULL;
    const frz_status status = frz_value_parse(type, text, arena, out, &reason);
    if (status == FRZ_INVALID)
        (void)frz_fail(err, FRZ_CORRUPT, offset, "JSON value: %s", frz_error_message(reason));
    else if (status != FRZ_OK)
        (void)frz_fail_memory(err);
    frz_error_free(reason);
    return status == FRZ_INVALID ? FRZ_CORRUPT : status;
}

static frz_status parse_hex(size_t offset, const frz_type *type, frz_slice text, frz_arena *arena,
                            frz_value *out, frz_error **err)
{
    out->form = FRZ_VALUE_BYTES;
    const frz_status status = frz_value_decode_hex(text, arena, &out->bytes);
    if (status == FRZ_NO_MEMORY)
        return frz_fail_memory(err);
    if (status != FRZ_OK ||
        (type->kind == FRZ_TYPE_FIXED && out->bytes.size != (size_t)type->length))
        return corrupt(offset, type, "a string of two hexadecimal digits for each byte", err);
    return FRZ_OK;
}

static frz_status read_from_string(frz_json_reader *json, size_t offset, const frz_type *type,
                                   frz_arena *arena, frz_value *out, frz_error **err)
{
    frz_slice text = {0};
    FRZ_TRY(frz_json_read_string(json, &text, err));
    if (type->kind == FRZ_TYPE_FIXED || type->kind == FRZ_TYPE_BINARY)
        return parse_hex(offset, type, text, arena, out, err);
    if ((type->kind == FRZ_TYPE_TIMESTAMPTZ || type->kind == FRZ_TYPE_TIMESTAMPTZ_NS) &&
        !is_utc(text))
        return corrupt(offset, type, "a time with the offset +00:00", err);
    return parse_literal(offset, type, text, arena, out, err);
}

static frz_status read_whole(frz_json_reader *json, size_t offset, const frz_type *type,
                             frz_value *out, frz_error **err)
{
    out->form = FRZ_VALUE_INTEGER;
    FRZ_TRY(frz_json_read_i64(json, &out->integer, err));
    if (type->kind == FRZ_TYPE_INT && (out->integer < INT32_MIN || out->integer > INT32_MAX))
        return corrupt(offset, type, "a whole number of 32 bits", err);
    return FRZ_OK;
}

/* NaN and infinities have no JSON number; Java writes them as strings. */
static frz_status read_floating(frz_json_reader *json, size_t offset, const frz_type *type,
                                frz_arena *arena, frz_value *out, frz_error **err)
{
    frz_json_kind kind = FRZ_JSON_NULL;
    frz_slice text = {0};
    FRZ_TRY(frz_json_peek(json, &kind, err));
    if (kind != FRZ_JSON_STRING) {
        FRZ_TRY(frz_json_read_number(json, &text, err));
        return parse_literal(offset, type, text, arena, out, err);
    }
    FRZ_TRY(frz_json_read_string(json, &text, err));
    FRZ_TRY(parse_literal(offset, type, text, arena, out, err));
    return isfinite(out->number) ? corrupt(offset, type, "a number", err) : FRZ_OK;
}

static frz_status read_item(frz_json_reader *json, const frz_json_list *list, void *item,
                            frz_error **err)
{
    return frz_value_read_json(json, list->context, list->arena, item, err);
}

static frz_status read_items(frz_json_reader *json, const frz_type *type, frz_arena *arena,
                             frz_list *out, frz_error **err)
{
    const frz_json_list list = {
        .arena = arena, .item_size = sizeof(frz_value), .read = read_item, .context = type};
    return frz_json_list_read(json, &list, out, err);
}

static frz_status read_list(frz_json_reader *json, const frz_type *type, frz_arena *arena,
                            frz_value *out, frz_error **err)
{
    frz_list items = {0};
    FRZ_TRY(read_items(json, type->fields[0].type, arena, &items, err));
    *out = (frz_value){.form = FRZ_VALUE_LIST, .items = {items.items, items.count}};
    return FRZ_OK;
}

static frz_status read_map_members(frz_json_reader *json, const frz_type *type, frz_arena *arena,
                                   frz_list *keys, frz_list *values, frz_error **err)
{
    bool more = false;
    frz_slice key = {0};
    FRZ_TRY(frz_json_enter_object(json, err));
    for (;;) {
        FRZ_TRY(frz_json_next_key(json, &key, &more, err));
        if (!more)
            return FRZ_OK;
        if (frz_slice_is_text(key, "keys") && keys->count == 0)
            FRZ_TRY(read_items(json, type->fields[0].type, arena, keys, err));
        else if (frz_slice_is_text(key, "values") && values->count == 0)
            FRZ_TRY(read_items(json, type->fields[1].type, arena, values, err));
        else
            FRZ_TRY(frz_json_skip(json, err));
    }
}

static frz_status read_map(frz_json_reader *json, const frz_type *type, frz_arena *arena,
                           frz_value *out, frz_error **err)
{
    frz_list keys = {0};
    frz_list values = {0};
    const size_t offset = frz_json_value_offset(json);
    FRZ_TRY(read_map_members(json, type, arena, &keys, &values, err));
    if (keys.count != values.count)
        return corrupt(offset, type, "as many keys as values", err);
    frz_value *items = frz_arena_array(arena, keys.count, 2 * sizeof *items);
    if (!items)
        return frz_fail_memory(err);
    for (size_t i = 0; i < keys.count; i++) {
        items[2 * i] = ((const frz_value *)keys.items)[i];
        items[2 * i + 1] = ((const frz_value *)values.items)[i];
        if (items[2 * i].form == FRZ_VALUE_NULL)
            return corrupt(offset, type, "keys that are not null", err);
    }
    *out = (frz_value){.form = FRZ_VALUE_LIST, .items = {items, 2 * keys.count}};
    return FRZ_OK;
}

static size_t find_field(const frz_type *type, frz_slice key)
{
    int64_t id = 0;
    size_t at = 0;
    if (!frz_number_parse_i64((const char *)key.data, key.size, &id))
        return type->field_count;
    while (at < type->field_count && type->fields[at].id != id)
        at++;
    return at;
}

static frz_status read_struct(frz_json_reader *json, const frz_type *type, frz_arena *arena,
                              frz_value *out, frz_error **err)
{
    bool more = false;
    frz_slice key = {0};
    frz_value *items = NULL;
    FRZ_TRY(frz_json_enter_object(json, err));
    for (;;) {
        FRZ_TRY(frz_json_next_key(json, &key, &more, err));
        if (!more)
            break;
        const size_t index = find_field(type, key);
        if (index == type->field_count) {
            FRZ_TRY(frz_json_skip(json, err));
            continue;
        }
        if (!items && !(items = frz_arena_array(arena, type->field_count, sizeof *items)))
            return frz_fail_memory(err);
        FRZ_TRY(frz_value_read_json(json, type->fields[index].type, arena, &items[index], err));
    }
    *out = (frz_value){.form = FRZ_VALUE_STRUCT, .items = {items, items ? type->field_count : 0}};
    return FRZ_OK;
}

static frz_status read_present(frz_json_reader *json, size_t offset, const frz_type *type,
                               frz_arena *arena, frz_value *out, frz_error **err)
{
    switch (type->kind) {
    case FRZ_TYPE_BOOLEAN:
        out->form = FRZ_VALUE_BOOLEAN;
        return frz_json_read_bool(json, &out->boolean, err);
    case FRZ_TYPE_INT:
    case FRZ_TYPE_LONG:
        return read_whole(json, offset, type, out, err);
    case FRZ_TYPE_FLOAT:
    case FRZ_TYPE_DOUBLE:
        return read_floating(json, offset, type, arena, out, err);
    case FRZ_TYPE_DECIMAL:
    case FRZ_TYPE_DATE:
    case FRZ_TYPE_TIME:
    case FRZ_TYPE_TIMESTAMP:
    case FRZ_TYPE_TIMESTAMPTZ:
    case FRZ_TYPE_TIMESTAMP_NS:
    case FRZ_TYPE_TIMESTAMPTZ_NS:
    case FRZ_TYPE_STRING:
    case FRZ_TYPE_UUID:
    case FRZ_TYPE_FIXED:
    case FRZ_TYPE_BINARY:
        return read_from_string(json, offset, type, arena, out, err);
    case FRZ_TYPE_STRUCT:
        return read_struct(json, type, arena, out, err);
    case FRZ_TYPE_LIST:
        return read_list(json, type, arena, out, err);
    case FRZ_TYPE_MAP:
        return read_map(json, type, arena, out, err);
    case FRZ_TYPE_UNKNOWN:
    case FRZ_TYPE_VARIANT:
    case FRZ_TYPE_GEOMETRY:
    case FRZ_TYPE_GEOGRAPHY:
        break;
    }
    /* "Default values": these types "must default to null". */
    return corrupt(offset, type, "null", err);
}

frz_status frz_value_read_json(frz_json_reader *json, const frz_type *type, frz_arena *arena,
                               frz_value *out, frz_error **err)
{
    frz_json_kind kind = FRZ_JSON_NULL;
    frz_value value = {0};
    bool is_null = false;
    FRZ_TRY(frz_json_peek(json, &kind, err));
    const size_t offset = json->pos;
    FRZ_TRY(frz_json_read_null(json, &is_null, err));
    if (!is_null)
        FRZ_TRY(read_present(json, offset, type, arena, &value, err));
    *out = value;
    return FRZ_OK;
}

static void write_number(const frz_type *type, double number, frz_json_writer *json)
{
    char text[FRZ_NUMBER_TEXT_SIZE];
    if (type->kind != FRZ_TYPE_FLOAT || !isfinite(number)) {
        frz_json_f64(json, number);
        return;
    }
    /* A float's own shortest digits: as a double, 0.1 would have seventeen. */
    const size_t size = frz_number_print_f32((float)number, text);
    frz_json_raw(json, frz_slice_of(text, size));
}

static void write_integer(const frz_type *type, int64_t value, frz_json_writer *json)
{
    char text[FRZ_CALENDAR_TEXT_SIZE + sizeof "+00:00"];
    size_t size = 0;
    if (type->kind == FRZ_TYPE_DATE)
        size = frz_calendar_print_date(value, text);
    else if (type->kind == FRZ_TYPE_TIME)
        size = frz_calendar_print_time(value, text);
    else if (type->kind == FRZ_TYPE_TIMESTAMP || type->kind == FRZ_TYPE_TIMESTAMPTZ)
        size = frz_calendar_print_micros(value, false, text);
    else if (type->kind == FRZ_TYPE_TIMESTAMP_NS || type->kind == FRZ_TYPE_TIMESTAMPTZ_NS)
        size = frz_calendar_print_nanos(value, false, text);
    if (size == 0) {
        frz_json_i64(json, value);
        return;
    }
    if (type->kind == FRZ_TYPE_TIMESTAMPTZ || type->kind == FRZ_TYPE_TIMESTAMPTZ_NS) {
        static const char utc[] = {'+', '0', '0', ':', '0', '0'};
        memcpy(text + size, utc, sizeof utc);
        size += sizeof utc;
    }
    frz_json_string_slice(json, frz_slice_of(text, size));
}

static void write_bytes(const frz_type *type, frz_slice bytes, frz_json_writer *json)
{
    if (type->kind == FRZ_TYPE_STRING) {
        frz_json_string_slice(json, bytes);
        return;
    }
    frz_buffer text = {0};
    if (type->kind == FRZ_TYPE_UUID)
        frz_value_print(type, &(frz_value){.form = FRZ_VALUE_BYTES, .bytes = bytes}, &text);
    else
        frz_value_encode_hex(bytes, &text);
    json->out->failed |= text.failed;
    frz_json_string_slice(json, frz_buffer_slice(&text));
    frz_buffer_clear(&text);
}

static void write_struct(const frz_type *type, const frz_value *value, frz_json_writer *json)
{
    char key[16];
    frz_json_open_object(json);
    for (size_t i = 0; i < value->items.count && i < type->field_count; i++) {
        if (value->items.data[i].form == FRZ_VALUE_NULL)
            continue;
        (void)snprintf(key, sizeof key, "%d", type->fields[i].id); /* always fits */
        frz_json_key(json, key);
        frz_value_write_json(type->fields[i].type, &value->items.data[i], json);
    }
    frz_json_close_object(json);
}

/* Every `step`th item from `first`. */
static void write_items(const frz_type *type, const frz_value *value, size_t first, size_t step,
                        frz_json_writer *json)
{
    frz_json_open_array(json);
    for (size_t i = first; i < value->items.count; i += step)
        frz_value_write_json(type, &value->items.data[i], json);
    frz_json_close_array(json);
}

static void write_map(const frz_type *type, const frz_value *value, frz_json_writer *json)
{
    frz_json_open_object(json);
    frz_json_key(json, "keys");
    write_items(type->fields[0].type, value, 0, 2, json);
    frz_json_key(json, "values");
    write_items(type->fields[1].type, value, 1, 2, json);
    frz_json_close_object(json);
}

void frz_value_write_json(const frz_type *type, const frz_value *value, frz_json_writer *json)
{
    char text[FRZ_DECIMAL_TEXT_SIZE];
    switch (value->form) {
    case FRZ_VALUE_NULL:
        frz_json_null(json);
        break;
    case FRZ_VALUE_BOOLEAN:
        frz_json_bool(json, value->boolean);
        break;
    case FRZ_VALUE_INTEGER:
        write_integer(type, value->integer, json);
        break;
    case FRZ_VALUE_NUMBER:
        write_number(type, value->number, json);
        break;
    case FRZ_VALUE_DECIMAL:
        frz_json_string_slice(
            json, frz_slice_of(text, frz_decimal_print(value->decimal, type->scale, text)));
        break;
    case FRZ_VALUE_BYTES:
        write_bytes(type, value->bytes, json);
        break;
    case FRZ_VALUE_STRUCT:
        write_struct(type, value, json);
        break;
    case FRZ_VALUE_LIST:
        if (type->kind == FRZ_TYPE_MAP)
            write_map(type, value, json);
        else
            write_items(type->fields[0].type, value, 0, 1, json);
        break;
    }
}
