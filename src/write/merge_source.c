#include "write/merge_source.h"

#include <stdio.h>
#include <stdlib.h>

#include "arrow/array.h"
#include "arrow/concat.h"
#include "arrow/schema.h"
#include "arrow/stream.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"
#include "frazil/text.h"
#include "spec/column.h"
#include "write/input.h"
#include "write/key_bounds.h"
#include "write/spill.h"

static const uint64_t memory_limit_default = UINT64_C(256) << 20;
static const uint64_t part_seed = UINT64_C(0x6d65726765);

enum { NO_ROW = -1 };

struct frz_merge_source {
    frz_merge_source_options options;
    const frz_transaction *transaction;
    frz_arena arena;
    struct ArrowSchema arrow; /* of the table's columns */
    frz_row_key key;          /* over rows of ours */
    frz_source_fields has;
    frz_key_bounds bounds;
    struct ArrowArray *batches; /* in memory, until they are joined or spilled */
    size_t batch_count;
    size_t batch_capacity;
    uint64_t batch_size;
    frz_spill *spill;                     /* NULL while all is in memory */
    size_t part_of[FRZ_SPILL_PARTITIONS]; /* of each partition of the hash */
    size_t part_count;
    /* The loaded part. */
    struct ArrowArray rows;
    frz_arena key_arena;
    frz_map by_key;  /* to the first row with that key */
    int64_t *first;  /* per row: the first row with its key; NO_ROW without key */
    uint64_t *twice; /* bits of first rows whose keys stand again */
    uint64_t *taken; /* bits of first rows */
};

static size_t words_of(int64_t rows)
{
    return ((size_t)rows + 63) / 64 + 1;
}

static bool bit_of(const uint64_t *bits, int64_t row)
{
    return bits[row >> 6] >> (row & 63) & 1;
}

static void set_bit(uint64_t *bits, int64_t row)
{
    bits[row >> 6] |= UINT64_C(1) << (row & 63);
}

static void clear_batches(frz_merge_source *self)
{
    for (size_t i = 0; i < self->batch_count; i++)
        frz_arrow_array_clear(&self->batches[i]);
    self->batch_count = 0;
    self->batch_size = 0;
}

static void clear_part(frz_merge_source *self)
{
    frz_arrow_array_clear(&self->rows);
    frz_map_clear(&self->by_key);
    self->by_key = (frz_map){0};
    frz_arena_clear(&self->key_arena);
    frz_free(self->first);
    frz_free(self->twice);
    frz_free(self->taken);
    self->first = NULL;
    self->twice = self->taken = NULL;
}

void frz_merge_source_close(frz_merge_source *self)
{
    if (!self)
        return;
    clear_part(self);
    clear_batches(self);
    frz_free(self->batches);
    frz_spill_close(self->spill);
    frz_key_bounds_clear(&self->bounds);
    frz_row_key_clear(&self->key);
    frz_arrow_schema_clear(&self->arrow);
    frz_arena_clear(&self->arena);
    frz_free(self);
}

static size_t partition_of(frz_slice key)
{
    return frz_hash_xxh64(key.data, key.size, part_seed) % FRZ_SPILL_PARTITIONS;
}

/* Rows without a key go to partition 0. */
static frz_status spill_batch(frz_merge_source *self, struct ArrowArray *batch, frz_error **err)
{
    frz_status status = FRZ_OK;
    uint8_t *partitions = frz_alloc((size_t)batch->length + 1);
    if (!partitions)
        return frz_fail_memory(err);
    for (int64_t i = 0; i < batch->length; i++) {
        bool has = false;
        FRZ_TRY_DONE(frz_row_key_read(&self->key, batch, i, &has, err));
        partitions[i] = has ? (uint8_t)partition_of(frz_buffer_slice(&self->key.bytes)) : 0;
    }
    FRZ_TRY_DONE(frz_spill_write(self->spill, batch, partitions, err));

done:
    frz_free(partitions);
    return status;
}

static frz_status spill_all(frz_merge_source *self, frz_error **err)
{
    if (!self->spill)
        FRZ_TRY(frz_spill_open(self->options.folder, &self->arrow, &self->spill, err));
    for (size_t i = 0; i < self->batch_count; i++)
        FRZ_TRY(spill_batch(self, &self->batches[i], err));
    clear_batches(self);
    return FRZ_OK;
}

/* Takes `batch`, also on failure. */
static frz_status keep_batch(frz_merge_source *self, struct ArrowArray *batch, frz_error **err)
{
    if (!frz_grow_array((void **)&self->batches, &self->batch_capacity, self->batch_count,
                        sizeof *self->batches)) {
        frz_arrow_array_clear(batch);
        return frz_fail_memory(err);
    }
    self->batches[self->batch_count++] = *batch;
    self->batch_size += frz_column_memory(&self->arrow, batch);
    return self->batch_size > self->options.memory_limit ? spill_all(self, err) : FRZ_OK;
}

static frz_status see_keys(frz_merge_source *self, const struct ArrowArray *batch, frz_error **err)
{
    for (int64_t i = 0; i < batch->length; i++) {
        bool has = false;
        FRZ_TRY(frz_row_key_read(&self->key, batch, i, &has, err));
        if (has)
            FRZ_TRY(frz_key_bounds_add(&self->bounds, self->key.values, err));
    }
    return FRZ_OK;
}

static frz_status read_batches(frz_merge_source *self, frz_input_columns *input,
                               struct ArrowArrayStream *rows, frz_error **err)
{
    for (;;) {
        struct ArrowArray batch = {0};
        struct ArrowArray columns = {0};
        FRZ_TRY(frz_transaction_check_cancelled(self->transaction, err));
        const frz_status status = frz_arrow_stream_next(rows, &batch, err);
        if (status != FRZ_OK)
            return status == FRZ_END ? FRZ_OK : status;
        FRZ_TRY(frz_input_columns_run(input, &batch, &columns, err));
        const frz_status seen = see_keys(self, &columns, err);
        if (seen != FRZ_OK) {
            frz_arrow_array_clear(&columns);
            return seen;
        }
        FRZ_TRY(keep_batch(self, &columns, err));
    }
}

/* Which columns of the table the input has, keys among them. */
static frz_status note_columns(frz_merge_source *self, const frz_input_columns *input,
                               frz_error **err)
{
    const size_t count = (size_t)frz_schema_highest_id(self->options.schema) + 1;
    bool *has = frz_arena_array(&self->arena, count, sizeof *has);
    if (!has)
        return frz_fail_memory(err);
    frz_input_columns_mark(input, has, count);
    self->has = (frz_source_fields){has, count};
    for (size_t i = 0; i < self->key.count; i++) {
        if (!frz_source_has(&self->has, self->key.fields[i]->id))
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "the input has no key column %s",
                            self->key.fields[i]->name);
    }
    return FRZ_OK;
}

static frz_status read_input(frz_merge_source *self, struct ArrowArrayStream *rows, frz_error **err)
{
    frz_status status = FRZ_OK;
    struct ArrowSchema given = {0};
    frz_input_columns *input = NULL;
    FRZ_TRY_DONE(frz_arrow_stream_schema(rows, &given, err));
    FRZ_TRY_DONE(frz_input_columns_new(&given, self->options.schema, self->options.case_sensitive,
                                       &input, err));
    FRZ_TRY_DONE(note_columns(self, input, err));
    FRZ_TRY_DONE(read_batches(self, input, rows, err));
    if (self->spill)
        FRZ_TRY_DONE(spill_all(self, err));
    if (self->spill)
        FRZ_TRY_DONE(frz_spill_finish(self->spill, err));

done:
    frz_input_columns_free(input);
    frz_arrow_schema_clear(&given);
    return status;
}

/* Partitions of the hash one after the other, as many to a part as the limit
 * allows. */
static void form_parts(frz_merge_source *self)
{
    uint64_t size = 0;
    size_t part = 0;
    for (size_t i = 0; i < FRZ_SPILL_PARTITIONS && self->spill; i++) {
        const uint64_t more = frz_spill_memory(self->spill, i);
        if (size > 0 && size + more > self->options.memory_limit) {
            part++;
            size = 0;
        }
        size += more;
        self->part_of[i] = part;
    }
    self->part_count = part + 1;
}

frz_status frz_merge_source_open(const frz_merge_source_options *options,
                                 const frz_transaction *transaction, struct ArrowArrayStream *rows,
                                 frz_merge_source **out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_merge_source *self = frz_alloc_zero(sizeof *self);
    if (!self)
        return frz_fail_memory(err);
    self->options = *options;
    if (self->options.memory_limit == 0)
        self->options.memory_limit = memory_limit_default;
    self->transaction = transaction;
    FRZ_TRY_DONE(frz_schema_to_arrow(options->schema, &self->arrow, err));
    FRZ_TRY_DONE(frz_row_key_init(&self->key, options->keys, options->key_count,
                                  frz_schema_type(options->schema), &self->arena, err));
    FRZ_TRY_DONE(frz_key_bounds_init(&self->bounds, options->schema, options->keys,
                                     options->key_count, err));
    FRZ_TRY_DONE(read_input(self, rows, err));
    FRZ_TRY_DONE(frz_key_bounds_print(&self->bounds, err));
    form_parts(self);
    *out = self;
    self = NULL;

done:
    frz_merge_source_close(self);
    return status;
}

const frz_source_fields *frz_merge_source_fields(const frz_merge_source *self)
{
    return &self->has;
}

const char *frz_merge_source_filter(const frz_merge_source *self)
{
    return frz_key_bounds_filter(&self->bounds);
}

size_t frz_merge_source_part_count(const frz_merge_source *self)
{
    return self->part_count;
}

size_t frz_merge_source_part_of(const frz_merge_source *self, frz_slice key)
{
    return self->spill ? self->part_of[partition_of(key)] : 0;
}

static frz_status fail_twice(const frz_merge_source *self, frz_error **err)
{
    frz_buffer text = {0};
    frz_row_key_print(&self->key, &text);
    const frz_status status = text.failed
                                  ? frz_fail_memory(err)
                                  : frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                                             "the key %.*s stands in the input more than once",
                                             (int)text.size, (const char *)text.data);
    frz_buffer_clear(&text);
    return status;
}

static frz_status index_row(frz_merge_source *self, int64_t row, frz_error **err)
{
    bool has = false;
    frz_slice key;
    FRZ_TRY(frz_row_key_read(&self->key, &self->rows, row, &has, err));
    self->first[row] = NO_ROW;
    if (!has)
        return FRZ_OK;
    const frz_map_value *found = frz_map_find(&self->by_key, frz_buffer_slice(&self->key.bytes));
    if (found) {
        if (self->options.unique)
            return fail_twice(self, err);
        set_bit(self->twice, found->number);
        self->first[row] = found->number;
        return FRZ_OK;
    }
    self->first[row] = row;
    if (!frz_arena_slice(&self->key_arena, frz_buffer_slice(&self->key.bytes), &key) ||
        !frz_map_put(&self->by_key, key, (frz_map_value){.number = row}))
        return frz_fail_memory(err);
    return FRZ_OK;
}

static frz_status index_rows(frz_merge_source *self, frz_error **err)
{
    const int64_t count = self->rows.length;
    self->first = frz_alloc_array((size_t)count + 1, sizeof *self->first);
    self->twice = frz_alloc_array(words_of(count), sizeof *self->twice);
    self->taken = frz_alloc_array(words_of(count), sizeof *self->taken);
    if (!self->first || !self->twice || !self->taken)
        return frz_fail_memory(err);
    for (int64_t i = 0; i < count; i++)
        FRZ_TRY(index_row(self, i, err));
    return FRZ_OK;
}

static frz_status load_spilled(frz_merge_source *self, size_t part, frz_error **err)
{
    for (size_t i = 0; i < FRZ_SPILL_PARTITIONS; i++) {
        if (self->part_of[i] != part)
            continue;
        struct ArrowArray rows = {0};
        const frz_status status = frz_spill_read(self->spill, i, self->options.schema, &rows, err);
        if (status == FRZ_END)
            continue;
        if (status != FRZ_OK)
            return status;
        if (!frz_grow_array((void **)&self->batches, &self->batch_capacity, self->batch_count,
                            sizeof *self->batches)) {
            frz_arrow_array_clear(&rows);
            return frz_fail_memory(err);
        }
        self->batches[self->batch_count++] = rows;
    }
    return FRZ_OK;
}

frz_status frz_merge_source_load(frz_merge_source *self, size_t part, frz_error **err)
{
    clear_part(self);
    if (self->spill)
        FRZ_TRY(load_spilled(self, part, err));
    if (self->batch_count == 0) {
        FRZ_TRY(frz_arrow_array_nulls(&self->arrow, 0, &self->rows, err));
    } else {
        FRZ_TRY(frz_arrow_array_concat(&self->arrow, self->batches, self->batch_count, &self->rows,
                                       err));
    }
    clear_batches(self);
    return index_rows(self, err);
}

const struct ArrowArray *frz_merge_source_rows(const frz_merge_source *self)
{
    return &self->rows;
}

int64_t frz_merge_source_find(const frz_merge_source *self, frz_slice key, bool *twice_out)
{
    const frz_map_value *found = frz_map_find(&self->by_key, key);
    *twice_out = found && bit_of(self->twice, found->number);
    return found ? found->number : NO_ROW;
}

void frz_merge_source_take(frz_merge_source *self, int64_t row)
{
    set_bit(self->taken, row);
}

int64_t frz_merge_source_left(const frz_merge_source *self, uint64_t *mask)
{
    int64_t count = 0;
    for (int64_t i = 0; i < self->rows.length; i++) {
        if (self->first[i] != NO_ROW && bit_of(self->taken, self->first[i]))
            continue;
        set_bit(mask, i);
        count++;
    }
    return count;
}
