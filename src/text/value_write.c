#include "arrow/array.h"
#include "arrow/convert.h"
#include "base/calendar.h"
#include "base/number.h"
#include "base/uuid.h"
#include "text/value.h"

static const void *buffer_at(const struct ArrowArray *array, int64_t index)
{
    return array->buffers[index];
}

/* Index `row` of a fixed-width buffer, the array's offset applied. */
#define VALUE_AT(type, array, row) (((const type *)buffer_at(array, 1))[(array)->offset + (row)])

static int64_t integer_at(const frz_text_column *column, const struct ArrowArray *array,
                          int64_t row)
{
    switch (frz_arrow_type_width(&column->type)) {
    case 1:
        return column->type.kind == FRZ_ARROW_UINT8 ? (int64_t)VALUE_AT(uint8_t, array, row)
                                                    : VALUE_AT(int8_t, array, row);
    case 2:
        return column->type.kind == FRZ_ARROW_UINT16 ? (int64_t)VALUE_AT(uint16_t, array, row)
                                                     : VALUE_AT(int16_t, array, row);
    case 4:
        return column->type.kind == FRZ_ARROW_UINT32 ? (int64_t)VALUE_AT(uint32_t, array, row)
                                                     : VALUE_AT(int32_t, array, row);
    default:
        return VALUE_AT(int64_t, array, row);
    }
}

/* Views: 4 bytes of length, then the bytes themselves (up to 12), or prefix, buffer and offset. */
static frz_slice view_at(const struct ArrowArray *array, int64_t row)
{
    const uint8_t *view = (const uint8_t *)buffer_at(array, 1) + (array->offset + row) * 16;
    int32_t parts[4];
    memcpy(parts, view, sizeof parts);
    if (parts[0] <= 12)
        return frz_slice_of(view + 4, (size_t)parts[0]);
    return frz_slice_of((const uint8_t *)array->buffers[2 + parts[2]] + parts[3], (size_t)parts[0]);
}

static frz_slice bytes_at(const frz_text_column *column, const struct ArrowArray *array,
                          int64_t row)
{
    const frz_arrow_kind kind = column->type.kind;
    if (kind == FRZ_ARROW_STRING_VIEW || kind == FRZ_ARROW_BINARY_VIEW)
        return view_at(array, row);
    if (kind == FRZ_ARROW_FIXED) {
        const size_t size = (size_t)column->type.width;
        return frz_slice_of(
            (const uint8_t *)buffer_at(array, 1) + (size_t)(array->offset + row) * size, size);
    }
    const bool large = kind == FRZ_ARROW_LARGE_STRING || kind == FRZ_ARROW_LARGE_BINARY;
    const int64_t start = large ? VALUE_AT(int64_t, array, row) : VALUE_AT(int32_t, array, row);
    const int64_t end =
        large ? VALUE_AT(int64_t, array, row + 1) : VALUE_AT(int32_t, array, row + 1);
    if (end == start)
        return (frz_slice){0}; /* the data buffer may be absent */
    return frz_slice_of((const uint8_t *)array->buffers[2] + start, (size_t)(end - start));
}

static void put_time(frz_buffer *out, int64_t value, char unit)
{
    char text[FRZ_CALENDAR_TEXT_SIZE];
    const int64_t per_micro = unit == 'n' ? 1000 : 1;
    const int64_t micros_per = unit == 's' ? 1000000 : unit == 'm' ? 1000 : 1;
    const int64_t micros = frz_floor_div(value, per_micro) * micros_per;
    frz_buffer_append(out, text, frz_calendar_print_time(micros, text));
    if (unit == 'n')
        frz_buffer_printf(out, "%03d", (int)frz_floor_mod(value, 1000));
}

static void put_timestamp(frz_buffer *out, int64_t value, const frz_arrow_type *type)
{
    char text[FRZ_CALENDAR_TEXT_SIZE];
    int64_t micros = value;
    if (type->unit == 'n') {
        frz_buffer_append(out, text, frz_calendar_print_nanos(value, type->zoned, text));
        return;
    }
    const int64_t micros_per = type->unit == 's' ? 1000000 : type->unit == 'm' ? 1000 : 1;
    if (__builtin_mul_overflow(value, micros_per, &micros))
        micros = value < 0 ? INT64_MIN : INT64_MAX; /* beyond the years a microsecond can count */
    frz_buffer_append(out, text, frz_calendar_print_micros(micros, type->zoned, text));
}

static void put_hex(frz_buffer *out, frz_slice bytes)
{
    static const char digits[] = "0123456789abcdef";
    frz_buffer_append_text(out, "0x");
    for (size_t i = 0; i < bytes.size; i++) {
        frz_buffer_append_byte(out, (uint8_t)digits[bytes.data[i] >> 4]);
        frz_buffer_append_byte(out, (uint8_t)digits[bytes.data[i] & 15]);
    }
}

static void put_fixed(frz_buffer *out, const frz_text_column *column, frz_slice bytes)
{
    if (!column->is_uuid) {
        put_hex(out, bytes);
        return;
    }
    frz_uuid uuid;
    char text[FRZ_UUID_TEXT_SIZE];
    memcpy(uuid.bytes, bytes.data, sizeof uuid.bytes);
    frz_uuid_print(&uuid, text);
    frz_buffer_append_text(out, text);
}

static void put_decimal(frz_buffer *out, const frz_text_column *column,
                        const struct ArrowArray *array, int64_t row)
{
    frz_int128 unscaled = 0; /* foreign buffers need not be aligned to 16 */
    memcpy(&unscaled, (const uint8_t *)buffer_at(array, 1) + (array->offset + row) * 16,
           sizeof unscaled);
    char text[FRZ_DECIMAL_TEXT_SIZE];
    const int scale = column->type.scale;
    if (scale >= 0 && scale <= FRZ_DECIMAL_PRECISION_MAX) {
        frz_buffer_append(out, text, frz_decimal_print(unscaled, scale, text));
        return;
    }
    frz_buffer_append(out, text, frz_decimal_print(unscaled, 0, text));
    frz_buffer_printf(out, "e%d", -scale);
}

/* The value of a half or a float; halves are floats exactly. */
static float float_at(const frz_text_column *column, const struct ArrowArray *array, int64_t row)
{
    return column->type.kind == FRZ_ARROW_HALF
               ? frz_arrow_half_to_float(VALUE_AT(uint16_t, array, row))
               : VALUE_AT(float, array, row);
}

static void put_float(frz_buffer *out, const frz_text_column *column,
                      const struct ArrowArray *array, int64_t row)
{
    char text[FRZ_NUMBER_TEXT_SIZE];
    const size_t size = column->type.kind == FRZ_ARROW_DOUBLE
                            ? frz_number_print_f64(VALUE_AT(double, array, row), text)
                            : frz_number_print_f32(float_at(column, array, row), text);
    frz_buffer_append(out, text, size);
}

static void put_date(frz_buffer *out, int64_t value, bool in_milliseconds)
{
    char text[FRZ_CALENDAR_TEXT_SIZE];
    const int64_t days = in_milliseconds ? frz_floor_div(value, 86400000) : value;
    frz_buffer_append(out, text, frz_calendar_print_date(days, text));
}

/* A scalar that is not null, without quotes. */
static void put_scalar(frz_buffer *out, const frz_text_column *column,
                       const struct ArrowArray *array, int64_t row)
{
    switch (column->type.kind) {
    case FRZ_ARROW_BOOL:
        frz_buffer_append_text(
            out, frz_bit_get(buffer_at(array, 1), array->offset + row) ? "true" : "false");
        break;
    case FRZ_ARROW_INT8:
    case FRZ_ARROW_UINT8:
    case FRZ_ARROW_INT16:
    case FRZ_ARROW_UINT16:
    case FRZ_ARROW_INT32:
    case FRZ_ARROW_UINT32:
    case FRZ_ARROW_INT64:
        frz_buffer_printf(out, "%lld", (long long)integer_at(column, array, row));
        break;
    case FRZ_ARROW_UINT64:
        frz_buffer_printf(out, "%llu", (unsigned long long)VALUE_AT(uint64_t, array, row));
        break;
    case FRZ_ARROW_HALF:
    case FRZ_ARROW_FLOAT:
    case FRZ_ARROW_DOUBLE:
        put_float(out, column, array, row);
        break;
    case FRZ_ARROW_DECIMAL:
        put_decimal(out, column, array, row);
        break;
    case FRZ_ARROW_STRING:
    case FRZ_ARROW_LARGE_STRING:
    case FRZ_ARROW_STRING_VIEW: {
        const frz_slice bytes = bytes_at(column, array, row);
        frz_buffer_append(out, bytes.data, bytes.size);
        break;
    }
    case FRZ_ARROW_BINARY:
    case FRZ_ARROW_LARGE_BINARY:
    case FRZ_ARROW_BINARY_VIEW:
        put_hex(out, bytes_at(column, array, row));
        break;
    case FRZ_ARROW_FIXED:
        put_fixed(out, column, bytes_at(column, array, row));
        break;
    case FRZ_ARROW_DATE32:
    case FRZ_ARROW_DATE64:
        put_date(out, integer_at(column, array, row), column->type.kind == FRZ_ARROW_DATE64);
        break;
    case FRZ_ARROW_TIME32:
    case FRZ_ARROW_TIME64:
        put_time(out, integer_at(column, array, row), column->type.unit);
        break;
    case FRZ_ARROW_TIMESTAMP:
        put_timestamp(out, integer_at(column, array, row), &column->type);
        break;
    case FRZ_ARROW_NULL:
    case FRZ_ARROW_STRUCT:
    case FRZ_ARROW_LIST:
    case FRZ_ARROW_LARGE_LIST:
    case FRZ_ARROW_FIXED_LIST:
    case FRZ_ARROW_MAP:
    case FRZ_ARROW_DECIMAL_OTHER:
    case FRZ_ARROW_DURATION:
    case FRZ_ARROW_INTERVAL:
    case FRZ_ARROW_LIST_VIEW:
    case FRZ_ARROW_UNION:
    case FRZ_ARROW_RUN_END:
        break; /* not scalars, or refused when the column was compiled */
    }
}

/* The row of the values that a dictionary's index names. */
static int64_t dictionary_row(const frz_text_column *column, const struct ArrowArray *array,
                              int64_t row)
{
    return integer_at(column, array, row);
}

/* Which child of a sparse union holds the row; it stands at the same place there. */
static size_t branch_of(const struct ArrowArray *array, int64_t row)
{
    return ((const uint8_t *)array->buffers[0])[array->offset + row];
}

bool frz_text_is_null(const frz_text_column *column, const struct ArrowArray *array, int64_t row)
{
    if (column->type.kind == FRZ_ARROW_NULL || frz_arrow_is_null(array, row))
        return true;
    if (column->type.kind == FRZ_ARROW_UNION) {
        const size_t branch = branch_of(array, row);
        return frz_text_is_null(&column->children[branch], array->children[branch],
                                array->offset + row);
    }
    return column->dictionary && frz_text_is_null(column->dictionary, array->dictionary,
                                                  dictionary_row(column, array, row));
}

static bool is_string(frz_arrow_kind kind)
{
    return kind == FRZ_ARROW_STRING || kind == FRZ_ARROW_LARGE_STRING ||
           kind == FRZ_ARROW_STRING_VIEW;
}

/* Numbers and booleans stand bare in JSON, unless JSON cannot say them. */
static bool stands_bare(const frz_text_column *column, const struct ArrowArray *array, int64_t row,
                        const frz_text_style *style)
{
    switch (column->type.kind) {
    case FRZ_ARROW_BOOL:
    case FRZ_ARROW_INT8:
    case FRZ_ARROW_UINT8:
    case FRZ_ARROW_INT16:
    case FRZ_ARROW_UINT16:
    case FRZ_ARROW_INT32:
    case FRZ_ARROW_UINT32:
        return true;
    case FRZ_ARROW_INT64:
    case FRZ_ARROW_UINT64:
        return !style->ids_as_strings;
    case FRZ_ARROW_HALF:
    case FRZ_ARROW_FLOAT: {
        const float value = float_at(column, array, row);
        return value - value == 0;
    }
    case FRZ_ARROW_DOUBLE: {
        const double value = VALUE_AT(double, array, row);
        return value - value == 0;
    }
    case FRZ_ARROW_NULL:
    case FRZ_ARROW_DECIMAL:
    case FRZ_ARROW_DECIMAL_OTHER:
    case FRZ_ARROW_STRING:
    case FRZ_ARROW_LARGE_STRING:
    case FRZ_ARROW_STRING_VIEW:
    case FRZ_ARROW_BINARY:
    case FRZ_ARROW_LARGE_BINARY:
    case FRZ_ARROW_BINARY_VIEW:
    case FRZ_ARROW_FIXED:
    case FRZ_ARROW_DATE32:
    case FRZ_ARROW_DATE64:
    case FRZ_ARROW_TIME32:
    case FRZ_ARROW_TIME64:
    case FRZ_ARROW_TIMESTAMP:
    case FRZ_ARROW_DURATION:
    case FRZ_ARROW_INTERVAL:
    case FRZ_ARROW_STRUCT:
    case FRZ_ARROW_LIST:
    case FRZ_ARROW_LARGE_LIST:
    case FRZ_ARROW_FIXED_LIST:
    case FRZ_ARROW_LIST_VIEW:
    case FRZ_ARROW_MAP:
    case FRZ_ARROW_UNION:
    case FRZ_ARROW_RUN_END:
        return false;
    }
    return false;
}

static void write_scalar(frz_json_writer *json, const frz_text_column *column,
                         const struct ArrowArray *array, int64_t row, const frz_text_style *style)
{
    if (is_string(column->type.kind)) {
        frz_json_string_slice(json, bytes_at(column, array, row));
        return;
    }
    const bool bare = stands_bare(column, array, row, style);
    frz_json_raw(json, frz_slice_of_text(bare ? "" : "\""));
    put_scalar(json->out, column, array, row);
    if (!bare)
        frz_buffer_append_byte(json->out, '"');
}

/* The child rows of one list or map row. */
static void list_range(const frz_text_column *column, const struct ArrowArray *array, int64_t row,
                       int64_t *start_out, int64_t *end_out)
{
    if (column->type.kind == FRZ_ARROW_FIXED_LIST) {
        *start_out = (array->offset + row) * column->type.width;
        *end_out = *start_out + column->type.width;
    } else if (column->type.kind == FRZ_ARROW_LARGE_LIST) {
        *start_out = VALUE_AT(int64_t, array, row);
        *end_out = VALUE_AT(int64_t, array, row + 1);
    } else {
        *start_out = VALUE_AT(int32_t, array, row);
        *end_out = VALUE_AT(int32_t, array, row + 1);
    }
}

static void write_struct(frz_json_writer *json, const frz_text_column *column,
                         const struct ArrowArray *array, int64_t row, const frz_text_style *style)
{
    frz_json_open_object(json);
    for (size_t i = 0; i < column->child_count; i++) {
        frz_json_key(json, column->children[i].name);
        frz_text_write_json(json, &column->children[i], array->children[i], array->offset + row,
                            style);
    }
    frz_json_close_object(json);
}

static void write_union(frz_json_writer *json, const frz_text_column *column,
                        const struct ArrowArray *array, int64_t row, const frz_text_style *style)
{
    const size_t branch = branch_of(array, row);
    frz_text_write_json(json, &column->children[branch], array->children[branch],
                        array->offset + row, style);
}

static void write_list(frz_json_writer *json, const frz_text_column *column,
                       const struct ArrowArray *array, int64_t row, const frz_text_style *style)
{
    int64_t start = 0;
    int64_t end = 0;
    list_range(column, array, row, &start, &end);
    frz_json_open_array(json);
    for (int64_t i = start; i < end; i++)
        frz_text_write_json(json, &column->children[0], array->children[0], i, style);
    frz_json_close_array(json);
}

/* A map with string keys is an object, any other an array of [key, value]. */
static void write_map(frz_json_writer *json, const frz_text_column *column,
                      const struct ArrowArray *array, int64_t row, const frz_text_style *style)
{
    const frz_text_column *key = &column->children[0].children[0];
    const frz_text_column *value = &column->children[0].children[1];
    const struct ArrowArray *entries = array->children[0];
    const bool object = is_string(key->type.kind) && !key->dictionary;
    int64_t start = 0;
    int64_t end = 0;
    list_range(column, array, row, &start, &end);
    if (object)
        frz_json_open_object(json);
    else
        frz_json_open_array(json);
    for (int64_t i = entries->offset + start; i < entries->offset + end; i++) {
        if (object) {
            frz_json_key_slice(json, bytes_at(key, entries->children[0], i));
        } else {
            frz_json_open_array(json);
            frz_text_write_json(json, key, entries->children[0], i, style);
        }
        frz_text_write_json(json, value, entries->children[1], i, style);
        if (!object)
            frz_json_close_array(json);
    }
    if (object)
        frz_json_close_object(json);
    else
        frz_json_close_array(json);
}

void frz_text_write_json(frz_json_writer *json, const frz_text_column *column,
                         const struct ArrowArray *array, int64_t row, const frz_text_style *style)
{
    const frz_arrow_kind kind = column->type.kind;
    if (frz_text_is_null(column, array, row))
        frz_json_null(json);
    else if (column->dictionary)
        frz_text_write_json(json, column->dictionary, array->dictionary,
                            dictionary_row(column, array, row), style);
    else if (kind == FRZ_ARROW_STRUCT)
        write_struct(json, column, array, row, style);
    else if (kind == FRZ_ARROW_LIST || kind == FRZ_ARROW_LARGE_LIST || kind == FRZ_ARROW_FIXED_LIST)
        write_list(json, column, array, row, style);
    else if (kind == FRZ_ARROW_MAP)
        write_map(json, column, array, row, style);
    else if (kind == FRZ_ARROW_UNION)
        write_union(json, column, array, row, style);
    else
        write_scalar(json, column, array, row, style);
}

void frz_text_write_plain(frz_buffer *out, const frz_text_column *column,
                          const struct ArrowArray *array, int64_t row)
{
    if (frz_text_is_null(column, array, row))
        return;
    if (column->dictionary) {
        frz_text_write_plain(out, column->dictionary, array->dictionary,
                             dictionary_row(column, array, row));
        return;
    }
    if (column->type.kind == FRZ_ARROW_UNION) {
        const size_t branch = branch_of(array, row);
        frz_text_write_plain(out, &column->children[branch], array->children[branch],
                             array->offset + row);
        return;
    }
    if (column->child_count == 0) {
        put_scalar(out, column, array, row);
        return;
    }
    const frz_text_style style = {0};
    frz_json_writer json = frz_json_writer_to(out, 0);
    frz_text_write_json(&json, column, array, row, &style);
}
