#include "text/file_stream.h"

#include "arrow/stream.h"
#include "base/fail.h"
#include "base/mem.h"

typedef struct file_stream {
    const frz_file_format *format;
    char *location;
    frz_io *own_io; /* NULL when the caller's is used */
    frz_input *input;
    void *reader;
} file_stream;

static void stream_free(void *self)
{
    file_stream *stream = self;
    stream->format->close(stream->reader);
    frz_input_close(stream->input);
    frz_io_free(stream->own_io);
    frz_free(stream->location);
    frz_free(stream);
}

static frz_status name_file(const file_stream *stream, frz_status status, frz_error **err)
{
    if (status == FRZ_OK || status == FRZ_END)
        return status;
    return frz_context(err, status, "%s", stream->location);
}

static frz_status stream_schema(void *self, struct ArrowSchema *out, frz_error **err)
{
    const file_stream *stream = self;
    return name_file(stream, stream->format->schema(stream->reader, out, err), err);
}

static frz_status stream_next(void *self, struct ArrowArray *out, frz_error **err)
{
    const file_stream *stream = self;
    return name_file(stream, stream->format->next(stream->reader, out, err), err);
}

static frz_status open_file(file_stream *stream, const char *location, frz_io *io, frz_error **err)
{
    stream->location = frz_copy_text(location);
    if (!stream->location)
        return frz_fail_memory(err);
    if (!io) {
        FRZ_TRY(frz_io_local_new(&stream->own_io, err));
        io = stream->own_io;
    }
    FRZ_TRY(frz_io_open(io, location, FRZ_IO_SIZE_UNKNOWN, &stream->input, err));
    return stream->format->open(stream->input, &stream->reader, err);
}

frz_status frz_file_stream_open(const frz_file_format *format, const char *location, frz_io *io,
                                struct ArrowArrayStream *out, frz_error **err)
{
    static const frz_arrow_source_ops ops = {
        .schema = stream_schema, .next = stream_next, .free = stream_free};
    file_stream *stream = frz_alloc_zero(sizeof *stream);
    if (!stream)
        return frz_fail_memory(err);
    stream->format = format;
    const frz_status status = open_file(stream, location, io, err);
    if (status != FRZ_OK) {
        stream_free(stream);
        return frz_context(err, status, "%s", location);
    }
    return frz_arrow_stream_from(&ops, stream, out, err);
}
