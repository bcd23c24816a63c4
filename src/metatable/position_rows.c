/*
 * The metadata table position_deletes: the rows of the position delete files and deletion vectors
 * of a snapshot ("Position Delete Files", "Deletion Vectors"), a file at a time and of that a few
 * thousand positions.
 */
#include "arrow/array.h"
#include "base/fail.h"
#include "base/mem.h"
#include "metatable/manifest_walk.h"
#include "metatable/rows.h"
#include "puffin/deletion_vector.h"
#include "scan/row_reader.h"

enum {
    FIELDS_MAX = 8,
    POSITIONS = 4096, /* of a vector at once */
    READ_PATH = 0,    /* columns that are read of a delete file */
    READ_POSITION = 1,
    READ_ROW = 2, /* once for the output and once for the filter, if either wants it */
    READ_MAX = 4
};

typedef struct position_rows {
    frz_entry_walk walk;
    const frz_manifest *part; /* the walk's */
    size_t next_entry;        /* of the part */
    frz_partition_column partition;

    frz_field read_fields[READ_MAX];
    frz_type read_type;
    const frz_data_file *file; /* whose positions are given; in the part */
    frz_bitmap *vector;        /* one of these two is open, or neither */
    frz_row_reader *rows;
    struct ArrowArray batch; /* of the rows */
    int64_t from;            /* of the vector: the least position that was not given */
    int64_t listed[POSITIONS];
} position_rows;

static void close_file(position_rows *state)
{
    frz_bitmap_free(state->vector);
    frz_row_reader_close(state->rows);
    frz_arrow_array_clear(&state->batch);
    state->vector = NULL;
    state->rows = NULL;
    state->file = NULL;
}

static frz_status open_vector(const frz_scan *scan, const frz_data_file *file, frz_bitmap **out,
                              frz_error **err)
{
    char *path = frz_copy_text_n((const char *)file->path.data, file->path.size);
    if (!path)
        return frz_fail_memory(err);
    const frz_status status = frz_deletion_vector_read(
        scan->io, path, file->content_offset, file->content_size, file->record_count, out, err);
    frz_free(path);
    return status;
}

static frz_status fail_file(const frz_data_file *file, frz_status status, frz_error **err)
{
    if (status == FRZ_OK || status == FRZ_END)
        return status;
    return frz_context(err, status, "position delete file %.*s", (int)file->path.size,
                       (const char *)file->path.data);
}

static frz_status open_file(frz_metadata_rows *rows, const frz_data_file *file, frz_error **err)
{
    position_rows *state = rows->state;
    state->file = file;
    state->from = 0;
    if (file->format == FRZ_FORMAT_PUFFIN)
        return open_vector(rows->scan, file, &state->vector, err);
    return fail_file(
        file, frz_row_reader_open(rows->scan, file, &state->read_type, &state->rows, err), err);
}

/* The next live position delete file or vector of the part; NULL at its end. */
static const frz_data_file *next_entry(position_rows *state)
{
    while (state->part && state->next_entry < frz_manifest_count(state->part)) {
        const frz_manifest_entry *entry = frz_manifest_entry_at(state->part, state->next_entry++);
        if (entry->status != FRZ_ENTRY_DELETED &&
            entry->file.content == FRZ_CONTENT_POSITION_DELETES)
            return &entry->file;
    }
    return NULL;
}

static frz_status next_file(frz_metadata_rows *rows, frz_error **err)
{
    position_rows *state = rows->state;
    close_file(state);
    for (;;) {
        const frz_data_file *file = next_entry(state);
        if (file)
            return open_file(rows, file, err);
        state->part = NULL;
        state->next_entry = 0;
        const frz_status status = frz_entry_walk_next(&state->walk, &state->part, err);
        if (status != FRZ_OK)
            return status;
    }
}

static frz_status next_batch(position_rows *state, size_t *count_out, frz_error **err)
{
    struct ArrowArray *batch = &state->batch;
    frz_arrow_array_clear(batch);
    frz_status status = frz_row_reader_next(state->rows, batch, err);
    if (status == FRZ_OK && (frz_arrow_null_count(batch->children[READ_PATH]) ||
                             frz_arrow_null_count(batch->children[READ_POSITION])))
        status = frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "a position delete is null");
    *count_out = status == FRZ_OK ? (size_t)batch->length : 0;
    return fail_file(state->file, status, err);
}

/* The next positions of the open file; FRZ_END behind the last. */
static frz_status next_positions(position_rows *state, size_t *count_out, frz_error **err)
{
    if (state->rows)
        return next_batch(state, count_out, err);
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

/* What the delete file holds of the deleted row; null in vectors and files without it. */
static void append_deleted_row(const position_rows *state, size_t index, const frz_field *column,
                               frz_arrow_builder *out)
{
    for (size_t i = READ_ROW; i < state->read_type.field_count && !state->vector; i++) {
        if (state->read_fields[i].type == column->type) {
            frz_arrow_append_row(out, state->batch.children[i], (int64_t)index);
            return;
        }
    }
    frz_arrow_append_null(out);
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
            frz_arrow_append_row(out, state->batch.children[READ_PATH], (int64_t)index);
        break;
    case FRZ_FIELD_ID_DELETE_POS:
        if (state->vector)
            frz_arrow_append_i64(out, state->listed[index]);
        else
            frz_arrow_append_row(out, state->batch.children[READ_POSITION], (int64_t)index);
        break;
    case FRZ_FIELD_ID_DELETE_ROW:
        append_deleted_row(state, index, column, out);
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

static void choose_row(void *context, const frz_field *column)
{
    position_rows *state = context;
    if (column->id == FRZ_FIELD_ID_DELETE_ROW && state->read_type.field_count < READ_MAX)
        state->read_fields[state->read_type.field_count++] = *column;
}

static frz_status start(frz_metadata_rows *rows, frz_error **err)
{
    position_rows *state = rows->state;
    const frz_manifest_walk_options options = {.scan = rows->scan,
                                               .choice = FRZ_MANIFESTS_DELETES,
                                               .filter = rows->filter,
                                               .partition = &state->partition,
                                               .partition_id = FRZ_FIELD_ID_PARTITION,
                                               .content_id = -1,
                                               .spec_id = FRZ_FIELD_ID_SPEC_ID};
    (void)err;
    frz_entry_walk_init(&state->walk, &options);
    state->read_type =
        (frz_type){.kind = FRZ_TYPE_STRUCT, .fields = state->read_fields, .field_count = READ_ROW};
    frz_metadata_rows_visit(rows, choose_row, state);
    return FRZ_OK;
}

static void clear(frz_metadata_rows *rows)
{
    position_rows *state = rows->state;
    close_file(state);
    frz_entry_walk_clear(&state->walk);
}

static const frz_metadata_rows_ops ops = {
    .next = next, .cell = cell, .start = start, .clear = clear};

/* Field ids as Java's PositionDeletesTable has them: what the row's columns may have too is given
 * anew to the partition's fields. */
static frz_status make_row_type(frz_metadata_rows *rows, frz_error **err)
{
    const position_rows *state = rows->state;
    frz_field *fields = frz_arena_array(&rows->arena, FIELDS_MAX, sizeof *fields);
    frz_type *type = frz_arena_alloc(&rows->arena, sizeof *type);
    if (!fields || !type)
        return frz_fail_memory(err);
    size_t n = 0;
    fields[n++] = state->read_fields[READ_PATH];
    fields[n++] = state->read_fields[READ_POSITION];
    fields[n++] = (frz_field){
        .id = FRZ_FIELD_ID_DELETE_ROW, .name = "row", .type = frz_schema_type(rows->scan->schema)};
    if (state->partition.type->field_count)
        fields[n++] = (frz_field){.id = FRZ_FIELD_ID_PARTITION,
                                  .name = "partition",
                                  .required = true,
                                  .type = state->partition.type};
    fields[n++] = (frz_field)FRZ_CELL(FRZ_FIELD_ID_SPEC_ID, "spec_id", true, frz_cell_int);
    fields[n++] = (frz_field)FRZ_CELL(FRZ_FIELD_ID_FILE, "delete_file_path", true, frz_cell_string);
    if (rows->scan->metadata->format_version >= 3) {
        fields[n++] = (frz_field)FRZ_CELL(FRZ_FIELD_ID_CONTENT_OFFSET, "content_offset", false,
                                          frz_cell_long);
        fields[n++] = (frz_field)FRZ_CELL(FRZ_FIELD_ID_CONTENT_SIZE, "content_size_in_bytes", false,
                                          frz_cell_long);
    }
    *type = (frz_type){.kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = n};
    rows->type = type;
    return FRZ_OK;
}

frz_status frz_position_rows_init(frz_metadata_rows *rows, frz_error **err)
{
    position_rows *state = frz_arena_alloc(&rows->arena, sizeof *state);
    int32_t next_id = 1;
    if (!state)
        return frz_fail_memory(err);
    rows->ops = &ops;
    rows->state = state;
    state->read_fields[READ_PATH] =
        (frz_field)FRZ_CELL(FRZ_FIELD_ID_DELETE_FILE_PATH, "file_path", true, frz_cell_string);
    state->read_fields[READ_POSITION] =
        (frz_field)FRZ_CELL(FRZ_FIELD_ID_DELETE_POS, "pos", true, frz_cell_long);
    FRZ_TRY(frz_partition_column_make(rows->scan, FRZ_FIELD_ID_MAX, &next_id, &rows->arena,
                                      &state->partition, err));
    return make_row_type(rows, err);
}
