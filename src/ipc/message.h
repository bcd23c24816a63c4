/*
 * Encapsulated messages (Columnar.rst, "Encapsulated message format"): a prefix with the size of
 * the metadata, the metadata, and a body whose size it gives.
 */
#ifndef FRZ_IPC_MESSAGE_H
#define FRZ_IPC_MESSAGE_H

#include "base/buffer.h"
#include "base/limits.h"
#include "frazil/extend/io.h"
#include "ipc/flat.h"
#include "ipc/format.h"

/* All zero is empty. The tables of a message that has been read are borrowed from it, so that it
 * stays where it is. */
typedef struct frz_ipc_message {
    frz_buffer metadata;
    frz_flat flat;
    int16_t version; /* FRZ_IPC_METADATA_V4 or _V5 */
    frz_ipc_header kind;
    frz_flat_table header;
    uint64_t offset;          /* of its prefix in the file */
    uint64_t metadata_offset; /* of `metadata` */
    uint64_t body_offset;
    uint64_t body_size;
    uint64_t end; /* of its body */
} frz_ipc_message;

/*
 * Reads the message that begins at `offset`, up to its body, of a stream that ends at `end`. Its
 * body is within the stream. FRZ_END at the end of the stream: after its mark, or where nothing
 * follows. FRZ_CORRUPT when the stream ends within a message, FRZ_UNSUPPORTED for versions before
 * V4. Memory is reused.
 */
FRZ_MUST_CHECK frz_status frz_ipc_message_read(frz_input *input, uint64_t offset, uint64_t end,
                                               const frz_limits *limits, frz_ipc_message *out,
                                               frz_error **err);
void frz_ipc_message_clear(frz_ipc_message *message);

/* Adds the prefix, where the message stands, to what is wrong with it. */
frz_status frz_ipc_message_context(const frz_ipc_message *message, frz_status status,
                                   frz_error **err);

#endif
