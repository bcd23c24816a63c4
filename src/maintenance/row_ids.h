/*
 * Row ids of rows (spec "Row Lineage": an id is of one row of a snapshot). Files that hold none
 * give their rows consecutive ids, which the ledger compares. Rows that were carried to another
 * file, by an update or a compaction, hold their ids there; the row that they were before must not
 * be live any more. That takes deletes into account, so each snapshot is looked at on its own:
 * those that the references are at.
 *
 * Memory: the ids of the rows of files that hold some, as a bitmap with a cap, above which ids are
 * looked at range by range and these files read several times; and the plan of one scan.
 */
#ifndef FRZ_MAINTENANCE_ROW_IDS_H
#define FRZ_MAINTENANCE_ROW_IDS_H

#include "maintenance/verification.h"

/* `with_row_ids` has the ledger keys of the data files that hold row ids. */
FRZ_MUST_CHECK frz_status frz_verify_row_ids(frz_verification *self, const frz_map *with_row_ids,
                                             frz_error **err);

#endif
