/*
 * Rows of Arrow IPC streams and files, and streams of batches written as such.
 */
#ifndef FRZ_TEXT_IPC_ROWS_H
#define FRZ_TEXT_IPC_ROWS_H

#include "frazil/arrow.h"
#include "frazil/io.h"
#include "frazil/text.h"

/* Opens an IPC stream or file; `io` NULL = local files. Errors name the location. */
FRZ_MUST_CHECK frz_status frz_ipc_rows_open(const char *location, frz_io *io,
                                            struct ArrowArrayStream *out, frz_error **err);

/*
 * Writes a whole stream (not released) as an IPC stream or, `is_file`, a file. A failure leaves
 * what no reader takes for the whole. *rows_out is set on success.
 */
FRZ_MUST_CHECK frz_status frz_ipc_rows_write(struct ArrowArrayStream *rows, bool is_file,
                                             frz_print_write write, void *context,
                                             int64_t *rows_out, frz_error **err);

#endif
