/*
 * Arrow IPC streams made message by message, sound ones and others: what a test gives to the
 * readers under test.
 */
#ifndef FRZ_TEST_IPC_MADE_STREAM_H
#define FRZ_TEST_IPC_MADE_STREAM_H

#include <string.h>

#include "base/codec.h"
#include "frazil/io.h"
#include "io/file.h"
#include "ipc/flat_builder.h"
#include "ipc/format.h"

/* A Field: its type's table has as many fields as `widths` are not 0. */
typedef struct made_field {
    const char *name;
    frz_ipc_type type;
    uint8_t widths[3];
    int32_t values[3];
    bool required;
    int64_t dictionary; /* 0: none */
    int32_t index_bits; /* 0: the index type is left out */
    const char *key;
    const char *value;
    const struct made_field *children;
    size_t child_count;
} made_field;

static const made_field made_int64 = {
    .name = "id", .type = FRZ_IPC_TYPE_INT, .widths = {4, 1}, .values = {64, 1}};
static const made_field made_int32 = {
    .name = "n", .type = FRZ_IPC_TYPE_INT, .widths = {4, 1}, .values = {32, 1}};
static const made_field made_text = {.name = "s", .type = FRZ_IPC_TYPE_UTF8};

static inline void made_type(frz_flat_builder *builder, size_t at, const made_field *field)
{
    size_t count = 0;
    while (count < 3 && field->widths[count])
        count++;
    const size_t type = frz_flat_add_table(builder, field->widths, count);
    frz_flat_set_u8(builder, at, FRZ_IPC_FIELD_TYPE_TYPE, (uint8_t)field->type);
    frz_flat_set_child(builder, at, FRZ_IPC_FIELD_TYPE, type);
    for (unsigned i = 0; i < count; i++) {
        if (field->widths[i] == 1)
            frz_flat_set_u8(builder, type, i, (uint8_t)field->values[i]);
        else if (field->widths[i] == 2)
            frz_flat_set_i16(builder, type, i, (int16_t)field->values[i]);
        else
            frz_flat_set_i32(builder, type, i, field->values[i]);
    }
}

static inline void made_encoding(frz_flat_builder *builder, size_t at, const made_field *field)
{
    static const uint8_t int_widths[] = {4, 1};
    const uint8_t widths[] = {8, field->index_bits ? 4 : 0};
    const size_t encoding = frz_flat_add_table(builder, widths, 2);
    frz_flat_set_child(builder, at, FRZ_IPC_FIELD_DICTIONARY, encoding);
    frz_flat_set_i64(builder, encoding, FRZ_IPC_ENCODING_ID, field->dictionary);
    if (field->index_bits) {
        const size_t index = frz_flat_add_table(builder, int_widths, 2);
        frz_flat_set_child(builder, encoding, FRZ_IPC_ENCODING_INDEX_TYPE, index);
        frz_flat_set_i32(builder, index, FRZ_IPC_INT_BIT_WIDTH, field->index_bits);
        frz_flat_set_u8(builder, index, FRZ_IPC_INT_IS_SIGNED, 1);
    }
}

static inline size_t made_one_field(frz_flat_builder *builder, const made_field *field)
{
    static const uint8_t pair_widths[] = {4, 4};
    const uint8_t widths[] = {
        4, 1, 1, 4, field->dictionary ? 4 : 0, field->child_count ? 4 : 0, field->key ? 4 : 0};
    const size_t at = frz_flat_add_table(builder, widths, 7);
    frz_flat_add_text(builder, at, FRZ_IPC_FIELD_NAME, frz_slice_of_text(field->name));
    frz_flat_set_u8(builder, at, FRZ_IPC_FIELD_NULLABLE, !field->required);
    made_type(builder, at, field);
    if (field->dictionary)
        made_encoding(builder, at, field);
    if (field->child_count) {
        const size_t items =
            frz_flat_add_items(builder, at, FRZ_IPC_FIELD_CHILDREN, field->child_count, 4);
        for (size_t i = 0; i < field->child_count; i++) {
            const size_t child = made_one_field(builder, &field->children[i]);
            frz_flat_set_item_child(builder, items, i, child);
        }
    }
    if (field->key) {
        const size_t items = frz_flat_add_items(builder, at, FRZ_IPC_FIELD_METADATA, 1, 4);
        const size_t pair = frz_flat_add_table(builder, pair_widths, 2);
        frz_flat_set_item_child(builder, items, 0, pair);
        frz_flat_add_text(builder, pair, FRZ_IPC_PAIR_KEY, frz_slice_of_text(field->key));
        frz_flat_add_text(builder, pair, FRZ_IPC_PAIR_VALUE, frz_slice_of_text(field->value));
    }
    return at;
}

/* A Schema table; `big` says that data is big-endian. */
static inline size_t made_schema_table(frz_flat_builder *builder, const made_field *fields,
                                       size_t count, bool big)
{
    static const uint8_t widths[] = {2, 4};
    const size_t schema = frz_flat_add_table(builder, widths, 2);
    frz_flat_set_i16(builder, schema, FRZ_IPC_SCHEMA_ENDIANNESS, big);
    const size_t items = frz_flat_add_items(builder, schema, FRZ_IPC_SCHEMA_FIELDS, count, 4);
    for (size_t i = 0; i < count; i++) {
        const size_t field = made_one_field(builder, &fields[i]);
        frz_flat_set_item_child(builder, items, i, field);
    }
    return schema;
}

/* A Message table without its header. */
static inline size_t made_message_table(frz_flat_builder *builder, int16_t version, uint8_t kind,
                                        size_t body_size)
{
    static const uint8_t widths[] = {2, 1, 4, 8};
    const size_t message = frz_flat_add_table(builder, widths, 4);
    frz_flat_set_i16(builder, message, FRZ_IPC_MESSAGE_VERSION, version);
    frz_flat_set_u8(builder, message, FRZ_IPC_MESSAGE_HEADER_TYPE, kind);
    frz_flat_set_i64(builder, message, FRZ_IPC_MESSAGE_BODY_LENGTH, (int64_t)body_size);
    return message;
}

/* Puts prefix, metadata and body behind `out`; `legacy` leaves out the mark before the size. */
static inline void made_add_message(frz_buffer *out, frz_flat_builder *builder,
                                    const frz_buffer *body, bool legacy)
{
    const size_t prefix = legacy ? 4 : 8;
    while ((builder->bytes.size + prefix) % 8)
        frz_buffer_append_byte(&builder->bytes, 0);
    if (!legacy)
        frz_buffer_append_u32le(out, FRZ_IPC_CONTINUATION);
    frz_buffer_append_u32le(out, (uint32_t)builder->bytes.size);
    frz_buffer_append(out, builder->bytes.data, builder->bytes.size);
    if (body)
        frz_buffer_append(out, body->data, body->size);
    frz_buffer_clear(&builder->bytes);
}

static inline void made_add_schema(frz_buffer *out, const made_field *fields, size_t count)
{
    frz_flat_builder builder = {0};
    const size_t message =
        made_message_table(&builder, FRZ_IPC_METADATA_V5, FRZ_IPC_HEADER_SCHEMA, 0);
    const size_t schema = made_schema_table(&builder, fields, count, false);
    frz_flat_set_child(&builder, message, FRZ_IPC_MESSAGE_HEADER, schema);
    made_add_message(out, &builder, NULL, false);
}

typedef struct made_node {
    int64_t length;
    int64_t nulls;
} made_node;

typedef struct made_batch {
    int64_t length;
    const made_node *nodes;
    size_t node_count;
    const frz_slice *buffers; /* before compression */
    size_t buffer_count;
    const int64_t *variadic;
    size_t variadic_count;
    frz_codec codec;    /* NONE, LZ4_FRAME, ZSTD */
    bool raw;           /* with a codec: buffers are marked as not compressed */
    int64_t dictionary; /* 0: a batch of rows */
    bool is_delta;
} made_batch;

static inline void made_body(const made_batch *batch, frz_buffer *body, int64_t *places)
{
    for (size_t i = 0; i < batch->buffer_count; i++) {
        const frz_slice bytes = batch->buffers[i];
        places[2 * i] = (int64_t)body->size;
        if (batch->codec == FRZ_CODEC_NONE || bytes.size == 0) {
            frz_buffer_append(body, bytes.data, bytes.size);
        } else if (batch->raw) {
            frz_buffer_append_u64le(body, UINT64_MAX);
            frz_buffer_append(body, bytes.data, bytes.size);
        } else {
            frz_buffer_append_u64le(body, bytes.size);
            if (frz_codec_compress(NULL, batch->codec, FRZ_CODEC_LEVEL_DEFAULT, bytes, body,
                                   NULL) != FRZ_OK)
                body->failed = true;
        }
        places[2 * i + 1] = (int64_t)body->size - places[2 * i];
        while (body->size % 8)
            frz_buffer_append_byte(body, 0);
    }
}

/* A RecordBatch table. */
static inline size_t made_batch_table(frz_flat_builder *builder, const made_batch *batch,
                                      const int64_t *places)
{
    static const uint8_t codec_widths[] = {1, 1};
    const bool packed = batch->codec != FRZ_CODEC_NONE;
    const uint8_t widths[] = {8, 4, 4, packed ? 4 : 0, batch->variadic ? 4 : 0};
    const size_t table = frz_flat_add_table(builder, widths, 5);
    frz_flat_set_i64(builder, table, FRZ_IPC_BATCH_LENGTH, batch->length);
    const size_t nodes =
        frz_flat_add_items(builder, table, FRZ_IPC_BATCH_NODES, batch->node_count, 16);
    for (size_t i = 0; i < batch->node_count; i++) {
        frz_flat_set_item_i64(builder, nodes, 16 * i, batch->nodes[i].length);
        frz_flat_set_item_i64(builder, nodes, 16 * i + 8, batch->nodes[i].nulls);
    }
    const size_t buffers =
        frz_flat_add_items(builder, table, FRZ_IPC_BATCH_BUFFERS, batch->buffer_count, 16);
    for (size_t i = 0; i < 2 * batch->buffer_count; i++)
        frz_flat_set_item_i64(builder, buffers, 8 * i, places[i]);
    if (packed) {
        const size_t compression = frz_flat_add_table(builder, codec_widths, 2);
        frz_flat_set_child(builder, table, FRZ_IPC_BATCH_COMPRESSION, compression);
        frz_flat_set_u8(builder, compression, FRZ_IPC_COMPRESSION_CODEC,
                        batch->codec == FRZ_CODEC_ZSTD);
    }
    if (batch->variadic) {
        const size_t counts = frz_flat_add_items(builder, table, FRZ_IPC_BATCH_VARIADIC_COUNTS,
                                                 batch->variadic_count, 8);
        for (size_t i = 0; i < batch->variadic_count; i++)
            frz_flat_set_item_i64(builder, counts, 8 * i, batch->variadic[i]);
    }
    return table;
}

static inline size_t made_dictionary_table(frz_flat_builder *builder, const made_batch *batch)
{
    static const uint8_t widths[] = {8, 4, 1};
    const size_t table = frz_flat_add_table(builder, widths, 3);
    frz_flat_set_i64(builder, table, FRZ_IPC_DICTIONARY_ID, batch->dictionary);
    frz_flat_set_u8(builder, table, FRZ_IPC_DICTIONARY_IS_DELTA, batch->is_delta);
    return table;
}

static inline void made_add_batch(frz_buffer *out, const made_batch *batch)
{
    frz_flat_builder builder = {0};
    frz_buffer body = {0};
    int64_t places[64];
    made_body(batch, &body, places);
    const uint8_t kind = batch->dictionary ? FRZ_IPC_HEADER_DICTIONARY : FRZ_IPC_HEADER_BATCH;
    const size_t message = made_message_table(&builder, FRZ_IPC_METADATA_V5, kind, body.size);
    if (batch->dictionary) {
        const size_t dictionary = made_dictionary_table(&builder, batch);
        frz_flat_set_child(&builder, message, FRZ_IPC_MESSAGE_HEADER, dictionary);
        const size_t data = made_batch_table(&builder, batch, places);
        frz_flat_set_child(&builder, dictionary, FRZ_IPC_DICTIONARY_DATA, data);
    } else {
        const size_t data = made_batch_table(&builder, batch, places);
        frz_flat_set_child(&builder, message, FRZ_IPC_MESSAGE_HEADER, data);
    }
    made_add_message(out, &builder, &body, false);
    frz_buffer_clear(&body);
}

static inline void made_add_end(frz_buffer *out)
{
    frz_buffer_append_u32le(out, FRZ_IPC_CONTINUATION);
    frz_buffer_append_u32le(out, 0);
}

/* A batch of one column of int64 without nulls. */
static inline void made_add_numbers(frz_buffer *out, const int64_t *values, int64_t count)
{
    const made_node node = {count, 0};
    const frz_slice buffers[] = {{0}, frz_slice_of(values, (size_t)count * sizeof *values)};
    made_add_batch(out, &(made_batch){.length = count,
                                      .nodes = &node,
                                      .node_count = 1,
                                      .buffers = buffers,
                                      .buffer_count = 2});
}

/* Texts of a dictionary, each of one letter. */
static inline void made_add_letters(frz_buffer *out, int64_t id, const char *letters, bool is_delta)
{
    int32_t offsets[32] = {0};
    const size_t count = strlen(letters);
    for (size_t i = 0; i < count; i++)
        offsets[i + 1] = (int32_t)i + 1;
    const made_node node = {(int64_t)count, 0};
    const frz_slice buffers[] = {
        {0}, frz_slice_of(offsets, (count + 1) * sizeof *offsets), frz_slice_of(letters, count)};
    made_add_batch(out, &(made_batch){.length = (int64_t)count,
                                      .nodes = &node,
                                      .node_count = 1,
                                      .buffers = buffers,
                                      .buffer_count = 3,
                                      .dictionary = id,
                                      .is_delta = is_delta});
}

/* An input over bytes in memory, in storage that goes with it. */
typedef struct made_input {
    frz_io *io;
    frz_input *input;
} made_input;

static inline frz_status made_open(const void *bytes, size_t size, made_input *out, frz_error **err)
{
    frz_status status = frz_io_memory_new(&out->io, err);
    if (status == FRZ_OK)
        status = frz_io_write_file(out->io, "made", frz_slice_of(bytes, size), err);
    if (status == FRZ_OK)
        status = frz_io_open(out->io, "made", FRZ_IO_SIZE_UNKNOWN, &out->input, err);
    return status;
}

static inline void made_close(made_input *made)
{
    frz_input_close(made->input);
    frz_io_free(made->io);
    *made = (made_input){0};
}

#endif
