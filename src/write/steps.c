#include "write/steps.h"

#include <inttypes.h>

#include "base/fail.h"
#include "base/mem.h"
#include "catalog/catalog.h"

frz_steps *frz_steps_of(const frz_table *table)
{
    return table->catalog ? (frz_steps *)frz_catalog_stage(table->catalog) : NULL;
}

frz_status frz_steps_admit(frz_steps *steps, frz_error **err)
{
    if (steps->stage.ended)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "the transaction on table %s has ended: begin another",
                        steps->table->identifier);
    if (!frz_grow_array((void **)&steps->items, &steps->capacity, steps->count,
                        sizeof *steps->items))
        return frz_fail_memory(err);
    return FRZ_OK;
}

void frz_steps_keep(frz_steps *steps, frz_transaction *transaction, void *context,
                    frz_transaction_release release)
{
    transaction->table = NULL; /* the caller's; a replay has one of its own */
    steps->items[steps->count++] = (frz_staged_step){.transaction = transaction,
                                                     .context = context,
                                                     .release = release,
                                                     .snapshot_id = transaction->snapshot_id};
}

void frz_steps_keep_files(frz_steps *steps, frz_transaction *transaction)
{
    steps->items[steps->count++] =
        (frz_staged_step){.own = transaction->own, .snapshot_id = transaction->snapshot_id};
    transaction->own = (frz_own_files){0};
}

/*
 * Spec "Row Lineage": a moved row states its _row_id, and the sequence number of its last change.
 * In a file of this transaction these may be numbers that the transaction gave out itself, which
 * are its own only as long as nobody else got them.
 */
static frz_status check_lineage(const frz_steps *steps, const frz_transaction *transaction,
                                frz_error **err)
{
    const frz_metadata *base = steps->stage.base;
    const bool ids_moved = base->next_row_id != steps->next_row_id;
    const bool numbers_moved = base->last_sequence_number != steps->last_sequence_number;
    if ((ids_moved && transaction->stated_row_id >= steps->next_row_id) ||
        (numbers_moved && transaction->stated_sequence_number > steps->last_sequence_number))
        return frz_fail(err, FRZ_CONFLICT, FRZ_NO_OFFSET,
                        "it moved rows that the transaction itself had added, and another commit "
                        "took their row ids or sequence number meanwhile: the transaction is to be "
                        "made again");
    return FRZ_OK;
}

static frz_status replay_step(const frz_steps *steps, const frz_staged_step *step, frz_table *table,
                              const bool *cancelled, frz_error **err)
{
    frz_transaction *transaction = step->transaction;
    if (!transaction)
        return frz_fail(err, FRZ_CONFLICT, FRZ_NO_OFFSET,
                        "another commit changed the table, on which it cannot be made again");
    FRZ_TRY(check_lineage(steps, transaction, err));
    transaction->table = table;
    transaction->attempt = steps->attempt;
    transaction->kept_options.cancelled = cancelled;
    const frz_status status = frz_transaction_replay(transaction, step->context, err);
    transaction->kept_options.cancelled = NULL;
    transaction->table = NULL;
    return status;
}

frz_status frz_steps_replay(frz_steps *steps, frz_table *table, const bool *cancelled,
                            frz_error **err)
{
    steps->attempt++;
    for (size_t i = 0; i < steps->count; i++) {
        const frz_status status = replay_step(steps, &steps->items[i], table, cancelled, err);
        if (status != FRZ_OK)
            return frz_context(err, status, "operation %zu of %zu", i + 1, steps->count);
    }
    return FRZ_OK;
}

/* Files of attempts that were not committed: by the snapshot it is known which one was. */
static void remove_lost(const frz_staged_step *step, frz_own_files *own, frz_io *io,
                        const frz_metadata *committed)
{
    const frz_snapshot *snapshot = frz_metadata_find_snapshot(committed, step->snapshot_id);
    const int32_t attempt = snapshot && snapshot->manifest_list
                                ? frz_own_files_attempt_of(own, snapshot->manifest_list)
                                : FRZ_EVERY_ATTEMPT;
    if (attempt != FRZ_EVERY_ATTEMPT)
        frz_own_files_keep_attempt(own, io, attempt);
}

frz_status frz_steps_settle(frz_steps *steps, frz_status outcome, const frz_metadata *committed,
                            frz_error **err)
{
    frz_io *io = steps->table->io;
    for (size_t i = 0; i < steps->count; i++) {
        frz_staged_step *step = &steps->items[i];
        frz_own_files *own = step->transaction ? &step->transaction->own : &step->own;
        if (outcome == FRZ_OK)
            remove_lost(step, own, io, committed);
        else if (outcome != FRZ_UNKNOWN_STATE)
            frz_own_files_remove_all(own, io);
        if (outcome != FRZ_OK)
            outcome = frz_transaction_tell_left(own, outcome, err);
        frz_own_files_clear(own);
        if (step->release)
            step->release(step->context);
    }
    frz_free(steps->items);
    steps->items = NULL;
    steps->count = steps->capacity = 0;
    return outcome;
}
