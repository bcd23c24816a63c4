#include "text/parquet_rows.h"

#include "arrow/array.h"
#include "arrow/schema.h"
#include "arrow/stream.h"
#include "base/fail.h"
#include "base/mem.h"
#include "io/file.h"
#include "parquet/field_reader.h"
#include "parquet/writer.h"
#include "text/file_stream.h"

enum { BATCH_ROWS = 8192 };

typedef struct parquet_rows {
    frz_parquet_file *file;
    const frz_parquet_metadata *metadata;
    frz_parquet_field_reader **readers; /* one per column */
    size_t group;                       /* row group that is read */
    int64_t done;                       /* rows of it that were handed out */
} parquet_rows;

static void rows_close(void *self)
{
    parquet_rows *rows = self;
    if (!rows)
        return;
    for (size_t i = 0; rows->readers && i < rows->metadata->root.child_count; i++)
        frz_parquet_field_reader_close(rows->readers[i]);
    frz_free(rows->readers);
    frz_parquet_file_close(rows->file);
    frz_free(rows);
}

static frz_status open_columns(parquet_rows *rows, frz_input *input, frz_error **err)
{
    FRZ_TRY(frz_parquet_file_open(input, NULL, &rows->file, err));
    rows->metadata = frz_parquet_file_metadata(rows->file);
    const frz_parquet_node *root = &rows->metadata->root;
    rows->readers = frz_alloc_array(root->child_count, sizeof(frz_parquet_field_reader *));
    if (!rows->readers)
        return frz_fail_memory(err);
    for (size_t i = 0; i < root->child_count; i++)
        FRZ_TRY(frz_parquet_field_reader_open(rows->file, &root->children[i], NULL, NULL, 0,
                                              &rows->readers[i], err));
    return FRZ_OK;
}

static frz_status rows_open(frz_input *input, void **reader_out, frz_error **err)
{
    parquet_rows *rows = frz_alloc_zero(sizeof *rows);
    if (!rows)
        return frz_fail_memory(err);
    const frz_status status = open_columns(rows, input, err);
    if (status != FRZ_OK) {
        rows_close(rows);
        return status;
    }
    *reader_out = rows;
    return FRZ_OK;
}

static frz_status rows_schema(void *self, struct ArrowSchema *out, frz_error **err)
{
    const parquet_rows *rows = self;
    return frz_parquet_node_arrow(rows->file, &rows->metadata->root, NULL, out, err);
}

static frz_status read_columns(parquet_rows *rows, int64_t start, int64_t count,
                               struct ArrowArray *out, frz_error **err)
{
    const size_t columns = rows->metadata->root.child_count;
    frz_buffer validity = {0};
    FRZ_TRY(frz_arrow_array_init(out, count, 0, &validity, 1, (int64_t)columns, err));
    for (size_t i = 0; i < columns; i++) {
        const frz_status status = frz_parquet_field_reader_read(rows->readers[i], start, count,
                                                                NULL, count, out->children[i], err);
        if (status != FRZ_OK) {
            frz_arrow_array_clear(out);
            return status;
        }
    }
    return FRZ_OK;
}

static frz_status rows_next(void *self, struct ArrowArray *out, frz_error **err)
{
    parquet_rows *rows = self;
    const frz_parquet_metadata *metadata = rows->metadata;
    while (rows->group < metadata->row_group_count &&
           rows->done == metadata->row_groups[rows->group].row_count) {
        rows->group++;
        rows->done = 0;
    }
    if (rows->group == metadata->row_group_count)
        return FRZ_END;
    const frz_parquet_row_group *group = &metadata->row_groups[rows->group];
    const int64_t left = group->row_count - rows->done;
    const int64_t count = left < BATCH_ROWS ? left : BATCH_ROWS;
    FRZ_TRY(read_columns(rows, group->first_row + rows->done, count, out, err));
    rows->done += count;
    return FRZ_OK;
}

frz_status frz_parquet_rows_open(const char *location, frz_io *io, struct ArrowArrayStream *out,
                                 frz_error **err)
{
    static const frz_file_format format = {rows_open, rows_schema, rows_next, rows_close};
    return frz_file_stream_open(&format, location, io, out, err);
}

static frz_status write_batch(void *writer, const struct ArrowArray *batch, frz_error **err)
{
    return frz_parquet_writer_write(writer, batch, err);
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
    FRZ_TRY_DONE(frz_arrow_stream_each(rows, write_batch, writer, &count, err));
    FRZ_TRY_DONE(frz_parquet_writer_finish(writer, NULL, err));
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
