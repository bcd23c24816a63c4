#include "write/sort_key.h"

#include <string.h>

#include "base/fail.h"

enum { NULL_FIRST = 0, PRESENT = 1, NULL_LAST = 2 };

frz_status frz_sort_key_bind(const frz_sort_order *order, const frz_type *root, frz_arena *arena,
                             frz_sort_key *out, frz_error **err)
{
    frz_sort_key key = {frz_arena_array(arena, order->field_count + 1, sizeof *key.fields), 0};
    if (!key.fields)
        return frz_fail_memory(err);
    for (size_t i = 0; i < order->field_count; i++) {
        const frz_sort_field *field = &order->fields[i];
        frz_sort_key_field *bound = &key.fields[key.count];
        if (field->transform.kind == FRZ_TRANSFORM_UNKNOWN || field->source_count != 1)
            return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                            "sort transform %s is read but not written", field->transform.text);
        bound->field = field;
        if (frz_column_path_find(root, field->source_ids[0], &bound->source))
            key.count++;
    }
    *out = key;
    return FRZ_OK;
}

static void append_u64be(uint64_t value, frz_buffer *out)
{
    frz_buffer_append_u32be(out, (uint32_t)(value >> 32));
    frz_buffer_append_u32be(out, (uint32_t)value);
}

/* -NaN < -Infinity < -0 < 0 < Infinity < NaN: the bits as a number, negative ones turned around. */
static void append_float(double number, frz_buffer *out)
{
    static const uint64_t sign = UINT64_C(1) << 63;
    uint64_t bits = 0;
    memcpy(&bits, &number, sizeof bits);
    append_u64be(bits & sign ? ~bits : bits | sign, out);
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

static void append_value(const frz_value *value, frz_buffer *out)
{
    static const uint64_t sign = UINT64_C(1) << 63;
    switch (value->form) {
    case FRZ_VALUE_BOOLEAN:
        frz_buffer_append_byte(out, value->boolean);
        break;
    case FRZ_VALUE_INTEGER:
        append_u64be((uint64_t)value->integer ^ sign, out);
        break;
    case FRZ_VALUE_NUMBER:
        append_float(value->number, out);
        break;
    case FRZ_VALUE_DECIMAL:
        append_u64be((uint64_t)(value->decimal >> 64) ^ sign, out);
        append_u64be((uint64_t)value->decimal, out);
        break;
    case FRZ_VALUE_BYTES:
        append_bytes(value->bytes, out);
        break;
    case FRZ_VALUE_NULL:
    case FRZ_VALUE_STRUCT:
    case FRZ_VALUE_LIST:
        break; /* no transform makes the last two */
    }
}

static void append_field(const frz_sort_field *field, const frz_value *value, frz_buffer *out)
{
    if (value->form == FRZ_VALUE_NULL) {
        frz_buffer_append_byte(out, field->nulls_last ? NULL_LAST : NULL_FIRST);
        return;
    }
    frz_buffer_append_byte(out, PRESENT);
    const size_t start = out->size;
    append_value(value, out);
    if (field->descending && !out->failed) {
        for (size_t i = start; i < out->size; i++)
            out->data[i] = (uint8_t)~out->data[i];
    }
}

frz_status frz_sort_key_append(const frz_sort_key *key, const struct ArrowArray *batch, int64_t row,
                               frz_arena *scratch, frz_buffer *out, frz_error **err)
{
    for (size_t i = 0; i < key->count; i++) {
        const frz_sort_key_field *field = &key->fields[i];
        frz_value source;
        frz_value value;
        frz_column_path_value(&field->source, batch, row, &source);
        FRZ_TRY(frz_transform_apply(&field->field->transform, field->source.type, &source, scratch,
                                    &value, err));
        append_field(field->field, &value, out);
    }
    return frz_buffer_check(out, err);
}
