#include <inttypes.h>
#include <string.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/options.h"
#include "expr/evaluate.h"
#include "spec/tuple_key.h"
#include "write/inputs.h"
#include "write/partition_key.h"
#include "write/row_change.h"
#include "write/task_batches.h"

/* Rows go as a delete takes them, by write.delete.*; but others may not have
 * changed them: what comes in was made in their place (Java: OverwriteFiles and
 * ReplacePartitions). */
static const frz_row_verb overwriting_verb = {.name = "delete",
                                              .doing = "overwrite",
                                              .merge_on_read = FRZ_RENEW_REPLACED,
                                              .copy_on_write = FRZ_RENEW_REPLACED,
                                              .overwrites = true};

enum { SELECT_MAX = 64 };

/* Dynamic: the partitions of the input. On the heap, as the change may outlive the call. */
typedef struct replaced_partitions {
    const frz_partition_spec *spec; /* the table's default; of the change's base */
    frz_map keys;                   /* of their tuples */
    frz_arena arena;
} replaced_partitions;

typedef struct overwriting {
    frz_row_change change;
    const frz_overwrite_options *how;
    frz_arena arena;
    frz_evaluator *filter; /* of `where`, over rows of the table */
    uint64_t *mask;
    size_t mask_words;
    int64_t row_count;               /* of the input so far */
    replaced_partitions *partitions; /* owned by change.rows */
    const char *select[SELECT_MAX];
} overwriting;

static frz_status open_filter(overwriting *self, frz_error **err)
{
    const frz_schema *schema = frz_metadata_schema(self->change.base);
    const frz_expr_scope scope = {
        .schema = schema, .case_sensitive = !self->change.transaction.options->case_insensitive};
    const frz_expr *where = NULL;
    if (!self->how->where)
        return FRZ_OK;
    FRZ_TRY(frz_expr_parse(frz_slice_of_text(self->how->where), &scope, &self->arena, &where, err));
    return frz_evaluator_new(where, frz_schema_type(schema), &self->filter, err);
}

/* What comes in must be what goes out next time: Java's
 * validateAddedFilesMatchOverwriteFilter, row by row. */
static frz_status check_rows(overwriting *self, const struct ArrowArray *rows, frz_error **err)
{
    const size_t words = ((size_t)rows->length + 63) / 64;
    int64_t kept = 0;
    if (words > self->mask_words) {
        frz_free(self->mask);
        self->mask_words = 0;
        self->mask = frz_alloc_array(words, sizeof *self->mask);
        if (!self->mask)
            return frz_fail_memory(err);
        self->mask_words = words;
    }
    memset(self->mask, 0xff, words * sizeof *self->mask);
    FRZ_TRY(frz_evaluator_run(self->filter, rows, self->mask, &kept, err));
    for (int64_t i = 0; kept < rows->length && i < rows->length; i++) {
        if (!(self->mask[i >> 6] >> (i & 63) & 1))
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                            "row %" PRId64 " of the input does not match the filter of what is "
                            "overwritten: %s",
                            self->row_count + i + 1, self->how->where);
    }
    return FRZ_OK;
}

static frz_status take_rows(void *context, struct ArrowArray *columns, frz_error **err)
{
    overwriting *self = context;
    if (self->filter && columns->length > 0)
        FRZ_TRY(check_rows(self, columns, err));
    self->row_count += columns->length;
    return frz_row_writer_insert(&self->change.writer, columns, err);
}

static frz_status key_of(const frz_value *values, size_t count, frz_buffer *key, frz_error **err)
{
    frz_buffer_reset(key);
    frz_tuple_key(values, count, key);
    return frz_buffer_check(key, err);
}

static void free_partitions(void *context)
{
    replaced_partitions *partitions = context;
    frz_map_clear(&partitions->keys);
    frz_arena_clear(&partitions->arena);
    frz_free(partitions);
}

static frz_status open_partitions(overwriting *self, frz_error **err)
{
    const frz_metadata *base = self->change.base;
    self->partitions = frz_alloc_zero(sizeof *self->partitions);
    if (!self->partitions)
        return frz_fail_memory(err);
    self->partitions->spec = frz_metadata_find_spec(base, base->default_spec_id);
    self->change.rows.concerns_self = self->partitions;
    self->change.rows.concerns_free = free_partitions;
    return FRZ_OK;
}

static frz_status collect_partitions(overwriting *self, frz_error **err)
{
    replaced_partitions *partitions = self->partitions;
    frz_status status = FRZ_OK;
    const frz_value *const *tuples = NULL;
    size_t count = 0;
    frz_buffer key = {0};
    FRZ_TRY_DONE(frz_data_writer_partitions(self->change.writer.writer, &tuples, &count, err));
    for (size_t i = 0; i < count; i++) {
        frz_slice copy;
        FRZ_TRY_DONE(key_of(tuples[i], partitions->spec->field_count, &key, err));
        if (!frz_arena_slice(&partitions->arena, frz_buffer_slice(&key), &copy) ||
            !frz_map_put(&partitions->keys, copy, (frz_map_value){.number = 1})) {
            status = frz_fail_memory(err);
            goto done;
        }
    }

done:
    frz_buffer_clear(&key);
    return status;
}

static frz_status is_replaced(const replaced_partitions *self, const frz_value *values,
                              frz_buffer *key, bool *out, frz_error **err)
{
    FRZ_TRY(key_of(values, self->spec->field_count, key, err));
    *out = frz_map_find(&self->keys, frz_buffer_slice(key)) != NULL;
    return FRZ_OK;
}

/* Whether a file that another commit added may hold rows of the partitions; of
 * another spec it may.
 */
static frz_status concerns(void *context, const frz_scan_task *task, bool *out, frz_error **err)
{
    const replaced_partitions *self = context;
    frz_buffer key = {0};
    *out = true;
    if (task->entry->file.spec_id != self->spec->spec_id)
        return FRZ_OK;
    const frz_status status = is_replaced(self, task->entry->file.partition, &key, out, err);
    frz_buffer_clear(&key);
    return status;
}

/* The sources of the partition, by which rows of files of other specs are told.
 */
static frz_status plan_partitions(overwriting *self, frz_error **err)
{
    frz_row_delete *rows = &self->change.rows;
    const frz_schema *schema = frz_metadata_schema(self->change.base);
    const frz_partition_spec *spec = self->partitions->spec;
    size_t count = 0;
    for (size_t i = 0; i < spec->field_count; i++) {
        const char *path = frz_schema_path(schema, spec->fields[i].source_ids[0]);
        bool known = !path;
        for (size_t j = 0; j < count && !known; j++)
            known = strcmp(self->select[j], path) == 0;
        if (known)
            continue;
        if (count + 1 == SELECT_MAX)
            return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                            "the partition spec has more than %d sources", SELECT_MAX - 1);
        self->select[count++] = path;
    }
    self->select[count++] = "_pos";
    rows->select = self->select;
    rows->select_count = count;
    rows->concerns = concerns;
    return frz_row_delete_plan(rows, &self->change.transaction, err);
}

/* Rows of one batch of a file of another spec, by their partition in the
 * default one. */
typedef struct row_partitions {
    const replaced_partitions *of;
    frz_bitmap *positions; /* of rows that go */
    frz_bound_transform *transforms;
    frz_value *tuple;
    frz_arena scratch;
    frz_buffer key;
} row_partitions;

static frz_status match_batch(void *context, struct ArrowArray *batch, frz_error **err)
{
    row_partitions *by = context;
    const replaced_partitions *self = by->of;
    const struct ArrowArray *column = batch->children[batch->n_children - 1];
    const int64_t *values = (const int64_t *)column->buffers[1] + column->offset;
    frz_arena_clear(&by->scratch);
    for (int64_t i = 0; i < batch->length; i++) {
        bool replaced = false;
        FRZ_TRY(frz_partition_tuple(by->transforms, self->spec->field_count, batch, i, &by->scratch,
                                    by->tuple, err));
        FRZ_TRY(is_replaced(self, by->tuple, &by->key, &replaced, err));
        if (replaced)
            FRZ_TRY(frz_bitmap_add(by->positions, values[i], err));
    }
    return FRZ_OK;
}

static frz_status replace_rows(overwriting *self, size_t index, frz_error **err)
{
    frz_status status = FRZ_OK;
    const frz_partition_spec *spec = self->partitions->spec;
    row_partitions by = {.of = self->partitions};
    const frz_plan *plan = self->change.rows.plan;
    by.tuple = frz_arena_array(&self->arena, spec->field_count + 1, sizeof *by.tuple);
    if (!by.tuple)
        return frz_fail_memory(err);
    FRZ_TRY_DONE(frz_partition_bind(spec, self->change.rows.scan->projection.type, &self->arena,
                                    &by.transforms, err));
    FRZ_TRY_DONE(frz_bitmap_new(&by.positions, err));
    FRZ_TRY_DONE(frz_task_batches(plan, index, &self->change.transaction, match_batch, &by, err));
    status =
        frz_row_delete_add_rows(&self->change.rows, frz_plan_task(plan, index), by.positions, err);
    by.positions = NULL;

done:
    frz_bitmap_free(by.positions);
    frz_buffer_clear(&by.key);
    frz_arena_clear(&by.scratch);
    return status;
}

static frz_status replace_task(overwriting *self, size_t index, frz_buffer *key, frz_error **err)
{
    const frz_scan_task *task = frz_plan_task(self->change.rows.plan, index);
    const frz_partition_spec *spec = self->partitions->spec;
    bool replaced = false;
    if (spec->field_count > 0 && task->entry->file.spec_id != spec->spec_id)
        return replace_rows(self, index, err);
    if (spec->field_count > 0)
        FRZ_TRY(is_replaced(self->partitions, task->entry->file.partition, key, &replaced, err));
    if (!replaced && spec->field_count > 0)
        return FRZ_OK;
    return frz_row_delete_add(&self->change.rows, task, NULL, err);
}

/* The partitions of the input under the default spec, whatever spec a file was
 * written with. */
static frz_status replace_partitions(overwriting *self, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_buffer key = {0};
    FRZ_TRY(collect_partitions(self, err));
    FRZ_TRY(plan_partitions(self, err));
    const size_t count = self->row_count > 0 ? frz_plan_task_count(self->change.rows.plan) : 0;
    for (size_t i = 0; i < count && status == FRZ_OK; i++)
        status = replace_task(self, i, &key, err);
    frz_buffer_clear(&key);
    return status;
}

static frz_status check_options(const overwriting *self, frz_error **err)
{
    if (!self->how->where == !self->how->dynamic)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "what is overwritten is told by a filter or is the partitions of the "
                        "input: one of both");
    return FRZ_OK;
}

static frz_status overwrite_all(overwriting *self, struct ArrowArrayStream *inputs, size_t count,
                                frz_error **err)
{
    frz_row_change *change = &self->change;
    FRZ_TRY(check_options(self, err));
    FRZ_TRY(frz_row_change_start(change, err));
    FRZ_TRY(open_filter(self, err));
    FRZ_TRY(frz_row_change_open_writer(change, err));
    FRZ_TRY(frz_inputs_read(&change->transaction, inputs, count, take_rows, self, err));
    if (self->how->dynamic) {
        change->replaces_partitions = true;
        FRZ_TRY(open_partitions(self, err));
        FRZ_TRY(replace_partitions(self, err));
    } else {
        change->rows.where = self->how->where;
        FRZ_TRY(frz_row_delete_evaluate(&change->rows, &change->transaction, err));
    }
    return frz_row_change_seal(change, err);
}

static frz_status overwrite(frz_table *table, struct ArrowArrayStream *inputs, size_t input_count,
                            const frz_overwrite_options *how, const frz_write_options *options,
                            frz_commit **out, frz_error **err)
{
    overwriting self = {.how = how};
    frz_status status =
        frz_row_change_open(&self.change, &overwriting_verb, table, how->mode, options, err);
    if (status != FRZ_OK)
        goto done;
    if (!frz_row_change_is_done(&self.change))
        FRZ_TRY_DONE(overwrite_all(&self, inputs, input_count, err));
    FRZ_TRY_DONE(frz_row_change_commit(&self.change, out, err));

done:
    frz_evaluator_free(self.filter);
    frz_free(self.mask);
    frz_arena_clear(&self.arena);
    return frz_row_change_close(&self.change, status, err);
}

frz_status frz_table_overwrite(frz_table *table, struct ArrowArrayStream *inputs,
                               size_t input_count, const frz_overwrite_options *how,
                               const frz_write_options *options, frz_commit **out, frz_error **err)
{
    frz_overwrite_options taken = FRZ_OVERWRITE_OPTIONS_INIT;
    frz_status status = FRZ_OPTIONS_TAKE(frz_overwrite_options, how, &taken, err);
    if (status == FRZ_OK)
        status = overwrite(table, inputs, input_count, &taken, options, out, err);
    for (size_t i = 0; i < input_count; i++)
        frz_arrow_stream_clear(&inputs[i]);
    return status;
}
