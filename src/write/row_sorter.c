#include "write/row_sorter.h"

#include <string.h>

#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"
#include "frazil/io.h"
#include "write/run_merge.h"
#include "write/sort_piece.h"

enum { FAN_IN = 128, PIECES_OF_MEMORY = 16, BLOCKS_OF_MEMORY = 256 };

static const uint64_t memory_default = UINT64_C(128) << 20;
static const uint64_t memory_max = UINT64_C(2) << 30;
static const uint64_t memory_min = 1024;

typedef struct sorted_run {
    frz_sorted_run *run;
    int level; /* 0: a piece; n + 1: of `fan_in` runs of level n */
} sorted_run;

struct frz_row_sorter {
    frz_row_sorter_options options;

    frz_sort_piece piece; /* rows as they came */
    frz_key_span span;    /* of the keys of all rows that are in runs */

    frz_io *io;         /* of the runs; NULL until one is written */
    int64_t run_number; /* files made so far */
    size_t block_rows;  /* that make up a block */
    sorted_run *runs;   /* by age; the first `file_count` are in files */
    size_t run_count;
    size_t run_capacity;
    size_t file_count;
    uint64_t run_memory; /* of the others */

    frz_run_merge *merge; /* NULL until rows are taken */
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
    if (self->options.fan_in == 0)
        self->options.fan_in = FAN_IN;
    self->piece.keys.stride = self->block.keys.stride = options->key_stride;
    *out = self;
    return FRZ_OK;
}

void frz_row_sorter_free(frz_row_sorter *self)
{
    if (!self)
        return;
    frz_run_merge_free(self->merge);
    for (size_t i = 0; i < self->run_count; i++)
        frz_sorted_run_free(self->runs[i].run);
    frz_sort_piece_clear(&self->piece);
    frz_run_block_clear(&self->block);
    if (self->io != self->options.io)
        frz_io_free(self->io);
    frz_free(self->runs);
    frz_free(self);
}

/* Room for one run more, which is then owned by the list. */
static frz_status add_run(frz_row_sorter *self, frz_sorted_run **out, frz_error **err)
{
    if (!frz_grow_array((void **)&self->runs, &self->run_capacity, self->run_count,
                        sizeof *self->runs))
        return frz_fail_memory(err);
    FRZ_TRY(frz_sorted_run_new(self->options.arrow, self->options.key_stride, out, err));
    self->runs[self->run_count++] = (sorted_run){*out, 0};
    return FRZ_OK;
}

static frz_status write_run(frz_row_sorter *self, frz_sorted_run *run, frz_error **err)
{
    if (!self->io && self->options.io)
        self->io = self->options.io;
    else if (!self->io)
        FRZ_TRY(frz_io_scratch_new(self->options.folder, &self->io, err));
    return frz_sorted_run_spill(run, self->io, ++self->run_number, err);
}

static frz_status merge_into(frz_row_sorter *self, frz_sorted_run *const *from, size_t count,
                             frz_sorted_run *into, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_run_merge *merge = NULL;
    uint32_t group = 0;
    FRZ_TRY_DONE(write_run(self, into, err));
    FRZ_TRY_DONE(frz_run_merge_new(from, count, self->options.arrow, &self->span, &merge, err));
    while ((status = frz_run_merge_next(merge, self->block_rows, true, &self->block, &group,
                                        err)) == FRZ_OK)
        FRZ_TRY_DONE(frz_sorted_run_add(into, &self->block, err));
    if (status == FRZ_END)
        status = FRZ_OK;

done:
    frz_run_merge_free(merge);
    frz_run_block_clear(&self->block);
    return status;
}

/* The youngest files, all of one level, become one of the next. */
static frz_status merge_youngest(frz_row_sorter *self, frz_error **err)
{
    frz_status status = FRZ_OK;
    const size_t count = self->options.fan_in;
    const size_t first = self->file_count - count;
    frz_sorted_run *into = NULL;
    frz_sorted_run **from = frz_alloc_array(count, sizeof(frz_sorted_run *));
    if (!from)
        return frz_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        from[i] = self->runs[first + i].run;
    FRZ_TRY_DONE(frz_sorted_run_new(self->options.arrow, self->options.key_stride, &into, err));
    FRZ_TRY_DONE(merge_into(self, from, count, into, err));
    for (size_t i = 0; i < count; i++)
        frz_sorted_run_free(from[i]);
    self->runs[first] = (sorted_run){into, self->runs[first].level + 1};
    into = NULL;
    memmove(&self->runs[first + 1], &self->runs[self->file_count],
            (self->run_count - self->file_count) * sizeof *self->runs);
    self->run_count -= count - 1;
    self->file_count = first + 1;

done:
    frz_sorted_run_free(into);
    frz_free(from);
    return status;
}

static bool youngest_are_enough(const frz_row_sorter *self)
{
    const size_t count = self->file_count;
    return count >= self->options.fan_in &&
           self->runs[count - self->options.fan_in].level == self->runs[count - 1].level;
}

/* All runs go to files. */
static frz_status spill(frz_row_sorter *self, frz_error **err)
{
    while (self->file_count < self->run_count) {
        frz_sorted_run *run = self->runs[self->file_count].run;
        const uint64_t memory = frz_sorted_run_memory(run);
        FRZ_TRY(write_run(self, run, err));
        self->run_memory -= memory;
        self->file_count++;
        while (youngest_are_enough(self))
            FRZ_TRY(merge_youngest(self, err));
    }
    return FRZ_OK;
}

/* The piece becomes a run. */
static frz_status end_piece(frz_row_sorter *self, frz_error **err)
{
    frz_sorted_run *run = NULL;
    FRZ_TRY(add_run(self, &run, err));
    self->block_rows =
        frz_sort_piece_rows_of(&self->piece, self->options.memory / BLOCKS_OF_MEMORY);
    FRZ_TRY(frz_sort_piece_end(&self->piece, self->options.arrow, self->block_rows, run,
                               &self->span, err));
    self->run_memory += frz_sorted_run_memory(run);
    return self->run_memory > self->options.memory / 8 * 5 ? spill(self, err) : FRZ_OK;
}

frz_status frz_row_sorter_add(frz_row_sorter *self, struct ArrowArray *batch,
                              const frz_sort_keys *keys, frz_error **err)
{
    if (batch->length == 0)
        return FRZ_OK;
    FRZ_TRY(frz_sort_piece_add(&self->piece, self->options.arrow, batch, keys, err));
    const bool full = self->piece.size >= self->options.memory / PIECES_OF_MEMORY ||
                      self->piece.keys.count >= INT32_MAX / 2;
    return full ? end_piece(self, err) : FRZ_OK;
}

/* Runs may stay in memory beside the blocks of those in files. */
static bool must_spill(const frz_row_sorter *self)
{
    const uint64_t blocks = self->file_count * (self->options.memory / BLOCKS_OF_MEMORY);
    return self->file_count > 0 && self->run_memory + blocks > self->options.memory / 4 * 3;
}

static frz_status end_adding(frz_row_sorter *self, frz_error **err)
{
    if (self->piece.keys.count > 0)
        FRZ_TRY(end_piece(self, err));
    if (must_spill(self))
        FRZ_TRY(spill(self, err));
    frz_sorted_run **runs = frz_alloc_array(self->run_count + 1, sizeof(frz_sorted_run *));
    if (!runs)
        return frz_fail_memory(err);
    for (size_t i = 0; i < self->run_count; i++)
        runs[i] = self->runs[i].run;
    const frz_status status = frz_run_merge_new(runs, self->run_count, self->options.arrow,
                                                &self->span, &self->merge, err);
    frz_free(runs);
    return status;
}

frz_status frz_row_sorter_next(frz_row_sorter *self, uint32_t *group_out, struct ArrowArray *out,
                               frz_error **err)
{
    if (!self->merge)
        FRZ_TRY(end_adding(self, err));
    FRZ_TRY(frz_run_merge_next(self->merge, self->block_rows, false, &self->block, group_out, err));
    *out = self->block.rows;
    self->block.rows = (struct ArrowArray){0};
    return FRZ_OK;
}
