#include "write/position_file.h"

#include <string.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"
#include "scan/constant.h"

enum { BATCH_ROWS = 1024, COLUMNS = 2 };

/* The columns of a position delete file (spec "Position Delete Files"). */
static void make_fields(frz_field fields[COLUMNS])
{
    fields[0] = (frz_field){.id = FRZ_FIELD_ID_DELETE_FILE_PATH,
                            .name = "file_path",
                            .required = true,
                            .type = frz_type_of(FRZ_TYPE_STRING)};
    fields[1] = (frz_field){.id = FRZ_FIELD_ID_DELETE_POS,
                            .name = "pos",
                            .required = true,
                            .type = frz_type_of(FRZ_TYPE_LONG)};
}

static frz_status make_schema(const frz_field fields[COLUMNS], struct ArrowSchema *out,
                              frz_error **err)
{
    struct ArrowSchema schema = {0};
    frz_status status = FRZ_OK;
    FRZ_TRY_DONE(
        frz_arrow_schema_init(&schema, "+s", "", false, FRZ_ARROW_NO_FIELD_ID, COLUMNS, err));
    for (size_t i = 0; i < COLUMNS; i++)
        FRZ_TRY_DONE(frz_type_to_arrow(&fields[i], schema.children[i], err));
    *out = schema;
    return FRZ_OK;

done:
    frz_arrow_schema_clear(&schema);
    return status;
}

static frz_status make_batch(frz_slice path, const int64_t *positions, size_t count,
                             struct ArrowArray *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    struct ArrowArray batch = {0};
    frz_buffer none[1] = {0};
    frz_buffer values[2] = {0};
    const frz_value value = {.form = FRZ_VALUE_BYTES, .bytes = path};
    FRZ_TRY_DONE(frz_arrow_array_init(&batch, (int64_t)count, 0, none, 1, COLUMNS, err));
    FRZ_TRY_DONE(frz_constant_array(frz_type_of(FRZ_TYPE_STRING), &value, (int64_t)count,
                                    batch.children[0], err));
    frz_buffer_append(&values[1], positions, count * sizeof *positions);
    FRZ_TRY_DONE(frz_buffer_check(&values[1], err));
    FRZ_TRY_DONE(frz_arrow_array_init(batch.children[1], (int64_t)count, 0, values, 2, 0, err));
    *out = batch;
    batch = (struct ArrowArray){0};

done:
    frz_buffer_clear(&values[1]);
    frz_arrow_array_clear(&batch);
    return status;
}

static frz_status write_positions(frz_data_file_writer *writer, frz_slice path,
                                  const frz_bitmap *positions, frz_error **err)
{
    int64_t chunk[BATCH_ROWS];
    int64_t from = 0;
    for (;;) {
        struct ArrowArray batch = {0};
        const size_t count = frz_bitmap_list(positions, from, chunk, BATCH_ROWS);
        if (count == 0)
            return FRZ_OK;
        from = chunk[count - 1] + 1;
        FRZ_TRY(make_batch(path, chunk, count, &batch, err));
        const frz_status status = frz_data_file_writer_write(writer, &batch, err);
        frz_arrow_array_clear(&batch);
        if (status != FRZ_OK)
            return status;
    }
}

/* Bounds of both columns, untruncated: readers find the data file by equal bounds of file_path. */
static frz_status describe_columns(const frz_data_file *data, const frz_bitmap *positions,
                                   frz_arena *arena, frz_data_file *file, frz_error **err)
{
    frz_column_metrics *columns = frz_arena_array(arena, COLUMNS, sizeof *columns);
    int64_t *bounds = frz_arena_array(arena, 2, sizeof *bounds);
    if (!columns || !bounds)
        return frz_fail_memory(err);
    (void)frz_bitmap_list(positions, 0, &bounds[0], 1);
    bounds[1] = frz_bitmap_last(positions);
    for (size_t i = 0; i < COLUMNS; i++)
        columns[i] = (frz_column_metrics){.field_id = i == 0 ? FRZ_FIELD_ID_DELETE_POS
                                                             : FRZ_FIELD_ID_DELETE_FILE_PATH,
                                          .column_size = -1,
                                          .value_count = file->record_count,
                                          .null_count = 0,
                                          .nan_count = -1,
                                          .has_lower = true,
                                          .has_upper = true};
    columns[0].lower = frz_slice_of(&bounds[0], sizeof bounds[0]);
    columns[0].upper = frz_slice_of(&bounds[1], sizeof bounds[1]);
    columns[1].lower = columns[1].upper = data->path;
    file->columns = columns;
    file->column_count = COLUMNS;
    return FRZ_OK;
}

frz_status frz_position_file_write(frz_file_context *context, const frz_data_file *data,
                                   const frz_bitmap *positions, frz_data_file *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    struct ArrowSchema schema = {0};
    frz_data_file_writer *writer = NULL;
    frz_data_file file;
    frz_field fields[COLUMNS];
    const frz_type root = {.kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = COLUMNS};

    make_fields(fields);
    FRZ_TRY_DONE(make_schema(fields, &schema, err));
    context->arrow = &schema;
    context->root = &root;
    context->metrics = NULL;
    context->suffix = "-deletes";
    context->spec_id = data->spec_id;
    FRZ_TRY_DONE(frz_data_file_writer_open(context, data->partition, &writer, err));
    FRZ_TRY_DONE(write_positions(writer, data->path, positions, err));
    status = frz_data_file_writer_finish(writer, &file, err);
    writer = NULL;
    if (status != FRZ_OK)
        goto done;
    file.content = FRZ_CONTENT_POSITION_DELETES;
    file.referenced_data_file = data->path;
    FRZ_TRY_DONE(describe_columns(data, positions, context->arena, &file, err));
    *out = file;

done:
    frz_data_file_writer_abort(writer);
    context->arrow = NULL;
    context->root = NULL;
    frz_arrow_schema_clear(&schema);
    return status;
}
