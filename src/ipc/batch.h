/*
 * Record batches (Columnar.rst, "RecordBatch message"): nodes and buffers of all columns in
 * pre-order, over a body. Columns share the body's memory; nothing is copied that is not compressed
 * or out of alignment.
 */
#ifndef FRZ_IPC_BATCH_H
#define FRZ_IPC_BATCH_H

#include "arrow/owner.h"
#include "base/codec.h"
#include "ipc/schema.h"

/* The bytes of a message's body. */
typedef struct frz_ipc_body {
    frz_slice bytes;
    frz_arrow_owner *owner; /* keeps them; columns take references */
} frz_ipc_body;

typedef struct frz_ipc_batch_options {
    const frz_limits *limits;
    frz_codec_context *codec;
    bool is_v4; /* metadata: run ends have a validity, which says nothing */
    /* By dictionary_index: values as they stand, plain; zero where none have come. Borrowed. */
    const struct ArrowArray *dictionaries;
} frz_ipc_batch_options;

/*
 * Reads `table`, a RecordBatch, whose buffer is to be checked afterwards, as a struct of the
 * children of `columns`. Every buffer has the bytes that lengths and offsets ask for, in so far as
 * one look tells: offsets between first and last are left to frz_arrow_array_validate. FRZ_CORRUPT
 * for what does not fit the columns.
 */
FRZ_MUST_CHECK frz_status frz_ipc_batch_read(const frz_flat_table *table,
                                             const frz_ipc_column *columns,
                                             const frz_ipc_body *body,
                                             const frz_ipc_batch_options *options,
                                             struct ArrowArray *out, frz_error **err);

#endif
