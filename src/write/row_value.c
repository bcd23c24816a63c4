#include "write/row_value.h"

#include <string.h>

#include "arrow/array.h"

static frz_slice variable_bytes(const struct ArrowArray *array, int64_t at)
{
    const int32_t *offsets = array->buffers[1];
    const uint8_t *data = array->buffers[2];
    const size_t size = (size_t)(offsets[at + 1] - offsets[at]);
    return frz_slice_of(size ? data + offsets[at] : (const uint8_t *)"", size);
}

static frz_slice fixed_bytes(const struct ArrowArray *array, int64_t at, size_t size)
{
    return frz_slice_of((const uint8_t *)array->buffers[1] + (size_t)at * size, size);
}

void frz_row_value(const frz_type *type, const struct ArrowArray *array, int64_t index,
                   frz_value *out)
{
    const int64_t at = array->offset + index;
    *out = (frz_value){.form = FRZ_VALUE_NULL};
    if (type->kind == FRZ_TYPE_UNKNOWN || frz_arrow_is_null(array, index))
        return;
    switch (type->kind) {
    case FRZ_TYPE_BOOLEAN:
        out->form = FRZ_VALUE_BOOLEAN;
        out->boolean = frz_bit_get(array->buffers[1], at);
        break;
    case FRZ_TYPE_INT:
    case FRZ_TYPE_DATE:
        out->form = FRZ_VALUE_INTEGER;
        out->integer = ((const int32_t *)array->buffers[1])[at];
        break;
    case FRZ_TYPE_LONG:
    case FRZ_TYPE_TIME:
    case FRZ_TYPE_TIMESTAMP:
    case FRZ_TYPE_TIMESTAMPTZ:
    case FRZ_TYPE_TIMESTAMP_NS:
    case FRZ_TYPE_TIMESTAMPTZ_NS:
        out->form = FRZ_VALUE_INTEGER;
        out->integer = ((const int64_t *)array->buffers[1])[at];
        break;
    case FRZ_TYPE_FLOAT:
        out->form = FRZ_VALUE_NUMBER;
        out->number = ((const float *)array->buffers[1])[at];
        break;
    case FRZ_TYPE_DOUBLE:
        out->form = FRZ_VALUE_NUMBER;
        out->number = ((const double *)array->buffers[1])[at];
        break;
    case FRZ_TYPE_DECIMAL:
        out->form = FRZ_VALUE_DECIMAL;
        memcpy(&out->decimal, (const uint8_t *)array->buffers[1] + (size_t)at * 16, 16);
        break;
    case FRZ_TYPE_STRING:
    case FRZ_TYPE_BINARY:
        out->form = FRZ_VALUE_BYTES;
        out->bytes = variable_bytes(array, at);
        break;
    case FRZ_TYPE_UUID:
        out->form = FRZ_VALUE_BYTES;
        out->bytes = fixed_bytes(array, at, 16);
        break;
    case FRZ_TYPE_FIXED:
        out->form = FRZ_VALUE_BYTES;
        out->bytes = fixed_bytes(array, at, (size_t)type->length);
        break;
    case FRZ_TYPE_UNKNOWN:
    case FRZ_TYPE_VARIANT:
    case FRZ_TYPE_GEOMETRY:
    case FRZ_TYPE_GEOGRAPHY:
    case FRZ_TYPE_STRUCT:
    case FRZ_TYPE_LIST:
    case FRZ_TYPE_MAP:
        break; /* no partition or sort source */
    }
}

static bool find_below(const frz_type *type, int32_t field_id, frz_column_path *out)
{
    if (type->kind != FRZ_TYPE_STRUCT || out->depth == FRZ_COLUMN_DEPTH_MAX)
        return false;
    const size_t depth = out->depth++;
    for (size_t i = 0; i < type->field_count; i++) {
        out->children[depth] = (int64_t)i;
        if (type->fields[i].id == field_id) {
            out->type = type->fields[i].type;
            return true;
        }
        if (find_below(type->fields[i].type, field_id, out))
            return true;
    }
    out->depth = depth;
    return false;
}

bool frz_column_path_find(const frz_type *root, int32_t field_id, frz_column_path *out)
{
    *out = (frz_column_path){0};
    return find_below(root, field_id, out);
}

void frz_column_path_value(const frz_column_path *path, const struct ArrowArray *batch,
                           int64_t index, frz_value *out)
{
    const struct ArrowArray *array = batch;
    for (size_t i = 0; i < path->depth; i++) {
        if (frz_arrow_is_null(array, index)) {
            *out = (frz_value){.form = FRZ_VALUE_NULL};
            return;
        }
        index += array->offset;
        array = array->children[path->children[i]];
    }
    frz_row_value(path->type, array, index, out);
}
