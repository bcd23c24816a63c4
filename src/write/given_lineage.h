/*
 * Row ids and sequence numbers that the operations of a transaction gave out (write/steps.h).
 *
 * Each operation is a snapshot, and stays one of the table's history: what a later one moves keeps
 * the id that an earlier one gave it (spec "Row lineage assignment", rule 1), and states it in its
 * new file. But both are settled only when the commit is ("Snapshot Row IDs": assigned anew on each
 * attempt). So when the operations are made again on another base, files that state such ids are
 * written again (write/restate.h) with what this here says the ids have become.
 */
#ifndef FRZ_WRITE_GIVEN_LINEAGE_H
#define FRZ_WRITE_GIVEN_LINEAGE_H

#include "write/first_names.h"
#include "write/transaction.h"

/* The ids of one file's rows, given by one operation. */
typedef struct frz_given_ids {
    size_t step;    /* the operation */
    frz_slice path; /* first name of the file */
    int64_t was;    /* first_row_id, on the base before */
    int64_t now;    /* on this one; -1: the operation was not made again yet */
    int64_t count;
} frz_given_ids;

typedef struct frz_given_number {
    size_t step;
    int64_t was;
    int64_t now; /* -1: as above */
} frz_given_number;

/* All zero is valid: nothing was given out. */
typedef struct frz_given_lineage {
    frz_arena arena;
    int64_t next_row_id; /* of the base before: ids from here on were given by the transaction */
    int64_t last_sequence_number; /* likewise */
    bool ids_moved;               /* the two bases differ in it */
    bool numbers_moved;
    frz_given_ids *ids; /* ascending by `was`; heap */
    size_t id_count;
    size_t id_capacity;
    frz_given_number *numbers; /* ascending by `was`; heap */
    size_t number_count;
    size_t number_capacity;
} frz_given_lineage;

/* Starts with what holds of the bases, and nothing given out yet. */
void frz_given_lineage_start(frz_given_lineage *self, const frz_metadata *before,
                             const frz_metadata *now);

/* Whether files of the operation state what is no longer so. */
bool frz_given_lineage_concerns(const frz_given_lineage *self, const frz_transaction *operation);

/* What an operation gave out: its snapshot in `metadata`, of the base before. Operations come in
 * the order of their snapshots. `table` is where to read. */
FRZ_MUST_CHECK frz_status frz_given_lineage_note(frz_given_lineage *self, size_t step,
                                                 const frz_table *table,
                                                 const frz_metadata *metadata,
                                                 const frz_snapshot *snapshot,
                                                 const frz_first_names *names, frz_error **err);

/* What it gives out now, on the base of this attempt, at which `table` stands. */
FRZ_MUST_CHECK frz_status frz_given_lineage_renew(frz_given_lineage *self, size_t step,
                                                  const frz_table *table,
                                                  const frz_snapshot *snapshot,
                                                  const frz_first_names *names, frz_error **err);

/* What a row id, or a sequence number, has become; itself when the transaction did not give it
 * out. False when that is not known. */
bool frz_given_lineage_row_id(const frz_given_lineage *self, int64_t was, int64_t *out);
bool frz_given_lineage_number(const frz_given_lineage *self, int64_t was, int64_t *out);

void frz_given_lineage_clear(frz_given_lineage *self);

#endif
