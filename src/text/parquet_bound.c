#include "text/parquet_bound.h"

#include "base/cursor.h"
#include "spec/value.h"

/* A value and the type that prints it as the column means it. */
typedef struct typed_value {
    frz_type type;
    frz_value value;
} typed_value;

static void set_integer(frz_type_kind kind, int64_t integer, typed_value *out)
{
    out->type.kind = kind;
    out->value = (frz_value){.form = FRZ_VALUE_INTEGER, .integer = integer};
}

static void set_decimal(frz_int128 unscaled, int32_t scale, typed_value *out)
{
    out->type = (frz_type){.kind = FRZ_TYPE_DECIMAL, .precision = 38, .scale = scale};
    out->value = (frz_value){.form = FRZ_VALUE_DECIMAL, .decimal = unscaled};
}

static void set_bytes(frz_type_kind kind, frz_slice bytes, typed_value *out)
{
    out->type = (frz_type){.kind = kind, .length = (int32_t)bytes.size};
    out->value = (frz_value){.form = FRZ_VALUE_BYTES, .bytes = bytes};
}

/* Times and timestamps in microseconds; nanoseconds where the type has them. False when the value
 * is beyond 64 bits there. */
static bool set_time(const frz_parquet_node *leaf, int64_t raw, typed_value *out)
{
    const bool time = leaf->logical == FRZ_PARQUET_LOGICAL_TIME;
    const bool nanos = leaf->unit == 'n';
    const bool utc = leaf->adjusted_to_utc;
    int64_t value = raw;
    if (leaf->unit == 'm' && __builtin_mul_overflow(raw, INT64_C(1000), &value))
        return false;
    if (time)
        set_integer(FRZ_TYPE_TIME, nanos ? raw / 1000 : value, out);
    else if (nanos)
        set_integer(utc ? FRZ_TYPE_TIMESTAMPTZ_NS : FRZ_TYPE_TIMESTAMP_NS, raw, out);
    else
        set_integer(utc ? FRZ_TYPE_TIMESTAMPTZ : FRZ_TYPE_TIMESTAMP, value, out);
    return true;
}

static void set_number(const frz_parquet_node *leaf, int64_t raw, typed_value *out)
{
    const bool is_unsigned = leaf->logical == FRZ_PARQUET_LOGICAL_INTEGER && !leaf->is_signed;
    if (leaf->logical == FRZ_PARQUET_LOGICAL_DECIMAL)
        set_decimal(raw, leaf->scale, out);
    else if (leaf->logical == FRZ_PARQUET_LOGICAL_DATE)
        set_integer(FRZ_TYPE_DATE, raw, out);
    else if ((leaf->logical == FRZ_PARQUET_LOGICAL_TIME ||
              leaf->logical == FRZ_PARQUET_LOGICAL_TIMESTAMP) &&
             set_time(leaf, raw, out))
        return;
    else if (is_unsigned)
        set_decimal((frz_int128)(leaf->type == FRZ_PARQUET_INT32 ? (uint32_t)raw : (uint64_t)raw),
                    0, out);
    else
        set_integer(FRZ_TYPE_LONG, raw, out);
}

static bool set_fixed(const frz_parquet_node *leaf, frz_slice bytes, typed_value *out)
{
    frz_cursor cursor = frz_cursor_over_slice(bytes);
    if (leaf->type == FRZ_PARQUET_BOOLEAN && bytes.size == 1) {
        out->type.kind = FRZ_TYPE_BOOLEAN;
        out->value = (frz_value){.form = FRZ_VALUE_BOOLEAN, .boolean = bytes.data[0] != 0};
    } else if (leaf->type == FRZ_PARQUET_INT32 && bytes.size == 4) {
        set_number(leaf, (int32_t)frz_cursor_u32le(&cursor), out);
    } else if (leaf->type == FRZ_PARQUET_INT64 && bytes.size == 8) {
        set_number(leaf, (int64_t)frz_cursor_u64le(&cursor), out);
    } else if (leaf->type == FRZ_PARQUET_FLOAT && bytes.size == 4) {
        float number = 0;
        memcpy(&number, bytes.data, sizeof number);
        out->type.kind = FRZ_TYPE_FLOAT;
        out->value = (frz_value){.form = FRZ_VALUE_NUMBER, .number = (double)number};
    } else if (leaf->type == FRZ_PARQUET_DOUBLE && bytes.size == 8) {
        double number = 0;
        memcpy(&number, bytes.data, sizeof number);
        out->type.kind = FRZ_TYPE_DOUBLE;
        out->value = (frz_value){.form = FRZ_VALUE_NUMBER, .number = number};
    } else {
        return false;
    }
    return true;
}

static void set_array(const frz_parquet_node *leaf, frz_slice bytes, typed_value *out)
{
    frz_int128 unscaled = 0;
    if (leaf->logical == FRZ_PARQUET_LOGICAL_DECIMAL && frz_decimal_from_be(bytes, &unscaled))
        set_decimal(unscaled, leaf->scale, out);
    else if (leaf->logical == FRZ_PARQUET_LOGICAL_STRING)
        set_bytes(FRZ_TYPE_STRING, bytes, out);
    else if (leaf->logical == FRZ_PARQUET_LOGICAL_UUID && bytes.size == 16)
        set_bytes(FRZ_TYPE_UUID, bytes, out);
    else
        set_bytes(FRZ_TYPE_BINARY, bytes, out);
}

void frz_parquet_bound_print(const frz_parquet_node *leaf, frz_slice bytes, frz_buffer *out)
{
    typed_value typed = {0};
    if (!set_fixed(leaf, bytes, &typed))
        set_array(leaf, bytes, &typed);
    frz_value_print(&typed.type, &typed.value, out);
}
