/*
 * New deletion vectors: many to a Puffin file, each with its manifest entry (spec "Deletion
 * Vectors", Puffin spec "deletion-vector-v1").
 */
#ifndef FRZ_WRITE_VECTOR_FILES_H
#define FRZ_WRITE_VECTOR_FILES_H

#include "puffin/bitmap.h"
#include "write/data_file.h"

typedef struct frz_new_vector {
    const frz_data_file *data;   /* the data file it is for */
    const frz_bitmap *positions; /* all that are deleted in it, old and new; not empty */
} frz_new_vector;

typedef struct frz_vector_files {
    frz_file_context *context; /* options, metrics, arrow, root and spec_id are not used */
    uint64_t target_file_size;
    int32_t attempt; /* that the files are for */
} frz_vector_files;

/* Writes all vectors; `out` has room for `count` entries. */
FRZ_MUST_CHECK frz_status frz_vector_files_write(const frz_vector_files *files,
                                                 const frz_new_vector *vectors, size_t count,
                                                 frz_data_file *out, frz_error **err);

#endif
