/*
 * New position delete files of format V2 (spec "Position Delete Files"): Parquet or Avro with
 * file_path and pos, sorted by both; one per data file, or one per partition
 * (write.delete.granularity).
 */
#ifndef FRZ_WRITE_POSITION_FILE_H
#define FRZ_WRITE_POSITION_FILE_H

#include "puffin/bitmap.h"
#include "write/data_file.h"

/* What is deleted in one data file. */
typedef struct frz_position_target {
    const frz_data_file *data;
    const frz_bitmap *positions;
} frz_position_target;

typedef struct frz_position_files {
    frz_file_context *context; /* gives io, metadata, file options, own files, arena and operation
                                  id */
    bool by_partition;         /* else by data file */
    uint64_t target_file_size; /* a file of several data files ends behind the one that reaches it
                                */
} frz_position_files;

/* Writes the positions of all targets, which it sorts. `out` has room for a file per target;
 * *count_out have been made. */
FRZ_MUST_CHECK frz_status frz_position_files_write(const frz_position_files *how,
                                                   frz_position_target *targets, size_t count,
                                                   frz_data_file *out, size_t *count_out,
                                                   frz_error **err);

#endif
