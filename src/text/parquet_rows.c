#include "text/parquet_rows.h"

#include "arrow/array.h"
#include "arrow/schema.h"
#include "arrow/stream.h"
#include "base/fail.h"
#include "base/mem.h"
#include "io/file.h"
#include "parquet/field_reader.h"
#include "parquet/writer.h"

enum { BATCH_ROWS = 8192 };

typedef struct parquet_source {
    char *location;
    frz_io *own_io; /* freed with the source; NULL when the caller's */
    frz_input *input;
    frz_parquet_file *file;
    const frz_parquet_metadata *metadata;
    frz_parquet_field_reader **readers; /* one per column */
    size_t group;                       /* row group that is read */
    int64_t done;                       /* rows of it that were handed out */
} parquet_source;

static void source_free(void *self)
{
    parquet_source *source = self;
    if (!source)
        return;
    for (size_t i = 0; source->readers && i < source->metadata->root.child_count; i++)
        frz_parquet_field_reader_close(source->readers[i]);
    frz_free(source->readers);
    frz_parquet_file_close(source->file);
    frz_input_close(source->input);
    frz_io_free(source->own_io);
    frz_free(source->location);
    frz_free(source);
}

static frz_status source_schema(void *self, struct ArrowSchema *out, frz_error **err)
{
    parquet_source *source = self;
    const frz_status status =
        frz_parquet_node_arrow(source->file, &source->metadata->root, NULL, out, err);
    return status == FRZ_OK ? FRZ_OK : frz_context(err, status, "%s", source->location);
}

static frz_status read_columns(parquet_source *source, int64_t start, int64_t count,
                               struct ArrowArray *out, frz_error **err)
{
    const size_t columns = source->metadata->root.child_count;
    frz_buffer validity = {0};
    FRZ_TRY(frz_arrow_array_init(out, count, 0, &validity, 1, (int64_t)columns, err));
    for (size_t i = 0; i < columns; i++) {
        const frz_status status = frz_parquet_field_reader_read(source->readers[i], start, count,
                                                                NULL, count, out->children[i], err);
        if (status != FRZ_OK) {
            frz_arrow_array_clear(out);
            return frz_context(err, status, "%s", source->location);
        }
    }
    return FRZ_OK;
}

static frz_status source_next(void *self, struct ArrowArray *out, frz_error **err)
{
    parquet_source *source = self;
    const frz_parquet_metadata *metadata = source->metadata;
    while (source->group < metadata->row_group_count &&
           source->done == metadata->row_groups[source->group].row_count) {
        source->group++;
        source->done = 0;
    }
    if (source->group == metadata->row_group_count)
        return FRZ_END;
    const frz_parquet_row_group *group = &metadata->row_groups[source->group];
    const int64_t left = group->row_count - source->done;
    const int64_t count = left < BATCH_ROWS ? left : BATCH_ROWS;
    FRZ_TRY(read_columns(source, group->first_row + source->done, count, out, err));
    source->done += count;
    return FRZ_OK;
}

static frz_status open_file(parquet_source *source, const char *location, frz_io *io,
                            frz_error **err)
{
    if (!io) {
        FRZ_TRY(frz_io_local_new(&source->own_io, err));
        io = source->own_io;
    }
    FRZ_TRY(frz_io_open(io, location, FRZ_IO_SIZE_UNKNOWN, &source->input, err));
    FRZ_TRY(frz_parquet_file_open(source->input, NULL, &source->file, err));
    source->metadata = frz_parquet_file_metadata(source->file);
    const frz_parquet_node *root = &source->metadata->root;
    source->readers = frz_alloc_array(root->child_count, sizeof(frz_parquet_field_reader *));
    if (!source->readers)
        return frz_fail_memory(err);
    for (size_t i = 0; i < root->child_count; i++)
        FRZ_TRY(frz_parquet_field_reader_open(source->file, &root->children[i], NULL, NULL, 0,
                                              &source->readers[i], err));
    return FRZ_OK;
}

frz_status frz_parquet_rows_open(const char *location, frz_io *io, struct ArrowArrayStream *out,
                                 frz_error **err)
{
    static const frz_arrow_source_ops ops = {
        .schema = source_schema, .next = source_next, .free = source_free};
    parquet_source *source = frz_alloc_zero(sizeof *source);
    if (!source)
        return frz_fail_memory(err);
    source->location = frz_copy_text(location);
    frz_status status =
        source->location ? open_file(source, location, io, err) : frz_fail_memory(err);
    if (status != FRZ_OK) {
        source_free(source);
        return frz_context(err, status, "%s", location);
    }
    return frz_arrow_stream_from(&ops, source, out, err);
}

static frz_status write_batches(struct ArrowArrayStream *rows, frz_parquet_writer *writer,
                                int64_t *rows_out, frz_error **err)
{
    int64_t count = 0;
    for (;;) {
        struct ArrowArray batch = {0};
        frz_status status = frz_arrow_stream_next(rows, &batch, err);
        if (status == FRZ_END)
            break;
        FRZ_TRY(status);
        count += batch.length;
        status = frz_parquet_writer_write(writer, &batch, err);
        frz_arrow_array_clear(&batch);
        FRZ_TRY(status);
    }
    *rows_out = count;
    return frz_parquet_writer_finish(writer, NULL, err);
}

frz_status frz_parquet_rows_write(struct ArrowArrayStream *rows, const char *location, frz_io *io,
                                  int64_t *rows_out, frz_error **err)
{
    const frz_parquet_writer_options options = {.struct_size = sizeof options,
                                                .codec = FRZ_CODEC_ZSTD,
                                                .codec_level = FRZ_CODEC_LEVEL_DEFAULT};
    struct ArrowSchema schema = {0};
    frz_output *output = NULL;
    frz_parquet_writer *writer = NULL;
    int64_t count = 0;
    frz_status status = frz_arrow_stream_schema(rows, &schema, err);
    if (status != FRZ_OK)
        goto done;
    FRZ_TRY_DONE(frz_io_create(io, location, &output, err));
    FRZ_TRY_DONE(frz_parquet_writer_open(output, &schema, &options, &writer, err));
    FRZ_TRY_DONE(write_batches(rows, writer, &count, err));
    frz_output *finished = output;
    output = NULL;
    FRZ_TRY_DONE(frz_output_commit(finished, err));
    if (rows_out)
        *rows_out = count;
done:
    frz_parquet_writer_free(writer);
    frz_output_abort(output);
    frz_arrow_schema_clear(&schema);
    return status;
}
