/*
 * Transactions: several operations on one table committed as one, by one swap of the catalog
 * pointer. frz_table_begin gives a handle on which every verb of frazil/write.h and frazil/alter.h
 * works as on any other, and whose scans see what was done before; nobody else sees it until
 * frz_table_commit.
 *
 * Each operation that changes rows is a snapshot of its own, whose parent is the one before; the
 * versions in between were never current and are left out of the snapshot log (spec "Table Metadata
 * Fields", snapshot-log). An operation that fails leaves the transaction as it was before.
 *
 * Thread rule: one thread at a time for all handles and scans of one transaction. It needs its
 * catalog's storage until the last of them is freed.
 */
#ifndef FRZ_TRANSACTION_H
#define FRZ_TRANSACTION_H

#include <stddef.h>

#include "frazil/error.h"
#include "frazil/table.h"
#include "frazil/write.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Begins a transaction on the version of the table that the catalog holds now; `table` itself stays
 * where it is and may be freed. The transaction ends with frz_table_commit or frz_table_rollback,
 * and is rolled back when the last handle and scan of it is freed before that. FRZ_INVALID for a
 * table without catalog, or one that is in a transaction already.
 */
FRZ_API FRZ_MUST_CHECK frz_status frz_table_begin(const frz_table *table, frz_table **out,
                                                  frz_error **err);

/* Another handle on the table, at its current version: of a transaction, as staged by now. */
FRZ_API FRZ_MUST_CHECK frz_status frz_table_reopen(const frz_table *table, frz_table **out,
                                                   frz_error **err);

/*
 * What operations of this handle's transaction are called from now on where a message speaks of one
 * ("operation 2 of 5 (NAME)"): a line of a script, a step of a job. Copied; NULL: nothing more than
 * their number. FRZ_INVALID outside of a transaction.
 */
FRZ_API FRZ_MUST_CHECK frz_status frz_table_name_operations(frz_table *staged, const char *name,
                                                            frz_error **err);

/* Operations that the transaction of this handle would commit; those that changed nothing are not
 * counted. */
FRZ_API size_t frz_table_staged_count(const frz_table *staged);

/* What a transaction committed. Free with frz_transaction_report_free. */
typedef struct frz_transaction_report {
    bool committed;                      /* false: there was nothing to commit */
    const frz_commit *const *operations; /* in the order made; `operation` is NULL for one that made
                                            no snapshot (alterations, a branch that was moved) */
    size_t operation_count;
} frz_transaction_report;
/* Accepts NULL. */
FRZ_API void frz_transaction_report_free(frz_transaction_report *report);

/*
 * Commits. When others committed meanwhile, every operation is made again on their version, each
 * under its own rules: appends keep their files, deletes and updates are validated as their
 * isolation level says, alterations by what they are based on; commit.retry.* says how often.
 * Outcomes as in frazil/write.h: FRZ_CONFLICT names the operation that can no longer be made. The
 * transaction has ended whatever the outcome: unless it is FRZ_OK or FRZ_UNKNOWN_STATE, all files
 * of the transaction were removed. After FRZ_OK the handle stands at the new version, and can be
 * read.
 *
 * With row lineage, rows that the transaction itself added and then moved to another file keep the
 * ids that it gave them (spec "Row Lineage"), which only the commit settles: when others gave out
 * row ids meanwhile, those files are written again. An operation that found no row is validated as
 * any other, where another one is to be committed. Of `options` (may be NULL) `cancelled`
 * counts. `out` may be NULL.
 */
FRZ_API FRZ_MUST_CHECK frz_status frz_table_commit(frz_table *staged,
                                                   const frz_write_options *options,
                                                   frz_transaction_report **out, frz_error **err);

/* Ends the transaction and removes every file that it made; nothing happens when it has ended. The
 * handle stands at the version it began with, and can be read. */
FRZ_API void frz_table_rollback(frz_table *staged);

#ifdef __cplusplus
}
#endif

#endif
