#include "expr/kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expr/like.h"
#include "expr/location.h"

/* Eight flags of 0 or 1 become eight bits: the product moves byte i to bit 56 + i. */
static uint64_t pack_flags(const uint8_t flags[64])
{
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++) {
        uint64_t eight = 0;
        for (int j = 0; j < 8; j++)
            eight |= (uint64_t)flags[i * 8 + j] << (8 * j);
        bits |= (eight * UINT64_C(0x0102040810204080) >> 56) << (8 * i);
    }
    return bits;
}

static bool in_integers(const frz_test *test, int64_t value)
{
    const frz_value *values = test->leaf->values;
    size_t low = 0;
    size_t high = test->leaf->value_count;
    while (high - low > 8) {
        const size_t middle = low + (high - low) / 2;
        if (values[middle].integer <= value)
            low = middle;
        else
            high = middle;
    }
    bool found = false;
    for (; low < high; low++)
        found |= values[low].integer == value;
    return found;
}

static int compare_to_key(const void *key, const void *value)
{
    return frz_value_compare(key, value);
}

static bool in_values(const frz_test *test, const frz_value *value)
{
    return bsearch(value, test->leaf->values, test->leaf->value_count, sizeof *value,
                   compare_to_key) != NULL;
}

static bool in_numbers(const frz_test *test, double number)
{
    const frz_value value = {.form = FRZ_VALUE_NUMBER, .number = number};
    return in_values(test, &value);
}

/* Decimals need not be aligned for 128-bit loads. */
typedef struct wide_value {
    uint8_t bytes[16];
} wide_value;

static frz_int128 wide_integer(wide_value value)
{
    frz_int128 integer;
    memcpy(&integer, value.bytes, sizeof integer);
    return integer;
}

static bool in_decimals(const frz_test *test, wide_value decimal)
{
    const frz_value value = {.form = FRZ_VALUE_DECIMAL, .decimal = wide_integer(decimal)};
    return in_values(test, &value);
}

#define KERNEL range_i32
#define VALUE int32_t
#define TEST(test, x) ((uint32_t)(x) - (uint32_t)(test).low <= (uint32_t)(test).span)
#include "expr/kernel.inc"

#define KERNEL range_i64
#define VALUE int64_t
#define TEST(test, x) ((uint64_t)(x) - (uint64_t)(test).low <= (test).span)
#include "expr/kernel.inc"

#define KERNEL range_i128
#define VALUE wide_value
#define TEST(test, x) \
    ((frz_uint128)wide_integer(x) - (frz_uint128)(test).wide_low <= (test).wide_span)
#include "expr/kernel.inc"

#define KERNEL in_i32
#define VALUE int32_t
#define TEST(test, x) in_integers(&(test), x)
#include "expr/kernel.inc"

#define KERNEL in_i64
#define VALUE int64_t
#define TEST(test, x) in_integers(&(test), x)
#include "expr/kernel.inc"

#define KERNEL in_i128
#define VALUE wide_value
#define TEST(test, x) in_decimals(&(test), x)
#include "expr/kernel.inc"

#define KERNEL less_f32
#define VALUE float
#define TEST(test, x) ((x) < (float)(test).number)
#include "expr/kernel.inc"

#define KERNEL less_equal_f32
#define VALUE float
#define TEST(test, x) ((x) <= (float)(test).number)
#include "expr/kernel.inc"

#define KERNEL equal_f32
#define VALUE float
#define TEST(test, x) ((x) == (float)(test).number)
#include "expr/kernel.inc"

#define KERNEL nan_f32
#define VALUE float
#define TEST(test, x) ((x) != (x))
#include "expr/kernel.inc"

#define KERNEL in_f32
#define VALUE float
#define TEST(test, x) in_numbers(&(test), (double)(x))
#include "expr/kernel.inc"

#define KERNEL less_f64
#define VALUE double
#define TEST(test, x) ((x) < (test).number)
#include "expr/kernel.inc"

#define KERNEL less_equal_f64
#define VALUE double
#define TEST(test, x) ((x) <= (test).number)
#include "expr/kernel.inc"

#define KERNEL equal_f64
#define VALUE double
#define TEST(test, x) ((x) == (test).number)
#include "expr/kernel.inc"

#define KERNEL nan_f64
#define VALUE double
#define TEST(test, x) ((x) != (x))
#include "expr/kernel.inc"

#define KERNEL in_f64
#define VALUE double
#define TEST(test, x) in_numbers(&(test), x)
#include "expr/kernel.inc"

static void pass_all(const frz_test *test, const struct ArrowArray *array, int64_t start,
                     int64_t count, uint64_t *mask)
{
    (void)array;
    (void)start;
    if (test->negated)
        memset(mask, 0, (size_t)((count + 63) / 64) * sizeof *mask);
}

static void true_bits(const frz_test *test, const struct ArrowArray *array, int64_t start,
                      int64_t count, uint64_t *mask)
{
    for (int64_t row = 0; row < count; row += 64, mask++) {
        const int64_t rows = count - row < 64 ? count - row : 64;
        const uint64_t bits = frz_bitmap_word(array->buffers[1], start + row, rows);
        *mask &= test->negated ? ~bits : bits;
    }
}

static bool bytes_in_order(const frz_test *test, frz_slice value)
{
    const int order = frz_slice_compare(value, test->leaf->values->bytes);
    return order == 0 ? test->equal : order < 0 && test->below;
}

static bool bytes_equal(const frz_test *test, frz_slice value)
{
    return frz_slice_equal(value, test->leaf->values->bytes);
}

static bool bytes_in_set(const frz_test *test, frz_slice bytes)
{
    const frz_value value = {.form = FRZ_VALUE_BYTES, .bytes = bytes};
    return in_values(test, &value);
}

static bool bytes_prefix(const frz_test *test, frz_slice value)
{
    const frz_slice prefix = test->leaf->values->bytes;
    return prefix.size == 0 ||
           (value.size >= prefix.size && memcmp(value.data, prefix.data, prefix.size) == 0);
}

static bool bytes_like(const frz_test *test, frz_slice value)
{
    return frz_like_match(test->leaf->values->bytes, value);
}

static frz_slice variable_bytes(const frz_test *test, const struct ArrowArray *array, int64_t index)
{
    const int32_t *offsets = array->buffers[1];
    const size_t size = (size_t)(offsets[index + 1] - offsets[index]);
    (void)test;
    return frz_slice_of(size ? (const uint8_t *)array->buffers[2] + offsets[index] : NULL, size);
}

static frz_slice fixed_bytes(const frz_test *test, const struct ArrowArray *array, int64_t index)
{
    return frz_slice_of((const uint8_t *)array->buffers[1] + (size_t)index * test->width,
                        test->width);
}

/* Only rows whose bit is set are looked at: bytes cost more than the walk over the bits. */
#define BYTES_KERNEL(name, access, passes)                                                \
    static void name(const frz_test *test, const struct ArrowArray *array, int64_t start, \
                     int64_t count, uint64_t *mask)                                       \
    {                                                                                     \
        for (int64_t row = 0; row < count; row += 64, mask++) {                           \
            for (uint64_t left = *mask; left; left &= left - 1) {                         \
                const int64_t at = __builtin_ctzll(left);                                 \
                if (passes(test, access(test, array, start + row + at)) == test->negated) \
                    *mask &= ~((uint64_t)1 << at);                                        \
            }                                                                             \
        }                                                                                 \
    }

BYTES_KERNEL(order_variable, variable_bytes, bytes_in_order)
BYTES_KERNEL(order_fixed, fixed_bytes, bytes_in_order)
BYTES_KERNEL(equal_variable, variable_bytes, bytes_equal)
BYTES_KERNEL(equal_fixed, fixed_bytes, bytes_equal)
BYTES_KERNEL(in_variable, variable_bytes, bytes_in_set)
BYTES_KERNEL(in_fixed, fixed_bytes, bytes_in_set)
BYTES_KERNEL(prefix_variable, variable_bytes, bytes_prefix)
BYTES_KERNEL(like_variable, variable_bytes, bytes_like)

/* The operation without its negation: GE is not LT, GT is not LE, and so on. */
static frz_expr_op positive_op(frz_expr_op op, bool *negated)
{
    *negated = op == FRZ_EXPR_GE || op == FRZ_EXPR_GT || op == FRZ_EXPR_NE ||
               op == FRZ_EXPR_NOT_IN || op == FRZ_EXPR_NOT_STARTS_WITH || op == FRZ_EXPR_NOT_LIKE ||
               op == FRZ_EXPR_NOT_NAN || op == FRZ_EXPR_NOT_NULL;
    return *negated ? frz_expr_op_negate(op) : op;
}

/* x < v and x <= v as ranges from the least value on, x = v as a range of one. */
static void init_integer(frz_test *test, frz_expr_op op, bool narrow)
{
    const int64_t value = test->leaf->values->integer;
    const int64_t least = narrow ? INT32_MIN : INT64_MIN;
    if (op == FRZ_EXPR_IN) {
        test->kernel = narrow ? in_i32 : in_i64;
        return;
    }
    test->kernel = narrow ? range_i32 : range_i64;
    test->low = op == FRZ_EXPR_EQ ? value : least;
    test->span = (uint64_t)value - (uint64_t)test->low;
    if (op == FRZ_EXPR_LT && value == least) {
        test->kernel = pass_all;
        test->negated = !test->negated;
    } else if (op == FRZ_EXPR_LT) {
        test->span--;
    }
}

static void init_decimal(frz_test *test, frz_expr_op op)
{
    const frz_int128 value = test->leaf->values->decimal;
    /* Below every decimal, far from the least 128-bit integer. */
    const frz_int128 least = -frz_decimal_power(FRZ_DECIMAL_PRECISION_MAX);
    if (op == FRZ_EXPR_IN) {
        test->kernel = in_i128;
        return;
    }
    test->kernel = range_i128;
    test->wide_low = op == FRZ_EXPR_EQ ? value : least;
    test->wide_span = (frz_uint128)value - (frz_uint128)test->wide_low - (op == FRZ_EXPR_LT);
}

/* NaN is the greatest value: x < NaN is x is not NaN, x <= NaN holds always. */
static void init_floating(frz_test *test, frz_expr_op op, bool narrow)
{
    if (op == FRZ_EXPR_IN) {
        test->kernel = narrow ? in_f32 : in_f64;
        return;
    }
    const bool nan_test = op == FRZ_EXPR_IS_NAN || isnan(test->leaf->values->number);
    if (!nan_test) {
        test->number = test->leaf->values->number;
        if (op == FRZ_EXPR_LT)
            test->kernel = narrow ? less_f32 : less_f64;
        else if (op == FRZ_EXPR_LE)
            test->kernel = narrow ? less_equal_f32 : less_equal_f64;
        else
            test->kernel = narrow ? equal_f32 : equal_f64;
        return;
    }
    test->kernel = narrow ? nan_f32 : nan_f64;
    if (op == FRZ_EXPR_LE)
        test->kernel = pass_all;
    if (op == FRZ_EXPR_LT)
        test->negated = !test->negated;
}

/* false < true: x < true is not x, x <= true holds always. */
static void init_boolean(frz_test *test, frz_expr_op op)
{
    const bool value = test->leaf->values->boolean;
    test->kernel = true_bits;
    if (op == FRZ_EXPR_IN) {
        /* Sorted and distinct: of two values, both. */
        if (test->leaf->value_count > 1)
            test->kernel = pass_all;
        else
            test->negated = test->negated != !value;
    } else if (op == FRZ_EXPR_EQ) {
        test->negated = test->negated != !value;
    } else if (op == FRZ_EXPR_LT) {
        test->kernel = value ? true_bits : pass_all;
        test->negated = !test->negated;
    } else if (value) {
        test->kernel = pass_all;
    } else {
        test->negated = !test->negated;
    }
}

static void init_bytes(frz_test *test, frz_expr_op op, bool fixed)
{
    test->below = true;
    test->equal = op == FRZ_EXPR_LE;
    if (op == FRZ_EXPR_IN)
        test->kernel = fixed ? in_fixed : in_variable;
    else if (op == FRZ_EXPR_EQ)
        test->kernel = fixed ? equal_fixed : equal_variable;
    else if (op == FRZ_EXPR_STARTS_WITH)
        test->kernel = prefix_variable;
    else if (op == FRZ_EXPR_LIKE)
        test->kernel = like_variable;
    else
        test->kernel = fixed ? order_fixed : order_variable;
}

void frz_test_init(frz_test *out, const frz_expr *leaf, const frz_type *type)
{
    *out = (frz_test){.leaf = leaf};
    const frz_expr_op op = positive_op(leaf->op, &out->negated);
    if (op == FRZ_EXPR_IS_NULL)
        return;
    switch (type->kind) {
    case FRZ_TYPE_BOOLEAN:
        init_boolean(out, op);
        return;
    case FRZ_TYPE_INT:
    case FRZ_TYPE_DATE:
        init_integer(out, op, true);
        return;
    case FRZ_TYPE_LONG:
    case FRZ_TYPE_TIME:
    case FRZ_TYPE_TIMESTAMP:
    case FRZ_TYPE_TIMESTAMPTZ:
    case FRZ_TYPE_TIMESTAMP_NS:
    case FRZ_TYPE_TIMESTAMPTZ_NS:
        init_integer(out, op, false);
        return;
    case FRZ_TYPE_FLOAT:
    case FRZ_TYPE_DOUBLE:
        init_floating(out, op, type->kind == FRZ_TYPE_FLOAT);
        return;
    case FRZ_TYPE_DECIMAL:
        init_decimal(out, op);
        return;
    case FRZ_TYPE_STRING:
    case FRZ_TYPE_BINARY:
        init_bytes(out, op, false);
        return;
    case FRZ_TYPE_UUID:
    case FRZ_TYPE_FIXED:
        out->width = type->kind == FRZ_TYPE_UUID ? 16 : (size_t)type->length;
        init_bytes(out, op, true);
        return;
    case FRZ_TYPE_UNKNOWN: /* null in every row: no value is ever tested */
    case FRZ_TYPE_VARIANT:
    case FRZ_TYPE_GEOMETRY:
    case FRZ_TYPE_GEOGRAPHY:
    case FRZ_TYPE_STRUCT:
    case FRZ_TYPE_LIST:
    case FRZ_TYPE_MAP:
        out->kernel = pass_all;
        out->negated = true;
        return;
    }
}
