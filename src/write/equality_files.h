/*
 * New equality delete files (spec "Equality Delete Files"): rows of key columns alone, routed by
 * partition, rolled at write.delete.target-file-size-bytes, in the format of delete files, with
 * counts and bounds of what they delete. Keys are in their order, in which they take a fraction of
 * the space; it is no sort order of the table, so that sort_order_id is null.
 */
#ifndef FRZ_WRITE_EQUALITY_FILES_H
#define FRZ_WRITE_EQUALITY_FILES_H

#include "frazil/write.h"
#include "write/data_writer.h"
#include "write/key_columns.h"

/* All zero is closed. It must not move while it is open. */
typedef struct frz_equality_files {
    const frz_key_columns *keys; /* borrowed */
    frz_arena *arena;            /* of the entries */
    frz_metrics_config metrics;
    frz_sort_order order; /* by the key columns */
    frz_data_writer *writer;
} frz_equality_files;

/* Where files go and how large they get. */
typedef struct frz_equality_options {
    const frz_file_context *context; /* io, metadata, options, own files, arena and operation id */
    int32_t spec_id;
    uint64_t target_file_size;
    const frz_write_options *write; /* memory to sort in, folder beyond it, cancellation */
} frz_equality_options;

FRZ_MUST_CHECK frz_status frz_equality_files_open(frz_equality_files *self,
                                                  const frz_equality_options *how,
                                                  const frz_key_columns *keys, frz_error **err);
/* Reads `rows`, of the key columns. */
FRZ_MUST_CHECK frz_status frz_equality_files_write(frz_equality_files *self,
                                                   struct ArrowArray *rows, frz_error **err);
/* The new files, in the context's arena. */
FRZ_MUST_CHECK frz_status frz_equality_files_finish(frz_equality_files *self,
                                                    const frz_data_file **out, size_t *count_out,
                                                    frz_error **err);
void frz_equality_files_close(frz_equality_files *self);

#endif
