#include "text/ipc_rows.h"

#include "arrow/schema.h"
#include "arrow/stream.h"
#include "base/fail.h"
#include "base/mem.h"
#include "io/file.h"
#include "ipc/reader.h"
#include "ipc/writer.h"

typedef struct ipc_source {
    char *location;
    frz_io *own_io; /* freed with the source; NULL when the caller's */
    frz_input *input;
    frz_ipc_reader *reader;
} ipc_source;

static void source_free(void *self)
{
    ipc_source *source = self;
    frz_ipc_reader_close(source->reader);
    frz_input_close(source->input);
    frz_io_free(source->own_io);
    frz_free(source->location);
    frz_free(source);
}

static frz_status source_schema(void *self, struct ArrowSchema *out, frz_error **err)
{
    return frz_ipc_reader_schema(((ipc_source *)self)->reader, out, err);
}

static frz_status source_next(void *self, struct ArrowArray *out, frz_error **err)
{
    const ipc_source *source = self;
    const frz_status status = frz_ipc_reader_next(source->reader, out, err);
    if (status == FRZ_OK || status == FRZ_END)
        return status;
    return frz_context(err, status, "%s", source->location);
}

static frz_status open_source(ipc_source *source, frz_io *io, frz_error **err)
{
    if (!io) {
        FRZ_TRY(frz_io_local_new(&source->own_io, err));
        io = source->own_io;
    }
    FRZ_TRY(frz_io_open(io, source->location, FRZ_IO_SIZE_UNKNOWN, &source->input, err));
    return frz_ipc_reader_open(source->input, NULL, &source->reader, err);
}

frz_status frz_ipc_rows_open(const char *location, frz_io *io, struct ArrowArrayStream *out,
                             frz_error **err)
{
    static const frz_arrow_source_ops ops = {
        .schema = source_schema, .next = source_next, .free = source_free};
    ipc_source *source = frz_alloc_zero(sizeof *source);
    if (!source)
        return frz_fail_memory(err);
    source->location = frz_copy_text(location);
    const frz_status status =
        source->location ? open_source(source, io, err) : frz_fail_memory(err);
    if (status != FRZ_OK) {
        source_free(source);
        return frz_context(err, status, "%s", location);
    }
    return frz_arrow_stream_from(&ops, source, out, err);
}

static frz_status write_batches(struct ArrowArrayStream *rows, frz_ipc_writer *writer,
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
        status = frz_ipc_writer_write(writer, &batch, err);
        frz_arrow_array_clear(&batch);
        FRZ_TRY(status);
    }
    FRZ_TRY(frz_ipc_writer_finish(writer, err));
    *rows_out = count;
    return FRZ_OK;
}

frz_status frz_ipc_rows_write(struct ArrowArrayStream *rows, bool is_file, frz_print_write write,
                              void *context, int64_t *rows_out, frz_error **err)
{
    struct ArrowSchema schema = {0};
    frz_ipc_writer *writer = NULL;
    frz_status status = FRZ_OK;
    FRZ_TRY(frz_arrow_stream_schema(rows, &schema, err));
    FRZ_TRY_DONE(frz_ipc_writer_open(&schema, is_file, write, context, &writer, err));
    status = write_batches(rows, writer, rows_out, err);
    if (status != FRZ_OK)
        frz_ipc_writer_break(writer);
done:
    frz_ipc_writer_free(writer);
    frz_arrow_schema_clear(&schema);
    return status;
}
