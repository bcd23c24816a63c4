#include "spec/manifest_list.h"

#include "avro/reader.h"
#include "base/fail.h"
#include "base/number.h"
#include "io/file.h"
#include "spec/column.h"
#include "spec/list.h"
#include "spec/manifest_schema.h"

/* Every field is taken by its id from the writer's schema (D054): the header of a list need not
 * tell its version, and the columns that V1 lacks come out null. */
enum list_column {
    COLUMN_PATH,
    COLUMN_LENGTH,
    COLUMN_SPEC_ID,
    COLUMN_CONTENT,
    COLUMN_SEQUENCE_NUMBER,
    COLUMN_MIN_SEQUENCE_NUMBER,
    COLUMN_SNAPSHOT_ID,
    COLUMN_ADDED_FILES,
    COLUMN_EXISTING_FILES,
    COLUMN_DELETED_FILES,
    COLUMN_ADDED_ROWS,
    COLUMN_EXISTING_ROWS,
    COLUMN_DELETED_ROWS,
    COLUMN_PARTITIONS,
    COLUMN_KEY_METADATA,
    COLUMN_FIRST_ROW_ID,
    COLUMN_COUNT
};

enum summary_column {
    SUMMARY_CONTAINS_NULL,
    SUMMARY_CONTAINS_NAN,
    SUMMARY_LOWER_BOUND,
    SUMMARY_UPPER_BOUND,
    SUMMARY_COUNT
};

static const struct {
    int32_t id;
    frz_column_class class;
} list_columns[COLUMN_COUNT] = {
    [COLUMN_PATH] = {FRZ_LIST_ID_PATH, FRZ_COLUMN_BYTES},
    [COLUMN_LENGTH] = {FRZ_LIST_ID_LENGTH, FRZ_COLUMN_INTEGER},
    [COLUMN_SPEC_ID] = {FRZ_LIST_ID_SPEC_ID, FRZ_COLUMN_INTEGER},
    [COLUMN_CONTENT] = {FRZ_LIST_ID_CONTENT, FRZ_COLUMN_INTEGER},
    [COLUMN_SEQUENCE_NUMBER] = {FRZ_LIST_ID_SEQUENCE_NUMBER, FRZ_COLUMN_INTEGER},
    [COLUMN_MIN_SEQUENCE_NUMBER] = {FRZ_LIST_ID_MIN_SEQUENCE_NUMBER, FRZ_COLUMN_INTEGER},
    [COLUMN_SNAPSHOT_ID] = {FRZ_LIST_ID_SNAPSHOT_ID, FRZ_COLUMN_INTEGER},
    [COLUMN_ADDED_FILES] = {FRZ_LIST_ID_ADDED_FILES, FRZ_COLUMN_INTEGER},
    [COLUMN_EXISTING_FILES] = {FRZ_LIST_ID_EXISTING_FILES, FRZ_COLUMN_INTEGER},
    [COLUMN_DELETED_FILES] = {FRZ_LIST_ID_DELETED_FILES, FRZ_COLUMN_INTEGER},
    [COLUMN_ADDED_ROWS] = {FRZ_LIST_ID_ADDED_ROWS, FRZ_COLUMN_INTEGER},
    [COLUMN_EXISTING_ROWS] = {FRZ_LIST_ID_EXISTING_ROWS, FRZ_COLUMN_INTEGER},
    [COLUMN_DELETED_ROWS] = {FRZ_LIST_ID_DELETED_ROWS, FRZ_COLUMN_INTEGER},
    [COLUMN_PARTITIONS] = {FRZ_LIST_ID_PARTITIONS, FRZ_COLUMN_LIST},
    [COLUMN_KEY_METADATA] = {FRZ_LIST_ID_KEY_METADATA, FRZ_COLUMN_BYTES},
    [COLUMN_FIRST_ROW_ID] = {FRZ_LIST_ID_FIRST_ROW_ID, FRZ_COLUMN_INTEGER},
};

/* One batch of the list, bound. */
typedef struct list_batch {
    frz_column columns[COLUMN_COUNT];
    frz_column summaries[SUMMARY_COUNT];
} list_batch;

typedef struct list_reader {
    const frz_metadata *metadata;
    frz_arena *arena;
    frz_list files;
    list_batch batch;
} list_reader;

/* The place of a field in a struct's schema by id, or by name where it has none; -1 when the file
 * lacks it. */
static int64_t find_field(const struct ArrowSchema *schema, int32_t id)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        const struct ArrowSchema *child = schema->children[i];
        const int32_t found = frz_arrow_schema_field_id(child);
        if (found == id)
            return i;
        if (found == FRZ_ARROW_NO_FIELD_ID && child->name &&
            strcmp(child->name, frz_manifest_column_name(id)) == 0)
            return i;
    }
    return -1;
}

static frz_status bind_summaries(const frz_column *partitions, frz_column *out, frz_error **err)
{
    static const int32_t ids[SUMMARY_COUNT] = {FRZ_LIST_ID_CONTAINS_NULL, FRZ_LIST_ID_CONTAINS_NAN,
                                               FRZ_LIST_ID_LOWER_BOUND, FRZ_LIST_ID_UPPER_BOUND};
    frz_column items = {0};
    memset(out, 0, SUMMARY_COUNT * sizeof *out);
    if (!partitions->array)
        return FRZ_OK;
    FRZ_TRY(
        frz_column_child(partitions->schema, partitions->array, 0, FRZ_COLUMN_STRUCT, &items, err));
    if (!items.array)
        return FRZ_OK;
    for (int i = 0; i < SUMMARY_COUNT; i++) {
        const int64_t at = find_field(items.schema, ids[i]);
        if (at >= 0)
            FRZ_TRY(frz_column_child(
                items.schema, items.array, at,
                i <= SUMMARY_CONTAINS_NAN ? FRZ_COLUMN_BOOLEAN : FRZ_COLUMN_BYTES, &out[i], err));
    }
    return FRZ_OK;
}

static frz_status bind(const struct ArrowSchema *schema, const struct ArrowArray *array,
                       list_batch *out, frz_error **err)
{
    for (int i = 0; i < COLUMN_COUNT; i++)
        FRZ_TRY(frz_column_child(schema, array, i, list_columns[i].class, &out->columns[i], err));
    return bind_summaries(&out->columns[COLUMN_PARTITIONS], out->summaries, err);
}

static frz_status copy_bytes(const list_reader *reader, const frz_column *column, int64_t row,
                             bool *has_out, frz_slice *out, frz_error **err)
{
    const bool has = !frz_column_is_null(column, row);
    if (has_out)
        *has_out = has;
    if (has && !frz_arena_slice(reader->arena, frz_column_bytes(column, row), out))
        return frz_fail_memory(err);
    return FRZ_OK;
}

static frz_status read_summary(const list_reader *reader, int64_t row, frz_field_summary *out,
                               frz_error **err)
{
    const frz_column *columns = reader->batch.summaries;
    /* Where it is not told, a null is possible. */
    out->contains_null = frz_column_is_null(&columns[SUMMARY_CONTAINS_NULL], row) ||
                         frz_column_bool(&columns[SUMMARY_CONTAINS_NULL], row);
    out->contains_nan = (int8_t)(frz_column_bool(&columns[SUMMARY_CONTAINS_NAN], row) ? 1 : 0);
    if (frz_column_is_null(&columns[SUMMARY_CONTAINS_NAN], row))
        out->contains_nan = -1;
    FRZ_TRY(
        copy_bytes(reader, &columns[SUMMARY_LOWER_BOUND], row, &out->has_lower, &out->lower, err));
    return copy_bytes(reader, &columns[SUMMARY_UPPER_BOUND], row, &out->has_upper, &out->upper,
                      err);
}

/* Summaries that do not match the spec's fields tell nothing and are left out. */
static frz_status read_summaries(const list_reader *reader, int64_t row, frz_manifest_file *file,
                                 frz_error **err)
{
    int64_t start = 0;
    int64_t end = 0;
    const frz_partition_spec *spec = frz_metadata_find_spec(reader->metadata, file->spec_id);
    frz_column_range(&reader->batch.columns[COLUMN_PARTITIONS], row, &start, &end);
    if (!spec || (size_t)(end - start) != spec->field_count ||
        frz_column_is_null(&reader->batch.columns[COLUMN_PARTITIONS], row))
        return FRZ_OK;
    frz_field_summary *summaries =
        frz_arena_array(reader->arena, (size_t)(end - start), sizeof *summaries);
    if (!summaries)
        return frz_fail_memory(err);
    for (int64_t i = start; i < end; i++)
        FRZ_TRY(read_summary(reader, i, &summaries[i - start], err));
    file->partitions = summaries;
    file->partition_count = (size_t)(end - start);
    return FRZ_OK;
}

static int32_t count_at(const frz_column *column, int64_t row)
{
    const int64_t value = frz_column_i64(column, row, -1);
    return value < 0 || value > INT32_MAX ? -1 : (int32_t)value;
}

static int64_t rows_at(const frz_column *column, int64_t row)
{
    const int64_t value = frz_column_i64(column, row, -1);
    return value < 0 ? -1 : value;
}

static frz_status check_file(const frz_manifest_file *file, size_t index, frz_error **err)
{
    if (file->content != 0 && file->content != 1)
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                        "manifest %zu (%s): content is %d, expected 0 (data) or 1 (deletes)", index,
                        file->path, file->content);
    if (file->sequence_number < 0 || file->min_sequence_number < 0)
        return frz_fail(
            err, FRZ_CORRUPT, FRZ_NO_OFFSET,
            "manifest %zu (%s): sequence number %lld, lowest %lld: expected no negative one", index,
            file->path, (long long)file->sequence_number, (long long)file->min_sequence_number);
    if (file->first_row_id < -1)
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "manifest %zu (%s): first_row_id %lld",
                        index, file->path, (long long)file->first_row_id);
    return FRZ_OK;
}

static frz_status read_path(const list_reader *reader, int64_t row, const char **out,
                            frz_error **err)
{
    const frz_slice path = frz_column_bytes(&reader->batch.columns[COLUMN_PATH], row);
    if (path.size == 0 || memchr(path.data, 0, path.size))
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "manifest %zu: manifest_path is %s",
                        reader->files.count, path.size ? "no text" : "missing");
    *out = frz_arena_text_n(reader->arena, path.data, path.size);
    return *out ? FRZ_OK : frz_fail_memory(err);
}

static frz_status read_file(list_reader *reader, int64_t row, frz_error **err)
{
    const frz_column *columns = reader->batch.columns;
    frz_manifest_file file = {
        .length = frz_column_i64(&columns[COLUMN_LENGTH], row, -1),
        .spec_id = (int32_t)frz_column_i64(&columns[COLUMN_SPEC_ID], row, 0),
        .content = (int32_t)frz_column_i64(&columns[COLUMN_CONTENT], row, 0),
        .sequence_number = frz_column_i64(&columns[COLUMN_SEQUENCE_NUMBER], row, 0),
        .min_sequence_number = frz_column_i64(&columns[COLUMN_MIN_SEQUENCE_NUMBER], row, 0),
        .added_snapshot_id = frz_column_i64(&columns[COLUMN_SNAPSHOT_ID], row, FRZ_NO_SNAPSHOT),
        .added_files = count_at(&columns[COLUMN_ADDED_FILES], row),
        .existing_files = count_at(&columns[COLUMN_EXISTING_FILES], row),
        .deleted_files = count_at(&columns[COLUMN_DELETED_FILES], row),
        .added_rows = rows_at(&columns[COLUMN_ADDED_ROWS], row),
        .existing_rows = rows_at(&columns[COLUMN_EXISTING_ROWS], row),
        .deleted_rows = rows_at(&columns[COLUMN_DELETED_ROWS], row),
        .first_row_id = frz_column_i64(&columns[COLUMN_FIRST_ROW_ID], row, -1),
    };
    FRZ_TRY(read_path(reader, row, &file.path, err));
    FRZ_TRY(check_file(&file, reader->files.count, err));
    FRZ_TRY(copy_bytes(reader, &columns[COLUMN_KEY_METADATA], row, NULL, &file.key_metadata, err));
    FRZ_TRY(read_summaries(reader, row, &file, err));
    if (file.content == 1)
        file.first_row_id = -1; /* spec "First Row ID Assignment": always null for deletes */
    frz_manifest_file *slot = frz_list_add(&reader->files, reader->arena, sizeof *slot);
    if (!slot)
        return frz_fail_memory(err);
    *slot = file;
    return FRZ_OK;
}

static frz_status project(frz_avro_reader *avro, frz_error **err)
{
    frz_avro_projection children[COLUMN_COUNT] = {0};
    const bool by_id = frz_manifest_has_ids(frz_avro_reader_schema(avro));
    for (int i = 0; i < COLUMN_COUNT; i++) {
        children[i].field_id = by_id ? list_columns[i].id : FRZ_AVRO_NO_ID;
        children[i].name = frz_manifest_column_name(list_columns[i].id);
    }
    const frz_avro_projection root = {
        .field_id = FRZ_AVRO_NO_ID, .children = children, .child_count = COLUMN_COUNT};
    return frz_avro_reader_project(avro, &root, err);
}

static frz_status read_batches(frz_avro_reader *avro, const struct ArrowSchema *schema,
                               list_reader *reader, frz_error **err)
{
    for (;;) {
        struct ArrowArray array = {0};
        frz_status status = frz_avro_reader_next(avro, &array, err);
        if (status == FRZ_END)
            return FRZ_OK;
        if (status == FRZ_OK)
            status = bind(schema, &array, &reader->batch, err);
        for (int64_t row = 0; status == FRZ_OK && row < array.length; row++)
            status = read_file(reader, row, err);
        frz_arrow_array_clear(&array);
        FRZ_TRY(status);
    }
}

static frz_status read_list(frz_io *io, const char *location, const frz_limits *limits,
                            list_reader *reader, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_input *input = NULL;
    frz_avro_reader *avro = NULL;
    struct ArrowSchema schema = {0};
    FRZ_TRY_DONE(frz_io_open(io, location, FRZ_IO_SIZE_UNKNOWN, &input, err));
    FRZ_TRY_DONE(frz_avro_reader_open(input, limits, &avro, err));
    FRZ_TRY_DONE(project(avro, err));
    FRZ_TRY_DONE(frz_avro_reader_arrow_schema(avro, &schema, err));
    FRZ_TRY_DONE(read_batches(avro, &schema, reader, err));
done:
    frz_arrow_schema_clear(&schema);
    frz_avro_reader_close(avro);
    frz_input_close(input);
    return status;
}

/* "Manifests": the header tells the spec; manifests from before there were several have spec 0. */
static frz_status read_spec_id(frz_io *io, const char *path, const frz_limits *limits,
                               frz_manifest_file *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_input *input = NULL;
    frz_avro_reader *avro = NULL;
    frz_slice text = {0};
    int64_t id = 0;
    FRZ_TRY_DONE(frz_io_open(io, path, FRZ_IO_SIZE_UNKNOWN, &input, err));
    FRZ_TRY_DONE(frz_avro_reader_open(input, limits, &avro, err));
    if (frz_avro_reader_metadata(avro, "partition-spec-id", &text) &&
        (!frz_number_parse_i64((const char *)text.data, text.size, &id) || id < 0 ||
         id > INT32_MAX)) {
        status = frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "partition-spec-id is \"%.*s\"",
                          (int)(text.size < 20 ? text.size : 20), (const char *)text.data);
        goto done;
    }
    out->spec_id = (int32_t)id;
    out->length = (int64_t)frz_input_size(input);
done:
    frz_avro_reader_close(avro);
    frz_input_close(input);
    return status == FRZ_OK ? FRZ_OK : frz_context(err, status, "manifest %s", path);
}

/* V1 snapshots of old writers name their manifests themselves ("Snapshots", manifests): what a list
 * would say about them is unknown. */
static frz_status list_embedded(frz_io *io, const frz_snapshot *snapshot, const frz_limits *limits,
                                list_reader *reader, frz_error **err)
{
    for (size_t i = 0; i < snapshot->manifest_count; i++) {
        const char *path = frz_arena_text(reader->arena, snapshot->manifests[i]);
        frz_manifest_file *file = frz_list_add(&reader->files, reader->arena, sizeof *file);
        if (!path || !file)
            return frz_fail_memory(err);
        *file = (frz_manifest_file){.path = path,
                                    .added_snapshot_id = snapshot->snapshot_id,
                                    .added_files = -1,
                                    .existing_files = -1,
                                    .deleted_files = -1,
                                    .added_rows = -1,
                                    .existing_rows = -1,
                                    .deleted_rows = -1,
                                    .first_row_id = -1};
        FRZ_TRY(read_spec_id(io, path, limits, file, err));
    }
    return FRZ_OK;
}

frz_status frz_manifest_list_read(frz_io *io, const frz_metadata *metadata,
                                  const frz_snapshot *snapshot, const frz_limits *limits,
                                  frz_arena *arena, frz_manifest_list *out, frz_error **err)
{
    list_reader reader = {.metadata = metadata, .arena = arena};
    frz_status status = FRZ_OK;
    if (!limits)
        limits = &frz_limits_default;
    if (snapshot->key_id)
        return frz_fail(
            err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
            "manifest list %s is encrypted (key %s); encrypted tables cannot be read yet",
            snapshot->manifest_list ? snapshot->manifest_list : "", snapshot->key_id);
    if (snapshot->manifest_list)
        status = read_list(io, snapshot->manifest_list, limits, &reader, err);
    else
        status = list_embedded(io, snapshot, limits, &reader, err);
    if (status != FRZ_OK)
        return frz_context(err, status, "manifest list %s",
                           snapshot->manifest_list ? snapshot->manifest_list : "in table metadata");
    *out = (frz_manifest_list){.files = reader.files.items, .count = reader.files.count};
    return FRZ_OK;
}
