#include "ipc/writer.h"

#include <string.h>

#include "arrow/normalize.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"
#include "ipc/format.h"
#include "ipc/write_batch.h"
#include "ipc/write_schema.h"

enum { PENDING_MAX = 64 * 1024 };

struct frz_ipc_writer {
    struct ArrowSchema given;
    struct ArrowSchema plain;
    bool is_file;
    frz_ipc_sink sink;
    void *context;
    frz_buffer pending; /* small parts wait to go together */
    uint64_t offset;    /* of the next byte */
    frz_flat_builder builder;
    frz_ipc_pieces pieces;
    frz_buffer blocks; /* of a file: offset, size of metadata and of body, each int64 */
};

void frz_ipc_writer_free(frz_ipc_writer *writer)
{
    if (!writer)
        return;
    frz_arrow_schema_clear(&writer->given);
    frz_arrow_schema_clear(&writer->plain);
    frz_buffer_clear(&writer->pending);
    frz_buffer_clear(&writer->builder.bytes);
    frz_buffer_clear(&writer->blocks);
    frz_ipc_pieces_clear(&writer->pieces);
    frz_free(writer);
}

static frz_status flush(frz_ipc_writer *writer, frz_error **err)
{
    FRZ_TRY(frz_buffer_check(&writer->pending, err));
    if (writer->pending.size == 0)
        return FRZ_OK;
    FRZ_TRY(writer->sink(writer->context, writer->pending.data, writer->pending.size, err));
    frz_buffer_reset(&writer->pending);
    return FRZ_OK;
}

static frz_status put(frz_ipc_writer *writer, const void *bytes, size_t size, frz_error **err)
{
    writer->offset += size;
    if (size < PENDING_MAX) {
        frz_buffer_append(&writer->pending, bytes, size);
        return writer->pending.size < PENDING_MAX ? FRZ_OK : flush(writer, err);
    }
    FRZ_TRY(flush(writer, err));
    return writer->sink(writer->context, bytes, size, err);
}

static frz_status put_padding(frz_ipc_writer *writer, frz_error **err)
{
    static const uint8_t zeros[FRZ_IPC_ALIGNMENT] = {0};
    const size_t over = (size_t)(writer->offset % FRZ_IPC_ALIGNMENT);
    return over ? put(writer, zeros, FRZ_IPC_ALIGNMENT - over, err) : FRZ_OK;
}

static frz_status put_prefix(frz_ipc_writer *writer, uint32_t size, frz_error **err)
{
    uint8_t prefix[FRZ_IPC_PREFIX_SIZE];
    for (size_t i = 0; i < 4; i++) {
        prefix[i] = (uint8_t)(FRZ_IPC_CONTINUATION >> (8 * i));
        prefix[4 + i] = (uint8_t)(size >> (8 * i));
    }
    return put(writer, prefix, sizeof prefix, err);
}

/* The Message table, whose header comes next. */
static size_t start_message(frz_ipc_writer *writer, frz_ipc_header kind, size_t body_size)
{
    static const uint8_t widths[] = {2, 1, 4, 8};
    frz_buffer_reset(&writer->builder.bytes);
    const size_t message = frz_flat_add_table(&writer->builder, widths, sizeof widths);
    frz_flat_set_i16(&writer->builder, message, FRZ_IPC_MESSAGE_VERSION, FRZ_IPC_METADATA_V5);
    frz_flat_set_u8(&writer->builder, message, FRZ_IPC_MESSAGE_HEADER_TYPE, (uint8_t)kind);
    frz_flat_set_i64(&writer->builder, message, FRZ_IPC_MESSAGE_BODY_LENGTH, (int64_t)body_size);
    return message;
}

/* Prefix and metadata, padded so that a body begins at a multiple of eight. */
static frz_status put_metadata(frz_ipc_writer *writer, frz_error **err)
{
    const frz_buffer *bytes = &writer->builder.bytes;
    FRZ_TRY(frz_buffer_check(bytes, err));
    const size_t size =
        (bytes->size + FRZ_IPC_ALIGNMENT - 1) / FRZ_IPC_ALIGNMENT * FRZ_IPC_ALIGNMENT;
    if (size > INT32_MAX)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "Arrow metadata of %zu bytes, over 2^31", size);
    FRZ_TRY(put_prefix(writer, (uint32_t)size, err));
    FRZ_TRY(put(writer, bytes->data, bytes->size, err));
    return put_padding(writer, err);
}

static frz_status put_schema(frz_ipc_writer *writer, frz_error **err)
{
    const size_t message = start_message(writer, FRZ_IPC_HEADER_SCHEMA, 0);
    FRZ_TRY(frz_ipc_schema_write(&writer->plain, &writer->builder, message, FRZ_IPC_MESSAGE_HEADER,
                                 err));
    return put_metadata(writer, err);
}

static frz_status put_start(frz_ipc_writer *writer, const struct ArrowSchema *schema,
                            frz_error **err)
{
    FRZ_TRY(frz_arrow_schema_copy(schema, &writer->given, err));
    FRZ_TRY(frz_arrow_normalize_schema(schema, &writer->plain, err));
    if (writer->is_file) {
        FRZ_TRY(put(writer, FRZ_IPC_MAGIC, FRZ_IPC_MAGIC_SIZE, err));
        FRZ_TRY(put_padding(writer, err));
    }
    return put_schema(writer, err);
}

frz_status frz_ipc_writer_open(const struct ArrowSchema *schema, bool is_file, frz_ipc_sink sink,
                               void *context, frz_ipc_writer **out, frz_error **err)
{
    frz_ipc_writer *writer = frz_alloc_zero(sizeof *writer);
    if (!writer)
        return frz_fail_memory(err);
    writer->is_file = is_file;
    writer->sink = sink;
    writer->context = context;
    const frz_status status = put_start(writer, schema, err);
    if (status == FRZ_OK)
        *out = writer;
    else
        frz_ipc_writer_free(writer);
    return status;
}

static frz_status put_batch(frz_ipc_writer *writer, const struct ArrowArray *batch, frz_error **err)
{
    const uint64_t offset = writer->offset;
    FRZ_TRY(frz_ipc_pieces_collect(&writer->plain, batch, &writer->pieces, err));
    const size_t message = start_message(writer, FRZ_IPC_HEADER_BATCH, writer->pieces.body_size);
    frz_ipc_batch_write(&writer->pieces, batch->length, &writer->builder, message,
                        FRZ_IPC_MESSAGE_HEADER);
    FRZ_TRY(put_metadata(writer, err));
    frz_buffer_append_u64le(&writer->blocks, offset);
    frz_buffer_append_u64le(&writer->blocks, writer->offset - offset);
    frz_buffer_append_u64le(&writer->blocks, writer->pieces.body_size);
    for (size_t i = 0; i < frz_ipc_pieces_count(&writer->pieces); i++) {
        const frz_ipc_piece piece = frz_ipc_pieces_at(&writer->pieces, i);
        FRZ_TRY(put(writer, piece.bytes, piece.size, err));
        FRZ_TRY(put_padding(writer, err));
    }
    return FRZ_OK;
}

frz_status frz_ipc_writer_write(frz_ipc_writer *writer, const struct ArrowArray *batch,
                                frz_error **err)
{
    struct ArrowArray plain = {0};
    if (!writer->is_file)
        frz_buffer_reset(&writer->blocks);
    FRZ_TRY(frz_arrow_normalize_borrowed(&writer->given, batch, &plain, err));
    const frz_status status = put_batch(writer, &plain, err);
    frz_arrow_array_clear(&plain);
    return status;
}

static int64_t block_number(const frz_ipc_writer *writer, size_t block, size_t index)
{
    int64_t number;
    memcpy(&number, writer->blocks.data + (3 * block + index) * sizeof number, sizeof number);
    return number;
}

static frz_status put_footer(frz_ipc_writer *writer, frz_error **err)
{
    static const uint8_t widths[] = {2, 4, 4, 4};
    frz_flat_builder *builder = &writer->builder;
    FRZ_TRY(frz_buffer_check(&writer->blocks, err));
    frz_buffer_reset(&builder->bytes);
    const size_t footer = frz_flat_add_table(builder, widths, sizeof widths);
    frz_flat_set_i16(builder, footer, FRZ_IPC_FOOTER_VERSION, FRZ_IPC_METADATA_V5);
    FRZ_TRY(frz_ipc_schema_write(&writer->plain, builder, footer, FRZ_IPC_FOOTER_SCHEMA, err));
    (void)frz_flat_add_items(builder, footer, FRZ_IPC_FOOTER_DICTIONARIES, 0, FRZ_IPC_BLOCK_SIZE);
    const size_t count = writer->blocks.size / (3 * sizeof(int64_t));
    const size_t items =
        frz_flat_add_items(builder, footer, FRZ_IPC_FOOTER_BATCHES, count, FRZ_IPC_BLOCK_SIZE);
    for (size_t i = 0; i < count; i++) {
        const size_t at = i * FRZ_IPC_BLOCK_SIZE;
        frz_flat_set_item_i64(builder, items, at + FRZ_IPC_BLOCK_OFFSET_AT,
                              block_number(writer, i, 0));
        frz_flat_set_item_i32(builder, items, at + FRZ_IPC_BLOCK_METADATA_AT,
                              (int32_t)block_number(writer, i, 1));
        frz_flat_set_item_i64(builder, items, at + FRZ_IPC_BLOCK_BODY_AT,
                              block_number(writer, i, 2));
    }
    const size_t size = builder->bytes.size;
    if (size > INT32_MAX)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "an Arrow footer of %zu bytes", size);
    frz_buffer_append_u32le(&builder->bytes, (uint32_t)size);
    frz_buffer_append(&builder->bytes, FRZ_IPC_MAGIC, FRZ_IPC_MAGIC_SIZE);
    FRZ_TRY(frz_buffer_check(&builder->bytes, err));
    return put(writer, builder->bytes.data, builder->bytes.size, err);
}

frz_status frz_ipc_writer_finish(frz_ipc_writer *writer, frz_error **err)
{
    FRZ_TRY(put_prefix(writer, 0, err));
    if (writer->is_file)
        FRZ_TRY(put_footer(writer, err));
    return flush(writer, err);
}

void frz_ipc_writer_break(frz_ipc_writer *writer)
{
    static const uint8_t half[] = {0xff, 0xff, 0xff, 0xff};
    frz_error *lost = NULL; /* the failure that came first is the one to tell */
    frz_status status = put(writer, half, sizeof half, &lost);
    if (status == FRZ_OK)
        status = flush(writer, &lost);
    (void)status;
    frz_error_free(lost);
}
