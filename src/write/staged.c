/*
 * Transactions of the caller (frazil/transaction.h): a stage over the catalog, the operations on it
 * (write/steps.h), and their commit, which is one of write/transaction.c without a snapshot of its
 * own.
 */
#include "frazil/transaction.h"

#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "catalog/catalog.h"
#include "write/result.h"
#include "write/steps.h"

static void free_steps(frz_catalog_backend *backend)
{
    frz_steps *steps = (frz_steps *)backend;
    (void)frz_steps_settle(steps, FRZ_CANCELLED, NULL, NULL);
    frz_stage_clear(&steps->stage);
    frz_table_free(steps->table);
    frz_free(steps);
}

static const frz_catalog_backend_ops stage_ops = {.load = frz_stage_load, .free = free_steps};

static frz_status new_steps(const frz_table *table, frz_steps **out, frz_error **err)
{
    frz_table *real = NULL;
    FRZ_TRY(frz_catalog_load_table(table->catalog, table->identifier, &real, err));
    frz_steps *steps = frz_alloc_zero(sizeof *steps);
    if (!steps) {
        frz_table_free(real);
        return frz_fail_memory(err);
    }
    steps->stage.backend.ops = &stage_ops;
    steps->table = real;
    const frz_status status =
        frz_stage_reset(&steps->stage, real->metadata_location, real->metadata, err);
    if (status != FRZ_OK) {
        free_steps(&steps->stage.backend);
        return status;
    }
    *out = steps;
    return FRZ_OK;
}

static frz_status begin(const frz_table *table, frz_table **out, frz_error **err)
{
    frz_steps *steps = NULL;
    frz_catalog *catalog = NULL;
    if (!table->catalog)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "a table that was opened without a catalog can only be read");
    if (frz_catalog_stage(table->catalog))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "the table is in a transaction already; transactions do not nest");
    FRZ_TRY(new_steps(table, &steps, err));
    FRZ_TRY(frz_catalog_new_staged(table->catalog, &steps->stage, &catalog, err));
    const frz_status status = frz_catalog_load_table(catalog, table->identifier, out, err);
    frz_catalog_free(catalog);
    return status;
}

frz_status frz_table_begin(const frz_table *table, frz_table **out, frz_error **err)
{
    const frz_status status = begin(table, out, err);
    if (status == FRZ_OK)
        return FRZ_OK;
    return frz_context(err, status, "begin a transaction on table %s",
                       table->identifier ? table->identifier : "without catalog");
}

frz_status frz_table_reopen(const frz_table *table, frz_table **out, frz_error **err)
{
    if (!table->catalog)
        return frz_table_open(table->source, table->io, out, err);
    return frz_catalog_load_table(table->catalog, table->identifier, out, err);
}

frz_status frz_table_name_operations(frz_table *staged, const char *name, frz_error **err)
{
    frz_steps *steps = frz_steps_of(staged);
    const char *copy = NULL;
    if (!steps)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "table %s is in no transaction",
                        staged->identifier ? staged->identifier : "without catalog");
    if (name) {
        copy = frz_arena_text(&steps->arena, name);
        if (!copy)
            return frz_fail_memory(err);
    }
    steps->name = copy;
    return FRZ_OK;
}

size_t frz_table_staged_count(const frz_table *staged)
{
    const frz_steps *steps = frz_steps_of(staged);
    return steps ? steps->count - steps->observing : 0;
}

typedef struct report_object {
    frz_transaction_report report; /* first */
    frz_arena arena;
} report_object;

void frz_transaction_report_free(frz_transaction_report *report)
{
    if (!report)
        return;
    report_object *object = (report_object *)report;
    frz_arena_clear(&object->arena);
    frz_free(object);
}

static bool fill_report(report_object *object, const frz_steps *steps)
{
    frz_commit *commits = frz_arena_array(&object->arena, steps->count + 1, sizeof *commits);
    const frz_commit **operations =
        frz_arena_array(&object->arena, steps->count + 1, sizeof *operations);
    if (!commits || !operations)
        return false;
    size_t count = 0;
    for (size_t i = 0; i < steps->count; i++) {
        const frz_snapshot *snapshot =
            frz_metadata_find_snapshot(steps->stage.metadata, steps->items[i].snapshot_id);
        if (steps->items[i].observes)
            continue;
        commits[count].snapshot_id = FRZ_NO_SNAPSHOT;
        if (snapshot && !frz_commit_fill(&commits[count], snapshot, &object->arena))
            return false;
        operations[count] = &commits[count];
        count++;
    }
    object->report = (frz_transaction_report){
        .committed = true, .operations = operations, .operation_count = count};
    return true;
}

/* Before the swap: what is committed is told. */
static frz_status make_report(const frz_steps *steps, frz_transaction_report **out, frz_error **err)
{
    report_object *object = frz_alloc_zero(sizeof *object);
    if (!object)
        return frz_fail_memory(err);
    if (!fill_report(object, steps)) {
        frz_transaction_report_free(&object->report);
        return frz_fail_memory(err);
    }
    frz_transaction_report_free(*out);
    *out = &object->report;
    return FRZ_OK;
}

typedef struct committing {
    frz_steps *steps;
    frz_catalog *staged; /* of the transaction; borrowed */
    frz_transaction transaction;
    frz_transaction_report *report; /* of the last attempt */
} committing;

/* The version that the operations make of the one that is replaced. */
static frz_status rebase(committing *self, frz_error **err)
{
    frz_steps *steps = self->steps;
    frz_table *table = NULL;
    FRZ_TRY(frz_steps_leave_base(steps, steps->table->metadata, err));
    FRZ_TRY(frz_stage_reset(&steps->stage, steps->table->metadata_location, steps->table->metadata,
                            err));
    FRZ_TRY(frz_catalog_load_table(self->staged, steps->table->identifier, &table, err));
    const frz_status status =
        frz_steps_replay(steps, table, self->transaction.options->cancelled, err);
    frz_table_free(table);
    return status;
}

static frz_status prepare(void *context, frz_transaction *transaction, const frz_snapshot *parent,
                          frz_change *out, frz_error **err)
{
    committing *self = context;
    const frz_stage *stage = &self->steps->stage;
    frz_metadata_builder *builder = NULL;
    (void)parent;
    if (self->steps->count > self->steps->observing &&
        strcmp(stage->base_location, transaction->table->metadata_location) != 0)
        FRZ_TRY(rebase(self, err));
    FRZ_TRY(make_report(self->steps, &self->report, err));
    if (stage->metadata == stage->base)
        return FRZ_OK;
    FRZ_TRY(
        frz_metadata_builder_new(stage->metadata, stage->metadata->format_version, &builder, err));
    const frz_status status = frz_metadata_builder_since(builder, stage->base, err);
    if (status == FRZ_OK)
        out->builder = builder;
    else
        frz_metadata_builder_free(builder);
    return status;
}

/* By the last snapshot of the operations a commit whose answer was lost is recognised. */
static void set_snapshot(committing *self)
{
    const frz_steps *steps = self->steps;
    for (size_t i = 0; i < steps->count; i++)
        if (frz_metadata_find_snapshot(steps->stage.metadata, steps->items[i].snapshot_id))
            self->transaction.snapshot_id = steps->items[i].snapshot_id;
}

static frz_status commit_all(committing *self, const frz_write_options *options, frz_error **err)
{
    FRZ_TRY(frz_transaction_open(self->steps->table, options, &self->transaction, err));
    set_snapshot(self);
    return frz_transaction_commit(&self->transaction, prepare, self, NULL, err);
}

/* The transaction is over. */
static frz_status end(frz_steps *steps, frz_table *staged, frz_status outcome, frz_error **err)
{
    frz_stage *stage = &steps->stage;
    const frz_table *table = steps->table;
    const bool committed = outcome == FRZ_OK;
    outcome = frz_steps_settle(steps, outcome, table->metadata, err);
    frz_status moved = committed
                           ? frz_stage_end(stage, table->metadata_location, table->metadata, NULL)
                           : frz_stage_end(stage, stage->base_location, stage->base, NULL);
    if (moved == FRZ_OK)
        moved = frz_table_refresh(staged, NULL);
    (void)moved; /* a handle that cannot follow stays where it is */
    return outcome;
}

frz_status frz_table_commit(frz_table *staged, const frz_write_options *options,
                            frz_transaction_report **out, frz_error **err)
{
    committing self = {.steps = frz_steps_of(staged), .staged = staged->catalog};
    if (!self.steps)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "table %s is in no transaction",
                        staged->identifier ? staged->identifier : "without catalog");
    FRZ_TRY(frz_steps_admit(self.steps, err));
    const bool empty = self.steps->count == self.steps->observing;
    frz_status status = commit_all(&self, options, err);
    if (status != FRZ_OK)
        status = frz_context(err, status, "commit the transaction on table %s", staged->identifier);
    if (status == FRZ_OK && self.report) {
        self.report->committed = !empty;
        if (out) {
            *out = self.report;
            self.report = NULL;
        }
    }
    frz_transaction_report_free(self.report);
    if (self.transaction.table)
        frz_transaction_close(&self.transaction, status);
    return end(self.steps, staged, status, err);
}

void frz_table_rollback(frz_table *staged)
{
    frz_steps *steps = frz_steps_of(staged);
    if (steps && !steps->stage.ended)
        (void)end(steps, staged, FRZ_CANCELLED, NULL);
}
