/*
 * Rows of an Arrow IPC stream or file (Columnar.rst, "Serialization and Interprocess
 * Communication"), message by message: one read for the metadata of a message, one for its body,
 * whose memory the columns share.
 *
 * A stream may end with its mark or without; a file is read by its footer, dictionaries first.
 */
#ifndef FRZ_IPC_READER_H
#define FRZ_IPC_READER_H

#include "base/limits.h"
#include "frazil/arrow.h"
#include "frazil/extend/io.h"

typedef struct frz_ipc_reader frz_ipc_reader;

/*
 * Tells a file from a stream by its magic, and reads the schema. Borrows `input`, which must
 * outlive the reader, but not the batches. `limits` NULL = defaults.
 *
 * FRZ_UNSUPPORTED: big-endian data, metadata before V4, tensors, Feather V1, types that Iceberg
 * does not have.
 */
FRZ_MUST_CHECK frz_status frz_ipc_reader_open(frz_input *input, const frz_limits *limits,
                                              frz_ipc_reader **out, frz_error **err);
/* Accepts NULL. */
void frz_ipc_reader_close(frz_ipc_reader *reader);

/* A struct of plain types (arrow/normalize.h), with the metadata of schema and fields. */
FRZ_MUST_CHECK frz_status frz_ipc_reader_schema(const frz_ipc_reader *reader,
                                                struct ArrowSchema *out, frz_error **err);

/* The next rows, plain and checked: a batch, or one after the other the parts of a large one.
 * FRZ_END after the last. */
FRZ_MUST_CHECK frz_status frz_ipc_reader_next(frz_ipc_reader *reader, struct ArrowArray *out,
                                              frz_error **err);

#endif
