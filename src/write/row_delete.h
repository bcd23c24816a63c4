/*
 * Which rows a delete hits: the plan of its filter, and per data file whether it goes whole, by
 * metadata alone, or which positions in it are to be deleted.
 */
#ifndef FRZ_WRITE_ROW_DELETE_H
#define FRZ_WRITE_ROW_DELETE_H

#include "base/map.h"
#include "puffin/bitmap.h"
#include "scan/plan.h"
#include "write/transaction.h"

/* One data file that the delete hits. */
typedef struct frz_delete_target {
    frz_slice path; /* in the arena of the targets */
    bool whole;     /* every row matches, proven by metadata */
    frz_bitmap
        *positions; /* owned: rows that match and were live when evaluated; NULL when whole */
    const frz_scan_task *task; /* in the latest plan */
    const char *deletes_seen;  /* its delete files when evaluated, as text to compare */
} frz_delete_target;

/* The rows, evaluated once; the plan is renewed when the table has moved on. */
typedef struct frz_row_delete {
    const char *where; /* borrowed */
    const frz_write_options *options;
    frz_arena arena;
    frz_scan *scan;             /* of `where`, giving _pos */
    frz_plan *plan;             /* latest */
    char *planned_at;           /* the metadata location it is for */
    frz_delete_target *targets; /* heap */
    size_t target_count;
    size_t target_capacity;
    frz_map planned;   /* paths of all tasks of the first plan */
    bool serializable; /* new files that may match are a conflict */
} frz_row_delete;

/* Plans and evaluates on the table as it stands. */
FRZ_MUST_CHECK frz_status frz_row_delete_evaluate(frz_row_delete *self,
                                                  const frz_transaction *transaction,
                                                  frz_error **err);

/*
 * Brings plan and tasks up to the table of this attempt. FRZ_CONFLICT when a target is no longer
 * live, when another commit added files that may match (serializable isolation), or, with `frozen`,
 * when rows of a target were deleted meanwhile.
 */
FRZ_MUST_CHECK frz_status frz_row_delete_renew(frz_row_delete *self,
                                               const frz_transaction *transaction, bool frozen,
                                               frz_error **err);

void frz_row_delete_clear(frz_row_delete *self);

/* The selector of the branch a transaction writes to: the branch where it exists, else the current
 * snapshot. */
void frz_transaction_selector(const frz_transaction *transaction, frz_snapshot_selector *out);

#endif
