#include "write/sort_piece.h"

#include "arrow/array.h"
#include "arrow/gather.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"
#include "spec/column.h"
#include "write/key_order.h"

enum { BLOCK_ROWS_MAX = 16384, COLUMN_SIZE = 256 /* of an array, beside its rows */ };

/* The rows of a piece on their way into a run: columns one by one, so that what is picked from at
 * random is one column, which fits a cache. */
typedef struct ordering {
    const frz_sort_piece *piece;
    const struct ArrowSchema *arrow;
    frz_key_span span;
    frz_key_heads heads;
    frz_key_entry *entries;            /* of the keys, in order */
    frz_row_pick *picks;               /* the same as rows of batches */
    struct ArrowArray *views;          /* a column of each batch; borrowed, never released */
    const struct ArrowArray **sources; /* to the views */
    frz_run_block *blocks;
    size_t block_count;
    size_t block_rows;
} ordering;

static void forget_rows(frz_sort_piece *piece)
{
    for (size_t i = 0; i < piece->batch_count; i++)
        frz_arrow_array_clear(&piece->batches[i]);
    piece->batch_count = 0;
    piece->size = 0;
    frz_sort_keys_reset(&piece->keys);
}

void frz_sort_piece_clear(frz_sort_piece *piece)
{
    forget_rows(piece);
    frz_sort_keys_clear(&piece->keys);
    frz_free(piece->batches);
    *piece = (frz_sort_piece){.keys = piece->keys};
}

frz_status frz_sort_piece_add(frz_sort_piece *piece, const struct ArrowSchema *arrow,
                              struct ArrowArray *batch, const frz_sort_keys *keys, frz_error **err)
{
    if (!frz_grow_array((void **)&piece->batches, &piece->batch_capacity, piece->batch_count,
                        sizeof *piece->batches))
        return frz_fail_memory(err);
    FRZ_TRY(
        frz_arrow_array_slice(batch, 0, batch->length, &piece->batches[piece->batch_count], err));
    piece->batch_count++;
    frz_sort_keys_join(&piece->keys, keys);
    FRZ_TRY(frz_sort_keys_check(&piece->keys, err));
    piece->size += frz_column_memory(arrow, batch) + frz_sort_keys_memory(keys) +
                   (uint64_t)(batch->n_children + 1) * COLUMN_SIZE;
    return FRZ_OK;
}

size_t frz_sort_piece_rows_of(const frz_sort_piece *piece, uint64_t bytes)
{
    const uint64_t row = piece->size / piece->keys.count;
    const uint64_t rows = bytes / (row ? row : 1);
    return rows > BLOCK_ROWS_MAX ? BLOCK_ROWS_MAX : rows ? (size_t)rows : 1;
}

static void ordering_clear(ordering *self)
{
    for (size_t i = 0; self->blocks && i < self->block_count; i++)
        frz_run_block_clear(&self->blocks[i]);
    frz_free(self->entries);
    frz_free(self->picks);
    frz_free(self->views);
    frz_free(self->sources);
    frz_free(self->blocks);
}

static frz_status make_room(ordering *self, frz_error **err)
{
    const frz_sort_piece *piece = self->piece;
    const size_t count = piece->keys.count;
    self->block_count = (count + self->block_rows - 1) / self->block_rows;
    self->entries = frz_alloc(count * sizeof *self->entries);
    self->picks = frz_alloc(count * sizeof *self->picks);
    self->views = frz_alloc_array(piece->batch_count, sizeof *self->views);
    self->sources = frz_alloc_array(piece->batch_count, sizeof(const struct ArrowArray *));
    self->blocks = frz_alloc_array(self->block_count, sizeof *self->blocks);
    if (!self->entries || !self->picks || !self->views || !self->sources || !self->blocks)
        return frz_fail_memory(err);
    for (size_t i = 0; i < piece->batch_count; i++)
        self->sources[i] = &self->views[i];
    return FRZ_OK;
}

/* The rows of block `index`. */
static size_t rows_in(const ordering *self, size_t index)
{
    const size_t left = self->piece->keys.count - index * self->block_rows;
    return left < self->block_rows ? left : self->block_rows;
}

static frz_status put_in_order(ordering *self, frz_error **err)
{
    frz_key_span_add(&self->span, &self->piece->keys);
    self->heads = frz_key_heads_of(&self->span);
    return frz_key_order(&self->piece->keys, &self->heads, self->entries, err);
}

/* The batch and the row of each key, by its index. */
static frz_status set_picks(ordering *self, frz_error **err)
{
    const frz_sort_piece *piece = self->piece;
    frz_row_pick *rows = frz_alloc(piece->keys.count * sizeof *rows);
    size_t key = 0;
    if (!rows)
        return frz_fail_memory(err);
    for (size_t i = 0; i < piece->batch_count; i++) {
        for (int64_t row = 0; row < piece->batches[i].length; row++)
            rows[key++] = (frz_row_pick){(uint32_t)i, (uint32_t)row};
    }
    for (size_t i = 0; i < piece->keys.count; i++)
        self->picks[i] = rows[self->entries[i].key];
    frz_free(rows);
    return FRZ_OK;
}

/* Rows of nothing yet. */
static frz_status open_blocks(ordering *self, frz_error **err)
{
    for (size_t i = 0; i < self->block_count; i++) {
        frz_buffer none = {0};
        self->blocks[i].keys.stride = self->piece->keys.stride;
        FRZ_TRY(frz_arrow_array_init(&self->blocks[i].rows, (int64_t)rows_in(self, i), 0, &none, 1,
                                     self->arrow->n_children, err));
    }
    return FRZ_OK;
}

static frz_status take_column(ordering *self, int64_t column, frz_error **err)
{
    for (size_t i = 0; i < self->piece->batch_count; i++) {
        const struct ArrowArray *batch = &self->piece->batches[i];
        self->views[i] = *batch->children[column];
        self->views[i].offset += batch->offset;
        self->views[i].length = batch->length;
    }
    for (size_t i = 0; i < self->block_count; i++)
        FRZ_TRY(frz_arrow_array_gather(self->arrow->children[column], self->sources,
                                       self->piece->batch_count, self->picks + i * self->block_rows,
                                       rows_in(self, i), self->blocks[i].rows.children[column],
                                       err));
    return FRZ_OK;
}

static size_t size_of_keys(const frz_sort_keys *keys, const frz_key_entry *entries, size_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += frz_sort_keys_at(keys, entries[i].key).size;
    return size;
}

/* The keys of a block: packed where their heads are all of them. */
static frz_status take_keys(const ordering *self, size_t index, frz_error **err)
{
    const frz_sort_keys *keys = &self->piece->keys;
    const frz_key_entry *entries = self->entries + index * self->block_rows;
    frz_sort_keys *out = &self->blocks[index].keys;
    const size_t count = rows_in(self, index);
    if (keys->stride > 0 && self->heads.whole) {
        frz_sort_keys_pack(out, &self->heads, self->span.first);
        (void)frz_buffer_reserve(&out->bytes, count * sizeof entries[0].head);
        for (size_t i = 0; i < count; i++)
            frz_sort_keys_append_head(out, entries[i].head);
    } else {
        (void)frz_buffer_reserve(&out->bytes, size_of_keys(keys, entries, count));
        (void)frz_buffer_reserve(&out->ends, keys->stride == 0 ? count * sizeof(uint32_t) : 0);
        for (size_t i = 0; i < count; i++)
            frz_sort_keys_append(out, frz_sort_keys_at(keys, entries[i].key));
    }
    return frz_sort_keys_check(out, err);
}

frz_status frz_sort_piece_end(frz_sort_piece *piece, const struct ArrowSchema *arrow,
                              size_t block_rows, frz_sorted_run *run, frz_key_span *span,
                              frz_error **err)
{
    frz_status status = FRZ_OK;
    ordering self = {.piece = piece, .arrow = arrow, .block_rows = block_rows};
    FRZ_TRY_DONE(make_room(&self, err));
    FRZ_TRY_DONE(put_in_order(&self, err));
    FRZ_TRY_DONE(set_picks(&self, err));
    FRZ_TRY_DONE(open_blocks(&self, err));
    for (int64_t i = 0; i < arrow->n_children; i++)
        FRZ_TRY_DONE(take_column(&self, i, err));
    for (size_t i = 0; i < self.block_count; i++) {
        FRZ_TRY_DONE(take_keys(&self, i, err));
        FRZ_TRY_DONE(frz_sorted_run_add(run, &self.blocks[i], err));
    }
    frz_key_span_unite(span, &self.span);
    forget_rows(piece);

done:
    ordering_clear(&self);
    return status;
}
