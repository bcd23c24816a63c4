#include "io/file.h"

#include "base/fail.h"
#include "base/mem.h"
#include "frazil/io.h"

frz_status frz_io_open(frz_io *io, const char *location, uint64_t known_size, frz_input **out,
                       frz_error **err)
{
    return io->ops->open(io, location, known_size, out, err);
}

frz_status frz_io_create(frz_io *io, const char *location, frz_output **out, frz_error **err)
{
    return io->ops->create(io, location, out, err);
}

frz_status frz_io_remove(frz_io *io, const char *location, frz_error **err)
{
    return io->ops->remove(io, location, err);
}

frz_status frz_io_stat(frz_io *io, const char *location, uint64_t *size_out, frz_error **err)
{
    return io->ops->stat(io, location, size_out, err);
}

frz_status frz_io_list(frz_io *io, const char *location, frz_io_list_visit visit, void *context,
                       frz_error **err)
{
    return io->ops->list(io, location, visit, context, err);
}

void frz_io_free(frz_io *io)
{
    if (io)
        io->ops->free(io);
}

frz_status frz_io_resolve(frz_io *io, frz_slice location, frz_buffer *out, frz_error **err)
{
    if (!io->ops->resolve) {
        frz_buffer_append(out, location.data, location.size);
        return frz_buffer_check(out, err);
    }
    char *text = frz_copy_text_n((const char *)location.data, location.size);
    char *resolved = NULL;
    if (!text)
        return frz_fail_memory(err);
    const frz_status status = io->ops->resolve(io, text, &resolved, err);
    frz_free(text);
    FRZ_TRY(status);
    frz_buffer_append_text(out, resolved);
    frz_free(resolved);
    return frz_buffer_check(out, err);
}

frz_status frz_input_read_at(frz_input *input, uint64_t offset, void *out, size_t size,
                             frz_error **err)
{
    return input->ops->read_at(input, offset, out, size, err);
}

uint64_t frz_input_size(const frz_input *input)
{
    return input->ops->size(input);
}

const uint8_t *frz_input_mapped(frz_input *input)
{
    return input->ops->mapped ? input->ops->mapped(input) : NULL;
}

void frz_input_close(frz_input *input)
{
    if (input)
        input->ops->close(input);
}

frz_status frz_output_write(frz_output *output, const void *bytes, size_t size, frz_error **err)
{
    return output->ops->write(output, bytes, size, err);
}

frz_status frz_output_commit(frz_output *output, frz_error **err)
{
    return output->ops->commit(output, err);
}

void frz_output_abort(frz_output *output)
{
    if (output)
        output->ops->abort(output);
}

frz_status frz_io_read_file(frz_io *io, const char *location, size_t size_max, frz_buffer *out,
                            frz_error **err)
{
    const size_t start = out->size;
    frz_input *input = NULL;
    FRZ_TRY(frz_io_open(io, location, FRZ_IO_SIZE_UNKNOWN, &input, err));
    frz_status status = FRZ_OK;
    const uint64_t size = frz_input_size(input);
    if (size > size_max) {
        status = frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                          "%s: %llu bytes are more than the limit of %zu", location,
                          (unsigned long long)size, size_max);
        goto done;
    }
    uint8_t *at = frz_buffer_extend(out, (size_t)size);
    if (!at) {
        status = frz_fail_memory(err);
        goto done;
    }
    FRZ_TRY_DONE(frz_input_read_at(input, 0, at, (size_t)size, err));
done:
    if (status != FRZ_OK)
        out->size = start;
    frz_input_close(input);
    return status;
}

frz_status frz_io_write_file(frz_io *io, const char *location, frz_slice bytes, frz_error **err)
{
    frz_output *output = NULL;
    FRZ_TRY(frz_io_create(io, location, &output, err));
    const frz_status status = frz_output_write(output, bytes.data, bytes.size, err);
    if (status != FRZ_OK) {
        frz_output_abort(output);
        return status;
    }
    return frz_output_commit(output, err);
}
