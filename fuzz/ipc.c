/*
 * Arrow IPC streams and files: the schema, and every batch, plain and sound. What was read is
 * written and read again: the same rows.
 */
#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/buffer.h"
#include "ipc/reader.h"
#include "ipc/writer.h"
#include "target.h"

enum { BATCHES_MAX = 64, ROWS_MAX = 1 << 20 };

static frz_status append(void *context, const void *bytes, size_t size, frz_error **err)
{
    (void)err;
    frz_buffer_append(context, bytes, size);
    return FRZ_OK;
}

/* Returns how many rows there are, -1 when reading fails or is cut off here; `writer` gets them. */
static int64_t read_all(frz_ipc_reader *reader, const struct ArrowSchema *schema,
                        frz_ipc_writer *writer)
{
    int64_t rows = 0;
    frz_error *err = NULL;
    frz_status status = FRZ_OK;
    for (int batches = 0; status == FRZ_OK && batches < BATCHES_MAX && rows < ROWS_MAX; batches++) {
        struct ArrowArray batch = {0};
        status = frz_ipc_reader_next(reader, &batch, &err);
        if (status == FRZ_OK) {
            FUZZ_CHECK(frz_arrow_array_validate(schema, &batch, NULL) == FRZ_OK);
            rows += batch.length;
        }
        if (status == FRZ_OK && writer)
            FUZZ_CHECK(frz_ipc_writer_write(writer, &batch, NULL) == FRZ_OK);
        frz_arrow_array_clear(&batch);
    }
    FUZZ_CHECK((err != NULL) == (status != FRZ_OK && status != FRZ_END));
    frz_error_free(err);
    return status == FRZ_END ? rows : -1;
}

static frz_status open_reader(fuzz_input *input, frz_ipc_reader **reader,
                              struct ArrowSchema *schema)
{
    frz_limits limits = frz_limits_default;
    limits.ipc_metadata_size = (size_t)1 << 20;
    limits.ipc_body_size = (size_t)16 << 20;
    limits.schema_columns = 1000;
    limits.parse_budget = (size_t)64 << 20;
    frz_status status = frz_ipc_reader_open(&input->base, &limits, reader, NULL);
    if (status == FRZ_OK)
        status = frz_ipc_reader_schema(*reader, schema, NULL);
    return status;
}

static void read_again(const frz_buffer *bytes, int64_t rows)
{
    frz_ipc_reader *reader = NULL;
    struct ArrowSchema schema = {0};
    fuzz_input input = fuzz_input_over(bytes->data, bytes->size);
    FUZZ_CHECK(open_reader(&input, &reader, &schema) == FRZ_OK);
    FUZZ_CHECK(read_all(reader, &schema, NULL) == rows);
    frz_arrow_schema_clear(&schema);
    frz_ipc_reader_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    frz_ipc_reader *reader = NULL;
    frz_ipc_writer *writer = NULL;
    struct ArrowSchema schema = {0};
    frz_buffer bytes = {0};
    fuzz_input input = fuzz_input_over(data, size);
    const bool is_file = size % 2 == 0;
    if (open_reader(&input, &reader, &schema) == FRZ_OK &&
        frz_ipc_writer_open(&schema, is_file, append, &bytes, &writer, NULL) == FRZ_OK) {
        const int64_t rows = read_all(reader, &schema, writer);
        if (rows >= 0 && rows < ROWS_MAX) {
            FUZZ_CHECK(frz_ipc_writer_finish(writer, NULL) == FRZ_OK);
            read_again(&bytes, rows);
        }
    }
    frz_ipc_writer_free(writer);
    frz_buffer_clear(&bytes);
    frz_arrow_schema_clear(&schema);
    frz_ipc_reader_close(reader);
    return 0;
}
