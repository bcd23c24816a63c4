/*
 * Opens a Parquet file: the footer, the schema as a tree, and what each row group holds. The way of
 * a read is file.h -> field_reader.h -> column chunks -> pages -> encodings.
 *
 * Knows Parquet and Arrow, and no Iceberg word: field ids are just numbers here.
 *
 * Thread rule: an open file may be read by several threads; each has its own field readers.
 */
#ifndef FRZ_PARQUET_FILE_H
#define FRZ_PARQUET_FILE_H

#include "base/limits.h"
#include "frazil/arrow.h"
#include "frazil/extend/io.h"
#include "parquet/metadata.h"

typedef struct frz_parquet_file frz_parquet_file;

typedef struct frz_parquet_row_range {
    int64_t start; /* first row, an ordinal in the file */
    int64_t count;
} frz_parquet_row_range;

/* Borrows `input`, which must outlive the file. `limits` NULL = defaults. FRZ_CORRUPT or
 * FRZ_UNSUPPORTED (encrypted footer, named) when it is no file we read. */
FRZ_MUST_CHECK frz_status frz_parquet_file_open(frz_input *input, const frz_limits *limits,
                                                frz_parquet_file **out, frz_error **err);
/* Accepts NULL. Does not close the input. */
void frz_parquet_file_close(frz_parquet_file *file);

const frz_parquet_metadata *frz_parquet_file_metadata(const frz_parquet_file *file);

/*
 * The schema as it may still be changed after opening: field ids for a file that has none. Nothing
 * else of it, and not once a reader is open.
 */
frz_parquet_node *frz_parquet_file_root(frz_parquet_file *file);

/* What the file reads from, and the limits that it keeps. */
frz_input *frz_parquet_file_input(const frz_parquet_file *file);
const frz_limits *frz_parquet_file_limits(const frz_parquet_file *file);

/*
 * The Arrow type of one node and what is below it, restricted to leaves with leaf_selected[i] (NULL
 * = all), with field ids in the metadata. Legacy list and map forms come out as Arrow lists and
 * maps. A map of which any leaf is selected is whole. FRZ_INVALID when no leaf is selected;
 * FRZ_UNSUPPORTED for a type that Arrow cannot hold, named.
 */
FRZ_MUST_CHECK frz_status frz_parquet_node_arrow(const frz_parquet_file *file,
                                                 const frz_parquet_node *node,
                                                 const bool *leaf_selected, struct ArrowSchema *out,
                                                 frz_error **err);

#endif
