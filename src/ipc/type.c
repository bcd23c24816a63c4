#include "ipc/type.h"

#include <string.h>

#include "arrow/schema.h"
#include "arrow/type.h"
#include "base/fail.h"
#include "ipc/format.h"

static const char units[] = "smun"; /* by TimeUnit */

static frz_status fail_type(const char *path, const char *what, frz_error **err)
{
    return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "column \"%s\": %s", path, what);
}

static frz_status no_iceberg_type(const char *path, const char *name, frz_error **err)
{
    return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                    "column \"%s\": Arrow type %s has no Iceberg type", path, name);
}

/* The format of an Int; NULL when there is no such width. */
static const char *integer_format(const frz_flat_table *type)
{
    const bool is_signed = frz_flat_u8(type, FRZ_IPC_INT_IS_SIGNED, 0) != 0;
    switch (frz_flat_i32(type, FRZ_IPC_INT_BIT_WIDTH, 0)) {
    case 8:
        return is_signed ? "c" : "C";
    case 16:
        return is_signed ? "s" : "S";
    case 32:
        return is_signed ? "i" : "I";
    case 64:
        return is_signed ? "l" : "L";
    default:
        return NULL;
    }
}

static const char *float_format(const frz_flat_table *type)
{
    static const char *const formats[] = {"e", "f", "g"};
    const int16_t precision = frz_flat_i16(type, FRZ_IPC_FLOAT_PRECISION, 0);
    return precision >= 0 && precision < 3 ? formats[precision] : NULL;
}

static const char *date_format(const frz_flat_table *type)
{
    const int16_t unit = frz_flat_i16(type, FRZ_IPC_DATE_UNIT, FRZ_IPC_DATE_MILLISECOND);
    if (unit == FRZ_IPC_DATE_DAY)
        return "tdD";
    return unit == FRZ_IPC_DATE_MILLISECOND ? "tdm" : NULL;
}

/* The unit of time of a field, as a letter; 0 when there is no such unit. */
static char unit_of(const frz_flat_table *type, unsigned field, int16_t absent)
{
    const int16_t unit = frz_flat_i16(type, field, absent);
    return unit >= 0 && unit < (int16_t)strlen(units) ? units[unit] : '\0';
}

/* Seconds and milliseconds are of 32 bits, the others of 64 (Schema.fbs, Time). */
static bool put_time(const frz_flat_table *type, frz_buffer *out)
{
    const char unit = unit_of(type, FRZ_IPC_TIME_UNIT, FRZ_IPC_UNIT_MILLISECOND);
    const int32_t width = frz_flat_i32(type, FRZ_IPC_TIME_BIT_WIDTH, 32);
    frz_buffer_printf(out, "tt%c", unit);
    return unit != '\0' && width == (unit == 's' || unit == 'm' ? 32 : 64);
}

static bool put_timestamp(const frz_flat_table *type, frz_buffer *out)
{
    const char unit = unit_of(type, FRZ_IPC_TIMESTAMP_UNIT, FRZ_IPC_UNIT_SECOND);
    const frz_slice zone = frz_flat_text(type, FRZ_IPC_TIMESTAMP_TIMEZONE);
    frz_buffer_printf(out, "ts%c:", unit);
    frz_buffer_append(out, zone.data, zone.size);
    return unit != '\0' && (zone.size == 0 || !memchr(zone.data, 0, zone.size));
}

static bool put_duration(const frz_flat_table *type, frz_buffer *out)
{
    const char unit = unit_of(type, FRZ_IPC_DURATION_UNIT, FRZ_IPC_UNIT_MILLISECOND);
    frz_buffer_printf(out, "tD%c", unit);
    return unit != '\0';
}

/* The parser of format strings refuses digits and widths that there are not. */
static bool put_decimal(const frz_flat_table *type, frz_buffer *out)
{
    frz_buffer_printf(out, "d:%d,%d,%d", (int)frz_flat_i32(type, FRZ_IPC_DECIMAL_PRECISION, 0),
                      (int)frz_flat_i32(type, FRZ_IPC_DECIMAL_SCALE, 0),
                      (int)frz_flat_i32(type, FRZ_IPC_DECIMAL_BIT_WIDTH, 128));
    return true;
}

static bool put_width(const char *start, const frz_flat_table *type, frz_buffer *out)
{
    frz_buffer_printf(out, "%s%d", start, (int)frz_flat_i32(type, FRZ_IPC_FIXED_WIDTH, 0));
    return true;
}

/* The format of types that have few; NULL for those with parameters, and what is no type. */
static const char *fixed_format(uint8_t kind, const frz_flat_table *type)
{
    static const char *const fixed[] = {[FRZ_IPC_TYPE_NULL] = "n",
                                        [FRZ_IPC_TYPE_BINARY] = "z",
                                        [FRZ_IPC_TYPE_UTF8] = "u",
                                        [FRZ_IPC_TYPE_BOOL] = "b",
                                        [FRZ_IPC_TYPE_LIST] = "+l",
                                        [FRZ_IPC_TYPE_STRUCT] = "+s",
                                        [FRZ_IPC_TYPE_MAP] = "+m",
                                        [FRZ_IPC_TYPE_LARGE_BINARY] = "Z",
                                        [FRZ_IPC_TYPE_LARGE_UTF8] = "U",
                                        [FRZ_IPC_TYPE_LARGE_LIST] = "+L",
                                        [FRZ_IPC_TYPE_RUN_END_ENCODED] = "+r",
                                        [FRZ_IPC_TYPE_BINARY_VIEW] = "vz",
                                        [FRZ_IPC_TYPE_UTF8_VIEW] = "vu",
                                        [FRZ_IPC_TYPE_LIST_VIEW] = "+vl",
                                        [FRZ_IPC_TYPE_LARGE_LIST_VIEW] = "+vL"};
    if (kind == FRZ_IPC_TYPE_INT)
        return integer_format(type);
    if (kind == FRZ_IPC_TYPE_FLOATING_POINT)
        return float_format(type);
    if (kind == FRZ_IPC_TYPE_DATE)
        return date_format(type);
    return fixed[kind];
}

/* False when there is no such type. */
static bool put_format(uint8_t kind, const frz_flat_table *type, frz_buffer *out)
{
    const char *fixed = fixed_format(kind, type);
    if (fixed) {
        frz_buffer_append_text(out, fixed);
        return true;
    }
    switch (kind) {
    case FRZ_IPC_TYPE_DECIMAL:
        return put_decimal(type, out);
    case FRZ_IPC_TYPE_TIME:
        return put_time(type, out);
    case FRZ_IPC_TYPE_TIMESTAMP:
        return put_timestamp(type, out);
    case FRZ_IPC_TYPE_DURATION:
        return put_duration(type, out);
    case FRZ_IPC_TYPE_FIXED_SIZE_BINARY:
        return put_width("w:", type, out);
    case FRZ_IPC_TYPE_FIXED_SIZE_LIST:
        return put_width("+w:", type, out);
    default:
        return false;
    }
}

frz_status frz_ipc_type_read(const frz_flat_table *field, const char *path, frz_arena *arena,
                             const char **out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_buffer format = {0};
    const uint8_t kind = frz_flat_u8(field, FRZ_IPC_FIELD_TYPE_TYPE, FRZ_IPC_TYPE_NONE);
    const frz_flat_table type = frz_flat_child(field, FRZ_IPC_FIELD_TYPE);
    if (kind == FRZ_IPC_TYPE_UNION)
        return no_iceberg_type(path, "union", err);
    if (kind == FRZ_IPC_TYPE_INTERVAL)
        return no_iceberg_type(path, "interval", err);
    if (kind > FRZ_IPC_TYPE_LARGE_LIST_VIEW)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "column \"%s\": Arrow type number %d is not known", path, (int)kind);
    if (!type.buffer)
        return fail_type(path, "no type", err);
    if (!put_format(kind, &type, &format)) {
        status = fail_type(path, "a type, width or unit that Arrow does not have", err);
        goto done;
    }
    FRZ_TRY_DONE(frz_buffer_check(&format, err));
    const char *text = frz_arena_text_n(arena, format.data, format.size);
    if (text)
        *out = text;
    else
        status = frz_fail_memory(err);
done:
    frz_buffer_clear(&format);
    return status;
}

frz_status frz_ipc_index_type_read(const frz_flat_table *encoding, const char *path,
                                   const char **out, frz_error **err)
{
    const frz_flat_table type = frz_flat_child(encoding, FRZ_IPC_ENCODING_INDEX_TYPE);
    const char *format = type.buffer ? integer_format(&type) : "i";
    if (!format)
        return fail_type(path, "dictionary indexes of a width that Arrow does not have", err);
    *out = format;
    return FRZ_OK;
}

/* Adds the table of a type that has `count` fields, and makes it the field's. */
static size_t add_type(frz_flat_builder *builder, size_t field, frz_ipc_type kind,
                       const uint8_t *widths, size_t count)
{
    const size_t type = frz_flat_add_table(builder, widths, count);
    frz_flat_set_u8(builder, field, FRZ_IPC_FIELD_TYPE_TYPE, (uint8_t)kind);
    frz_flat_set_child(builder, field, FRZ_IPC_FIELD_TYPE, type);
    return type;
}

static void add_unit(frz_flat_builder *builder, size_t type, unsigned field, char unit)
{
    const char *at = strchr(units, unit);
    frz_flat_set_i16(builder, type, field, (int16_t)(at ? at - units : 0));
}

static void add_integer(frz_flat_builder *builder, size_t field, int32_t width)
{
    static const uint8_t widths[] = {4, 1};
    const size_t type = add_type(builder, field, FRZ_IPC_TYPE_INT, widths, 2);
    frz_flat_set_i32(builder, type, FRZ_IPC_INT_BIT_WIDTH, width);
    frz_flat_set_u8(builder, type, FRZ_IPC_INT_IS_SIGNED, 1);
}

static void add_float(frz_flat_builder *builder, size_t field, int16_t precision)
{
    static const uint8_t widths[] = {2};
    const size_t type = add_type(builder, field, FRZ_IPC_TYPE_FLOATING_POINT, widths, 1);
    frz_flat_set_i16(builder, type, FRZ_IPC_FLOAT_PRECISION, precision);
}

static void add_decimal(frz_flat_builder *builder, size_t field, const frz_arrow_type *of)
{
    static const uint8_t widths[] = {4, 4, 4};
    const size_t type = add_type(builder, field, FRZ_IPC_TYPE_DECIMAL, widths, 3);
    frz_flat_set_i32(builder, type, FRZ_IPC_DECIMAL_PRECISION, of->precision);
    frz_flat_set_i32(builder, type, FRZ_IPC_DECIMAL_SCALE, of->scale);
    frz_flat_set_i32(builder, type, FRZ_IPC_DECIMAL_BIT_WIDTH, 128);
}

static void add_date(frz_flat_builder *builder, size_t field)
{
    static const uint8_t widths[] = {2};
    const size_t type = add_type(builder, field, FRZ_IPC_TYPE_DATE, widths, 1);
    frz_flat_set_i16(builder, type, FRZ_IPC_DATE_UNIT, FRZ_IPC_DATE_DAY);
}

static void add_time(frz_flat_builder *builder, size_t field, char unit)
{
    static const uint8_t widths[] = {2, 4};
    const size_t type = add_type(builder, field, FRZ_IPC_TYPE_TIME, widths, 2);
    add_unit(builder, type, FRZ_IPC_TIME_UNIT, unit);
    frz_flat_set_i32(builder, type, FRZ_IPC_TIME_BIT_WIDTH, 64);
}

/* The zone stands behind the colon of the format string. */
static void add_timestamp(frz_flat_builder *builder, size_t field, const frz_arrow_type *of,
                          const char *format)
{
    const uint8_t widths[] = {2, of->zoned ? 4 : 0};
    const size_t type = add_type(builder, field, FRZ_IPC_TYPE_TIMESTAMP, widths, 2);
    add_unit(builder, type, FRZ_IPC_TIMESTAMP_UNIT, of->unit);
    if (of->zoned)
        frz_flat_add_text(builder, type, FRZ_IPC_TIMESTAMP_TIMEZONE,
                          frz_slice_of_text(strchr(format, ':') + 1));
}

static void add_fixed(frz_flat_builder *builder, size_t field, int32_t width)
{
    static const uint8_t widths[] = {4};
    const size_t type = add_type(builder, field, FRZ_IPC_TYPE_FIXED_SIZE_BINARY, widths, 1);
    frz_flat_set_i32(builder, type, FRZ_IPC_FIXED_WIDTH, width);
}

static void add_map(frz_flat_builder *builder, size_t field, int64_t flags)
{
    static const uint8_t widths[] = {1};
    const size_t type = add_type(builder, field, FRZ_IPC_TYPE_MAP, widths, 1);
    frz_flat_set_u8(builder, type, FRZ_IPC_MAP_KEYS_SORTED,
                    (flags & ARROW_FLAG_MAP_KEYS_SORTED) != 0);
}

/* Types whose table has no fields; TYPE_NONE for all others. */
static frz_ipc_type bare_type(frz_arrow_kind kind)
{
    static const struct {
        frz_arrow_kind kind;
        frz_ipc_type type;
    } bare[] = {{FRZ_ARROW_NULL, FRZ_IPC_TYPE_NULL},     {FRZ_ARROW_BOOL, FRZ_IPC_TYPE_BOOL},
                {FRZ_ARROW_STRING, FRZ_IPC_TYPE_UTF8},   {FRZ_ARROW_BINARY, FRZ_IPC_TYPE_BINARY},
                {FRZ_ARROW_STRUCT, FRZ_IPC_TYPE_STRUCT}, {FRZ_ARROW_LIST, FRZ_IPC_TYPE_LIST}};
    for (size_t i = 0; i < sizeof bare / sizeof bare[0]; i++)
        if (bare[i].kind == kind)
            return bare[i].type;
    return FRZ_IPC_TYPE_NONE;
}

static bool add_fixed_width(const frz_arrow_type *type, const char *format,
                            frz_flat_builder *builder, size_t field)
{
    if (type->kind == FRZ_ARROW_INT32 || type->kind == FRZ_ARROW_INT64)
        add_integer(builder, field, type->kind == FRZ_ARROW_INT32 ? 32 : 64);
    else if (type->kind == FRZ_ARROW_FLOAT || type->kind == FRZ_ARROW_DOUBLE)
        add_float(builder, field, type->kind == FRZ_ARROW_FLOAT ? 1 : 2);
    else if (type->kind == FRZ_ARROW_DECIMAL)
        add_decimal(builder, field, type);
    else if (type->kind == FRZ_ARROW_DATE32)
        add_date(builder, field);
    else if (type->kind == FRZ_ARROW_TIME64)
        add_time(builder, field, type->unit);
    else if (type->kind == FRZ_ARROW_TIMESTAMP)
        add_timestamp(builder, field, type, format);
    else if (type->kind == FRZ_ARROW_FIXED)
        add_fixed(builder, field, type->width);
    else
        return false;
    return true;
}

frz_status frz_ipc_type_write(const struct ArrowSchema *schema, frz_flat_builder *builder,
                              size_t field, frz_error **err)
{
    frz_arrow_type type;
    FRZ_TRY(frz_arrow_type_parse(schema->format, &type, err));
    const frz_ipc_type bare = bare_type(type.kind);
    if (bare != FRZ_IPC_TYPE_NONE)
        (void)add_type(builder, field, bare, NULL, 0);
    else if (type.kind == FRZ_ARROW_MAP)
        add_map(builder, field, schema->flags);
    else if (!add_fixed_width(&type, schema->format, builder, field))
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "column \"%s\": Arrow type %s is not written",
                        frz_arrow_schema_name(schema), frz_arrow_kind_name(type.kind));
    return FRZ_OK;
}
