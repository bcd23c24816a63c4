/*
 * Rows into data files: routed by partition, rolled at the target size, sorted as the table asks.
 *
 * Rows of many partitions may come in any order. The first open_files_max partitions have a file
 * open each; the rows of the others wait in a sorter, as do all rows of a table with a sort order
 * (write/row_sorter.h), and are written partition by partition in the end. So there are neither
 * more open files than that nor tiny ones, whatever the order, and a file whose sort_order_id is
 * set is sorted as a whole; the files of one partition have ranges that do not overlap.
 *
 * Who wants to know where rows went cannot wait: there the file that was used longest ago is
 * finished when another one is needed.
 *
 * Files that are open side by side hold at most 192 MiB of memory: the largest of them is finished
 * first, and what its partition still gets waits.
 */
#ifndef FRZ_WRITE_DATA_WRITER_H
#define FRZ_WRITE_DATA_WRITER_H

#include "frazil/arrow.h"
#include "write/data_file.h"

typedef struct frz_data_writer frz_data_writer;

/* Rows of one batch that went to a file together. */
typedef struct frz_placed_rows {
    const char *location; /* of the file; the same pointer for all its rows */
    int64_t position;     /* of the first of them in the file; the others follow */
    const int64_t *rows;  /* their numbers in a piece of the batch; NULL: from 0 on */
    int64_t start;        /* of the piece in the batch */
    int64_t count;
} frz_placed_rows;

/* Who wants to know where rows went, once they were written. */
typedef struct frz_row_placement {
    void (*placed)(void *self, const frz_placed_rows *rows);
    void *self;
} frz_row_placement;

typedef struct frz_data_writer_options {
    frz_file_context files;     /* copied; files.spec_id is the spec that rows are routed by */
    const frz_type *root;       /* the struct that batches hold, for partition and sort sources */
    const frz_sort_order *sort; /* NULL or without fields: rows stay in the order they come */
    const frz_row_placement *placement; /* NULL, or of rows that are not sorted */
    uint64_t target_file_size;
    int32_t open_files_max; /* 0 = 100 */
    uint64_t sort_memory;   /* bytes of rows that wait in memory; 0 = 128 MiB */
    frz_io *spill_io;       /* of what waits in files; NULL: files without names in spill_folder */
    const char *spill_folder; /* NULL = TMPDIR, else /tmp; borrowed */
    const bool *cancelled;    /* may be NULL */
} frz_data_writer_options;

FRZ_MUST_CHECK frz_status frz_data_writer_new(const frz_data_writer_options *options,
                                              frz_data_writer **out, frz_error **err);
/* Reads `batch`: a struct array of ours in the layout of options.root. */
FRZ_MUST_CHECK frz_status frz_data_writer_write(frz_data_writer *self, struct ArrowArray *batch,
                                                frz_error **err);
/* The tuples of the spec that rows have gone to so far, in the context's arena. */
FRZ_MUST_CHECK frz_status frz_data_writer_partitions(frz_data_writer *self,
                                                     const frz_value *const **out,
                                                     size_t *count_out, frz_error **err);
/* Finishes every file. The entries live in the context's arena. */
FRZ_MUST_CHECK frz_status frz_data_writer_finish(frz_data_writer *self, const frz_data_file **out,
                                                 size_t *count_out, frz_error **err);
/* Accepts NULL; aborts what is open. */
void frz_data_writer_free(frz_data_writer *self);

#endif
