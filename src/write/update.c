#include <string.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"
#include "write/assigner.h"
#include "write/row_change.h"
#include "write/task_batches.h"

/* New rows stand for the old ones: when others deleted or changed those meanwhile, writing them
 * would bring rows back or lose a change. */
static const frz_row_verb updating_verb = {.name = "update",
                                           .doing = "update",
                                           .merge_on_read = FRZ_RENEW_REPLACED,
                                           .copy_on_write = FRZ_RENEW_REPLACED};

/*
 * An update reads the rows that match once, writes them with their new values and remembers where
 * they stood. With row lineage they keep their _row_id, and _last_updated_sequence_number is null,
 * so that it is inherited (spec "Row lineage assignment", rules 1 and 2).
 */
typedef struct updating {
    frz_row_change change;
    frz_arena arena; /* of the assignments */
    frz_assigner *assigner;
    const char *select[3];
    int64_t table_columns;
    int64_t position_column;   /* _row_id, if any, stands before it */
    const frz_scan_task *task; /* at hand */
    frz_bitmap *positions;     /* of it */
} updating;

static frz_status plan(updating *self, frz_error **err)
{
    frz_row_delete *rows = &self->change.rows;
    const frz_metadata *metadata = self->change.base;
    size_t count = 0;
    self->select[count++] = "*";
    if (metadata->format_version >= 3)
        self->select[count++] = "_row_id";
    self->select[count++] = "_pos";
    rows->select = self->select;
    rows->select_count = count;
    self->table_columns = (int64_t)frz_schema_type(frz_metadata_schema(metadata))->field_count;
    self->position_column = self->table_columns + (int64_t)count - 2;
    return frz_row_delete_plan(rows, &self->change.transaction, err);
}

static frz_status compile(updating *self, const char *set, frz_error **err)
{
    const frz_schema *schema = frz_metadata_schema(self->change.base);
    const frz_expr_scope values = {
        .schema = schema, .case_sensitive = !self->change.transaction.options->case_insensitive};
    const frz_assignment_scope scope = {
        .table = schema, .values = &values, .columns = self->change.rows.scan->projection.type};
    const frz_assignment *assignments = NULL;
    size_t count = 0;
    const frz_status status = frz_assignments_parse(frz_slice_of_text(set), &scope, &self->arena,
                                                    &assignments, &count, err);
    if (status != FRZ_OK)
        return frz_context(err, status, "set");
    return frz_assigner_new(assignments, count, schema, &self->assigner, err);
}

/* Columns of the table, then _row_id as it was and a sequence number that is inherited. */
static frz_status make_rows(updating *self, struct ArrowArray *batch, struct ArrowArray *out,
                            frz_error **err)
{
    const frz_row_writer *writer = &self->change.writer;
    const int64_t width = writer->arrow.n_children;
    struct ArrowArray made = {0};
    frz_buffer none[1] = {0};
    FRZ_TRY(frz_arrow_array_init(&made, batch->length, 0, none, 1, width, err));
    if (writer->lineage) {
        const frz_status status = frz_arrow_array_nulls(
            writer->arrow.children[width - 1], batch->length, made.children[width - 1], err);
        if (status != FRZ_OK) {
            frz_arrow_array_clear(&made);
            return status;
        }
    }
    for (int64_t i = 0; i < self->position_column; i++) {
        *made.children[i] = *batch->children[i];
        batch->children[i]->release = NULL;
    }
    *out = made;
    return FRZ_OK;
}

static frz_status update_batch(void *context, struct ArrowArray *batch, frz_error **err)
{
    updating *self = context;
    const struct ArrowArray *column = batch->children[self->position_column];
    const frz_row_origin origin = {.path = self->task->entry->file.path,
                                   .positions =
                                       (const int64_t *)column->buffers[1] + column->offset};
    struct ArrowArray rows = {0};
    for (int64_t i = 0; i < batch->length; i++)
        FRZ_TRY(frz_bitmap_add(self->positions, origin.positions[i], err));
    FRZ_TRY(frz_assigner_run(self->assigner, batch, &origin, err));
    FRZ_TRY(make_rows(self, batch, &rows, err));
    const frz_status status = frz_row_writer_write(&self->change.writer, &rows, err);
    frz_arrow_array_clear(&rows);
    return status;
}

static frz_status update_task(updating *self, size_t index, frz_error **err)
{
    frz_bitmap *positions = NULL;
    self->task = frz_plan_task(self->change.rows.plan, index);
    FRZ_TRY(frz_bitmap_new(&positions, err));
    self->positions = positions;
    const frz_status status = frz_task_batches(self->change.rows.plan, index,
                                               &self->change.transaction, update_batch, self, err);
    /* Every live row was read and written anew: those deleted before are not among the positions.
     */
    const bool all = self->task->all_match && frz_bitmap_cardinality(positions) > 0;
    if (status != FRZ_OK || all) {
        frz_bitmap_free(positions);
        return status == FRZ_OK ? frz_row_delete_add(&self->change.rows, self->task, NULL, err)
                                : status;
    }
    return frz_row_delete_add_rows(&self->change.rows, self->task, positions, err);
}

static frz_status update_all(updating *self, const char *set, frz_error **err)
{
    FRZ_TRY(frz_row_change_start(&self->change, err));
    FRZ_TRY(plan(self, err));
    FRZ_TRY(compile(self, set, err));
    const size_t count = frz_plan_task_count(self->change.rows.plan);
    if (count > 0)
        FRZ_TRY(frz_row_change_open_writer(&self->change, err));
    for (size_t i = 0; i < count; i++)
        FRZ_TRY(update_task(self, i, err));
    return frz_row_change_seal(&self->change, err);
}

frz_status frz_table_update(frz_table *table, const char *set, const char *where,
                            frz_delete_mode mode, const frz_write_options *options,
                            frz_commit **out, frz_error **err)
{
    updating self = {0};
    frz_status status =
        frz_row_change_open(&self.change, &updating_verb, table, mode, options, err);
    if (status != FRZ_OK)
        goto done;
    self.change.rows.where = where;
    if (!frz_row_change_is_done(&self.change))
        FRZ_TRY_DONE(update_all(&self, set, err));
    FRZ_TRY_DONE(frz_row_change_commit(&self.change, out, err));

done:
    frz_assigner_free(self.assigner);
    frz_arena_clear(&self.arena);
    return frz_row_change_close(&self.change, status, err);
}
