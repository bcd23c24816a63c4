#include "write/sort_key.h"

#include <string.h>

#include "arrow/array.h"
#include "base/fail.h"

enum { NULL_FIRST = 0, PRESENT = 1, NULL_LAST = 2, NUMBER_SIZE = 8, DECIMAL_SIZE = 16 };

static const uint64_t sign = UINT64_C(1) << 63;

/* What the results of a field's transform take in a key. */
static void set_width(frz_sort_key_field *field)
{
    const frz_type *type = frz_transform_result_type(&field->field->transform, field->source.type);
    switch (frz_value_form_of(type->kind)) {
    case FRZ_VALUE_BOOLEAN:
        field->width = 1;
        break;
    case FRZ_VALUE_INTEGER:
    case FRZ_VALUE_NUMBER:
        field->width = NUMBER_SIZE;
        break;
    case FRZ_VALUE_DECIMAL:
        field->width = DECIMAL_SIZE;
        break;
    case FRZ_VALUE_BYTES:
        field->sized = type->kind == FRZ_TYPE_STRING || type->kind == FRZ_TYPE_BINARY;
        if (!field->sized)
            field->width = type->kind == FRZ_TYPE_UUID ? 16 : (size_t)type->length;
        break;
    case FRZ_VALUE_NULL:
    case FRZ_VALUE_STRUCT:
    case FRZ_VALUE_LIST:
        break; /* no transform makes the last two */
    }
}

static void set_stride(frz_sort_key *key)
{
    size_t size = FRZ_GROUP_SIZE;
    bool sized = false;
    for (size_t i = 0; i < key->count; i++) {
        size += 1 + key->fields[i].width;
        sized |= key->fields[i].sized;
    }
    key->stride = sized ? 0 : (size + FRZ_KEY_UNIT - 1) / FRZ_KEY_UNIT * FRZ_KEY_UNIT;
}

frz_status frz_sort_key_bind(const frz_sort_order *order, const frz_type *root, frz_arena *arena,
                             frz_sort_key *out, frz_error **err)
{
    frz_sort_key key = {frz_arena_array(arena, order->field_count + 1, sizeof *key.fields), 0, 0};
    if (!key.fields)
        return frz_fail_memory(err);
    for (size_t i = 0; i < order->field_count; i++) {
        const frz_sort_field *field = &order->fields[i];
        frz_sort_key_field *bound = &key.fields[key.count];
        if (field->transform.kind == FRZ_TRANSFORM_UNKNOWN || field->source_count != 1)
            return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                            "sort transform %s is read but not written", field->transform.text);
        bound->field = field;
        if (!frz_column_path_find(root, field->source_ids[0], &bound->source))
            continue;
        set_width(bound);
        key.count++;
    }
    set_stride(&key);
    *out = key;
    return FRZ_OK;
}

static void put_u64be(uint64_t value, uint8_t *to)
{
    const uint64_t bytes = __builtin_bswap64(value);
    memcpy(to, &bytes, sizeof bytes);
}

static void put_u32be(uint32_t value, uint8_t *to)
{
    const uint32_t bytes = __builtin_bswap32(value);
    memcpy(to, &bytes, sizeof bytes);
}

/* -NaN < -Infinity < -0 < 0 < Infinity < NaN: the bits as a number, negative ones turned around. */
static uint64_t order_of_number(double number)
{
    uint64_t bits = 0;
    memcpy(&bits, &number, sizeof bits);
    return bits & sign ? ~bits : bits | sign;
}

/* A zero byte becomes 00 FF, the end is 00 00: a prefix is less than what it starts. */
static void append_bytes(frz_slice bytes, frz_buffer *out)
{
    size_t start = 0;
    for (size_t i = 0; i < bytes.size; i++) {
        if (bytes.data[i] != 0)
            continue;
        frz_buffer_append(out, bytes.data + start, i + 1 - start);
        frz_buffer_append_byte(out, 0xff);
        start = i + 1;
    }
    frz_buffer_append(out, bytes.data + start, bytes.size - start);
    frz_buffer_append_fill(out, 0, 2);
}

/* A value that has the width of its field. */
static void put_value(const frz_value *value, size_t width, uint8_t *to)
{
    switch (value->form) {
    case FRZ_VALUE_BOOLEAN:
        *to = value->boolean;
        break;
    case FRZ_VALUE_INTEGER:
        put_u64be((uint64_t)value->integer ^ sign, to);
        break;
    case FRZ_VALUE_NUMBER:
        put_u64be(order_of_number(value->number), to);
        break;
    case FRZ_VALUE_DECIMAL:
        put_u64be((uint64_t)(value->decimal >> 64) ^ sign, to);
        put_u64be((uint64_t)value->decimal, to + NUMBER_SIZE);
        break;
    case FRZ_VALUE_BYTES:
        memcpy(to, value->bytes.data, value->bytes.size < width ? value->bytes.size : width);
        break;
    case FRZ_VALUE_NULL:
    case FRZ_VALUE_STRUCT:
    case FRZ_VALUE_LIST:
        break;
    }
}

static void turn_around(uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)~bytes[i];
}

static frz_status value_of(const frz_sort_key_field *field, const struct ArrowArray *batch,
                           int64_t row, frz_arena *scratch, frz_value *out, frz_error **err)
{
    frz_value source;
    frz_column_path_value(&field->source, batch, row, &source);
    if (field->field->transform.kind == FRZ_TRANSFORM_IDENTITY) {
        *out = source;
        return FRZ_OK;
    }
    return frz_transform_apply(&field->field->transform, field->source.type, &source, scratch, out,
                               err);
}

/* The byte that tells nulls. */
static uint8_t mark_of(const frz_sort_key_field *field, bool null)
{
    if (!null)
        return PRESENT;
    return field->field->nulls_last ? NULL_LAST : NULL_FIRST;
}

static void append_field(const frz_sort_key_field *field, const frz_value *value, frz_buffer *out)
{
    const bool null = value->form == FRZ_VALUE_NULL;
    frz_buffer_append_byte(out, mark_of(field, null));
    if (null)
        return;
    const size_t start = out->size;
    if (field->sized) {
        append_bytes(value->bytes, out);
    } else {
        uint8_t *to = frz_buffer_extend(out, field->width);
        if (to)
            put_value(value, field->width, to);
    }
    if (field->field->descending && !out->failed)
        turn_around(out->data + start, out->size - start);
}

/* Row by row: keys of any size. */
static frz_status fill_sized(const frz_sort_key *key, const struct ArrowArray *batch,
                             const uint32_t *groups, frz_arena *scratch, frz_sort_keys *out,
                             frz_error **err)
{
    for (int64_t row = 0; row < batch->length; row++) {
        frz_buffer_append_u32be(&out->bytes, groups ? groups[row] : 0);
        for (size_t i = 0; i < key->count; i++) {
            frz_value value;
            FRZ_TRY(value_of(&key->fields[i], batch, row, scratch, &value, err));
            append_field(&key->fields[i], &value, &out->bytes);
        }
        frz_sort_keys_end(out);
    }
    return FRZ_OK;
}

/* Field `field` of each key, `stride` bytes apart. */
static frz_status fill_values(const frz_sort_key_field *field, const struct ArrowArray *batch,
                              frz_arena *scratch, uint8_t *to, size_t stride, frz_error **err)
{
    for (int64_t row = 0; row < batch->length; row++, to += stride) {
        frz_value value;
        FRZ_TRY(value_of(field, batch, row, scratch, &value, err));
        *to = mark_of(field, value.form == FRZ_VALUE_NULL);
        if (value.form == FRZ_VALUE_NULL)
            continue;
        put_value(&value, field->width, to + 1);
        if (field->field->descending)
            turn_around(to + 1, field->width);
    }
    return FRZ_OK;
}

static uint64_t order_of_place(frz_type_kind kind, const void *values, int64_t at)
{
    switch ((int)kind) {
    case FRZ_TYPE_INT:
    case FRZ_TYPE_DATE:
        return (uint64_t)((const int32_t *)values)[at] ^ sign;
    case FRZ_TYPE_FLOAT:
        return order_of_number(((const float *)values)[at]);
    case FRZ_TYPE_DOUBLE:
        return order_of_number(((const double *)values)[at]);
    default:
        return (uint64_t)((const int64_t *)values)[at] ^ sign;
    }
}

/* `kind` is a constant where this is called. */
static inline __attribute__((always_inline)) void
fill_numbers(const frz_sort_key_field *field, frz_type_kind kind, const struct ArrowArray *column,
             int64_t base, int64_t length, uint8_t *to, size_t stride)
{
    const uint8_t *valid = column->null_count == 0 ? NULL : column->buffers[0];
    const uint64_t turn = field->field->descending ? UINT64_MAX : 0;
    const uint8_t null = mark_of(field, true);
    for (int64_t row = 0; row < length; row++, to += stride) {
        if (valid && !frz_bit_get(valid, base + row)) {
            *to = null;
            continue;
        }
        *to = PRESENT;
        put_u64be(order_of_place(kind, column->buffers[1], base + row) ^ turn, to + 1);
    }
}

/* Numbers as they are, of a column that is no member of a struct; false for others. */
static bool fill_plain(const frz_sort_key_field *field, const struct ArrowArray *batch, uint8_t *to,
                       size_t stride)
{
    const frz_column_path *path = &field->source;
    if (field->field->transform.kind != FRZ_TRANSFORM_IDENTITY || path->depth != 1 ||
        frz_arrow_null_count(batch) > 0)
        return false;
    const struct ArrowArray *column = batch->children[path->children[0]];
    const int64_t base = column->offset + batch->offset;
    switch ((int)path->type->kind) {
    case FRZ_TYPE_INT:
    case FRZ_TYPE_DATE:
        fill_numbers(field, FRZ_TYPE_INT, column, base, batch->length, to, stride);
        return true;
    case FRZ_TYPE_FLOAT:
        fill_numbers(field, FRZ_TYPE_FLOAT, column, base, batch->length, to, stride);
        return true;
    case FRZ_TYPE_DOUBLE:
        fill_numbers(field, FRZ_TYPE_DOUBLE, column, base, batch->length, to, stride);
        return true;
    case FRZ_TYPE_LONG:
    case FRZ_TYPE_TIME:
    case FRZ_TYPE_TIMESTAMP:
    case FRZ_TYPE_TIMESTAMPTZ:
    case FRZ_TYPE_TIMESTAMP_NS:
    case FRZ_TYPE_TIMESTAMPTZ_NS:
        fill_numbers(field, FRZ_TYPE_LONG, column, base, batch->length, to, stride);
        return true;
    default:
        return false;
    }
}

/* Field by field: keys of one size, zeros where nothing stands. */
static frz_status fill_strided(const frz_sort_key *key, const struct ArrowArray *batch,
                               const uint32_t *groups, frz_arena *scratch, frz_sort_keys *out,
                               frz_error **err)
{
    const size_t size = (size_t)batch->length * key->stride;
    uint8_t *keys = frz_buffer_extend(&out->bytes, size);
    if (!keys)
        return frz_fail_memory(err);
    memset(keys, 0, size);
    out->count = (size_t)batch->length;
    for (size_t row = 0; groups && row < out->count; row++)
        put_u32be(groups[row], keys + row * key->stride);
    uint8_t *to = keys + FRZ_GROUP_SIZE;
    for (size_t i = 0; i < key->count; i++) {
        const frz_sort_key_field *field = &key->fields[i];
        if (!fill_plain(field, batch, to, key->stride))
            FRZ_TRY(fill_values(field, batch, scratch, to, key->stride, err));
        to += 1 + field->width;
    }
    return FRZ_OK;
}

frz_status frz_sort_key_fill(const frz_sort_key *key, const struct ArrowArray *batch,
                             const uint32_t *groups, frz_arena *scratch, frz_sort_keys *out,
                             frz_error **err)
{
    out->stride = key->stride;
    frz_sort_keys_reset(out);
    if (key->stride == 0)
        FRZ_TRY(fill_sized(key, batch, groups, scratch, out, err));
    else
        FRZ_TRY(fill_strided(key, batch, groups, scratch, out, err));
    return frz_sort_keys_check(out, err);
}
