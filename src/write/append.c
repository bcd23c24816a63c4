#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"
#include "write/inputs.h"
#include "write/row_writer.h"

/* Rows that are appended: written to files once, then committed in as many attempts as it takes. */
typedef struct appending {
    frz_transaction transaction;
    frz_metadata *base; /* a reference: what files are written for */
    frz_row_writer writer;
    const frz_data_file *files;
    size_t file_count;
} appending;

static frz_status take_rows(void *context, struct ArrowArray *columns, frz_error **err)
{
    appending *self = context;
    return frz_row_writer_write(&self->writer, columns, err);
}

static frz_status write_all(appending *self, struct ArrowArrayStream *inputs, size_t input_count,
                            frz_error **err)
{
    FRZ_TRY(frz_row_writer_open(&self->writer, &self->transaction, false, err));
    FRZ_TRY(frz_inputs_read(&self->transaction, inputs, input_count, take_rows, self, err));
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

static void release(void *context)
{
    appending *self = context;
    frz_metadata_unref(self->base);
    frz_transaction_close(&self->transaction, FRZ_OK);
    frz_free(self);
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
    frz_status status = FRZ_OK;
    appending *self = frz_alloc_zero(sizeof *self);
    if (!self) {
        status = frz_fail_memory(err);
        goto done;
    }
    self->base = frz_metadata_ref(table->metadata);
    FRZ_TRY_DONE(frz_transaction_open(table, options, &self->transaction, err));
    FRZ_TRY_DONE(frz_transaction_look_back(&self->transaction, err));
    if (!self->transaction.known)
        FRZ_TRY_DONE(write_all(self, inputs, input_count, err));
    FRZ_TRY_DONE(frz_transaction_commit(&self->transaction, prepare, self, out, err));

done:
    if (status != FRZ_OK)
        status = frz_context(err, status, "append to table %s",
                             table->identifier ? table->identifier : "without catalog");
    if (self) {
        frz_row_writer_close(&self->writer);
        status = frz_transaction_retire(&self->transaction, status, self, release, err);
    }
    for (size_t i = 0; i < input_count; i++)
        frz_arrow_stream_clear(&inputs[i]);
    return status;
}
