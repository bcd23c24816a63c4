/*
 * The Thrift compact protocol, reading and writing, as Parquet uses it in footers, page headers and
 * page indexes (parquet-format README, "Metadata"; thrift-compact-protocol.md).
 *
 * A reader is bounded by its bytes and by a depth. The first failure sticks: from then on all reads
 * return zero and all loops end, so that a parser checks once (frz_thrift_check). Fields that the
 * caller does not know are skipped.
 *
 * Thread rule: one thread per reader and writer.
 */
#ifndef FRZ_PARQUET_THRIFT_H
#define FRZ_PARQUET_THRIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/cursor.h"
#include "base/slice.h"
#include "frazil/error.h"

/* The types as field and list headers number them. */
typedef enum frz_thrift_type {
    FRZ_THRIFT_STOP = 0,
    FRZ_THRIFT_TRUE = 1, /* as an element type: a boolean */
    FRZ_THRIFT_FALSE = 2,
    FRZ_THRIFT_I8 = 3,
    FRZ_THRIFT_I16 = 4,
    FRZ_THRIFT_I32 = 5,
    FRZ_THRIFT_I64 = 6,
    FRZ_THRIFT_DOUBLE = 7,
    FRZ_THRIFT_BINARY = 8,
    FRZ_THRIFT_LIST = 9,
    FRZ_THRIFT_SET = 10,
    FRZ_THRIFT_MAP = 11,
    FRZ_THRIFT_STRUCT = 12,
    FRZ_THRIFT_UUID = 13
} frz_thrift_type;

typedef struct frz_thrift_field {
    int16_t id;
    frz_thrift_type type;
} frz_thrift_field;

typedef struct frz_thrift_reader {
    frz_cursor cursor;
    int16_t last_id; /* of the struct that is open: ids are stored as differences */
    uint32_t depth_left;
    const char
        *problem; /* what was wrong first; NULL when nothing, or plainly the end of the bytes */
    frz_status failure; /* what the check will say; FRZ_OK = FRZ_CORRUPT */
} frz_thrift_reader;

frz_thrift_reader frz_thrift_reader_over(frz_slice bytes, uint32_t depth_max);

/*
 * A struct is read by
 *     const int16_t outer = frz_thrift_struct_begin(reader);
 *     for (frz_thrift_field field; frz_thrift_field_next(reader, &field);)
 *         switch (field.id) { ... default: frz_thrift_skip(reader, field.type); }
 *     frz_thrift_struct_end(reader, outer);
 * where each turn consumes exactly the field's value.
 */
int16_t frz_thrift_struct_begin(frz_thrift_reader *reader);
bool frz_thrift_field_next(frz_thrift_reader *reader, frz_thrift_field *out);
void frz_thrift_struct_end(frz_thrift_reader *reader, int16_t outer);

/* Values. `type` is what the header said; another than the function's own is a failure. A boolean
 * field carries its value in the header; as a list element it is a byte. */
bool frz_thrift_bool(frz_thrift_reader *reader, frz_thrift_type type);
bool frz_thrift_bool_element(frz_thrift_reader *reader);
int8_t frz_thrift_i8(frz_thrift_reader *reader, frz_thrift_type type);
int16_t frz_thrift_i16(frz_thrift_reader *reader, frz_thrift_type type);
int32_t frz_thrift_i32(frz_thrift_reader *reader, frz_thrift_type type);
int64_t frz_thrift_i64(frz_thrift_reader *reader, frz_thrift_type type);
double frz_thrift_double(frz_thrift_reader *reader, frz_thrift_type type);
/* Borrowed from the bytes that are read. */
frz_slice frz_thrift_binary(frz_thrift_reader *reader, frz_thrift_type type);

/* The number of elements, each of type `element`; never more than there are bytes left. */
size_t frz_thrift_list(frz_thrift_reader *reader, frz_thrift_type type, frz_thrift_type element);

void frz_thrift_skip(frz_thrift_reader *reader, frz_thrift_type type);

/* Marks the bytes as wrong; the first reason stays. `problem` is a constant text. */
void frz_thrift_fail(frz_thrift_reader *reader, const char *problem);

/* Stops reading because the caller has no memory for what was read. */
void frz_thrift_fail_memory(frz_thrift_reader *reader);

/* FRZ_CORRUPT (FRZ_UNSUPPORTED past the depth, FRZ_NO_MEMORY) when a read failed; `start` is the
 * place of the first byte in the file, `what` names the structure. */
FRZ_MUST_CHECK frz_status frz_thrift_check(const frz_thrift_reader *reader, uint64_t start,
                                           const char *what, frz_error **err);

typedef struct frz_thrift_writer {
    frz_buffer *out; /* borrowed; failures stick in it */
    int16_t last_id;
} frz_thrift_writer;

frz_thrift_writer frz_thrift_writer_to(frz_buffer *out);

/* Opens the top struct or a struct as list element; end writes the stop and restores the outer ids.
 */
int16_t frz_thrift_write_begin(frz_thrift_writer *writer);
void frz_thrift_write_end(frz_thrift_writer *writer, int16_t outer);

/* Fields, in any order of ids (ascending is shorter). */
void frz_thrift_write_bool(frz_thrift_writer *writer, int16_t id, bool value);
void frz_thrift_write_i8(frz_thrift_writer *writer, int16_t id, int8_t value);
void frz_thrift_write_i16(frz_thrift_writer *writer, int16_t id, int16_t value);
void frz_thrift_write_i32(frz_thrift_writer *writer, int16_t id, int32_t value);
void frz_thrift_write_i64(frz_thrift_writer *writer, int16_t id, int64_t value);
void frz_thrift_write_double(frz_thrift_writer *writer, int16_t id, double value);
void frz_thrift_write_binary(frz_thrift_writer *writer, int16_t id, frz_slice value);
void frz_thrift_write_text(frz_thrift_writer *writer, int16_t id, const char *value);
/* A field that is a struct; close it with frz_thrift_write_end. */
int16_t frz_thrift_write_struct(frz_thrift_writer *writer, int16_t id);
/* A field that is a struct without fields, as unions of empty structs have it. */
void frz_thrift_write_empty(frz_thrift_writer *writer, int16_t id);

/* A field that is a list; `count` elements must follow (structs by write_begin and write_end). */
void frz_thrift_write_list(frz_thrift_writer *writer, int16_t id, frz_thrift_type element,
                           size_t count);
void frz_thrift_write_integer_element(frz_thrift_writer *writer, int64_t value); /* i16, i32, i64 */
void frz_thrift_write_bool_element(frz_thrift_writer *writer, bool value);
void frz_thrift_write_binary_element(frz_thrift_writer *writer, frz_slice value);

#endif
