#include "avro/column.h"

#include <assert.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/fail.h"

/* Arrow's 32-bit offsets end here. */
#define COLUMN_BYTES_MAX ((size_t)INT32_MAX)

/* Bytes of a value, by the first letters of its Arrow format; 0 when it has no fixed width. */
static size_t width_of(const frz_arrow_type *type)
{
    switch ((int)type->kind) {
    case FRZ_ARROW_INT8:
    case FRZ_ARROW_UINT8:
        return 1;
    case FRZ_ARROW_INT16:
    case FRZ_ARROW_UINT16:
    case FRZ_ARROW_HALF:
        return 2;
    case FRZ_ARROW_INT32:
    case FRZ_ARROW_UINT32:
    case FRZ_ARROW_FLOAT:
    case FRZ_ARROW_DATE32:
    case FRZ_ARROW_TIME32:
        return 4;
    case FRZ_ARROW_INT64:
    case FRZ_ARROW_UINT64:
    case FRZ_ARROW_DOUBLE:
    case FRZ_ARROW_DATE64:
    case FRZ_ARROW_TIME64:
    case FRZ_ARROW_TIMESTAMP:
    case FRZ_ARROW_DURATION:
        return 8;
    case FRZ_ARROW_DECIMAL:
        return 16;
    case FRZ_ARROW_FIXED:
        return (size_t)type->width;
    default:
        return 0;
    }
}

frz_status frz_avro_column_absent(frz_avro_column *column, const char *format, frz_arena *arena,
                                  frz_error **err)
{
    frz_arrow_type type = {0};
    FRZ_TRY(frz_arrow_type_parse(format, &type, err));
    column->width = width_of(&type);
    if (type.kind == FRZ_ARROW_NULL)
        column->layout = FRZ_AVRO_LAYOUT_NULL;
    else if (type.kind == FRZ_ARROW_BOOL)
        column->layout = FRZ_AVRO_LAYOUT_BITS;
    else if (type.kind == FRZ_ARROW_STRING || type.kind == FRZ_ARROW_BINARY)
        column->layout = FRZ_AVRO_LAYOUT_VARIABLE;
    else if (column->width)
        column->layout = FRZ_AVRO_LAYOUT_WIDTH;
    else
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "absent field %s cannot have the Arrow type %s", column->name, format);
    column->format = frz_arena_text(arena, format);
    return column->format ? FRZ_OK : frz_fail_memory(err);
}

static frz_avro_fault grow(frz_avro_column *column, frz_buffer *buffer, size_t size, bool zeroed)
{
    const size_t old = buffer->capacity;
    if (size <= old)
        return FRZ_AVRO_FAULT_NONE;
    if (size - old > column->budget->max - column->budget->used)
        return FRZ_AVRO_FAULT_TOO_MUCH;
    const size_t kept = buffer->size;
    if (!frz_buffer_reserve(buffer, size - kept)) {
        frz_buffer_reset(buffer);
        buffer->size = kept;
        return FRZ_AVRO_FAULT_MEMORY;
    }
    if (zeroed)
        memset(buffer->data + old, 0, buffer->capacity - old);
    const size_t grown = buffer->capacity - old;
    column->budget->used += grown < column->budget->max - column->budget->used
                                ? grown
                                : column->budget->max - column->budget->used;
    return FRZ_AVRO_FAULT_NONE;
}

/* Buffers that are addressed by row keep `size` at 0 until finish, so their whole contents must be
 * told to the buffer before it moves. */
static frz_avro_fault grow_rows(frz_avro_column *column, frz_buffer *buffer, size_t size,
                                bool zeroed)
{
    buffer->size = buffer->capacity;
    const frz_avro_fault fault = grow(column, buffer, size, zeroed);
    buffer->size = 0;
    return fault;
}

static frz_avro_fault grow_to(frz_avro_column *column, size_t rows)
{
    const size_t bits = (rows + 7) / 8;
    size_t size = 0;
    frz_avro_fault fault = FRZ_AVRO_FAULT_NONE;
    if (column->nullable)
        fault = grow_rows(column, &column->validity, bits, true);
    if (fault != FRZ_AVRO_FAULT_NONE)
        return fault;
    switch (column->layout) {
    case FRZ_AVRO_LAYOUT_BITS:
        return grow_rows(column, &column->values, bits, true);
    case FRZ_AVRO_LAYOUT_UNION:
        return grow_rows(column, &column->values, rows ? rows : 1, false);
    case FRZ_AVRO_LAYOUT_WIDTH:
        if (__builtin_mul_overflow(rows, column->width, &size))
            return FRZ_AVRO_FAULT_TOO_MUCH;
        return grow_rows(column, &column->values, size ? size : 1, false);
    case FRZ_AVRO_LAYOUT_VARIABLE:
    case FRZ_AVRO_LAYOUT_LIST:
        fault = grow_rows(column, &column->offsets, 4 * (rows + 1), false);
        if (fault == FRZ_AVRO_FAULT_NONE && column->length == 0)
            memset(column->offsets.data, 0, 4);
        return fault;
    case FRZ_AVRO_LAYOUT_NULL:
    case FRZ_AVRO_LAYOUT_STRUCT:
        break;
    }
    return FRZ_AVRO_FAULT_NONE;
}

frz_avro_fault frz_avro_column_reserve(frz_avro_column *column, uint64_t count)
{
    if (count > (uint64_t)INT32_MAX - (uint64_t)column->length)
        return FRZ_AVRO_FAULT_TOO_MUCH;
    const int64_t needed = column->length + (int64_t)count;
    if (needed > column->capacity || column->capacity == 0) {
        const int64_t doubled = column->length ? 2 * column->capacity : 0;
        const int64_t rows = needed > doubled ? needed : doubled;
        const frz_avro_fault fault = grow_to(column, (size_t)rows);
        if (fault != FRZ_AVRO_FAULT_NONE)
            return fault;
        column->capacity = rows;
    }
    if (column->layout != FRZ_AVRO_LAYOUT_STRUCT && column->layout != FRZ_AVRO_LAYOUT_UNION)
        return FRZ_AVRO_FAULT_NONE;
    for (size_t i = 0; i < column->child_count; i++) {
        const frz_avro_fault fault = frz_avro_column_reserve(&column->children[i], count);
        if (fault != FRZ_AVRO_FAULT_NONE)
            return fault;
    }
    return FRZ_AVRO_FAULT_NONE;
}

frz_avro_fault frz_avro_column_reserve_bytes(frz_avro_column *column, size_t size)
{
    if (size > COLUMN_BYTES_MAX - column->bytes.size)
        return FRZ_AVRO_FAULT_TOO_MUCH;
    const size_t doubled = column->bytes.capacity < COLUMN_BYTES_MAX / 2
                               ? 2 * column->bytes.capacity
                               : column->bytes.capacity;
    const size_t needed = column->bytes.size + size;
    const frz_avro_fault fault =
        grow(column, &column->bytes, needed > doubled ? needed : doubled, false);
    if (fault == FRZ_AVRO_FAULT_TOO_MUCH)
        return grow(column, &column->bytes, needed, false);
    return fault;
}

void frz_avro_column_put_null(frz_avro_column *column)
{
    const size_t row = (size_t)column->length;
    assert(column->length < column->capacity);
    if (column->layout == FRZ_AVRO_LAYOUT_WIDTH && column->width)
        memset(column->values.data + row * column->width, 0, column->width);
    if (column->layout == FRZ_AVRO_LAYOUT_VARIABLE || column->layout == FRZ_AVRO_LAYOUT_LIST)
        memcpy(column->offsets.data + 4 * (row + 1), column->offsets.data + 4 * row, 4);
    if (column->layout == FRZ_AVRO_LAYOUT_UNION)
        column->values.data[row] = 0;
    if (column->layout == FRZ_AVRO_LAYOUT_STRUCT || column->layout == FRZ_AVRO_LAYOUT_UNION)
        for (size_t i = 0; i < column->child_count; i++)
            frz_avro_column_put_null(&column->children[i]);
    column->length++;
    column->null_count += column->nullable || column->layout == FRZ_AVRO_LAYOUT_NULL;
}

void frz_avro_column_put_branch(frz_avro_column *column, size_t branch)
{
    column->values.data[column->length] = (uint8_t)branch;
    for (size_t i = 0; i < column->child_count; i++)
        if (i != branch)
            frz_avro_column_put_null(&column->children[i]);
    column->length++;
}

/* Sets the sizes that the rows have filled, and drops a validity that says nothing. */
static void settle(frz_avro_column *column)
{
    const size_t rows = (size_t)column->length;
    const size_t bits = (rows + 7) / 8;
    if (column->null_count > 0 && column->layout != FRZ_AVRO_LAYOUT_NULL)
        column->validity.size = bits;
    else
        frz_buffer_clear(&column->validity);
    if (column->layout == FRZ_AVRO_LAYOUT_BITS)
        column->values.size = bits;
    if (column->layout == FRZ_AVRO_LAYOUT_UNION)
        column->values.size = rows;
    if (column->layout == FRZ_AVRO_LAYOUT_WIDTH)
        column->values.size = rows * column->width;
    if (column->layout == FRZ_AVRO_LAYOUT_VARIABLE || column->layout == FRZ_AVRO_LAYOUT_LIST)
        column->offsets.size = column->offsets.data ? 4 * (rows + 1) : 0;
}

static int64_t take_buffers(frz_avro_column *column, frz_buffer buffers[3])
{
    buffers[0] = column->validity;
    column->validity = (frz_buffer){0};
    switch (column->layout) {
    case FRZ_AVRO_LAYOUT_NULL:
        frz_buffer_clear(&buffers[0]);
        return 0;
    case FRZ_AVRO_LAYOUT_STRUCT:
        return 1;
    case FRZ_AVRO_LAYOUT_UNION:
        frz_buffer_clear(&buffers[0]);
        buffers[0] = column->values;
        column->values = (frz_buffer){0};
        return 1;
    case FRZ_AVRO_LAYOUT_BITS:
    case FRZ_AVRO_LAYOUT_WIDTH:
        buffers[1] = column->values;
        column->values = (frz_buffer){0};
        return 2;
    case FRZ_AVRO_LAYOUT_LIST:
        buffers[1] = column->offsets;
        column->offsets = (frz_buffer){0};
        return 2;
    case FRZ_AVRO_LAYOUT_VARIABLE:
        break;
    }
    buffers[1] = column->offsets;
    buffers[2] = column->bytes;
    column->offsets = column->bytes = (frz_buffer){0};
    return 3;
}

frz_status frz_avro_column_finish(frz_avro_column *column, struct ArrowArray *out, frz_error **err)
{
    struct ArrowArray array = {0};
    frz_buffer buffers[3] = {{0}};
    frz_status status = FRZ_OK;
    if (frz_avro_column_reserve(column, 0) != FRZ_AVRO_FAULT_NONE) { /* the one offset of no rows */
        frz_avro_column_clear(column);
        return frz_fail_memory(err);
    }
    settle(column);
    const int64_t buffer_count = take_buffers(column, buffers);
    FRZ_TRY_DONE(frz_arrow_array_init(&array, column->length, column->null_count, buffers,
                                      buffer_count, (int64_t)column->child_count, err));
    for (size_t i = 0; i < column->child_count; i++)
        FRZ_TRY_DONE(frz_avro_column_finish(&column->children[i], array.children[i], err));
    *out = array;
    array = (struct ArrowArray){0};
done:
    frz_arrow_array_clear(&array);
    frz_avro_column_clear(column);
    return status;
}

frz_status frz_avro_column_schema(const frz_avro_column *column, struct ArrowSchema *out,
                                  frz_error **err)
{
    struct ArrowSchema schema = {0};
    frz_status status =
        frz_arrow_schema_init(&schema, column->format, column->name, column->nullable,
                              column->field_id, (int64_t)column->child_count, err);
    if (status != FRZ_OK)
        return status;
    for (size_t i = 0; i < column->child_count; i++) {
        status = frz_avro_column_schema(&column->children[i], schema.children[i], err);
        if (status != FRZ_OK) {
            frz_arrow_schema_clear(&schema);
            return status;
        }
    }
    *out = schema;
    return FRZ_OK;
}

uint64_t frz_avro_column_row_size(const frz_avro_column *column)
{
    uint64_t size = 1;
    if (column->layout == FRZ_AVRO_LAYOUT_WIDTH)
        size += column->width;
    if (column->layout == FRZ_AVRO_LAYOUT_VARIABLE || column->layout == FRZ_AVRO_LAYOUT_LIST)
        size += sizeof(int32_t);
    if (column->layout == FRZ_AVRO_LAYOUT_STRUCT || column->layout == FRZ_AVRO_LAYOUT_UNION)
        for (size_t i = 0; i < column->child_count; i++)
            size += frz_avro_column_row_size(&column->children[i]);
    return size;
}

void frz_avro_column_clear(frz_avro_column *column)
{
    frz_buffer_clear(&column->validity);
    frz_buffer_clear(&column->values);
    frz_buffer_clear(&column->offsets);
    frz_buffer_clear(&column->bytes);
    column->length = column->null_count = column->capacity = 0;
    if (column->budget)
        column->budget->used = 0;
    for (size_t i = 0; i < column->child_count; i++)
        frz_avro_column_clear(&column->children[i]);
}
