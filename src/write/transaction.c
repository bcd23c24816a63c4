/*
 * What holds for every transaction (design rule 1, "Nothing is lost"):
 *
 *   1. Readers see a change only through one swap of the catalog pointer; until then nothing that
 * the table refers to was written over or removed.
 *   2. Every file that a new version refers to was flushed, closed and its folder synced, with the
 * results checked, before the swap.
 *   3. Each attempt starts from the version it will replace: parent, sequence number, row ids,
 * manifest list and summary are made anew; only files that do not depend on the base are used
 * again.
 *   4. The snapshot id is the same in every attempt. A base that holds it already is our own
 * commit, whose answer was lost: nothing is committed twice.
 *   5. Clean-up removes files that this transaction made, and none of those that a version which
 * may be current refers to. When the outcome is unknown nothing is removed.
 *
 * States, and what leads from one to the next:
 *
 *   open       frz_transaction_open; files of data are being written
 *   attempting frz_transaction_commit -> attempt
 *                 swap won, or own commit found     -> committed
 *                 another under our key found       -> committed, all own files removed
 *                 swap lost, retries left           -> wait, then attempting
 *                 swap lost, none left              -> failed (FRZ_CONFLICT)
 *                 validation failed, storage failed -> failed
 *                 answer lost                       -> unknown
 *   committed  files of lost attempts are removed, the table handle stands at the new version
 *   failed     frz_transaction_end removes all own files
 *   unknown    frz_transaction_end removes nothing (FRZ_UNKNOWN_STATE)
 */
#include "write/transaction.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/mem.h"
#include "catalog/catalog.h"
#include "spec/update.h"
#include "write/idempotency.h"
#include "write/options.h"
#include "write/producer.h"
#include "write/properties.h"
#include "write/result.h"
#include "write/steps.h"

static const frz_write_options default_options = FRZ_WRITE_OPTIONS_INIT;

static frz_status take_options(frz_transaction *self, const frz_write_options *given,
                               frz_error **err)
{
    frz_write_options *taken = frz_arena_alloc(&self->arena, sizeof *taken);
    if (!taken)
        return frz_fail_memory(err);
    FRZ_TRY(frz_write_options_take(given, taken, err));
    self->options = taken;
    return FRZ_OK;
}

/* To the transaction that the table is in, if any. */
static frz_status admit(frz_transaction *self, frz_error **err)
{
    frz_steps *steps = frz_steps_of(self->table);
    if (!steps)
        return FRZ_OK;
    FRZ_TRY(frz_steps_admit(steps, err));
    return frz_write_options_copy(self->options, &self->arena, &self->kept_options, err);
}

frz_status frz_transaction_open(frz_table *table, const frz_write_options *options,
                                frz_transaction *out, frz_error **err)
{
    if (!table->catalog)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "table %s was opened without a catalog and can only be read",
                        table->source ? table->source : table->metadata_location);
    *out = (frz_transaction){.table = table,
                             .options = &default_options,
                             .stated_row_id = -1,
                             .stated_sequence_number = -1};
    FRZ_TRY(take_options(out, options, err));
    FRZ_TRY(admit(out, err));
    const frz_uuid uuid = frz_uuid_random();
    frz_uuid_print(&uuid, out->uuid);
    out->snapshot_id = frz_random_i63();
    return FRZ_OK;
}

frz_status frz_transaction_check_cancelled(const frz_transaction *self, frz_error **err)
{
    const bool *cancelled = self->options->cancelled;
    if (cancelled && *(const volatile bool *)cancelled)
        return frz_fail(err, FRZ_CANCELLED, FRZ_NO_OFFSET,
                        "cancelled; nothing was committed to table %s", self->table->identifier);
    return FRZ_OK;
}

static const char *branch_of(const frz_transaction *self)
{
    return self->options->branch ? self->options->branch : "main";
}

/* A branch that does not exist starts at the current snapshot (Java's createBranch). */
static frz_status find_parent(const frz_transaction *self, const frz_snapshot **out,
                              frz_error **err)
{
    const frz_metadata *metadata = self->table->metadata;
    const char *branch = branch_of(self);
    const frz_snapshot_ref *ref = frz_metadata_find_ref(metadata, branch);
    *out = frz_metadata_current_snapshot(metadata);
    if (!ref)
        return FRZ_OK;
    if (ref->is_tag)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "%s is a tag: it cannot be written to",
                        branch);
    *out = frz_metadata_find_snapshot(metadata, ref->snapshot_id);
    return *out ? FRZ_OK
                : frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                           "branch %s names snapshot %" PRId64 ", which the metadata lacks", branch,
                           ref->snapshot_id);
}

frz_status frz_transaction_look_back(frz_transaction *self, frz_error **err)
{
    const frz_snapshot *parent = NULL;
    if (!self->options->idempotency_key)
        return FRZ_OK;
    FRZ_TRY(frz_table_refresh(self->table, err));
    FRZ_TRY(find_parent(self, &parent, err));
    const frz_snapshot *known = frz_idempotent_find(self->table->metadata, parent, self->options);
    if (!known)
        return FRZ_OK;
    FRZ_TRY(frz_commit_result_new(known, &self->known, err));
    self->known->already_committed = true;
    return FRZ_OK;
}

/* What the new version of the table is, and which metadata files its log no longer names. */
typedef struct next_version {
    frz_metadata *metadata;     /* a reference */
    const char *const *dropped; /* in it */
    size_t dropped_count;
    int64_t snapshot_id; /* of its new snapshot; FRZ_NO_SNAPSHOT when it has none */
} next_version;

/* The branch moves to the snapshot, unless that is only staged (write-audit-publish). */
static frz_status add_snapshot(const frz_transaction *self, const frz_snapshot *snapshot,
                               frz_metadata_builder *builder, frz_error **err)
{
    const frz_snapshot_ref *known = frz_metadata_find_ref(self->table->metadata, branch_of(self));
    frz_snapshot_ref ref = {.name = branch_of(self),
                            .min_snapshots_to_keep = -1,
                            .max_snapshot_age_ms = -1,
                            .max_ref_age_ms = -1};
    if (known)
        ref = *known; /* what it retains stays as it was set */
    ref.snapshot_id = snapshot->snapshot_id;
    FRZ_TRY(frz_update_add_snapshot(builder, snapshot, err));
    return self->options->wap_id ? FRZ_OK : frz_update_set_ref(builder, &ref, err);
}

/* NULL: the commit creates the table. */
static const char *base_location(const frz_transaction *self)
{
    return frz_table_is_new(self->table) ? NULL : self->table->metadata_location;
}

/* `snapshot` NULL: the change has none. */
static frz_status build_metadata(const frz_transaction *self, frz_change *change,
                                 const frz_snapshot *snapshot, next_version *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    const frz_metadata *base = self->table->metadata;
    frz_metadata_builder *builder = change->builder;
    const frz_stage *stage = frz_catalog_stage(self->table->catalog);
    const char *location = stage ? stage->base_location : base_location(self);
    change->builder = NULL;
    if (!builder)
        FRZ_TRY_DONE(frz_metadata_builder_new(base, base->format_version, &builder, err));
    if (snapshot)
        FRZ_TRY_DONE(add_snapshot(self, snapshot, builder, err));
    if (stage)
        FRZ_TRY_DONE(frz_metadata_builder_since(builder, stage->base, err));
    FRZ_TRY_DONE(frz_metadata_builder_finish(builder, location, frz_clock_now_ms(), &out->metadata,
                                             &out->dropped, &out->dropped_count, err));

done:
    frz_metadata_builder_free(builder);
    return status;
}

/* `*lost_out` is set with FRZ_CONFLICT: another attempt may win. */
static frz_status swap(frz_transaction *self, next_version *next, bool *lost_out, frz_error **err)
{
    frz_table *table = self->table;
    char *location = NULL;
    const frz_new_version version = {table->identifier, base_location(self), next->metadata,
                                     next->snapshot_id, table->metadata};
    const frz_status status = frz_catalog_commit_version(table->catalog, &version, &location, err);
    if (status != FRZ_OK) {
        *lost_out = status == FRZ_CONFLICT;
        return status;
    }
    self->staged = frz_catalog_stage(table->catalog) != NULL;
    frz_catalog_remove_dropped(table->catalog, next->metadata, next->dropped, next->dropped_count);
    /* Committed whatever happens now: a handle that cannot follow stays at the old version, which
     * the next refresh corrects. */
    frz_metadata *taken = next->metadata;
    next->metadata = NULL;
    const frz_status moved = frz_table_move_to(table, location, taken, NULL);
    (void)moved;
    frz_free(location);
    return FRZ_OK;
}

/* What prepares the changes of an operation. */
typedef struct prepared_operation {
    frz_transaction_prepare prepare;
    void *self;
} prepared_operation;

static frz_status commit_change(frz_transaction *self, const frz_snapshot *parent,
                                frz_change *change, bool *lost_out, frz_commit **commit_out,
                                frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_snapshot snapshot = {0};
    next_version next = {.snapshot_id = FRZ_NO_SNAPSHOT};

    if (change->operation)
        FRZ_TRY_DONE(frz_produce_snapshot(self, parent, change, &snapshot, err));
    FRZ_TRY_DONE(build_metadata(self, change, change->operation ? &snapshot : NULL, &next, err));
    if (frz_metadata_find_snapshot(next.metadata, self->snapshot_id))
        next.snapshot_id = self->snapshot_id;
    FRZ_TRY_DONE(frz_commit_result_new(change->operation ? &snapshot : NULL, commit_out, err));
    FRZ_TRY_DONE(frz_transaction_check_cancelled(self, err));
    FRZ_TRY_DONE(swap(self, &next, lost_out, err));

done:
    frz_metadata_builder_free(change->builder);
    frz_metadata_unref(next.metadata);
    return status;
}

/* An earlier attempt was committed after all, its answer lost. */
static frz_status adopt(frz_transaction *self, const frz_snapshot *own, frz_commit **commit_out,
                        frz_error **err)
{
    FRZ_TRY(frz_commit_result_new(own, commit_out, err));
    self->attempt = own->manifest_list ? frz_own_files_attempt_of(&self->own, own->manifest_list)
                                       : FRZ_EVERY_ATTEMPT;
    if (self->attempt == FRZ_EVERY_ATTEMPT) /* which it was is not known: no file is touched */
        frz_own_files_clear(&self->own);
    return FRZ_OK;
}

/* Another writer has committed under our key: what this one wrote is of no use. */
static frz_status give_way(frz_transaction *self, const frz_snapshot *known,
                           frz_commit **commit_out, frz_error **err)
{
    FRZ_TRY(frz_commit_result_new(known, commit_out, err));
    (*commit_out)->already_committed = true;
    frz_own_files_remove_all(&self->own, self->table->io);
    frz_own_files_clear(&self->own);
    return FRZ_OK;
}

static frz_status attempt(frz_transaction *self, const prepared_operation *work, bool *lost_out,
                          frz_commit **commit_out, frz_error **err)
{
    const frz_snapshot *parent = NULL;
    frz_change change = {0};

    frz_arena_clear(&self->attempt_arena);
    FRZ_TRY(frz_transaction_check_cancelled(self, err));
    FRZ_TRY(frz_table_refresh(self->table, err));
    const frz_snapshot *own = frz_metadata_find_snapshot(self->table->metadata, self->snapshot_id);
    if (own)
        return adopt(self, own, commit_out, err);
    FRZ_TRY(find_parent(self, &parent, err));
    const frz_snapshot *known = frz_idempotent_find(self->table->metadata, parent, self->options);
    if (known)
        return give_way(self, known, commit_out, err);
    FRZ_TRY(work->prepare(work->self, self, parent, &change, err));
    if (!change.operation && !change.builder && !frz_table_is_new(self->table))
        return FRZ_OK;
    return commit_change(self, parent, &change, lost_out, commit_out, err);
}

/* The last attempt cannot lose where the back-end lets it hold the catalog: writers in a crowd do
 * not starve. */
static frz_status last_attempt(frz_transaction *self, const prepared_operation *work,
                               bool *lost_out, frz_commit **commit_out, frz_error **err)
{
    frz_catalog_backend *backend = frz_catalog_backend_of(self->table->catalog);
    if (!backend->ops->lock || frz_table_is_new(self->table)) /* a lock is for swaps */
        return attempt(self, work, lost_out, commit_out, err);
    FRZ_TRY(backend->ops->lock(backend, err));
    const frz_status status = attempt(self, work, lost_out, commit_out, err);
    backend->ops->unlock(backend);
    return status;
}

/* Waits before attempt `number` + 1: doubled each time, and up to a tenth more by chance (as Java's
 * Tasks do). */
static void wait_for_turn(const frz_commit_properties *properties, int64_t number)
{
    int64_t wait = properties->min_wait_ms;
    for (int64_t i = 0; i < number && wait < properties->max_wait_ms; i++)
        wait *= 2;
    if (wait > properties->max_wait_ms)
        wait = properties->max_wait_ms;
    if (wait >= 10)
        wait += frz_random_i63() % (wait / 10);
    frz_clock_sleep_ms(wait);
}

static void give_error(frz_error **err, frz_error *cause)
{
    if (err && !*err)
        *err = cause;
    else
        frz_error_free(cause);
}

static frz_status read_properties(const frz_transaction *self, frz_commit_properties *out,
                                  frz_error **err)
{
    const frz_metadata none = {0};
    frz_error *why = NULL;
    const frz_status status = frz_commit_properties_read(self->table->metadata, out, &why);
    if (status == FRZ_INVALID && self->mends) {
        frz_error_free(why);
        return frz_commit_properties_read(&none, out, err);
    }
    if (status != FRZ_OK)
        give_error(err, why);
    return status;
}

static frz_status attempt_all(frz_transaction *self, const prepared_operation *work,
                              frz_commit **commit_out, frz_error **err)
{
    const int64_t start_ms = frz_clock_now_ms();
    frz_commit_properties properties;
    FRZ_TRY(read_properties(self, &properties, err));
    for (self->attempt = 0;; self->attempt++) {
        bool lost = false;
        frz_error *why = NULL;
        const bool last = self->attempt >= properties.retries ||
                          frz_clock_now_ms() - start_ms >= properties.total_timeout_ms;
        const frz_status status = last ? last_attempt(self, work, &lost, commit_out, &why)
                                       : attempt(self, work, &lost, commit_out, &why);
        if (status == FRZ_OK || !lost || last) {
            if (status != FRZ_OK)
                give_error(err, why);
            return status;
        }
        frz_error_free(why);
        frz_commit_free(*commit_out);
        *commit_out = NULL;
        FRZ_TRY(read_properties(self, &properties, err));
        wait_for_turn(&properties, self->attempt);
    }
}

frz_status frz_transaction_commit(frz_transaction *self, frz_transaction_prepare prepare,
                                  void *context, frz_commit **out, frz_error **err)
{
    const prepared_operation work = {prepare, context};
    frz_commit *commit = self->known;
    self->known = NULL;
    self->prepare = prepare;
    frz_status status = commit ? FRZ_OK : attempt_all(self, &work, &commit, err);
    if (status == FRZ_OK)
        frz_own_files_keep_attempt(&self->own, self->table->io, self->attempt);
    if (status == FRZ_OK && !commit)
        status = frz_commit_result_new(NULL, &commit, err);
    if (status == FRZ_OK && out) {
        *out = commit;
        commit = NULL;
    }
    frz_commit_free(commit);
    return status;
}

frz_status frz_transaction_tell_left(const frz_own_files *left, frz_status outcome, frz_error **err)
{
    char *names = frz_own_files_print(left);
    if (names)
        outcome = frz_consequence(
            err, outcome, "files that stay: %s%s", names,
            outcome == FRZ_UNKNOWN_STATE
                ? " (to be removed only when the table turns out not to have taken this commit)"
                : "");
    frz_free(names);
    return outcome;
}

frz_status frz_transaction_replay(frz_transaction *self, void *context, frz_error **err)
{
    const prepared_operation work = {self->prepare, context};
    frz_commit *commit = NULL;
    bool lost = false;
    const frz_status status = attempt(self, &work, &lost, &commit, err);
    self->staged = false; /* it is kept already */
    frz_commit_free(commit);
    return status;
}

frz_status frz_transaction_retire(frz_transaction *self, frz_status outcome, void *context,
                                  frz_transaction_release release, frz_error **err)
{
    if ((self->staged || self->observes) && outcome == FRZ_OK) {
        frz_steps *steps = frz_steps_of(self->table);
        self->staged = false;
        self->options = &self->kept_options;
        frz_steps_keep(steps, self, context, release);
        return FRZ_OK;
    }
    if (self->table)
        outcome = frz_transaction_end(self, outcome, err);
    release(context);
    return outcome;
}

frz_status frz_transaction_end(frz_transaction *self, frz_status outcome, frz_error **err)
{
    if (self->staged && outcome == FRZ_OK)
        frz_steps_keep_files(frz_steps_of(self->table), self);
    if (outcome != FRZ_OK) {
        if (outcome != FRZ_UNKNOWN_STATE)
            frz_own_files_remove_all(&self->own, self->table->io);
        outcome = frz_transaction_tell_left(&self->own, outcome, err);
    }
    frz_own_files_clear(&self->own);
    frz_commit_free(self->known);
    self->known = NULL;
    frz_arena_clear(&self->attempt_arena);
    frz_arena_clear(&self->arena);
    return outcome;
}

void frz_transaction_close(frz_transaction *self, frz_status outcome)
{
    (void)frz_transaction_end(self, outcome, NULL);
}
