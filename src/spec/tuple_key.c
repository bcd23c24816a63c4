#include "spec/tuple_key.h"

#include <string.h>

/* A number as equality of partition tuples sees it: all NaNs one value, -0.0 and 0.0 two. */
static uint64_t number_bits(double number)
{
    uint64_t bits = 0;
    if (number != number)
        return UINT64_C(0x7ff8000000000000);
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static void append_value(const frz_value *value, frz_buffer *out)
{
    frz_buffer_append_byte(out, (uint8_t)value->form);
    switch (value->form) {
    case FRZ_VALUE_BOOLEAN:
        frz_buffer_append_byte(out, value->boolean);
        break;
    case FRZ_VALUE_INTEGER:
        frz_buffer_append_u64le(out, (uint64_t)value->integer);
        break;
    case FRZ_VALUE_NUMBER:
        frz_buffer_append_u64le(out, number_bits(value->number));
        break;
    case FRZ_VALUE_DECIMAL:
        frz_buffer_append(out, &value->decimal, sizeof value->decimal);
        break;
    case FRZ_VALUE_BYTES:
        frz_buffer_append_u64le(out, value->bytes.size);
        frz_buffer_append(out, value->bytes.data, value->bytes.size);
        break;
    case FRZ_VALUE_NULL:
    case FRZ_VALUE_STRUCT:
    case FRZ_VALUE_LIST:
        break;
    }
}

void frz_tuple_key(const frz_value *values, size_t count, frz_buffer *out)
{
    for (size_t i = 0; i < count; i++)
        append_value(&values[i], out);
}
