#include "write/restate.h"

#include <stdio.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "scan/projection.h"
#include "scan/row_reader.h"
#include "write/row_writer.h"

enum { SUFFIX_SIZE = 24 };

/* What a value of lineage has become. */
typedef bool (*renewal)(const frz_given_lineage *given, int64_t was, int64_t *out);

static const renewal renewals[FRZ_LINEAGE_COLUMNS] = {frz_given_lineage_row_id,
                                                      frz_given_lineage_number};

static frz_status check_known(bool known, frz_error **err)
{
    return known ? FRZ_OK
                 : frz_fail(err, FRZ_CONFLICT, FRZ_NO_OFFSET,
                            "it moved rows whose row ids another commit took meanwhile: the "
                            "transaction is to be made again");
}

/* A column of lineage with the values that it has now; nulls, which are inherited, stay. */
static frz_status renew_column(const frz_given_lineage *given, renewal renew,
                               const struct ArrowArray *column, struct ArrowArray *out,
                               frz_error **err)
{
    frz_buffer buffers[2] = {0};
    const int64_t length = column->length;
    const int64_t *was = (const int64_t *)column->buffers[1] + column->offset;
    int64_t nulls = 0;
    bool known = true;
    frz_buffer_append_fill(&buffers[0], 0, (size_t)(length + 7) / 8);
    int64_t *now = (int64_t *)(void *)frz_buffer_extend(&buffers[1], (size_t)length * sizeof *now);
    frz_status status = frz_buffer_check(&buffers[0], err);
    if (status == FRZ_OK)
        status = frz_buffer_check(&buffers[1], err);
    for (int64_t i = 0; status == FRZ_OK && i < length; i++) {
        now[i] = 0;
        if (frz_arrow_is_null(column, i)) {
            nulls++;
            continue;
        }
        frz_bit_set(buffers[0].data, i);
        known = renew(given, was[i], &now[i]) && known;
    }
    if (status == FRZ_OK)
        status = check_known(known, err);
    if (status == FRZ_OK && nulls == 0)
        frz_buffer_clear(&buffers[0]);
    if (status == FRZ_OK)
        return frz_arrow_array_init(out, length, nulls, buffers, 2, 0, err);
    frz_buffer_clear(&buffers[0]);
    frz_buffer_clear(&buffers[1]);
    return status;
}

/* The last columns of a batch are those of lineage. */
static frz_status renew_batch(const frz_given_lineage *given, struct ArrowArray *batch,
                              frz_error **err)
{
    for (int64_t i = 0; i < FRZ_LINEAGE_COLUMNS; i++) {
        struct ArrowArray *column = batch->children[batch->n_children - FRZ_LINEAGE_COLUMNS + i];
        struct ArrowArray renewed = {0};
        FRZ_TRY(renew_column(given, renewals[i], column, &renewed, err));
        frz_arrow_array_clear(column);
        *column = renewed;
    }
    return FRZ_OK;
}

typedef frz_status (*take_batch)(void *self, struct ArrowArray *batch, frz_error **err);

/* Every row of a file that this transaction wrote, as it was written. */
static frz_status read_file(const frz_scan *scan, const frz_data_file *file, const frz_type *type,
                            take_batch take, void *self, frz_error **err)
{
    frz_row_reader *reader = NULL;
    frz_status status = frz_row_reader_open_unassigned(scan, file, type, &reader, err);
    while (status == FRZ_OK) {
        struct ArrowArray batch = {0};
        status = frz_row_reader_next(reader, &batch, err);
        if (status == FRZ_OK)
            status = take(self, &batch, err);
        frz_arrow_array_clear(&batch);
    }
    frz_row_reader_close(reader);
    return status == FRZ_END ? FRZ_OK : status;
}

typedef struct looking {
    const frz_given_lineage *given;
    bool concerned;
} looking;

static frz_status look_at_batch(void *context, struct ArrowArray *batch, frz_error **err)
{
    looking *self = context;
    for (int64_t column = 0; column < FRZ_LINEAGE_COLUMNS; column++) {
        const struct ArrowArray *array = batch->children[column];
        const int64_t *values = (const int64_t *)array->buffers[1] + array->offset;
        for (int64_t i = 0; i < array->length; i++) {
            int64_t now = 0;
            if (frz_arrow_is_null(array, i))
                continue;
            FRZ_TRY(check_known(renewals[column](self->given, values[i], &now), err));
            self->concerned = self->concerned || now != values[i];
        }
    }
    return FRZ_OK;
}

typedef struct rewriting {
    const frz_restating *restating;
    frz_data_file_writer *file;
} rewriting;

static frz_status write_batch(void *context, struct ArrowArray *batch, frz_error **err)
{
    const rewriting *self = context;
    frz_transaction *transaction = self->restating->transaction;
    FRZ_TRY(frz_transaction_check_cancelled(transaction, err));
    FRZ_TRY(renew_batch(self->restating->given, batch, err));
    frz_transaction_note_lineage(transaction, batch);
    return frz_data_file_writer_write(self->file, batch, err);
}

static frz_status write_again(const frz_restating *self, frz_row_writer *rows,
                              frz_file_context *context, const frz_scan *scan, frz_data_file *file,
                              frz_error **err)
{
    frz_transaction *transaction = self->transaction;
    rewriting work = {.restating = self};
    frz_data_file made = {0};
    context->spec_id = file->spec_id;
    FRZ_TRY(frz_data_file_writer_open(context, file->partition, &work.file, err));
    frz_status status = read_file(scan, file, &rows->root, write_batch, &work, err);
    if (status != FRZ_OK) {
        frz_data_file_writer_abort(work.file);
        return status;
    }
    FRZ_TRY(frz_data_file_writer_finish(work.file, &made, err));
    FRZ_TRY(frz_first_names_add(self->names, made.path, file->path, err));
    frz_own_files_retire(&transaction->own, file->path, transaction->attempt);
    frz_own_files_start(&transaction->own, made.path, transaction->attempt);
    made.sort_order_id = file->sort_order_id;
    *file = made;
    return FRZ_OK;
}

static frz_status restate_file(const frz_restating *self, frz_row_writer *rows,
                               frz_file_context *context, const frz_scan *scan, frz_data_file *file,
                               frz_error **err)
{
    const size_t columns = rows->root.field_count - FRZ_LINEAGE_COLUMNS;
    const frz_type lineage = {.kind = FRZ_TYPE_STRUCT,
                              .fields = rows->root.fields + columns,
                              .field_count = FRZ_LINEAGE_COLUMNS};
    looking look = {.given = self->given};
    FRZ_TRY(read_file(scan, file, &lineage, look_at_batch, &look, err));
    return look.concerned ? write_again(self, rows, context, scan, file, err) : FRZ_OK;
}

static frz_status restate_all(const frz_restating *self, frz_row_writer *rows, const frz_scan *scan,
                              frz_data_file *files, size_t count, frz_error **err)
{
    char suffix[SUFFIX_SIZE];
    frz_file_context context = frz_row_writer_files(rows, self->metadata);
    (void)snprintf(suffix, sizeof suffix, "-%d", (int)self->transaction->attempt + 1);
    context.suffix = suffix;
    for (size_t i = 0; i < count; i++) {
        const frz_status status = restate_file(self, rows, &context, scan, &files[i], err);
        if (status != FRZ_OK)
            return frz_context(err, status, "%.*s", (int)files[i].path.size,
                               (const char *)files[i].path.data);
    }
    return FRZ_OK;
}

frz_status frz_restate_files(const frz_restating *self, frz_data_file *files, size_t count,
                             frz_error **err)
{
    const frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    frz_row_writer rows = {0};
    frz_scan *scan = NULL;
    self->transaction->stated_row_id = -1;
    self->transaction->stated_sequence_number = -1;
    frz_status status = frz_scan_new(self->transaction->table, &options, &scan, err);
    if (status == FRZ_OK)
        status = frz_row_writer_init(&rows, self->transaction, self->metadata, true, err);
    if (status == FRZ_OK)
        status = restate_all(self, &rows, scan, files, count, err);
    frz_row_writer_close(&rows);
    frz_scan_free(scan);
    return status;
}
