#include "write/row_change.h"

#include <stdio.h>
#include <strings.h>

#include "base/fail.h"
#include "base/mem.h"
#include "scan/delete_index.h"
#include "scan/deletes.h"
#include "write/kept_columns.h"
#include "write/position_file.h"
#include "write/restate.h"
#include "write/rewrite.h"
#include "write/row_properties.h"
#include "write/steps.h"
#include "write/vector_files.h"

static frz_status choose_mode(frz_row_change *self, frz_delete_mode mode, frz_error **err)
{
    const frz_metadata *metadata = self->transaction.table->metadata;
    const bool v1 = metadata->format_version == 1;
    if (mode == FRZ_DELETE_MODE_DEFAULT && !v1)
        FRZ_TRY(frz_row_mode_read(metadata, self->verb->name, &mode, err));
    if (v1 && mode == FRZ_DELETE_MODE_MERGE_ON_READ)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "format version 1 has no delete files: use copy-on-write, or upgrade the "
                        "table");
    self->copy_on_write = v1 || mode == FRZ_DELETE_MODE_COPY_ON_WRITE;
    return FRZ_OK;
}

frz_status frz_row_change_open(frz_row_change *self, const frz_row_verb *verb, frz_table *table,
                               frz_delete_mode mode, const frz_write_options *options,
                               frz_error **err)
{
    *self = (frz_row_change){.verb = verb};
    FRZ_TRY(frz_transaction_open(table, options, &self->transaction, err));
    frz_steps *steps = frz_steps_of(table);
    if (steps) {
        self->rows.names = &steps->names;
        self->kept = frz_alloc_zero(sizeof *self->kept);
        if (!self->kept)
            return frz_fail_memory(err);
    }
    self->rows.options = self->transaction.options;
    self->rows.verb = verb->name;
    FRZ_TRY(frz_transaction_look_back(&self->transaction, err));
    return choose_mode(self, mode, err);
}

bool frz_row_change_is_done(const frz_row_change *self)
{
    return self->transaction.known != NULL;
}

frz_status frz_row_change_start(frz_row_change *self, frz_error **err)
{
    frz_transaction *transaction = &self->transaction;
    FRZ_TRY(frz_table_refresh(transaction->table, err));
    self->base = frz_metadata_ref(transaction->table->metadata);
    return frz_write_properties_read(self->base, &transaction->arena, &self->properties, err);
}

frz_status frz_row_change_open_writer(frz_row_change *self, frz_error **err)
{
    return self->writer.writer ? FRZ_OK
                               : frz_row_writer_open(&self->writer, &self->transaction, true, err);
}

frz_file_context frz_row_change_delete_files(frz_row_change *self, frz_arena *arena)
{
    frz_transaction *transaction = &self->transaction;
    return (frz_file_context){.io = transaction->table->io,
                              .metadata = transaction->table->metadata,
                              .options = frz_delete_file_options(&self->properties),
                              .own = &transaction->own,
                              .arena = arena,
                              .operation_id = transaction->uuid};
}

/* What a position file says of its data file, kept beyond the plan it came from. */
static frz_status copy_data_file(const frz_data_file *file, frz_arena *arena, frz_data_file *out,
                                 frz_error **err)
{
    frz_data_file copy = {.content = FRZ_CONTENT_DATA,
                          .spec_id = file->spec_id,
                          .partition_count = file->partition_count};
    frz_value *values = frz_arena_array(arena, file->partition_count + 1, sizeof *values);
    if (!values || !frz_arena_slice(arena, file->path, &copy.path))
        return frz_fail_memory(err);
    for (size_t i = 0; i < file->partition_count; i++) {
        if (!frz_value_copy(&file->partition[i], arena, &values[i]))
            return frz_fail_memory(err);
    }
    copy.partition = values;
    *out = copy;
    return FRZ_OK;
}

/* V2: files of new positions add to what is deleted already, so that they are the same in every
 * attempt. */
static frz_status write_position_files(frz_row_change *self, frz_error **err)
{
    frz_arena *arena = &self->transaction.arena;
    frz_file_context context = frz_row_change_delete_files(self, arena);
    const size_t room = self->rows.target_count + 1;
    frz_data_file *data = frz_arena_array(arena, room, sizeof *data);
    frz_position_target *targets = frz_arena_array(arena, room, sizeof *targets);
    frz_data_file *files = frz_arena_array(arena, room, sizeof *files);
    size_t count = 0;
    if (!data || !targets || !files)
        return frz_fail_memory(err);
    for (size_t i = 0; i < self->rows.target_count; i++) {
        const frz_delete_target *target = &self->rows.targets[i];
        if (target->whole)
            continue;
        FRZ_TRY(copy_data_file(&target->task->entry->file, arena, &data[count], err));
        targets[count] = (frz_position_target){&data[count], target->positions};
        count++;
    }
    FRZ_TRY(frz_transaction_check_cancelled(&self->transaction, err));
    const frz_position_files how = {&context, self->properties.deletes_by_partition,
                                    self->properties.delete_target_file_size};
    FRZ_TRY(frz_position_files_write(&how, targets, count, files, &self->position_file_count, err));
    self->position_files = files;
    return FRZ_OK;
}

/* Everything deleted in a target: what its delete files say now, and the new positions. The vector
 * replaces them all for the reader (spec "Deletion Vectors"), V2 position deletes included. */
static frz_status unite(const frz_row_change *self, const frz_delete_target *target,
                        frz_bitmap **out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_delete_set *known = NULL;
    frz_bitmap *all = NULL;
    FRZ_TRY_DONE(frz_bitmap_new(&all, err));
    FRZ_TRY_DONE(frz_task_load_deletes(self->rows.scan, target->task, &known, err));
    if (known)
        FRZ_TRY_DONE(frz_bitmap_or(all, frz_delete_set_bitmap(known), err));
    FRZ_TRY_DONE(frz_bitmap_or(all, target->positions, err));
    *out = all;
    all = NULL;

done:
    frz_delete_set_unref(known);
    frz_bitmap_free(all);
    return status;
}

static frz_status same_positions(const frz_bitmap *a, const frz_bitmap *b, bool *out,
                                 frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_buffer first = {0};
    frz_buffer second = {0};
    *out = false;
    if (frz_bitmap_cardinality(a) != frz_bitmap_cardinality(b))
        return FRZ_OK;
    FRZ_TRY_DONE(frz_bitmap_encode(a, &first, err));
    FRZ_TRY_DONE(frz_bitmap_encode(b, &second, err));
    *out = frz_slice_equal(frz_buffer_slice(&first), frz_buffer_slice(&second));

done:
    frz_buffer_clear(&first);
    frz_buffer_clear(&second);
    return status;
}

/* The vector that an earlier attempt wrote for the target serves again when nothing else was
 * deleted in it meanwhile: what later operations of a transaction saw stays as they saw it. */
static frz_status renew_vector(frz_row_change *self, size_t index, bool *as_before, frz_error **err)
{
    const frz_delete_target *target = &self->rows.targets[index];
    frz_target_vector *vector = &self->vectors[index];
    frz_bitmap *all = NULL;
    frz_status status = FRZ_OK;
    *as_before = false;
    FRZ_TRY(unite(self, target, &all, err));
    if (vector->positions && vector->entry.path.size)
        status = same_positions(vector->positions, all, as_before, err);
    frz_bitmap_free(vector->positions);
    vector->positions = all;
    if (*as_before &&
        !frz_slice_equal(vector->entry.referenced_data_file, target->task->entry->file.path)) {
        vector->before = vector->entry;
        *as_before = false;
    }
    if (status == FRZ_OK && *as_before)
        frz_own_files_use(&self->transaction.own, vector->entry.path, self->transaction.attempt);
    return status;
}

/* What a vector was called that has moved with its data file: it deletes what it did. */
static frz_status name_vector(const frz_row_change *self, frz_target_vector *vector,
                              frz_error **err)
{
    frz_steps *steps = frz_steps_of(self->transaction.table);
    frz_buffer name = {0};
    frz_buffer before = {0};
    if (!steps || !vector->before.path.size)
        return FRZ_OK;
    frz_delete_file_name(&vector->entry, &name);
    frz_delete_file_name(&vector->before, &before);
    frz_status status = frz_buffer_check(&name, err);
    if (status == FRZ_OK)
        status = frz_buffer_check(&before, err);
    if (status == FRZ_OK)
        status = frz_first_names_add(&steps->names, frz_buffer_slice(&name),
                                     frz_buffer_slice(&before), err);
    vector->before = (frz_data_file){0};
    frz_buffer_clear(&name);
    frz_buffer_clear(&before);
    return status;
}

/* The vectors of targets [0, count) of `indexes`, to one Puffin file or a few. */
static frz_status write_new_vectors(frz_row_change *self, const size_t *indexes, size_t count,
                                    frz_error **err)
{
    frz_arena *arena = &self->transaction.arena;
    frz_file_context context = frz_row_change_delete_files(self, arena);
    frz_new_vector *vectors = frz_arena_array(arena, count + 1, sizeof *vectors);
    frz_data_file *data = frz_arena_array(arena, count + 1, sizeof *data);
    frz_data_file *entries = frz_arena_array(arena, count + 1, sizeof *entries);
    if (!vectors || !data || !entries)
        return frz_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        const frz_delete_target *target = &self->rows.targets[indexes[i]];
        self->vectors[indexes[i]].entry = (frz_data_file){0};
        FRZ_TRY(copy_data_file(&target->task->entry->file, arena, &data[i], err));
        vectors[i] = (frz_new_vector){&data[i], self->vectors[indexes[i]].positions};
    }
    context.file_count = self->vector_file_count;
    const frz_vector_files files = {&context, self->properties.delete_target_file_size,
                                    self->transaction.attempt};
    frz_status status = frz_vector_files_write(&files, vectors, count, entries, err);
    self->vector_file_count = context.file_count;
    for (size_t i = 0; i < count && status == FRZ_OK; i++) {
        self->vectors[indexes[i]].entry = entries[i];
        status = name_vector(self, &self->vectors[indexes[i]], err);
    }
    return status;
}

static bool gets_vector(const frz_delete_target *target)
{
    return !target->whole && !target->gone;
}

/* A vector per target: those of whole files stay empty. */
static bool make_room(frz_row_change *self, size_t count)
{
    if (self->vectors && count <= self->vector_count)
        return true;
    frz_target_vector *vectors = frz_alloc_array(count + 1, sizeof *vectors);
    if (!vectors)
        return false;
    for (size_t i = 0; self->vectors && i < self->vector_count; i++)
        vectors[i] = self->vectors[i];
    frz_free(self->vectors);
    self->vectors = vectors;
    self->vector_count = count;
    return true;
}

/* The vectors of one attempt. */
static frz_status write_vectors(frz_row_change *self, frz_change *change, frz_error **err)
{
    frz_arena *arena = &self->transaction.attempt_arena;
    const size_t count = self->rows.target_count;
    size_t made = 0;
    size_t new_count = 0;
    size_t *indexes = frz_arena_array(arena, count + 1, sizeof *indexes);
    frz_data_file *entries = frz_arena_array(arena, count + 1, sizeof *entries);
    if (!make_room(self, count) || !indexes || !entries)
        return frz_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        bool as_before = false;
        if (!gets_vector(&self->rows.targets[i]))
            continue;
        FRZ_TRY(renew_vector(self, i, &as_before, err));
        if (!as_before)
            indexes[new_count++] = i;
    }
    FRZ_TRY(write_new_vectors(self, indexes, new_count, err));
    for (size_t i = 0; i < count; i++)
        if (gets_vector(&self->rows.targets[i]))
            entries[made++] = self->vectors[i].entry;
    change->added_deletes = entries;
    change->added_delete_count = made;
    return FRZ_OK;
}

/* A vector, or position deletes of one data file alone: of no use once that file has a newer vector
 * or is gone. Position delete files that may cover other data files stay. */
static bool is_of_one_file(const frz_data_file *deletes)
{
    return deletes->format == FRZ_FORMAT_PUFFIN ||
           (deletes->content == FRZ_CONTENT_POSITION_DELETES &&
            frz_position_file_target(deletes).size > 0);
}

static void list_removed_deletes(const frz_scan_task *task, frz_change *change)
{
    for (size_t i = 0; i < task->delete_count; i++) {
        const frz_data_file *file = &task->deletes[i]->file;
        if (is_of_one_file(file))
            change->removed[change->removed_count++] = (frz_removed_file){
                .path = file->path, .content_offset = file->content_offset, .deletes = true};
    }
}

/*
 * A data file goes when it is whole or rewritten, with the deletes that are its alone. A new vector
 * replaces these too, so that no snapshot has two, nor position deletes beside it (spec "Deletion
 * Vectors"). V2 position files add to those that are there.
 */
static frz_status list_removed(frz_row_change *self, frz_change *change, frz_error **err)
{
    frz_arena *arena = &self->transaction.attempt_arena;
    const size_t count = self->rows.target_count;
    size_t most = count + 1;
    for (size_t i = 0; i < count; i++)
        most += self->rows.targets[i].gone ? 0 : self->rows.targets[i].task->delete_count;
    change->removed = frz_arena_array(arena, most, sizeof *change->removed);
    const char **manifests = frz_arena_array(arena, count + 1, sizeof *manifests);
    if (!change->removed || !manifests)
        return frz_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        const frz_delete_target *target = &self->rows.targets[i];
        const bool goes = target->whole || self->copy_on_write;
        if (target->gone)
            continue;
        if (goes) {
            change->removed[change->removed_count++] =
                (frz_removed_file){.path = target->task->entry->file.path, .content_offset = -1};
            manifests[change->removed_manifest_count++] = target->task->manifest->path;
        }
        if (goes || self->base->format_version > 2)
            list_removed_deletes(target->task, change);
    }
    change->removed_manifests = manifests;
    return FRZ_OK;
}

/* Java's RowDelta, OverwriteFiles (by a filter) and ReplacePartitions: what a snapshot did names
 * its operation. */
static const char *operation_of(const frz_row_change *self, const frz_change *change)
{
    if (self->replaces_partitions)
        return "overwrite";
    if (change->added_data_count == 0)
        return "delete";
    if (self->verb->overwrites)
        return "overwrite";
    return change->removed_count + change->added_delete_count > 0 ? "overwrite" : "append";
}

static frz_status join_made_deletes(frz_row_change *self, frz_change *change, frz_error **err)
{
    const size_t known = change->added_delete_count;
    const size_t more = self->made_delete_count;
    if (more == 0)
        return FRZ_OK;
    frz_data_file *all =
        frz_arena_array(&self->transaction.attempt_arena, known + more, sizeof *all);
    if (!all)
        return frz_fail_memory(err);
    for (size_t i = 0; i < known + more; i++)
        all[i] = i < known ? change->added_deletes[i] : self->made_deletes[i - known];
    change->added_deletes = all;
    change->added_delete_count = known + more;
    return FRZ_OK;
}

/* What the rows were found by, and the files were written for, is still what it was. */
static frz_status check_shape(const frz_row_change *self, const frz_metadata *now, frz_error **err)
{
    if (now->format_version != self->base->format_version)
        return frz_fail(err, FRZ_CONFLICT, FRZ_NO_OFFSET,
                        "another commit upgraded the table to format version %d",
                        (int)now->format_version);
    if (self->replaces_partitions && now->default_spec_id != self->base->default_spec_id)
        return frz_fail(err, FRZ_CONFLICT, FRZ_NO_OFFSET,
                        "another commit changed the partition spec, by which this one tells what "
                        "it replaces");
    return frz_kept_columns_check(self->base, now, err);
}

/* Files that state lineage of the base before are of no use on this one. */
static frz_status restate(frz_row_change *self, frz_error **err)
{
    frz_transaction *transaction = &self->transaction;
    frz_steps *steps = frz_steps_of(transaction->table);
    if (!steps || !frz_given_lineage_concerns(&steps->lineage, transaction))
        return FRZ_OK;
    const frz_restating work = {transaction, self->base, &steps->lineage, &steps->names};
    frz_data_file *files =
        frz_arena_array(&transaction->arena, self->added_count + 1, sizeof *files);
    if (!files)
        return frz_fail_memory(err);
    for (size_t i = 0; i < self->added_count; i++)
        files[i] = self->added[i];
    FRZ_TRY(frz_restate_files(&work, files, self->added_count, err));
    self->added = files;
    transaction->new_data.format_version = 0; /* its manifests name the files before */
    return FRZ_OK;
}

/* Which of the position files serve this attempt: not those of data files that went since. */
static frz_status list_position_files(frz_row_change *self, frz_change *change, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_transaction *transaction = &self->transaction;
    const frz_row_delete *rows = &self->rows;
    const bool none = rows->gone_count > 0 && !frz_row_delete_has_parts(rows);
    frz_map gone = {0};
    frz_data_file *files =
        frz_arena_array(&transaction->attempt_arena, self->position_file_count + 1, sizeof *files);
    if (!files)
        return frz_fail_memory(err);
    for (size_t i = 0; i < rows->target_count && rows->gone_count > 0; i++) {
        if (rows->targets[i].gone &&
            !frz_map_put(&gone, rows->targets[i].path, (frz_map_value){.number = 1})) {
            status = frz_fail_memory(err);
            goto done;
        }
    }
    change->added_deletes = files;
    for (size_t i = 0; i < self->position_file_count; i++) {
        const frz_data_file *file = &self->position_files[i];
        if (none || frz_map_find(&gone, frz_position_file_target(file))) {
            frz_own_files_retire(&transaction->own, file->path, transaction->attempt);
            continue;
        }
        frz_own_files_use(&transaction->own, file->path, transaction->attempt);
        files[change->added_delete_count++] = *file;
    }

done:
    frz_map_clear(&gone);
    return status;
}

static bool is_empty(const frz_row_change *self)
{
    return self->rows.target_count == 0 && self->added_count == 0 && self->made_delete_count == 0;
}

/* Others did all there was to do. */
static bool has_nothing_left(const frz_row_change *self)
{
    return self->rows.target_count == self->rows.gone_count && self->added_count == 0 &&
           self->made_delete_count == 0;
}

static frz_status prepare(void *context, frz_transaction *transaction, const frz_snapshot *parent,
                          frz_change *out, frz_error **err)
{
    frz_row_change *self = context;
    frz_change change = {0};
    if (self->check)
        FRZ_TRY(self->check(self->check_self, transaction, parent, err));
    if (is_empty(self) && !transaction->observes)
        return FRZ_OK;
    if (!self->verb->takes_all)
        FRZ_TRY(check_shape(self, transaction->table->metadata, err));
    if (self->rows.planned_at)
        FRZ_TRY(frz_row_delete_renew(
            &self->rows, transaction,
            self->copy_on_write ? self->verb->copy_on_write : self->verb->merge_on_read, err));
    if (!self->copy_on_write && self->base->format_version == 2)
        FRZ_TRY(list_position_files(self, &change, err));
    if (has_nothing_left(self))
        return FRZ_OK;
    FRZ_TRY(list_removed(self, &change, err));
    FRZ_TRY(restate(self, err));
    change.added_data = self->added;
    change.added_data_count = self->added_count;
    if (!self->copy_on_write && self->base->format_version != 2)
        FRZ_TRY(write_vectors(self, &change, err));
    FRZ_TRY(join_made_deletes(self, &change, err));
    change.operation = operation_of(self, &change);
    change.replaces_partitions =
        self->replaces_partitions && !frz_row_delete_has_parts(&self->rows);
    *out = change;
    return FRZ_OK;
}

frz_status frz_row_change_seal(frz_row_change *self, frz_error **err)
{
    const bool rewrites = self->copy_on_write && frz_row_delete_has_parts(&self->rows);
    if (rewrites) {
        FRZ_TRY(frz_row_change_open_writer(self, err));
        FRZ_TRY(frz_rewrite_targets(&self->rows, &self->transaction, &self->writer, err));
    }
    if (self->writer.writer)
        FRZ_TRY(frz_row_writer_finish(&self->writer, &self->added, &self->added_count, err));
    if (!self->copy_on_write && self->base->format_version == 2)
        return write_position_files(self, err);
    return FRZ_OK;
}

frz_status frz_row_change_commit(frz_row_change *self, frz_commit **out, frz_error **err)
{
    if (self->kept)
        FRZ_TRY(frz_row_delete_keep(&self->rows, err));
    return frz_transaction_commit(&self->transaction, prepare, self, out, err);
}

static void clear(frz_row_change *self)
{
    for (size_t i = 0; self->vectors && i < self->vector_count; i++)
        frz_bitmap_free(self->vectors[i].positions);
    frz_free(self->vectors);
    frz_row_delete_clear(&self->rows);
    frz_metadata_unref(self->base);
    frz_free(self->kept);
}

static void release(void *context)
{
    frz_row_change *self = context;
    clear(self);
    frz_transaction_close(&self->transaction, FRZ_OK);
    frz_free(self);
}

/* In a transaction of several operations one that found no row counts, too: what follows goes by
 * it. */
static bool observes(const frz_row_change *self)
{
    return self->kept && !self->transaction.staged && is_empty(self) && self->rows.planned_at &&
           self->rows.serializable;
}

frz_status frz_row_change_close(frz_row_change *self, frz_status status, frz_error **err)
{
    const frz_table *table = self->transaction.table;
    if (status != FRZ_OK)
        status = frz_context(err, status, "%s table %s", self->verb->doing,
                             table && table->identifier ? table->identifier : "without catalog");
    frz_row_writer_close(&self->writer);
    self->transaction.observes = status == FRZ_OK && observes(self);
    if (status == FRZ_OK && (self->transaction.staged || self->transaction.observes)) {
        frz_row_change *kept = self->kept;
        frz_row_delete_rest(&self->rows);
        *kept = *self;
        kept->kept = NULL;
        kept->rows.options = &kept->transaction.kept_options;
        status = frz_transaction_retire(&kept->transaction, FRZ_OK, kept, release, err);
    } else {
        if (table)
            status = frz_transaction_end(&self->transaction, status, err);
        clear(self);
    }
    *self = (frz_row_change){0};
    return status;
}
