#include <string.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "arrow/stream.h"
#include "base/fail.h"
#include "write/input.h"
#include "write/row_writer.h"
#include "write/transaction.h"

/* Rows that are appended: written to files once, then committed in as many attempts as it takes. */
typedef struct appending {
    frz_transaction transaction;
    frz_row_writer writer;
    frz_input_columns *input;
    const frz_data_file *files;
    size_t file_count;
    int64_t rows;
} appending;

static frz_status open_input(appending *self, struct ArrowArrayStream *rows, frz_error **err)
{
    const frz_transaction *transaction = &self->transaction;
    struct ArrowSchema given = {0};
    FRZ_TRY(frz_arrow_stream_schema(rows, &given, err));
    const frz_status status =
        frz_input_columns_new(&given, frz_metadata_schema(transaction->table->metadata),
                              !transaction->options->case_insensitive, &self->input, err);
    frz_arrow_schema_clear(&given);
    return status;
}

static frz_status write_batch(appending *self, struct ArrowArray *batch, frz_error **err)
{
    struct ArrowArray columns = {0};
    FRZ_TRY(frz_input_columns_run(self->input, batch, &columns, err));
    self->rows += columns.length;
    const frz_status status = frz_row_writer_write(&self->writer, &columns, err);
    frz_arrow_array_clear(&columns);
    return status;
}

static frz_status write_input(appending *self, struct ArrowArrayStream *rows, frz_error **err)
{
    frz_input_columns_free(self->input);
    self->input = NULL;
    FRZ_TRY(open_input(self, rows, err));
    for (;;) {
        struct ArrowArray batch = {0};
        FRZ_TRY(frz_transaction_check_cancelled(&self->transaction, err));
        const frz_status status = frz_arrow_stream_next(rows, &batch, err);
        if (status == FRZ_END)
            return FRZ_OK;
        if (status != FRZ_OK)
            return status;
        FRZ_TRY(write_batch(self, &batch, err));
    }
}

/* Says which input is at fault, unless the message opens with its name anyway. */
static frz_status name_input(const char *name, frz_status status, frz_error **err)
{
    const bool of_input =
        status == FRZ_INVALID || status == FRZ_CORRUPT || status == FRZ_UNSUPPORTED;
    if (!of_input || !err || !*err || strncmp(frz_error_message(*err), name, strlen(name)) == 0)
        return status;
    return frz_context(err, status, "%s", name);
}

static frz_status write_all(appending *self, struct ArrowArrayStream *inputs, size_t input_count,
                            frz_error **err)
{
    FRZ_TRY(frz_row_writer_open(&self->writer, &self->transaction, false, err));
    const char *const *names = self->transaction.options->input_names;
    for (size_t i = 0; i < input_count; i++) {
        const frz_status status = write_input(self, &inputs[i], err);
        if (status != FRZ_OK)
            return names ? name_input(names[i], status, err) : status;
    }
    return frz_row_writer_finish(&self->writer, &self->files, &self->file_count, err);
}

/* The files were written for a schema and a spec; a table that has others now gets them all the
 * same, since both stay in its metadata. */
static frz_status prepare(void *context, frz_transaction *transaction, const frz_snapshot *parent,
                          frz_change *out, frz_error **err)
{
    const appending *self = context;
    (void)transaction;
    (void)parent;
    (void)err;
    *out = (frz_change){.operation = self->file_count > 0 ? "append" : NULL,
                        .added_data = self->files,
                        .added_data_count = self->file_count};
    return FRZ_OK;
}

frz_status frz_table_append(frz_table *table, struct ArrowArrayStream *rows,
                            const frz_write_options *options, frz_commit **out, frz_error **err)
{
    return frz_table_append_all(table, rows, 1, options, out, err);
}

frz_status frz_table_append_all(frz_table *table, struct ArrowArrayStream *inputs,
                                size_t input_count, const frz_write_options *options,
                                frz_commit **out, frz_error **err)
{
    appending self = {0};
    frz_metadata *base = frz_metadata_ref(table->metadata);
    frz_status status = frz_transaction_open(table, options, &self.transaction, err);
    if (status != FRZ_OK)
        goto done;
    FRZ_TRY_DONE(write_all(&self, inputs, input_count, err));
    FRZ_TRY_DONE(frz_transaction_commit(&self.transaction, prepare, &self, out, err));

done:
    if (status != FRZ_OK)
        status = frz_context(err, status, "append to table %s",
                             table->identifier ? table->identifier : "without catalog");
    frz_row_writer_close(&self.writer);
    frz_input_columns_free(self.input);
    if (self.transaction.table)
        frz_transaction_close(&self.transaction, status);
    frz_metadata_unref(base);
    for (size_t i = 0; i < input_count; i++)
        frz_arrow_stream_clear(&inputs[i]);
    return status;
}
