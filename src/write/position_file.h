/*
 * New position delete files of format V2 (spec "Position Delete Files"): one per data file, Parquet
 * or Avro with file_path and pos, sorted by both.
 */
#ifndef FRZ_WRITE_POSITION_FILE_H
#define FRZ_WRITE_POSITION_FILE_H

#include "puffin/bitmap.h"
#include "write/data_file.h"

/* Writes the positions that are deleted in `data`. `context` gives io, metadata, file options,
 * own files, arena and operation id. */
FRZ_MUST_CHECK frz_status frz_position_file_write(frz_file_context *context,
                                                  const frz_data_file *data,
                                                  const frz_bitmap *positions, frz_data_file *out,
                                                  frz_error **err);

#endif
