#include "write/run_merge.h"

#include <string.h>

#include "arrow/gather.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"

/* A run and its block at hand. */
typedef struct run_head {
    frz_sorted_run *run;
    frz_run_block block;
    uint64_t *own_heads; /* of the keys of the block, where those are not packed */
} run_head;

/* What is looked at for every row, side by side for all runs. */
typedef struct cursor {
    const uint64_t *heads; /* of the keys of the block at hand */
    size_t row;            /* that is next */
    size_t count;          /* of the block; 0: the run has ended */
} cursor;

/* What takes part in the tournament: the next row of a run. A run without rows is behind all. */
typedef struct contender {
    uint64_t head;
    uint64_t run;
} contender;

static const uint64_t ended = UINT64_MAX;

struct frz_run_merge {
    const struct ArrowSchema *arrow;
    frz_key_span span;
    frz_key_heads key_heads;
    bool packs;      /* keys of equal heads are equal, and of one size */
    bool grouped;    /* there is more than one group */
    run_head *heads; /* by age of their runs */
    cursor *cursors; /* head_count */
    size_t head_count;
    contender *losers; /* of each match of a tree of `leaf_count` leaves, from 1 on */
    contender *builds; /* 2 * leaf_count, while the tree is built */
    size_t leaf_count; /* a power of two */
    contender winner;
    frz_row_pick *picked; /* of the batch that is being made */
    size_t picked_capacity;
    const struct ArrowArray **sources; /* head_count */
};

/* Keys that share their head, and may differ beyond it. */
static int compare_keys(const frz_run_merge *self, const contender *a, const contender *b)
{
    const run_head *x = &self->heads[a->run];
    const run_head *y = &self->heads[b->run];
    return frz_slice_compare(frz_sort_keys_at(&x->block.keys, self->cursors[a->run].row),
                             frz_sort_keys_at(&y->block.keys, self->cursors[b->run].row));
}

static inline bool is_before(const frz_run_merge *self, const contender *a, const contender *b)
{
    if (a->head != b->head)
        return a->head < b->head;
    if (!self->key_heads.whole && a->run != ended && b->run != ended) {
        const int order = compare_keys(self, a, b);
        if (order != 0)
            return order < 0;
    }
    return a->run < b->run; /* the older run first */
}

static contender contender_of(const frz_run_merge *self, size_t run)
{
    if (run >= self->head_count || self->cursors[run].count == 0)
        return (contender){UINT64_MAX, ended};
    return (contender){self->cursors[run].heads[self->cursors[run].row], run};
}

/* Plays all matches: the winner of each goes up, the loser stays. */
static void play_all(frz_run_merge *self)
{
    contender *nodes = self->builds;
    for (size_t i = 0; i < self->leaf_count; i++)
        nodes[self->leaf_count + i] = contender_of(self, i);
    for (size_t i = self->leaf_count - 1; i > 0; i--) {
        const contender *left = &nodes[2 * i];
        const contender *right = &nodes[2 * i + 1];
        const bool right_wins = is_before(self, right, left);
        self->losers[i] = right_wins ? *left : *right;
        nodes[i] = right_wins ? *right : *left;
    }
    self->winner = nodes[1];
}

/* The run of the winner has another row, or none: its matches are played again. */
static inline void play_again(frz_run_merge *self, size_t run)
{
    contender winner = contender_of(self, run);
    for (size_t i = (self->leaf_count + run) / 2; i > 0; i /= 2) {
        const contender other = self->losers[i];
        const bool loses = is_before(self, &other, &winner);
        self->losers[i].head = loses ? winner.head : other.head;
        self->losers[i].run = loses ? winner.run : other.run;
        winner.head = loses ? other.head : winner.head;
        winner.run = loses ? other.run : winner.run;
    }
    self->winner = winner;
}

/* The next block, or none, which leaves the cursor without rows. */
static frz_status next_block(const frz_run_merge *self, size_t run, frz_error **err)
{
    run_head *head = &self->heads[run];
    frz_sort_keys *keys = &head->block.keys;
    self->cursors[run] = (cursor){0};
    frz_free(head->own_heads);
    head->own_heads = NULL;
    const frz_status status = frz_sorted_run_read(head->run, &head->block, err);
    if (status != FRZ_OK)
        return status == FRZ_END ? FRZ_OK : status;
    self->cursors[run].count = keys->count;
    if (keys->packed && self->packs && frz_key_heads_same(&keys->heads, &self->key_heads)) {
        self->cursors[run].heads = (const uint64_t *)(const void *)keys->bytes.data;
        return FRZ_OK;
    }
    if (keys->packed)
        FRZ_TRY(frz_sort_keys_unpack(keys, err));
    head->own_heads = frz_alloc(keys->count * sizeof *head->own_heads);
    if (!head->own_heads)
        return frz_fail_memory(err);
    frz_key_heads_fill(&self->key_heads, keys, head->own_heads, 1);
    self->cursors[run].heads = head->own_heads;
    return FRZ_OK;
}

static bool allocate(frz_run_merge *self, size_t count)
{
    self->leaf_count = 2;
    while (self->leaf_count < count)
        self->leaf_count *= 2;
    self->heads = frz_alloc_array(count + 1, sizeof *self->heads);
    self->cursors = frz_alloc_array(count + 1, sizeof *self->cursors);
    self->sources = frz_alloc_array(count + 1, sizeof(const struct ArrowArray *));
    self->losers = frz_alloc_array(self->leaf_count, sizeof *self->losers);
    self->builds = frz_alloc_array(2 * self->leaf_count, sizeof *self->builds);
    return self->heads && self->cursors && self->sources && self->losers && self->builds;
}

static bool groups_differ(const frz_key_span *span)
{
    uint8_t varies[FRZ_GROUP_SIZE];
    memcpy(varies, span->varies, sizeof varies);
    return varies[0] || varies[1] || varies[2] || varies[3];
}

frz_status frz_run_merge_new(frz_sorted_run *const *runs, size_t count,
                             const struct ArrowSchema *arrow, const frz_key_span *span,
                             frz_run_merge **out, frz_error **err)
{
    const size_t stride = count > 0 ? frz_sorted_run_stride(runs[0]) : 0;
    frz_status status = FRZ_OK;
    frz_run_merge *self = frz_alloc_zero(sizeof *self);
    if (!self)
        return frz_fail_memory(err);
    self->arrow = arrow;
    self->span = *span;
    self->key_heads = frz_key_heads_of(span);
    self->packs = self->key_heads.whole && stride > 0;
    self->grouped = groups_differ(span);
    if (!allocate(self, count)) {
        status = frz_fail_memory(err);
        goto done;
    }
    self->head_count = count;
    for (size_t i = 0; i < count; i++) {
        self->heads[i].run = runs[i];
        FRZ_TRY_DONE(next_block(self, i, err));
    }
    play_all(self);
    *out = self;
    self = NULL;

done:
    frz_run_merge_free(self);
    return status;
}

void frz_run_merge_free(frz_run_merge *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < self->head_count; i++) {
        frz_run_block_clear(&self->heads[i].block);
        frz_free(self->heads[i].own_heads);
    }
    frz_free(self->heads);
    frz_free(self->cursors);
    frz_free(self->losers);
    frz_free(self->builds);
    frz_free(self->picked);
    frz_free(self->sources);
    frz_free(self);
}

static uint32_t group_of(const frz_run_merge *self)
{
    return frz_sort_keys_group(&self->heads[self->winner.run].block.keys,
                               self->cursors[self->winner.run].row);
}

/* Picks rows until a block ends, whose run is *ended_out then and has not played again. */
static size_t pick_rows(frz_run_merge *self, size_t rows_max, size_t *ended_out)
{
    const uint32_t group = group_of(self);
    size_t count = 0;
    do {
        const size_t run = (size_t)self->winner.run;
        cursor *at = &self->cursors[run];
        self->picked[count++] = (frz_row_pick){(uint32_t)run, (uint32_t)at->row};
        if (++at->row == at->count) {
            *ended_out = run;
            break;
        }
        __builtin_prefetch(&at->heads[at->row + 4]); /* its next rows come only after others' */
        play_again(self, run);
    } while (count < rows_max && (!self->grouped || group_of(self) == group));
    return count;
}

static frz_status copy_keys(const frz_run_merge *self, size_t count, frz_sort_keys *out,
                            frz_error **err)
{
    out->stride = self->heads[self->picked[0].source].block.keys.stride;
    if (self->packs)
        frz_sort_keys_pack(out, &self->key_heads, self->span.first);
    else
        frz_sort_keys_reset(out);
    for (size_t i = 0; i < count; i++) {
        const uint32_t run = self->picked[i].source;
        const uint32_t row = self->picked[i].row;
        if (self->packs)
            frz_sort_keys_append_head(out, self->cursors[run].heads[row]);
        else
            frz_sort_keys_append(out, frz_sort_keys_at(&self->heads[run].block.keys, row));
    }
    return frz_sort_keys_check(out, err);
}

static frz_status make_room(frz_run_merge *self, size_t rows, frz_error **err)
{
    if (self->picked_capacity >= rows)
        return FRZ_OK;
    frz_free(self->picked);
    self->picked = frz_alloc(rows * sizeof *self->picked);
    self->picked_capacity = self->picked ? rows : 0;
    return self->picked ? FRZ_OK : frz_fail_memory(err);
}

frz_status frz_run_merge_next(frz_run_merge *self, size_t rows_max, bool with_keys,
                              frz_run_block *block, uint32_t *group_out, frz_error **err)
{
    size_t ended_run = self->head_count;
    frz_arrow_array_clear(&block->rows);
    if (self->winner.run == ended)
        return FRZ_END;
    FRZ_TRY(make_room(self, rows_max, err));
    const uint32_t group = group_of(self);
    const size_t count = pick_rows(self, rows_max, &ended_run);
    for (size_t i = 0; i < self->head_count; i++)
        self->sources[i] = &self->heads[i].block.rows;
    if (with_keys)
        FRZ_TRY(copy_keys(self, count, &block->keys, err));
    FRZ_TRY(frz_arrow_array_gather(self->arrow, self->sources, self->head_count, self->picked,
                                   count, &block->rows, err));
    *group_out = group;
    if (ended_run == self->head_count)
        return FRZ_OK;
    FRZ_TRY(next_block(self, ended_run, err));
    play_again(self, ended_run);
    return FRZ_OK;
}
