/*
 * The files that a caller names: each one itself, or all that a folder holds.
 */
#ifndef FRZ_WRITE_FILE_PATHS_H
#define FRZ_WRITE_FILE_PATHS_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/slice.h"
#include "frazil/extend/io.h"
#include "spec/list.h"

/*
 * Appends absolute locations (const char *) to `out`, those of a folder in the order of their
 * names. A file or folder below a folder whose name begins with . or _ is passed over, unless it is
 * NAME=VALUE. FRZ_NOT_FOUND for a path where nothing is.
 */
FRZ_MUST_CHECK frz_status frz_file_paths_add(frz_io *io, const char *path, frz_arena *arena,
                                             frz_list *out, frz_error **err);

/* What names one file wherever it is written differently: file:/x, file:///x and /x; path maps
 * resolved. Appends. */
FRZ_MUST_CHECK frz_status frz_file_path_key(frz_io *io, frz_slice location, frz_buffer *out,
                                            frz_error **err);

#endif
