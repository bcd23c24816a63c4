/*
 * Inputs and outputs in memory for the tests of Avro: an input over bytes (not mapped, so that
 * windows are exercised, unless asked), and an output into a buffer.
 */
#ifndef FRZ_TEST_AVRO_FIXTURE_H
#define FRZ_TEST_AVRO_FIXTURE_H

#include "harness.h"

#include "arrow/schema.h"
#include "avro/reader.h"
#include "avro/writer.h"
#include "base/buffer.h"
#include "base/fail.h"

typedef struct bytes_input {
    frz_input base;
    frz_slice bytes;
    bool mapped;
    int reads;
} bytes_input;

static inline frz_status bytes_read_at(frz_input *input, uint64_t offset, void *out, size_t size,
                                       frz_error **err)
{
    bytes_input *in = (bytes_input *)input;
    in->reads++;
    if (offset > in->bytes.size || size > in->bytes.size - offset)
        return frz_fail(err, FRZ_CORRUPT, offset, "read past the end of the fixture");
    if (size)
        memcpy(out, in->bytes.data + offset, size);
    return FRZ_OK;
}

static inline uint64_t bytes_size(const frz_input *input)
{
    return ((const bytes_input *)input)->bytes.size;
}

static inline void bytes_close(frz_input *input)
{
    (void)input;
}

static inline const uint8_t *bytes_mapped(frz_input *input)
{
    const bytes_input *in = (const bytes_input *)input;
    return in->mapped ? in->bytes.data : NULL;
}

static inline bytes_input input_over(frz_slice bytes)
{
    static const frz_input_ops ops = {bytes_read_at, bytes_size, bytes_close, bytes_mapped};
    return (bytes_input){.base = {&ops}, .bytes = bytes};
}

typedef struct buffer_output {
    frz_output base;
    frz_buffer *out;
    int fail_after; /* writes; < 0 never */
} buffer_output;

static inline frz_status buffer_write(frz_output *output, const void *bytes, size_t size,
                                      frz_error **err)
{
    buffer_output *to = (buffer_output *)output;
    if (to->fail_after >= 0 && to->fail_after-- == 0)
        return frz_fail(err, FRZ_IO, FRZ_NO_OFFSET, "the disk is full");
    frz_buffer_append(to->out, bytes, size);
    return frz_buffer_check(to->out, err);
}

static inline frz_status buffer_commit(frz_output *output, frz_error **err)
{
    (void)output;
    (void)err;
    return FRZ_OK;
}

static inline void buffer_abort(frz_output *output)
{
    (void)output;
}

static inline buffer_output output_to(frz_buffer *out)
{
    static const frz_output_ops ops = {buffer_write, buffer_commit, buffer_abort};
    return (buffer_output){.base = {&ops}, .out = out, .fail_after = -1};
}

/* A whole file of this machine; false when it is not there. */
static inline bool load_file(const char *path, frz_buffer *out)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    uint8_t chunk[65536];
    for (size_t got; (got = fread(chunk, 1, sizeof chunk, file)) > 0;)
        frz_buffer_append(out, chunk, got);
    CHECK(fclose(file) == 0 && !out->failed);
    return true;
}

static inline void put_long(frz_buffer *out, int64_t value)
{
    uint64_t raw = ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
    for (; raw >= 0x80; raw >>= 7)
        frz_buffer_append_byte(out, (uint8_t)(raw | 0x80));
    frz_buffer_append_byte(out, (uint8_t)raw);
}

static inline void put_text(frz_buffer *out, const char *text)
{
    put_long(out, (int64_t)strlen(text));
    frz_buffer_append_text(out, text);
}

static const char sync_marker[] = "0123456789abcdef";

/* Header of a file with this schema and codec (NULL: no avro.codec). */
static inline void put_header(frz_buffer *out, const char *schema, const char *codec)
{
    frz_buffer_append(out, "Obj\x01", 4);
    put_long(out, codec ? 2 : 1);
    put_text(out, "avro.schema");
    put_text(out, schema);
    if (codec) {
        put_text(out, "avro.codec");
        put_text(out, codec);
    }
    put_long(out, 0);
    frz_buffer_append(out, sync_marker, 16);
}

static inline void put_block(frz_buffer *out, int64_t rows, const void *bytes, size_t size)
{
    put_long(out, rows);
    put_long(out, (int64_t)size);
    frz_buffer_append(out, bytes, size);
    frz_buffer_append(out, sync_marker, 16);
}

static inline int32_t offset_at(const struct ArrowArray *array, int64_t row)
{
    return ((const int32_t *)array->buffers[1])[array->offset + row];
}

static inline frz_slice text_at(const struct ArrowArray *array, int64_t row)
{
    const int32_t start = offset_at(array, row);
    return frz_slice_of((const uint8_t *)array->buffers[2] + start,
                        (size_t)(offset_at(array, row + 1) - start));
}

static inline int64_t long_at(const struct ArrowArray *array, int64_t row)
{
    return ((const int64_t *)array->buffers[1])[array->offset + row];
}

static inline int32_t int_at(const struct ArrowArray *array, int64_t row)
{
    return ((const int32_t *)array->buffers[1])[array->offset + row];
}

#endif
