#include "write/run_merge.h"

#include <string.h>

#include "arrow/array.h"
#include "arrow/concat.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"

/* A run, its block at hand, and the row of it that is next. */
typedef struct run_head {
    frz_sorted_run *run;
    frz_run_block block;
    int64_t row;
    int64_t taken_from; /* rows from here to `row` are in the batch that is being made */
    int64_t base;       /* where those stand among all that were taken */
    frz_slice key;      /* of `row` */
    size_t next_key;
} run_head;

/* The head a row came from, and its number there. */
typedef struct picked_row {
    size_t head;
    int64_t row;
} picked_row;

struct frz_run_merge {
    const struct ArrowSchema *arrow;
    run_head *heads; /* by age of their runs */
    size_t head_count;
    size_t *heap; /* of indexes of heads that have rows left; the least first */
    size_t heap_count;
    picked_row *picked; /* of the batch that is being made */
    size_t picked_count;
    size_t picked_capacity;
    struct ArrowArray *slices; /* head_count */
};

static int compare_heads(const run_head *a, const run_head *b)
{
    const size_t size = a->key.size < b->key.size ? a->key.size : b->key.size;
    const int order = memcmp(a->key.data, b->key.data, size);
    if (order != 0)
        return order;
    if (a->key.size != b->key.size)
        return a->key.size < b->key.size ? -1 : 1;
    return a < b ? -1 : a > b; /* the older run first */
}

static void sift_down(frz_run_merge *self, size_t at)
{
    for (;;) {
        size_t least = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < self->heap_count; child++) {
            if (compare_heads(&self->heads[self->heap[child]], &self->heads[self->heap[least]]) < 0)
                least = child;
        }
        if (least == at)
            return;
        const size_t swapped = self->heap[at];
        self->heap[at] = self->heap[least];
        self->heap[least] = swapped;
        at = least;
    }
}

/* FRZ_END when the run has no more rows. */
static frz_status next_block(run_head *head, frz_error **err)
{
    FRZ_TRY(frz_sorted_run_read(head->run, &head->block, err));
    head->row = 0;
    head->taken_from = 0;
    head->key = frz_key_at(&head->block.keys, 0, &head->next_key);
    return FRZ_OK;
}

frz_status frz_run_merge_new(frz_sorted_run *const *runs, size_t count,
                             const struct ArrowSchema *arrow, frz_run_merge **out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_run_merge *self = frz_alloc_zero(sizeof *self);
    if (!self)
        return frz_fail_memory(err);
    self->arrow = arrow;
    self->heads = frz_alloc_array(count + 1, sizeof *self->heads);
    self->heap = frz_alloc_array(count + 1, sizeof *self->heap);
    self->slices = frz_alloc_array(count + 1, sizeof *self->slices);
    if (!self->heads || !self->heap || !self->slices) {
        status = frz_fail_memory(err);
        goto done;
    }
    self->head_count = count;
    for (size_t i = 0; i < count; i++) {
        self->heads[i].run = runs[i];
        status = next_block(&self->heads[i], err);
        if (status == FRZ_OK)
            self->heap[self->heap_count++] = i;
        else if (status != FRZ_END)
            goto done;
    }
    for (size_t i = self->heap_count / 2; i-- > 0;)
        sift_down(self, i);
    status = FRZ_OK;
    *out = self;
    self = NULL;

done:
    frz_run_merge_free(self);
    return status;
}

static void forget_slices(frz_run_merge *self)
{
    for (size_t i = 0; i < self->head_count; i++)
        frz_arrow_array_clear(&self->slices[i]);
}

void frz_run_merge_free(frz_run_merge *self)
{
    if (!self)
        return;
    if (self->slices)
        forget_slices(self);
    for (size_t i = 0; i < self->head_count; i++)
        frz_run_block_clear(&self->heads[i].block);
    frz_free(self->heads);
    frz_free(self->heap);
    frz_free(self->picked);
    frz_free(self->slices);
    frz_free(self);
}

/* Takes the least row. The block it came from may have ended then, and is not yet replaced. */
static frz_status pick(frz_run_merge *self, frz_buffer *keys, bool *block_ended, frz_error **err)
{
    run_head *head = &self->heads[self->heap[0]];
    if (!frz_grow_array((void **)&self->picked, &self->picked_capacity, self->picked_count,
                        sizeof *self->picked))
        return frz_fail_memory(err);
    self->picked[self->picked_count++] = (picked_row){self->heap[0], head->row};
    frz_buffer_append_u32le(keys, (uint32_t)head->key.size);
    frz_buffer_append(keys, head->key.data, head->key.size);
    head->row++;
    *block_ended = head->row == head->block.rows.length;
    if (!*block_ended) {
        head->key = frz_key_at(&head->block.keys, head->next_key, &head->next_key);
        sift_down(self, 0);
    }
    return FRZ_OK;
}

/* Rows of one run stand one behind the other in its block: slices of the blocks, joined, and then
 * put in order. */
static frz_status gather(frz_run_merge *self, struct ArrowArray *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    struct ArrowArray joined = {0};
    int64_t *order = NULL;
    size_t count = 0;
    int64_t base = 0;
    for (size_t i = 0; i < self->head_count; i++) {
        run_head *head = &self->heads[i];
        const int64_t rows = head->row - head->taken_from;
        head->base = base;
        base += rows;
        if (rows > 0)
            FRZ_TRY_DONE(frz_arrow_array_slice(&head->block.rows, head->taken_from, rows,
                                               &self->slices[count++], err));
    }
    FRZ_TRY_DONE(frz_arrow_array_concat(self->arrow, self->slices, count, &joined, err));
    if (count == 1) {
        *out = joined;
        joined = (struct ArrowArray){0};
        goto done;
    }
    order = frz_alloc_array(self->picked_count, sizeof *order);
    if (!order) {
        status = frz_fail_memory(err);
        goto done;
    }
    for (size_t i = 0; i < self->picked_count; i++) {
        const run_head *head = &self->heads[self->picked[i].head];
        order[i] = head->base + self->picked[i].row - head->taken_from;
    }
    FRZ_TRY_DONE(
        frz_arrow_array_take(self->arrow, &joined, order, (int64_t)self->picked_count, out, err));

done:
    frz_free(order);
    frz_arrow_array_clear(&joined);
    forget_slices(self);
    return status;
}

/* The block of the least head has ended: its next one, or one head less. */
static frz_status replace_block(frz_run_merge *self, frz_error **err)
{
    const frz_status status = next_block(&self->heads[self->heap[0]], err);
    if (status != FRZ_OK && status != FRZ_END)
        return status;
    if (status == FRZ_END)
        self->heap[0] = self->heap[--self->heap_count];
    sift_down(self, 0);
    return FRZ_OK;
}

frz_status frz_run_merge_next(frz_run_merge *self, int64_t rows_max, frz_run_block *block,
                              frz_error **err)
{
    bool block_ended = false;
    frz_arrow_array_clear(&block->rows);
    frz_buffer_reset(&block->keys);
    self->picked_count = 0;
    if (self->heap_count == 0)
        return FRZ_END;
    uint8_t group[FRZ_GROUP_SIZE];
    memcpy(group, self->heads[self->heap[0]].key.data, sizeof group);
    do {
        FRZ_TRY(pick(self, &block->keys, &block_ended, err));
    } while (!block_ended && (int64_t)self->picked_count < rows_max &&
             memcmp(self->heads[self->heap[0]].key.data, group, sizeof group) == 0);
    FRZ_TRY(frz_buffer_check(&block->keys, err));
    FRZ_TRY(gather(self, &block->rows, err));
    for (size_t i = 0; i < self->head_count; i++)
        self->heads[i].taken_from = self->heads[i].row;
    return block_ended ? replace_block(self, err) : FRZ_OK;
}
