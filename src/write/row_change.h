/*
 * One commit that takes rows out of their data files and may bring others in: what delete, update,
 * merge and overwrite have in common, from the version they read to the change they commit.
 *
 *   open -> start -> the operation adds targets to `rows` and files to `added`
 *        -> seal (rewrites, position deletes) -> commit -> close
 *
 * What leaves a file: whole files by a DELETED entry together with the deletes that are theirs
 * alone; single rows by a deletion vector (V3), which takes over everything older in the same
 * commit (spec "Deletion Vectors": at most one per data file), by position deletes (V2), or with
 * copy-on-write by files of the rows that stay.
 */
#ifndef FRZ_WRITE_ROW_CHANGE_H
#define FRZ_WRITE_ROW_CHANGE_H

#include "write/row_delete.h"
#include "write/row_writer.h"

/* What an operation is called, and how it stands to the commits of others. */
typedef struct frz_row_verb {
    const char *name;          /* of write.<name>.mode and write.<name>.isolation-level */
    const char *doing;         /* opens its messages: "delete from" */
    frz_renewal merge_on_read; /* what its targets must be in a later attempt */
    frz_renewal copy_on_write;
    bool overwrites; /* the operation is "overwrite" whatever its rows replaced */
    bool takes_all;  /* all rows go, by whole files: no column of the table matters */
} frz_row_verb;

/* The vector of one target as it was last written. */
typedef struct frz_target_vector {
    frz_bitmap *positions; /* all that are deleted; owned; NULL: none yet */
    frz_data_file entry;   /* in the transaction's arena */
    frz_data_file before;  /* one of the same positions, of the file by its name before; no path:
                              none */
} frz_target_vector;

/* All zero is closed. It must not move while it is open. */
typedef struct frz_row_change {
    const frz_row_verb *verb;
    frz_transaction transaction;
    frz_metadata *base; /* a reference: the version that was read */
    frz_row_delete rows;
    bool copy_on_write;
    bool replaces_partitions; /* Java's ReplacePartitions, as far as whole files alone go */
    frz_row_writer writer;    /* of rows that come in or are rewritten; open where it is needed */
    const frz_data_file *added;
    size_t added_count;
    frz_write_properties properties;
    frz_data_file *position_files; /* V2: one per target with positions, or fewer */
    size_t position_file_count;
    frz_target_vector *vectors;        /* V3: one per target; NULL before the first attempt */
    size_t vector_count;               /* of those */
    int32_t vector_file_count;         /* names given out, over all attempts */
    const frz_data_file *made_deletes; /* delete files that the operation made itself: in every
                                          attempt the same */
    size_t made_delete_count;
    /* What must hold of the table that an attempt replaces; NULL: nothing more.
     * `check_self` lives as long as the change, in the transaction's arena. */
    frz_status (*check)(void *self, frz_transaction *transaction, const frz_snapshot *parent,
                        frz_error **err);
    void *check_self;
    struct frz_row_change
        *kept; /* where it goes when it outlives its call; NULL where it does not */
} frz_row_change;

/* Opens the transaction and chooses between merge-on-read and copy-on-write. Ends with
 * frz_row_change_close, whatever it returned. */
FRZ_MUST_CHECK frz_status frz_row_change_open(frz_row_change *self, const frz_row_verb *verb,
                                              frz_table *table, frz_delete_mode mode,
                                              const frz_write_options *options, frz_error **err);

/* Whether it was committed before under the same idempotency key: nothing is to be done but
 * frz_row_change_commit. */
bool frz_row_change_is_done(const frz_row_change *self);

/* Takes the current version of the table as the one that is read. */
FRZ_MUST_CHECK frz_status frz_row_change_start(frz_row_change *self, frz_error **err);

/* Opens the writer, when it is not open yet. */
FRZ_MUST_CHECK frz_status frz_row_change_open_writer(frz_row_change *self, frz_error **err);

/* For delete files of the operation's own: their entries live in `arena`. */
frz_file_context frz_row_change_delete_files(frz_row_change *self, frz_arena *arena);

/* All targets are known: rows that stay are rewritten, positions are written, files finished. */
FRZ_MUST_CHECK frz_status frz_row_change_seal(frz_row_change *self, frz_error **err);

FRZ_MUST_CHECK frz_status frz_row_change_commit(frz_row_change *self, frz_commit **out,
                                                frz_error **err);

/* Returns `status` with what was being done in front of the message. */
frz_status frz_row_change_close(frz_row_change *self, frz_status status, frz_error **err);

#endif
