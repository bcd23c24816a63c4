#include "ipc/write_batch.h"

#include <string.h>

#include "arrow/type.h"
#include "base/fail.h"
#include "ipc/format.h"

static size_t padded(size_t size)
{
    return (size + FRZ_IPC_ALIGNMENT - 1) / FRZ_IPC_ALIGNMENT * FRZ_IPC_ALIGNMENT;
}

static void add_piece(frz_ipc_pieces *out, const void *bytes, size_t size)
{
    const frz_ipc_piece piece = {.bytes = size ? bytes : NULL, .size = size};
    frz_buffer_append(&out->pieces, &piece, sizeof piece);
    out->body_size += padded(size);
}

static size_t bits_size(int64_t length)
{
    return ((size_t)length + 7) / 8;
}

/* Offsets are there also for no rows, and return the size that they end with. */
static size_t add_offsets(frz_ipc_pieces *out, const struct ArrowArray *array)
{
    static const int32_t zero = 0;
    const int32_t *offsets = array->buffers[1] ? array->buffers[1] : &zero;
    add_piece(out, offsets, ((size_t)array->length + 1) * sizeof *offsets);
    return (size_t)offsets[array->length];
}

static frz_status collect(const struct ArrowSchema *schema, const struct ArrowArray *array,
                          frz_ipc_pieces *out, frz_error **err)
{
    frz_arrow_type type;
    FRZ_TRY(frz_arrow_type_parse(schema->format, &type, err));
    const frz_arrow_layout *layout = frz_arrow_layout_of(type.kind);
    const size_t length = (size_t)array->length;
    frz_buffer_append_u64le(&out->nodes, length);
    frz_buffer_append_u64le(&out->nodes, (uint64_t)array->null_count);
    if (layout->buffers > 0)
        add_piece(out, array->buffers[0], array->null_count ? bits_size(array->length) : 0);
    if (layout->form == FRZ_ARROW_FORM_BITS)
        add_piece(out, array->buffers[1], bits_size(array->length));
    else if (layout->form == FRZ_ARROW_FORM_FIXED)
        add_piece(out, array->buffers[1], length * frz_arrow_type_width(&type));
    else if (layout->form == FRZ_ARROW_FORM_LIST)
        (void)add_offsets(out, array);
    else if (layout->form == FRZ_ARROW_FORM_BYTES)
        add_piece(out, array->buffers[2], add_offsets(out, array));
    for (int64_t i = 0; i < array->n_children; i++)
        FRZ_TRY(collect(schema->children[i], array->children[i], out, err));
    return FRZ_OK;
}

frz_status frz_ipc_pieces_collect(const struct ArrowSchema *schema, const struct ArrowArray *batch,
                                  frz_ipc_pieces *out, frz_error **err)
{
    frz_buffer_reset(&out->nodes);
    frz_buffer_reset(&out->pieces);
    out->body_size = 0;
    for (int64_t i = 0; i < batch->n_children; i++)
        FRZ_TRY(collect(schema->children[i], batch->children[i], out, err));
    FRZ_TRY(frz_buffer_check(&out->nodes, err));
    return frz_buffer_check(&out->pieces, err);
}

size_t frz_ipc_pieces_count(const frz_ipc_pieces *pieces)
{
    return pieces->pieces.size / sizeof(frz_ipc_piece);
}

frz_ipc_piece frz_ipc_pieces_at(const frz_ipc_pieces *pieces, size_t index)
{
    frz_ipc_piece piece;
    memcpy(&piece, pieces->pieces.data + index * sizeof piece, sizeof piece);
    return piece;
}

void frz_ipc_batch_write(const frz_ipc_pieces *pieces, int64_t length, frz_flat_builder *builder,
                         size_t parent, unsigned field)
{
    static const uint8_t widths[] = {8, 4, 4};
    const size_t table = frz_flat_add_table(builder, widths, sizeof widths);
    frz_flat_set_child(builder, parent, field, table);
    frz_flat_set_i64(builder, table, FRZ_IPC_BATCH_LENGTH, length);
    const size_t nodes =
        frz_flat_add_items(builder, table, FRZ_IPC_BATCH_NODES,
                           pieces->nodes.size / FRZ_IPC_NODE_SIZE, FRZ_IPC_NODE_SIZE);
    for (size_t at = 0; at < pieces->nodes.size; at += sizeof(int64_t)) {
        int64_t value;
        memcpy(&value, pieces->nodes.data + at, sizeof value);
        frz_flat_set_item_i64(builder, nodes, at, value);
    }
    const size_t count = frz_ipc_pieces_count(pieces);
    const size_t buffers =
        frz_flat_add_items(builder, table, FRZ_IPC_BATCH_BUFFERS, count, FRZ_IPC_BUFFER_SIZE);
    size_t offset = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t size = frz_ipc_pieces_at(pieces, i).size;
        frz_flat_set_item_i64(builder, buffers, i * FRZ_IPC_BUFFER_SIZE, (int64_t)offset);
        frz_flat_set_item_i64(builder, buffers, i * FRZ_IPC_BUFFER_SIZE + 8, (int64_t)size);
        offset += padded(size);
    }
}

void frz_ipc_pieces_clear(frz_ipc_pieces *pieces)
{
    frz_buffer_clear(&pieces->nodes);
    frz_buffer_clear(&pieces->pieces);
    *pieces = (frz_ipc_pieces){0};
}
