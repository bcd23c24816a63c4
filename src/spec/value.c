#include "spec/value.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/calendar.h"
#include "base/cursor.h"
#include "base/fail.h"
#include "base/hash.h"

static const int64_t micros_per_day = INT64_C(86400000000);
static const int64_t nanos_per_day = INT64_C(86400000000000);

frz_value_form frz_value_form_of(frz_type_kind kind)
{
    switch (kind) {
    case FRZ_TYPE_UNKNOWN:
        return FRZ_VALUE_NULL;
    case FRZ_TYPE_BOOLEAN:
        return FRZ_VALUE_BOOLEAN;
    case FRZ_TYPE_INT:
    case FRZ_TYPE_LONG:
    case FRZ_TYPE_DATE:
    case FRZ_TYPE_TIME:
    case FRZ_TYPE_TIMESTAMP:
    case FRZ_TYPE_TIMESTAMPTZ:
    case FRZ_TYPE_TIMESTAMP_NS:
    case FRZ_TYPE_TIMESTAMPTZ_NS:
        return FRZ_VALUE_INTEGER;
    case FRZ_TYPE_FLOAT:
    case FRZ_TYPE_DOUBLE:
        return FRZ_VALUE_NUMBER;
    case FRZ_TYPE_DECIMAL:
        return FRZ_VALUE_DECIMAL;
    case FRZ_TYPE_STRING:
    case FRZ_TYPE_UUID:
    case FRZ_TYPE_FIXED:
    case FRZ_TYPE_BINARY:
    case FRZ_TYPE_VARIANT:
    case FRZ_TYPE_GEOMETRY:
    case FRZ_TYPE_GEOGRAPHY:
        return FRZ_VALUE_BYTES;
    case FRZ_TYPE_STRUCT:
        return FRZ_VALUE_STRUCT;
    case FRZ_TYPE_LIST:
    case FRZ_TYPE_MAP:
        return FRZ_VALUE_LIST;
    }
    return FRZ_VALUE_NULL;
}

bool frz_value_fits(const frz_type *type, const frz_value *value)
{
    return value->form == FRZ_VALUE_NULL || value->form == frz_value_form_of(type->kind);
}

static int compare_i64(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

/* NaN is the largest, equal to itself. */
static int compare_number(double a, double b)
{
    if (isnan(a) || isnan(b))
        return (isnan(a) != 0) - (isnan(b) != 0);
    return a < b ? -1 : a > b;
}

/* Item by item, null before all else, then by length. */
static int compare_items(const frz_value *a, const frz_value *b)
{
    const size_t shared = a->items.count < b->items.count ? a->items.count : b->items.count;
    for (size_t i = 0; i < shared; i++) {
        const frz_value *x = &a->items.data[i];
        const frz_value *y = &b->items.data[i];
        const bool x_null = x->form == FRZ_VALUE_NULL;
        const bool y_null = y->form == FRZ_VALUE_NULL;
        const int order = x_null || y_null ? (int)y_null - (int)x_null : frz_value_compare(x, y);
        if (order != 0)
            return order;
    }
    return a->items.count < b->items.count ? -1 : a->items.count > b->items.count;
}

int frz_value_compare(const frz_value *a, const frz_value *b)
{
    assert(a->form == b->form && a->form != FRZ_VALUE_NULL);
    switch (a->form) {
    case FRZ_VALUE_BOOLEAN:
        return (int)a->boolean - (int)b->boolean;
    case FRZ_VALUE_INTEGER:
        return compare_i64(a->integer, b->integer);
    case FRZ_VALUE_NUMBER:
        return compare_number(a->number, b->number);
    case FRZ_VALUE_DECIMAL:
        return a->decimal < b->decimal ? -1 : a->decimal > b->decimal;
    case FRZ_VALUE_BYTES:
        return frz_slice_compare(a->bytes, b->bytes);
    case FRZ_VALUE_STRUCT:
    case FRZ_VALUE_LIST:
        return compare_items(a, b);
    case FRZ_VALUE_NULL:
        break;
    }
    return 0;
}

static bool same_number(double a, double b)
{
    return isnan(a) ? isnan(b) != 0 : a == b && signbit(a) == signbit(b);
}

static bool same_items(const frz_value *a, const frz_value *b)
{
    if (a->items.count != b->items.count)
        return false;
    for (size_t i = 0; i < a->items.count; i++)
        if (!frz_value_same(&a->items.data[i], &b->items.data[i]))
            return false;
    return true;
}

bool frz_value_same(const frz_value *a, const frz_value *b)
{
    if (a->form != b->form)
        return false;
    switch (a->form) {
    case FRZ_VALUE_NULL:
        return true;
    case FRZ_VALUE_BOOLEAN:
        return a->boolean == b->boolean;
    case FRZ_VALUE_INTEGER:
        return a->integer == b->integer;
    case FRZ_VALUE_NUMBER:
        return same_number(a->number, b->number);
    case FRZ_VALUE_DECIMAL:
        return a->decimal == b->decimal;
    case FRZ_VALUE_BYTES:
        return frz_slice_equal(a->bytes, b->bytes);
    case FRZ_VALUE_STRUCT:
    case FRZ_VALUE_LIST:
        return same_items(a, b);
    }
    return false;
}

bool frz_value_is_nan(const frz_value *value)
{
    return value->form == FRZ_VALUE_NUMBER && isnan(value->number);
}

static int32_t hash_long(int64_t value)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)((uint64_t)value >> (8 * i));
    return frz_hash_murmur3(bytes, sizeof bytes);
}

/* Appendix B note 5: one bit pattern for every NaN, and +0.0 for -0.0. */
static int32_t hash_number(double value)
{
    int64_t bits = INT64_C(0x7ff8000000000000);
    if (value == 0)
        bits = 0;
    else if (!isnan(value))
        memcpy(&bits, &value, sizeof bits);
    return hash_long(bits);
}

static int32_t hash_decimal(frz_int128 unscaled)
{
    uint8_t bytes[16];
    return frz_hash_murmur3(bytes, frz_decimal_to_be(unscaled, bytes));
}

int32_t frz_value_hash(const frz_type *type, const frz_value *value)
{
    assert(value->form != FRZ_VALUE_NULL && frz_value_fits(type, value));
    const bool nanos = type->kind == FRZ_TYPE_TIMESTAMP_NS || type->kind == FRZ_TYPE_TIMESTAMPTZ_NS;
    switch (value->form) {
    case FRZ_VALUE_BOOLEAN:
        return hash_long(value->boolean);
    case FRZ_VALUE_INTEGER:
        return hash_long(nanos ? frz_floor_div(value->integer, 1000) : value->integer);
    case FRZ_VALUE_NUMBER:
        return hash_number(value->number);
    case FRZ_VALUE_DECIMAL:
        return hash_decimal(value->decimal);
    case FRZ_VALUE_BYTES:
        return frz_hash_murmur3(value->bytes.data, value->bytes.size);
    case FRZ_VALUE_NULL:
    case FRZ_VALUE_STRUCT:
    case FRZ_VALUE_LIST:
        break;
    }
    return 0;
}

static frz_status wrong_size(const frz_type *type, size_t size, const char *expected,
                             frz_error **err)
{
    return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "%s value of %zu bytes, expected %s",
                    frz_type_word(type->kind), size, expected);
}

/* Days to the unit of a timestamp; false outside of its range. */
static bool days_to_timestamp(int64_t days, const frz_type *to, int64_t *out)
{
    const bool nanos = to->kind == FRZ_TYPE_TIMESTAMP_NS;
    return !__builtin_mul_overflow(days, nanos ? nanos_per_day : micros_per_day, out);
}

static int32_t i32le(frz_slice bytes)
{
    frz_cursor cursor = frz_cursor_over_slice(bytes);
    return (int32_t)frz_cursor_u32le(&cursor);
}

static int64_t i64le(frz_slice bytes)
{
    frz_cursor cursor = frz_cursor_over_slice(bytes);
    return (int64_t)frz_cursor_u64le(&cursor);
}

static double f32le(frz_slice bytes)
{
    const int32_t bits = i32le(bytes);
    float value = 0;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static double f64le(frz_slice bytes)
{
    const int64_t bits = i64le(bytes);
    double value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static frz_status decode_integer(const frz_type *type, frz_slice bytes, int64_t *out,
                                 frz_error **err)
{
    const bool four = type->kind == FRZ_TYPE_INT || type->kind == FRZ_TYPE_DATE;
    const bool from_date = type->kind == FRZ_TYPE_TIMESTAMP || type->kind == FRZ_TYPE_TIMESTAMP_NS;
    const bool either = from_date || type->kind == FRZ_TYPE_LONG;

    if (bytes.size == 8 && !four) {
        *out = i64le(bytes);
        return FRZ_OK;
    }
    if (bytes.size != 4 || !(four || either))
        return wrong_size(type, bytes.size, four ? "4" : either ? "8 or 4" : "8", err);
    *out = i32le(bytes);
    if (from_date && !days_to_timestamp(*out, type, out))
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "date %d is outside of the range of %s",
                        i32le(bytes), frz_type_word(type->kind));
    return FRZ_OK;
}

static frz_status decode_number(const frz_type *type, frz_slice bytes, double *out, frz_error **err)
{
    if (bytes.size == 4)
        *out = f32le(bytes);
    else if (bytes.size == 8 && type->kind == FRZ_TYPE_DOUBLE)
        *out = f64le(bytes);
    else
        return wrong_size(type, bytes.size, type->kind == FRZ_TYPE_DOUBLE ? "8 or 4" : "4", err);
    return FRZ_OK;
}

static frz_status decode_bytes(const frz_type *type, frz_slice bytes, frz_slice *out,
                               frz_error **err)
{
    if (type->kind == FRZ_TYPE_VARIANT)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "variant has no binary single-value form");
    if (type->kind == FRZ_TYPE_UUID && bytes.size != 16)
        return wrong_size(type, bytes.size, "16", err);
    /* Java truncates the bounds of fixed columns as it does those of binary ones. */
    if (type->kind == FRZ_TYPE_FIXED && bytes.size > (size_t)type->length)
        return wrong_size(type, bytes.size, "no more than its length", err);
    *out = bytes;
    return FRZ_OK;
}

frz_status frz_value_decode(const frz_type *type, frz_slice bytes, frz_value *out, frz_error **err)
{
    frz_value value = {.form = frz_value_form_of(type->kind)};
    switch (value.form) {
    case FRZ_VALUE_BOOLEAN:
        if (bytes.size != 1)
            return wrong_size(type, bytes.size, "1", err);
        value.boolean = bytes.data[0] != 0;
        break;
    case FRZ_VALUE_INTEGER:
        FRZ_TRY(decode_integer(type, bytes, &value.integer, err));
        break;
    case FRZ_VALUE_NUMBER:
        FRZ_TRY(decode_number(type, bytes, &value.number, err));
        break;
    case FRZ_VALUE_DECIMAL:
        if (!frz_decimal_from_be(bytes, &value.decimal) ||
            !frz_decimal_fits(value.decimal, FRZ_DECIMAL_PRECISION_MAX))
            return wrong_size(type, bytes.size, "an integer of at most 38 digits", err);
        break;
    case FRZ_VALUE_BYTES:
        FRZ_TRY(decode_bytes(type, bytes, &value.bytes, err));
        break;
    case FRZ_VALUE_NULL:
    case FRZ_VALUE_STRUCT:
    case FRZ_VALUE_LIST:
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "%s has no binary single-value form",
                        frz_type_word(type->kind));
    }
    *out = value;
    return FRZ_OK;
}

static void encode_number(const frz_type *type, double number, frz_buffer *out)
{
    if (type->kind == FRZ_TYPE_FLOAT) {
        const float narrow = (float)number;
        uint32_t bits = 0;
        memcpy(&bits, &narrow, sizeof bits);
        frz_buffer_append_u32le(out, bits);
        return;
    }
    uint64_t bits = 0;
    memcpy(&bits, &number, sizeof bits);
    frz_buffer_append_u64le(out, bits);
}

void frz_value_encode(const frz_type *type, const frz_value *value, frz_buffer *out)
{
    assert(value->form != FRZ_VALUE_NULL && frz_value_fits(type, value));
    uint8_t decimal[16];
    switch (value->form) {
    case FRZ_VALUE_BOOLEAN:
        frz_buffer_append_byte(out, value->boolean);
        break;
    case FRZ_VALUE_INTEGER:
        if (type->kind == FRZ_TYPE_INT || type->kind == FRZ_TYPE_DATE)
            frz_buffer_append_u32le(out, (uint32_t)value->integer);
        else
            frz_buffer_append_u64le(out, (uint64_t)value->integer);
        break;
    case FRZ_VALUE_NUMBER:
        encode_number(type, value->number, out);
        break;
    case FRZ_VALUE_DECIMAL:
        frz_buffer_append(out, decimal, frz_decimal_to_be(value->decimal, decimal));
        break;
    case FRZ_VALUE_BYTES:
        frz_buffer_append(out, value->bytes.data, value->bytes.size);
        break;
    case FRZ_VALUE_NULL:
    case FRZ_VALUE_STRUCT:
    case FRZ_VALUE_LIST:
        assert(false && "a type without a binary single-value form");
    }
}

static bool promote_integer(const frz_type *to, int64_t integer, frz_value *out)
{
    switch (to->kind) {
    case FRZ_TYPE_INT:
        *out = (frz_value){.form = FRZ_VALUE_INTEGER, .integer = integer};
        return integer >= INT32_MIN && integer <= INT32_MAX;
    case FRZ_TYPE_LONG:
        *out = (frz_value){.form = FRZ_VALUE_INTEGER, .integer = integer};
        return true;
    case FRZ_TYPE_FLOAT:
        *out = (frz_value){.form = FRZ_VALUE_NUMBER, .number = (double)(float)integer};
        return true;
    case FRZ_TYPE_DOUBLE:
        *out = (frz_value){.form = FRZ_VALUE_NUMBER, .number = (double)integer};
        return true;
    case FRZ_TYPE_DECIMAL:
        out->form = FRZ_VALUE_DECIMAL;
        return frz_decimal_rescale(integer, 0, to->scale, &out->decimal) &&
               frz_decimal_fits(out->decimal, to->precision);
    case FRZ_TYPE_UNKNOWN:
    case FRZ_TYPE_BOOLEAN:
    case FRZ_TYPE_DATE:
    case FRZ_TYPE_TIME:
    case FRZ_TYPE_TIMESTAMP:
    case FRZ_TYPE_TIMESTAMPTZ:
    case FRZ_TYPE_TIMESTAMP_NS:
    case FRZ_TYPE_TIMESTAMPTZ_NS:
    case FRZ_TYPE_STRING:
    case FRZ_TYPE_UUID:
    case FRZ_TYPE_FIXED:
    case FRZ_TYPE_BINARY:
    case FRZ_TYPE_VARIANT:
    case FRZ_TYPE_GEOMETRY:
    case FRZ_TYPE_GEOGRAPHY:
    case FRZ_TYPE_STRUCT:
    case FRZ_TYPE_LIST:
    case FRZ_TYPE_MAP:
        break;
    }
    return false;
}

bool frz_value_promote(const frz_type *from, const frz_type *to, const frz_value *value,
                       frz_value *out)
{
    frz_value result = *value;
    const bool whole = from->kind == FRZ_TYPE_INT || from->kind == FRZ_TYPE_LONG;
    if (whole && value->form == FRZ_VALUE_INTEGER) {
        if (!promote_integer(to, value->integer, &result))
            return false;
    } else if (!frz_type_promotes(from, to, 3)) {
        return false;
    } else if (from->kind == FRZ_TYPE_DATE && to->kind != FRZ_TYPE_DATE &&
               value->form == FRZ_VALUE_INTEGER) {
        if (!days_to_timestamp(value->integer, to, &result.integer))
            return false;
    }
    *out = result;
    return true;
}

static bool copy_items(const frz_value *value, frz_arena *arena, frz_value *out)
{
    if (value->items.count == 0) {
        out->items.data = NULL;
        return true;
    }
    frz_value *items = frz_arena_array(arena, value->items.count, sizeof *items);
    if (!items)
        return false;
    for (size_t i = 0; i < value->items.count; i++)
        if (!frz_value_copy(&value->items.data[i], arena, &items[i]))
            return false;
    out->items.data = items;
    return true;
}

bool frz_value_copy(const frz_value *value, frz_arena *arena, frz_value *out)
{
    frz_value copy = *value;
    if (value->form == FRZ_VALUE_BYTES && !frz_arena_slice(arena, value->bytes, &copy.bytes))
        return false;
    if ((value->form == FRZ_VALUE_STRUCT || value->form == FRZ_VALUE_LIST) &&
        !copy_items(value, arena, &copy))
        return false;
    *out = copy;
    return true;
}
