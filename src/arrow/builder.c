#include "arrow/builder.h"

#include <assert.h>
#include <string.h>

#include "arrow/array.h"
#include "base/buffer.h"
#include "base/fail.h"
#include "base/mem.h"

/* How the values of a type are stored while building. */
typedef enum value_storage {
    STORAGE_NONE, /* the null type */
    STORAGE_BITS,
    STORAGE_FIXED, /* `width` bytes each */
    STORAGE_BYTES, /* offsets and data */
    STORAGE_STRUCT,
    STORAGE_LIST
} value_storage;

struct frz_arrow_builder {
    frz_arrow_type type;
    value_storage storage;
    size_t width;
    int64_t length;
    int64_t null_count;
    bool failed;         /* memory was short in some append */
    frz_buffer validity; /* empty until the first null */
    frz_buffer offsets;  /* int32, length + 1 entries */
    frz_buffer data;
    frz_arrow_builder **children;
    size_t child_count;
};

static bool storage_of(const frz_arrow_type *type, value_storage *out)
{
    if (type->kind == FRZ_ARROW_NULL)
        *out = STORAGE_NONE;
    else if (type->kind == FRZ_ARROW_BOOL)
        *out = STORAGE_BITS;
    else if (type->kind == FRZ_ARROW_STRING || type->kind == FRZ_ARROW_BINARY)
        *out = STORAGE_BYTES;
    else if (type->kind == FRZ_ARROW_STRUCT)
        *out = STORAGE_STRUCT;
    else if (type->kind == FRZ_ARROW_LIST || type->kind == FRZ_ARROW_MAP)
        *out = STORAGE_LIST;
    else if (frz_arrow_type_width(type) > 0 && type->kind != FRZ_ARROW_DECIMAL_OTHER &&
             type->kind != FRZ_ARROW_HALF)
        *out = STORAGE_FIXED;
    else
        return false;
    return true;
}

static bool start_offsets(frz_arrow_builder *builder)
{
    if (builder->storage == STORAGE_BYTES || builder->storage == STORAGE_LIST)
        frz_buffer_append_u32le(&builder->offsets, 0);
    return !builder->offsets.failed;
}

static frz_status build_children(const struct ArrowSchema *schema, frz_arrow_builder *builder,
                                 frz_error **err)
{
    if (schema->n_children == 0)
        return FRZ_OK;
    const size_t count = (size_t)schema->n_children;
    builder->children = frz_alloc_array(count, sizeof(frz_arrow_builder *));
    if (!builder->children)
        return frz_fail_memory(err);
    builder->child_count = count;
    for (size_t i = 0; i < count; i++)
        FRZ_TRY(frz_arrow_builder_new(schema->children[i], &builder->children[i], err));
    return FRZ_OK;
}

frz_status frz_arrow_builder_new(const struct ArrowSchema *schema, frz_arrow_builder **out,
                                 frz_error **err)
{
    frz_arrow_type type;
    value_storage storage = STORAGE_NONE;
    FRZ_TRY(frz_arrow_type_parse(schema->format, &type, err));
    if (schema->dictionary || !storage_of(&type, &storage))
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "building a column of Arrow type %s%s",
                        schema->dictionary ? "dictionary of " : "", frz_arrow_kind_name(type.kind));
    frz_arrow_builder *builder = frz_alloc_zero(sizeof *builder);
    if (!builder)
        return frz_fail_memory(err);
    builder->type = type;
    builder->storage = storage;
    builder->width = frz_arrow_type_width(&type);
    frz_status status = build_children(schema, builder, err);
    if (status == FRZ_OK && !start_offsets(builder))
        status = frz_fail_memory(err);
    if (status != FRZ_OK) {
        frz_arrow_builder_free(builder);
        return status;
    }
    *out = builder;
    return FRZ_OK;
}

void frz_arrow_builder_free(frz_arrow_builder *builder)
{
    if (!builder)
        return;
    for (size_t i = 0; i < builder->child_count; i++)
        frz_arrow_builder_free(builder->children[i]);
    frz_free((void *)builder->children);
    frz_buffer_clear(&builder->validity);
    frz_buffer_clear(&builder->offsets);
    frz_buffer_clear(&builder->data);
    frz_free(builder);
}

int64_t frz_arrow_builder_length(const frz_arrow_builder *builder)
{
    return builder->length;
}

/* Sets bit `index` of a bitmap that has `index` bits so far. */
static void append_bit(frz_buffer *bits, int64_t index, bool value)
{
    if ((index & 7) == 0)
        frz_buffer_append_byte(bits, 0);
    if (value && !bits->failed)
        frz_bit_set(bits->data, index);
}

static void append_validity(frz_arrow_builder *builder, bool valid)
{
    if (valid && builder->null_count == 0) {
        builder->length++;
        return;
    }
    if (builder->null_count == 0) {
        const size_t before = (size_t)builder->length;
        builder->validity.size = 0;
        frz_buffer_append_fill(&builder->validity, 0xff, before / 8);
        if (before % 8)
            frz_buffer_append_byte(&builder->validity, (uint8_t)((1u << before % 8) - 1));
    }
    append_bit(&builder->validity, builder->length, valid);
    builder->null_count += !valid;
    builder->length++;
}

static int32_t last_offset(const frz_arrow_builder *builder)
{
    int32_t offset = 0;
    if (builder->offsets.size >= sizeof offset)
        memcpy(&offset, builder->offsets.data + builder->offsets.size - sizeof offset,
               sizeof offset);
    return offset;
}

/* Closes a row at `end` bytes or items; a column of one batch holds less than 2^31 of them. */
static void append_offset(frz_arrow_builder *builder, int64_t end)
{
    if (end > INT32_MAX)
        builder->failed = true;
    else
        frz_buffer_append_u32le(&builder->offsets, (uint32_t)end);
}

void frz_arrow_append_null(frz_arrow_builder *builder)
{
    switch (builder->storage) {
    case STORAGE_NONE:
        builder->length++;
        builder->null_count++;
        return;
    case STORAGE_BITS:
        append_bit(&builder->data, builder->length, false);
        break;
    case STORAGE_FIXED:
        frz_buffer_append_fill(&builder->data, 0, builder->width);
        break;
    case STORAGE_BYTES:
    case STORAGE_LIST:
        append_offset(builder, last_offset(builder));
        break;
    case STORAGE_STRUCT:
        for (size_t i = 0; i < builder->child_count; i++)
            frz_arrow_append_null(builder->children[i]);
        break;
    }
    append_validity(builder, false);
}

void frz_arrow_append_bool(frz_arrow_builder *builder, bool value)
{
    assert(builder->storage == STORAGE_BITS);
    append_bit(&builder->data, builder->length, value);
    append_validity(builder, true);
}

void frz_arrow_append_i64(frz_arrow_builder *builder, int64_t value)
{
    assert(builder->storage == STORAGE_FIXED && builder->width <= 8);
    /* Little-endian machines only: the low bytes are the narrower integer. */
    frz_buffer_append(&builder->data, &value, builder->width);
    append_validity(builder, true);
}

void frz_arrow_append_f64(frz_arrow_builder *builder, double value)
{
    assert(builder->type.kind == FRZ_ARROW_DOUBLE || builder->type.kind == FRZ_ARROW_FLOAT);
    const float narrow = (float)value;
    if (builder->type.kind == FRZ_ARROW_DOUBLE)
        frz_buffer_append(&builder->data, &value, sizeof value);
    else
        frz_buffer_append(&builder->data, &narrow, sizeof narrow);
    append_validity(builder, true);
}

void frz_arrow_append_decimal(frz_arrow_builder *builder, frz_int128 unscaled)
{
    assert(builder->type.kind == FRZ_ARROW_DECIMAL);
    frz_buffer_append(&builder->data, &unscaled, sizeof unscaled);
    append_validity(builder, true);
}

void frz_arrow_append_bytes(frz_arrow_builder *builder, frz_slice value)
{
    if (builder->storage == STORAGE_BYTES) {
        frz_buffer_append(&builder->data, value.data, value.size);
        append_offset(builder, (int64_t)builder->data.size);
    } else {
        assert(builder->type.kind == FRZ_ARROW_FIXED && value.size == builder->width);
        frz_buffer_append(&builder->data, value.data, value.size);
    }
    append_validity(builder, true);
}

frz_arrow_builder *frz_arrow_builder_child(frz_arrow_builder *builder, size_t index)
{
    assert(index < builder->child_count);
    return builder->children[index];
}

void frz_arrow_append_struct(frz_arrow_builder *builder)
{
    assert(builder->storage == STORAGE_STRUCT);
    append_validity(builder, true);
    for (size_t i = 0; i < builder->child_count; i++)
        assert(builder->children[i]->length == builder->length);
}

void frz_arrow_append_list(frz_arrow_builder *builder)
{
    assert(builder->storage == STORAGE_LIST);
    append_offset(builder, builder->children[0]->length);
    append_validity(builder, true);
}

static int32_t offset_at(const struct ArrowArray *array, int64_t index)
{
    int32_t offset = 0;
    memcpy(&offset, (const uint8_t *)array->buffers[1] + (size_t)index * sizeof offset,
           sizeof offset);
    return offset;
}

void frz_arrow_append_row(frz_arrow_builder *builder, const struct ArrowArray *array, int64_t index)
{
    const int64_t at = array->offset + index;
    if (builder->storage == STORAGE_NONE || frz_arrow_is_null(array, index)) {
        frz_arrow_append_null(builder);
        return;
    }
    switch (builder->storage) {
    case STORAGE_NONE:
        break;
    case STORAGE_BITS:
        append_bit(&builder->data, builder->length, frz_bit_get(array->buffers[1], at));
        break;
    case STORAGE_FIXED:
        frz_buffer_append(&builder->data,
                          (const uint8_t *)array->buffers[1] + (size_t)at * builder->width,
                          builder->width);
        break;
    case STORAGE_BYTES: {
        const int32_t start = offset_at(array, at);
        frz_buffer_append(&builder->data, (const uint8_t *)array->buffers[2] + start,
                          (size_t)(offset_at(array, at + 1) - start));
        append_offset(builder, (int64_t)builder->data.size);
        break;
    }
    case STORAGE_STRUCT:
        for (size_t i = 0; i < builder->child_count; i++)
            frz_arrow_append_row(builder->children[i], array->children[i], at);
        break;
    case STORAGE_LIST:
        for (int32_t i = offset_at(array, at); i < offset_at(array, at + 1); i++)
            frz_arrow_append_row(builder->children[0], array->children[0], i);
        append_offset(builder, builder->children[0]->length);
        break;
    }
    append_validity(builder, true);
}

static void truncate_bits(frz_buffer *bits, int64_t length)
{
    const size_t size = (size_t)(length + 7) / 8;
    if (bits->size > size)
        bits->size = size;
    if (length & 7 && bits->size == size)
        bits->data[size - 1] &= (uint8_t)((1u << (length & 7)) - 1);
}

void frz_arrow_builder_truncate(frz_arrow_builder *builder, int64_t length)
{
    if (builder->length <= length)
        return;
    if (builder->null_count && builder->storage != STORAGE_NONE && !builder->validity.failed) {
        truncate_bits(&builder->validity, length);
        builder->null_count = length - frz_bit_count(builder->validity.data, 0, length);
    }
    if (builder->storage == STORAGE_NONE)
        builder->null_count = length;
    if (builder->storage == STORAGE_BITS && !builder->data.failed)
        truncate_bits(&builder->data, length);
    if (builder->storage == STORAGE_FIXED && !builder->data.failed)
        builder->data.size = (size_t)length * builder->width;
    if (builder->offsets.size > ((size_t)length + 1) * sizeof(int32_t))
        builder->offsets.size = ((size_t)length + 1) * sizeof(int32_t);
    if (builder->storage == STORAGE_BYTES && !builder->data.failed)
        builder->data.size = (size_t)last_offset(builder);
    for (size_t i = 0; i < builder->child_count; i++)
        frz_arrow_builder_truncate(
            builder->children[i], builder->storage == STORAGE_LIST ? last_offset(builder) : length);
    builder->length = length;
}

/* The buffers of one node, in Arrow's order; returns their number. */
static int64_t take_buffers(frz_arrow_builder *builder, frz_buffer buffers[3])
{
    int64_t count = 0;
    if (builder->storage == STORAGE_NONE)
        return 0;
    if (builder->null_count == 0)
        frz_buffer_reset(&builder->validity);
    buffers[count++] = builder->validity;
    builder->validity = (frz_buffer){0};
    if (builder->storage == STORAGE_BYTES || builder->storage == STORAGE_LIST) {
        buffers[count++] = builder->offsets;
        builder->offsets = (frz_buffer){0};
    }
    if (builder->storage != STORAGE_STRUCT && builder->storage != STORAGE_LIST) {
        buffers[count++] = builder->data;
        builder->data = (frz_buffer){0};
    }
    return count;
}

/* Children may lag behind a failed parent; then the parent says so. */
frz_status frz_arrow_builder_finish(frz_arrow_builder *builder, struct ArrowArray *out,
                                    frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_buffer buffers[3] = {0};
    struct ArrowArray array = {0};
    const bool failed = builder->failed;
    const int64_t length = builder->length;
    const int64_t null_count = builder->null_count;
    const int64_t buffer_count = take_buffers(builder, buffers);
    builder->length = 0;
    builder->null_count = 0;
    builder->failed = !start_offsets(builder);
    FRZ_TRY_DONE(frz_arrow_array_init(&array, length, null_count, buffers, buffer_count,
                                      (int64_t)builder->child_count, err));
    if (failed || builder->failed)
        status = frz_fail_memory(err);
done:
    for (size_t i = 0; i < builder->child_count; i++) {
        struct ArrowArray child = {0};
        const frz_status child_status =
            frz_arrow_builder_finish(builder->children[i], &child, status == FRZ_OK ? err : NULL);
        if (status == FRZ_OK && child_status == FRZ_OK)
            *array.children[i] = child;
        else
            frz_arrow_array_clear(&child);
        if (status == FRZ_OK)
            status = child_status;
    }
    if (status == FRZ_OK)
        *out = array;
    else
        frz_arrow_array_clear(&array);
    return status;
}
