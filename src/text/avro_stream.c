#include "text/avro_stream.h"

#include "avro/reader.h"
#include "base/fail.h"
#include "text/file_stream.h"

static frz_status open_reader(frz_input *input, void **reader_out, frz_error **err)
{
    frz_avro_reader *reader = NULL;
    FRZ_TRY(frz_avro_reader_open(input, NULL, &reader, err));
    *reader_out = reader;
    return FRZ_OK;
}

static frz_status reader_schema(void *reader, struct ArrowSchema *out, frz_error **err)
{
    return frz_avro_reader_arrow_schema(reader, out, err);
}

static frz_status reader_next(void *reader, struct ArrowArray *out, frz_error **err)
{
    return frz_avro_reader_next(reader, out, err);
}

static void reader_close(void *reader)
{
    frz_avro_reader_close(reader);
}

frz_status frz_avro_stream_open(const char *location, frz_io *io, struct ArrowArrayStream *out,
                                frz_error **err)
{
    static const frz_file_format format = {open_reader, reader_schema, reader_next, reader_close};
    return frz_file_stream_open(&format, location, io, out, err);
}
