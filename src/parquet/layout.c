#include "parquet/layout.h"

#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/fail.h"
#include "parquet/element.h"

static void set_fixed(frz_parquet_layout *out, size_t width, const char *format)
{
    out->form = FRZ_PARQUET_FORM_FIXED;
    out->width = width;
    (void)snprintf(out->format, sizeof out->format, "%s", format);
}

/* By the physical type alone. */
static void set_physical(const frz_parquet_node *leaf, frz_parquet_layout *out)
{
    char fixed[32];
    switch (leaf->type) {
    case FRZ_PARQUET_BOOLEAN:
        out->form = FRZ_PARQUET_FORM_BITS;
        memcpy(out->format, "b", 2);
        return;
    case FRZ_PARQUET_INT32:
        set_fixed(out, 4, "i");
        break;
    case FRZ_PARQUET_INT64:
        set_fixed(out, 8, "l");
        break;
    case FRZ_PARQUET_INT96:
        /* Legacy timestamps, which Iceberg reads as timestamptz; in microseconds, because
         * nanoseconds would overflow after 2262 (field report D064). */
        set_fixed(out, 8, "tsu:UTC");
        out->conversion = FRZ_PARQUET_CONVERT_INT96;
        out->physical_width = 12;
        return;
    case FRZ_PARQUET_FLOAT:
        set_fixed(out, 4, "f");
        break;
    case FRZ_PARQUET_DOUBLE:
        set_fixed(out, 8, "g");
        break;
    case FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY:
        (void)snprintf(fixed, sizeof fixed, "w:%d", leaf->type_length);
        set_fixed(out, (size_t)leaf->type_length, fixed);
        break;
    case FRZ_PARQUET_BYTE_ARRAY:
        out->form = FRZ_PARQUET_FORM_BYTES;
        memcpy(out->format, "z", 2);
        return;
    }
    out->physical_width = out->width;
}

static void set_format(frz_parquet_layout *out, const char *format)
{
    (void)snprintf(out->format, sizeof out->format, "%s", format);
}

static frz_status unsupported(const frz_parquet_node *leaf, const char *what, frz_error **err)
{
    char path[FRZ_PARQUET_PATH_SIZE];
    return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "column %s: %s",
                    frz_parquet_node_path(leaf, path), what);
}

static frz_status set_decimal(const frz_parquet_node *leaf, frz_parquet_layout *out,
                              frz_error **err)
{
    if (leaf->precision > FRZ_DECIMAL_PRECISION_MAX)
        return unsupported(leaf, "a decimal of more than 38 digits", err);
    char format[32];
    (void)snprintf(format, sizeof format, "d:%d,%d", leaf->precision, leaf->scale);
    if (leaf->type == FRZ_PARQUET_INT32)
        out->conversion = FRZ_PARQUET_CONVERT_DECIMAL_32;
    else if (leaf->type == FRZ_PARQUET_INT64)
        out->conversion = FRZ_PARQUET_CONVERT_DECIMAL_64;
    else if (leaf->type == FRZ_PARQUET_BYTE_ARRAY)
        out->conversion = FRZ_PARQUET_CONVERT_DECIMAL_BYTES;
    else
        out->conversion = FRZ_PARQUET_CONVERT_DECIMAL_FIXED;
    set_fixed(out, sizeof(frz_int128), format);
    return FRZ_OK;
}

static frz_status set_time(const frz_parquet_node *leaf, frz_parquet_layout *out, frz_error **err)
{
    if (leaf->unit == 0)
        return unsupported(leaf, "a time unit that is none of MILLIS, MICROS and NANOS", err);
    char format[32];
    if (leaf->logical == FRZ_PARQUET_LOGICAL_TIME)
        (void)snprintf(format, sizeof format, "tt%c", leaf->unit);
    else
        (void)snprintf(format, sizeof format, "ts%c:%s", leaf->unit,
                       leaf->adjusted_to_utc ? "UTC" : "");
    set_format(out, format);
    return FRZ_OK;
}

static void set_integer(const frz_parquet_node *leaf, frz_parquet_layout *out)
{
    if (leaf->bit_width == 8) {
        set_fixed(out, 1, leaf->is_signed ? "c" : "C");
        out->conversion = FRZ_PARQUET_CONVERT_INT8;
    } else if (leaf->bit_width == 16) {
        set_fixed(out, 2, leaf->is_signed ? "s" : "S");
        out->conversion = FRZ_PARQUET_CONVERT_INT16;
    } else if (leaf->bit_width == 32) {
        set_format(out, leaf->is_signed ? "i" : "I");
    } else {
        set_format(out, leaf->is_signed ? "l" : "L");
    }
}

frz_status frz_parquet_layout_of(const frz_parquet_node *leaf, frz_parquet_layout *out,
                                 frz_error **err)
{
    frz_parquet_layout layout = {0};
    set_physical(leaf, &layout);
    switch (leaf->logical) {
    case FRZ_PARQUET_LOGICAL_STRING:
        layout.text = true;
        set_format(&layout, "u");
        break;
    case FRZ_PARQUET_LOGICAL_DECIMAL:
        FRZ_TRY(set_decimal(leaf, &layout, err));
        break;
    case FRZ_PARQUET_LOGICAL_DATE:
        set_format(&layout, "tdD");
        break;
    case FRZ_PARQUET_LOGICAL_TIME:
    case FRZ_PARQUET_LOGICAL_TIMESTAMP:
        FRZ_TRY(set_time(leaf, &layout, err));
        break;
    case FRZ_PARQUET_LOGICAL_INTEGER:
        set_integer(leaf, &layout);
        break;
    case FRZ_PARQUET_LOGICAL_UUID:
        layout.extension = "arrow.uuid";
        break;
    case FRZ_PARQUET_LOGICAL_FLOAT16:
        set_format(&layout, "e");
        break;
    case FRZ_PARQUET_LOGICAL_UNKNOWN:
        layout.form = FRZ_PARQUET_FORM_NULL;
        layout.width = 0;
        set_format(&layout, "n");
        break;
    case FRZ_PARQUET_LOGICAL_NONE:
    case FRZ_PARQUET_LOGICAL_INTERVAL:
    case FRZ_PARQUET_LOGICAL_BSON:
    case FRZ_PARQUET_LOGICAL_LIST:
    case FRZ_PARQUET_LOGICAL_MAP:
    case FRZ_PARQUET_LOGICAL_VARIANT:
    case FRZ_PARQUET_LOGICAL_GEOMETRY:
    case FRZ_PARQUET_LOGICAL_GEOGRAPHY:
        break;
    }
    *out = layout;
    return FRZ_OK;
}

static const char too_wide[] = "a decimal does not fit in 128 bits";

static bool convert_decimals(const frz_parquet_layout *layout, const uint8_t *in, uint8_t *out,
                             size_t count, const char **problem_out)
{
    for (size_t i = 0; i < count; i++) {
        frz_int128 value = 0;
        const size_t width = layout->physical_width;
        if (!frz_decimal_from_be(frz_slice_of(in + i * width, width), &value)) {
            *problem_out = too_wide;
            return false;
        }
        memcpy(out + i * sizeof value, &value, sizeof value);
    }
    return true;
}

static int64_t read_i64(const uint8_t *bytes)
{
    int64_t value = 0;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static int32_t read_i32(const uint8_t *bytes)
{
    int32_t value = 0;
    memcpy(&value, bytes, sizeof value);
    return value;
}

/* Nanoseconds of the day, then the Julian day; the division truncates the nanoseconds as Java does.
 */
static bool convert_int96(const uint8_t *in, uint8_t *out, size_t count, const char **problem_out)
{
    static const int64_t epoch_day = 2440588;
    static const int64_t day_us = INT64_C(86400000000);
    for (size_t i = 0; i < count; i++) {
        const int64_t days = read_i32(in + i * 12 + 8) - epoch_day;
        const int64_t us = read_i64(in + i * 12) / 1000;
        int64_t value = 0;
        if (__builtin_mul_overflow(days, day_us, &value) ||
            __builtin_add_overflow(value, us, &value)) {
            *problem_out = "an INT96 timestamp is out of range";
            return false;
        }
        memcpy(out + i * sizeof value, &value, sizeof value);
    }
    return true;
}

bool frz_parquet_convert_fixed(const frz_parquet_layout *layout, const uint8_t *in, uint8_t *out,
                               size_t count, const char **problem_out)
{
    switch (layout->conversion) {
    case FRZ_PARQUET_CONVERT_NONE:
        memcpy(out, in, count * layout->width);
        return true;
    case FRZ_PARQUET_CONVERT_INT8:
        for (size_t i = 0; i < count; i++)
            out[i] = in[i * 4];
        return true;
    case FRZ_PARQUET_CONVERT_INT16:
        for (size_t i = 0; i < count; i++)
            memcpy(out + i * 2, in + i * 4, 2);
        return true;
    case FRZ_PARQUET_CONVERT_DECIMAL_32:
        for (size_t i = 0; i < count; i++) {
            const frz_int128 value = read_i32(in + i * 4);
            memcpy(out + i * sizeof value, &value, sizeof value);
        }
        return true;
    case FRZ_PARQUET_CONVERT_DECIMAL_64:
        for (size_t i = 0; i < count; i++) {
            const frz_int128 value = read_i64(in + i * 8);
            memcpy(out + i * sizeof value, &value, sizeof value);
        }
        return true;
    case FRZ_PARQUET_CONVERT_DECIMAL_FIXED:
        return convert_decimals(layout, in, out, count, problem_out);
    case FRZ_PARQUET_CONVERT_INT96:
        return convert_int96(in, out, count, problem_out);
    case FRZ_PARQUET_CONVERT_DECIMAL_BYTES:
        break;
    }
    *problem_out = "no conversion for values of fixed width";
    return false;
}

bool frz_parquet_convert_bytes(const uint8_t *data, int32_t start, const int32_t *ends,
                               uint8_t *out, size_t count, const char **problem_out)
{
    for (size_t i = 0; i < count; i++) {
        frz_int128 value = 0;
        const frz_slice bytes = frz_slice_of(data + start, (size_t)(ends[i] - start));
        if (!frz_decimal_from_be(bytes, &value)) {
            *problem_out = too_wide;
            return false;
        }
        memcpy(out + i * sizeof value, &value, sizeof value);
        start = ends[i];
    }
    return true;
}
