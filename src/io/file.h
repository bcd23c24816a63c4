/*
 * Storage calls as the library makes them: thin, checked wrappers over the vtables of
 * frazil/extend/io.h, and whole-file reads and writes. Every failure names the location.
 */
#ifndef FRZ_IO_FILE_H
#define FRZ_IO_FILE_H

#include "base/buffer.h"
#include "base/slice.h"
#include "frazil/extend/io.h"

#define FRZ_IO_SIZE_UNKNOWN UINT64_MAX

FRZ_MUST_CHECK frz_status frz_io_open(frz_io *io, const char *location, uint64_t known_size,
                                      frz_input **out, frz_error **err);
FRZ_MUST_CHECK frz_status frz_io_create(frz_io *io, const char *location, frz_output **out,
                                        frz_error **err);
FRZ_MUST_CHECK frz_status frz_io_remove(frz_io *io, const char *location, frz_error **err);
FRZ_MUST_CHECK frz_status frz_io_stat(frz_io *io, const char *location, uint64_t *size_out,
                                      frz_error **err);
FRZ_MUST_CHECK frz_status frz_io_list(frz_io *io, const char *location, frz_io_list_visit visit,
                                      void *context, frz_error **err);

/* Where the storage really looks for a recorded location, appended: two recorded locations are one
 * file when these are equal. The location itself where the storage maps nothing. */
FRZ_MUST_CHECK frz_status frz_io_resolve(frz_io *io, frz_slice location, frz_buffer *out,
                                         frz_error **err);

FRZ_MUST_CHECK frz_status frz_input_read_at(frz_input *input, uint64_t offset, void *out,
                                            size_t size, frz_error **err);
uint64_t frz_input_size(const frz_input *input);
/* NULL when the back-end does not hold the file in memory. */
const uint8_t *frz_input_mapped(frz_input *input);
/* Accepts NULL. */
void frz_input_close(frz_input *input);

FRZ_MUST_CHECK frz_status frz_output_write(frz_output *output, const void *bytes, size_t size,
                                           frz_error **err);
/* Both free `output`. frz_output_abort accepts NULL. */
FRZ_MUST_CHECK frz_status frz_output_commit(frz_output *output, frz_error **err);
void frz_output_abort(frz_output *output);

/* Appends the whole file; FRZ_UNSUPPORTED when larger than `size_max`. */
FRZ_MUST_CHECK frz_status frz_io_read_file(frz_io *io, const char *location, size_t size_max,
                                           frz_buffer *out, frz_error **err);

/* Creates, writes and commits; leaves nothing behind on failure. */
FRZ_MUST_CHECK frz_status frz_io_write_file(frz_io *io, const char *location, frz_slice bytes,
                                            frz_error **err);

#endif
