/*
 * Reads one leaf column of one row group after another, forward only: pages to levels and values.
 * What they mean for lists and structs is assemble.h's business.
 */
#ifndef FRZ_PARQUET_COLUMN_H
#define FRZ_PARQUET_COLUMN_H

#include "parquet/file.h"
#include "parquet/levels.h"
#include "parquet/page.h"
#include "parquet/page_index.h"
#include "parquet/values.h"
#include "parquet/window.h"

enum { FRZ_PARQUET_LEVEL_BLOCK = 1024 };

/*
 * What is read of one leaf for one batch. Flat (no repetition, at most one definition level):
 * `values` has a slot per row, `validity` a bit per row when the definition level is 1. Otherwise:
 * an entry per pair of levels, and the values dense.
 */
typedef struct frz_parquet_leaf_batch {
    bool flat;
    const uint64_t *mask; /* flat, borrowed: which of the rows that are read stay; NULL: all */
    size_t mask_at;       /* bit of the next row */
    size_t rows;
    size_t null_count;   /* flat */
    frz_buffer validity; /* flat, definition level 1 */
    size_t entry_count;
    frz_buffer definition; /* a byte per entry */
    frz_buffer repetition; /* a byte per entry; empty when the column is not repeated */
    frz_parquet_values values;
} frz_parquet_leaf_batch;

void frz_parquet_leaf_batch_clear(frz_parquet_leaf_batch *batch);

typedef struct frz_parquet_column {
    frz_parquet_file *file; /* borrowed */
    const frz_parquet_node *leaf;
    frz_parquet_window window;
    frz_parquet_page_opener opener;
    frz_parquet_source source;
    bool flat;
    frz_buffer part_mask; /* scratch: the batch's mask for the rows of one page */

    /* The row group */
    const frz_parquet_row_group *group;  /* NULL before the first */
    const frz_parquet_page_index *index; /* borrowed; NULL: pages one after the other */
    int64_t row;                         /* next row of the group */
    int64_t values_left;  /* entries in pages not yet opened or passed over (without index) */
    size_t page_number;   /* next data page (with index) */
    uint64_t next_offset; /* of the next page (without index) */
    uint64_t chunk_end;
    const frz_parquet_row_range *ranges; /* rows that will be wanted; borrowed; NULL: all */
    size_t range_count;

    /* The open page */
    uint64_t page_offset;
    size_t page_entries;  /* entries left */
    bool page_starts_row; /* its first entry must begin a row */
    frz_parquet_levels definition;
    frz_parquet_levels repetition;

    /* Levels decoded ahead, of nested columns */
    uint8_t definition_block[FRZ_PARQUET_LEVEL_BLOCK];
    uint8_t repetition_block[FRZ_PARQUET_LEVEL_BLOCK];
    size_t block_at;
    size_t block_size;
} frz_parquet_column;

/* FRZ_UNSUPPORTED for a type that Arrow cannot hold. Clear also after failure. */
FRZ_MUST_CHECK frz_status frz_parquet_column_init(frz_parquet_column *column,
                                                  frz_parquet_file *file,
                                                  const frz_parquet_node *leaf, frz_error **err);
void frz_parquet_column_clear(frz_parquet_column *column);

/* Goes to the start of a row group. `index` (borrowed, may be NULL) has locations. */
FRZ_MUST_CHECK frz_status frz_parquet_column_begin(frz_parquet_column *column,
                                                   const frz_parquet_row_group *group,
                                                   const frz_parquet_page_index *index,
                                                   frz_error **err);

/* Passes over rows; pages in which nothing else is wanted are not opened. */
FRZ_MUST_CHECK frz_status frz_parquet_column_skip(frz_parquet_column *column, int64_t rows,
                                                  frz_error **err);

/* Appends rows. */
FRZ_MUST_CHECK frz_status frz_parquet_column_read(frz_parquet_column *column, int64_t rows,
                                                  frz_parquet_leaf_batch *batch, frz_error **err);

#endif
