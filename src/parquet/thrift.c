#include "parquet/thrift.h"

#include <string.h>

#include "base/fail.h"

enum { LONG_LIST = 15 }; /* a list header with this size is followed by the real one */

frz_thrift_reader frz_thrift_reader_over(frz_slice bytes, uint32_t depth_max)
{
    return (frz_thrift_reader){.cursor = frz_cursor_over_slice(bytes), .depth_left = depth_max};
}

void frz_thrift_fail(frz_thrift_reader *reader, const char *problem)
{
    if (!reader->cursor.failed)
        reader->problem = problem;
    reader->cursor.failed = true;
}

void frz_thrift_fail_memory(frz_thrift_reader *reader)
{
    if (!reader->cursor.failed)
        reader->failure = FRZ_NO_MEMORY;
    reader->cursor.failed = true;
}

static bool descend(frz_thrift_reader *reader)
{
    if (reader->depth_left == 0) {
        if (!reader->cursor.failed)
            reader->failure = FRZ_UNSUPPORTED;
        frz_thrift_fail(reader, "nested too deeply");
        return false;
    }
    reader->depth_left--;
    return true;
}

int16_t frz_thrift_struct_begin(frz_thrift_reader *reader)
{
    const int16_t outer = reader->last_id;
    reader->last_id = 0;
    if (!descend(reader))
        reader->depth_left = 0;
    return outer;
}

void frz_thrift_struct_end(frz_thrift_reader *reader, int16_t outer)
{
    reader->last_id = outer;
    if (!reader->cursor.failed)
        reader->depth_left++;
}

bool frz_thrift_field_next(frz_thrift_reader *reader, frz_thrift_field *out)
{
    const uint8_t header = frz_cursor_u8(&reader->cursor);
    if (reader->cursor.failed || header == FRZ_THRIFT_STOP)
        return false;
    const uint8_t type = header & 0x0f;
    if (type == FRZ_THRIFT_STOP || type > FRZ_THRIFT_UUID) {
        frz_thrift_fail(reader, "unknown field type");
        return false;
    }
    const int step = header >> 4;
    int64_t id = reader->last_id + step;
    if (step == 0)
        id = frz_cursor_varint(&reader->cursor);
    if (reader->cursor.failed)
        return false;
    if (id < INT16_MIN || id > INT16_MAX) {
        frz_thrift_fail(reader, "field id out of range");
        return false;
    }
    reader->last_id = (int16_t)id;
    *out = (frz_thrift_field){.id = (int16_t)id, .type = (frz_thrift_type)type};
    return true;
}

static bool expect(frz_thrift_reader *reader, frz_thrift_type got, frz_thrift_type want)
{
    if (got != want)
        frz_thrift_fail(reader, "a field has another type than its definition");
    return !reader->cursor.failed;
}

bool frz_thrift_bool(frz_thrift_reader *reader, frz_thrift_type type)
{
    if (type == FRZ_THRIFT_TRUE)
        return !reader->cursor.failed;
    (void)expect(reader, type, FRZ_THRIFT_FALSE);
    return false;
}

bool frz_thrift_bool_element(frz_thrift_reader *reader)
{
    const uint8_t byte = frz_cursor_u8(&reader->cursor);
    if (byte > FRZ_THRIFT_FALSE)
        frz_thrift_fail(reader, "a boolean is neither true nor false");
    return byte == FRZ_THRIFT_TRUE;
}

static int64_t integer(frz_thrift_reader *reader, int64_t min, int64_t max)
{
    const int64_t value = frz_cursor_varint(&reader->cursor);
    if (value < min || value > max) {
        frz_thrift_fail(reader, "an integer exceeds its type");
        return 0;
    }
    return value;
}

int8_t frz_thrift_i8(frz_thrift_reader *reader, frz_thrift_type type)
{
    return expect(reader, type, FRZ_THRIFT_I8) ? (int8_t)frz_cursor_u8(&reader->cursor) : 0;
}

int16_t frz_thrift_i16(frz_thrift_reader *reader, frz_thrift_type type)
{
    if (!expect(reader, type, FRZ_THRIFT_I16))
        return 0;
    return (int16_t)integer(reader, INT16_MIN, INT16_MAX);
}

int32_t frz_thrift_i32(frz_thrift_reader *reader, frz_thrift_type type)
{
    if (!expect(reader, type, FRZ_THRIFT_I32))
        return 0;
    return (int32_t)integer(reader, INT32_MIN, INT32_MAX);
}

int64_t frz_thrift_i64(frz_thrift_reader *reader, frz_thrift_type type)
{
    if (!expect(reader, type, FRZ_THRIFT_I64))
        return 0;
    return frz_cursor_varint(&reader->cursor);
}

double frz_thrift_double(frz_thrift_reader *reader, frz_thrift_type type)
{
    if (!expect(reader, type, FRZ_THRIFT_DOUBLE))
        return 0;
    const uint64_t bits = frz_cursor_u64le(&reader->cursor);
    double value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

frz_slice frz_thrift_binary(frz_thrift_reader *reader, frz_thrift_type type)
{
    if (!expect(reader, type, FRZ_THRIFT_BINARY))
        return (frz_slice){0};
    const uint64_t size = frz_cursor_uvarint(&reader->cursor);
    if (size > frz_cursor_left(&reader->cursor)) {
        frz_thrift_fail(reader, "a string is longer than the bytes left");
        return (frz_slice){0};
    }
    const uint8_t *bytes = frz_cursor_take(&reader->cursor, (size_t)size);
    return bytes ? frz_slice_of(bytes, (size_t)size) : (frz_slice){0};
}

static bool is_boolean(frz_thrift_type type)
{
    return type == FRZ_THRIFT_TRUE || type == FRZ_THRIFT_FALSE;
}

/* The header of a list or set: count and element type. Every element takes a byte or more. */
static size_t list_header(frz_thrift_reader *reader, frz_thrift_type *element_out)
{
    const uint8_t header = frz_cursor_u8(&reader->cursor);
    uint64_t count = header >> 4;
    if (count == LONG_LIST)
        count = frz_cursor_uvarint(&reader->cursor);
    if (count > frz_cursor_left(&reader->cursor)) {
        frz_thrift_fail(reader, "a list has more elements than bytes left");
        count = 0;
    }
    if (reader->cursor.failed)
        return 0;
    *element_out = (frz_thrift_type)(header & 0x0f);
    return (size_t)count;
}

size_t frz_thrift_list(frz_thrift_reader *reader, frz_thrift_type type, frz_thrift_type element)
{
    if (!expect(reader, type, FRZ_THRIFT_LIST))
        return 0;
    frz_thrift_type got = FRZ_THRIFT_STOP;
    const size_t count = list_header(reader, &got);
    if (count == 0)
        return 0;
    if (is_boolean(element) && is_boolean(got))
        return count;
    return expect(reader, got, element) ? count : 0;
}

/* As list element and map entry a boolean takes a byte; as field it takes none. */
static void skip_element(frz_thrift_reader *reader, frz_thrift_type type)
{
    if (is_boolean(type))
        (void)frz_cursor_u8(&reader->cursor);
    else
        frz_thrift_skip(reader, type);
}

static void skip_list(frz_thrift_reader *reader)
{
    frz_thrift_type element = FRZ_THRIFT_STOP;
    const size_t count = list_header(reader, &element);
    if (!descend(reader))
        return;
    for (size_t i = 0; i < count && !reader->cursor.failed; i++)
        skip_element(reader, element);
    reader->depth_left++;
}

static void skip_map(frz_thrift_reader *reader)
{
    const uint64_t count = frz_cursor_uvarint(&reader->cursor);
    if (count == 0)
        return;
    if (count > frz_cursor_left(&reader->cursor)) {
        frz_thrift_fail(reader, "a map has more entries than bytes left");
        return;
    }
    const uint8_t types = frz_cursor_u8(&reader->cursor);
    if (!descend(reader))
        return;
    for (uint64_t i = 0; i < count && !reader->cursor.failed; i++) {
        skip_element(reader, (frz_thrift_type)(types >> 4));
        skip_element(reader, (frz_thrift_type)(types & 0x0f));
    }
    reader->depth_left++;
}

static void skip_struct(frz_thrift_reader *reader)
{
    const int16_t outer = frz_thrift_struct_begin(reader);
    for (frz_thrift_field field; frz_thrift_field_next(reader, &field);)
        frz_thrift_skip(reader, field.type);
    frz_thrift_struct_end(reader, outer);
}

void frz_thrift_skip(frz_thrift_reader *reader, frz_thrift_type type)
{
    switch (type) {
    case FRZ_THRIFT_TRUE:
    case FRZ_THRIFT_FALSE:
        return;
    case FRZ_THRIFT_I8:
        (void)frz_cursor_u8(&reader->cursor);
        return;
    case FRZ_THRIFT_I16:
    case FRZ_THRIFT_I32:
    case FRZ_THRIFT_I64:
        (void)frz_cursor_uvarint(&reader->cursor);
        return;
    case FRZ_THRIFT_DOUBLE:
        (void)frz_cursor_u64le(&reader->cursor);
        return;
    case FRZ_THRIFT_BINARY:
        (void)frz_thrift_binary(reader, type);
        return;
    case FRZ_THRIFT_LIST:
    case FRZ_THRIFT_SET:
        skip_list(reader);
        return;
    case FRZ_THRIFT_MAP:
        skip_map(reader);
        return;
    case FRZ_THRIFT_STRUCT:
        skip_struct(reader);
        return;
    case FRZ_THRIFT_UUID:
        (void)frz_cursor_take(&reader->cursor, 16);
        return;
    case FRZ_THRIFT_STOP:
        break;
    }
    frz_thrift_fail(reader, "unknown type");
}

frz_status frz_thrift_check(const frz_thrift_reader *reader, uint64_t start, const char *what,
                            frz_error **err)
{
    if (!reader->cursor.failed)
        return FRZ_OK;
    const uint64_t offset = start + reader->cursor.pos;
    if (reader->failure == FRZ_NO_MEMORY)
        return frz_fail_memory(err);
    if (reader->failure == FRZ_UNSUPPORTED)
        return frz_fail(err, FRZ_UNSUPPORTED, offset,
                        "%s at offset %llu: nested deeper than the limit nesting_depth", what,
                        (unsigned long long)offset);
    return frz_fail(err, FRZ_CORRUPT, offset, "%s at offset %llu: %s", what,
                    (unsigned long long)offset,
                    reader->problem ? reader->problem : "the bytes end too early");
}

frz_thrift_writer frz_thrift_writer_to(frz_buffer *out)
{
    return (frz_thrift_writer){.out = out};
}

static void write_uvarint(frz_buffer *out, uint64_t value)
{
    uint8_t bytes[10];
    size_t size = 0;
    while (value >= 0x80) {
        bytes[size++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    bytes[size++] = (uint8_t)value;
    frz_buffer_append(out, bytes, size);
}

static void write_varint(frz_buffer *out, int64_t value)
{
    write_uvarint(out, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

static void write_header(frz_thrift_writer *writer, int16_t id, frz_thrift_type type)
{
    const int step = id - writer->last_id;
    if (step >= 1 && step <= 15) {
        frz_buffer_append_byte(writer->out, (uint8_t)((unsigned)step << 4 | (unsigned)type));
    } else {
        frz_buffer_append_byte(writer->out, (uint8_t)type);
        write_varint(writer->out, id);
    }
    writer->last_id = id;
}

int16_t frz_thrift_write_begin(frz_thrift_writer *writer)
{
    const int16_t outer = writer->last_id;
    writer->last_id = 0;
    return outer;
}

void frz_thrift_write_end(frz_thrift_writer *writer, int16_t outer)
{
    frz_buffer_append_byte(writer->out, FRZ_THRIFT_STOP);
    writer->last_id = outer;
}

void frz_thrift_write_bool(frz_thrift_writer *writer, int16_t id, bool value)
{
    write_header(writer, id, value ? FRZ_THRIFT_TRUE : FRZ_THRIFT_FALSE);
}

void frz_thrift_write_i8(frz_thrift_writer *writer, int16_t id, int8_t value)
{
    write_header(writer, id, FRZ_THRIFT_I8);
    frz_buffer_append_byte(writer->out, (uint8_t)value);
}

void frz_thrift_write_i16(frz_thrift_writer *writer, int16_t id, int16_t value)
{
    write_header(writer, id, FRZ_THRIFT_I16);
    write_varint(writer->out, value);
}

void frz_thrift_write_i32(frz_thrift_writer *writer, int16_t id, int32_t value)
{
    write_header(writer, id, FRZ_THRIFT_I32);
    write_varint(writer->out, value);
}

void frz_thrift_write_i64(frz_thrift_writer *writer, int16_t id, int64_t value)
{
    write_header(writer, id, FRZ_THRIFT_I64);
    write_varint(writer->out, value);
}

void frz_thrift_write_double(frz_thrift_writer *writer, int16_t id, double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    write_header(writer, id, FRZ_THRIFT_DOUBLE);
    frz_buffer_append_u64le(writer->out, bits);
}

void frz_thrift_write_binary(frz_thrift_writer *writer, int16_t id, frz_slice value)
{
    write_header(writer, id, FRZ_THRIFT_BINARY);
    frz_thrift_write_binary_element(writer, value);
}

void frz_thrift_write_text(frz_thrift_writer *writer, int16_t id, const char *value)
{
    frz_thrift_write_binary(writer, id, frz_slice_of_text(value));
}

int16_t frz_thrift_write_struct(frz_thrift_writer *writer, int16_t id)
{
    write_header(writer, id, FRZ_THRIFT_STRUCT);
    return frz_thrift_write_begin(writer);
}

void frz_thrift_write_empty(frz_thrift_writer *writer, int16_t id)
{
    frz_thrift_write_end(writer, frz_thrift_write_struct(writer, id));
}

void frz_thrift_write_list(frz_thrift_writer *writer, int16_t id, frz_thrift_type element,
                           size_t count)
{
    write_header(writer, id, FRZ_THRIFT_LIST);
    if (count < LONG_LIST) {
        frz_buffer_append_byte(writer->out, (uint8_t)(count << 4 | (unsigned)element));
    } else {
        frz_buffer_append_byte(writer->out, (uint8_t)(LONG_LIST << 4 | (unsigned)element));
        write_uvarint(writer->out, count);
    }
}

void frz_thrift_write_integer_element(frz_thrift_writer *writer, int64_t value)
{
    write_varint(writer->out, value);
}

void frz_thrift_write_bool_element(frz_thrift_writer *writer, bool value)
{
    frz_buffer_append_byte(writer->out, value ? FRZ_THRIFT_TRUE : FRZ_THRIFT_FALSE);
}

void frz_thrift_write_binary_element(frz_thrift_writer *writer, frz_slice value)
{
    write_uvarint(writer->out, value.size);
    frz_buffer_append(writer->out, value.data, value.size);
}
