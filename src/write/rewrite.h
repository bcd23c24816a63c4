/*
 * Copy-on-write: the rows of data files that a delete leaves, written to new files. On tables with
 * row lineage every row keeps its _row_id and _last_updated_sequence_number as stored columns (spec
 * "Row lineage assignment").
 */
#ifndef FRZ_WRITE_REWRITE_H
#define FRZ_WRITE_REWRITE_H

#include "write/data_file.h"
#include "write/row_delete.h"

/* New files in the transaction's arena. Uses the table as it was evaluated. */
FRZ_MUST_CHECK frz_status frz_rewrite_targets(const frz_row_delete *deletion,
                                              frz_transaction *transaction,
                                              const frz_data_file **out, size_t *count_out,
                                              frz_error **err);

#endif
