#include "ipc/message.h"

#include "base/cursor.h"
#include "base/fail.h"
#include "io/file.h"

enum { LEGACY_PREFIX_SIZE = 4 };

frz_status frz_ipc_message_context(const frz_ipc_message *message, frz_status status,
                                   frz_error **err)
{
    return status == FRZ_OK || status == FRZ_END ? status
                                                 : frz_context(err, status, "message at byte %llu",
                                                               (unsigned long long)message->offset);
}

static frz_status fail_end(uint64_t offset, uint64_t end, const char *within, frz_error **err)
{
    return frz_fail(err, FRZ_CORRUPT, end,
                    "the Arrow stream ends at byte %llu, within the %s of the message at byte %llu",
                    (unsigned long long)end, within, (unsigned long long)offset);
}

/* The size of the metadata, and where it stands. FRZ_END for the mark of the end. */
static frz_status read_prefix(frz_input *input, uint64_t offset, uint64_t end, frz_ipc_message *out,
                              uint32_t *size_out, frz_error **err)
{
    uint8_t bytes[FRZ_IPC_PREFIX_SIZE];
    if (offset == end)
        return FRZ_END;
    if (end - offset < LEGACY_PREFIX_SIZE)
        return fail_end(offset, end, "prefix", err);
    const size_t size = end - offset < sizeof bytes ? LEGACY_PREFIX_SIZE : sizeof bytes;
    FRZ_TRY(frz_input_read_at(input, offset, bytes, size, err));
    frz_cursor cursor = frz_cursor_over(bytes, size);
    uint32_t metadata_size = frz_cursor_u32le(&cursor);
    /* Before 0.15 the size came without a mark in front of it. */
    if (metadata_size == FRZ_IPC_CONTINUATION) {
        metadata_size = frz_cursor_u32le(&cursor);
        if (cursor.failed)
            return fail_end(offset, end, "prefix", err);
    }
    out->metadata_offset = offset + cursor.pos;
    out->end = out->metadata_offset;
    if (metadata_size == 0)
        return FRZ_END;
    *size_out = metadata_size;
    return FRZ_OK;
}

static frz_status check_version(int16_t version, uint64_t offset, frz_error **err)
{
    if (version == FRZ_IPC_METADATA_V4 || version == FRZ_IPC_METADATA_V5)
        return FRZ_OK;
    return frz_fail(err, FRZ_UNSUPPORTED, offset,
                    "Arrow metadata version V%d; V4 and V5 (Arrow 0.8 and later) are read",
                    version + 1);
}

static frz_status parse(frz_ipc_message *out, frz_error **err)
{
    out->flat = frz_flat_over(frz_buffer_slice(&out->metadata));
    const frz_flat_table message = frz_flat_root(&out->flat);
    const uint8_t kind = frz_flat_u8(&message, FRZ_IPC_MESSAGE_HEADER_TYPE, FRZ_IPC_HEADER_NONE);
    const int64_t body_size = frz_flat_i64(&message, FRZ_IPC_MESSAGE_BODY_LENGTH, 0);
    out->version = frz_flat_i16(&message, FRZ_IPC_MESSAGE_VERSION, 0);
    out->header = frz_flat_child(&message, FRZ_IPC_MESSAGE_HEADER);
    FRZ_TRY(frz_flat_check(&out->flat, out->metadata_offset, err));
    FRZ_TRY(check_version(out->version, out->offset, err));
    if (body_size < 0)
        return frz_fail(err, FRZ_CORRUPT, out->offset, "a body of %lld bytes",
                        (long long)body_size);
    if (kind > FRZ_IPC_HEADER_SPARSE_TENSOR || !out->header.buffer)
        return frz_fail(err, FRZ_CORRUPT, out->offset, "a message without a known header");
    out->kind = (frz_ipc_header)kind;
    out->body_size = (uint64_t)body_size;
    return FRZ_OK;
}

frz_status frz_ipc_message_read(frz_input *input, uint64_t offset, uint64_t end,
                                const frz_limits *limits, frz_ipc_message *out, frz_error **err)
{
    uint32_t size = 0;
    frz_buffer_reset(&out->metadata);
    out->offset = offset;
    out->kind = FRZ_IPC_HEADER_NONE;
    FRZ_TRY(read_prefix(input, offset, end, out, &size, err));
    if (size > end - out->metadata_offset)
        return fail_end(offset, end, "metadata", err);
    if (size > limits->ipc_metadata_size)
        return frz_fail(err, FRZ_UNSUPPORTED, offset,
                        "metadata of %lu bytes, over the limit ipc_metadata_size",
                        (unsigned long)size);
    uint8_t *bytes = frz_buffer_extend(&out->metadata, size);
    if (!bytes)
        return frz_fail_memory(err);
    FRZ_TRY(frz_input_read_at(input, out->metadata_offset, bytes, size, err));
    out->body_offset = out->metadata_offset + size;
    FRZ_TRY(frz_ipc_message_context(out, parse(out, err), err));
    if (out->body_size > end - out->body_offset)
        return fail_end(offset, end, "body", err);
    out->end = out->body_offset + out->body_size;
    return FRZ_OK;
}

void frz_ipc_message_clear(frz_ipc_message *message)
{
    frz_buffer_clear(&message->metadata);
    *message = (frz_ipc_message){0};
}
