/*
 * A whole Parquet file as a stream of batches, and a stream written as one.
 */
#ifndef FRZ_TEXT_PARQUET_ROWS_H
#define FRZ_TEXT_PARQUET_ROWS_H

#include "frazil/arrow.h"
#include "frazil/io.h"

/* All columns, with the file's own types. `io` NULL = local files. Errors name the file. */
FRZ_MUST_CHECK frz_status frz_parquet_rows_open(const char *location, frz_io *io,
                                                struct ArrowArrayStream *out, frz_error **err);

/* Creates the file; nothing is left behind on failure. Does not release `rows`. */
FRZ_MUST_CHECK frz_status frz_parquet_rows_write(struct ArrowArrayStream *rows,
                                                 const char *location, frz_io *io,
                                                 int64_t *rows_out, frz_error **err);

#endif
