/*
 * Batches as an Arrow IPC stream or file (Columnar.rst, "Serialization and Interprocess
 * Communication"), uncompressed, written from their own memory.
 */
#ifndef FRZ_IPC_WRITER_H
#define FRZ_IPC_WRITER_H

#include <stdbool.h>
#include <stddef.h>

#include "frazil/arrow.h"
#include "frazil/error.h"

typedef struct frz_ipc_writer frz_ipc_writer;

/* Where bytes go, one after the other; anything but FRZ_OK stops the writing. */
typedef frz_status (*frz_ipc_sink)(void *context, const void *bytes, size_t size, frz_error **err);

/* Begins with the schema, a struct, whose types are made plain (arrow/normalize.h; refused there
 * what Iceberg does not have). `is_file`: with magic and footer. */
FRZ_MUST_CHECK frz_status frz_ipc_writer_open(const struct ArrowSchema *schema, bool is_file,
                                              frz_ipc_sink sink, void *context,
                                              frz_ipc_writer **out, frz_error **err);

/* A batch of the schema as it was given; it stays the caller's. */
FRZ_MUST_CHECK frz_status frz_ipc_writer_write(frz_ipc_writer *writer,
                                               const struct ArrowArray *batch, frz_error **err);

/* The mark of the end, and the footer of a file. */
FRZ_MUST_CHECK frz_status frz_ipc_writer_finish(frz_ipc_writer *writer, frz_error **err);

/*
 * When rows are missing: leaves a message that is cut off. A stream may end without its mark, so
 * that readers would take what there is for the whole.
 */
void frz_ipc_writer_break(frz_ipc_writer *writer);

/* Accepts NULL. */
void frz_ipc_writer_free(frz_ipc_writer *writer);

#endif
