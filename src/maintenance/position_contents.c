/*
 * Position delete files (spec "Position Delete Files"): sorted, of the data file that the entry
 * names, and (in the settlement) positions that the data file has.
 */
#include <inttypes.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "maintenance/file_reading.h"
#include "scan/row_reader.h"
#include "write/row_value.h"

typedef struct position_check {
    frz_file_reading *reading;
    frz_verification *verification;
    frz_buffer path; /* of the run of rows at hand */
    int64_t last;    /* the greatest position of the run */
    int64_t before;  /* the position of the last row */
    int64_t rows;
    int64_t unsorted;
    int64_t unusable; /* null, or negative */
    int64_t of_others;
} position_check;

static frz_status end_run(position_check *self, frz_error **err)
{
    if (self->rows == 0)
        return FRZ_OK;
    return frz_ledger_add_position(&self->reading->job->ledger,
                                   frz_ledger_key(frz_buffer_slice(&self->path), -1), self->last,
                                   &self->reading->at, err);
}

static frz_status begin_run(position_check *self, frz_slice path, frz_error **err)
{
    const frz_slice named = self->reading->entry->file.referenced_data_file;
    FRZ_TRY(end_run(self, err));
    if (self->rows > 0 && frz_slice_compare(frz_buffer_slice(&self->path), path) > 0)
        self->unsorted++;
    if (named.size && !frz_slice_equal(named, path))
        self->of_others++;
    frz_buffer_reset(&self->path);
    frz_buffer_append(&self->path, path.data, path.size);
    self->last = -1;
    self->before = -1;
    return frz_buffer_check(&self->path, err);
}

static frz_status take_row(position_check *self, const struct ArrowArray *batch, int64_t row,
                           frz_error **err)
{
    frz_value path = {.form = FRZ_VALUE_NULL};
    frz_value position = {.form = FRZ_VALUE_NULL};
    frz_row_value(frz_type_of(FRZ_TYPE_STRING), batch->children[0], row, &path);
    frz_row_value(frz_type_of(FRZ_TYPE_LONG), batch->children[1], row, &position);
    if (path.form == FRZ_VALUE_NULL || position.form == FRZ_VALUE_NULL || position.integer < 0) {
        self->unusable++;
        return FRZ_OK;
    }
    if (self->rows == 0 || !frz_slice_equal(path.bytes, frz_buffer_slice(&self->path)))
        FRZ_TRY(begin_run(self, path.bytes, err));
    if (position.integer < self->before)
        self->unsorted++;
    self->before = position.integer;
    self->last = position.integer > self->last ? position.integer : self->last;
    self->rows++;
    return FRZ_OK;
}

static frz_status read_rows(position_check *self, frz_status *broken_out, frz_error **cause,
                            frz_error **err)
{
    /* Optional, that a null is told and not refused. */
    const frz_field fields[] = {
        {.id = FRZ_FIELD_ID_DELETE_FILE_PATH,
         .name = "file_path",
         .type = frz_type_of(FRZ_TYPE_STRING)},
        {.id = FRZ_FIELD_ID_DELETE_POS, .name = "pos", .type = frz_type_of(FRZ_TYPE_LONG)}};
    const frz_type type = {.kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = 2};
    frz_row_reader *reader = NULL;
    frz_status status = FRZ_OK;
    *broken_out = frz_row_reader_open(self->reading->job->contents->scan,
                                      &self->reading->entry->file, &type, &reader, cause);
    while (status == FRZ_OK && *broken_out == FRZ_OK) {
        struct ArrowArray batch = {0};
        *broken_out = frz_row_reader_next(reader, &batch, cause);
        for (int64_t row = 0; status == FRZ_OK && *broken_out == FRZ_OK && row < batch.length;
             row++)
            status = take_row(self, &batch, row, err);
        frz_arrow_array_clear(&batch);
    }
    if (status == FRZ_OK)
        status = end_run(self, err);
    frz_row_reader_close(reader);
    return status;
}

static frz_status judge(const position_check *self, frz_error **err)
{
    frz_verify_report *report = self->verification->report;
    const frz_data_file *file = &self->reading->entry->file;
    const frz_place *place = &self->reading->place;
    const int64_t rows = self->rows + self->unusable;
    if (rows != file->record_count)
        FRZ_TRY(frz_report_add(report, FRZ_RULE_DATA_ROWS, place,
                               frz_report_text(report, "record_count %" PRId64, rows),
                               frz_report_text(report, "%" PRId64, file->record_count), err));
    if (self->unusable)
        FRZ_TRY(frz_report_add(report, FRZ_RULE_DELETE_POSITIONS, place,
                               "a file_path and a position from 0 in each row",
                               frz_report_text(report, "%" PRId64 " rows without", self->unusable),
                               err));
    if (self->of_others)
        FRZ_TRY(frz_report_add(report, FRZ_RULE_DELETE_PATHS, place,
                               frz_report_text(report, "deletes of %.*s alone",
                                               (int)file->referenced_data_file.size,
                                               (const char *)file->referenced_data_file.data),
                               "another file_path", err));
    if (self->unsorted)
        FRZ_TRY(frz_report_add(
            report, FRZ_RULE_DELETE_ORDER, place, "rows by file_path, then pos",
            frz_report_text(report, "%" PRId64 " behind a greater one", self->unsorted), err));
    return FRZ_OK;
}

static frz_status check(position_check *self, frz_error **err)
{
    frz_error *cause = NULL;
    frz_status broken = FRZ_OK;
    const frz_status status = read_rows(self, &broken, &cause, err);
    if (status != FRZ_OK) {
        frz_error_free(cause);
        return status;
    }
    if (broken != FRZ_END)
        return frz_file_failed(self->reading, FRZ_RULE_DATA_READABLE, broken, &cause, err);
    if (!frz_file_is_new(self->reading))
        return FRZ_OK;
    self->verification->report->counts.files_read++;
    self->verification->report->counts.rows_read += self->rows;
    return judge(self, err);
}

frz_status frz_verify_positions(frz_file_reading *reading, frz_error **err)
{
    position_check self = {.reading = reading, .verification = &reading->job->verification};
    const frz_status status = check(&self, err);
    frz_buffer_clear(&self.path);
    return status;
}
