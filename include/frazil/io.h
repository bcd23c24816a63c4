/*
 * Storage as a program chooses it: local files, memory (for tests and short-lived tables), and a
 * view through which recorded locations are found where the files have moved to. Others are made by
 * the vtable of frazil/extend/io.h.
 *
 * Thread rule: a storage may be used by several threads at once. It must outlive the catalogs,
 * tables, scans and streams that use it.
 */
#ifndef FRZ_IO_H
#define FRZ_IO_H

#include <stddef.h>

#include "frazil/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct frz_io frz_io;

/* Local files. Free with frz_io_free. */
FRZ_API FRZ_MUST_CHECK frz_status frz_io_local_new(frz_io **out, frz_error **err);

/* Files that live in the memory of this process, by location. */
FRZ_API FRZ_MUST_CHECK frz_status frz_io_memory_new(frz_io **out, frz_error **err);

/*
 * Files of a local folder (NULL: TMPDIR, else /tmp) that have no name there: only this storage
 * reads them, by location, and the system takes their room back when it is freed or the process
 * ends, however that happens.
 */
FRZ_API FRZ_MUST_CHECK frz_status frz_io_scratch_new(const char *folder, frz_io **out,
                                                     frz_error **err);

typedef struct frz_path_map {
    const char *from; /* recorded prefix, compared as text */
    const char *to;   /* what stands there instead */
} frz_path_map;

/*
 * `inner` with prefixes replaced; the longest `from` that matches wins. Locations that it hands out
 * (listings) are inner's own. Copies the maps; borrows `inner`, which must outlive it.
 */
FRZ_API FRZ_MUST_CHECK frz_status frz_io_remap_new(frz_io *inner, const frz_path_map *maps,
                                                   size_t map_count, frz_io **out, frz_error **err);

/* Accepts NULL. */
FRZ_API void frz_io_free(frz_io *io);

#ifdef __cplusplus
}
#endif

#endif
