#include "ipc/reader.h"

#include <string.h>

#include "arrow/array.h"
#include "arrow/normalize.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"
#include "io/file.h"
#include "ipc/dictionaries.h"
#include "ipc/footer.h"
#include "ipc/message.h"

/* Rows that are handed out together, so that they fit caches, and their texts 32-bit offsets. */
enum { SLICE_ROWS = 64 * 1024 };

struct frz_ipc_reader {
    frz_input *input; /* borrowed */
    frz_limits limits;
    frz_ipc_message message;
    frz_ipc_schema schema;
    frz_ipc_dictionaries dictionaries;
    frz_codec_context codec;
    uint64_t offset; /* of a stream's next message */
    uint64_t end;    /* of the stream */
    bool is_file;
    frz_ipc_footer footer;  /* of a file */
    size_t next_block;      /* of it: dictionaries, then batches */
    frz_arrow_owner *batch; /* of the last message; NULL when its rows are handed out */
    int64_t rows_done;      /* of it */
};

void frz_ipc_reader_close(frz_ipc_reader *reader)
{
    if (!reader)
        return;
    frz_arrow_owner_unref(reader->batch);
    frz_ipc_dictionaries_clear(&reader->dictionaries);
    frz_ipc_schema_clear(&reader->schema);
    frz_ipc_message_clear(&reader->message);
    frz_ipc_footer_clear(&reader->footer);
    frz_codec_context_clear(&reader->codec);
    frz_free(reader);
}

/* The whole body of the message, aligned. */
static frz_status read_body(const frz_ipc_reader *reader, frz_ipc_body *out, frz_error **err)
{
    const uint64_t size = reader->message.body_size;
    if (size > reader->limits.ipc_body_size)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "a body of %llu bytes, over the limit ipc_body_size of %zu; smaller "
                        "batches are read",
                        (unsigned long long)size, reader->limits.ipc_body_size);
    uint8_t *bytes = frz_alloc_aligned((size_t)size);
    if (!bytes)
        return frz_fail_memory(err);
    frz_status status = FRZ_OK;
    if (size > 0)
        status =
            frz_input_read_at(reader->input, reader->message.body_offset, bytes, (size_t)size, err);
    frz_arrow_owner *owner = status == FRZ_OK ? frz_arrow_owner_of_buffer(bytes) : NULL;
    if (!owner) {
        frz_free(bytes);
        return status == FRZ_OK ? frz_fail_memory(err) : status;
    }
    *out = (frz_ipc_body){.bytes = frz_slice_of(bytes, (size_t)size), .owner = owner};
    return FRZ_OK;
}

static frz_ipc_batch_options batch_options(frz_ipc_reader *reader)
{
    return (frz_ipc_batch_options){.limits = &reader->limits,
                                   .codec = &reader->codec,
                                   .is_v4 = reader->message.version == FRZ_IPC_METADATA_V4,
                                   .dictionaries = reader->dictionaries.values};
}

static frz_status check_flat(const frz_ipc_message *message, frz_error **err)
{
    return frz_flat_check(&message->flat, message->metadata_offset, err);
}

/* The dictionary of the message that has been read. */
static frz_status take_dictionary(frz_ipc_reader *reader, frz_error **err)
{
    frz_ipc_body body = {0};
    const frz_ipc_batch_options options = batch_options(reader);
    FRZ_TRY(read_body(reader, &body, err));
    frz_status status = frz_ipc_dictionaries_read(&reader->dictionaries, &reader->message.header,
                                                  &reader->schema, &body, &options, err);
    if (status == FRZ_OK)
        status = check_flat(&reader->message, err);
    frz_arrow_owner_unref(body.owner);
    return status;
}

/* The batch of the message that has been read, checked, whose rows are to be handed out. */
static frz_status take_batch(frz_ipc_reader *reader, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_ipc_body body = {0};
    struct ArrowArray sent = {0};
    const frz_ipc_batch_options options = batch_options(reader);
    FRZ_TRY(read_body(reader, &body, err));
    FRZ_TRY_DONE(frz_ipc_batch_read(&reader->message.header, &reader->schema.root, &body, &options,
                                    &sent, err));
    FRZ_TRY_DONE(check_flat(&reader->message, err));
    FRZ_TRY_DONE(frz_arrow_array_validate(&reader->schema.arrow, &sent, err));
    reader->batch = frz_arrow_owner_of_array(&sent);
    reader->rows_done = 0;
    if (!reader->batch)
        status = frz_fail_memory(err);
done:
    frz_arrow_array_clear(&sent);
    frz_arrow_owner_unref(body.owner);
    return status;
}

/* The next rows of the batch, plain. */
static frz_status next_rows(frz_ipc_reader *reader, struct ArrowArray *out, frz_error **err)
{
    const int64_t length = frz_arrow_owner_array(reader->batch)->length;
    const int64_t left = length - reader->rows_done;
    const int64_t count = left < SLICE_ROWS ? left : SLICE_ROWS;
    FRZ_TRY(frz_ipc_message_context(&reader->message,
                                    frz_arrow_normalize_rows(&reader->schema.arrow, reader->batch,
                                                             reader->rows_done, count, out, err),
                                    err));
    reader->rows_done += count;
    if (reader->rows_done == length) {
        frz_arrow_owner_unref(reader->batch);
        reader->batch = NULL;
    }
    return FRZ_OK;
}

static const char *header_name(frz_ipc_header kind)
{
    static const char *const names[] = {
        [FRZ_IPC_HEADER_NONE] = "nothing",
        [FRZ_IPC_HEADER_SCHEMA] = "a schema",
        [FRZ_IPC_HEADER_DICTIONARY] = "a dictionary",
        [FRZ_IPC_HEADER_BATCH] = "a batch",
        [FRZ_IPC_HEADER_TENSOR] = "a tensor",
        [FRZ_IPC_HEADER_SPARSE_TENSOR] = "a sparse tensor",
    };
    return names[kind];
}

/* What the message that has been read brings: a batch, or a dictionary. */
static frz_status take_message(frz_ipc_reader *reader, frz_error **err)
{
    const frz_ipc_header kind = reader->message.kind;
    if (kind == FRZ_IPC_HEADER_BATCH)
        return take_batch(reader, err);
    if (kind == FRZ_IPC_HEADER_DICTIONARY)
        return take_dictionary(reader, err);
    return frz_fail(err, kind == FRZ_IPC_HEADER_SCHEMA ? FRZ_CORRUPT : FRZ_UNSUPPORTED,
                    reader->message.offset, "%s among the batches", header_name(kind));
}

/* Whatever stands behind the end would be lost without a word. */
static frz_status end_stream(const frz_ipc_reader *reader, frz_error **err)
{
    const uint64_t at = reader->message.end;
    if (reader->offset == reader->end || at == reader->end)
        return FRZ_END;
    return frz_fail(err, FRZ_CORRUPT, at,
                    "%llu bytes behind the end of the stream at byte %llu; several streams are "
                    "given as several files",
                    (unsigned long long)(reader->end - at), (unsigned long long)at);
}

/* FRZ_END after the last message. */
static frz_status next_of_stream(frz_ipc_reader *reader, frz_error **err)
{
    const frz_status status = frz_ipc_message_read(reader->input, reader->offset, reader->end,
                                                   &reader->limits, &reader->message, err);
    if (status == FRZ_END)
        return end_stream(reader, err);
    if (status == FRZ_OK)
        reader->offset = reader->message.end;
    return status;
}

/* The message of a block of the footer, which is of the kind that the footer says. */
static frz_status read_block(frz_ipc_reader *reader, size_t index, frz_error **err)
{
    const frz_ipc_block block = frz_ipc_footer_block(&reader->footer, index);
    const frz_status status = frz_ipc_message_read(reader->input, block.offset, reader->end,
                                                   &reader->limits, &reader->message, err);
    if (status != FRZ_OK && status != FRZ_END)
        return status;
    if (status == FRZ_END || reader->message.kind != block.kind ||
        reader->message.body_size != block.body_size)
        return frz_fail(err, FRZ_CORRUPT, block.offset,
                        "the footer has %s with a body of %llu bytes at byte %llu, where there is "
                        "none",
                        header_name(block.kind), (unsigned long long)block.body_size,
                        (unsigned long long)block.offset);
    return FRZ_OK;
}

static frz_status next_of_file(frz_ipc_reader *reader, frz_error **err)
{
    if (reader->next_block == frz_ipc_footer_count(&reader->footer))
        return FRZ_END;
    return read_block(reader, reader->next_block++, err);
}

frz_status frz_ipc_reader_next(frz_ipc_reader *reader, struct ArrowArray *out, frz_error **err)
{
    while (!reader->batch) {
        FRZ_TRY(reader->is_file ? next_of_file(reader, err) : next_of_stream(reader, err));
        FRZ_TRY(frz_ipc_message_context(&reader->message, take_message(reader, err), err));
    }
    return next_rows(reader, out, err);
}

frz_status frz_ipc_reader_schema(const frz_ipc_reader *reader, struct ArrowSchema *out,
                                 frz_error **err)
{
    return frz_arrow_normalize_schema(&reader->schema.arrow, out, err);
}

/* The schema comes first in a stream. */
static frz_status open_stream(frz_ipc_reader *reader, frz_error **err)
{
    frz_ipc_message *message = &reader->message;
    const frz_status status =
        frz_ipc_message_read(reader->input, 0, reader->end, &reader->limits, message, err);
    if (status == FRZ_END)
        return frz_fail(err, FRZ_CORRUPT, 0, "an Arrow stream without a schema");
    FRZ_TRY(status);
    if (message->kind != FRZ_IPC_HEADER_SCHEMA || message->body_size != 0)
        return frz_fail(err, FRZ_CORRUPT, 0, "an Arrow stream that begins with %s, not a schema",
                        header_name(message->kind));
    reader->offset = message->end;
    reader->dictionaries.may_replace = true;
    FRZ_TRY(frz_ipc_schema_read(&message->header, &reader->limits, &reader->schema, err));
    return check_flat(message, err);
}

static frz_status open_file(frz_ipc_reader *reader, frz_error **err)
{
    FRZ_TRY(frz_ipc_footer_read(reader->input, &reader->limits, &reader->footer, err));
    reader->end = reader->footer.offset;
    FRZ_TRY(frz_ipc_schema_read(&reader->footer.schema, &reader->limits, &reader->schema, err));
    return frz_flat_check(&reader->footer.flat, reader->footer.offset, err);
}

static frz_status open_either(frz_ipc_reader *reader, frz_error **err)
{
    uint8_t magic[FRZ_IPC_MAGIC_SIZE] = {0};
    struct ArrowSchema plain = {0};
    reader->end = frz_input_size(reader->input);
    if (reader->end >= sizeof magic)
        FRZ_TRY(frz_input_read_at(reader->input, 0, magic, sizeof magic, err));
    if (memcmp(magic, "FEA1", 4) == 0)
        return frz_fail(err, FRZ_UNSUPPORTED, 0,
                        "a Feather V1 file; of Feather, V2 (Arrow IPC) is read");
    reader->is_file = memcmp(magic, FRZ_IPC_MAGIC, sizeof magic) == 0;
    FRZ_TRY(reader->is_file ? open_file(reader, err) : open_stream(reader, err));
    const bool may_replace = reader->dictionaries.may_replace;
    FRZ_TRY(frz_ipc_dictionaries_init(&reader->dictionaries, &reader->schema, err));
    reader->dictionaries.may_replace = may_replace;
    /* Types that Iceberg does not have are refused before the first row. */
    FRZ_TRY(frz_ipc_reader_schema(reader, &plain, err));
    frz_arrow_schema_clear(&plain);
    return FRZ_OK;
}

frz_status frz_ipc_reader_open(frz_input *input, const frz_limits *limits, frz_ipc_reader **out,
                               frz_error **err)
{
    frz_ipc_reader *reader = frz_alloc_zero(sizeof *reader);
    if (!reader)
        return frz_fail_memory(err);
    reader->input = input;
    reader->limits = limits ? *limits : frz_limits_default;
    const frz_status status = open_either(reader, err);
    if (status == FRZ_OK)
        *out = reader;
    else
        frz_ipc_reader_close(reader);
    return status;
}
