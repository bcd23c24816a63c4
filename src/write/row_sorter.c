#include "write/row_sorter.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/array.h"
#include "arrow/concat.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"
#include "frazil/io.h"
#include "spec/column.h"
#include "write/run_merge.h"

enum {
    BATCH_ROWS = 16384,
    BLOCKS_OF_MEMORY = 128, /* while runs are merged; their sum is a few blocks of each */
    BATCHES_OF_MEMORY = 16, /* while rows are in memory */
    COLUMN_SIZE = 256       /* of an array, beside its rows */
};

static const uint64_t memory_default = UINT64_C(128) << 20;
static const uint64_t memory_max = UINT64_C(2) << 30;
static const uint64_t memory_min = 4096;

/* A row to be sorted. Its key without the group is compared by its first bytes as a number, and
 * then as a whole. */
typedef struct sort_row {
    uint32_t group;
    uint32_t row;
    uint64_t head;
    const uint8_t *key; /* behind the group */
    uint32_t size;
} sort_row;

typedef struct sorted_run {
    frz_sorted_run *run;
    int level; /* 0: a filling of the memory; n + 1: of FRZ_SORT_FAN_IN runs of level n */
} sorted_run;

struct frz_row_sorter {
    frz_row_sorter_options options;

    /* What waits in memory. */
    struct ArrowArray *batches;
    size_t batch_count;
    size_t batch_capacity;
    frz_buffer keys;
    int64_t row_count;
    uint64_t size; /* bytes, roughly */

    /* The same in order. */
    struct ArrowArray rows;
    sort_row *order;
    int64_t order_at;

    frz_io *io;         /* of the runs; NULL until there is one */
    int64_t run_number; /* runs made so far */
    int64_t block_rows; /* that make up a block */
    sorted_run *runs;   /* by age */
    size_t run_count;
    size_t run_capacity;

    bool ended;
    frz_run_merge *merge; /* NULL: all rows are in memory */
    frz_run_block block;
};

frz_status frz_row_sorter_new(const frz_row_sorter_options *options, frz_row_sorter **out,
                              frz_error **err)
{
    frz_row_sorter *self = frz_alloc_zero(sizeof *self);
    if (!self)
        return frz_fail_memory(err);
    self->options = *options;
    if (self->options.memory == 0)
        self->options.memory = memory_default;
    if (self->options.memory > memory_max)
        self->options.memory = memory_max;
    if (self->options.memory < memory_min)
        self->options.memory = memory_min;
    *out = self;
    return FRZ_OK;
}

static void forget_batches(frz_row_sorter *self)
{
    for (size_t i = 0; i < self->batch_count; i++)
        frz_arrow_array_clear(&self->batches[i]);
    self->batch_count = 0;
}

static void forget_rows(frz_row_sorter *self)
{
    frz_free(self->order);
    self->order = NULL;
    self->order_at = 0;
    self->row_count = 0;
    self->size = 0;
    frz_arrow_array_clear(&self->rows);
    frz_buffer_reset(&self->keys);
}

void frz_row_sorter_free(frz_row_sorter *self)
{
    if (!self)
        return;
    frz_run_merge_free(self->merge);
    for (size_t i = 0; i < self->run_count; i++)
        frz_sorted_run_free(self->runs[i].run);
    forget_batches(self);
    forget_rows(self);
    frz_run_block_clear(&self->block);
    frz_buffer_clear(&self->keys);
    if (self->io != self->options.io)
        frz_io_free(self->io);
    frz_free(self->runs);
    frz_free(self->batches);
    frz_free(self);
}

size_t frz_key_begin(frz_buffer *keys, uint32_t group)
{
    const size_t start = keys->size;
    frz_buffer_append_u32le(keys, 0);
    frz_buffer_append_u32be(keys, group);
    return start;
}

void frz_key_end(frz_buffer *keys, size_t start)
{
    if (keys->failed)
        return;
    const uint32_t size = (uint32_t)(keys->size - start - FRZ_KEY_PREFIX_SIZE);
    memcpy(keys->data + start, &size, sizeof size);
}

static uint32_t group_of(const uint8_t *key)
{
    return (uint32_t)key[0] << 24 | (uint32_t)key[1] << 16 | (uint32_t)key[2] << 8 | key[3];
}

static uint64_t head_of(const uint8_t *bytes, size_t size)
{
    uint64_t head = 0;
    for (size_t i = 0; i < sizeof head; i++)
        head = head << 8 | (i < size ? bytes[i] : 0);
    return head;
}

static int compare_rows(const void *x, const void *y)
{
    const sort_row *a = x;
    const sort_row *b = y;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->head != b->head)
        return a->head < b->head ? -1 : 1;
    const uint32_t size = a->size < b->size ? a->size : b->size;
    const int order = memcmp(a->key, b->key, size);
    if (order != 0)
        return order;
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

/* Puts what waits in order: self->rows as they came, self->order over them. */
static frz_status sort_rows(frz_row_sorter *self, frz_error **err)
{
    const size_t count = (size_t)self->row_count;
    FRZ_TRY(frz_arrow_array_concat(self->options.arrow, self->batches, self->batch_count,
                                   &self->rows, err));
    forget_batches(self);
    self->order = frz_alloc_array(count, sizeof *self->order);
    if (!self->order)
        return frz_fail_memory(err);
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        const frz_slice key = frz_key_at(&self->keys, at, &at);
        const uint8_t *rest = key.data + FRZ_GROUP_SIZE;
        const size_t size = key.size - FRZ_GROUP_SIZE;
        self->order[i] =
            (sort_row){group_of(key.data), (uint32_t)i, head_of(rest, size), rest, (uint32_t)size};
    }
    qsort(self->order, count, sizeof *self->order, compare_rows);
    return FRZ_OK;
}

/* Takes sorted rows [order_at, order_at + count) to `out`. */
static frz_status take_rows(frz_row_sorter *self, int64_t count, struct ArrowArray *out,
                            frz_error **err)
{
    int64_t *picked = frz_alloc_array((size_t)count, sizeof *picked);
    if (!picked)
        return frz_fail_memory(err);
    for (int64_t i = 0; i < count; i++)
        picked[i] = self->order[self->order_at + i].row;
    const frz_status status =
        frz_arrow_array_take(self->options.arrow, &self->rows, picked, count, out, err);
    frz_free(picked);
    if (status == FRZ_OK)
        self->order_at += count;
    return status;
}

/* Rows of what waits in memory that make up so many bytes. */
static int64_t rows_of(const frz_row_sorter *self, uint64_t bytes)
{
    const uint64_t row = self->size / (uint64_t)self->row_count;
    const uint64_t rows = bytes / (row ? row : 1);
    return rows > BATCH_ROWS ? BATCH_ROWS : rows ? (int64_t)rows : 1;
}

static frz_status write_block(frz_row_sorter *self, frz_sorted_run *run, int64_t count,
                              frz_error **err)
{
    frz_buffer *keys = &self->block.keys;
    frz_buffer_reset(keys);
    for (int64_t i = 0; i < count; i++) {
        const sort_row *row = &self->order[self->order_at + i];
        frz_buffer_append(keys, row->key - FRZ_GROUP_SIZE - FRZ_KEY_PREFIX_SIZE,
                          FRZ_KEY_PREFIX_SIZE + FRZ_GROUP_SIZE + row->size);
    }
    FRZ_TRY(frz_buffer_check(keys, err));
    FRZ_TRY(take_rows(self, count, &self->block.rows, err));
    const frz_status status = frz_sorted_run_write(run, &self->block, err);
    frz_arrow_array_clear(&self->block.rows);
    return status;
}

/* Room for one run more, which is then owned by the list. */
static frz_status add_run(frz_row_sorter *self, int level, frz_sorted_run **out, frz_error **err)
{
    if (!frz_grow_array((void **)&self->runs, &self->run_capacity, self->run_count,
                        sizeof *self->runs))
        return frz_fail_memory(err);
    if (!self->io && self->options.io)
        self->io = self->options.io;
    else if (!self->io)
        FRZ_TRY(frz_io_scratch_new(self->options.folder, &self->io, err));
    FRZ_TRY(frz_sorted_run_new(self->io, ++self->run_number, self->options.arrow, out, err));
    self->runs[self->run_count++] = (sorted_run){*out, level};
    return FRZ_OK;
}

/* The youngest runs, all of one level, become one of the next. */
static frz_status merge_youngest(frz_row_sorter *self, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_sorted_run *from[FRZ_SORT_FAN_IN];
    frz_sorted_run *into = NULL;
    frz_run_merge *merge = NULL;
    const size_t first = self->run_count - FRZ_SORT_FAN_IN;
    for (size_t i = 0; i < FRZ_SORT_FAN_IN; i++)
        from[i] = self->runs[first + i].run;
    FRZ_TRY_DONE(add_run(self, self->runs[first].level + 1, &into, err));
    FRZ_TRY_DONE(frz_run_merge_new(from, FRZ_SORT_FAN_IN, self->options.arrow, &merge, err));
    while ((status = frz_run_merge_next(merge, self->block_rows, &self->block, err)) == FRZ_OK)
        FRZ_TRY_DONE(frz_sorted_run_write(into, &self->block, err));
    if (status != FRZ_END)
        goto done;
    status = FRZ_OK;
    for (size_t i = 0; i < FRZ_SORT_FAN_IN; i++)
        frz_sorted_run_free(from[i]);
    self->runs[first] = self->runs[self->run_count - 1];
    self->run_count = first + 1;

done:
    frz_run_merge_free(merge);
    frz_run_block_clear(&self->block);
    return status;
}

static bool youngest_are_enough(const frz_row_sorter *self)
{
    const size_t count = self->run_count;
    return count >= FRZ_SORT_FAN_IN &&
           self->runs[count - FRZ_SORT_FAN_IN].level == self->runs[count - 1].level;
}

/* What waits in memory becomes a run. */
static frz_status spill(frz_row_sorter *self, frz_error **err)
{
    frz_sorted_run *run = NULL;
    FRZ_TRY(sort_rows(self, err));
    FRZ_TRY(add_run(self, 0, &run, err));
    self->block_rows = rows_of(self, self->options.memory / BLOCKS_OF_MEMORY);
    while (self->order_at < self->row_count) {
        const int64_t left = self->row_count - self->order_at;
        FRZ_TRY(write_block(self, run, left < self->block_rows ? left : self->block_rows, err));
    }
    forget_rows(self);
    while (youngest_are_enough(self))
        FRZ_TRY(merge_youngest(self, err));
    return FRZ_OK;
}

frz_status frz_row_sorter_add(frz_row_sorter *self, struct ArrowArray *batch,
                              const frz_buffer *keys, frz_error **err)
{
    if (batch->length == 0)
        return FRZ_OK;
    if (!frz_grow_array((void **)&self->batches, &self->batch_capacity, self->batch_count,
                        sizeof *self->batches))
        return frz_fail_memory(err);
    FRZ_TRY(frz_arrow_array_slice(batch, 0, batch->length, &self->batches[self->batch_count], err));
    self->batch_count++;
    frz_buffer_append(&self->keys, keys->data, keys->size);
    FRZ_TRY(frz_buffer_check(&self->keys, err));
    self->row_count += batch->length;
    self->size += frz_column_memory(self->options.arrow, batch) + keys->size +
                  (uint64_t)batch->length * sizeof(sort_row) +
                  (uint64_t)(batch->n_children + 1) * COLUMN_SIZE;
    const bool full = self->size >= self->options.memory / 2 || self->row_count >= INT32_MAX / 2;
    return full ? spill(self, err) : FRZ_OK;
}

static frz_status end_adding(frz_row_sorter *self, frz_error **err)
{
    frz_status status = FRZ_OK;
    if (self->run_count == 0)
        return self->row_count > 0 ? sort_rows(self, err) : FRZ_OK;
    if (self->row_count > 0)
        FRZ_TRY(spill(self, err));
    frz_sorted_run **runs = frz_alloc_array(self->run_count, sizeof(frz_sorted_run *));
    if (!runs)
        return frz_fail_memory(err);
    for (size_t i = 0; i < self->run_count; i++)
        runs[i] = self->runs[i].run;
    status = frz_run_merge_new(runs, self->run_count, self->options.arrow, &self->merge, err);
    frz_free(runs);
    return status;
}

/* From memory, without a file ever. */
static frz_status next_in_memory(frz_row_sorter *self, uint32_t *group_out, struct ArrowArray *out,
                                 frz_error **err)
{
    if (self->order_at == self->row_count)
        return FRZ_END;
    const int64_t rows = rows_of(self, self->options.memory / BATCHES_OF_MEMORY);
    const sort_row *first = &self->order[self->order_at];
    const uint32_t group = first->group;
    int64_t count = 1;
    while (count < rows && self->order_at + count < self->row_count && first[count].group == group)
        count++;
    FRZ_TRY(take_rows(self, count, out, err));
    *group_out = group;
    return FRZ_OK;
}

frz_status frz_row_sorter_next(frz_row_sorter *self, uint32_t *group_out, struct ArrowArray *out,
                               frz_error **err)
{
    if (!self->ended) {
        self->ended = true;
        FRZ_TRY(end_adding(self, err));
    }
    if (!self->merge)
        return next_in_memory(self, group_out, out, err);
    FRZ_TRY(frz_run_merge_next(self->merge, self->block_rows, &self->block, err));
    *group_out = group_of(self->block.keys.data + FRZ_KEY_PREFIX_SIZE);
    *out = self->block.rows;
    self->block.rows = (struct ArrowArray){0};
    return FRZ_OK;
}
