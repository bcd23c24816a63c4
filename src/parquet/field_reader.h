/*
 * Reads the values of one node (a column, with all that is nested in it) as Arrow arrays, row range
 * by row range, forward only.
 *
 * Positions are ordinals of rows in the file, whatever was skipped (design rule 2). Pages that no
 * row asked for touches are neither decompressed nor, where there is an offset index, read from
 * storage.
 *
 * Thread rule: one thread per reader.
 */
#ifndef FRZ_PARQUET_FIELD_READER_H
#define FRZ_PARQUET_FIELD_READER_H

#include "frazil/arrow.h"
#include "parquet/file.h"

typedef struct frz_parquet_field_reader frz_parquet_field_reader;

/*
 * `node` is a child of the root (or any struct field that is not below a list or map); leaves with
 * leaf_selected[leaf_index] false are left out (NULL = all). `ranges` (sorted, disjoint; NULL = all
 * rows) tells in advance which rows will be asked for, so that storage reads can be merged; it is
 * borrowed.
 */
FRZ_MUST_CHECK frz_status
frz_parquet_field_reader_open(frz_parquet_file *file, const frz_parquet_node *node,
                              const bool *leaf_selected, const frz_parquet_row_range *ranges,
                              size_t range_count, frz_parquet_field_reader **out, frz_error **err);
/* Accepts NULL. */
void frz_parquet_field_reader_close(frz_parquet_field_reader *reader);

/*
 * Rows [start, start + count), which lie in one row group; start is not before the end of the last
 * read. `mask` NULL gives all of them; else only rows whose bit is set (bit 0 = row `start`),
 * `selected` many. FRZ_CORRUPT messages name file offset, column path and what was expected.
 */
FRZ_MUST_CHECK frz_status frz_parquet_field_reader_read(frz_parquet_field_reader *reader,
                                                        int64_t start, int64_t count,
                                                        const uint64_t *mask, int64_t selected,
                                                        struct ArrowArray *out, frz_error **err);

#endif
