#include "parquet/bounds.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"

frz_parquet_order frz_parquet_order_of(const frz_parquet_node *leaf)
{
    switch (leaf->type) {
    case FRZ_PARQUET_BOOLEAN:
        return FRZ_PARQUET_ORDER_BOOL;
    case FRZ_PARQUET_INT32:
        return FRZ_PARQUET_ORDER_INT32;
    case FRZ_PARQUET_INT64:
        return FRZ_PARQUET_ORDER_INT64;
    case FRZ_PARQUET_FLOAT:
        return FRZ_PARQUET_ORDER_FLOAT;
    case FRZ_PARQUET_DOUBLE:
        return FRZ_PARQUET_ORDER_DOUBLE;
    case FRZ_PARQUET_BYTE_ARRAY:
    case FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY:
    case FRZ_PARQUET_INT96:
        break;
    }
    return leaf->logical == FRZ_PARQUET_LOGICAL_DECIMAL ? FRZ_PARQUET_ORDER_BIG_ENDIAN
                                                        : FRZ_PARQUET_ORDER_BYTES;
}

static int compare_big_endian(frz_slice a, frz_slice b)
{
    const int a_sign = a.data[0] >> 7;
    const int b_sign = b.data[0] >> 7;
    return a_sign != b_sign ? b_sign - a_sign : memcmp(a.data, b.data, a.size);
}

#define DEFINE_COMPARE(name, type)               \
    static int name(frz_slice a, frz_slice b)    \
    {                                            \
        type left;                               \
        type right;                              \
        memcpy(&left, a.data, sizeof left);      \
        memcpy(&right, b.data, sizeof right);    \
        return left < right ? -1 : left > right; \
    }

DEFINE_COMPARE(compare_bools, uint8_t)
DEFINE_COMPARE(compare_i32, int32_t)
DEFINE_COMPARE(compare_i64, int64_t)
DEFINE_COMPARE(compare_floats, float)
DEFINE_COMPARE(compare_doubles, double)

int frz_parquet_compare(frz_parquet_order order, frz_slice a, frz_slice b)
{
    switch (order) {
    case FRZ_PARQUET_ORDER_BOOL:
        return compare_bools(a, b);
    case FRZ_PARQUET_ORDER_INT32:
        return compare_i32(a, b);
    case FRZ_PARQUET_ORDER_INT64:
        return compare_i64(a, b);
    case FRZ_PARQUET_ORDER_FLOAT:
        return compare_floats(a, b);
    case FRZ_PARQUET_ORDER_DOUBLE:
        return compare_doubles(a, b);
    case FRZ_PARQUET_ORDER_BIG_ENDIAN:
        return compare_big_endian(a, b);
    case FRZ_PARQUET_ORDER_BYTES:
        break;
    }
    return frz_slice_compare(a, b);
}

static void set_bound(frz_buffer *bound, frz_slice value)
{
    bound->size = 0;
    frz_buffer_append(bound, value.data, value.size);
}

/* Widens to [min, max]; the slices are not part of `bounds`. */
static void widen(frz_parquet_bounds *bounds, frz_parquet_order order, frz_slice min, frz_slice max)
{
    if (bounds->min.failed || bounds->max.failed)
        return;
    if (!bounds->any || frz_parquet_compare(order, min, frz_buffer_slice(&bounds->min)) < 0)
        set_bound(&bounds->min, min);
    if (!bounds->any || frz_parquet_compare(order, max, frz_buffer_slice(&bounds->max)) > 0)
        set_bound(&bounds->max, max);
    bounds->any = true;
}

#define DEFINE_ADD_INTEGERS(name, type, order)                                                \
    static void name(frz_parquet_bounds *bounds, const type *values, size_t count)            \
    {                                                                                         \
        type min = values[0];                                                                 \
        type max = values[0];                                                                 \
        for (size_t i = 1; i < count; i++) {                                                  \
            min = values[i] < min ? values[i] : min;                                          \
            max = values[i] > max ? values[i] : max;                                          \
        }                                                                                     \
        widen(bounds, order, frz_slice_of(&min, sizeof min), frz_slice_of(&max, sizeof max)); \
    }

DEFINE_ADD_INTEGERS(add_bools, uint8_t, FRZ_PARQUET_ORDER_BOOL)
DEFINE_ADD_INTEGERS(add_i32, int32_t, FRZ_PARQUET_ORDER_INT32)
DEFINE_ADD_INTEGERS(add_i64, int64_t, FRZ_PARQUET_ORDER_INT64)

/* The signs of zeros are set here, so that no range ever holds the wrong one. */
#define DEFINE_ADD_FLOATS(name, type, order)                                                  \
    static void name(frz_parquet_bounds *bounds, const type *values, size_t count)            \
    {                                                                                         \
        type min = (type)INFINITY;                                                            \
        type max = (type)-INFINITY;                                                           \
        size_t nans = 0;                                                                      \
        for (size_t i = 0; i < count; i++) {                                                  \
            nans += isnan(values[i]) != 0;                                                    \
            min = values[i] < min ? values[i] : min;                                          \
            max = values[i] > max ? values[i] : max;                                          \
        }                                                                                     \
        bounds->nan_count += (int64_t)nans;                                                   \
        if (nans == count)                                                                    \
            return;                                                                           \
        if (min == 0)                                                                         \
            min = (type)-0.0;                                                                 \
        if (max == 0)                                                                         \
            max = (type)0.0;                                                                  \
        widen(bounds, order, frz_slice_of(&min, sizeof min), frz_slice_of(&max, sizeof max)); \
    }

DEFINE_ADD_FLOATS(add_floats, float, FRZ_PARQUET_ORDER_FLOAT)
DEFINE_ADD_FLOATS(add_doubles, double, FRZ_PARQUET_ORDER_DOUBLE)

static void add_bytes(frz_parquet_bounds *bounds, frz_parquet_order order, const uint8_t *values,
                      size_t width, size_t count)
{
    frz_slice min = frz_slice_of(values, width);
    frz_slice max = min;
    for (size_t i = 1; i < count; i++) {
        const frz_slice value = frz_slice_of(values + i * width, width);
        if (frz_parquet_compare(order, value, min) < 0)
            min = value;
        else if (frz_parquet_compare(order, value, max) > 0)
            max = value;
    }
    widen(bounds, order, min, max);
}

void frz_parquet_bounds_add_fixed(frz_parquet_bounds *bounds, frz_parquet_order order,
                                  const void *values, size_t width, size_t count)
{
    if (count == 0)
        return;
    switch (order) {
    case FRZ_PARQUET_ORDER_BOOL:
        add_bools(bounds, values, count);
        break;
    case FRZ_PARQUET_ORDER_INT32:
        add_i32(bounds, values, count);
        break;
    case FRZ_PARQUET_ORDER_INT64:
        add_i64(bounds, values, count);
        break;
    case FRZ_PARQUET_ORDER_FLOAT:
        add_floats(bounds, values, count);
        break;
    case FRZ_PARQUET_ORDER_DOUBLE:
        add_doubles(bounds, values, count);
        break;
    case FRZ_PARQUET_ORDER_BYTES:
    case FRZ_PARQUET_ORDER_BIG_ENDIAN:
        add_bytes(bounds, order, values, width, count);
        break;
    }
}

void frz_parquet_bounds_add_slices(frz_parquet_bounds *bounds, const frz_slice *values,
                                   size_t count)
{
    if (count == 0)
        return;
    frz_slice min = values[0];
    frz_slice max = values[0];
    for (size_t i = 1; i < count; i++) {
        if (frz_slice_compare(values[i], min) < 0)
            min = values[i];
        else if (frz_slice_compare(values[i], max) > 0)
            max = values[i];
    }
    widen(bounds, FRZ_PARQUET_ORDER_BYTES, min, max);
}

void frz_parquet_bounds_merge(frz_parquet_bounds *bounds, frz_parquet_order order,
                              const frz_parquet_bounds *other)
{
    bounds->nan_count += other->nan_count;
    if (other->any)
        widen(bounds, order, frz_buffer_slice(&other->min), frz_buffer_slice(&other->max));
}

void frz_parquet_bounds_reset(frz_parquet_bounds *bounds)
{
    frz_buffer_reset(&bounds->min);
    frz_buffer_reset(&bounds->max);
    bounds->any = false;
    bounds->nan_count = 0;
}

void frz_parquet_bounds_clear(frz_parquet_bounds *bounds)
{
    frz_buffer_clear(&bounds->min);
    frz_buffer_clear(&bounds->max);
    *bounds = (frz_parquet_bounds){0};
}

static bool is_text(const frz_parquet_node *leaf)
{
    return leaf->logical == FRZ_PARQUET_LOGICAL_STRING;
}

/* At most 64 bytes, ending where a UTF-8 character ends when it is text. */
static size_t short_size(const frz_parquet_node *leaf, frz_slice value)
{
    const size_t size = FRZ_PARQUET_BOUND_SIZE_MAX;
    return is_text(leaf) ? frz_utf8_start(value.data, size) : size;
}

frz_slice frz_parquet_shorten_min(const frz_parquet_node *leaf, frz_slice min, bool *exact_out)
{
    *exact_out = leaf->type != FRZ_PARQUET_BYTE_ARRAY || min.size <= FRZ_PARQUET_BOUND_SIZE_MAX;
    return *exact_out ? min : frz_slice_of(min.data, short_size(leaf, min));
}

/* Turns text into the least text of at most its size that is greater; the new size, or 0. */
static size_t increment_text(uint8_t *bytes, size_t size)
{
    while (size > 0) {
        const size_t start = frz_utf8_start(bytes, size - 1);
        const size_t last = size - start;
        if (frz_utf8_size(bytes + start, last) == last) {
            uint8_t raised[4];
            const uint32_t next = frz_utf8_successor(frz_utf8_get(bytes + start, last));
            if (next != 0 && frz_utf8_put(next, raised) == last) {
                memcpy(bytes + start, raised, last);
                return size;
            }
        }
        size = start;
    }
    return 0;
}

static size_t increment_bytes(uint8_t *bytes, size_t size)
{
    while (size > 0 && bytes[size - 1] == 0xff)
        size--;
    if (size > 0)
        bytes[size - 1]++;
    return size;
}

frz_slice frz_parquet_shorten_max(const frz_parquet_node *leaf, frz_slice max,
                                  uint8_t scratch[FRZ_PARQUET_BOUND_SIZE_MAX], bool *exact_out)
{
    *exact_out = leaf->type != FRZ_PARQUET_BYTE_ARRAY || max.size <= FRZ_PARQUET_BOUND_SIZE_MAX;
    if (*exact_out)
        return max;
    size_t size = short_size(leaf, max);
    memcpy(scratch, max.data, size);
    size = is_text(leaf) ? increment_text(scratch, size) : increment_bytes(scratch, size);
    if (size > 0)
        return frz_slice_of(scratch, size);
    *exact_out = true;
    return max;
}
