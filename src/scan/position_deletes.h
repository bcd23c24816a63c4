/*
 * Position delete files of V2 (spec "Position Delete Files"): files of file_path and pos. Each file
 * is decoded once, whatever the number of data files it names, into one set of positions per path.
 */
#ifndef FRZ_SCAN_POSITION_DELETES_H
#define FRZ_SCAN_POSITION_DELETES_H

#include "puffin/bitmap.h"
#include "scan/scan.h"
#include "spec/manifest.h"

/*
 * Adds to `into` the positions that `entry` deletes of the data file with that path, compared as
 * stored. Unsorted and repeated positions are accepted. FRZ_UNSUPPORTED names a format that is not
 * Parquet.
 */
FRZ_MUST_CHECK frz_status frz_position_deletes_collect(const frz_scan *scan,
                                                       const frz_manifest_entry *entry,
                                                       frz_slice data_path, frz_bitmap *into,
                                                       frz_error **err);

#endif
