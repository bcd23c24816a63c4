/*
 * Copy-on-write: the rows of data files that an operation leaves, written to new files. On tables
 * with row lineage every row keeps its _row_id and _last_updated_sequence_number as stored columns
 * (spec "Row lineage assignment", rules 1 and 3).
 */
#ifndef FRZ_WRITE_REWRITE_H
#define FRZ_WRITE_REWRITE_H

#include "write/row_delete.h"
#include "write/row_writer.h"

/* Writes the rows that stay of all targets that do not go whole. Uses the table as it was
 * evaluated; `writer` is open with lineage. */
FRZ_MUST_CHECK frz_status frz_rewrite_targets(const frz_row_delete *deletion,
                                              frz_transaction *transaction, frz_row_writer *writer,
                                              frz_error **err);

#endif
