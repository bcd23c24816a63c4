/*
 * Makes Arrow arrays of a node, with lists and structs of any nesting, out of levels and values of
 * its leaves (parquet-format README, "Nested Encoding").
 */
#ifndef FRZ_PARQUET_ASSEMBLE_H
#define FRZ_PARQUET_ASSEMBLE_H

#include "parquet/column.h"

/* One leaf of the node: what was read, and where from. */
typedef struct frz_parquet_leaf_part {
    frz_parquet_column *column;
    frz_parquet_leaf_batch batch;
} frz_parquet_leaf_part;

/* Whether a leaf of `node` is selected (NULL = all). */
bool frz_parquet_node_selected(const frz_parquet_node *node, const bool *leaf_selected);

/* The selection that holds among the children of `node`: a map is read whole. */
const bool *frz_parquet_child_selection(const frz_parquet_node *node, const bool *leaf_selected);

/*
 * `parts` are those of the selected leaves of `node`, in their order, all with `rows` rows; their
 * buffers move into *out. FRZ_CORRUPT when the leaves disagree about the lengths of lists.
 */
FRZ_MUST_CHECK frz_status frz_parquet_assemble(const frz_parquet_node *node,
                                               const bool *leaf_selected,
                                               frz_parquet_leaf_part *parts, int64_t rows,
                                               struct ArrowArray *out, frz_error **err);

#endif
