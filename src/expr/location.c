#include "expr/location.h"

#include "arrow/array.h"
#include "base/fail.h"

static bool find_child(const frz_type *type, int32_t id, size_t *out)
{
    for (size_t i = 0; i < type->field_count; i++) {
        if (type->fields[i].id == id) {
            *out = i;
            return true;
        }
    }
    return false;
}

static bool can_step(frz_type_kind holder, frz_step_kind step)
{
    switch (step) {
    case FRZ_STEP_FIELD:
        return holder == FRZ_TYPE_STRUCT;
    case FRZ_STEP_ELEMENT:
        return holder == FRZ_TYPE_LIST;
    case FRZ_STEP_KEY:
        return holder == FRZ_TYPE_MAP;
    case FRZ_STEP_SIZE:
        return holder == FRZ_TYPE_LIST || holder == FRZ_TYPE_MAP;
    }
    return false;
}

frz_status frz_location_init(frz_location *out, const frz_reference *reference,
                             const frz_type *columns, frz_arena *arena, frz_error **err)
{
    size_t *children = frz_arena_array(arena, reference->step_count, sizeof *children);
    if (!children)
        return frz_fail_memory(err);
    frz_location location = {
        .reference = reference, .columns = columns, .children = children, .columnar = true};
    const frz_type *type = columns;
    for (size_t i = 0; i < reference->step_count; i++) {
        const frz_step *step = &reference->steps[i];
        if (!can_step(type->kind, step->kind) || !find_child(type, step->field_id, &children[i]))
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                            "the column %s is not among the columns that were read",
                            reference->path);
        type = step->kind == FRZ_STEP_SIZE ? frz_type_of(FRZ_TYPE_INT)
                                           : type->fields[children[i]].type;
        location.columnar = location.columnar && step->kind == FRZ_STEP_FIELD;
    }
    if (type->kind != reference->type->kind)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "the column %s was read in another type than the expression has",
                        reference->path);
    location.type = type;
    *out = location;
    return FRZ_OK;
}

const struct ArrowArray *frz_location_column(const frz_location *location,
                                             const struct ArrowArray *batch, int64_t *start_out)
{
    int64_t start = batch->offset;
    for (size_t i = 0; i < location->reference->step_count; i++) {
        batch = batch->children[location->children[i]];
        start += batch->offset;
    }
    *start_out = start;
    return batch;
}

uint64_t frz_bitmap_word(const uint8_t *bits, int64_t offset, int64_t count)
{
    const uint8_t *from = bits + (offset >> 3);
    const unsigned shift = (unsigned)(offset & 7);
    const size_t size = (size_t)((int64_t)shift + count + 7) / 8;
    uint64_t word = 0;
    if (count == 64 && shift == 0) {
        for (size_t i = 0; i < 8; i++)
            word |= (uint64_t)from[i] << (8 * i);
        return word;
    }
    for (size_t i = 0; i < size && i < 8; i++)
        word |= (uint64_t)from[i] << (8 * i);
    word >>= shift;
    if (size == 9)
        word |= (uint64_t)from[8] << (64 - shift);
    return count == 64 ? word : word & (((uint64_t)1 << count) - 1);
}

/* An array of Arrow's null type has no validity buffer, and nothing but nulls. */
static bool is_null_typed(const struct ArrowArray *array)
{
    return array->n_buffers == 0;
}

static void clear_level(const struct ArrowArray *array, int64_t start, int64_t length,
                        uint64_t *mask)
{
    const uint8_t *valid = array->n_buffers > 0 ? array->buffers[0] : NULL;
    const bool nothing = is_null_typed(array);
    if (!nothing && (!valid || array->null_count == 0))
        return;
    for (int64_t row = 0; row < length; row += 64, mask++) {
        const int64_t count = length - row < 64 ? length - row : 64;
        if (*mask)
            *mask &= nothing ? 0 : frz_bitmap_word(valid, start + row, count);
    }
}

void frz_location_clear_nulls(const frz_location *location, const struct ArrowArray *batch,
                              uint64_t *mask)
{
    const int64_t length = batch->length;
    int64_t start = batch->offset;
    for (size_t i = 0; i < location->reference->step_count; i++) {
        batch = batch->children[location->children[i]];
        start += batch->offset;
        clear_level(batch, start, length, mask);
    }
}

/* Whether the entry at a physical index of the buffers is null. */
static bool is_null_at(const struct ArrowArray *array, int64_t index)
{
    if (is_null_typed(array))
        return true;
    return array->buffers[0] && array->null_count != 0 && !frz_bit_get(array->buffers[0], index);
}

static frz_value integer_value(int64_t integer)
{
    return (frz_value){.form = FRZ_VALUE_INTEGER, .integer = integer};
}

static frz_value bytes_value(const void *data, size_t size)
{
    return (frz_value){.form = FRZ_VALUE_BYTES, .bytes = frz_slice_of(data, size)};
}

static frz_value offset_bytes(const struct ArrowArray *array, int64_t index)
{
    const int32_t *offsets = array->buffers[1];
    const uint8_t *data = array->buffers[2];
    const size_t size = (size_t)(offsets[index + 1] - offsets[index]);
    return bytes_value(size ? data + offsets[index] : NULL, size);
}

static frz_value decimal_value(const struct ArrowArray *array, int64_t index)
{
    frz_value value = {.form = FRZ_VALUE_DECIMAL};
    memcpy(&value.decimal, (const uint8_t *)array->buffers[1] + index * 16, 16);
    return value;
}

static frz_value value_at(const frz_type *type, const struct ArrowArray *array, int64_t index)
{
    const size_t width = type->kind == FRZ_TYPE_UUID ? 16 : (size_t)type->length;
    if (is_null_at(array, index))
        return (frz_value){.form = FRZ_VALUE_NULL};
    if (array->n_buffers < 2)
        return (frz_value){.form = FRZ_VALUE_STRUCT};
    const void *data = array->buffers[1];
    switch (type->kind) {
    case FRZ_TYPE_BOOLEAN:
        return (frz_value){.form = FRZ_VALUE_BOOLEAN, .boolean = frz_bit_get(data, index)};
    case FRZ_TYPE_INT:
    case FRZ_TYPE_DATE:
        return integer_value(((const int32_t *)data)[index]);
    case FRZ_TYPE_LONG:
    case FRZ_TYPE_TIME:
    case FRZ_TYPE_TIMESTAMP:
    case FRZ_TYPE_TIMESTAMPTZ:
    case FRZ_TYPE_TIMESTAMP_NS:
    case FRZ_TYPE_TIMESTAMPTZ_NS:
        return integer_value(((const int64_t *)data)[index]);
    case FRZ_TYPE_FLOAT:
        return (frz_value){.form = FRZ_VALUE_NUMBER,
                           .number = (double)((const float *)data)[index]};
    case FRZ_TYPE_DOUBLE:
        return (frz_value){.form = FRZ_VALUE_NUMBER, .number = ((const double *)data)[index]};
    case FRZ_TYPE_DECIMAL:
        return decimal_value(array, index);
    case FRZ_TYPE_STRING:
    case FRZ_TYPE_BINARY:
        return offset_bytes(array, index);
    case FRZ_TYPE_UUID:
    case FRZ_TYPE_FIXED:
        return bytes_value((const uint8_t *)data + (size_t)index * width, width);
    case FRZ_TYPE_UNKNOWN:
        return (frz_value){.form = FRZ_VALUE_NULL};
    case FRZ_TYPE_VARIANT:
    case FRZ_TYPE_GEOMETRY:
    case FRZ_TYPE_GEOGRAPHY:
    case FRZ_TYPE_STRUCT:
    case FRZ_TYPE_LIST:
    case FRZ_TYPE_MAP:
        break;
    }
    return (frz_value){.form = FRZ_VALUE_STRUCT};
}

/* Moves from a list or map to the wanted entry; false when there is none. */
static bool enter(const frz_type *type, const frz_step *step, const struct ArrowArray **array,
                  int64_t *index)
{
    const int32_t *offsets = (*array)->buffers[1];
    const int64_t start = offsets[*index];
    const int64_t end = offsets[*index + 1];
    const struct ArrowArray *items = (*array)->children[0];
    if (step->kind == FRZ_STEP_ELEMENT) {
        if (step->index >= end - start)
            return false;
        *array = items;
        *index = items->offset + start + step->index;
        return true;
    }
    const struct ArrowArray *keys = items->children[0];
    for (int64_t i = items->offset + start; i < items->offset + end; i++) {
        const frz_value key = value_at(type->fields[0].type, keys, i + keys->offset);
        if (key.form == FRZ_VALUE_NULL || frz_value_compare(&key, &step->key) != 0)
            continue;
        *array = items->children[1];
        *index = i + items->children[1]->offset;
        return true;
    }
    return false;
}

frz_value frz_location_value(const frz_location *location, const struct ArrowArray *batch,
                             int64_t row)
{
    const frz_reference *reference = location->reference;
    const frz_value null_value = {.form = FRZ_VALUE_NULL};
    const struct ArrowArray *array = batch->children[location->children[0]];
    const frz_type *type = location->columns->fields[location->children[0]].type;
    int64_t index = batch->offset + row + array->offset;
    for (size_t i = 1; i < reference->step_count; i++) {
        const frz_step *step = &reference->steps[i];
        if (is_null_at(array, index))
            return null_value;
        if (step->kind == FRZ_STEP_SIZE) {
            const int32_t *offsets = array->buffers[1];
            return integer_value(offsets[index + 1] - offsets[index]);
        }
        if (step->kind == FRZ_STEP_FIELD) {
            array = array->children[location->children[i]];
            index += array->offset;
        } else if (!enter(type, step, &array, &index)) {
            return null_value;
        }
        type = type->fields[location->children[i]].type;
    }
    return value_at(location->type, array, index);
}
