#include "write/sorted_run.h"

#include <stdio.h>
#include <string.h>

#include "arrow/pack.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"
#include "io/file.h"

enum { HEADER_SIZE = 16 }; /* bytes of the rows and of their keys */

struct frz_sorted_run {
    const struct ArrowSchema *arrow;
    frz_io *io;
    char location[32];
    frz_output *output; /* while it is written */
    frz_input *input;   /* while it is read; the file has no name any more */
    uint64_t read_at;
    frz_buffer bytes; /* of the block at hand */
};

frz_slice frz_key_at(const frz_buffer *keys, size_t at, size_t *next_out)
{
    uint32_t size = 0;
    memcpy(&size, keys->data + at, sizeof size);
    *next_out = at + FRZ_KEY_PREFIX_SIZE + size;
    return frz_slice_of(keys->data + at + FRZ_KEY_PREFIX_SIZE, size);
}

void frz_run_block_clear(frz_run_block *block)
{
    frz_arrow_array_clear(&block->rows);
    frz_buffer_clear(&block->keys);
}

frz_status frz_sorted_run_new(frz_io *io, int64_t number, const struct ArrowSchema *arrow,
                              frz_sorted_run **out, frz_error **err)
{
    frz_sorted_run *self = frz_alloc_zero(sizeof *self);
    if (!self)
        return frz_fail_memory(err);
    self->io = io;
    self->arrow = arrow;
    (void)snprintf(self->location, sizeof self->location, "run-%lld", (long long)number);
    const frz_status status = frz_io_create(io, self->location, &self->output, err);
    if (status != FRZ_OK) {
        frz_sorted_run_free(self);
        return status;
    }
    *out = self;
    return FRZ_OK;
}

void frz_sorted_run_free(frz_sorted_run *self)
{
    if (!self)
        return;
    frz_output_abort(self->output);
    frz_input_close(self->input);
    frz_buffer_clear(&self->bytes);
    frz_free(self);
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

frz_status frz_sorted_run_write(frz_sorted_run *self, const frz_run_block *block, frz_error **err)
{
    frz_buffer *bytes = &self->bytes;
    frz_buffer_reset(bytes);
    frz_buffer_append_fill(bytes, 0, HEADER_SIZE);
    FRZ_TRY(frz_arrow_array_pack(self->arrow, &block->rows, bytes, err));
    const uint64_t sizes[2] = {bytes->size - HEADER_SIZE, block->keys.size};
    memcpy(bytes->data, sizes, sizeof sizes);
    FRZ_TRY(frz_output_write(self->output, bytes->data, bytes->size, err));
    return frz_output_write(self->output, block->keys.data, block->keys.size, err);
}

static frz_status read_bytes(frz_sorted_run *self, size_t size, frz_buffer *out, frz_error **err)
{
    frz_buffer_reset(out);
    uint8_t *to = frz_buffer_extend(out, size);
    if (!to)
        return frz_fail_memory(err);
    FRZ_TRY(frz_input_read_at(self->input, self->read_at, to, size, err));
    self->read_at += size;
    return FRZ_OK;
}

frz_status frz_sorted_run_read(frz_sorted_run *self, frz_run_block *block, frz_error **err)
{
    uint64_t sizes[2] = {0};
    frz_arrow_array_clear(&block->rows);
    if (self->output)
        FRZ_TRY(end_writing(self, err));
    if (self->read_at == frz_input_size(self->input)) {
        frz_run_block_clear(block);
        return FRZ_END;
    }
    FRZ_TRY(frz_input_read_at(self->input, self->read_at, sizes, sizeof sizes, err));
    self->read_at += sizeof sizes;
    FRZ_TRY(read_bytes(self, (size_t)sizes[0], &self->bytes, err));
    FRZ_TRY(read_bytes(self, (size_t)sizes[1], &block->keys, err));
    frz_cursor cursor = frz_cursor_over(self->bytes.data, self->bytes.size);
    FRZ_TRY(frz_arrow_array_unpack(self->arrow, &cursor, &block->rows, err));
    frz_buffer_clear(&self->bytes); /* many runs are read side by side */
    return FRZ_OK;
}
