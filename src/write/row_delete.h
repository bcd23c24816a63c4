/*
 * Which rows a delete, an update or a merge takes out of their files: the plan of its filter, and
 * per data file whether it goes whole, or which positions in it are to be deleted.
 */
#ifndef FRZ_WRITE_ROW_DELETE_H
#define FRZ_WRITE_ROW_DELETE_H

#include "base/map.h"
#include "puffin/bitmap.h"
#include "scan/plan.h"
#include "write/first_names.h"
#include "write/transaction.h"

/* One data file that the operation hits. */
typedef struct frz_delete_target {
    frz_slice path; /* first name; in the arena of the targets */
    bool whole;     /* every live row goes */
    frz_bitmap
        *positions; /* owned: rows that match and were live when evaluated; NULL when whole */
    bool
        gone; /* another commit took the file: of the table of this attempt nothing is to be done */
    const frz_scan_task *task; /* in the latest plan; NULL: gone */
    const char *deletes_seen;  /* its delete files when evaluated, as text to compare */
} frz_delete_target;

/* What a target must be when another commit came in between (Java: validate* of RowDelta and
 * OverwriteFiles). */
typedef enum frz_renewal {
    /* Live or gone; rows that others deleted stay deleted. Under snapshot isolation no other may
     * have put something else in the place of one: the first of two writers of a row wins.
     * (Serializable: what was put there is a new file.) */
    FRZ_RENEW_UNITE,
    /* The same, and live: other rows come with those that go. */
    FRZ_RENEW_LIVE,
    /* Live; where rows are kept in a new file, no others may have gone. */
    FRZ_RENEW_FROZEN,
    /* Live; no row may have gone, as new rows stand for the old ones. */
    FRZ_RENEW_REPLACED,
    /* Every file that is live goes whole. Under snapshot isolation those that were, as with
     * FRZ_RENEW_UNITE. */
    FRZ_RENEW_ANEW
} frz_renewal;

enum { FRZ_ROW_SELECT_MAX = 64 };

/* The rows, evaluated once; the plan is renewed when the table has moved on. */
typedef struct frz_row_delete {
    const char *where;         /* borrowed; NULL: all rows */
    const char *verb;          /* "delete", "update", "merge": of write.<verb>.isolation-level */
    const char *const *select; /* borrowed; NULL: _pos alone */
    size_t select_count;
    const frz_write_options *options;
    const frz_first_names *names; /* of files of the transaction it is in, by which files are told;
                                     NULL: none */
    frz_arena arena;
    frz_scan *scan;             /* of `where`, giving the selected columns */
    frz_plan *plan;             /* latest */
    char *planned_at;           /* the metadata location it is for */
    frz_delete_target *targets; /* heap */
    size_t target_count;
    size_t target_capacity;
    size_t gone_count;        /* of targets */
    frz_map planned;          /* paths of all tasks of the first plan */
    int64_t read_snapshot_id; /* which that was for; FRZ_NO_SNAPSHOT: none */
    bool serializable;        /* new files that may match are a conflict */
    /* Whether one that the filter does not exclude may; NULL: it may. */
    frz_status (*concerns)(void *self, const frz_scan_task *task, bool *out, frz_error **err);
    void *concerns_self;
    void (*concerns_free)(void *self); /* NULL: it is not owned */
} frz_row_delete;

/* Plans on the table as it stands. */
FRZ_MUST_CHECK frz_status frz_row_delete_plan(frz_row_delete *self,
                                              const frz_transaction *transaction, frz_error **err);

/* Plans and evaluates; the scan gives _pos alone. */
FRZ_MUST_CHECK frz_status frz_row_delete_evaluate(frz_row_delete *self,
                                                  const frz_transaction *transaction,
                                                  frz_error **err);

/* Makes the file of a task a target. Takes `positions` (NULL: the whole file goes), also on
 * failure; nothing happens when there are none. */
FRZ_MUST_CHECK frz_status frz_row_delete_add(frz_row_delete *self, const frz_scan_task *task,
                                             frz_bitmap *positions, frz_error **err);

/* As frz_row_delete_add, and the file goes whole when no other row of it is live, as far as is
 * known without reading rows: those that equality deletes hit count as live. */
FRZ_MUST_CHECK frz_status frz_row_delete_add_rows(frz_row_delete *self, const frz_scan_task *task,
                                                  frz_bitmap *positions, frz_error **err);

/* Whether some target keeps rows. */
bool frz_row_delete_has_parts(const frz_row_delete *self);

/*
 * Brings plan and tasks up to the table of this attempt. FRZ_CONFLICT when a target is no longer as
 * it must be, or when another commit added files that may match (serializable isolation).
 *
 * A file that went needs no deleting again where rows may go and none is kept of it: its rows are
 * in no file that may match, which serializable isolation has looked for; under snapshot isolation
 * only where all that others did was to append and to delete.
 */
FRZ_MUST_CHECK frz_status frz_row_delete_renew(frz_row_delete *self,
                                               const frz_transaction *transaction, frz_renewal how,
                                               frz_error **err);

/*
 * For an operation that outlives its call: takes copies of what was borrowed (keep, before the
 * commit) and lets go of the plan, which holds the table's catalog (rest, after it). The next
 * renewal plans anew.
 */
FRZ_MUST_CHECK frz_status frz_row_delete_keep(frz_row_delete *self, frz_error **err);
void frz_row_delete_rest(frz_row_delete *self);

void frz_row_delete_clear(frz_row_delete *self);

/* The selector of the branch a transaction writes to: the branch where it exists, else the current
 * snapshot. */
void frz_transaction_selector(const frz_transaction *transaction, frz_snapshot_selector *out);

#endif
