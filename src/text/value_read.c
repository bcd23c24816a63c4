#include <string.h>

#include "base/fail.h"
#include "base/utf8.h"
#include "spec/value.h"
#include "spec/value_arrow.h"
#include "text/value.h"

static frz_status refuse_kind(const frz_text_column *column, const char *got, frz_error **err)
{
    return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "expected %s, got %s",
                    column->readable ? frz_type_word(column->value_type.kind) : "another value",
                    got);
}

frz_status frz_text_read_null(const frz_text_column *column, frz_arrow_builder *builder,
                              frz_error **err)
{
    if (!column->nullable)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "null in a required column");
    frz_arrow_append_null(builder);
    return FRZ_OK;
}

static frz_status check_utf8(frz_slice text, frz_error **err)
{
    for (size_t at = 0; at < text.size;) {
        const size_t step = frz_utf8_size(text.data + at, text.size - at);
        if (step == 0)
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                            "expected UTF-8, got byte 0x%02x at byte %zu of the value",
                            text.data[at], at);
        at += step;
    }
    return FRZ_OK;
}

frz_status frz_text_read_scalar(const frz_text_column *column, frz_slice text, frz_arena *arena,
                                frz_arrow_builder *builder, frz_error **err)
{
    if (!column->readable)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "text cannot be read into a column of this Arrow type");
    if (column->value_type.kind == FRZ_TYPE_STRING) {
        FRZ_TRY(check_utf8(text, err));
        frz_arrow_append_bytes(builder, text);
        return FRZ_OK;
    }
    frz_value value = {0};
    FRZ_TRY(frz_value_parse(&column->value_type, text, arena, &value, err));
    frz_value_append(NULL, &value, builder);
    return FRZ_OK;
}

/* 2.0 and 1e3 are integers, too; what is none, or out of range, is told as any other text is. */
static frz_status read_integer(frz_slice text, const frz_text_column *column, frz_arena *arena,
                               frz_arrow_builder *builder, frz_error **err)
{
    frz_json_reader number = frz_json_reader_over(text, arena);
    int64_t value = 0;
    const bool narrow = column->value_type.kind == FRZ_TYPE_INT;
    if (frz_json_read_i64(&number, &value, NULL) != FRZ_OK ||
        (narrow && (value < INT32_MIN || value > INT32_MAX)))
        return frz_text_read_scalar(column, text, arena, builder, err);
    frz_arrow_append_i64(builder, value);
    return FRZ_OK;
}

static frz_status read_number(frz_json_reader *json, const frz_text_column *column,
                              frz_arena *arena, frz_arrow_builder *builder, frz_error **err)
{
    frz_slice text = {0};
    const frz_type_kind kind = column->value_type.kind;
    const bool integer = kind == FRZ_TYPE_INT || kind == FRZ_TYPE_LONG;
    if (!integer && kind != FRZ_TYPE_FLOAT && kind != FRZ_TYPE_DOUBLE && kind != FRZ_TYPE_DECIMAL)
        return refuse_kind(column, "a number", err);
    FRZ_TRY(frz_json_read_number(json, &text, err));
    return integer ? read_integer(text, column, arena, builder, err)
                   : frz_text_read_scalar(column, text, arena, builder, err);
}

static frz_status read_json_scalar(frz_json_reader *json, const frz_text_column *column,
                                   frz_arena *arena, frz_arrow_builder *builder, frz_error **err)
{
    frz_json_kind kind = FRZ_JSON_NULL;
    frz_slice text = {0};
    bool truth = false;
    FRZ_TRY(frz_json_peek(json, &kind, err));
    switch (kind) {
    case FRZ_JSON_BOOL:
        if (column->value_type.kind != FRZ_TYPE_BOOLEAN)
            return refuse_kind(column, "a boolean", err);
        FRZ_TRY(frz_json_read_bool(json, &truth, err));
        frz_arrow_append_bool(builder, truth);
        return FRZ_OK;
    case FRZ_JSON_NUMBER:
        return read_number(json, column, arena, builder, err);
    case FRZ_JSON_STRING:
        FRZ_TRY(frz_json_read_string(json, &text, err));
        return frz_text_read_scalar(column, text, arena, builder, err);
    case FRZ_JSON_NULL:
    case FRZ_JSON_ARRAY:
    case FRZ_JSON_OBJECT:
        break;
    }
    return refuse_kind(column, kind == FRZ_JSON_OBJECT ? "an object" : "an array", err);
}

static frz_status append_missing_fields(const frz_text_column *column, const bool *seen,
                                        frz_arrow_builder *builder, frz_error **err);

/* "The write default for a field must be written if a field is not supplied to a write. If the
 * write default for a required field is not set, the writer must fail" (spec "Default values"). */
static frz_status append_missing(const frz_text_column *column, frz_arrow_builder *builder,
                                 frz_error **err)
{
    if (column->default_unreadable)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "the field is missing, and write defaults of lists and maps are not read; "
                        "give it a value");
    if (!column->default_value && !column->nullable)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "the field is missing; it is required and has no write default");
    if (!column->default_value)
        frz_arrow_append_null(builder);
    else if (column->type.kind == FRZ_ARROW_STRUCT)
        return append_missing_fields(column, NULL, builder, err);
    else
        frz_value_append(NULL, column->default_value, builder);
    return FRZ_OK;
}

/* Ends a row of a struct, of which `seen` fields were there; NULL: none. */
static frz_status append_missing_fields(const frz_text_column *column, const bool *seen,
                                        frz_arrow_builder *builder, frz_error **err)
{
    for (size_t i = 0; i < column->child_count; i++) {
        const frz_text_column *child = &column->children[i];
        if (seen && seen[i])
            continue;
        const frz_status status = append_missing(child, frz_arrow_builder_child(builder, i), err);
        if (status != FRZ_OK)
            return frz_context(err, status, "column %s", child->name);
    }
    frz_arrow_append_struct(builder);
    return FRZ_OK;
}

static frz_status read_struct(frz_json_reader *json, const frz_text_column *column,
                              frz_arena *arena, frz_arrow_builder *builder, frz_error **err)
{
    bool *seen = frz_arena_array(arena, column->child_count, sizeof *seen);
    if (!seen)
        return frz_fail_memory(err);
    FRZ_TRY(frz_json_enter_object(json, err));
    for (;;) {
        frz_slice key = {0};
        bool more = false;
        FRZ_TRY(frz_json_next_key(json, &key, &more, err));
        if (!more)
            break;
        const size_t index = frz_text_column_index(column, key);
        if (index == column->child_count || seen[index])
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "%s \"%.*s\"",
                            index == column->child_count ? "unknown field" : "repeated field",
                            (int)(key.size < 200 ? key.size : 200), (const char *)key.data);
        seen[index] = true;
        const frz_status status = frz_text_read_json(json, &column->children[index], arena,
                                                     frz_arrow_builder_child(builder, index), err);
        if (status != FRZ_OK)
            return frz_context(err, status, "column %s", column->children[index].name);
    }
    return append_missing_fields(column, seen, builder, err);
}

static frz_status read_list(frz_json_reader *json, const frz_text_column *column, frz_arena *arena,
                            frz_arrow_builder *builder, frz_error **err)
{
    FRZ_TRY(frz_json_enter_array(json, err));
    for (;;) {
        bool more = false;
        FRZ_TRY(frz_json_next_item(json, &more, err));
        if (!more)
            break;
        FRZ_TRY(frz_text_read_json(json, &column->children[0], arena,
                                   frz_arrow_builder_child(builder, 0), err));
    }
    frz_arrow_append_list(builder);
    return FRZ_OK;
}

/* {"key": value, ...}: the keys' text is parsed as the key type. */
static frz_status read_map_object(frz_json_reader *json, const frz_text_column *entries,
                                  frz_arena *arena, frz_arrow_builder *builder, frz_error **err)
{
    FRZ_TRY(frz_json_enter_object(json, err));
    for (;;) {
        frz_slice key = {0};
        bool more = false;
        FRZ_TRY(frz_json_next_key(json, &key, &more, err));
        if (!more)
            return FRZ_OK;
        FRZ_TRY(frz_text_read_scalar(&entries->children[0], key, arena,
                                     frz_arrow_builder_child(builder, 0), err));
        FRZ_TRY(frz_text_read_json(json, &entries->children[1], arena,
                                   frz_arrow_builder_child(builder, 1), err));
        frz_arrow_append_struct(builder);
    }
}

/* [key, value]; the reader has entered the array of pairs. */
static frz_status read_pair(frz_json_reader *json, const frz_text_column *entries, frz_arena *arena,
                            frz_arrow_builder *builder, frz_error **err)
{
    bool more = false;
    size_t count = 0;
    FRZ_TRY(frz_json_enter_array(json, err));
    for (;; count++) {
        FRZ_TRY(frz_json_next_item(json, &more, err));
        if (!more || count == 2)
            break;
        FRZ_TRY(frz_text_read_json(json, &entries->children[count], arena,
                                   frz_arrow_builder_child(builder, count), err));
    }
    if (count != 2 || more)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "expected pairs of key and value in a map");
    frz_arrow_append_struct(builder);
    return FRZ_OK;
}

/* [[key, value], ...] */
static frz_status read_map_pairs(frz_json_reader *json, const frz_text_column *entries,
                                 frz_arena *arena, frz_arrow_builder *builder, frz_error **err)
{
    FRZ_TRY(frz_json_enter_array(json, err));
    for (;;) {
        bool more = false;
        FRZ_TRY(frz_json_next_item(json, &more, err));
        if (!more)
            return FRZ_OK;
        FRZ_TRY(read_pair(json, entries, arena, builder, err));
    }
}

static frz_status read_map(frz_json_reader *json, const frz_text_column *column, frz_arena *arena,
                           frz_arrow_builder *builder, frz_error **err)
{
    frz_json_kind kind = FRZ_JSON_NULL;
    frz_arrow_builder *entries = frz_arrow_builder_child(builder, 0);
    FRZ_TRY(frz_json_peek(json, &kind, err));
    if (kind == FRZ_JSON_OBJECT)
        FRZ_TRY(read_map_object(json, &column->children[0], arena, entries, err));
    else
        FRZ_TRY(read_map_pairs(json, &column->children[0], arena, entries, err));
    frz_arrow_append_list(builder);
    return FRZ_OK;
}

frz_status frz_text_read_json(frz_json_reader *json, const frz_text_column *column,
                              frz_arena *arena, frz_arrow_builder *builder, frz_error **err)
{
    bool is_null = false;
    FRZ_TRY(frz_json_read_null(json, &is_null, err));
    if (is_null)
        return frz_text_read_null(column, builder, err);
    if (column->type.kind == FRZ_ARROW_STRUCT)
        return read_struct(json, column, arena, builder, err);
    if (column->type.kind == FRZ_ARROW_LIST)
        return read_list(json, column, arena, builder, err);
    if (column->type.kind == FRZ_ARROW_MAP)
        return read_map(json, column, arena, builder, err);
    return read_json_scalar(json, column, arena, builder, err);
}
