#include "ipc/footer.h"

#include <string.h>

#include "base/cursor.h"
#include "base/fail.h"
#include "io/file.h"

static frz_status check_footer(frz_ipc_footer *footer, frz_error **err)
{
    footer->flat = frz_flat_over(frz_buffer_slice(&footer->bytes));
    const frz_flat_table table = frz_flat_root(&footer->flat);
    const int16_t version = frz_flat_i16(&table, FRZ_IPC_FOOTER_VERSION, 0);
    footer->schema = frz_flat_child(&table, FRZ_IPC_FOOTER_SCHEMA);
    footer->dictionaries = frz_flat_items(&table, FRZ_IPC_FOOTER_DICTIONARIES, FRZ_IPC_BLOCK_SIZE);
    footer->batches = frz_flat_items(&table, FRZ_IPC_FOOTER_BATCHES, FRZ_IPC_BLOCK_SIZE);
    FRZ_TRY(frz_flat_check(&footer->flat, footer->offset, err));
    /* Old writers leave the version out here; that of each message is what counts. */
    if (version > FRZ_IPC_METADATA_V5)
        return frz_fail(err, FRZ_UNSUPPORTED, footer->offset,
                        "a footer of Arrow metadata version V%d; up to V5 is read", version + 1);
    return footer->schema.buffer
               ? FRZ_OK
               : frz_fail(err, FRZ_CORRUPT, footer->offset, "a footer without a schema");
}

/* Where the footer begins, and its size. */
static frz_status find_footer(frz_input *input, frz_ipc_footer *out, uint32_t *size_out,
                              frz_error **err)
{
    uint8_t bytes[FRZ_IPC_END_SIZE];
    const uint64_t size = frz_input_size(input);
    if (size < FRZ_IPC_START_SIZE + sizeof bytes)
        return frz_fail(err, FRZ_CORRUPT, size, "an Arrow file of %llu bytes",
                        (unsigned long long)size);
    FRZ_TRY(frz_input_read_at(input, size - sizeof bytes, bytes, sizeof bytes, err));
    frz_cursor cursor = frz_cursor_over(bytes, sizeof bytes);
    const uint32_t footer_size = frz_cursor_u32le(&cursor);
    if (memcmp(bytes + cursor.pos, FRZ_IPC_MAGIC, FRZ_IPC_MAGIC_SIZE) != 0)
        return frz_fail(err, FRZ_CORRUPT, size - FRZ_IPC_MAGIC_SIZE,
                        "the Arrow file does not end with " FRZ_IPC_MAGIC ": it is cut off");
    if (footer_size == 0 || footer_size > size - FRZ_IPC_START_SIZE - sizeof bytes)
        return frz_fail(err, FRZ_CORRUPT, size - sizeof bytes,
                        "a footer of %lu bytes in an Arrow file of %llu",
                        (unsigned long)footer_size, (unsigned long long)size);
    out->offset = size - sizeof bytes - footer_size;
    *size_out = footer_size;
    return FRZ_OK;
}

frz_status frz_ipc_footer_read(frz_input *input, const frz_limits *limits, frz_ipc_footer *out,
                               frz_error **err)
{
    uint32_t size = 0;
    FRZ_TRY(find_footer(input, out, &size, err));
    if (size > limits->ipc_metadata_size)
        return frz_fail(err, FRZ_UNSUPPORTED, out->offset,
                        "a footer of %lu bytes, over the limit ipc_metadata_size",
                        (unsigned long)size);
    uint8_t *bytes = frz_buffer_extend(&out->bytes, size);
    if (!bytes)
        return frz_fail_memory(err);
    FRZ_TRY(frz_input_read_at(input, out->offset, bytes, size, err));
    return check_footer(out, err);
}

void frz_ipc_footer_clear(frz_ipc_footer *footer)
{
    frz_buffer_clear(&footer->bytes);
    *footer = (frz_ipc_footer){0};
}

size_t frz_ipc_footer_count(const frz_ipc_footer *footer)
{
    return footer->dictionaries.count + footer->batches.count;
}

frz_ipc_block frz_ipc_footer_block(const frz_ipc_footer *footer, size_t index)
{
    const bool is_dictionary = index < footer->dictionaries.count;
    const frz_flat_vector *blocks = is_dictionary ? &footer->dictionaries : &footer->batches;
    const size_t at = is_dictionary ? index : index - footer->dictionaries.count;
    const int64_t offset = frz_flat_item_i64(blocks, at, FRZ_IPC_BLOCK_OFFSET_AT);
    const bool is_inside = offset >= FRZ_IPC_START_SIZE && (uint64_t)offset < footer->offset;
    return (frz_ipc_block){.kind = is_dictionary ? FRZ_IPC_HEADER_DICTIONARY : FRZ_IPC_HEADER_BATCH,
                           .offset = is_inside ? (uint64_t)offset : footer->offset,
                           .body_size =
                               (uint64_t)frz_flat_item_i64(blocks, at, FRZ_IPC_BLOCK_BODY_AT)};
}
