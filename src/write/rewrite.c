#include "write/rewrite.h"

#include <string.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "arrow/stream.h"
#include "base/fail.h"
#include "base/mem.h"
#include "write/task_batches.h"

enum { SELECT_MAX = 4 };

typedef struct rewriting {
    const frz_row_delete *deletion;
    frz_transaction *transaction;
    const frz_metadata *metadata; /* of the evaluated version */
    frz_scan *scan;               /* all rows, with _pos last */
    frz_plan *plan;
    struct ArrowSchema read;   /* of the rows that are read */
    frz_row_writer *writer;    /* of the same rows without _pos */
    const frz_bitmap *deleted; /* in the task at hand */
} rewriting;

static frz_status plan_rows(rewriting *self, frz_error **err)
{
    const char *select[SELECT_MAX] = {"*"};
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    size_t count = 1;
    if (self->metadata->format_version >= 3) {
        select[count++] = "_row_id";
        select[count++] = "_last_updated_sequence_number";
    }
    select[count++] = "_pos";
    options.select = select;
    options.select_count = count;
    frz_transaction_selector(self->transaction, &options.at);
    FRZ_TRY(frz_scan_new(self->transaction->table, &options, &self->scan, err));
    FRZ_TRY(frz_scan_plan(self->scan, &self->plan, err));
    return frz_scan_arrow_schema(self->scan, &self->read, err);
}

/* A bit for every row of the batch that stays. */
static int64_t mark_kept(const struct ArrowArray *batch, const frz_bitmap *deleted, uint64_t *mask)
{
    const struct ArrowArray *column = batch->children[batch->n_children - 1];
    const int64_t *positions = (const int64_t *)column->buffers[1] + column->offset + batch->offset;
    int64_t kept = 0;
    memset(mask, 0, ((size_t)batch->length + 63) / 64 * sizeof *mask);
    for (int64_t i = 0; i < batch->length; i++) {
        if (frz_bitmap_contains(deleted, positions[i]))
            continue;
        mask[i >> 6] |= UINT64_C(1) << (i & 63);
        kept++;
    }
    return kept;
}

/* The rows that stay, without their positions. */
static frz_status keep_rows(const rewriting *self, const struct ArrowArray *batch,
                            const frz_bitmap *deleted, struct ArrowArray *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    struct ArrowArray kept = {0};
    struct ArrowArray made = {0};
    frz_buffer none[1] = {0};
    uint64_t *mask = frz_alloc_array(((size_t)batch->length + 63) / 64 + 1, sizeof *mask);
    if (!mask)
        return frz_fail_memory(err);
    const int64_t count = mark_kept(batch, deleted, mask);
    FRZ_TRY_DONE(frz_arrow_array_filter(&self->read, batch, mask, count, &kept, err));
    FRZ_TRY_DONE(
        frz_arrow_array_init(&made, count, 0, none, 1, self->writer->arrow.n_children, err));
    for (int64_t i = 0; i < made.n_children; i++) {
        *made.children[i] = *kept.children[i];
        kept.children[i]->release = NULL;
    }
    *out = made;

done:
    frz_free(mask);
    frz_arrow_array_clear(&kept);
    return status;
}

static frz_status write_batch(void *context, struct ArrowArray *batch, frz_error **err)
{
    rewriting *self = context;
    struct ArrowArray rows = {0};
    FRZ_TRY(keep_rows(self, batch, self->deleted, &rows, err));
    const frz_status status = frz_row_writer_write(self->writer, &rows, err);
    frz_arrow_array_clear(&rows);
    return status;
}

static frz_status rewrite_all(rewriting *self, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_map by_path = {0};
    for (size_t i = 0; i < self->deletion->target_count; i++) {
        frz_delete_target *target = &self->deletion->targets[i];
        if (!target->whole &&
            !frz_map_put(&by_path, target->path, (frz_map_value){.pointer = target})) {
            status = frz_fail_memory(err);
            goto done;
        }
    }
    for (size_t i = 0; i < frz_plan_task_count(self->plan); i++) {
        const frz_slice path = frz_plan_task(self->plan, i)->entry->file.path;
        const frz_map_value *found = frz_map_find(&by_path, path);
        if (!found)
            continue;
        const frz_delete_target *target = found->pointer;
        self->deleted = target->positions;
        FRZ_TRY_DONE(frz_task_batches(self->plan, i, self->transaction, write_batch, self, err));
    }

done:
    frz_map_clear(&by_path);
    return status;
}

frz_status frz_rewrite_targets(const frz_row_delete *deletion, frz_transaction *transaction,
                               frz_row_writer *writer, frz_error **err)
{
    frz_status status = FRZ_OK;
    rewriting self = {.deletion = deletion,
                      .transaction = transaction,
                      .metadata = transaction->table->metadata,
                      .writer = writer};
    FRZ_TRY_DONE(plan_rows(&self, err));
    FRZ_TRY_DONE(rewrite_all(&self, err));

done:
    frz_arrow_schema_clear(&self.read);
    frz_plan_free(self.plan);
    frz_scan_free(self.scan);
    return status;
}
