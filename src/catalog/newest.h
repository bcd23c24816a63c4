/*
 * The newest metadata file of a table that no catalog points to (spec "File System Tables").
 */
#ifndef FRZ_CATALOG_NEWEST_H
#define FRZ_CATALOG_NEWEST_H

#include "frazil/extend/io.h"

/*
 * `location` is a metadata file, which is given back as it is, or a table's folder: then
 * version-hint.text and a probe upward from it; without a hint, the highest version in a listing of
 * its metadata folder. FRZ_INVALID when two files have the highest version, both named. Free with
 * frz_free.
 */
FRZ_MUST_CHECK frz_status frz_metadata_newest(frz_io *io, const char *location, char **out,
                                              frz_error **err);

#endif
