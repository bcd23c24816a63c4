/*
 * A streaming upsert (frazil/delta.h): which of its deletes are told by key and which by position,
 * and the one commit of all of it.
 *
 *   a row comes in    -> a data file; its key now names that place (write/placed_keys.h)
 *   a key is deleted  -> an equality delete, once per key (write/equality_files.h): rows of older
 *                        commits; the row that the key names here: its position
 *   positions         -> rows of data files that the table has, as any delete
 *                        (write/row_change.h)
 *
 * At the end the positions of own files become position delete files (V2) or deletion vectors (V3,
 * spec "Deletion Vectors"): the same in every attempt, since only this commit knows these files.
 */
#include "frazil/delta.h"

#include <inttypes.h>
#include <string.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "arrow/stream.h"
#include "base/fail.h"
#include "base/mem.h"
#include "base/options.h"
#include "spec/manifest_list.h"
#include "write/equality_files.h"
#include "write/input.h"
#include "write/inputs.h"
#include "write/options.h"
#include "write/placed_keys.h"
#include "write/position_file.h"
#include "write/row_change.h"
#include "write/vector_files.h"

/* Rows of a data file of the table that are deleted by position. */
typedef struct delta_target {
    const char *path;      /* in the arena */
    frz_bitmap *positions; /* NULL once handed on */
} delta_target;

/* What the equality deletes are to reach: looked at by each attempt, in the transaction's arena. */
typedef struct delta_reach {
    int32_t spec_id;
    bool has_deletes; /* some key was deleted */
} delta_reach;

struct frz_delta {
    frz_row_change change;
    frz_write_options options; /* what it points to is the caller's */
    frz_arena arena;
    bool failed; /* or committed: nothing more may be done */
    frz_key_columns keys;
    delta_reach *reach;
    frz_placed_keys *placed;
    frz_row_placement placement;
    frz_row_place *places; /* of the rows of the current batch */
    size_t place_capacity;
    int64_t *deleted_rows; /* of the current batch: those whose key gets an equality delete */
    size_t deleted_count;
    size_t deleted_capacity;
    bool deletes; /* the rows that come in delete their key first */
    frz_equality_files equality;
    delta_target *targets;
    size_t target_count;
    size_t target_capacity;
};

/* Positions alone are taken out of what the table has: an update of others there does no harm. */
static const frz_row_verb verb = {.name = "delta",
                                  .doing = "write a delta to",
                                  .merge_on_read = FRZ_RENEW_LIVE,
                                  .copy_on_write = FRZ_RENEW_LIVE};

/* The default spec, or with `global` the newest without partition fields: deletes under it reach
 * all partitions (spec "Scan Planning"). */
static frz_status choose_spec(frz_delta *self, bool global, frz_error **err)
{
    const frz_metadata *metadata = self->change.base;
    const frz_partition_spec *found = frz_metadata_find_spec(metadata, metadata->default_spec_id);
    if (!global || frz_partition_spec_is_unpartitioned(found)) {
        self->reach->spec_id = found->spec_id;
        return frz_key_columns_check_spec(&self->keys, frz_metadata_schema(metadata), found, err);
    }
    found = NULL;
    for (size_t i = 0; i < metadata->spec_count; i++) {
        if (frz_partition_spec_is_unpartitioned(&metadata->specs[i]))
            found = &metadata->specs[i];
    }
    if (!found)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "global deletes need a spec without partition fields, which the table "
                        "never had: drop its partition fields and add them again");
    self->reach->spec_id = found->spec_id;
    return FRZ_OK;
}

/* D034: a delete of a partitioned spec reaches data files of the same spec alone. */
static frz_status check_specs(void *context, frz_transaction *transaction,
                              const frz_snapshot *parent, frz_error **err)
{
    const delta_reach *self = context;
    const frz_metadata *metadata = transaction->table->metadata;
    const frz_partition_spec *spec = frz_metadata_find_spec(metadata, self->spec_id);
    frz_manifest_list list = {0};
    frz_arena arena = {0};
    frz_status status = FRZ_OK;
    if (!self->has_deletes || !parent || !spec || frz_partition_spec_is_unpartitioned(spec))
        return FRZ_OK;
    FRZ_TRY_DONE(frz_manifest_list_read(transaction->table->io, metadata, parent,
                                        &frz_limits_default, &arena, &list, err));
    for (size_t i = 0; i < list.count; i++) {
        const frz_manifest_file *file = &list.files[i];
        const bool live = file->added_files != 0 || file->existing_files != 0;
        if (file->content == 0 && file->spec_id != self->spec_id && live) {
            status =
                frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                         "partition spec %d wrote rows that equality deletes of spec %d do "
                         "not reach: delete globally (--all-partitions), or rewrite these files",
                         (int)file->spec_id, (int)self->spec_id);
            goto done;
        }
    }

done:
    frz_arena_clear(&arena);
    return status;
}

/* The snapshot that the branch stands at now; NULL when it is empty. */
static const frz_snapshot *current_snapshot(const frz_delta *self)
{
    const frz_metadata *metadata = self->change.base;
    const frz_snapshot_ref *ref =
        frz_metadata_find_ref(metadata, self->options.branch ? self->options.branch : "main");
    return ref ? frz_metadata_find_snapshot(metadata, ref->snapshot_id)
               : frz_metadata_current_snapshot(metadata);
}

static void note_place(void *context, const frz_placed_rows *rows)
{
    frz_delta *self = context;
    for (int64_t i = 0; i < rows->count; i++)
        self->places[rows->start + (rows->rows ? rows->rows[i] : i)] =
            (frz_row_place){rows->location, rows->position + i};
}

static frz_status open_delta(frz_delta *self, frz_table *table, const frz_delta_options *how,
                             frz_error **err)
{
    FRZ_TRY(frz_row_change_open(&self->change, &verb, table, FRZ_DELETE_MODE_MERGE_ON_READ,
                                &self->options, err));
    FRZ_TRY(frz_row_change_start(&self->change, err));
    self->reach = frz_arena_alloc(&self->change.transaction.arena, sizeof *self->reach);
    if (!self->reach)
        return frz_fail_memory(err);
    const frz_metadata *metadata = self->change.base;
    const frz_key_choice choice = {how->keys, how->key_count, !self->options.case_insensitive};
    FRZ_TRY(frz_key_columns_open(&self->keys, frz_metadata_schema(metadata), &choice, &self->arena,
                                 err));
    FRZ_TRY(choose_spec(self, how->global, err));
    FRZ_TRY(frz_placed_keys_new(how->memory_limit, how->spill_folder, &self->placed, err));
    const frz_file_context context =
        frz_row_change_delete_files(&self->change, &self->change.transaction.arena);
    const frz_equality_options equality = {&context, self->reach->spec_id,
                                           self->change.properties.delete_target_file_size,
                                           &self->options};
    FRZ_TRY(frz_equality_files_open(&self->equality, &equality, &self->keys, err));
    self->placement = (frz_row_placement){note_place, self};
    self->change.writer.placement = &self->placement;
    self->change.check = check_specs;
    self->change.check_self = self->reach;
    return FRZ_OK;
}

frz_status frz_delta_open(frz_table *table, const frz_delta_options *how,
                          const frz_write_options *options, frz_delta **out, frz_error **err)
{
    frz_delta_options taken = FRZ_DELTA_OPTIONS_INIT;
    frz_write_options taken_options;
    FRZ_TRY(FRZ_OPTIONS_TAKE(frz_delta_options, how, &taken, err));
    FRZ_TRY(frz_write_options_take(options, &taken_options, err));
    frz_delta *self = frz_alloc_zero(sizeof *self);
    if (!self)
        return frz_fail_memory(err);
    self->options = taken_options;
    const frz_status status = open_delta(self, table, &taken, err);
    if (status != FRZ_OK) {
        frz_equality_files_close(&self->equality);
        const frz_status told = frz_row_change_close(&self->change, status, err);
        frz_delta_free(self);
        return told;
    }
    *out = self;
    return FRZ_OK;
}

void frz_delta_free(frz_delta *self)
{
    if (!self)
        return;
    frz_equality_files_close(&self->equality);
    if (self->change.verb) {
        const frz_status dropped = frz_row_change_close(&self->change, FRZ_CANCELLED, NULL);
        (void)dropped;
    }
    for (size_t i = 0; i < self->target_count; i++)
        frz_bitmap_free(self->targets[i].positions);
    frz_free(self->targets);
    frz_placed_keys_free(self->placed);
    frz_key_columns_close(&self->keys);
    frz_free(self->places);
    frz_free(self->deleted_rows);
    frz_arena_clear(&self->arena);
    frz_free(self);
}

static frz_status check_usable(const frz_delta *self, frz_error **err)
{
    return self->failed ? frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                                   "a delta used after its failure, or after its commit")
                        : FRZ_OK;
}

/* Every step ends here: what failed once is of no use. */
static frz_status end_step(frz_delta *self, frz_status status, frz_error **err)
{
    const frz_table *table = self->change.transaction.table;
    if (status == FRZ_OK)
        return FRZ_OK;
    self->failed = true;
    return table ? frz_context(err, status, "%s table %s", verb.doing, table->identifier) : status;
}

/* Before the first key is deleted: what can be refused is refused before files are written. */
static frz_status begin_deletes(frz_delta *self, frz_error **err)
{
    if (self->reach->has_deletes)
        return FRZ_OK;
    self->reach->has_deletes = true;
    return check_specs(self->reach, &self->change.transaction, current_snapshot(self), err);
}

/* Keys in the order of their rows; `paths` tells whether the rows are the table's, which have
 * places, or keys alone. */
static frz_status note_keys(frz_delta *self, const frz_column_path *paths,
                            const struct ArrowArray *batch, bool deletes, frz_error **err)
{
    self->deleted_count = 0;
    for (int64_t row = 0; row < batch->length; row++) {
        const bool rows_come = paths == self->keys.in_table;
        const frz_row_place place = rows_come ? self->places[row] : (frz_row_place){0};
        bool first = false;
        FRZ_TRY(frz_key_columns_read(&self->keys, paths, batch, row, err));
        FRZ_TRY(frz_placed_keys_put(self->placed, frz_buffer_slice(&self->keys.bytes), place,
                                    deletes, &first, err));
        if (!first)
            continue;
        if (!frz_grow_array((void **)&self->deleted_rows, &self->deleted_capacity,
                            self->deleted_count, sizeof *self->deleted_rows))
            return frz_fail_memory(err);
        self->deleted_rows[self->deleted_count++] = row;
    }
    return FRZ_OK;
}

static frz_status take_rows(void *context, struct ArrowArray *columns, frz_error **err)
{
    frz_delta *self = context;
    struct ArrowArray keys = {0};
    while (self->place_capacity < (size_t)columns->length) {
        if (!frz_grow_array((void **)&self->places, &self->place_capacity, self->place_capacity,
                            sizeof *self->places))
            return frz_fail_memory(err);
    }
    FRZ_TRY(frz_row_writer_write(&self->change.writer, columns, err));
    FRZ_TRY(note_keys(self, self->keys.in_table, columns, self->deletes, err));
    if (self->deleted_count == 0)
        return FRZ_OK;
    FRZ_TRY(frz_key_columns_take(&self->keys, columns, self->deleted_rows,
                                 (int64_t)self->deleted_count, &keys, err));
    const frz_status status = frz_equality_files_write(&self->equality, &keys, err);
    frz_arrow_array_clear(&keys);
    return status;
}

static frz_status read_rows(frz_delta *self, struct ArrowArrayStream *rows, bool deletes,
                            frz_error **err)
{
    frz_row_change *change = &self->change;
    self->deletes = deletes;
    if (!change->writer.writer)
        FRZ_TRY(frz_row_writer_open(&change->writer, &change->transaction, false, err));
    if (deletes)
        FRZ_TRY(begin_deletes(self, err));
    return frz_inputs_read(&change->transaction, rows, 1, take_rows, self, err);
}

static frz_status bring_rows(frz_delta *self, struct ArrowArrayStream *rows, bool deletes,
                             frz_error **err)
{
    frz_status status = check_usable(self, err);
    if (status == FRZ_OK && !frz_row_change_is_done(&self->change))
        status = read_rows(self, rows, deletes, err);
    frz_arrow_stream_clear(rows);
    return end_step(self, status, err);
}

frz_status frz_delta_insert(frz_delta *self, struct ArrowArrayStream *rows, frz_error **err)
{
    return bring_rows(self, rows, false, err);
}

frz_status frz_delta_upsert(frz_delta *self, struct ArrowArrayStream *rows, frz_error **err)
{
    return bring_rows(self, rows, true, err);
}

/* A key column that is not given would delete the rows that have null there. */
static frz_status check_all_given(const frz_delta *self, const frz_input_columns *input,
                                  frz_error **err)
{
    const size_t id_count = (size_t)frz_schema_highest_id(self->keys.schema) + 1;
    bool *given = frz_alloc_array(id_count, sizeof *given);
    frz_status status = given ? FRZ_OK : frz_fail_memory(err);
    if (given)
        memset(given, 0, id_count * sizeof *given);
    if (given)
        frz_input_columns_mark(input, given, id_count);
    for (size_t i = 0; status == FRZ_OK && i < self->keys.count; i++) {
        if (!given[self->keys.ids[i]])
            status =
                frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "the rows of keys lack the key column %s",
                         frz_schema_path(self->keys.schema, self->keys.ids[i]));
    }
    frz_free(given);
    return status;
}

static frz_status delete_batch(frz_delta *self, struct ArrowArray *rows, frz_error **err)
{
    struct ArrowArray keys = {0};
    FRZ_TRY(note_keys(self, self->keys.in_keys, rows, true, err));
    if (self->deleted_count == 0)
        return FRZ_OK;
    FRZ_TRY(frz_arrow_array_take(&self->keys.arrow, rows, self->deleted_rows,
                                 (int64_t)self->deleted_count, &keys, err));
    const frz_status status = frz_equality_files_write(&self->equality, &keys, err);
    frz_arrow_array_clear(&keys);
    return status;
}

static frz_status read_batches(frz_delta *self, frz_input_columns *input,
                               struct ArrowArrayStream *keys, frz_error **err)
{
    for (;;) {
        struct ArrowArray batch = {0};
        struct ArrowArray rows = {0};
        FRZ_TRY(frz_transaction_check_cancelled(&self->change.transaction, err));
        frz_status status = frz_arrow_stream_next(keys, &batch, err);
        if (status != FRZ_OK)
            return status == FRZ_END ? FRZ_OK : status;
        FRZ_TRY(frz_input_columns_run(input, &batch, &rows, err));
        status = delete_batch(self, &rows, err);
        frz_arrow_array_clear(&rows);
        if (status != FRZ_OK)
            return status;
    }
}

static frz_status read_keys(frz_delta *self, struct ArrowArrayStream *keys, frz_error **err)
{
    struct ArrowSchema given = {0};
    frz_input_columns *input = NULL;
    frz_status status = FRZ_OK;
    FRZ_TRY_DONE(frz_arrow_stream_schema(keys, &given, err));
    FRZ_TRY_DONE(frz_input_columns_new(&given, self->keys.schema, !self->options.case_insensitive,
                                       &input, err));
    FRZ_TRY_DONE(check_all_given(self, input, err));
    FRZ_TRY_DONE(begin_deletes(self, err));
    FRZ_TRY_DONE(read_batches(self, input, keys, err));

done:
    frz_input_columns_free(input);
    frz_arrow_schema_clear(&given);
    return status;
}

frz_status frz_delta_delete_keys(frz_delta *self, struct ArrowArrayStream *keys, frz_error **err)
{
    frz_status status = check_usable(self, err);
    if (status == FRZ_OK && !frz_row_change_is_done(&self->change))
        status = read_keys(self, keys, err);
    frz_arrow_stream_clear(keys);
    return end_step(self, status, err);
}

static frz_status find_target(frz_delta *self, const char *path, delta_target **out,
                              frz_error **err)
{
    for (size_t i = self->target_count; i > 0; i--) { /* the last one mostly */
        if (strcmp(self->targets[i - 1].path, path) == 0) {
            *out = &self->targets[i - 1];
            return FRZ_OK;
        }
    }
    delta_target made = {.path = frz_arena_text(&self->arena, path)};
    if (!made.path || !frz_grow_array((void **)&self->targets, &self->target_capacity,
                                      self->target_count, sizeof made))
        return frz_fail_memory(err);
    FRZ_TRY(frz_bitmap_new(&made.positions, err));
    self->targets[self->target_count] = made;
    *out = &self->targets[self->target_count++];
    return FRZ_OK;
}

static frz_status add_positions(frz_delta *self, const char *path, const int64_t *positions,
                                size_t count, frz_error **err)
{
    delta_target *target = NULL;
    FRZ_TRY(check_usable(self, err));
    FRZ_TRY(find_target(self, path, &target, err));
    for (size_t i = 0; i < count; i++)
        FRZ_TRY(frz_bitmap_add(target->positions, positions[i], err));
    return FRZ_OK;
}

frz_status frz_delta_delete_positions(frz_delta *self, const char *path, const int64_t *positions,
                                      size_t count, frz_error **err)
{
    return end_step(self, add_positions(self, path, positions, count, err), err);
}

/* Takes the positions of a target into the change. */
static frz_status hand_on(frz_delta *self, delta_target *target, frz_error **err)
{
    const frz_plan *plan = self->change.rows.plan;
    for (size_t i = 0; i < frz_plan_task_count(plan); i++) {
        const frz_scan_task *task = frz_plan_task(plan, i);
        const frz_data_file *file = &task->entry->file;
        if (!frz_slice_is_text(file->path, target->path))
            continue;
        if (frz_bitmap_last(target->positions) >= file->record_count)
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                            "position %" PRId64 " of data file %s, which has %" PRId64 " rows",
                            frz_bitmap_last(target->positions), target->path, file->record_count);
        frz_bitmap *positions = target->positions;
        target->positions = NULL;
        return frz_row_delete_add(&self->change.rows, task, positions, err);
    }
    return frz_fail(err, FRZ_NOT_FOUND, FRZ_NO_OFFSET, "no data file %s in the table",
                    target->path);
}

static frz_status hand_on_all(frz_delta *self, frz_error **err)
{
    if (self->target_count == 0)
        return FRZ_OK;
    FRZ_TRY(frz_row_delete_plan(&self->change.rows, &self->change.transaction, err));
    self->change.rows.serializable = false; /* nothing was read that new files could change */
    for (size_t i = 0; i < self->target_count; i++)
        FRZ_TRY(hand_on(self, &self->targets[i], err));
    return FRZ_OK;
}

/* What goes in a data file of this commit, by positions. */
static frz_status write_positions(frz_delta *self, frz_data_file *out, size_t *count,
                                  frz_error **err)
{
    frz_row_change *change = &self->change;
    frz_file_context context = frz_row_change_delete_files(change, &change->transaction.arena);
    context.file_count = (int32_t)change->position_file_count; /* names given out */
    frz_position_target *targets =
        frz_arena_array(context.arena, change->added_count + 1, sizeof *targets);
    size_t target_count = 0;
    size_t made = 0;
    if (!targets)
        return frz_fail_memory(err);
    for (size_t i = 0; i < change->added_count; i++) {
        const frz_data_file *data = &change->added[i];
        const frz_bitmap *positions = frz_placed_keys_deleted(self->placed, data->path);
        if (positions)
            targets[target_count++] = (frz_position_target){data, positions};
    }
    const frz_position_files how = {&context, change->properties.deletes_by_partition,
                                    change->properties.delete_target_file_size};
    FRZ_TRY(frz_position_files_write(&how, targets, target_count, out + *count, &made, err));
    *count += made;
    return FRZ_OK;
}

static frz_status write_vectors(frz_delta *self, frz_data_file *out, size_t *count, frz_error **err)
{
    frz_row_change *change = &self->change;
    frz_arena *arena = &change->transaction.arena;
    frz_file_context context = frz_row_change_delete_files(change, arena);
    frz_new_vector *vectors = frz_arena_array(arena, change->added_count + 1, sizeof *vectors);
    size_t made = 0;
    if (!vectors)
        return frz_fail_memory(err);
    for (size_t i = 0; i < change->added_count; i++) {
        const frz_data_file *data = &change->added[i];
        const frz_bitmap *positions = frz_placed_keys_deleted(self->placed, data->path);
        if (positions)
            vectors[made++] = (frz_new_vector){data, positions};
    }
    const frz_vector_files files = {&context, change->properties.delete_target_file_size,
                                    FRZ_EVERY_ATTEMPT};
    FRZ_TRY(frz_vector_files_write(&files, vectors, made, out + *count, err));
    change->vector_file_count = context.file_count; /* those of attempts have other names */
    *count += made;
    return FRZ_OK;
}

static frz_status write_own_deletes(frz_delta *self, frz_error **err)
{
    frz_row_change *change = &self->change;
    const frz_data_file *equality = NULL;
    size_t count = 0;
    FRZ_TRY(frz_equality_files_finish(&self->equality, &equality, &count, err));
    frz_data_file *all =
        frz_arena_array(&change->transaction.arena, count + change->added_count + 1, sizeof *all);
    if (!all)
        return frz_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        all[i] = equality[i];
    if (change->base->format_version == 2)
        FRZ_TRY(write_positions(self, all, &count, err));
    else
        FRZ_TRY(write_vectors(self, all, &count, err));
    change->made_deletes = all;
    change->made_delete_count = count;
    return FRZ_OK;
}

static frz_status seal(frz_delta *self, frz_error **err)
{
    FRZ_TRY(frz_placed_keys_seal(self->placed, err));
    FRZ_TRY(hand_on_all(self, err));
    FRZ_TRY(frz_row_change_seal(&self->change, err));
    return write_own_deletes(self, err);
}

frz_status frz_delta_commit(frz_delta *self, frz_commit **out, frz_error **err)
{
    if (self->failed)
        return check_usable(self, err);
    frz_status status = frz_row_change_is_done(&self->change) ? FRZ_OK : seal(self, err);
    if (status == FRZ_OK)
        status = frz_row_change_commit(&self->change, out, err);
    self->failed = true;
    frz_equality_files_close(&self->equality);
    return frz_row_change_close(&self->change, status, err);
}
