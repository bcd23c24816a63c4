#include "text/ipc_rows.h"

#include "arrow/schema.h"
#include "arrow/stream.h"
#include "base/fail.h"
#include "ipc/reader.h"
#include "ipc/writer.h"
#include "text/file_stream.h"

static frz_status open_reader(frz_input *input, void **reader_out, frz_error **err)
{
    frz_ipc_reader *reader = NULL;
    FRZ_TRY(frz_ipc_reader_open(input, NULL, &reader, err));
    *reader_out = reader;
    return FRZ_OK;
}

static frz_status reader_schema(void *reader, struct ArrowSchema *out, frz_error **err)
{
    return frz_ipc_reader_schema(reader, out, err);
}

static frz_status reader_next(void *reader, struct ArrowArray *out, frz_error **err)
{
    return frz_ipc_reader_next(reader, out, err);
}

static void reader_close(void *reader)
{
    frz_ipc_reader_close(reader);
}

frz_status frz_ipc_rows_open(const char *location, frz_io *io, struct ArrowArrayStream *out,
                             frz_error **err)
{
    static const frz_file_format format = {open_reader, reader_schema, reader_next, reader_close};
    return frz_file_stream_open(&format, location, io, out, err);
}

static frz_status write_batch(void *writer, const struct ArrowArray *batch, frz_error **err)
{
    return frz_ipc_writer_write(writer, batch, err);
}

frz_status frz_ipc_rows_write(struct ArrowArrayStream *rows, bool is_file, frz_print_write write,
                              void *context, int64_t *rows_out, frz_error **err)
{
    struct ArrowSchema schema = {0};
    frz_ipc_writer *writer = NULL;
    frz_status status = FRZ_OK;
    FRZ_TRY(frz_arrow_stream_schema(rows, &schema, err));
    FRZ_TRY_DONE(frz_ipc_writer_open(&schema, is_file, write, context, &writer, err));
    status = frz_arrow_stream_each(rows, write_batch, writer, rows_out, err);
    if (status == FRZ_OK)
        status = frz_ipc_writer_finish(writer, err);
    if (status != FRZ_OK)
        frz_ipc_writer_break(writer);
done:
    frz_ipc_writer_free(writer);
    frz_arrow_schema_clear(&schema);
    return status;
}
