/*
 * A whole Avro object container file as a stream of batches.
 */
#ifndef FRZ_TEXT_AVRO_STREAM_H
#define FRZ_TEXT_AVRO_STREAM_H

#include "frazil/arrow.h"
#include "frazil/io.h"

/* All fields of its record, with the types that avro/reader.h gives them. `io` NULL = local files.
 * Errors name the file. */
FRZ_MUST_CHECK frz_status frz_avro_stream_open(const char *location, frz_io *io,
                                               struct ArrowArrayStream *out, frz_error **err);

#endif
