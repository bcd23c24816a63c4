#include "scan/row_reader.h"

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"
#include "scan/absent.h"
#include "scan/column_reader.h"

enum { BATCH_ROWS = 16 * 1024 };

struct frz_row_reader {
    frz_arena arena;
    frz_manifest_entry entry;
    frz_scan_task task; /* the file as one to read whole */
    frz_stored_file file;
    frz_file_columns columns;
    frz_column_reader *readers; /* in the arena */
    int64_t next;               /* position of the next row */
};

void frz_row_reader_close(frz_row_reader *reader)
{
    if (!reader)
        return;
    for (size_t i = 0; reader->readers && i < reader->columns.count; i++)
        frz_column_reader_close(&reader->readers[i]);
    frz_stored_file_close(&reader->file);
    frz_arena_clear(&reader->arena);
    frz_free(reader);
}

/* An equality delete file has the columns that it deletes by; its partition may state one. */
static frz_status check_present(const frz_row_reader *reader, const frz_scan *scan,
                                const frz_file_column *column, frz_error **err)
{
    frz_value given;
    const frz_data_file *file = &reader->entry.file;
    if (file->content != FRZ_CONTENT_EQUALITY_DELETES || column->stored ||
        column->field->type->kind == FRZ_TYPE_UNKNOWN ||
        frz_partition_constant(scan, file, column->field->id, &given))
        return FRZ_OK;
    return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                    "the file lacks its delete column %s (field %d)", column->field->name,
                    (int)column->field->id);
}

/* Such an entry has no first_row_id, so that the columns of lineage were resolved to nulls. */
static frz_status take_stored_lineage(frz_row_reader *reader, frz_error **err)
{
    for (size_t i = 0; i < reader->columns.count; i++) {
        frz_file_column *column = &reader->columns.items[i];
        const int32_t id = column->field->id;
        if (id != FRZ_FIELD_ID_ROW_ID && id != FRZ_FIELD_ID_LAST_UPDATED_SEQUENCE_NUMBER)
            continue;
        FRZ_TRY(frz_stored_column_find(&reader->file, column->field, &reader->arena,
                                       &column->stored, err));
        if (column->stored)
            column->source = FRZ_COLUMN_FROM_FILE;
    }
    return FRZ_OK;
}

static frz_status open_columns(frz_row_reader *reader, const frz_scan *scan, const frz_type *type,
                               bool unassigned, frz_error **err)
{
    frz_file_columns *columns = &reader->columns;
    reader->task = (frz_scan_task){.entry = &reader->entry, .residual = &frz_expr_true};
    FRZ_TRY(frz_file_columns_resolve(scan, &reader->task, &reader->file, type, &reader->arena,
                                     columns, err));
    if (unassigned)
        FRZ_TRY(take_stored_lineage(reader, err));
    reader->readers = frz_arena_array(&reader->arena, columns->count, sizeof *reader->readers);
    if (!reader->readers)
        return frz_fail_memory(err);
    for (size_t i = 0; i < columns->count; i++) {
        FRZ_TRY(check_present(reader, scan, &columns->items[i], err));
        FRZ_TRY(frz_column_reader_open(&reader->readers[i], &columns->items[i], &reader->entry,
                                       NULL, NULL, &reader->arena, err));
    }
    return FRZ_OK;
}

static frz_status open_reader(const frz_scan *scan, const frz_data_file *entry,
                              const frz_type *type, bool unassigned, frz_row_reader **out,
                              frz_error **err)
{
    frz_row_reader *reader = frz_alloc_zero(sizeof *reader);
    if (!reader)
        return frz_fail_memory(err);
    reader->entry.file = *entry;
    frz_status status = frz_stored_file_open(scan, entry, &reader->file, err);
    if (status == FRZ_OK)
        status = open_columns(reader, scan, type, unassigned, err);
    if (status != FRZ_OK) {
        frz_row_reader_close(reader);
        return status;
    }
    *out = reader;
    return FRZ_OK;
}

frz_status frz_row_reader_open(const frz_scan *scan, const frz_data_file *entry,
                               const frz_type *type, frz_row_reader **out, frz_error **err)
{
    return open_reader(scan, entry, type, false, out, err);
}

frz_status frz_row_reader_open_unassigned(const frz_scan *scan, const frz_data_file *entry,
                                          const frz_type *type, frz_row_reader **out,
                                          frz_error **err)
{
    frz_data_file unassigned = *entry;
    unassigned.first_row_id = -1;
    return open_reader(scan, &unassigned, type, true, out, err);
}

frz_status frz_row_reader_next(frz_row_reader *reader, struct ArrowArray *out, frz_error **err)
{
    frz_buffer validity = {0};
    struct ArrowArray batch = {0};
    frz_row_selection rows = {.start = reader->next};

    FRZ_TRY(frz_stored_file_window(&reader->file, rows.start, BATCH_ROWS, &rows.count, err));
    rows.selected = rows.count;
    FRZ_TRY(frz_arrow_array_init(&batch, rows.count, 0, &validity, 1,
                                 (int64_t)reader->columns.count, err));
    for (size_t i = 0; i < reader->columns.count; i++) {
        const frz_status status =
            frz_column_reader_read(&reader->readers[i], &rows, batch.children[i], err);
        if (status != FRZ_OK) {
            frz_arrow_array_clear(&batch);
            return status;
        }
    }
    reader->next += rows.count;
    *out = batch;
    return FRZ_OK;
}
