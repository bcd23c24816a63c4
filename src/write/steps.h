/*
 * The operations of a transaction (frazil/transaction.h), kept from the time each was staged until
 * all are committed: what it takes to make an operation again on another version, and the files
 * that are its own.
 *
 *   open -> an operation is admitted (frz_steps_admit), staged, and kept (frz_transaction_end)
 *        -> replayed, as often as the base changes
 *        -> settled: committed (files of lost attempts go), dropped (all files go), or unknown
 * (none)
 */
#ifndef FRZ_WRITE_STEPS_H
#define FRZ_WRITE_STEPS_H

#include "catalog/stage.h"
#include "write/first_names.h"
#include "write/given_lineage.h"
#include "write/transaction.h"

/* One operation. Its context, on the heap, holds its frz_transaction. */
typedef struct frz_staged_step {
    frz_transaction *transaction; /* NULL: it cannot be made again */
    void *context;
    frz_transaction_release release;
    frz_own_files own; /* of one that cannot be made again */
    int64_t snapshot_id;
    const char *name; /* for messages; NULL: none */
    bool observes;    /* it changes nothing: replayed for what it read to be validated */
} frz_staged_step;

typedef struct frz_steps {
    frz_stage stage;  /* first: the transaction's catalog finds its operations by it */
    frz_table *table; /* on the catalog where all is committed; owned */
    frz_staged_step *items;
    size_t count;
    size_t capacity;
    frz_arena arena;           /* of names of operations */
    const char *name;          /* of those from now on; NULL: none */
    size_t observing;          /* so many of them change nothing */
    int32_t attempt;           /* of the operations as they were last made */
    frz_given_lineage lineage; /* that the operations gave out on the base before */
    frz_first_names names;     /* of files that were written again */
} frz_steps;

/* NULL where the table is in no transaction. */
frz_steps *frz_steps_of(const frz_table *table);

/* Before an operation starts: makes room for it. FRZ_INVALID when the transaction has ended. */
FRZ_MUST_CHECK frz_status frz_steps_admit(frz_steps *steps, frz_error **err);

/* Keeps an operation that was staged; its options, of which it has copies, no longer are the
 * caller's. */
void frz_steps_keep(frz_steps *steps, frz_transaction *transaction, void *context,
                    frz_transaction_release release);

/* Takes over the files of one that cannot be made again. */
void frz_steps_keep_files(frz_steps *steps, frz_transaction *transaction);

/* Before the stage is set back to `next`: remembers the row ids and sequence numbers that were
 * given out on the base so far, where a file of the transaction states some that will change. */
FRZ_MUST_CHECK frz_status frz_steps_leave_base(frz_steps *steps, const frz_metadata *next,
                                               frz_error **err);

/* Makes all again on the base of the stage, at which `table` stands. FRZ_CONFLICT when one cannot
 * be.
 */
FRZ_MUST_CHECK frz_status frz_steps_replay(frz_steps *steps, frz_table *table,
                                           const bool *cancelled, frz_error **err);

/*
 * Forgets the operations, and returns `outcome`. When that is FRZ_OK, files of attempts other than
 * the one in `committed` go; when it is FRZ_UNKNOWN_STATE, none; else all. Files that stay where
 * nothing was committed are added to the message.
 */
frz_status frz_steps_settle(frz_steps *steps, frz_status outcome, const frz_metadata *committed,
                            frz_error **err);

#endif
