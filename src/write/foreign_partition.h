/*
 * The partition of a file that somebody else wrote (spec "Partitioning"): what the caller says of
 * it, what the folders it lies in are called, or what its statistics tell.
 */
#ifndef FRZ_WRITE_FOREIGN_PARTITION_H
#define FRZ_WRITE_FOREIGN_PARTITION_H

#include "frazil/catalog.h"
#include "write/foreign_file.h"

typedef struct frz_foreign_partition {
    const frz_value *values; /* one per field of the default spec */
    size_t count;
    const int32_t *given; /* identity source columns whose value every row has by the partition */
    size_t given_count;
} frz_foreign_partition;

/*
 * `stated` are names of partition fields, or of columns of identity ones, and values as in folders'
 * names. Folders are taken from the file's location. FRZ_INVALID names the partition field for
 * which nothing tells one value, or whose stated value is not that of the rows.
 */
FRZ_MUST_CHECK frz_status frz_foreign_partition_find(const frz_foreign_context *context,
                                                     const frz_foreign_file *file,
                                                     const frz_option *stated, size_t stated_count,
                                                     frz_foreign_partition *out, frz_error **err);

/* FRZ_INVALID names a stated key that is no partition field of the default spec. */
FRZ_MUST_CHECK frz_status frz_foreign_partition_check_keys(const frz_metadata *metadata,
                                                           const frz_option *stated,
                                                           size_t stated_count, frz_error **err);

#endif
