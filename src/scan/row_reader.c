#include "scan/row_reader.h"

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"
#include "scan/constant.h"
#include "scan/stored_column.h"

enum { BATCH_ROWS = 64 * 1024 };

struct frz_row_reader {
    frz_arena arena;
    frz_stored_file file;
    const frz_type *type;
    frz_stored_column **columns; /* one per field; NULL = the file has none */
    int64_t next;                /* position of the next row */
};

void frz_row_reader_close(frz_row_reader *reader)
{
    if (!reader)
        return;
    for (size_t i = 0; reader->columns && i < reader->type->field_count; i++)
        frz_stored_column_close(reader->columns[i]);
    frz_stored_file_close(&reader->file);
    frz_arena_clear(&reader->arena);
    frz_free(reader);
}

static frz_status open_columns(frz_row_reader *reader, frz_error **err)
{
    const frz_type *type = reader->type;
    reader->columns = frz_arena_array(&reader->arena, type->field_count, sizeof(void *));
    if (!reader->columns)
        return frz_fail_memory(err);
    for (size_t i = 0; i < type->field_count; i++) {
        const frz_field *field = &type->fields[i];
        FRZ_TRY(
            frz_stored_column_find(&reader->file, field, &reader->arena, &reader->columns[i], err));
        if (!reader->columns[i] && field->required && !field->initial_default)
            return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "column %s is missing", field->name);
    }
    for (size_t i = 0; i < type->field_count; i++)
        if (reader->columns[i])
            FRZ_TRY(frz_stored_column_open(reader->columns[i], NULL, &reader->arena, err));
    return FRZ_OK;
}

frz_status frz_row_reader_open(const frz_scan *scan, const frz_data_file *entry,
                               const frz_type *type, frz_row_reader **out, frz_error **err)
{
    frz_row_reader *reader = frz_alloc_zero(sizeof *reader);
    if (!reader)
        return frz_fail_memory(err);
    reader->type = type;
    frz_status status = frz_stored_file_open(scan, entry, &reader->file, err);
    if (status == FRZ_OK)
        status = open_columns(reader, err);
    if (status != FRZ_OK) {
        frz_row_reader_close(reader);
        return status;
    }
    *out = reader;
    return FRZ_OK;
}

static frz_status read_column(frz_row_reader *reader, size_t index, const frz_row_selection *rows,
                              struct ArrowArray *out, frz_error **err)
{
    static const frz_value null_value = {.form = FRZ_VALUE_NULL};
    const frz_field *field = &reader->type->fields[index];
    if (reader->columns[index])
        return frz_stored_column_read(reader->columns[index], rows, out, err);
    return frz_constant_array(field->type,
                              field->initial_default ? field->initial_default : &null_value,
                              rows->selected, out, err);
}

frz_status frz_row_reader_next(frz_row_reader *reader, struct ArrowArray *out, frz_error **err)
{
    frz_buffer validity = {0};
    struct ArrowArray batch = {0};
    frz_row_selection rows = {.start = reader->next};

    FRZ_TRY(frz_stored_file_window(&reader->file, rows.start, BATCH_ROWS, &rows.count, err));
    rows.selected = rows.count;
    FRZ_TRY(frz_arrow_array_init(&batch, rows.count, 0, &validity, 1,
                                 (int64_t)reader->type->field_count, err));
    for (size_t i = 0; i < reader->type->field_count; i++) {
        const frz_status status = read_column(reader, i, &rows, batch.children[i], err);
        if (status != FRZ_OK) {
            frz_arrow_array_clear(&batch);
            return status;
        }
    }
    reader->next += rows.count;
    *out = batch;
    return FRZ_OK;
}
