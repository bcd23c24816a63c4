/*
 * Rows of Arrow IPC streams and files, and streams of batches written as such.
 */
#ifndef FRZ_TEXT_IPC_ROWS_H
#define FRZ_TEXT_IPC_ROWS_H

#include "frazil/arrow.h"
#include "frazil/io.h"

/* Opens an IPC stream or file; `io` NULL = local files. Errors name the location. */
FRZ_MUST_CHECK frz_status frz_ipc_rows_open(const char *location, frz_io *io,
                                            struct ArrowArrayStream *out, frz_error **err);

#endif
