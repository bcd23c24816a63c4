#include "write/spill.h"

#include "arrow/array.h"
#include "arrow/concat.h"
#include "arrow/schema.h"
#include "arrow/stream.h"
#include "base/arena.h"
#include "base/fail.h"
#include "base/mem.h"
#include "frazil/text.h"
#include "io/file.h"
#include "parquet/writer.h"
#include "spec/column.h"
#include "write/input.h"

static const uint64_t row_group_size = UINT64_C(4) << 20;

typedef struct spilled {
    const char *location; /* in the arena; NULL: no file yet */
    frz_output *output;
    frz_parquet_writer *parquet;
    bool made; /* the file is there */
    uint64_t memory;
    int64_t *rows; /* of the batch at hand */
    size_t row_count;
    size_t row_capacity;
} spilled;

struct frz_spill {
    frz_arena arena;
    frz_io *io;
    const struct ArrowSchema *arrow;
    spilled files[FRZ_SPILL_PARTITIONS];
};

frz_status frz_spill_open(const char *folder, const struct ArrowSchema *arrow, frz_spill **out,
                          frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_spill *self = frz_alloc_zero(sizeof *self);
    if (!self)
        return frz_fail_memory(err);
    self->arrow = arrow;
    FRZ_TRY_DONE(frz_io_scratch_new(folder, &self->io, err));
    *out = self;
    self = NULL;

done:
    frz_spill_close(self);
    return status;
}

void frz_spill_close(frz_spill *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < FRZ_SPILL_PARTITIONS; i++) {
        spilled *file = &self->files[i];
        frz_parquet_writer_free(file->parquet);
        frz_output_abort(file->output);
        frz_free(file->rows);
    }
    frz_io_free(self->io);
    frz_arena_clear(&self->arena);
    frz_free(self);
}

static frz_status open_file(frz_spill *self, size_t index, frz_error **err)
{
    spilled *file = &self->files[index];
    const frz_parquet_writer_options options = {.struct_size = sizeof options,
                                                .codec = FRZ_CODEC_LZ4_RAW,
                                                .codec_level = FRZ_CODEC_LEVEL_DEFAULT,
                                                .row_group_size = row_group_size};
    file->location = frz_arena_printf(&self->arena, "spilled rows, part %zu", index);
    if (!file->location)
        return frz_fail_memory(err);
    FRZ_TRY(frz_io_create(self->io, file->location, &file->output, err));
    return frz_parquet_writer_open(file->output, self->arrow, &options, &file->parquet, err);
}

static frz_status write_rows(frz_spill *self, size_t index, const struct ArrowArray *rows,
                             frz_error **err)
{
    spilled *file = &self->files[index];
    struct ArrowArray taken = {0};
    if (!file->parquet)
        FRZ_TRY(open_file(self, index, err));
    FRZ_TRY(
        frz_arrow_array_take(self->arrow, rows, file->rows, (int64_t)file->row_count, &taken, err));
    file->memory += frz_column_memory(self->arrow, &taken);
    const frz_status status = frz_parquet_writer_write(file->parquet, &taken, err);
    frz_arrow_array_clear(&taken);
    return status == FRZ_OK ? FRZ_OK : frz_context(err, status, "write %s", file->location);
}

frz_status frz_spill_write(frz_spill *self, const struct ArrowArray *rows,
                           const uint8_t *partitions, frz_error **err)
{
    for (size_t i = 0; i < FRZ_SPILL_PARTITIONS; i++)
        self->files[i].row_count = 0;
    for (int64_t i = 0; i < rows->length; i++) {
        spilled *file = &self->files[partitions[i]];
        if (!frz_grow_array((void **)&file->rows, &file->row_capacity, file->row_count,
                            sizeof *file->rows))
            return frz_fail_memory(err);
        file->rows[file->row_count++] = i;
    }
    for (size_t i = 0; i < FRZ_SPILL_PARTITIONS; i++) {
        if (self->files[i].row_count > 0)
            FRZ_TRY(write_rows(self, i, rows, err));
    }
    return FRZ_OK;
}

static frz_status finish_file(spilled *file, frz_error **err)
{
    frz_parquet_summary summary = {0};
    frz_status status = frz_parquet_writer_finish(file->parquet, &summary, err);
    frz_parquet_summary_clear(&summary);
    if (status == FRZ_OK) {
        frz_output *output = file->output;
        file->output = NULL;
        status = frz_output_commit(output, err);
        file->made = status == FRZ_OK;
    }
    return status == FRZ_OK ? FRZ_OK : frz_context(err, status, "write %s", file->location);
}

frz_status frz_spill_finish(frz_spill *self, frz_error **err)
{
    for (size_t i = 0; i < FRZ_SPILL_PARTITIONS; i++) {
        if (self->files[i].parquet)
            FRZ_TRY(finish_file(&self->files[i], err));
    }
    return FRZ_OK;
}

uint64_t frz_spill_memory(const frz_spill *self, size_t partition)
{
    return self->files[partition].memory;
}

/* Growing list of the batches of one file. */
typedef struct batches {
    struct ArrowArray *items;
    size_t count;
    size_t capacity;
} batches;

static frz_status read_batches(struct ArrowArrayStream *stream, frz_input_columns *input,
                               batches *out, frz_error **err)
{
    for (;;) {
        struct ArrowArray batch = {0};
        const frz_status status = frz_arrow_stream_next(stream, &batch, err);
        if (status != FRZ_OK)
            return status == FRZ_END ? FRZ_OK : status;
        if (!frz_grow_array((void **)&out->items, &out->capacity, out->count, sizeof *out->items)) {
            frz_arrow_array_clear(&batch);
            return frz_fail_memory(err);
        }
        FRZ_TRY(frz_input_columns_run(input, &batch, &out->items[out->count], err));
        out->count++;
    }
}

frz_status frz_spill_read(frz_spill *self, size_t partition, const frz_schema *schema,
                          struct ArrowArray *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    struct ArrowArrayStream stream = {0};
    struct ArrowSchema given = {0};
    frz_input_columns *input = NULL;
    batches read = {0};
    const spilled *file = &self->files[partition];
    if (!file->made)
        return FRZ_END;
    FRZ_TRY_DONE(
        frz_rows_open(file->location, FRZ_ROW_FORMAT_PARQUET, NULL, self->io, &stream, err));
    FRZ_TRY_DONE(frz_arrow_stream_schema(&stream, &given, err));
    FRZ_TRY_DONE(frz_input_columns_new(&given, schema, true, &input, err));
    FRZ_TRY_DONE(read_batches(&stream, input, &read, err));
    FRZ_TRY_DONE(frz_arrow_array_concat(self->arrow, read.items, read.count, out, err));

done:
    for (size_t i = 0; i < read.count; i++)
        frz_arrow_array_clear(&read.items[i]);
    frz_free(read.items);
    frz_input_columns_free(input);
    frz_arrow_schema_clear(&given);
    frz_arrow_stream_clear(&stream);
    return status;
}
