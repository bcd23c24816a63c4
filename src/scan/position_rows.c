/*
 * The metadata table position_deletes: the rows of the position delete files and deletion vectors
 * of a snapshot ("Position Delete Files", "Deletion Vectors"), a file at a time and of that a few
 * thousand positions.
 */
#include "arrow/array.h"
#include "base/fail.h"
#include "base/mem.h"
#include "puffin/deletion_vector.h"
#include "scan/manifest_walk.h"
#include "scan/metadata_table.h"
#include "scan/position_file.h"

enum { ID_CONTENT = -1, ID_SPEC = FRZ_FIELD_ID_SPEC_ID, FIELDS_MAX = 8, POSITIONS = 4096 };

typedef struct position_rows {
    frz_manifest_walk walk;
    frz_manifest_reader *reader; /* of the manifest at hand; NULL between two */
    frz_manifest *part;
    size_t next_entry; /* of the part */
    frz_partition_column partition;
    const frz_field *row; /* the column `row`, when it is wanted */

    const frz_data_file *file; /* whose positions are given; in the part */
    frz_bitmap *vector;        /* one of these two is open, or neither */
    frz_position_file *positions;
    int64_t from; /* of the vector: the least position that was not given */
    int64_t listed[POSITIONS];
    frz_position_batch batch;
} position_rows;

static bool is_vector(const frz_data_file *file)
{
    return file->format == FRZ_FORMAT_PUFFIN;
}

static void close_file(position_rows *state)
{
    frz_bitmap_free(state->vector);
    frz_position_file_close(state->positions);
    frz_position_batch_clear(&state->batch);
    state->vector = NULL;
    state->positions = NULL;
    state->file = NULL;
}

static frz_status open_file(frz_metadata_rows *rows, const frz_data_file *file, frz_error **err)
{
    position_rows *state = rows->state;
    const frz_scan *scan = rows->scan;
    char *path = frz_copy_text_n((const char *)file->path.data, file->path.size);
    frz_status status = path ? FRZ_OK : frz_fail_memory(err);
    if (status == FRZ_OK && is_vector(file))
        status = frz_deletion_vector_read(scan->io, path, file->content_offset, file->content_size,
                                          file->record_count, &state->vector, err);
    else if (status == FRZ_OK)
        status = frz_position_file_open(scan, file, state->row, &state->positions, err);
    frz_free(path);
    state->file = file;
    state->from = 0;
    return status;
}

static frz_status next_entry(frz_metadata_rows *rows, const frz_data_file **out, frz_error **err)
{
    position_rows *state = rows->state;
    while (state->part && state->next_entry < frz_manifest_count(state->part)) {
        const frz_manifest_entry *entry = frz_manifest_entry_at(state->part, state->next_entry++);
        if (entry->status == FRZ_ENTRY_DELETED ||
            entry->file.content != FRZ_CONTENT_POSITION_DELETES)
            continue;
        *out = &entry->file;
        return FRZ_OK;
    }
    return FRZ_END;
}

static frz_status next_part(frz_metadata_rows *rows, frz_error **err)
{
    static const frz_manifest_fields fields = {.details = false};
    position_rows *state = rows->state;
    const frz_manifest_file *source = NULL;
    frz_manifest_unref(state->part);
    state->part = NULL;
    state->next_entry = 0;
    for (;;) {
        frz_status status = FRZ_OK;
        if (!state->reader) {
            status = frz_manifest_walk_next(&state->walk, &source, err);
            if (status != FRZ_OK)
                return status;
            FRZ_TRY(frz_manifest_reader_open(rows->scan->io, source, rows->scan->metadata, &fields,
                                             &rows->scan->limits, &state->reader, err));
        }
        status = frz_manifest_reader_next(state->reader, &state->part, err);
        if (status != FRZ_END)
            return status;
        frz_manifest_reader_close(state->reader);
        state->reader = NULL;
    }
}

static frz_status next_file(frz_metadata_rows *rows, frz_error **err)
{
    position_rows *state = rows->state;
    const frz_data_file *file = NULL;
    close_file(state);
    for (;;) {
        frz_status status = next_entry(rows, &file, err);
        if (status == FRZ_OK)
            return open_file(rows, file, err);
        status = next_part(rows, err);
        if (status != FRZ_OK)
            return status;
    }
}

/* The next positions of the open file; FRZ_END behind the last. */
static frz_status next_positions(position_rows *state, size_t *count_out, frz_error **err)
{
    if (state->positions) {
        frz_position_batch_clear(&state->batch);
        const frz_status status = frz_position_file_next(state->positions, &state->batch, err);
        *count_out = status == FRZ_OK ? (size_t)state->batch.paths.length : 0;
        return status;
    }
    const size_t count =
        state->vector ? frz_bitmap_list(state->vector, state->from, state->listed, POSITIONS) : 0;
    if (count == 0)
        return FRZ_END;
    state->from = state->listed[count - 1] + 1;
    *count_out = count;
    return FRZ_OK;
}

static frz_status next(frz_metadata_rows *rows, size_t *count_out, frz_error **err)
{
    position_rows *state = rows->state;
    for (;;) {
        frz_status status = state->file ? next_positions(state, count_out, err) : FRZ_END;
        if (status != FRZ_END)
            return status;
        status = next_file(rows, err);
        if (status != FRZ_OK)
            return status;
    }
}

static frz_status cell(frz_metadata_rows *rows, size_t index, const frz_field *column,
                       frz_arrow_builder *out, frz_error **err)
{
    const position_rows *state = rows->state;
    const frz_data_file *file = state->file;
    (void)err;
    switch (column->id) {
    case FRZ_FIELD_ID_DELETE_FILE_PATH:
        if (state->vector)
            frz_arrow_append_bytes(out, file->referenced_data_file);
        else
            frz_arrow_append_row(out, &state->batch.paths, (int64_t)index);
        break;
    case FRZ_FIELD_ID_DELETE_POS:
        if (state->vector)
            frz_arrow_append_i64(out, state->listed[index]);
        else
            frz_arrow_append_row(out, &state->batch.positions, (int64_t)index);
        break;
    case FRZ_FIELD_ID_DELETE_ROW:
        if (state->batch.rows.release)
            frz_arrow_append_row(out, &state->batch.rows, (int64_t)index);
        else
            frz_arrow_append_null(out);
        break;
    case FRZ_FIELD_ID_PARTITION:
        frz_partition_column_append(&state->partition, file, column->type, out);
        break;
    case FRZ_FIELD_ID_SPEC_ID:
        frz_arrow_append_i64(out, file->spec_id);
        break;
    case FRZ_FIELD_ID_FILE:
        frz_arrow_append_bytes(out, file->path);
        break;
    case FRZ_FIELD_ID_CONTENT_OFFSET:
        frz_cell_count(out, file->content_offset);
        break;
    default:
        frz_cell_count(out, file->content_size);
    }
    return FRZ_OK;
}
