/*
 * The rows of a file as a stream, which holds the file open. What formats do differently is a
 * reader; that errors name the location, and who closes what, is here.
 */
#ifndef FRZ_TEXT_FILE_STREAM_H
#define FRZ_TEXT_FILE_STREAM_H

#include "frazil/arrow.h"
#include "frazil/io.h"
#include "io/file.h"

typedef struct frz_file_format {
    /* The reader borrows the input. */
    frz_status (*open)(frz_input *input, void **reader_out, frz_error **err);
    frz_status (*schema)(void *reader, struct ArrowSchema *out, frz_error **err);
    /* FRZ_END when there is nothing more. */
    frz_status (*next)(void *reader, struct ArrowArray *out, frz_error **err);
    /* Accepts NULL. */
    void (*close)(void *reader);
} frz_file_format;

/* `io` NULL = local files. `format` must outlive the stream. */
FRZ_MUST_CHECK frz_status frz_file_stream_open(const frz_file_format *format, const char *location,
                                               frz_io *io, struct ArrowArrayStream *out,
                                               frz_error **err);

#endif
