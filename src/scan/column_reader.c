#include "scan/column_reader.h"

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "scan/constant.h"

enum { CONSTANT_ROWS_MIN = 1024 };

frz_status frz_column_reader_open(frz_column_reader *reader, const frz_file_column *column,
                                  const frz_manifest_entry *entry, const frz_row_ranges *ranges,
                                  const frz_bitmap *deleted, frz_arena *arena, frz_error **err)
{
    *reader = (frz_column_reader){.column = column,
                                  .first_row_id = entry->file.first_row_id,
                                  .sequence_number = entry->sequence_number,
                                  .deleted = deleted};
    return column->stored ? frz_stored_column_open(column->stored, ranges, arena, err) : FRZ_OK;
}

void frz_column_reader_close(frz_column_reader *reader)
{
    if (reader->column)
        frz_stored_column_close(reader->column->stored);
    frz_arrow_array_clear(&reader->constant);
    *reader = (frz_column_reader){0};
}

/* Constants are made once, for the largest batch so far, and handed out as slices. */
static frz_status read_constant(frz_column_reader *reader, const frz_value *value, int64_t length,
                                struct ArrowArray *out, frz_error **err)
{
    if (!reader->constant.release || reader->constant.length < length) {
        frz_arrow_array_clear(&reader->constant);
        FRZ_TRY(frz_constant_array(reader->column->field->type, value,
                                   length < CONSTANT_ROWS_MIN ? CONSTANT_ROWS_MIN : length,
                                   &reader->constant, err));
    }
    return frz_arrow_array_slice(&reader->constant, 0, length, out, err);
}

/* Replaces the nulls of a stored lineage column by what is inherited ("Row lineage assignment"). */
static frz_status inherit(const struct ArrowArray *stored, struct ArrowArray *inherited,
                          struct ArrowArray *out, frz_error **err)
{
    frz_buffer buffers[2] = {0};
    const int64_t *from = stored->buffers[1];
    const int64_t *fallback = inherited->buffers[1];
    int64_t *values =
        (int64_t *)(void *)frz_buffer_extend(&buffers[1], (size_t)stored->length * sizeof *values);
    if (!values)
        return frz_fail_memory(err);
    for (int64_t i = 0; i < stored->length; i++)
        values[i] = frz_arrow_is_null(stored, i) ? fallback[inherited->offset + i]
                                                 : from[stored->offset + i];
    return frz_arrow_array_init(out, stored->length, 0, buffers, 2, 0, err);
}

static frz_status read_lineage(frz_column_reader *reader, const frz_row_selection *rows,
                               struct ArrowArray *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    struct ArrowArray stored = {0};
    struct ArrowArray inherited = {0};
    const frz_value sequence = {.form = FRZ_VALUE_INTEGER, .integer = reader->sequence_number};

    if (reader->column->source == FRZ_COLUMN_ROW_ID)
        FRZ_TRY_DONE(frz_sequence_array(reader->first_row_id + rows->start, rows->count, rows->mask,
                                        rows->selected, &inherited, err));
    else
        FRZ_TRY_DONE(read_constant(reader, &sequence, rows->selected, &inherited, err));
    if (!reader->column->stored) {
        *out = inherited;
        return FRZ_OK;
    }
    FRZ_TRY_DONE(frz_stored_column_read(reader->column->stored, rows, &stored, err));
    FRZ_TRY_DONE(inherit(&stored, &inherited, out, err));

done:
    frz_arrow_array_clear(&stored);
    frz_arrow_array_clear(&inherited);
    return status;
}

static bool is_deleted(const frz_column_reader *reader, int64_t position)
{
    return reader->deleted && frz_bitmap_contains(reader->deleted, position);
}

static frz_status read_deleted(const frz_column_reader *reader, const frz_row_selection *rows,
                               struct ArrowArray *out, frz_error **err)
{
    frz_buffer buffers[2] = {0};
    frz_buffer_append_fill(&buffers[1], 0, (size_t)(rows->selected + 7) / 8);
    FRZ_TRY(frz_buffer_check(&buffers[1], err));
    int64_t filled = 0;
    for (int64_t i = 0; i < rows->count; i++) {
        if (rows->mask && !(rows->mask[i / 64] >> (i % 64) & 1))
            continue;
        if (is_deleted(reader, rows->start + i))
            frz_bit_set(buffers[1].data, filled);
        filled++;
    }
    return frz_arrow_array_init(out, rows->selected, 0, buffers, 2, 0, err);
}

frz_status frz_column_reader_read(frz_column_reader *reader, const frz_row_selection *rows,
                                  struct ArrowArray *out, frz_error **err)
{
    switch (reader->column->source) {
    case FRZ_COLUMN_FROM_FILE:
        return frz_stored_column_read(reader->column->stored, rows, out, err);
    case FRZ_COLUMN_CONSTANT:
        return read_constant(reader, &reader->column->constant, rows->selected, out, err);
    case FRZ_COLUMN_POSITION:
        return frz_sequence_array(rows->start, rows->count, rows->mask, rows->selected, out, err);
    case FRZ_COLUMN_ROW_ID:
    case FRZ_COLUMN_SEQUENCE:
        return read_lineage(reader, rows, out, err);
    case FRZ_COLUMN_DELETED:
        return read_deleted(reader, rows, out, err);
    }
    return FRZ_OK;
}
