#include "parquet/element.h"

#include <string.h>

/* What the converted types 0-21 mean (LogicalTypes.md gives each its logical type). */
static const struct {
    const char *name;
    frz_parquet_logical logical;
    int8_t bit_width;
    bool is_signed;
    char unit;
} converted_types[] = {
    {"UTF8", FRZ_PARQUET_LOGICAL_STRING, 0, false, 0},
    {"MAP", FRZ_PARQUET_LOGICAL_MAP, 0, false, 0},
    {"MAP_KEY_VALUE", FRZ_PARQUET_LOGICAL_MAP, 0, false, 0},
    {"LIST", FRZ_PARQUET_LOGICAL_LIST, 0, false, 0},
    {"ENUM", FRZ_PARQUET_LOGICAL_STRING, 0, false, 0},
    {"DECIMAL", FRZ_PARQUET_LOGICAL_DECIMAL, 0, false, 0},
    {"DATE", FRZ_PARQUET_LOGICAL_DATE, 0, false, 0},
    {"TIME_MILLIS", FRZ_PARQUET_LOGICAL_TIME, 0, false, 'm'},
    {"TIME_MICROS", FRZ_PARQUET_LOGICAL_TIME, 0, false, 'u'},
    {"TIMESTAMP_MILLIS", FRZ_PARQUET_LOGICAL_TIMESTAMP, 0, false, 'm'},
    {"TIMESTAMP_MICROS", FRZ_PARQUET_LOGICAL_TIMESTAMP, 0, false, 'u'},
    {"UINT_8", FRZ_PARQUET_LOGICAL_INTEGER, 8, false, 0},
    {"UINT_16", FRZ_PARQUET_LOGICAL_INTEGER, 16, false, 0},
    {"UINT_32", FRZ_PARQUET_LOGICAL_INTEGER, 32, false, 0},
    {"UINT_64", FRZ_PARQUET_LOGICAL_INTEGER, 64, false, 0},
    {"INT_8", FRZ_PARQUET_LOGICAL_INTEGER, 8, true, 0},
    {"INT_16", FRZ_PARQUET_LOGICAL_INTEGER, 16, true, 0},
    {"INT_32", FRZ_PARQUET_LOGICAL_INTEGER, 32, true, 0},
    {"INT_64", FRZ_PARQUET_LOGICAL_INTEGER, 64, true, 0},
    {"JSON", FRZ_PARQUET_LOGICAL_STRING, 0, false, 0},
    {"BSON", FRZ_PARQUET_LOGICAL_BSON, 0, false, 0},
    {"INTERVAL", FRZ_PARQUET_LOGICAL_INTERVAL, 0, false, 0},
};
enum { CONVERTED_COUNT = sizeof converted_types / sizeof converted_types[0] };

/* The members of the union LogicalType by field id; 9 is reserved, 19 (FILE) is read as a plain
 * group. */
static const struct {
    const char *name;
    frz_parquet_logical logical;
} logical_types[] = {
    [1] = {"STRING", FRZ_PARQUET_LOGICAL_STRING},
    [2] = {"MAP", FRZ_PARQUET_LOGICAL_MAP},
    [3] = {"LIST", FRZ_PARQUET_LOGICAL_LIST},
    [4] = {"ENUM", FRZ_PARQUET_LOGICAL_STRING},
    [5] = {"DECIMAL", FRZ_PARQUET_LOGICAL_DECIMAL},
    [6] = {"DATE", FRZ_PARQUET_LOGICAL_DATE},
    [7] = {"TIME", FRZ_PARQUET_LOGICAL_TIME},
    [8] = {"TIMESTAMP", FRZ_PARQUET_LOGICAL_TIMESTAMP},
    [10] = {"INTEGER", FRZ_PARQUET_LOGICAL_INTEGER},
    [11] = {"UNKNOWN", FRZ_PARQUET_LOGICAL_UNKNOWN},
    [12] = {"JSON", FRZ_PARQUET_LOGICAL_STRING},
    [13] = {"BSON", FRZ_PARQUET_LOGICAL_BSON},
    [14] = {"UUID", FRZ_PARQUET_LOGICAL_UUID},
    [15] = {"FLOAT16", FRZ_PARQUET_LOGICAL_FLOAT16},
    [16] = {"VARIANT", FRZ_PARQUET_LOGICAL_VARIANT},
    [17] = {"GEOMETRY", FRZ_PARQUET_LOGICAL_GEOMETRY},
    [18] = {"GEOGRAPHY", FRZ_PARQUET_LOGICAL_GEOGRAPHY},
    [19] = {"FILE", FRZ_PARQUET_LOGICAL_NONE},
};
enum { LOGICAL_COUNT = sizeof logical_types / sizeof logical_types[0] };

/* TimeUnit is a union of empty structs; a unit we do not know stays 0. */
static char read_time_unit(frz_thrift_reader *reader)
{
    char unit = 0;
    const int16_t outer = frz_thrift_struct_begin(reader);
    for (frz_thrift_field field; frz_thrift_field_next(reader, &field);) {
        if (field.id >= 1 && field.id <= 3)
            unit = "mun"[field.id - 1];
        frz_thrift_skip(reader, field.type);
    }
    frz_thrift_struct_end(reader, outer);
    return unit;
}

static void read_decimal(frz_thrift_reader *reader, frz_parquet_element *out)
{
    const int16_t outer = frz_thrift_struct_begin(reader);
    for (frz_thrift_field field; frz_thrift_field_next(reader, &field);) {
        if (field.id == 1)
            out->scale = frz_thrift_i32(reader, field.type);
        else if (field.id == 2)
            out->precision = frz_thrift_i32(reader, field.type);
        else
            frz_thrift_skip(reader, field.type);
    }
    frz_thrift_struct_end(reader, outer);
}

static void read_time(frz_thrift_reader *reader, frz_parquet_element *out)
{
    const int16_t outer = frz_thrift_struct_begin(reader);
    out->unit = 0;
    for (frz_thrift_field field; frz_thrift_field_next(reader, &field);) {
        if (field.id == 1)
            out->adjusted_to_utc = frz_thrift_bool(reader, field.type);
        else if (field.id == 2 && field.type == FRZ_THRIFT_STRUCT)
            out->unit = read_time_unit(reader);
        else
            frz_thrift_skip(reader, field.type);
    }
    frz_thrift_struct_end(reader, outer);
}

static void read_integer(frz_thrift_reader *reader, frz_parquet_element *out)
{
    const int16_t outer = frz_thrift_struct_begin(reader);
    for (frz_thrift_field field; frz_thrift_field_next(reader, &field);) {
        if (field.id == 1)
            out->bit_width = frz_thrift_i8(reader, field.type);
        else if (field.id == 2)
            out->is_signed = frz_thrift_bool(reader, field.type);
        else
            frz_thrift_skip(reader, field.type);
    }
    frz_thrift_struct_end(reader, outer);
}

static void read_logical_member(frz_thrift_reader *reader, frz_parquet_element *out)
{
    switch (out->logical) {
    case FRZ_PARQUET_LOGICAL_DECIMAL:
        read_decimal(reader, out);
        return;
    case FRZ_PARQUET_LOGICAL_TIME:
    case FRZ_PARQUET_LOGICAL_TIMESTAMP:
        read_time(reader, out);
        return;
    case FRZ_PARQUET_LOGICAL_INTEGER:
        read_integer(reader, out);
        return;
    case FRZ_PARQUET_LOGICAL_NONE:
    case FRZ_PARQUET_LOGICAL_STRING:
    case FRZ_PARQUET_LOGICAL_DATE:
    case FRZ_PARQUET_LOGICAL_UUID:
    case FRZ_PARQUET_LOGICAL_FLOAT16:
    case FRZ_PARQUET_LOGICAL_INTERVAL:
    case FRZ_PARQUET_LOGICAL_BSON:
    case FRZ_PARQUET_LOGICAL_UNKNOWN:
    case FRZ_PARQUET_LOGICAL_LIST:
    case FRZ_PARQUET_LOGICAL_MAP:
    case FRZ_PARQUET_LOGICAL_VARIANT:
    case FRZ_PARQUET_LOGICAL_GEOMETRY:
    case FRZ_PARQUET_LOGICAL_GEOGRAPHY:
        break;
    }
    frz_thrift_skip(reader, FRZ_THRIFT_STRUCT);
}

static bool read_logical(frz_thrift_reader *reader, frz_parquet_element *out)
{
    bool found = false;
    const int16_t outer = frz_thrift_struct_begin(reader);
    for (frz_thrift_field field; frz_thrift_field_next(reader, &field);) {
        if (field.type != FRZ_THRIFT_STRUCT || found) {
            frz_thrift_skip(reader, field.type);
            continue;
        }
        const bool known =
            field.id > 0 && field.id < LOGICAL_COUNT && logical_types[field.id].name != NULL;
        found = true;
        out->logical = known ? logical_types[field.id].logical : FRZ_PARQUET_LOGICAL_NONE;
        out->annotation = known ? logical_types[field.id].name : "of an unknown logical type";
        read_logical_member(reader, out);
    }
    frz_thrift_struct_end(reader, outer);
    return found;
}

static void take_converted(frz_parquet_element *out)
{
    if (out->converted < 0 || out->converted >= CONVERTED_COUNT)
        return;
    out->logical = converted_types[out->converted].logical;
    out->annotation = converted_types[out->converted].name;
    out->bit_width = converted_types[out->converted].bit_width;
    out->is_signed = converted_types[out->converted].is_signed;
    out->unit = converted_types[out->converted].unit;
    /* "the deprecated ConvertedType counterpart ... that is UTC normalized" (LogicalTypes.md) */
    out->adjusted_to_utc =
        out->logical == FRZ_PARQUET_LOGICAL_TIME || out->logical == FRZ_PARQUET_LOGICAL_TIMESTAMP;
}

static const char *read_name(frz_thrift_reader *reader, frz_thrift_type type, frz_arena *arena)
{
    const frz_slice name = frz_thrift_binary(reader, type);
    const char *copy = frz_arena_text_n(arena, name.data, name.size);
    if (!copy)
        frz_thrift_fail_memory(reader);
    return copy;
}

static void read_field(frz_thrift_reader *reader, frz_thrift_field field, frz_arena *arena,
                       frz_parquet_element *out)
{
    switch (field.id) {
    case 1:
        out->has_type = true;
        out->type = frz_thrift_i32(reader, field.type);
        return;
    case 2:
        out->type_length = frz_thrift_i32(reader, field.type);
        return;
    case 3:
        out->has_repetition = true;
        out->repetition = frz_thrift_i32(reader, field.type);
        return;
    case 4:
        out->name = read_name(reader, field.type, arena);
        return;
    case 5:
        out->child_count = frz_thrift_i32(reader, field.type);
        return;
    case 6:
        out->converted = frz_thrift_i32(reader, field.type);
        return;
    case 7:
        out->scale = frz_thrift_i32(reader, field.type);
        return;
    case 8:
        out->precision = frz_thrift_i32(reader, field.type);
        return;
    case 9:
        out->has_field_id = true;
        out->field_id = frz_thrift_i32(reader, field.type);
        return;
    default:
        frz_thrift_skip(reader, field.type);
    }
}

void frz_parquet_element_read(frz_thrift_reader *reader, frz_arena *arena, frz_parquet_element *out)
{
    *out = (frz_parquet_element){.converted = -1};
    frz_parquet_element logical = {0};
    bool has_logical = false;
    const int16_t outer = frz_thrift_struct_begin(reader);
    for (frz_thrift_field field; frz_thrift_field_next(reader, &field);) {
        if (field.id == 10 && field.type == FRZ_THRIFT_STRUCT)
            has_logical = read_logical(reader, &logical);
        else
            read_field(reader, field, arena, out);
    }
    frz_thrift_struct_end(reader, outer);
    if (!out->name)
        frz_thrift_fail(reader, "a schema element without a name");

    take_converted(out);
    if (!has_logical || logical.logical == FRZ_PARQUET_LOGICAL_NONE) {
        if (has_logical && out->logical == FRZ_PARQUET_LOGICAL_NONE)
            out->annotation = logical.annotation;
        return;
    }
    out->logical = logical.logical;
    out->annotation = logical.annotation;
    out->bit_width = logical.bit_width;
    out->is_signed = logical.is_signed;
    out->unit = logical.unit;
    out->adjusted_to_utc = logical.adjusted_to_utc;
    if (logical.logical == FRZ_PARQUET_LOGICAL_DECIMAL) {
        out->precision = logical.precision;
        out->scale = logical.scale;
    }
}

size_t frz_parquet_node_width(const frz_parquet_node *leaf)
{
    switch (leaf->type) {
    case FRZ_PARQUET_INT32:
    case FRZ_PARQUET_FLOAT:
        return 4;
    case FRZ_PARQUET_INT64:
    case FRZ_PARQUET_DOUBLE:
        return 8;
    case FRZ_PARQUET_INT96:
        return 12;
    case FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY:
        return (size_t)leaf->type_length;
    case FRZ_PARQUET_BOOLEAN:
    case FRZ_PARQUET_BYTE_ARRAY:
        break;
    }
    return 0;
}
