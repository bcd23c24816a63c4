#include "write/sorted_run.h"

#include <stdio.h>
#include <string.h>

#include "arrow/pack.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"
#include "io/file.h"
#include "spec/column.h"

/* Of a block in a file; what it tells follows in this order. */
typedef struct block_header {
    uint64_t rows_size;
    uint64_t key_count;
    uint64_t key_size; /* bytes of all keys */
    uint64_t ends_size;
    bool packed; /* keys, by these */
    frz_key_heads heads;
    uint8_t pattern[FRZ_KEY_WINDOW];
} block_header;

struct frz_sorted_run {
    const struct ArrowSchema *arrow;
    size_t stride;
    frz_run_block *blocks; /* in memory */
    size_t block_count;
    size_t block_capacity;
    size_t next_block; /* to be read */
    uint64_t memory;
    frz_io *io; /* NULL while there is no file */
    char location[32];
    frz_output *output; /* while it is written */
    frz_input *input;   /* while it is read; the file has no name any more */
    uint64_t read_at;
    frz_buffer bytes; /* of the block at hand */
};

void frz_run_block_clear(frz_run_block *block)
{
    frz_arrow_array_clear(&block->rows);
    frz_sort_keys_clear(&block->keys);
}

frz_status frz_sorted_run_new(const struct ArrowSchema *arrow, size_t stride, frz_sorted_run **out,
                              frz_error **err)
{
    frz_sorted_run *self = frz_alloc_zero(sizeof *self);
    if (!self)
        return frz_fail_memory(err);
    self->arrow = arrow;
    self->stride = stride;
    *out = self;
    return FRZ_OK;
}

static void forget_blocks(frz_sorted_run *self)
{
    for (size_t i = 0; i < self->block_count; i++)
        frz_run_block_clear(&self->blocks[i]);
    frz_free(self->blocks);
    self->blocks = NULL;
    self->block_count = self->block_capacity = 0;
    self->memory = 0;
}

void frz_sorted_run_free(frz_sorted_run *self)
{
    if (!self)
        return;
    forget_blocks(self);
    frz_output_abort(self->output);
    frz_input_close(self->input);
    frz_buffer_clear(&self->bytes);
    frz_free(self);
}

size_t frz_sorted_run_stride(const frz_sorted_run *self)
{
    return self->stride;
}

uint64_t frz_sorted_run_memory(const frz_sorted_run *self)
{
    return self->memory;
}

static frz_status write_block(frz_sorted_run *self, const frz_run_block *block, frz_error **err)
{
    frz_buffer *bytes = &self->bytes;
    const frz_sort_keys *keys = &block->keys;
    block_header header = {.key_count = keys->count,
                           .key_size = keys->bytes.size,
                           .ends_size = keys->ends.size,
                           .packed = keys->packed,
                           .heads = keys->heads};
    memcpy(header.pattern, keys->pattern, sizeof header.pattern);
    frz_buffer_reset(bytes);
    frz_buffer_append_fill(bytes, 0, sizeof header);
    FRZ_TRY(frz_arrow_array_pack(self->arrow, &block->rows, bytes, err));
    header.rows_size = bytes->size - sizeof header;
    memcpy(bytes->data, &header, sizeof header);
    frz_buffer_append(bytes, keys->bytes.data, keys->bytes.size);
    if (keys->ends.size > 0)
        frz_buffer_append(bytes, keys->ends.data, keys->ends.size);
    FRZ_TRY(frz_buffer_check(bytes, err));
    return frz_output_write(self->output, bytes->data, bytes->size, err);
}

frz_status frz_sorted_run_spill(frz_sorted_run *self, frz_io *io, int64_t number, frz_error **err)
{
    self->io = io;
    (void)snprintf(self->location, sizeof self->location, "run-%lld", (long long)number);
    FRZ_TRY(frz_io_create(io, self->location, &self->output, err));
    for (size_t i = 0; i < self->block_count; i++) {
        FRZ_TRY(write_block(self, &self->blocks[i], err));
        frz_run_block_clear(&self->blocks[i]);
    }
    forget_blocks(self);
    frz_buffer_clear(&self->bytes);
    return FRZ_OK;
}

frz_status frz_sorted_run_add(frz_sorted_run *self, frz_run_block *block, frz_error **err)
{
    frz_status status = FRZ_OK;
    if (self->output) {
        status = write_block(self, block, err);
    } else if (!frz_grow_array((void **)&self->blocks, &self->block_capacity, self->block_count,
                               sizeof *self->blocks)) {
        status = frz_fail_memory(err);
    } else {
        self->memory +=
            frz_column_memory(self->arrow, &block->rows) + frz_sort_keys_memory(&block->keys);
        self->blocks[self->block_count++] = *block;
        *block = (frz_run_block){.keys.stride = self->stride};
    }
    frz_arrow_array_clear(&block->rows);
    frz_sort_keys_reset(&block->keys);
    return status;
}

/* The file is open for reading, and loses its name. */
static frz_status end_writing(frz_sorted_run *self, frz_error **err)
{
    frz_output *output = self->output;
    self->output = NULL;
    FRZ_TRY(frz_output_commit(output, err));
    const frz_status status =
        frz_io_open(self->io, self->location, FRZ_IO_SIZE_UNKNOWN, &self->input, err);
    const frz_status removed = frz_io_remove(self->io, self->location, err);
    return status == FRZ_OK ? removed : status;
}

static frz_status read_bytes(frz_sorted_run *self, uint64_t size, frz_buffer *out, frz_error **err)
{
    frz_buffer_reset(out);
    uint8_t *to = frz_buffer_extend(out, (size_t)size);
    if (!to)
        return frz_fail_memory(err);
    FRZ_TRY(frz_input_read_at(self->input, self->read_at, to, (size_t)size, err));
    self->read_at += size;
    return FRZ_OK;
}

static frz_status read_block(frz_sorted_run *self, frz_run_block *block, frz_error **err)
{
    block_header header = {0};
    FRZ_TRY(frz_input_read_at(self->input, self->read_at, &header, sizeof header, err));
    self->read_at += sizeof header;
    FRZ_TRY(
        read_bytes(self, header.rows_size + header.key_size + header.ends_size, &self->bytes, err));
    frz_cursor cursor = frz_cursor_over(self->bytes.data, self->bytes.size);
    FRZ_TRY(frz_arrow_array_unpack(self->arrow, &cursor, &block->rows, err));
    frz_sort_keys_reset(&block->keys);
    if (header.packed)
        frz_sort_keys_pack(&block->keys, &header.heads, header.pattern);
    const uint8_t *keys = self->bytes.data + header.rows_size;
    frz_buffer_append(&block->keys.bytes, keys, (size_t)header.key_size);
    if (header.ends_size > 0)
        frz_buffer_append(&block->keys.ends, keys + header.key_size, (size_t)header.ends_size);
    block->keys.count = (size_t)header.key_count;
    frz_buffer_clear(&self->bytes); /* many runs are read side by side */
    return frz_sort_keys_check(&block->keys, err);
}

static void take_block(frz_sorted_run *self, frz_run_block *block)
{
    frz_run_block_clear(block);
    *block = self->blocks[self->next_block];
    self->blocks[self->next_block++] = (frz_run_block){0};
}

frz_status frz_sorted_run_read(frz_sorted_run *self, frz_run_block *block, frz_error **err)
{
    frz_arrow_array_clear(&block->rows);
    block->keys.stride = self->stride;
    if (self->output)
        FRZ_TRY(end_writing(self, err));
    if (!self->input && self->next_block < self->block_count) {
        take_block(self, block);
        return FRZ_OK;
    }
    if (self->input && self->read_at < frz_input_size(self->input))
        return read_block(self, block, err);
    frz_run_block_clear(block);
    return FRZ_END;
}
