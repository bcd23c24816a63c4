#include <string.h>
#include <strings.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"
#include "base/options.h"
#include "expr/evaluate.h"
#include "write/assigner.h"
#include "write/merge_source.h"
#include "write/row_change.h"
#include "write/task_batches.h"

/* As an update: new rows stand for the old ones. */
static const frz_row_verb merging_verb = {.name = "merge",
                                          .doing = "merge into",
                                          .merge_on_read = FRZ_RENEW_REPLACED,
                                          .copy_on_write = FRZ_RENEW_REPLACED};

enum { SELECT_EXTRA = 3 };

/* A clause WHEN MATCHED, compiled for batches of table and source columns. */
typedef struct clause {
    frz_merge_action action;
    frz_evaluator *condition; /* NULL: always */
    frz_assigner *assigner;   /* of an update with assignments of its own */
} clause;

/*
 * Each part of the source is joined with the whole table: rows of the table are
 * looked up by key in the part, those that match go through the clauses, and
 * what was not taken of the part is inserted. Where rows stood is remembered
 * over all parts.
 */
typedef struct merging {
    frz_row_change change;
    const frz_merge_options *how;
    frz_arena arena;
    frz_merge_source *source;
    const frz_field *const *keys;
    size_t key_count;
    frz_row_key table_key; /* over batches of the scan */
    const char **select;
    size_t select_count;
    bool whole_rows; /* all columns are read, in the table's order; else only keys
                      */
    struct ArrowSchema read;
    struct ArrowSchema row_schema; /* of the table's columns */
    frz_type combined;             /* what was read, and the source as a struct */
    frz_schema *names;             /* the same, for the clauses' text; NULL without any */
    int64_t row_id_column;         /* -1: none */
    int64_t position_column;
    clause *clauses;
    size_t clause_count;
    frz_bitmap **positions; /* per task: rows that leave */
    size_t task_count;
    size_t part; /* of the source, loaded */
    size_t task; /* at hand */
} merging;

/* Rows of one batch that have a row of the source. */
typedef struct matches {
    int64_t *table;  /* rows of the batch */
    int64_t *source; /* rows of the part */
    int64_t count;
} matches;

/* Clauses that name columns. */
static bool has_text(const merging *self)
{
    for (size_t i = 0; i < self->how->matched_count; i++) {
        if (self->how->matched[i].where || self->how->matched[i].set)
            return true;
    }
    return false;
}

static bool wants_whole_rows(const merging *self)
{
    const frz_type *root = frz_schema_type(frz_metadata_schema(self->change.base));
    const frz_source_fields *has = frz_merge_source_fields(self->source);
    if (has_text(self))
        return true;
    for (size_t i = 0; i < root->field_count; i++) {
        const frz_field *field = &root->fields[i];
        if (!frz_source_has(has, field->id) || frz_overlay_is_partial(has, field))
            return self->how->matched_count > 0;
    }
    return false;
}

static frz_status choose_columns(merging *self, frz_error **err)
{
    const frz_schema *schema = frz_metadata_schema(self->change.base);
    const size_t room = self->key_count + SELECT_EXTRA;
    self->whole_rows = wants_whole_rows(self);
    self->select = frz_arena_array(&self->arena, room, sizeof(const char *));
    if (!self->select)
        return frz_fail_memory(err);
    if (self->whole_rows)
        self->select[self->select_count++] = "*";
    for (size_t i = 0; i < self->key_count && !self->whole_rows; i++)
        self->select[self->select_count++] = frz_schema_path(schema, self->keys[i]->id);
    if (self->change.base->format_version >= 3)
        self->select[self->select_count++] = "_row_id";
    self->select[self->select_count++] = "_pos";
    self->change.rows.select = self->select;
    self->change.rows.select_count = self->select_count;
    return FRZ_OK;
}

static frz_status plan(merging *self, frz_error **err)
{
    frz_row_delete *rows = &self->change.rows;
    FRZ_TRY(choose_columns(self, err));
    rows->where =
        self->how->delete_not_matched_by_source ? NULL : frz_merge_source_filter(self->source);
    FRZ_TRY(frz_row_delete_plan(rows, &self->change.transaction, err));
    const frz_type *read = rows->scan->projection.type;
    self->position_column = (int64_t)read->field_count - 1;
    self->row_id_column = self->change.base->format_version >= 3 ? self->position_column - 1 : -1;
    FRZ_TRY(frz_scan_arrow_schema(rows->scan, &self->read, err));
    FRZ_TRY(frz_schema_to_arrow(frz_metadata_schema(self->change.base), &self->row_schema, err));
    FRZ_TRY(
        frz_row_key_init(&self->table_key, self->keys, self->key_count, read, &self->arena, err));
    self->task_count = frz_plan_task_count(rows->plan);
    self->positions = frz_arena_array(&self->arena, self->task_count + 1, sizeof(frz_bitmap *));
    if (!self->positions)
        return frz_fail_memory(err);
    for (size_t i = 0; i < self->task_count; i++)
        FRZ_TRY(frz_bitmap_new(&self->positions[i], err));
    return FRZ_OK;
}

/* Columns of the source have ids of their own, so that a name means one of
 * both. */
static frz_status combine_types(merging *self, frz_error **err)
{
    const frz_schema *schema = frz_metadata_schema(self->change.base);
    const frz_type *root = frz_schema_type(schema);
    const size_t count = root->field_count;
    int32_t last = frz_schema_highest_id(schema);
    const char *alias = self->how->source_name ? self->how->source_name : "source";
    frz_field *fields = frz_arena_array(&self->arena, count + 1, sizeof *fields);
    frz_field *optional = frz_arena_array(&self->arena, count + 1, sizeof *optional);
    frz_type *source = frz_arena_alloc(&self->arena, sizeof *source);
    if (!fields || !optional || !source)
        return frz_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        fields[i] = root->fields[i];
        if (strcasecmp(fields[i].name, alias) == 0)
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                            "the table has a column %s, and conditions and assignments call the "
                            "input %s: give it another name (--source-name)",
                            fields[i].name, alias);
    }
    for (size_t i = 0; i < count; i++) {
        optional[i] = root->fields[i];
        optional[i].initial_default = optional[i].write_default = NULL;
    }
    *source = (frz_type){.kind = FRZ_TYPE_STRUCT, .fields = optional, .field_count = count};
    last++;
    fields[count] = (frz_field){
        .id = last, .name = alias, .type = frz_type_assign_ids(source, &self->arena, &last)};
    if (!fields[count].type)
        return frz_fail_memory(err);
    return frz_schema_new(0, fields, count + 1, NULL, 0, &self->names, err);
}

/* Batches of the clauses: what the scan gives, then the source. */
static frz_status lay_out(merging *self, frz_error **err)
{
    const frz_type *read = self->change.rows.scan->projection.type;
    const frz_type *names = frz_schema_type(self->names);
    frz_field *fields = frz_arena_array(&self->arena, read->field_count + 1, sizeof *fields);
    if (!fields)
        return frz_fail_memory(err);
    memcpy(fields, read->fields, read->field_count * sizeof *fields);
    fields[read->field_count] = names->fields[names->field_count - 1];
    self->combined =
        (frz_type){.kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = read->field_count + 1};
    return FRZ_OK;
}

static frz_status compile_clause(merging *self, const frz_merge_clause *given, clause *out,
                                 frz_error **err)
{
    const frz_expr_scope scope = {.schema = self->names,
                                  .case_sensitive =
                                      !self->change.transaction.options->case_insensitive};
    const frz_assignment_scope assign = {.table = frz_metadata_schema(self->change.base),
                                         .values = &scope,
                                         .columns = &self->combined};
    *out = (clause){.action = given->action};
    if (given->where) {
        const frz_expr *where = NULL;
        const frz_status status =
            frz_expr_parse(frz_slice_of_text(given->where), &scope, &self->arena, &where, err);
        if (status != FRZ_OK)
            return frz_context(err, status, "and");
        FRZ_TRY(frz_evaluator_new(where, &self->combined, &out->condition, err));
    }
    if (given->set) {
        const frz_assignment *items = NULL;
        size_t count = 0;
        const frz_status status = frz_assignments_parse(frz_slice_of_text(given->set), &assign,
                                                        &self->arena, &items, &count, err);
        if (status != FRZ_OK)
            return frz_context(err, status, "set");
        FRZ_TRY(frz_assigner_new(items, count, assign.table, &out->assigner, err));
    }
    return FRZ_OK;
}

static frz_status compile(merging *self, frz_error **err)
{
    self->clauses =
        frz_arena_array(&self->arena, self->how->matched_count + 1, sizeof *self->clauses);
    if (!self->clauses)
        return frz_fail_memory(err);
    if (has_text(self)) {
        FRZ_TRY(combine_types(self, err));
        FRZ_TRY(lay_out(self, err));
    }
    for (size_t i = 0; i < self->how->matched_count; i++) {
        const frz_merge_clause *given = &self->how->matched[i];
        self->clause_count = i + 1;
        const frz_status status = compile_clause(self, given, &self->clauses[i], err);
        if (status != FRZ_OK)
            return frz_context(err, status, "when matched %s",
                               given->action == FRZ_MERGE_DELETE ? "delete" : "update");
    }
    return FRZ_OK;
}

static frz_status fail_many(const merging *self, frz_error **err)
{
    frz_buffer text = {0};
    frz_row_key_print(&self->table_key, &text);
    const frz_status status = text.failed ? frz_fail_memory(err)
                                          : frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                                                     "the key %.*s matches a row of the table and "
                                                     "stands in the source "
                                                     "more than once",
                                                     (int)text.size, (const char *)text.data);
    frz_buffer_clear(&text);
    return status;
}

static const int64_t *positions_of(const merging *self, const struct ArrowArray *batch)
{
    const struct ArrowArray *column = batch->children[self->position_column];
    return (const int64_t *)column->buffers[1] + column->offset;
}

/* A row of the table that has no row in the source. */
static frz_status miss(merging *self, size_t task, int64_t position, frz_error **err)
{
    return self->how->delete_not_matched_by_source
               ? frz_bitmap_add(self->positions[task], position, err)
               : FRZ_OK;
}

/* Looks up the keys of a batch that belong to the loaded part. */
static frz_status match_rows(merging *self, size_t task, const struct ArrowArray *batch,
                             matches *out, frz_error **err)
{
    const int64_t *positions = positions_of(self, batch);
    for (int64_t i = 0; i < batch->length; i++) {
        bool has = false;
        bool twice = false;
        FRZ_TRY(frz_row_key_read(&self->table_key, batch, i, &has, err));
        const frz_slice key = frz_buffer_slice(&self->table_key.bytes);
        const size_t part = has ? frz_merge_source_part_of(self->source, key) : 0;
        if (part != self->part)
            continue;
        const int64_t found = has ? frz_merge_source_find(self->source, key, &twice) : -1;
        if (found < 0) {
            FRZ_TRY(miss(self, task, positions[i], err));
            continue;
        }
        frz_merge_source_take(self->source, found);
        if (twice && self->clause_count > 0)
            return fail_many(self, err);
        out->table[out->count] = i;
        out->source[out->count++] = found;
    }
    return FRZ_OK;
}

/* Row i of the result is row table[i] of the batch beside row source[i] of the
 * part. */
static frz_status combine(const merging *self, const struct ArrowArray *batch, const matches *rows,
                          struct ArrowArray *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    struct ArrowArray left = {0};
    struct ArrowArray right = {0};
    struct ArrowArray made = {0};
    frz_buffer none[1] = {0};
    FRZ_TRY_DONE(frz_arrow_array_take(&self->read, batch, rows->table, rows->count, &left, err));
    FRZ_TRY_DONE(frz_arrow_array_take(&self->row_schema, frz_merge_source_rows(self->source),
                                      rows->source, rows->count, &right, err));
    FRZ_TRY_DONE(frz_arrow_array_init(&made, rows->count, 0, none, 1, left.n_children + 1, err));
    for (int64_t i = 0; i < left.n_children; i++) {
        *made.children[i] = *left.children[i];
        left.children[i]->release = NULL;
    }
    *made.children[left.n_children] = right;
    right = (struct ArrowArray){0};
    *out = made;

done:
    frz_arrow_array_clear(&left);
    frz_arrow_array_clear(&right);
    return status;
}

static void move_child(struct ArrowArray *from, struct ArrowArray *to)
{
    *to = *from;
    from->release = NULL;
}

/* Column `index` of updated rows: of the source as far as it has it, else of the table. */
static frz_status make_column(const merging *self, struct ArrowArray *combined, int64_t index,
                              struct ArrowArray *out, frz_error **err)
{
    const frz_schema *schema = frz_metadata_schema(self->change.base);
    const frz_field *field = &frz_schema_type(schema)->fields[index];
    const frz_source_fields *has = frz_merge_source_fields(self->source);
    struct ArrowArray *source = combined->children[combined->n_children - 1]->children[index];
    if (!frz_source_has(has, field->id))
        move_child(combined->children[index], out);
    else if (frz_overlay_is_partial(has, field))
        return frz_overlay(has, field, self->row_schema.children[index], combined->children[index],
                           source, out, err);
    else
        move_child(source, out);
    return FRZ_OK;
}

/* New rows out of combined ones: columns of the source where it has them and no assignments were
 * given, else of the table; the row id that was, and a sequence number that is inherited. */
static frz_status make_rows(merging *self, struct ArrowArray *combined, bool assigned,
                            struct ArrowArray *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    const frz_row_writer *writer = &self->change.writer;
    const int64_t width = writer->arrow.n_children;
    struct ArrowArray made = {0};
    frz_buffer none[1] = {0};
    FRZ_TRY(frz_arrow_array_init(&made, combined->length, 0, none, 1, width, err));
    if (writer->lineage) {
        FRZ_TRY_DONE(frz_arrow_array_nulls(writer->arrow.children[width - 1], combined->length,
                                           made.children[width - 1], err));
        move_child(combined->children[self->row_id_column], made.children[width - 2]);
    }
    for (int64_t i = 0; i < self->row_schema.n_children; i++) {
        if (assigned)
            move_child(combined->children[i], made.children[i]);
        else
            FRZ_TRY_DONE(make_column(self, combined, i, made.children[i], err));
    }
    *out = made;
    made = (struct ArrowArray){0};

done:
    frz_arrow_array_clear(&made);
    return status;
}

static frz_status update_rows(merging *self, const clause *with, const frz_scan_task *task,
                              struct ArrowArray *combined, frz_error **err)
{
    struct ArrowArray rows = {0};
    const frz_row_origin origin = {task->entry->file.path, positions_of(self, combined)};
    if (with->assigner)
        FRZ_TRY(frz_assigner_run(with->assigner, combined, &origin, err));
    FRZ_TRY(make_rows(self, combined, with->assigner != NULL, &rows, err));
    const frz_status status = frz_row_writer_write(&self->change.writer, &rows, err);
    frz_arrow_array_clear(&rows);
    return status;
}

/* Splits `rows` into those the clause takes, which come first in *taken, and
 * those it leaves. */
static frz_status choose_rows(const merging *self, const clause *with,
                              const struct ArrowArray *batch, matches *rows, matches *taken,
                              frz_error **err)
{
    frz_status status = FRZ_OK;
    struct ArrowArray combined = {0};
    int64_t kept = 0;
    int64_t left = 0;
    uint64_t *mask = frz_alloc_array(((size_t)rows->count + 63) / 64 + 1, sizeof *mask);
    if (!mask)
        return frz_fail_memory(err);
    memset(mask, 0xff, ((size_t)rows->count + 63) / 64 * sizeof *mask);
    FRZ_TRY_DONE(combine(self, batch, rows, &combined, err));
    FRZ_TRY_DONE(frz_evaluator_run(with->condition, &combined, mask, &kept, err));
    for (int64_t i = 0; i < rows->count; i++) {
        const bool takes = mask[i >> 6] >> (i & 63) & 1;
        const int64_t at = takes ? taken->count++ : left++;
        int64_t *table = takes ? taken->table : rows->table;
        int64_t *source = takes ? taken->source : rows->source;
        table[at] = rows->table[i];
        source[at] = rows->source[i];
    }
    rows->count = left;

done:
    frz_free(mask);
    frz_arrow_array_clear(&combined);
    return status;
}

static frz_status take_rows(merging *self, const clause *with, size_t task,
                            const struct ArrowArray *batch, const matches *rows, frz_error **err)
{
    struct ArrowArray combined = {0};
    const int64_t *positions = positions_of(self, batch);
    for (int64_t i = 0; i < rows->count; i++)
        FRZ_TRY(frz_bitmap_add(self->positions[task], positions[rows->table[i]], err));
    if (with->action == FRZ_MERGE_DELETE || rows->count == 0)
        return FRZ_OK;
    FRZ_TRY(combine(self, batch, rows, &combined, err));
    const frz_status status =
        update_rows(self, with, frz_plan_task(self->change.rows.plan, task), &combined, err);
    frz_arrow_array_clear(&combined);
    return status;
}

static frz_status apply_clauses(merging *self, size_t task, const struct ArrowArray *batch,
                                matches *rows, frz_error **err)
{
    frz_status status = FRZ_OK;
    int64_t *space = frz_alloc_array((size_t)rows->count * 2 + 1, sizeof *space);
    if (!space)
        return frz_fail_memory(err);
    for (size_t i = 0; i < self->clause_count && rows->count > 0; i++) {
        const clause *with = &self->clauses[i];
        matches taken = {space, space + rows->count, 0};
        if (!with->condition) {
            status = take_rows(self, with, task, batch, rows, err);
            rows->count = 0;
        } else {
            FRZ_TRY_DONE(choose_rows(self, with, batch, rows, &taken, err));
            status = take_rows(self, with, task, batch, &taken, err);
        }
        if (status != FRZ_OK)
            break;
    }

done:
    frz_free(space);
    return status;
}

static frz_status merge_batch(void *context, struct ArrowArray *batch, frz_error **err)
{
    merging *self = context;
    const size_t length = (size_t)batch->length;
    int64_t *space = frz_alloc_array(length * 2 + 1, sizeof *space);
    if (!space)
        return frz_fail_memory(err);
    matches rows = {space, space + length, 0};
    frz_status status = match_rows(self, self->task, batch, &rows, err);
    if (status == FRZ_OK && rows.count > 0)
        status = apply_clauses(self, self->task, batch, &rows, err);
    frz_free(space);
    return status;
}

/* Rows of the part that no row of the table has the key of. */
static frz_status insert_rows(merging *self, frz_error **err)
{
    frz_status status = FRZ_OK;
    struct ArrowArray rows = {0};
    const struct ArrowArray *all = frz_merge_source_rows(self->source);
    uint64_t *mask = frz_alloc_array((size_t)all->length / 64 + 2, sizeof *mask);
    if (!mask)
        return frz_fail_memory(err);
    const int64_t count = frz_merge_source_left(self->source, mask);
    if (count > 0) {
        FRZ_TRY_DONE(frz_row_change_open_writer(&self->change, err));
        FRZ_TRY_DONE(frz_arrow_array_filter(&self->row_schema, all, mask, count, &rows, err));
        FRZ_TRY_DONE(frz_row_writer_insert(&self->change.writer, &rows, err));
    }

done:
    frz_arrow_array_clear(&rows);
    frz_free(mask);
    return status;
}

static bool updates(const merging *self)
{
    for (size_t i = 0; i < self->clause_count; i++) {
        if (self->clauses[i].action == FRZ_MERGE_UPDATE)
            return true;
    }
    return false;
}

static frz_status merge_parts(merging *self, frz_error **err)
{
    if (updates(self) && self->task_count > 0)
        FRZ_TRY(frz_row_change_open_writer(&self->change, err));
    for (self->part = 0; self->part < frz_merge_source_part_count(self->source); self->part++) {
        FRZ_TRY(frz_merge_source_load(self->source, self->part, err));
        for (self->task = 0; self->task < self->task_count; self->task++)
            FRZ_TRY(frz_task_batches(self->change.rows.plan, self->task, &self->change.transaction,
                                     merge_batch, self, err));
        if (self->how->insert_not_matched)
            FRZ_TRY(insert_rows(self, err));
    }
    return FRZ_OK;
}

static frz_status add_targets(merging *self, frz_error **err)
{
    for (size_t i = 0; i < self->task_count; i++) {
        frz_bitmap *positions = self->positions[i];
        self->positions[i] = NULL;
        FRZ_TRY(frz_row_delete_add_rows(&self->change.rows,
                                        frz_plan_task(self->change.rows.plan, i), positions, err));
    }
    return FRZ_OK;
}

static frz_status open_source(merging *self, struct ArrowArrayStream *rows, frz_error **err)
{
    const frz_schema *schema = frz_metadata_schema(self->change.base);
    const frz_write_options *options = self->change.transaction.options;
    const frz_key_choice choice = {self->how->keys, self->how->key_count,
                                   !options->case_insensitive};
    FRZ_TRY(frz_row_key_fields(schema, &choice, &self->arena, &self->keys, &self->key_count, err));
    const frz_merge_source_options source = {.schema = schema,
                                             .keys = self->keys,
                                             .key_count = self->key_count,
                                             .case_sensitive = !options->case_insensitive,
                                             .unique = self->how->unique_keys,
                                             .memory_limit = self->how->memory_limit,
                                             .folder = self->how->spill_folder};
    return frz_merge_source_open(&source, &self->change.transaction, rows, &self->source, err);
}

/* A clause behind one that takes every row is a slip of whoever wrote it. */
static frz_status check_clauses(const frz_merge_options *how, frz_error **err)
{
    for (size_t i = 0; i + 1 < how->matched_count; i++) {
        if (!how->matched[i].where)
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                            "clause %zu of those for matched rows has no condition, so that no row "
                            "comes to the next one: only the last may be without",
                            i + 1);
    }
    return FRZ_OK;
}

static frz_status merge_all(merging *self, struct ArrowArrayStream *rows, frz_error **err)
{
    FRZ_TRY(check_clauses(self->how, err));
    FRZ_TRY(frz_row_change_start(&self->change, err));
    FRZ_TRY(open_source(self, rows, err));
    FRZ_TRY(plan(self, err));
    FRZ_TRY(compile(self, err));
    FRZ_TRY(merge_parts(self, err));
    FRZ_TRY(add_targets(self, err));
    return frz_row_change_seal(&self->change, err);
}

static void close_merge(merging *self)
{
    for (size_t i = 0; i < self->clause_count; i++) {
        frz_evaluator_free(self->clauses[i].condition);
        frz_assigner_free(self->clauses[i].assigner);
    }
    for (size_t i = 0; self->positions && i < self->task_count; i++)
        frz_bitmap_free(self->positions[i]);
    frz_merge_source_close(self->source);
    frz_row_key_clear(&self->table_key);
    frz_arrow_schema_clear(&self->read);
    frz_arrow_schema_clear(&self->row_schema);
    frz_schema_unref(self->names);
    frz_arena_clear(&self->arena);
}

static frz_status merge(frz_table *table, struct ArrowArrayStream *source,
                        const frz_merge_options *how, const frz_write_options *options,
                        frz_commit **out, frz_error **err)
{
    merging self = {.how = how};
    frz_status status =
        frz_row_change_open(&self.change, &merging_verb, table, how->mode, options, err);
    if (status != FRZ_OK)
        goto done;
    if (!frz_row_change_is_done(&self.change))
        FRZ_TRY_DONE(merge_all(&self, source, err));
    FRZ_TRY_DONE(frz_row_change_commit(&self.change, out, err));

done:
    close_merge(&self);
    return frz_row_change_close(&self.change, status, err);
}

frz_status frz_table_merge(frz_table *table, struct ArrowArrayStream *source,
                           const frz_merge_options *how, const frz_write_options *options,
                           frz_commit **out, frz_error **err)
{
    frz_merge_options taken = FRZ_MERGE_OPTIONS_INIT;
    frz_status status = FRZ_OPTIONS_TAKE(frz_merge_options, how, &taken, err);
    if (status == FRZ_OK)
        status = merge(table, source, &taken, options, out, err);
    frz_arrow_stream_clear(source);
    return status;
}

frz_status frz_table_upsert(frz_table *table, struct ArrowArrayStream *source,
                            const frz_merge_options *how, const frz_write_options *options,
                            frz_commit **out, frz_error **err)
{
    static const frz_merge_clause update = {.action = FRZ_MERGE_UPDATE};
    frz_merge_options upsert = FRZ_MERGE_OPTIONS_INIT;
    frz_status status = FRZ_OPTIONS_TAKE(frz_merge_options, how, &upsert, err);
    upsert.matched = &update;
    upsert.matched_count = 1;
    upsert.insert_not_matched = true;
    upsert.delete_not_matched_by_source = false;
    upsert.unique_keys = true;
    if (status == FRZ_OK)
        status = merge(table, source, &upsert, options, out, err);
    frz_arrow_stream_clear(source);
    return status;
}
