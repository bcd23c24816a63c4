/*
 * Footers made by hand: schema elements and column chunks written with the Thrift writer, for tests
 * that need a footer no other writer would make.
 */
#ifndef FRZ_TEST_PARQUET_FOOTER_BYTES_H
#define FRZ_TEST_PARQUET_FOOTER_BYTES_H

#include "parquet/metadata.h"
#include "parquet/thrift.h"

/* One SchemaElement; NONE leaves a field away. */
typedef struct element_spec {
    const char *name;
    int type; /* frz_parquet_type, or NONE for a group */
    int repetition;
    int children;
    int converted;
    int logical; /* member of the union LogicalType, an empty struct */
    int field_id;
    int type_length;
    int precision;
    int scale;
} element_spec;

enum { NONE = -1 };

#define GROUP(name_, repetition_, children_, converted_)                                     \
    {                                                                                        \
        .name = (name_), .type = NONE, .repetition = (repetition_), .children = (children_), \
        .converted = (converted_), .logical = NONE, .field_id = NONE                         \
    }
#define LEAF(name_, repetition_, type_, converted_)                                               \
    {                                                                                             \
        .name = (name_), .type = (type_), .repetition = (repetition_), .converted = (converted_), \
        .logical = NONE, .field_id = NONE                                                         \
    }

static inline void write_element(frz_thrift_writer *writer, const element_spec *spec)
{
    const int16_t outer = frz_thrift_write_begin(writer);
    if (spec->type != NONE)
        frz_thrift_write_i32(writer, 1, spec->type);
    if (spec->type_length)
        frz_thrift_write_i32(writer, 2, spec->type_length);
    if (spec->repetition != NONE)
        frz_thrift_write_i32(writer, 3, spec->repetition);
    frz_thrift_write_text(writer, 4, spec->name);
    if (spec->children)
        frz_thrift_write_i32(writer, 5, spec->children);
    if (spec->converted != NONE)
        frz_thrift_write_i32(writer, 6, spec->converted);
    if (spec->scale)
        frz_thrift_write_i32(writer, 7, spec->scale);
    if (spec->precision)
        frz_thrift_write_i32(writer, 8, spec->precision);
    if (spec->field_id != NONE)
        frz_thrift_write_i32(writer, 9, spec->field_id);
    if (spec->logical != NONE) {
        const int16_t inner = frz_thrift_write_struct(writer, 10);
        frz_thrift_write_empty(writer, (int16_t)spec->logical);
        frz_thrift_write_end(writer, inner);
    }
    frz_thrift_write_end(writer, outer);
}

static inline void write_schema(frz_thrift_writer *writer, const element_spec *specs, size_t count)
{
    frz_thrift_write_list(writer, 2, FRZ_THRIFT_STRUCT, count);
    for (size_t i = 0; i < count; i++)
        write_element(writer, &specs[i]);
}

#endif
