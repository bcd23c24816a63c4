#include "text/column.h"

#include <string.h>
#include <strings.h>

#include "arrow/schema.h"
#include "base/fail.h"
#include "base/limits.h"
#include "frazil/table.h"
#include "json/reader.h"

static bool has_text_form(const struct ArrowSchema *schema, frz_arrow_kind kind)
{
    if (kind == FRZ_ARROW_UNION)
        return frz_arrow_union_is_plain(schema->format, schema->n_children);
    return kind != FRZ_ARROW_DECIMAL_OTHER && kind != FRZ_ARROW_DURATION &&
           kind != FRZ_ARROW_INTERVAL && kind != FRZ_ARROW_LIST_VIEW && kind != FRZ_ARROW_RUN_END;
}

static frz_type_kind timestamp_kind(const frz_arrow_type *type)
{
    if (type->unit == 'n')
        return type->zoned ? FRZ_TYPE_TIMESTAMPTZ_NS : FRZ_TYPE_TIMESTAMP_NS;
    return type->zoned ? FRZ_TYPE_TIMESTAMPTZ : FRZ_TYPE_TIMESTAMP;
}

/* The Iceberg type whose values the Arrow type holds; false for what no table has. */
static bool value_type_of(const frz_arrow_type *type, bool is_uuid, frz_type *out)
{
    static const struct {
        frz_arrow_kind arrow;
        frz_type_kind kind;
    } pairs[] = {
        {FRZ_ARROW_NULL, FRZ_TYPE_UNKNOWN},    {FRZ_ARROW_BOOL, FRZ_TYPE_BOOLEAN},
        {FRZ_ARROW_INT32, FRZ_TYPE_INT},       {FRZ_ARROW_INT64, FRZ_TYPE_LONG},
        {FRZ_ARROW_FLOAT, FRZ_TYPE_FLOAT},     {FRZ_ARROW_DOUBLE, FRZ_TYPE_DOUBLE},
        {FRZ_ARROW_DECIMAL, FRZ_TYPE_DECIMAL}, {FRZ_ARROW_STRING, FRZ_TYPE_STRING},
        {FRZ_ARROW_BINARY, FRZ_TYPE_BINARY},   {FRZ_ARROW_FIXED, FRZ_TYPE_FIXED},
        {FRZ_ARROW_DATE32, FRZ_TYPE_DATE},     {FRZ_ARROW_TIME64, FRZ_TYPE_TIME},
    };
    *out = (frz_type){.precision = type->precision, .scale = type->scale, .length = type->width};
    if (type->kind == FRZ_ARROW_TIMESTAMP) {
        out->kind = timestamp_kind(type);
        return type->unit == 'u' || type->unit == 'n';
    }
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (pairs[i].arrow != type->kind)
            continue;
        out->kind = is_uuid ? FRZ_TYPE_UUID : pairs[i].kind;
        return type->kind != FRZ_ARROW_TIME64 || type->unit == 'u';
    }
    return false;
}

static frz_status column_from(const struct ArrowSchema *schema, uint32_t depth, frz_arena *arena,
                              frz_text_column *out, frz_error **err);

static frz_status children_from(const struct ArrowSchema *schema, uint32_t depth, frz_arena *arena,
                                frz_text_column *out, frz_error **err)
{
    out->child_count = schema->n_children > 0 ? (size_t)schema->n_children : 0;
    out->children = frz_arena_array(arena, out->child_count, sizeof *out->children);
    if (!out->children)
        return frz_fail_memory(err);
    for (size_t i = 0; i < out->child_count; i++)
        FRZ_TRY(column_from(schema->children[i], depth + 1, arena, &out->children[i], err));
    return FRZ_OK;
}

/* Lists have one child, maps one struct of two: others cannot be walked. */
static bool well_formed(const frz_text_column *column)
{
    const frz_arrow_kind kind = column->type.kind;
    if (kind == FRZ_ARROW_LIST || kind == FRZ_ARROW_LARGE_LIST || kind == FRZ_ARROW_FIXED_LIST)
        return column->child_count == 1;
    if (kind != FRZ_ARROW_MAP)
        return true;
    return column->child_count == 1 && column->children[0].type.kind == FRZ_ARROW_STRUCT &&
           column->children[0].child_count == 2;
}

static frz_status default_from(const struct ArrowSchema *schema, frz_arena *arena,
                               frz_text_column *out, frz_error **err)
{
    static const frz_value of_fields = {.form = FRZ_VALUE_STRUCT};
    const frz_slice text = frz_arrow_schema_metadata(schema, FRZ_WRITE_DEFAULT_KEY);
    if (!text.size)
        return FRZ_OK;
    if (!out->readable) {
        if (out->type.kind == FRZ_ARROW_STRUCT)
            out->default_value = &of_fields;
        else
            out->default_unreadable = true;
        return FRZ_OK;
    }
    frz_json_reader json = frz_json_reader_over(text, arena);
    frz_value *value = frz_arena_alloc(arena, sizeof *value);
    if (!value)
        return frz_fail_memory(err);
    FRZ_TRY(frz_value_read_json(&json, &out->value_type, arena, value, err));
    out->default_value = value;
    return FRZ_OK;
}

static frz_status column_from(const struct ArrowSchema *schema, uint32_t depth, frz_arena *arena,
                              frz_text_column *out, frz_error **err)
{
    const char *name = frz_arrow_schema_name(schema);
    if (depth > frz_limits_default.nesting_depth)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "column %s: nested deeper than the limit nesting_depth of %u", name,
                        frz_limits_default.nesting_depth);
    *out = (frz_text_column){.nullable = schema->flags & ARROW_FLAG_NULLABLE};
    out->name = frz_arena_text(arena, name);
    if (!out->name)
        return frz_fail_memory(err);
    frz_status status = frz_arrow_type_parse(schema->format, &out->type, err);
    if (status == FRZ_OK && !has_text_form(schema, out->type.kind))
        status = frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "the Arrow type %s has no text form",
                          schema->format);
    if (status != FRZ_OK)
        return frz_context(err, status, "column %s", name);
    out->is_uuid =
        out->type.kind == FRZ_ARROW_FIXED && out->type.width == 16 &&
        frz_slice_is_text(frz_arrow_schema_metadata(schema, "ARROW:extension:name"), "arrow.uuid");
    out->readable = value_type_of(&out->type, out->is_uuid, &out->value_type);
    FRZ_TRY(default_from(schema, arena, out, err));
    FRZ_TRY(children_from(schema, depth, arena, out, err));
    if (!well_formed(out))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "column %s: %s with %zu children", name,
                        schema->format, out->child_count);
    if (!schema->dictionary)
        return FRZ_OK;
    out->dictionary = frz_arena_alloc(arena, sizeof *out->dictionary);
    if (!out->dictionary)
        return frz_fail_memory(err);
    return column_from(schema->dictionary, depth + 1, arena, out->dictionary, err);
}

frz_status frz_text_column_from(const struct ArrowSchema *schema, frz_arena *arena,
                                frz_text_column *out, frz_error **err)
{
    return column_from(schema, 0, arena, out, err);
}

bool frz_text_same_name(frz_slice a, const char *b, bool any_case)
{
    if (!any_case)
        return frz_slice_is_text(a, b);
    return a.size == strlen(b) && strncasecmp((const char *)a.data, b, a.size) == 0;
}

void frz_text_column_ignore_case(frz_text_column *column)
{
    column->any_case = true;
    for (size_t i = 0; i < column->child_count; i++)
        frz_text_column_ignore_case(&column->children[i]);
}

size_t frz_text_column_index(const frz_text_column *column, frz_slice name)
{
    size_t index = 0;
    while (index < column->child_count &&
           !frz_text_same_name(name, column->children[index].name, column->any_case))
        index++;
    return index;
}
