#include "write/row_delete.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "arrow/stream.h"
#include "base/fail.h"
#include "base/mem.h"
#include "scan/deletes.h"
#include "spec/ancestry.h"
#include "write/row_properties.h"
#include "write/task_batches.h"

void frz_transaction_selector(const frz_transaction *transaction, frz_snapshot_selector *out)
{
    const char *branch = transaction->options->branch;
    *out = (frz_snapshot_selector)FRZ_SNAPSHOT_SELECTOR_INIT;
    if (branch && frz_metadata_find_ref(transaction->table->metadata, branch))
        out->ref = branch;
}

static frz_status plan(frz_row_delete *self, const frz_transaction *transaction, frz_error **err)
{
    static const char *const select[] = {"_pos"};
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    frz_scan *scan = NULL;
    frz_plan *made = NULL;
    char *location = frz_copy_text(transaction->table->metadata_location);
    frz_status status = location ? FRZ_OK : frz_fail_memory(err);

    options.where = self->where;
    options.select = self->select ? self->select : select;
    options.select_count = self->select ? self->select_count : 1;
    options.case_insensitive = self->options->case_insensitive;
    frz_transaction_selector(transaction, &options.at);
    if (status == FRZ_OK)
        status = frz_scan_new(transaction->table, &options, &scan, err);
    if (status == FRZ_OK)
        status = frz_scan_plan(scan, &made, err);
    if (status != FRZ_OK) {
        frz_scan_free(scan);
        frz_free(location);
        return status;
    }
    frz_plan_free(self->plan);
    frz_scan_free(self->scan);
    frz_free(self->planned_at);
    self->plan = made;
    self->scan = scan;
    self->planned_at = location;
    return FRZ_OK;
}

/* The delete files of a task as text that differs when they do. */
static frz_status print_deletes(frz_row_delete *self, const frz_scan_task *task, const char **out,
                                frz_error **err)
{
    frz_buffer text = {0};
    frz_buffer name = {0};
    const frz_manifest_entry *entry = NULL;
    for (size_t i = 0; (entry = frz_task_delete(task, i)); i++) {
        frz_buffer_reset(&name);
        frz_delete_file_name(&entry->file, &name);
        const frz_slice first = frz_first_name(self->names, frz_buffer_slice(&name));
        frz_buffer_append(&text, first.data, first.size);
        frz_buffer_append_byte(&text, '\n');
    }
    frz_buffer_append_byte(&text, 0);
    frz_status status = frz_buffer_check(&name, err);
    if (status == FRZ_OK)
        status = frz_buffer_check(&text, err);
    frz_buffer_clear(&name);
    if (status == FRZ_OK) {
        *out = frz_arena_text(&self->arena, (const char *)text.data);
        status = *out ? FRZ_OK : frz_fail_memory(err);
    }
    frz_buffer_clear(&text);
    return status;
}

static frz_status collect_positions(void *context, struct ArrowArray *batch, frz_error **err)
{
    frz_bitmap *positions = context;
    const struct ArrowArray *column = batch->children[0];
    const int64_t *values = (const int64_t *)column->buffers[1] + batch->offset + column->offset;
    for (int64_t i = 0; i < batch->length; i++)
        FRZ_TRY(frz_bitmap_add(positions, values[i], err));
    return FRZ_OK;
}

/* Takes `positions`, also on failure. */
static frz_status add_target(frz_row_delete *self, const frz_scan_task *task, frz_bitmap *positions,
                             frz_error **err)
{
    frz_delete_target target = {.whole = !positions, .positions = positions, .task = task};
    frz_status status = FRZ_OK;
    if (!frz_arena_slice(&self->arena, task->entry->file.path, &target.path) ||
        !frz_grow_array((void **)&self->targets, &self->target_capacity, self->target_count,
                        sizeof target))
        status = frz_fail_memory(err);
    if (status == FRZ_OK)
        status = print_deletes(self, task, &target.deletes_seen, err);
    if (status != FRZ_OK) {
        frz_bitmap_free(positions);
        return status;
    }
    self->targets[self->target_count++] = target;
    return FRZ_OK;
}

frz_status frz_row_delete_add(frz_row_delete *self, const frz_scan_task *task,
                              frz_bitmap *positions, frz_error **err)
{
    if (!positions || frz_bitmap_cardinality(positions) > 0)
        return add_target(self, task, positions, err);
    frz_bitmap_free(positions);
    return FRZ_OK;
}

/* Rows of the task that are deleted by position. They are not read where there are too few to make
 * up for `wanted`. */
static frz_status count_deleted(const frz_row_delete *self, const frz_scan_task *task,
                                int64_t wanted, int64_t *out, frz_error **err)
{
    const frz_manifest_entry *entry = NULL;
    frz_delete_set *known = NULL;
    int64_t most = 0;
    *out = 0;
    for (size_t i = 0; (entry = frz_task_delete(task, i)) && most < wanted; i++)
        if (entry->file.content == FRZ_CONTENT_POSITION_DELETES)
            most += entry->file.record_count;
    if (most < wanted)
        return FRZ_OK;
    FRZ_TRY(frz_task_load_deletes(self->scan, task, &known, err));
    if (known)
        *out =
            frz_bitmap_count_range(frz_delete_set_bitmap(known), 0, task->entry->file.record_count);
    frz_delete_set_unref(known);
    return FRZ_OK;
}

frz_status frz_row_delete_add_rows(frz_row_delete *self, const frz_scan_task *task,
                                   frz_bitmap *positions, frz_error **err)
{
    int64_t deleted = 0;
    const int64_t rest = task->entry->file.record_count - frz_bitmap_cardinality(positions);
    frz_status status = FRZ_OK;
    if (frz_bitmap_cardinality(positions) > 0 && rest > 0)
        status = count_deleted(self, task, rest, &deleted, err);
    if (status == FRZ_OK && (frz_bitmap_cardinality(positions) == 0 || deleted < rest))
        return frz_row_delete_add(self, task, positions, err);
    frz_bitmap_free(positions);
    return status == FRZ_OK ? frz_row_delete_add(self, task, NULL, err) : status;
}

static frz_status evaluate_task(frz_row_delete *self, size_t index,
                                const frz_transaction *transaction, frz_error **err)
{
    const frz_scan_task *task = frz_plan_task(self->plan, index);
    frz_bitmap *positions = NULL;
    if (task->all_match)
        return frz_row_delete_add(self, task, NULL, err);
    FRZ_TRY(frz_bitmap_new(&positions, err));
    const frz_status status =
        frz_task_batches(self->plan, index, transaction, collect_positions, positions, err);
    if (status != FRZ_OK) {
        frz_bitmap_free(positions);
        return status;
    }
    return frz_row_delete_add_rows(self, task, positions, err);
}

frz_status frz_row_delete_plan(frz_row_delete *self, const frz_transaction *transaction,
                               frz_error **err)
{
    FRZ_TRY(
        frz_row_isolation_read(transaction->table->metadata, self->verb, &self->serializable, err));
    FRZ_TRY(plan(self, transaction, err));
    self->read_snapshot_id =
        self->scan->snapshot ? self->scan->snapshot->snapshot_id : FRZ_NO_SNAPSHOT;
    for (size_t i = 0; i < frz_plan_task_count(self->plan); i++) {
        frz_slice path;
        if (!frz_arena_slice(&self->arena, frz_plan_task(self->plan, i)->entry->file.path, &path) ||
            !frz_map_put(&self->planned, path, (frz_map_value){.number = 1}))
            return frz_fail_memory(err);
    }
    return FRZ_OK;
}

frz_status frz_row_delete_evaluate(frz_row_delete *self, const frz_transaction *transaction,
                                   frz_error **err)
{
    FRZ_TRY(frz_row_delete_plan(self, transaction, err));
    for (size_t i = 0; i < frz_plan_task_count(self->plan); i++)
        FRZ_TRY(evaluate_task(self, i, transaction, err));
    return FRZ_OK;
}

bool frz_row_delete_has_parts(const frz_row_delete *self)
{
    for (size_t i = 0; i < self->target_count; i++) {
        if (!self->targets[i].whole && !self->targets[i].gone)
            return true;
    }
    return false;
}

static frz_status check_new_tasks(const frz_row_delete *self, frz_error **err)
{
    for (size_t i = 0; self->serializable && i < frz_plan_task_count(self->plan); i++) {
        const frz_scan_task *task = frz_plan_task(self->plan, i);
        const frz_slice path = task->entry->file.path;
        bool concerned = !frz_map_find(&self->planned, frz_first_name(self->names, path));
        if (concerned && self->concerns)
            FRZ_TRY(self->concerns(self->concerns_self, task, &concerned, err));
        if (concerned)
            return frz_fail(err, FRZ_CONFLICT, FRZ_NO_OFFSET,
                            "another commit added data file %.*s, which may hold matching rows "
                            "(isolation level serializable)",
                            (int)path.size, (const char *)path.data);
    }
    return FRZ_OK;
}

/* Whether a commit since the version that was read has put rows in the place of others. */
static bool rows_were_replaced(const frz_row_delete *self)
{
    frz_ancestry line = frz_ancestry_of(self->scan->metadata, self->scan->snapshot);
    for (const frz_snapshot *at = frz_ancestry_next(&line);
         at && at->snapshot_id != self->read_snapshot_id; at = frz_ancestry_next(&line)) {
        const char *operation = at->operation ? at->operation : "";
        if (strcmp(operation, "append") != 0 && strcmp(operation, "delete") != 0)
            return true;
    }
    return false;
}

/* Whether rows of the target, all live when they were found, have gone. What equality deletes hit
 * is not known without reading rows. */
static frz_status has_lost_rows(const frz_row_delete *self, const frz_delete_target *target,
                                bool *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_delete_set *known = NULL;
    frz_bitmap *all = NULL;
    const frz_manifest_entry *entry = NULL;
    *out = target->whole;
    for (size_t i = 0; (entry = frz_task_delete(target->task, i)); i++)
        *out = *out || entry->file.content == FRZ_CONTENT_EQUALITY_DELETES;
    if (*out)
        return FRZ_OK;
    FRZ_TRY_DONE(frz_task_load_deletes(self->scan, target->task, &known, err));
    if (!known)
        goto done;
    FRZ_TRY_DONE(frz_bitmap_new(&all, err));
    FRZ_TRY_DONE(frz_bitmap_or(all, target->positions, err));
    FRZ_TRY_DONE(frz_bitmap_or(all, frz_delete_set_bitmap(known), err));
    *out = frz_bitmap_cardinality(all) < frz_bitmap_cardinality(target->positions) +
                                             frz_bitmap_cardinality(frz_delete_set_bitmap(known));

done:
    frz_bitmap_free(all);
    frz_delete_set_unref(known);
    return status;
}

static frz_status check_first_writer(frz_row_delete *self, const frz_delete_target *target,
                                     frz_error **err)
{
    const char *deletes = NULL;
    bool lost = false;
    FRZ_TRY(print_deletes(self, target->task, &deletes, err));
    if (strcmp(deletes, target->deletes_seen) == 0 || !rows_were_replaced(self))
        return FRZ_OK;
    FRZ_TRY(has_lost_rows(self, target, &lost, err));
    if (!lost)
        return FRZ_OK;
    return frz_fail(err, FRZ_CONFLICT, FRZ_NO_OFFSET,
                    "another commit changed rows of data file %.*s that this one deletes "
                    "(isolation level snapshot)",
                    (int)target->path.size, (const char *)target->path.data);
}

static bool may_be_gone(const frz_row_delete *self, const frz_delete_target *target,
                        frz_renewal how)
{
    if (how == FRZ_RENEW_REPLACED || how == FRZ_RENEW_LIVE ||
        (how == FRZ_RENEW_FROZEN && !target->whole))
        return false;
    return self->serializable || !rows_were_replaced(self);
}

static frz_status renew_target(frz_row_delete *self, frz_delete_target *target,
                               const frz_map *tasks, frz_renewal how, frz_error **err)
{
    const char *deletes = NULL;
    const frz_map_value *found = frz_map_find(tasks, target->path);
    target->gone = !found && may_be_gone(self, target, how);
    target->task = NULL;
    self->gone_count += target->gone;
    if (target->gone)
        return FRZ_OK;
    if (!found)
        return frz_fail(err, FRZ_CONFLICT, FRZ_NO_OFFSET,
                        "another commit removed data file %.*s, whose rows this one changes",
                        (int)target->path.size, (const char *)target->path.data);
    target->task = frz_plan_task(self->plan, (size_t)found->number);
    if (how == FRZ_RENEW_UNITE || how == FRZ_RENEW_LIVE || how == FRZ_RENEW_ANEW ||
        (how == FRZ_RENEW_FROZEN && target->whole))
        return self->serializable ? FRZ_OK : check_first_writer(self, target, err);
    FRZ_TRY(print_deletes(self, target->task, &deletes, err));
    if (strcmp(deletes, target->deletes_seen) != 0)
        return frz_fail(err, FRZ_CONFLICT, FRZ_NO_OFFSET,
                        "another commit deleted or changed rows of data file %.*s, %s",
                        (int)target->path.size, (const char *)target->path.data,
                        how == FRZ_RENEW_FROZEN ? "which was rewritten"
                                                : "whose rows this one changes");
    return FRZ_OK;
}

static void clear_targets(frz_row_delete *self)
{
    for (size_t i = 0; i < self->target_count; i++)
        frz_bitmap_free(self->targets[i].positions);
    self->target_count = 0;
}

static frz_status take_all_tasks(frz_row_delete *self, frz_error **err)
{
    clear_targets(self);
    for (size_t i = 0; i < frz_plan_task_count(self->plan); i++)
        FRZ_TRY(frz_row_delete_add(self, frz_plan_task(self->plan, i), NULL, err));
    return FRZ_OK;
}

frz_status frz_row_delete_renew(frz_row_delete *self, const frz_transaction *transaction,
                                frz_renewal how, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_map tasks = {0};
    if (strcmp(self->planned_at, transaction->table->metadata_location) == 0)
        return FRZ_OK;
    FRZ_TRY_DONE(plan(self, transaction, err));
    self->gone_count = 0;
    if (how == FRZ_RENEW_ANEW && self->serializable) {
        status = take_all_tasks(self, err);
        goto done;
    }
    FRZ_TRY_DONE(check_new_tasks(self, err));
    for (size_t i = 0; i < frz_plan_task_count(self->plan); i++) {
        const frz_map_value index = {.number = (int64_t)i};
        const frz_slice path = frz_plan_task(self->plan, i)->entry->file.path;
        if (!frz_map_put(&tasks, frz_first_name(self->names, path), index)) {
            status = frz_fail_memory(err);
            goto done;
        }
    }
    for (size_t i = 0; i < self->target_count; i++)
        FRZ_TRY_DONE(renew_target(self, &self->targets[i], &tasks, how, err));

done:
    frz_map_clear(&tasks);
    return status;
}

frz_status frz_row_delete_keep(frz_row_delete *self, frz_error **err)
{
    if (self->where) {
        self->where = frz_arena_text(&self->arena, self->where);
        if (!self->where)
            return frz_fail_memory(err);
    }
    if (!self->select)
        return FRZ_OK;
    const char **select = frz_arena_array(&self->arena, self->select_count + 1, sizeof *select);
    if (!select)
        return frz_fail_memory(err);
    for (size_t i = 0; i < self->select_count; i++) {
        select[i] = frz_arena_text(&self->arena, self->select[i]);
        if (!select[i])
            return frz_fail_memory(err);
    }
    self->select = select;
    return FRZ_OK;
}

void frz_row_delete_rest(frz_row_delete *self)
{
    frz_plan_free(self->plan);
    frz_scan_free(self->scan);
    self->plan = NULL;
    self->scan = NULL;
}

void frz_row_delete_clear(frz_row_delete *self)
{
    if (self->concerns_free)
        self->concerns_free(self->concerns_self);
    clear_targets(self);
    frz_free(self->targets);
    frz_map_clear(&self->planned);
    frz_plan_free(self->plan);
    frz_scan_free(self->scan);
    frz_free(self->planned_at);
    frz_arena_clear(&self->arena);
    *self = (frz_row_delete){0};
}
