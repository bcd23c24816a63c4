/*
 * Data files and equality delete files, row by row: readable to the end, as many rows as their
 * entry says, columns of the table, metrics, partition, row ids, split offsets.
 */
#include <inttypes.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "maintenance/file_reading.h"
#include "maintenance/measures.h"
#include "scan/row_reader.h"
#include "scan/stored_column.h"
#include "write/partition_key.h"

/* One file as its rows go by. */
typedef struct row_check {
    frz_file_reading *reading;
    frz_verification *verification;
    const frz_data_file *file;
    frz_arena arena;
    frz_type root;      /* the columns that the file has, and that are read */
    int64_t row_id;     /* where among them the row ids stand; -1 = the file has none */
    int64_t updated_at; /* likewise, _last_updated_sequence_number */
    frz_measures measures;
    const frz_partition_spec *spec; /* NULL: the partition is not compared */
    frz_bound_transform *transforms;
    frz_value *tuple;
    frz_arena scratch;       /* of one row's tuple */
    int64_t other_partition; /* rows that are not of the file's */
    size_t other_field;      /* the partition field of the first of them */
    int64_t bad_row_ids;
    int64_t bad_updates;
} row_check;

static frz_status add(const row_check *self, frz_rule rule, const char *expected, const char *found,
                      frz_error **err)
{
    return frz_report_add(self->verification->report, rule, &self->reading->place, expected, found,
                          err);
}

#define TEXT(...) frz_report_text(self->verification->report, __VA_ARGS__)

/* Takes the column into the root when the file has it and it can be read. */
static frz_status take_column(row_check *self, frz_stored_file *file, frz_field *fields,
                              const frz_field *column, frz_error **err)
{
    frz_stored_column *found = NULL;
    frz_error *cause = NULL;
    const frz_status status = frz_stored_column_find(file, column, &self->arena, &found, &cause);
    if (status != FRZ_OK)
        return frz_file_failed(self->reading, FRZ_RULE_DATA_READABLE, status, &cause, err);
    if (!found)
        return FRZ_OK;
    fields[self->root.field_count] = *column;
    fields[self->root.field_count++].required = false; /* a null is told, and not refused */
    return FRZ_OK;
}

static frz_status take_lineage(row_check *self, frz_stored_file *file, frz_field *fields,
                               int32_t id, int64_t *index_out, frz_error **err)
{
    const size_t before = self->root.field_count;
    *index_out = -1;
    if (self->file->content != FRZ_CONTENT_DATA || self->verification->metadata->format_version < 3)
        return FRZ_OK;
    FRZ_TRY(take_column(self, file, fields, frz_metadata_column(id), err));
    if (self->root.field_count > before)
        *index_out = (int64_t)before;
    return FRZ_OK;
}

static frz_status resolve_columns(row_check *self, frz_stored_file *file, frz_error **err)
{
    const frz_type *columns = self->reading->job->contents->columns;
    frz_field *fields = frz_arena_array(&self->arena, columns->field_count + 2, sizeof *fields);
    if (!fields)
        return frz_fail_memory(err);
    self->root = (frz_type){.kind = FRZ_TYPE_STRUCT, .fields = fields};
    for (size_t i = 0; i < columns->field_count; i++)
        FRZ_TRY(take_column(self, file, fields, &columns->fields[i], err));
    FRZ_TRY(take_lineage(self, file, fields, FRZ_FIELD_ID_ROW_ID, &self->row_id, err));
    self->reading->holds_row_ids = self->row_id >= 0;
    return take_lineage(self, file, fields, FRZ_FIELD_ID_LAST_UPDATED_SEQUENCE_NUMBER,
                        &self->updated_at, err);
}

/* "Column Projection": a column is found by its id alone. */
static frz_status check_columns(const row_check *self, const frz_stored_file *file, frz_error **err)
{
    if (!file->parquet)
        return FRZ_OK;
    const frz_parquet_node *root = &frz_parquet_file_metadata(file->parquet)->root;
    for (size_t i = 0; i < root->child_count; i++) {
        const frz_parquet_node *node = &root->children[i];
        if (!node->has_field_id)
            FRZ_TRY(add(self, FRZ_RULE_DATA_COLUMNS, "columns with field ids",
                        TEXT("%s without", node->name), err));
        else if (node->field_id <= FRZ_FIELD_ID_MAX &&
                 node->field_id > self->verification->metadata->last_column_id)
            FRZ_TRY(add(self, FRZ_RULE_DATA_COLUMNS,
                        TEXT("field ids up to last-column-id %" PRId32,
                             self->verification->metadata->last_column_id),
                        TEXT("%" PRId32 " of %s", node->field_id, node->name), err));
    }
    return FRZ_OK;
}

static bool is_group_start(const frz_parquet_metadata *parquet, int64_t offset)
{
    for (size_t i = 0; i < parquet->row_group_count; i++) {
        const frz_parquet_row_group *group = &parquet->row_groups[i];
        if (group->file_offset == offset)
            return true;
        for (size_t k = 0; k < parquet->leaf_count; k++)
            if (group->columns[k].data_page_offset == offset ||
                group->columns[k].dictionary_page_offset == offset)
                return true;
    }
    return false;
}

static frz_status check_split_offsets(const row_check *self, const frz_stored_file *file,
                                      frz_error **err)
{
    for (size_t i = 0; file->parquet && i < self->file->split_offset_count; i++)
        if (!is_group_start(frz_parquet_file_metadata(file->parquet), self->file->split_offsets[i]))
            return add(self, FRZ_RULE_DATA_SPLIT_OFFSETS, "offsets where row groups start",
                       TEXT("%" PRId64, self->file->split_offsets[i]), err);
    return FRZ_OK;
}

static frz_status bind_partition(row_check *self, frz_error **err)
{
    frz_error *cause = NULL;
    const frz_partition_spec *spec =
        frz_metadata_find_spec(self->verification->metadata, self->file->spec_id);
    if (!spec || self->file->partition_count != spec->field_count ||
        self->file->content != FRZ_CONTENT_DATA)
        return FRZ_OK;
    const frz_status status =
        frz_partition_bind(spec, &self->root, &self->arena, &self->transforms, &cause);
    if (status != FRZ_OK)
        return frz_file_failed(self->reading, FRZ_RULE_DATA_PARTITION, status, &cause, err);
    self->tuple = frz_arena_array(&self->arena, spec->field_count, sizeof *self->tuple);
    if (!self->tuple)
        return frz_fail_memory(err);
    self->spec = spec;
    return FRZ_OK;
}

static frz_status open_claims(row_check *self, frz_parquet_file *file, frz_error **err)
{
    frz_error *cause = NULL;
    const frz_status status = frz_measures_open_claims(&self->measures, file, &self->arena, &cause);
    return status == FRZ_OK
               ? FRZ_OK
               : frz_file_failed(self->reading, FRZ_RULE_DATA_STATISTICS, status, &cause, err);
}

static frz_status open_check(row_check *self, frz_error **err)
{
    frz_stored_file file = {0};
    frz_error *cause = NULL;
    frz_status status =
        frz_stored_file_open(self->reading->job->contents->scan, self->file, &file, &cause);
    if (status != FRZ_OK) {
        FRZ_TRY(frz_file_failed(self->reading, FRZ_RULE_DATA_READABLE, status, &cause, err));
        return FRZ_END;
    }
    status = resolve_columns(self, &file, err);
    if (status == FRZ_OK)
        status = check_columns(self, &file, err);
    if (status == FRZ_OK)
        status = check_split_offsets(self, &file, err);
    if (status == FRZ_OK)
        status = frz_measures_open(&self->measures, self->verification, self->file, &self->root,
                                   &self->arena, err);
    if (status == FRZ_OK && file.parquet)
        status = open_claims(self, file.parquet, err);
    frz_stored_file_close(&file);
    return status == FRZ_OK ? bind_partition(self, err) : status;
}

/* Fields whose source the file does not hold are what the entry says. */
static frz_status compare_partition(row_check *self, const struct ArrowArray *batch, int64_t row,
                                    frz_error **err)
{
    frz_arena_clear(&self->scratch);
    FRZ_TRY(frz_partition_tuple(self->transforms, self->spec->field_count, batch, row,
                                &self->scratch, self->tuple, err));
    for (size_t i = 0; i < self->spec->field_count; i++) {
        if (!self->transforms[i].present ||
            frz_value_same(&self->tuple[i], &self->file->partition[i]))
            continue;
        if (self->other_partition++ == 0)
            self->other_field = i;
        break;
    }
    return FRZ_OK;
}

static int64_t count_outside(const struct ArrowArray *batch, int64_t column, int64_t end)
{
    int64_t count = 0;
    if (column < 0)
        return 0;
    const struct ArrowArray *array = batch->children[column];
    for (int64_t i = 0; i < array->length; i++) {
        frz_value value = {.form = FRZ_VALUE_NULL};
        frz_row_value(frz_type_of(FRZ_TYPE_LONG), array, i, &value);
        count += value.form != FRZ_VALUE_NULL && (value.integer < 0 || value.integer >= end);
    }
    return count;
}

/* Spec "Row Lineage": a row of a file was last changed by the commit that the file's data sequence
 * number is of, or before. */
static int64_t last_update(const row_check *self)
{
    const int64_t file = self->reading->entry->sequence_number;
    const int64_t last = self->verification->metadata->last_sequence_number;
    return file >= 0 && file < last ? file : last;
}

static frz_status take_batch(row_check *self, const struct ArrowArray *batch, frz_error **err)
{
    const frz_metadata *metadata = self->verification->metadata;
    frz_measures_add(&self->measures, batch);
    for (int64_t row = 0; self->spec && row < batch->length; row++)
        FRZ_TRY(compare_partition(self, batch, row, err));
    self->bad_row_ids += count_outside(batch, self->row_id, metadata->next_row_id);
    self->bad_updates += count_outside(batch, self->updated_at, last_update(self) + 1);
    return FRZ_OK;
}

static frz_status judge(const row_check *self, frz_error **err)
{
    const frz_metadata *metadata = self->verification->metadata;
    if (self->measures.rows != self->file->record_count)
        FRZ_TRY(add(self, FRZ_RULE_DATA_ROWS, TEXT("record_count %" PRId64, self->measures.rows),
                    TEXT("%" PRId64, self->file->record_count), err));
    if (self->other_partition)
        FRZ_TRY(add(
            self, FRZ_RULE_DATA_PARTITION,
            TEXT("rows of the partition alone, by %s", self->spec->fields[self->other_field].name),
            TEXT("%" PRId64 " others", self->other_partition), err));
    if (self->bad_row_ids)
        FRZ_TRY(add(self, FRZ_RULE_DATA_ROW_IDS,
                    TEXT("_row_id from 0, below next-row-id %" PRId64, metadata->next_row_id),
                    TEXT("%" PRId64 " others", self->bad_row_ids), err));
    if (self->bad_updates)
        FRZ_TRY(add(
            self, FRZ_RULE_DATA_ROW_IDS,
            TEXT("_last_updated_sequence_number at most the file's, %" PRId64, last_update(self)),
            TEXT("%" PRId64 " others", self->bad_updates), err));
    return frz_measures_judge(&self->measures, &self->reading->place, err);
}

/* All rows; *cause says what the file fails with, *broken_out its status. */
static frz_status read_rows(row_check *self, frz_status *broken_out, frz_error **cause,
                            frz_error **err)
{
    frz_row_reader *reader = NULL;
    frz_status status = FRZ_OK;
    *broken_out = frz_row_reader_open(self->reading->job->contents->scan, self->file, &self->root,
                                      &reader, cause);
    while (status == FRZ_OK && *broken_out == FRZ_OK) {
        struct ArrowArray batch = {0};
        *broken_out = frz_row_reader_next(reader, &batch, cause);
        if (*broken_out == FRZ_OK)
            status = take_batch(self, &batch, err);
        frz_arrow_array_clear(&batch);
    }
    frz_row_reader_close(reader);
    return status;
}

static frz_status check_rows(row_check *self, frz_error **err)
{
    frz_error *cause = NULL;
    frz_status broken = FRZ_OK;
    const frz_status opened = open_check(self, err);
    if (opened != FRZ_OK)
        return opened == FRZ_END ? FRZ_OK : opened;
    const frz_status status = read_rows(self, &broken, &cause, err);
    if (status != FRZ_OK || broken == FRZ_END) {
        frz_error_free(cause);
        self->verification->report->counts.files_read++;
        self->verification->report->counts.rows_read += self->measures.rows;
        return status == FRZ_OK ? judge(self, err) : status;
    }
    return frz_file_failed(self->reading, FRZ_RULE_DATA_READABLE, broken, &cause, err);
}

frz_status frz_verify_rows(frz_file_reading *reading, frz_error **err)
{
    row_check self = {.reading = reading,
                      .verification = &reading->job->verification,
                      .file = &reading->entry->file};
    const frz_status status = check_rows(&self, err);
    frz_arena_clear(&self.scratch);
    frz_arena_clear(&self.arena);
    return status;
}
