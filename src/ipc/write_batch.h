/*
 * What a record batch is made of, before it is written: nodes and buffers of all columns in
 * pre-order, and where each buffer comes to stand in the body.
 */
#ifndef FRZ_IPC_WRITE_BATCH_H
#define FRZ_IPC_WRITE_BATCH_H

#include "base/buffer.h"
#include "frazil/arrow.h"
#include "ipc/flat_builder.h"

/* The bytes of one buffer of the body, borrowed from the batch; zeros up to the next multiple of
 * eight follow. */
typedef struct frz_ipc_piece {
    const uint8_t *bytes;
    size_t size;
} frz_ipc_piece;

/* All zero is empty; reused from batch to batch. */
typedef struct frz_ipc_pieces {
    frz_buffer nodes;  /* int64 length and nulls of each */
    frz_buffer pieces; /* frz_ipc_piece */
    size_t body_size;
} frz_ipc_pieces;

/* Of a batch of plain types, every array at offset 0 (arrow/normalize.h). */
FRZ_MUST_CHECK frz_status frz_ipc_pieces_collect(const struct ArrowSchema *schema,
                                                 const struct ArrowArray *batch,
                                                 frz_ipc_pieces *out, frz_error **err);
size_t frz_ipc_pieces_count(const frz_ipc_pieces *pieces);
frz_ipc_piece frz_ipc_pieces_at(const frz_ipc_pieces *pieces, size_t index);

/* Adds the RecordBatch of `length` rows and makes it the field of the table at `parent`. */
void frz_ipc_batch_write(const frz_ipc_pieces *pieces, int64_t length, frz_flat_builder *builder,
                         size_t parent, unsigned field);

void frz_ipc_pieces_clear(frz_ipc_pieces *pieces);

#endif
