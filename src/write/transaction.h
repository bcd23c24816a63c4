/*
 * A transaction: one snapshot on one branch, from the first file it writes to the swap of the
 * catalog pointer. write/transaction.c has the invariants and the states.
 */
#ifndef FRZ_WRITE_TRANSACTION_H
#define FRZ_WRITE_TRANSACTION_H

#include "base/uuid.h"
#include "catalog/table.h"
#include "frazil/write.h"
#include "spec/manifest.h"
#include "spec/update.h"
#include "write/own_files.h"

/* A file that leaves the table. */
typedef struct frz_removed_file {
    frz_slice path;
    int64_t content_offset; /* of a deletion vector; -1 otherwise */
    bool deletes;           /* a delete file */
    bool found;             /* set when its entry was met in a manifest */
} frz_removed_file;

/* What one attempt changes on top of the branch as it then stands. Borrowed until the attempt has
 * ended. Without operation and builder there is nothing to commit. */
typedef struct frz_change {
    const char *operation;         /* append, overwrite, delete; NULL: no snapshot */
    frz_metadata_builder *builder; /* over the table's metadata, with other updates that go into the
                                      same version; taken. NULL: none */
    bool replaces_partitions;      /* the summary says so: it can be cherry-picked */
    const frz_data_file *added_data;
    size_t added_data_count;
    const frz_data_file *added_deletes;
    size_t added_delete_count;
    frz_removed_file *removed;
    size_t removed_count;
    bool brings_files; /* of added_data, which this transaction did not write: none may be live */
    const char *const *removed_manifests; /* the data manifests that list removed data files */
    size_t removed_manifest_count;
} frz_change;

/* Manifests of added data files: the same in every attempt, as long as the format version is. */
typedef struct frz_new_manifests {
    frz_manifest_file *files;
    size_t count;
    int32_t format_version; /* 0: not written yet */
} frz_new_manifests;

typedef struct frz_transaction frz_transaction;

/*
 * Gives the change on top of `parent` (NULL: the branch is empty); transaction->table stands at the
 * version it is for. FRZ_CONFLICT ends the transaction: what it wants can no longer be done.
 */
typedef frz_status (*frz_transaction_prepare)(void *self, frz_transaction *transaction,
                                              const frz_snapshot *parent, frz_change *out,
                                              frz_error **err);

/* Frees the context of an operation, which ends with frz_transaction_close. */
typedef void (*frz_transaction_release)(void *context);

struct frz_transaction {
    frz_table *table; /* refreshed by each attempt; moved to the new version at the end */
    const frz_write_options *options; /* never NULL */
    frz_arena arena;                  /* lives as long as the transaction */
    frz_arena attempt_arena;          /* cleared when an attempt starts */
    frz_own_files own;
    char uuid[FRZ_UUID_TEXT_SIZE]; /* of the commit: part of all names it makes */
    int64_t snapshot_id;           /* the same in every attempt: how a lost commit is recognised */
    int32_t attempt;
    int32_t manifest_count; /* names given out */
    frz_new_manifests new_data;
    frz_commit *known; /* what was committed under the same idempotency key before; NULL: nothing */
    frz_write_options kept_options; /* copies, for an operation that outlives its call */
    frz_transaction_prepare prepare;
    bool mends;  /* it changes what may be wrong: retries go by default where commit.retry.* cannot
                    be read */
    bool staged; /* its commit was one to a stage (catalog/stage.h) */
    bool observes; /* on a stage: it changed nothing, as what it read says; that must stay so */
    /* The highest values of lineage that rows of its files state; -1: none. */
    int64_t stated_row_id;
    int64_t stated_sequence_number;
};

/* FRZ_INVALID for a table that no catalog holds. */
FRZ_MUST_CHECK frz_status frz_transaction_open(frz_table *table, const frz_write_options *options,
                                               frz_transaction *out, frz_error **err);

/* Looks back for a snapshot that was committed under the idempotency key of the options: with one,
 * self->known is what frz_transaction_commit gives, and there is nothing to prepare. */
FRZ_MUST_CHECK frz_status frz_transaction_look_back(frz_transaction *self, frz_error **err);

/* FRZ_CANCELLED when the caller asked to stop. */
FRZ_MUST_CHECK frz_status frz_transaction_check_cancelled(const frz_transaction *transaction,
                                                          frz_error **err);

/*
 * Attempts until one is committed or retries are used up. Whatever the outcome, the caller then
 * ends with frz_transaction_close. `out` may be NULL.
 */
FRZ_MUST_CHECK frz_status frz_transaction_commit(frz_transaction *self,
                                                 frz_transaction_prepare prepare, void *context,
                                                 frz_commit **out, frz_error **err);

/*
 * `outcome` is what the whole operation ended with, and what is returned. Unless it is FRZ_OK or
 * FRZ_UNKNOWN_STATE, its own files go. What stays where nothing was committed, since it cannot be
 * removed or since nobody knows the outcome, is added to the message.
 */
frz_status frz_transaction_end(frz_transaction *self, frz_status outcome, frz_error **err);
void frz_transaction_close(frz_transaction *self, frz_status outcome);

/*
 * The end of an operation whose `context`, on the heap, holds `self`: frz_transaction_end where it
 * was opened, and `release`; but one that was staged is kept until its transaction ends
 * (write/steps.h), to be made again where the base changes.
 */
frz_status frz_transaction_retire(frz_transaction *self, frz_status outcome, void *context,
                                  frz_transaction_release release, frz_error **err);

/* Adds to the message the files that stay although nothing was committed, or nobody knows whether.
 */
frz_status frz_transaction_tell_left(const frz_own_files *left, frz_status outcome,
                                     frz_error **err);

/* Makes one attempt more, on the version that self->table stands at. */
FRZ_MUST_CHECK frz_status frz_transaction_replay(frz_transaction *self, void *context,
                                                 frz_error **err);

#endif
