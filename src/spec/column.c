#include "spec/column.h"

#include "base/fail.h"

static frz_column_class class_of(frz_arrow_kind kind)
{
    switch ((int)kind) {
    case FRZ_ARROW_BOOL:
        return FRZ_COLUMN_BOOLEAN;
    case FRZ_ARROW_INT32:
    case FRZ_ARROW_INT64:
    case FRZ_ARROW_DATE32:
    case FRZ_ARROW_TIME64:
    case FRZ_ARROW_TIMESTAMP:
        return FRZ_COLUMN_INTEGER;
    case FRZ_ARROW_STRING:
    case FRZ_ARROW_BINARY:
    case FRZ_ARROW_FIXED:
        return FRZ_COLUMN_BYTES;
    case FRZ_ARROW_STRUCT:
        return FRZ_COLUMN_STRUCT;
    case FRZ_ARROW_LIST:
    case FRZ_ARROW_MAP:
        return FRZ_COLUMN_LIST;
    default:
        return FRZ_COLUMN_ANY;
    }
}

frz_status frz_column_child(const struct ArrowSchema *schema, const struct ArrowArray *array,
                            int64_t index, frz_column_class want, frz_column *out, frz_error **err)
{
    if (index >= schema->n_children || index >= array->n_children)
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "column %lld of %lld is missing",
                        (long long)index, (long long)schema->n_children);
    const struct ArrowSchema *child = schema->children[index];
    frz_arrow_type type = {0};
    FRZ_TRY(frz_arrow_type_parse(child->format, &type, err));
    if (type.kind == FRZ_ARROW_NULL) {
        *out = (frz_column){0};
        return FRZ_OK;
    }
    if (want != FRZ_COLUMN_ANY && class_of(type.kind) != want)
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "field %s has the unexpected type \"%s\"",
                        child->name ? child->name : "?", child->format);
    *out = (frz_column){.array = array->children[index], .schema = child, .type = type};
    return FRZ_OK;
}

bool frz_column_is_null(const frz_column *column, int64_t row)
{
    return !column->array || frz_arrow_is_null(column->array, row);
}

static int64_t integer_at(const frz_column *column, int64_t row)
{
    const int64_t at = row + column->array->offset;
    if (column->type.kind == FRZ_ARROW_INT32 || column->type.kind == FRZ_ARROW_DATE32)
        return ((const int32_t *)column->array->buffers[1])[at];
    return ((const int64_t *)column->array->buffers[1])[at];
}

int64_t frz_column_i64(const frz_column *column, int64_t row, int64_t absent)
{
    return frz_column_is_null(column, row) ? absent : integer_at(column, row);
}

bool frz_column_bool(const frz_column *column, int64_t row)
{
    return !frz_column_is_null(column, row) &&
           frz_bit_get(column->array->buffers[1], row + column->array->offset);
}

frz_slice frz_column_bytes(const frz_column *column, int64_t row)
{
    if (frz_column_is_null(column, row))
        return (frz_slice){0};
    const int64_t at = row + column->array->offset;
    if (column->type.kind == FRZ_ARROW_FIXED) {
        const size_t width = (size_t)column->type.width;
        return frz_slice_of((const uint8_t *)column->array->buffers[1] + (size_t)at * width, width);
    }
    const int32_t *offsets = column->array->buffers[1];
    const size_t size = (size_t)(offsets[at + 1] - offsets[at]);
    if (size == 0)
        return (frz_slice){0};
    return frz_slice_of((const uint8_t *)column->array->buffers[2] + offsets[at], size);
}

void frz_column_range(const frz_column *column, int64_t row, int64_t *start_out, int64_t *end_out)
{
    *start_out = 0;
    *end_out = 0;
    if (frz_column_is_null(column, row))
        return;
    const int32_t *offsets = column->array->buffers[1];
    *start_out = offsets[row + column->array->offset];
    *end_out = offsets[row + column->array->offset + 1];
}

static frz_status unexpected(const frz_column *column, const frz_type *type, frz_error **err)
{
    frz_buffer name = {0};
    frz_type_print(type, &name);
    const frz_status status =
        frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "field %s has the type \"%s\", expected %.*s",
                 column->schema->name ? column->schema->name : "?", column->schema->format,
                 (int)name.size, name.data ? (const char *)name.data : "");
    frz_buffer_clear(&name);
    return status;
}

static frz_status integer_value(const frz_column *column, int64_t row, const frz_type *type,
                                frz_value *out, frz_error **err)
{
    const frz_value stored = {.form = FRZ_VALUE_INTEGER, .integer = integer_at(column, row)};
    switch ((int)type->kind) {
    case FRZ_TYPE_TIMESTAMP:
    case FRZ_TYPE_TIMESTAMPTZ:
    case FRZ_TYPE_TIMESTAMP_NS:
    case FRZ_TYPE_TIMESTAMPTZ_NS:
        if (column->type.kind != FRZ_ARROW_DATE32)
            break;
        if (!frz_value_promote(frz_type_of(FRZ_TYPE_DATE), type, &stored, out))
            return unexpected(column, type, err);
        return FRZ_OK;
    case FRZ_TYPE_INT:
    case FRZ_TYPE_LONG:
    case FRZ_TYPE_DATE:
    case FRZ_TYPE_TIME:
        break;
    default:
        return unexpected(column, type, err);
    }
    *out = stored;
    return FRZ_OK;
}

static frz_status decimal_value(const frz_column *column, int64_t row, const frz_type *type,
                                frz_value *out, frz_error **err)
{
    frz_value value = {.form = FRZ_VALUE_DECIMAL};
    const uint8_t *bytes = column->array->buffers[1];
    memcpy(&value.decimal, bytes + (size_t)(row + column->array->offset) * sizeof value.decimal,
           sizeof value.decimal);
    if (type->kind != FRZ_TYPE_DECIMAL || column->type.scale != type->scale)
        return unexpected(column, type, err);
    *out = value;
    return FRZ_OK;
}

static frz_status number_value(const frz_column *column, int64_t row, const frz_type *type,
                               frz_value *out, frz_error **err)
{
    const int64_t at = row + column->array->offset;
    if (type->kind != FRZ_TYPE_FLOAT && type->kind != FRZ_TYPE_DOUBLE)
        return unexpected(column, type, err);
    out->form = FRZ_VALUE_NUMBER;
    out->number = column->type.kind == FRZ_ARROW_FLOAT
                      ? (double)((const float *)column->array->buffers[1])[at]
                      : ((const double *)column->array->buffers[1])[at];
    return FRZ_OK;
}

static frz_status bytes_value(const frz_column *column, int64_t row, const frz_type *type,
                              frz_value *out, frz_error **err)
{
    const frz_slice bytes = frz_column_bytes(column, row);
    const size_t uuid_size = 16;
    const bool fits = type->kind == FRZ_TYPE_STRING || type->kind == FRZ_TYPE_BINARY ||
                      (type->kind == FRZ_TYPE_UUID && bytes.size == uuid_size) ||
                      (type->kind == FRZ_TYPE_FIXED && bytes.size == (size_t)type->length);
    if (!fits)
        return unexpected(column, type, err);
    *out = (frz_value){.form = FRZ_VALUE_BYTES, .bytes = bytes};
    return FRZ_OK;
}

frz_status frz_column_value(const frz_column *column, int64_t row, const frz_type *type,
                            frz_value *out, frz_error **err)
{
    *out = (frz_value){.form = FRZ_VALUE_NULL};
    /* The type is unknown where the source column is in no schema any more. */
    if (frz_column_is_null(column, row) || type->kind == FRZ_TYPE_UNKNOWN)
        return FRZ_OK;
    if (column->type.kind == FRZ_ARROW_FLOAT || column->type.kind == FRZ_ARROW_DOUBLE)
        return number_value(column, row, type, out, err);
    if (column->type.kind == FRZ_ARROW_DECIMAL)
        return decimal_value(column, row, type, out, err);
    switch (class_of(column->type.kind)) {
    case FRZ_COLUMN_INTEGER:
        return integer_value(column, row, type, out, err);
    case FRZ_COLUMN_BYTES:
        return bytes_value(column, row, type, out, err);
    case FRZ_COLUMN_BOOLEAN:
        if (type->kind != FRZ_TYPE_BOOLEAN)
            return unexpected(column, type, err);
        *out = (frz_value){.form = FRZ_VALUE_BOOLEAN, .boolean = frz_column_bool(column, row)};
        return FRZ_OK;
    case FRZ_COLUMN_STRUCT:
    case FRZ_COLUMN_LIST:
    case FRZ_COLUMN_ANY:
        break;
    }
    return unexpected(column, type, err);
}

/* The type that a column's Arrow type stands for; strings for what is no single value. */
static frz_type plain_type(const frz_arrow_type *type)
{
    switch ((int)type->kind) {
    case FRZ_ARROW_BOOL:
        return (frz_type){.kind = FRZ_TYPE_BOOLEAN};
    case FRZ_ARROW_INT32:
        return (frz_type){.kind = FRZ_TYPE_INT};
    case FRZ_ARROW_DATE32:
        return (frz_type){.kind = FRZ_TYPE_DATE};
    case FRZ_ARROW_TIME64:
        return (frz_type){.kind = FRZ_TYPE_TIME};
    case FRZ_ARROW_TIMESTAMP:
        return (frz_type){.kind = type->unit == 'n' ? FRZ_TYPE_TIMESTAMP_NS : FRZ_TYPE_TIMESTAMP};
    case FRZ_ARROW_INT64:
        return (frz_type){.kind = FRZ_TYPE_LONG};
    case FRZ_ARROW_FLOAT:
        return (frz_type){.kind = FRZ_TYPE_FLOAT};
    case FRZ_ARROW_DOUBLE:
        return (frz_type){.kind = FRZ_TYPE_DOUBLE};
    case FRZ_ARROW_DECIMAL:
        return (frz_type){
            .kind = FRZ_TYPE_DECIMAL, .precision = type->precision, .scale = type->scale};
    case FRZ_ARROW_BINARY:
        return (frz_type){.kind = FRZ_TYPE_BINARY};
    case FRZ_ARROW_FIXED:
        return (frz_type){.kind = FRZ_TYPE_FIXED, .length = type->width};
    default:
        return (frz_type){.kind = FRZ_TYPE_STRING};
    }
}

frz_status frz_column_text(const frz_column *column, int64_t row, frz_arena *arena, frz_value *out,
                           frz_error **err)
{
    const frz_type type = plain_type(&column->type);
    frz_value value = {0};
    frz_buffer text = {0};
    frz_slice kept = {0};
    FRZ_TRY(frz_column_value(column, row, &type, &value, err));
    *out = (frz_value){.form = FRZ_VALUE_NULL};
    if (value.form == FRZ_VALUE_NULL)
        return FRZ_OK;
    frz_value_print(&type, &value, &text);
    frz_status status = frz_buffer_check(&text, err);
    if (status == FRZ_OK && !frz_arena_slice(arena, frz_buffer_slice(&text), &kept))
        status = frz_fail_memory(err);
    frz_buffer_clear(&text);
    *out = (frz_value){.form = FRZ_VALUE_BYTES, .bytes = kept};
    return status;
}

static size_t data_memory(const frz_arrow_type *type, const struct ArrowArray *array)
{
    const size_t rows = (size_t)(array->length + array->offset);
    switch ((int)type->kind) {
    case FRZ_ARROW_BOOL:
        return rows / 8;
    case FRZ_ARROW_INT32:
    case FRZ_ARROW_DATE32:
    case FRZ_ARROW_FLOAT:
        return rows * 4;
    case FRZ_ARROW_DECIMAL:
        return rows * 16;
    case FRZ_ARROW_FIXED:
        return rows * (size_t)type->width;
    case FRZ_ARROW_STRING:
    case FRZ_ARROW_BINARY:
        return (rows + 1) * 4 + (rows ? (size_t)((const int32_t *)array->buffers[1])[rows] : 0);
    case FRZ_ARROW_LIST:
    case FRZ_ARROW_MAP:
        return (rows + 1) * 4;
    case FRZ_ARROW_STRUCT:
    case FRZ_ARROW_NULL:
        return 0;
    default:
        return rows * 8;
    }
}

size_t frz_column_memory(const struct ArrowSchema *schema, const struct ArrowArray *array)
{
    frz_arrow_type type = {0};
    size_t total = 0;
    if (frz_arrow_type_parse(schema->format, &type, NULL) == FRZ_OK)
        total = data_memory(&type, array);
    if (array->n_buffers > 0 && array->buffers[0])
        total += (size_t)(array->length + array->offset) / 8;
    for (int64_t i = 0; i < array->n_children && i < schema->n_children; i++)
        total += frz_column_memory(schema->children[i], array->children[i]);
    return total;
}
