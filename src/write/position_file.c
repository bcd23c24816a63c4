#include "write/position_file.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"
#include "scan/constant.h"
#include "spec/tuple_key.h"

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

/* Bounds of both columns, untruncated: readers find the data file by equal bounds of file_path. The
 * targets are sorted by path. */
static frz_status describe_columns(const frz_position_target *targets, size_t count,
                                   frz_arena *arena, frz_data_file *file, frz_error **err)
{
    frz_column_metrics *columns = frz_arena_array(arena, COLUMNS, sizeof *columns);
    int64_t *bounds = frz_arena_array(arena, 2, sizeof *bounds);
    if (!columns || !bounds)
        return frz_fail_memory(err);
    bounds[0] = INT64_MAX;
    for (size_t i = 0; i < count; i++) {
        int64_t first = 0;
        (void)frz_bitmap_list(targets[i].positions, 0, &first, 1);
        const int64_t last = frz_bitmap_last(targets[i].positions);
        bounds[0] = first < bounds[0] ? first : bounds[0];
        bounds[1] = last > bounds[1] ? last : bounds[1];
    }
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
    columns[1].lower = targets[0].data->path;
    columns[1].upper = targets[count - 1].data->path;
    file->columns = columns;
    file->column_count = COLUMNS;
    return FRZ_OK;
}

/* Writes targets of one partition, in order, to a file until it is large; *count_out are in it. */
static frz_status write_file(const frz_position_files *how, const frz_position_target *targets,
                             size_t count, frz_data_file *out, size_t *count_out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_file_context *context = how->context;
    frz_data_file_writer *writer = NULL;
    frz_data_file file;
    size_t written = 0;

    context->spec_id = targets[0].data->spec_id;
    FRZ_TRY_DONE(frz_data_file_writer_open(context, targets[0].data->partition, &writer, err));
    do {
        FRZ_TRY_DONE(
            write_positions(writer, targets[written].data->path, targets[written].positions, err));
        written++;
    } while (written < count && frz_data_file_writer_size(writer) < how->target_file_size);
    status = frz_data_file_writer_finish(writer, &file, err);
    writer = NULL;
    if (status != FRZ_OK)
        goto done;
    file.content = FRZ_CONTENT_POSITION_DELETES;
    if (written == 1)
        file.referenced_data_file = targets[0].data->path;
    FRZ_TRY_DONE(describe_columns(targets, written, context->arena, &file, err));
    *out = file;
    *count_out = written;

done:
    frz_data_file_writer_abort(writer);
    return status;
}

/* By partition, whose bytes are any that are equal where tuples are, then by path. */
typedef struct keyed_target {
    frz_position_target target;
    frz_slice partition;
} keyed_target;

static int compare_slices(frz_slice a, frz_slice b)
{
    const size_t size = a.size < b.size ? a.size : b.size;
    const int order = size > 0 ? memcmp(a.data, b.data, size) : 0;
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

static int compare_targets(const void *x, const void *y)
{
    const keyed_target *a = x;
    const keyed_target *b = y;
    const int order = compare_slices(a->partition, b->partition);
    return order ? order : compare_slices(a->target.data->path, b->target.data->path);
}

static frz_status sort_targets(frz_position_target *targets, size_t count, frz_arena *arena,
                               keyed_target **out, frz_error **err)
{
    frz_buffer key = {0};
    frz_status status = FRZ_OK;
    keyed_target *keyed = frz_arena_array(arena, count + 1, sizeof *keyed);
    if (!keyed)
        return frz_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        const frz_data_file *data = targets[i].data;
        frz_buffer_reset(&key);
        frz_buffer_append_u32be(&key, (uint32_t)data->spec_id);
        frz_tuple_key(data->partition, data->partition_count, &key);
        FRZ_TRY_DONE(frz_buffer_check(&key, err));
        keyed[i].target = targets[i];
        if (!frz_arena_slice(arena, frz_buffer_slice(&key), &keyed[i].partition)) {
            status = frz_fail_memory(err);
            goto done;
        }
    }
    if (count > 0)
        qsort(keyed, count, sizeof *keyed, compare_targets);
    for (size_t i = 0; i < count; i++)
        targets[i] = keyed[i].target;
    *out = keyed;

done:
    frz_buffer_clear(&key);
    return status;
}

static frz_status write_all(const frz_position_files *how, frz_position_target *targets,
                            size_t count, frz_data_file *out, size_t *count_out, frz_error **err)
{
    keyed_target *keyed = NULL;
    size_t made = 0;
    FRZ_TRY(sort_targets(targets, count, how->context->arena, &keyed, err));
    for (size_t at = 0; at < count;) {
        size_t together = 1;
        size_t written = 0;
        while (how->by_partition && at + together < count &&
               frz_slice_equal(keyed[at].partition, keyed[at + together].partition))
            together++;
        FRZ_TRY(write_file(how, targets + at, together, &out[made++], &written, err));
        at += written;
    }
    *count_out = made;
    return FRZ_OK;
}

frz_status frz_position_files_write(const frz_position_files *how, frz_position_target *targets,
                                    size_t count, frz_data_file *out, size_t *count_out,
                                    frz_error **err)
{
    struct ArrowSchema schema = {0};
    frz_field fields[COLUMNS];
    frz_file_context *context = how->context;
    const frz_type root = {.kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = COLUMNS};
    make_fields(fields);
    FRZ_TRY(make_schema(fields, &schema, err));
    context->arrow = &schema;
    context->root = &root;
    context->metrics = NULL;
    context->suffix = "-deletes";
    const frz_status status = write_all(how, targets, count, out, count_out, err);
    context->arrow = NULL;
    context->root = NULL;
    frz_arrow_schema_clear(&schema);
    return status;
}
