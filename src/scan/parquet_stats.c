#include "scan/parquet_stats.h"

#include "base/calendar.h"
#include "base/cursor.h"

static bool integer_of(const frz_parquet_node *node, frz_slice bytes, int64_t *out)
{
    frz_cursor cursor = frz_cursor_over_slice(bytes);
    const bool is_unsigned = node->logical == FRZ_PARQUET_LOGICAL_INTEGER && !node->is_signed;
    if (node->type == FRZ_PARQUET_INT32 && bytes.size == 4) {
        const uint32_t raw = frz_cursor_u32le(&cursor);
        *out = is_unsigned ? (int64_t)raw : (int32_t)raw;
        return true;
    }
    if (node->type == FRZ_PARQUET_INT64 && bytes.size == 8) {
        *out = (int64_t)frz_cursor_u64le(&cursor);
        return !is_unsigned || *out >= 0; /* no long is as large */
    }
    return false;
}

static bool integer_value(const frz_parquet_node *node, frz_slice bytes, frz_value *out)
{
    out->form = FRZ_VALUE_INTEGER;
    return integer_of(node, bytes, &out->integer);
}

static bool number_value(const frz_parquet_node *node, frz_slice bytes, frz_value *out)
{
    frz_cursor cursor = frz_cursor_over_slice(bytes);
    out->form = FRZ_VALUE_NUMBER;
    if (node->type == FRZ_PARQUET_FLOAT && bytes.size == 4) {
        const uint32_t bits = frz_cursor_u32le(&cursor);
        float number = 0;
        memcpy(&number, &bits, sizeof number);
        out->number = number;
    } else if (node->type == FRZ_PARQUET_DOUBLE && bytes.size == 8) {
        const uint64_t bits = frz_cursor_u64le(&cursor);
        memcpy(&out->number, &bits, sizeof out->number);
    } else {
        return false;
    }
    return true;
}

/* Integers are little-endian, byte arrays big-endian two's complement (Parquet LogicalTypes,
 * DECIMAL). */
static bool decimal_value(const frz_parquet_node *node, frz_slice bytes, const frz_type *type,
                          frz_value *out)
{
    int64_t integer = 0;
    if (node->logical != FRZ_PARQUET_LOGICAL_DECIMAL || node->scale != type->scale)
        return false;
    out->form = FRZ_VALUE_DECIMAL;
    if (node->type == FRZ_PARQUET_INT32 || node->type == FRZ_PARQUET_INT64) {
        if (!integer_of(node, bytes, &integer))
            return false;
        out->decimal = integer;
        return true;
    }
    return frz_decimal_from_be(bytes, &out->decimal);
}

/* Times and timestamps of the file's unit in the table's. */
static bool scaled_value(const frz_parquet_node *node, frz_slice bytes, bool nanos, frz_value *out)
{
    if (!integer_value(node, bytes, out))
        return false;
    if (node->logical == FRZ_PARQUET_LOGICAL_DATE)
        return !__builtin_mul_overflow(
            out->integer, nanos ? INT64_C(86400000000000) : INT64_C(86400000000), &out->integer);
    if (node->logical != FRZ_PARQUET_LOGICAL_TIMESTAMP && node->logical != FRZ_PARQUET_LOGICAL_TIME)
        return false;
    if (node->unit == (nanos ? 'n' : 'u'))
        return true;
    if (node->unit == 'n') {
        out->integer = frz_floor_div(out->integer, 1000);
        return true;
    }
    const int64_t factor = node->unit == 'm' && nanos ? 1000000 : 1000;
    return !__builtin_mul_overflow(out->integer, factor, &out->integer);
}

static bool bytes_value(const frz_parquet_node *node, frz_slice bytes, frz_value *out)
{
    out->form = FRZ_VALUE_BYTES;
    out->bytes = bytes;
    return node->type == FRZ_PARQUET_BYTE_ARRAY || node->type == FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY;
}

bool frz_parquet_value(const frz_parquet_node *node, frz_slice bytes, const frz_type *type,
                       frz_value *out)
{
    if (node->shape != FRZ_PARQUET_SHAPE_LEAF)
        return false;
    switch (type->kind) {
    case FRZ_TYPE_BOOLEAN:
        out->form = FRZ_VALUE_BOOLEAN;
        out->boolean = bytes.size == 1 && bytes.data[0];
        return node->type == FRZ_PARQUET_BOOLEAN && bytes.size == 1;
    case FRZ_TYPE_INT:
    case FRZ_TYPE_LONG:
        return (node->logical == FRZ_PARQUET_LOGICAL_NONE ||
                node->logical == FRZ_PARQUET_LOGICAL_INTEGER) &&
               integer_value(node, bytes, out);
    case FRZ_TYPE_DATE:
        return node->logical == FRZ_PARQUET_LOGICAL_DATE && integer_value(node, bytes, out);
    case FRZ_TYPE_FLOAT:
    case FRZ_TYPE_DOUBLE:
        return number_value(node, bytes, out);
    case FRZ_TYPE_DECIMAL:
        return decimal_value(node, bytes, type, out);
    case FRZ_TYPE_TIME:
    case FRZ_TYPE_TIMESTAMP:
    case FRZ_TYPE_TIMESTAMPTZ:
        return scaled_value(node, bytes, false, out);
    case FRZ_TYPE_TIMESTAMP_NS:
    case FRZ_TYPE_TIMESTAMPTZ_NS:
        return scaled_value(node, bytes, true, out);
    case FRZ_TYPE_STRING:
    case FRZ_TYPE_BINARY:
    case FRZ_TYPE_FIXED:
        return bytes_value(node, bytes, out);
    case FRZ_TYPE_UUID: /* text of one has another order, and other bytes */
        return node->type == FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY && bytes_value(node, bytes, out);
    case FRZ_TYPE_UNKNOWN:
    case FRZ_TYPE_VARIANT:
    case FRZ_TYPE_GEOMETRY:
    case FRZ_TYPE_GEOGRAPHY:
    case FRZ_TYPE_STRUCT:
    case FRZ_TYPE_LIST:
    case FRZ_TYPE_MAP:
        return false;
    }
    return false;
}

bool frz_parquet_bound(const frz_parquet_node *node, frz_slice bytes, const frz_type *type,
                       frz_value *out)
{
    /* Old writers let NaN into statistics: no bound. */
    return frz_parquet_value(node, bytes, type, out) && !frz_value_is_nan(out);
}

static bool put_little_endian(uint64_t value, size_t size, frz_parquet_plain *out)
{
    for (size_t i = 0; i < size; i++)
        out->buffer[i] = (uint8_t)(value >> (8 * i));
    out->bytes = frz_slice_of(out->buffer, size);
    return true;
}

static bool integer_plain(const frz_parquet_node *node, int64_t value, frz_parquet_plain *out)
{
    if (node->type == FRZ_PARQUET_INT64)
        return put_little_endian((uint64_t)value, 8, out);
    if (node->type != FRZ_PARQUET_INT32)
        return false;
    const bool is_unsigned = node->logical == FRZ_PARQUET_LOGICAL_INTEGER && !node->is_signed;
    if (is_unsigned ? value < 0 || value > UINT32_MAX : value < INT32_MIN || value > INT32_MAX)
        return false;
    return put_little_endian((uint64_t)value, 4, out);
}

static bool number_plain(const frz_parquet_node *node, double value, frz_parquet_plain *out)
{
    uint64_t bits = 0;
    uint32_t short_bits = 0;
    const float narrow = (float)value;
    if (value != value) /* a NaN has many bit patterns */
        return false;
    if (node->type == FRZ_PARQUET_DOUBLE) {
        memcpy(&bits, &value, sizeof bits);
        return put_little_endian(bits, 8, out);
    }
    if (node->type != FRZ_PARQUET_FLOAT || (double)narrow != value)
        return false;
    memcpy(&short_bits, &narrow, sizeof short_bits);
    return put_little_endian(short_bits, 4, out);
}

/* A decimal in a byte array may be longer than it need be: it has no one form. */
static bool decimal_plain(const frz_parquet_node *node, const frz_type *type, frz_int128 value,
                          frz_parquet_plain *out)
{
    uint8_t shortest[16];
    const size_t length = (size_t)node->type_length;
    if (node->logical != FRZ_PARQUET_LOGICAL_DECIMAL || node->scale != type->scale)
        return false;
    if (node->type == FRZ_PARQUET_INT32 || node->type == FRZ_PARQUET_INT64)
        return value == (int64_t)value && integer_plain(node, (int64_t)value, out);
    const size_t size = frz_decimal_to_be(value, shortest);
    if (node->type != FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY || size > length ||
        length > sizeof out->buffer)
        return false;
    memset(out->buffer, value < 0 ? 0xff : 0, length);
    memcpy(out->buffer + length - size, shortest, size);
    out->bytes = frz_slice_of(out->buffer, length);
    return true;
}

/* Only where the file has the table's unit: of another, several values may be one of the table. */
static bool time_plain(const frz_parquet_node *node, bool nanos, int64_t value,
                       frz_parquet_plain *out)
{
    return (node->logical == FRZ_PARQUET_LOGICAL_TIMESTAMP ||
            node->logical == FRZ_PARQUET_LOGICAL_TIME) &&
           node->unit == (nanos ? 'n' : 'u') && integer_plain(node, value, out);
}

static bool bytes_plain(const frz_parquet_node *node, frz_slice value, frz_parquet_plain *out)
{
    out->bytes = value;
    return node->type == FRZ_PARQUET_BYTE_ARRAY ||
           (node->type == FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY &&
            value.size == (size_t)node->type_length);
}

bool frz_parquet_plain_of(const frz_parquet_node *node, const frz_value *value,
                          const frz_type *type, frz_parquet_plain *out)
{
    if (node->shape != FRZ_PARQUET_SHAPE_LEAF)
        return false;
    switch (type->kind) {
    case FRZ_TYPE_INT:
    case FRZ_TYPE_LONG:
        return (node->logical == FRZ_PARQUET_LOGICAL_NONE ||
                node->logical == FRZ_PARQUET_LOGICAL_INTEGER) &&
               integer_plain(node, value->integer, out);
    case FRZ_TYPE_DATE:
        return node->logical == FRZ_PARQUET_LOGICAL_DATE &&
               integer_plain(node, value->integer, out);
    case FRZ_TYPE_FLOAT:
    case FRZ_TYPE_DOUBLE:
        return number_plain(node, value->number, out);
    case FRZ_TYPE_DECIMAL:
        return decimal_plain(node, type, value->decimal, out);
    case FRZ_TYPE_TIME:
    case FRZ_TYPE_TIMESTAMP:
    case FRZ_TYPE_TIMESTAMPTZ:
        return time_plain(node, false, value->integer, out);
    case FRZ_TYPE_TIMESTAMP_NS:
    case FRZ_TYPE_TIMESTAMPTZ_NS:
        return time_plain(node, true, value->integer, out);
    case FRZ_TYPE_STRING:
    case FRZ_TYPE_BINARY:
    case FRZ_TYPE_FIXED:
        return bytes_plain(node, value->bytes, out);
    case FRZ_TYPE_UUID:
        return node->type == FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY &&
               bytes_plain(node, value->bytes, out);
    case FRZ_TYPE_BOOLEAN:
    case FRZ_TYPE_UNKNOWN:
    case FRZ_TYPE_VARIANT:
    case FRZ_TYPE_GEOMETRY:
    case FRZ_TYPE_GEOGRAPHY:
    case FRZ_TYPE_STRUCT:
    case FRZ_TYPE_LIST:
    case FRZ_TYPE_MAP:
        return false;
    }
    return false;
}
