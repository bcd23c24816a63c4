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
                                                     .snapshot_id = transaction->snapshot_id,
                                                     .name = steps->name,
                                                     .observes = transaction->observes};
    steps->observing += transaction->observes;
}

void frz_steps_keep_files(frz_steps *steps, frz_transaction *transaction)
{
    steps->items[steps->count++] = (frz_staged_step){
        .own = transaction->own, .snapshot_id = transaction->snapshot_id, .name = steps->name};
    transaction->own = (frz_own_files){0};
}

static bool any_concerned(const frz_steps *steps)
{
    for (size_t i = 0; i < steps->count; i++)
        if (steps->items[i].transaction &&
            frz_given_lineage_concerns(&steps->lineage, steps->items[i].transaction))
            return true;
    return false;
}

frz_status frz_steps_leave_base(frz_steps *steps, const frz_metadata *next, frz_error **err)
{
    const frz_stage *stage = &steps->stage;
    frz_given_lineage_start(&steps->lineage, stage->base, next);
    if (!any_concerned(steps))
        return FRZ_OK;
    for (size_t i = 0; i < steps->count; i++) {
        const frz_snapshot *snapshot =
            frz_metadata_find_snapshot(stage->metadata, steps->items[i].snapshot_id);
        if (snapshot)
            FRZ_TRY(frz_given_lineage_note(&steps->lineage, i, steps->table, stage->metadata,
                                           snapshot, &steps->names, err));
    }
    return FRZ_OK;
}

/* The operation was made again: what it gives out now. */
static frz_status renew_lineage(frz_steps *steps, size_t index, const frz_table *table,
                                frz_error **err)
{
    const frz_snapshot *snapshot =
        frz_metadata_find_snapshot(table->metadata, steps->items[index].snapshot_id);
    if (!snapshot || steps->lineage.number_count == 0)
        return FRZ_OK;
    return frz_given_lineage_renew(&steps->lineage, index, table, snapshot, &steps->names, err);
}

static frz_status replay_step(const frz_steps *steps, const frz_staged_step *step, frz_table *table,
                              const bool *cancelled, frz_error **err)
{
    frz_transaction *transaction = step->transaction;
    if (!transaction)
        return frz_fail(err, FRZ_CONFLICT, FRZ_NO_OFFSET,
                        "another commit changed the table, on which it cannot be made again");
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
        frz_status status = replay_step(steps, &steps->items[i], table, cancelled, err);
        if (status == FRZ_OK)
            status = renew_lineage(steps, i, table, err);
        const char *name = steps->items[i].name;
        if (status != FRZ_OK)
            return frz_context(err, status, "operation %zu of %zu%s%s%s", i + 1, steps->count,
                               name ? " (" : "", name ? name : "", name ? ")" : "");
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
    frz_given_lineage_clear(&steps->lineage);
    frz_first_names_clear(&steps->names);
    frz_arena_clear(&steps->arena);
    steps->name = NULL;
    steps->items = NULL;
    steps->count = steps->capacity = steps->observing = 0;
    return outcome;
}
