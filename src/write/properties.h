/*
 * What a table's properties ask of writers and commits, parsed once (reference: Java's
 * TableProperties). A value that cannot be parsed is FRZ_INVALID with key and value; a format that
 * is not written is FRZ_UNSUPPORTED by name.
 */
#ifndef FRZ_WRITE_PROPERTIES_H
#define FRZ_WRITE_PROPERTIES_H

#include "parquet/writer.h"
#include "spec/metadata.h"
#include "write/file_format.h"
#include "write/format_properties.h"

typedef struct frz_write_properties {
    uint64_t target_file_size;
    uint64_t delete_target_file_size;
    frz_parquet_writer_options parquet;        /* of data files; columns live in the arena */
    frz_parquet_writer_options delete_parquet; /* of delete files */
    frz_format_properties formats;
    bool deletes_by_partition; /* position delete files hold those of a partition, not of a file */
    int64_t summary_partition_limit;
} frz_write_properties;

FRZ_MUST_CHECK frz_status frz_write_properties_read(const frz_metadata *metadata, frz_arena *arena,
                                                    frz_write_properties *out, frz_error **err);

/* What files of data, and of position and equality deletes, are written as; borrows `properties`.
 */
frz_file_options frz_data_file_options(const frz_write_properties *properties);
frz_file_options frz_delete_file_options(const frz_write_properties *properties);

/* How a commit is tried again, and what it does to manifests. Read anew from each base. */
typedef struct frz_commit_properties {
    int64_t retries;
    int64_t min_wait_ms;
    int64_t max_wait_ms;
    int64_t total_timeout_ms;
    bool merge_manifests;
    int64_t manifest_target_size;
    int64_t manifest_min_count;
} frz_commit_properties;

FRZ_MUST_CHECK frz_status frz_commit_properties_read(const frz_metadata *metadata,
                                                     frz_commit_properties *out, frz_error **err);

#endif
