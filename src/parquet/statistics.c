#include "parquet/statistics.h"
#include "parquet/element.h"

#include <math.h>
#include <string.h>

typedef struct raw_statistics {
    frz_slice old_min, old_max, min, max;
    bool has_old_min, has_old_max, has_min, has_max;
    bool min_exact, max_exact;
} raw_statistics;

frz_parquet_statistics frz_parquet_statistics_unknown(void)
{
    return (frz_parquet_statistics){.null_count = -1, .distinct_count = -1, .nan_count = -1};
}

/* Bytes of one value; 0 = variable. */
static size_t value_size(const frz_parquet_node *node)
{
    return node->type == FRZ_PARQUET_BOOLEAN ? 1 : frz_parquet_node_width(node);
}

/* Types whose sort order is undefined (parquet.thrift, ColumnOrder). INT96 with TYPE_ORDER:
 * "readers should ignore all statistics"; we ignore them under its own order too. */
static bool has_order(const frz_parquet_node *node)
{
    switch (node->logical) {
    case FRZ_PARQUET_LOGICAL_INTERVAL:
    case FRZ_PARQUET_LOGICAL_UNKNOWN:
    case FRZ_PARQUET_LOGICAL_LIST:
    case FRZ_PARQUET_LOGICAL_MAP:
    case FRZ_PARQUET_LOGICAL_VARIANT:
    case FRZ_PARQUET_LOGICAL_GEOMETRY:
    case FRZ_PARQUET_LOGICAL_GEOGRAPHY:
        return false;
    case FRZ_PARQUET_LOGICAL_NONE:
    case FRZ_PARQUET_LOGICAL_STRING:
    case FRZ_PARQUET_LOGICAL_DECIMAL:
    case FRZ_PARQUET_LOGICAL_DATE:
    case FRZ_PARQUET_LOGICAL_TIME:
    case FRZ_PARQUET_LOGICAL_TIMESTAMP:
    case FRZ_PARQUET_LOGICAL_INTEGER:
    case FRZ_PARQUET_LOGICAL_UUID:
    case FRZ_PARQUET_LOGICAL_FLOAT16:
    case FRZ_PARQUET_LOGICAL_BSON:
        break;
    }
    return node->type != FRZ_PARQUET_INT96;
}

/* The deprecated fields are "always sorted by signed comparison": right only where the type's own
 * order is signed. Byte arrays are not (and PARQUET-251 wrote wrong ones). */
static bool signed_order(const frz_parquet_node *node)
{
    if (node->logical == FRZ_PARQUET_LOGICAL_INTEGER && !node->is_signed)
        return false;
    return node->type == FRZ_PARQUET_BOOLEAN || node->type == FRZ_PARQUET_INT32 ||
           node->type == FRZ_PARQUET_INT64 || node->type == FRZ_PARQUET_FLOAT ||
           node->type == FRZ_PARQUET_DOUBLE;
}

static bool is_floating(const frz_parquet_node *node)
{
    return node->type == FRZ_PARQUET_FLOAT || node->type == FRZ_PARQUET_DOUBLE ||
           node->logical == FRZ_PARQUET_LOGICAL_FLOAT16;
}

/* The value of a half: exact in double. */
static double half_to_double(uint16_t bits)
{
    const int exponent = bits >> 10 & 31;
    const int fraction = bits & 1023;
    double value = 0;
    if (exponent == 31)
        value = fraction ? (double)NAN : (double)INFINITY;
    else
        value = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return bits >> 15 ? -value : value;
}

static double floating_value(const frz_parquet_node *node, frz_slice bytes)
{
    if (node->type == FRZ_PARQUET_DOUBLE) {
        double value = 0;
        memcpy(&value, bytes.data, sizeof value);
        return value;
    }
    if (node->type == FRZ_PARQUET_FLOAT) {
        float value = 0;
        memcpy(&value, bytes.data, sizeof value);
        return (double)value;
    }
    return half_to_double((uint16_t)(bytes.data[0] | bytes.data[1] << 8));
}

/* parquet.thrift, ColumnOrder (*): NaN bounds are ignored, and a zero bound may hide the other
 * zero. */
static bool floating_usable(const frz_parquet_node *node, frz_slice *min, frz_slice *max)
{
    static const uint8_t zero[8] = {0};
    static const uint8_t negative_zero[8] = {0, 0, 0, 0, 0, 0, 0, 0x80};
    const double low = floating_value(node, *min);
    const double high = floating_value(node, *max);
    if (isnan(low) || isnan(high) || low > high)
        return false;
    if (low == 0)
        min->data = negative_zero + (sizeof negative_zero - min->size);
    if (high == 0)
        max->data = zero;
    return true;
}

static int64_t integer_value(const frz_parquet_node *node, frz_slice bytes)
{
    if (node->type == FRZ_PARQUET_BOOLEAN)
        return bytes.data[0];
    if (node->type == FRZ_PARQUET_INT32) {
        int32_t value = 0;
        memcpy(&value, bytes.data, sizeof value);
        return value;
    }
    int64_t value = 0;
    memcpy(&value, bytes.data, sizeof value);
    return value;
}

static bool integers_ordered(const frz_parquet_node *node, frz_slice min, frz_slice max)
{
    const int64_t low = integer_value(node, min);
    const int64_t high = integer_value(node, max);
    if (node->logical == FRZ_PARQUET_LOGICAL_INTEGER && !node->is_signed)
        return node->type == FRZ_PARQUET_INT32 ? (uint32_t)low <= (uint32_t)high
                                               : (uint64_t)low <= (uint64_t)high;
    return low <= high;
}

bool frz_parquet_bounds_usable(const frz_parquet_node *node, frz_slice *min, frz_slice *max)
{
    const size_t size = value_size(node);
    const bool truncatable =
        node->type == FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY && node->logical == FRZ_PARQUET_LOGICAL_NONE;
    if (!has_order(node))
        return false;
    if (size && !truncatable && (min->size != size || max->size != size))
        return false;
    if (is_floating(node))
        return floating_usable(node, min, max);
    if (node->type == FRZ_PARQUET_BYTE_ARRAY || node->type == FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY)
        return node->logical == FRZ_PARQUET_LOGICAL_DECIMAL ? min->size > 0 && max->size > 0
                                                            : frz_slice_compare(*min, *max) <= 0;
    return integers_ordered(node, *min, *max);
}

static int64_t read_count(frz_thrift_reader *reader, frz_thrift_type type)
{
    const int64_t count = frz_thrift_i64(reader, type);
    return count < 0 ? -1 : count;
}

static void read_bound(frz_thrift_reader *reader, frz_thrift_type type, frz_slice *out,
                       bool *has_out)
{
    *out = frz_thrift_binary(reader, type);
    *has_out = true;
}

static void read_field(frz_thrift_reader *reader, frz_thrift_field field, raw_statistics *raw,
                       frz_parquet_statistics *out)
{
    switch (field.id) {
    case 1:
        read_bound(reader, field.type, &raw->old_max, &raw->has_old_max);
        return;
    case 2:
        read_bound(reader, field.type, &raw->old_min, &raw->has_old_min);
        return;
    case 3:
        out->null_count = read_count(reader, field.type);
        return;
    case 4:
        out->distinct_count = read_count(reader, field.type);
        return;
    case 5:
        read_bound(reader, field.type, &raw->max, &raw->has_max);
        return;
    case 6:
        read_bound(reader, field.type, &raw->min, &raw->has_min);
        return;
    case 7:
        raw->max_exact = frz_thrift_bool(reader, field.type);
        return;
    case 8:
        raw->min_exact = frz_thrift_bool(reader, field.type);
        return;
    case 9:
        out->nan_count = read_count(reader, field.type);
        return;
    default:
        frz_thrift_skip(reader, field.type);
    }
}

/* One bound alone is judged against itself. */
static void take_bounds(const frz_parquet_node *node, frz_slice min, bool has_min, frz_slice max,
                        bool has_max, frz_parquet_statistics *out)
{
    frz_slice low = has_min ? min : max;
    frz_slice high = has_max ? max : min;
    if ((!has_min && !has_max) || !frz_parquet_bounds_usable(node, &low, &high))
        return;
    out->has_min = has_min;
    out->has_max = has_max;
    if (has_min)
        out->min = low;
    if (has_max)
        out->max = high;
}

void frz_parquet_statistics_read(frz_thrift_reader *reader, const frz_parquet_node *node,
                                 frz_parquet_statistics *out)
{
    raw_statistics raw = {.min_exact = true, .max_exact = true};
    *out = frz_parquet_statistics_unknown();
    const int16_t outer = frz_thrift_struct_begin(reader);
    for (frz_thrift_field field; frz_thrift_field_next(reader, &field);)
        read_field(reader, field, &raw, out);
    frz_thrift_struct_end(reader, outer);

    out->min_exact = raw.min_exact;
    out->max_exact = raw.max_exact;
    if (node->ordered && (raw.has_min || raw.has_max)) {
        take_bounds(node, raw.min, raw.has_min, raw.max, raw.has_max, out);
    } else if (signed_order(node)) {
        take_bounds(node, raw.old_min, raw.has_old_min, raw.old_max, raw.has_old_max, out);
        out->deprecated = out->has_min || out->has_max;
    }
}
