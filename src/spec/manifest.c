#include "spec/manifest.h"

#include <assert.h>
#include <stdatomic.h>
#include <strings.h>

#include "avro/reader.h"
#include "base/fail.h"
#include "base/mem.h"
#include "io/file.h"
#include "spec/avro_type.h"
#include "spec/manifest_metrics.h"
#include "spec/manifest_schema.h"

/* The fields of data_file that are decoded, beside the partition. */
enum file_column {
    FILE_CONTENT,
    FILE_PATH,
    FILE_FORMAT,
    FILE_RECORD_COUNT,
    FILE_SIZE,
    FILE_KEY_METADATA,
    FILE_EQUALITY_IDS,
    FILE_FIRST_ROW_ID,
    FILE_REFERENCED,
    FILE_CONTENT_OFFSET,
    FILE_CONTENT_SIZE,
    FILE_SPLIT_OFFSETS,
    FILE_SORT_ORDER_ID,
    FILE_METRICS, /* FRZ_METRIC_COUNT of them, in that order */
    FILE_COLUMN_COUNT = FILE_METRICS + FRZ_METRIC_COUNT
};

static const struct {
    int32_t id;
    frz_column_class class;
} file_columns[FILE_COLUMN_COUNT] = {
    [FILE_CONTENT] = {FRZ_FILE_ID_CONTENT, FRZ_COLUMN_INTEGER},
    [FILE_PATH] = {FRZ_FILE_ID_FILE_PATH, FRZ_COLUMN_BYTES},
    [FILE_FORMAT] = {FRZ_FILE_ID_FILE_FORMAT, FRZ_COLUMN_BYTES},
    [FILE_RECORD_COUNT] = {FRZ_FILE_ID_RECORD_COUNT, FRZ_COLUMN_INTEGER},
    [FILE_SIZE] = {FRZ_FILE_ID_FILE_SIZE, FRZ_COLUMN_INTEGER},
    [FILE_KEY_METADATA] = {FRZ_FILE_ID_KEY_METADATA, FRZ_COLUMN_BYTES},
    [FILE_EQUALITY_IDS] = {FRZ_FILE_ID_EQUALITY_IDS, FRZ_COLUMN_LIST},
    [FILE_FIRST_ROW_ID] = {FRZ_FILE_ID_FIRST_ROW_ID, FRZ_COLUMN_INTEGER},
    [FILE_REFERENCED] = {FRZ_FILE_ID_REFERENCED_DATA_FILE, FRZ_COLUMN_BYTES},
    [FILE_CONTENT_OFFSET] = {FRZ_FILE_ID_CONTENT_OFFSET, FRZ_COLUMN_INTEGER},
    [FILE_CONTENT_SIZE] = {FRZ_FILE_ID_CONTENT_SIZE, FRZ_COLUMN_INTEGER},
    [FILE_SPLIT_OFFSETS] = {FRZ_FILE_ID_SPLIT_OFFSETS, FRZ_COLUMN_LIST},
    [FILE_SORT_ORDER_ID] = {FRZ_FILE_ID_SORT_ORDER_ID, FRZ_COLUMN_INTEGER},
    [FILE_METRICS + FRZ_METRIC_COLUMN_SIZE] = {FRZ_FILE_ID_COLUMN_SIZES, FRZ_COLUMN_LIST},
    [FILE_METRICS + FRZ_METRIC_VALUE_COUNT] = {FRZ_FILE_ID_VALUE_COUNTS, FRZ_COLUMN_LIST},
    [FILE_METRICS + FRZ_METRIC_NULL_COUNT] = {FRZ_FILE_ID_NULL_VALUE_COUNTS, FRZ_COLUMN_LIST},
    [FILE_METRICS + FRZ_METRIC_NAN_COUNT] = {FRZ_FILE_ID_NAN_VALUE_COUNTS, FRZ_COLUMN_LIST},
    [FILE_METRICS + FRZ_METRIC_LOWER] = {FRZ_FILE_ID_LOWER_BOUNDS, FRZ_COLUMN_LIST},
    [FILE_METRICS + FRZ_METRIC_UPPER] = {FRZ_FILE_ID_UPPER_BOUNDS, FRZ_COLUMN_LIST},
};

enum entry_column {
    ENTRY_STATUS,
    ENTRY_SNAPSHOT_ID,
    ENTRY_SEQUENCE_NUMBER,
    ENTRY_FILE_SEQUENCE_NUMBER,
    ENTRY_DATA_FILE,
    ENTRY_COLUMN_COUNT
};

static const int32_t entry_ids[ENTRY_COLUMN_COUNT] = {
    FRZ_ENTRY_ID_STATUS, FRZ_ENTRY_ID_SNAPSHOT_ID, FRZ_ENTRY_ID_SEQUENCE_NUMBER,
    FRZ_ENTRY_ID_FILE_SEQUENCE_NUMBER, FRZ_ENTRY_ID_DATA_FILE};

struct frz_manifest {
    atomic_size_t references;
    frz_arena arena; /* partition tuples, metrics, lists of ids */
    frz_manifest_entry *entries;
    size_t count;
    size_t capacity;
    struct ArrowArray *batches; /* hold the bytes that entries point to */
    size_t batch_count;
    size_t batch_capacity;
    size_t array_memory;
};

struct frz_manifest_reader {
    frz_manifest *manifest; /* what is being read into */
    size_t entries_before;  /* of the manifests that were handed out */
    frz_input *input;
    frz_avro_reader *avro;
    struct ArrowSchema schema;
    const frz_manifest_file *source;
    const frz_manifest_fields *wanted; /* NULL = everything */
    const frz_partition_spec *spec;    /* of the table, with the manifest's id */
    const frz_type *partition;         /* the tuple's type */
    int64_t next_row_id;               /* -1 = none is inherited */
    frz_metric_keys scratch;
    frz_column entry[ENTRY_COLUMN_COUNT]; /* the batch that is being read, bound */
    frz_column file[FILE_COLUMN_COUNT];
    frz_column items[FILE_COLUMN_COUNT]; /* of lists */
    frz_column *tuple;                   /* one per partition field */
    frz_metric_map metrics[FRZ_METRIC_COUNT];
};

static bool is_chosen(const frz_manifest_fields *wanted, int column)
{
    if (!wanted)
        return true;
    if (column == FILE_SPLIT_OFFSETS || column == FILE_SORT_ORDER_ID)
        return wanted->details;
    if (column == FILE_METRICS + FRZ_METRIC_COLUMN_SIZE)
        return wanted->all_metrics;
    if (column >= FILE_METRICS)
        return wanted->all_metrics || wanted->metric_id_count > 0;
    return true;
}

/* A field by its id, or by its name in files without ids. */
static frz_avro_projection field_named(bool by_id, int32_t id, const char *name)
{
    return (frz_avro_projection){.field_id = by_id ? id : FRZ_AVRO_NO_ID, .name = name};
}

/* The chosen columns of data_file, in the order of the enum. */
static size_t project_file(const frz_manifest_fields *wanted, bool by_id, frz_avro_projection *out)
{
    size_t count = 0;
    for (int i = 0; i < FILE_COLUMN_COUNT; i++) {
        if (!is_chosen(wanted, i))
            continue;
        out[count] =
            field_named(by_id, file_columns[i].id, frz_manifest_column_name(file_columns[i].id));
        if (i >= FILE_METRICS && wanted && !wanted->all_metrics) {
            out[count].map_keys = wanted->metric_ids;
            out[count].map_key_count = wanted->metric_id_count;
        }
        count++;
    }
    return count;
}

/* The fields of the tuple; files without ids name them as Avro allows. */
static frz_status project_tuple(const frz_manifest_reader *reader, bool by_id, frz_arena *arena,
                                const frz_avro_projection **out, frz_error **err)
{
    const frz_type *type = reader->partition;
    frz_avro_projection *tuple = frz_arena_array(arena, type->field_count, sizeof *tuple);
    if (!tuple)
        return frz_fail_memory(err);
    for (size_t i = 0; i < type->field_count; i++) {
        frz_buffer name = {0};
        frz_avro_name_print(type->fields[i].name, &name);
        const char *kept = name.failed ? NULL : frz_arena_text_n(arena, name.data, name.size);
        frz_buffer_clear(&name);
        if (!kept)
            return frz_fail_memory(err);
        tuple[i] = field_named(by_id, type->fields[i].id, kept);
    }
    *out = tuple;
    return FRZ_OK;
}

/* The entry's fields with data_file's chosen ones; behind those the partition, when it has fields.
 */
static frz_status project(const frz_manifest_reader *reader, frz_error **err)
{
    const bool by_id = frz_manifest_has_ids(frz_avro_reader_schema(reader->avro));
    frz_avro_projection file[FILE_COLUMN_COUNT + 1] = {0};
    frz_avro_projection entry[ENTRY_COLUMN_COUNT] = {0};
    const frz_avro_projection *tuple = NULL;
    frz_arena arena = {0};
    size_t count = project_file(reader->wanted, by_id, file);
    const size_t tuple_count = reader->partition->field_count;
    frz_status status = project_tuple(reader, by_id, &arena, &tuple, err);
    if (tuple_count) {
        file[count] = field_named(by_id, FRZ_FILE_ID_PARTITION, "partition");
        file[count].children = tuple;
        file[count++].child_count = tuple_count;
    }
    for (int i = 0; i < ENTRY_COLUMN_COUNT; i++)
        entry[i] = field_named(by_id, entry_ids[i], frz_manifest_column_name(entry_ids[i]));
    entry[ENTRY_DATA_FILE].children = file;
    entry[ENTRY_DATA_FILE].child_count = count;
    const frz_avro_projection root = {
        .field_id = FRZ_AVRO_NO_ID, .children = entry, .child_count = ENTRY_COLUMN_COUNT};
    if (status == FRZ_OK)
        status = frz_avro_reader_project(reader->avro, &root, err);
    frz_arena_clear(&arena);
    return status;
}

static frz_status bind_tuple(frz_manifest_reader *reader, const frz_column *file, int64_t index,
                             frz_error **err)
{
    frz_column tuple = {0};
    if (reader->partition->field_count == 0)
        return FRZ_OK;
    FRZ_TRY(frz_column_child(file->schema, file->array, index, FRZ_COLUMN_STRUCT, &tuple, err));
    for (size_t i = 0; i < reader->partition->field_count; i++) {
        reader->tuple[i] = (frz_column){0};
        if (tuple.array)
            FRZ_TRY(frz_column_child(tuple.schema, tuple.array, (int64_t)i, FRZ_COLUMN_ANY,
                                     &reader->tuple[i], err));
    }
    return FRZ_OK;
}

static frz_status bind_file(frz_manifest_reader *reader, frz_error **err)
{
    const frz_column *file = &reader->entry[ENTRY_DATA_FILE];
    int64_t index = 0;
    if (!file->array)
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "the file has no field 2 (data_file)");
    for (int i = 0; i < FILE_COLUMN_COUNT; i++) {
        reader->file[i] = (frz_column){0};
        reader->items[i] = (frz_column){0};
        if (!is_chosen(reader->wanted, i))
            continue;
        FRZ_TRY(frz_column_child(file->schema, file->array, index++, file_columns[i].class,
                                 &reader->file[i], err));
        if (reader->file[i].array && (i == FILE_EQUALITY_IDS || i == FILE_SPLIT_OFFSETS))
            FRZ_TRY(frz_column_child(reader->file[i].schema, reader->file[i].array, 0,
                                     FRZ_COLUMN_INTEGER, &reader->items[i], err));
    }
    for (int m = 0; m < FRZ_METRIC_COUNT; m++)
        FRZ_TRY(frz_metric_map_bind(&reader->file[FILE_METRICS + m], (frz_metric)m,
                                    &reader->metrics[m], err));
    return bind_tuple(reader, file, index, err);
}

static frz_status bind(frz_manifest_reader *reader, const struct ArrowArray *array, frz_error **err)
{
    for (int i = 0; i < ENTRY_COLUMN_COUNT; i++)
        FRZ_TRY(frz_column_child(&reader->schema, array, i,
                                 i == ENTRY_DATA_FILE ? FRZ_COLUMN_STRUCT : FRZ_COLUMN_INTEGER,
                                 &reader->entry[i], err));
    return bind_file(reader, err);
}

static frz_file_format format_of(frz_slice text)
{
    static const struct {
        const char *name;
        frz_file_format format;
    } formats[] = {{"parquet", FRZ_FORMAT_PARQUET},
                   {"avro", FRZ_FORMAT_AVRO},
                   {"orc", FRZ_FORMAT_ORC},
                   {"puffin", FRZ_FORMAT_PUFFIN}};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strlen(formats[i].name) == text.size &&
            strncasecmp(formats[i].name, (const char *)text.data, text.size) == 0)
            return formats[i].format;
    return FRZ_FORMAT_OTHER;
}

/* Which entry of the file is being read. */
static size_t entry_index(const frz_manifest_reader *reader)
{
    return reader->entries_before + reader->manifest->count;
}

static frz_status fail_entry(const frz_manifest_reader *reader, const char *what, int64_t value,
                             frz_error **err)
{
    return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "entry %zu: %s (%lld)", entry_index(reader),
                    what, (long long)value);
}

/* Spec "Sequence Number Inheritance": only ADDED entries inherit; all of a V1 manifest have 0. */
static frz_status inherit_sequence(const frz_manifest_reader *reader, int64_t row,
                                   frz_manifest_entry *out, frz_error **err)
{
    const int64_t of_manifest = reader->source->sequence_number;
    const bool inherits = out->status == FRZ_ENTRY_ADDED || of_manifest == 0;
    const int64_t absent = inherits ? of_manifest : -1;
    out->sequence_number = frz_column_i64(&reader->entry[ENTRY_SEQUENCE_NUMBER], row, absent);
    out->file_sequence_number =
        frz_column_i64(&reader->entry[ENTRY_FILE_SEQUENCE_NUMBER], row, absent);
    if (out->sequence_number < 0 && out->status == FRZ_ENTRY_EXISTING)
        return fail_entry(reader,
                          "an EXISTING entry without sequence_number; only ADDED ones inherit",
                          out->sequence_number, err);
    return FRZ_OK;
}

static frz_status read_head(const frz_manifest_reader *reader, int64_t row, frz_manifest_entry *out,
                            frz_error **err)
{
    const int64_t status = frz_column_i64(&reader->entry[ENTRY_STATUS], row, -1);
    if (status < FRZ_ENTRY_EXISTING || status > FRZ_ENTRY_DELETED)
        return fail_entry(reader, "status is none of 0, 1, 2", status, err);
    out->status = (frz_entry_status)status;
    out->snapshot_id =
        frz_column_i64(&reader->entry[ENTRY_SNAPSHOT_ID], row, reader->source->added_snapshot_id);
    if (frz_column_is_null(&reader->entry[ENTRY_DATA_FILE], row))
        return fail_entry(reader, "data_file is null", row, err);
    return inherit_sequence(reader, row, out, err);
}

/* Only who knows a transform knows the type of its results ("Partition Transforms"). */
static frz_status read_field(const frz_manifest_reader *reader, size_t index, int64_t row,
                             frz_value *out, frz_error **err)
{
    if (reader->spec->fields[index].transform.kind == FRZ_TRANSFORM_UNKNOWN)
        return frz_column_text(&reader->tuple[index], row, &reader->manifest->arena, out, err);
    return frz_column_value(&reader->tuple[index], row, reader->partition->fields[index].type, out,
                            err);
}

/* Whether a field is not written, or its type is known to nobody, as its source column is in no
 * schema any more. Void fields are null in any case. */
static bool lacks_fields(const frz_manifest_reader *reader)
{
    const frz_type *type = reader->partition;
    bool lacks = false;
    for (size_t i = 0; i < type->field_count; i++)
        lacks =
            lacks || (reader->spec->fields[i].transform.kind != FRZ_TRANSFORM_VOID &&
                      (!reader->tuple[i].array || type->fields[i].type->kind == FRZ_TYPE_UNKNOWN));
    return lacks;
}

static frz_status read_tuple(const frz_manifest_reader *reader, int64_t row, frz_data_file *out,
                             frz_error **err)
{
    const size_t count = reader->partition->field_count;
    out->partition_count = count;
    out->partition_unknown = lacks_fields(reader);
    if (count == 0)
        return FRZ_OK;
    frz_value *values = frz_arena_array(&reader->manifest->arena, count, sizeof *values);
    if (!values)
        return frz_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        const frz_status status = read_field(reader, i, row, &values[i], err);
        if (status != FRZ_OK)
            return frz_context(err, status, "entry %zu: partition", entry_index(reader));
    }
    out->partition = values;
    return FRZ_OK;
}

static frz_status read_longs(const frz_manifest_reader *reader, int64_t row, frz_data_file *out,
                             frz_error **err)
{
    int64_t start = 0;
    int64_t end = 0;
    frz_column_range(&reader->file[FILE_SPLIT_OFFSETS], row, &start, &end);
    if (start == end)
        return FRZ_OK;
    int64_t *offsets =
        frz_arena_array(&reader->manifest->arena, (size_t)(end - start), sizeof *offsets);
    if (!offsets)
        return frz_fail_memory(err);
    for (int64_t i = start; i < end; i++)
        offsets[i - start] = frz_column_i64(&reader->items[FILE_SPLIT_OFFSETS], i, 0);
    out->split_offsets = offsets;
    out->split_offset_count = (size_t)(end - start);
    return FRZ_OK;
}

static frz_status read_equality_ids(const frz_manifest_reader *reader, int64_t row,
                                    frz_data_file *out, frz_error **err)
{
    int64_t start = 0;
    int64_t end = 0;
    frz_column_range(&reader->file[FILE_EQUALITY_IDS], row, &start, &end);
    if (start == end)
        return FRZ_OK;
    int32_t *ids = frz_arena_array(&reader->manifest->arena, (size_t)(end - start), sizeof *ids);
    if (!ids)
        return frz_fail_memory(err);
    for (int64_t i = start; i < end; i++)
        ids[i - start] = (int32_t)frz_column_i64(&reader->items[FILE_EQUALITY_IDS], i, 0);
    out->equality_ids = ids;
    out->equality_id_count = (size_t)(end - start);
    return FRZ_OK;
}

/* What "Data File Fields" requires of a live file. */
static frz_status check_file(const frz_manifest_reader *reader, const frz_manifest_entry *entry,
                             frz_error **err)
{
    const frz_data_file *file = &entry->file;
    if (file->path.size == 0)
        return fail_entry(reader, "file_path is missing", 0, err);
    if (file->record_count < 0 || file->file_size < 0)
        return fail_entry(reader, "record_count or file_size_in_bytes is missing or negative",
                          file->record_count < 0 ? file->record_count : file->file_size, err);
    if ((file->content == FRZ_CONTENT_DATA) != (reader->source->content == 0))
        return fail_entry(reader, "content does not suit the manifest's", file->content, err);
    if (entry->status == FRZ_ENTRY_DELETED)
        return FRZ_OK;
    if (file->content == FRZ_CONTENT_EQUALITY_DELETES && file->equality_id_count == 0)
        return fail_entry(reader, "an equality delete file without equality_ids", 0, err);
    if (file->content == FRZ_CONTENT_POSITION_DELETES && file->format == FRZ_FORMAT_PUFFIN &&
        (file->referenced_data_file.size == 0 || file->content_offset < 0 ||
         file->content_size < 0))
        return fail_entry(reader,
                          "a deletion vector without referenced_data_file, content_offset or "
                          "content_size_in_bytes",
                          file->content_offset, err);
    return FRZ_OK;
}

/* Spec "First Row ID Inheritance": by the manifest list's first_row_id, whatever wrote the
 * manifest; entries that are deleted take none. */
static frz_status inherit_row_id(frz_manifest_reader *reader, frz_manifest_entry *entry,
                                 frz_error **err)
{
    frz_data_file *file = &entry->file;
    if (reader->source->first_row_id == FRZ_ROW_IDS_AS_WRITTEN)
        return FRZ_OK;
    if (file->content != FRZ_CONTENT_DATA || reader->source->first_row_id < 0) {
        file->first_row_id = -1;
        return FRZ_OK;
    }
    if (file->first_row_id >= 0 || entry->status == FRZ_ENTRY_DELETED)
        return FRZ_OK;
    if (file->record_count > INT64_MAX - reader->next_row_id)
        return fail_entry(reader, "row ids beyond 64 bits", file->record_count, err);
    file->first_row_id = reader->next_row_id;
    reader->next_row_id += file->record_count;
    return FRZ_OK;
}

static frz_status read_file(frz_manifest_reader *reader, int64_t row, frz_manifest_entry *entry,
                            frz_error **err)
{
    const frz_column *columns = reader->file;
    const int64_t content = frz_column_i64(&columns[FILE_CONTENT], row, FRZ_CONTENT_DATA);
    if (content < FRZ_CONTENT_DATA || content > FRZ_CONTENT_EQUALITY_DELETES)
        return fail_entry(reader, "content is none of 0, 1, 2", content, err);
    frz_data_file *file = &entry->file;
    file->content = (frz_file_content)content;
    file->format_text = frz_column_bytes(&columns[FILE_FORMAT], row);
    file->format = format_of(file->format_text);
    file->path = frz_column_bytes(&columns[FILE_PATH], row);
    file->spec_id = reader->source->spec_id;
    file->record_count = frz_column_i64(&columns[FILE_RECORD_COUNT], row, -1);
    file->file_size = frz_column_i64(&columns[FILE_SIZE], row, -1);
    file->key_metadata = frz_column_bytes(&columns[FILE_KEY_METADATA], row);
    file->sort_order_id = (int32_t)frz_column_i64(&columns[FILE_SORT_ORDER_ID], row, -1);
    file->first_row_id = frz_column_i64(&columns[FILE_FIRST_ROW_ID], row, -1);
    file->referenced_data_file = frz_column_bytes(&columns[FILE_REFERENCED], row);
    file->content_offset = frz_column_i64(&columns[FILE_CONTENT_OFFSET], row, -1);
    file->content_size = frz_column_i64(&columns[FILE_CONTENT_SIZE], row, -1);
    FRZ_TRY(read_equality_ids(reader, row, file, err));
    FRZ_TRY(read_longs(reader, row, file, err));
    FRZ_TRY(check_file(reader, entry, err));
    FRZ_TRY(inherit_row_id(reader, entry, err));
    FRZ_TRY(read_tuple(reader, row, file, err));
    return frz_metrics_read(reader->metrics, row, reader->wanted, &reader->scratch,
                            &reader->manifest->arena, file, err);
}

static frz_status read_entry(frz_manifest_reader *reader, int64_t row, frz_error **err)
{
    frz_manifest *manifest = reader->manifest;
    if (!frz_grow_array((void **)&manifest->entries, &manifest->capacity, manifest->count,
                        sizeof *manifest->entries))
        return frz_fail_memory(err);
    frz_manifest_entry entry = {0};
    FRZ_TRY(read_head(reader, row, &entry, err));
    FRZ_TRY(read_file(reader, row, &entry, err));
    manifest->entries[manifest->count++] = entry;
    return FRZ_OK;
}

static frz_status new_manifest(frz_manifest_reader *reader, frz_error **err)
{
    reader->manifest = frz_alloc_zero(sizeof *reader->manifest);
    if (!reader->manifest)
        return frz_fail_memory(err);
    atomic_init(&reader->manifest->references, 1);
    return FRZ_OK;
}

/* Reads one batch, which the manifest then keeps. */
static frz_status read_batch(frz_manifest_reader *reader, frz_error **err)
{
    frz_manifest *manifest = reader->manifest;
    if (!frz_grow_array((void **)&manifest->batches, &manifest->batch_capacity,
                        manifest->batch_count, sizeof *manifest->batches))
        return frz_fail_memory(err);
    struct ArrowArray *batch = &manifest->batches[manifest->batch_count];
    *batch = (struct ArrowArray){0};
    const frz_status status = frz_avro_reader_next(reader->avro, batch, err);
    if (status != FRZ_OK)
        return status;
    manifest->batch_count++;
    manifest->array_memory += frz_column_memory(&reader->schema, batch);
    FRZ_TRY(bind(reader, batch, err));
    for (int64_t row = 0; row < batch->length; row++)
        FRZ_TRY(read_entry(reader, row, err));
    return FRZ_OK;
}

/* A field that the table has made void may have had any transform ("Partition Evolution"); where
 * all are void no tuple is looked at. */
static bool same_spec(const frz_partition_spec *written, const frz_partition_spec *table)
{
    if (frz_partition_spec_is_unpartitioned(table) && table->field_count)
        return true;
    if (written->field_count != table->field_count)
        return false;
    for (size_t i = 0; i < table->field_count; i++)
        if (written->fields[i].field_id != table->fields[i].field_id ||
            (table->fields[i].transform.kind != FRZ_TRANSFORM_VOID &&
             !frz_partition_field_equivalent(&written->fields[i], &table->fields[i])))
            return false;
    return true;
}

/*
 * "Manifests": the key-value metadata holds the fields of the spec that wrote the file. Where the
 * table has other fields under that id, tuples would be taken for values of other columns. A header
 * without fields that can be read says nothing.
 */
static frz_status check_spec(const frz_manifest_reader *reader, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_arena arena = {0};
    frz_slice text = {0};
    frz_partition_spec written = {0};
    if (!frz_avro_reader_metadata(reader->avro, "partition-spec", &text))
        return FRZ_OK;
    frz_json_reader json = frz_json_reader_over(text, &arena);
    status = frz_partition_fields_read_json(&json, &arena, &written, NULL);
    const bool differs = status == FRZ_OK && !same_spec(&written, reader->spec);
    status = status == FRZ_NO_MEMORY ? frz_fail_memory(err) : FRZ_OK;
    if (differs)
        status = frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                          "written with the partition spec %.*s, which is not the table's spec %d",
                          (int)(text.size < 500 ? text.size : 500), (const char *)text.data,
                          (int)reader->source->spec_id);
    frz_arena_clear(&arena);
    return status;
}

static frz_status check_source(const frz_manifest_file *source, const frz_type *partition,
                               frz_error **err)
{
    if (!partition)
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                        "partition spec %d is none of the table's specs", source->spec_id);
    if (source->key_metadata.size)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "the manifest is encrypted; encrypted tables cannot be read yet");
    return FRZ_OK;
}

static frz_status open_reader(frz_manifest_reader *reader, frz_io *io, const frz_limits *limits,
                              frz_error **err)
{
    const frz_manifest_file *source = reader->source;
    const uint64_t size = source->length > 0 ? (uint64_t)source->length : FRZ_IO_SIZE_UNKNOWN;
    FRZ_TRY(check_source(source, reader->partition, err));
    reader->tuple = frz_alloc_array(reader->partition->field_count, sizeof *reader->tuple);
    if (!reader->tuple)
        return frz_fail_memory(err);
    FRZ_TRY(frz_io_open(io, source->path, size, &reader->input, err));
    FRZ_TRY(frz_avro_reader_open(reader->input, limits, &reader->avro, err));
    FRZ_TRY(check_spec(reader, err));
    FRZ_TRY(project(reader, err));
    return frz_avro_reader_arrow_schema(reader->avro, &reader->schema, err);
}

frz_status frz_manifest_reader_open(frz_io *io, const frz_manifest_file *source,
                                    const frz_metadata *metadata, const frz_manifest_fields *fields,
                                    const frz_limits *limits, frz_manifest_reader **out,
                                    frz_error **err)
{
    frz_manifest_reader *reader = frz_alloc_zero(sizeof *reader);
    if (!reader)
        return frz_fail_memory(err);
    reader->source = source;
    reader->wanted = fields;
    reader->spec = frz_metadata_find_spec(metadata, source->spec_id);
    reader->partition = frz_metadata_partition_type(metadata, source->spec_id);
    reader->next_row_id = source->first_row_id;
    const frz_status status = open_reader(reader, io, limits ? limits : &frz_limits_default, err);
    if (status != FRZ_OK) {
        frz_manifest_reader_close(reader);
        return frz_context(err, status, "manifest %s", source->path);
    }
    *out = reader;
    return FRZ_OK;
}

void frz_manifest_reader_close(frz_manifest_reader *reader)
{
    if (!reader)
        return;
    frz_manifest_unref(reader->manifest);
    frz_arrow_schema_clear(&reader->schema);
    frz_avro_reader_close(reader->avro);
    frz_input_close(reader->input);
    frz_metric_keys_clear(&reader->scratch);
    frz_free(reader->tuple);
    frz_free(reader);
}

bool frz_manifest_reader_header(const frz_manifest_reader *reader, const char *key, frz_slice *out)
{
    return frz_avro_reader_metadata(reader->avro, key, out);
}

/* Hands out what was read, or the status of a reader that is of no more use. */
static frz_status give(frz_manifest_reader *reader, frz_status status, frz_manifest **out,
                       frz_error **err)
{
    if (status != FRZ_OK)
        return status == FRZ_END ? status
                                 : frz_context(err, status, "manifest %s", reader->source->path);
    reader->entries_before += reader->manifest->count;
    *out = reader->manifest;
    reader->manifest = NULL;
    return FRZ_OK;
}

frz_status frz_manifest_reader_next(frz_manifest_reader *reader, frz_manifest **out,
                                    frz_error **err)
{
    frz_manifest_unref(reader->manifest);
    frz_status status = new_manifest(reader, err);
    if (status == FRZ_OK)
        status = read_batch(reader, err);
    return give(reader, status, out, err);
}

frz_status frz_manifest_read(frz_io *io, const frz_manifest_file *source,
                             const frz_metadata *metadata, const frz_manifest_fields *fields,
                             const frz_limits *limits, frz_manifest **out, frz_error **err)
{
    frz_manifest_reader *reader = NULL;
    FRZ_TRY(frz_manifest_reader_open(io, source, metadata, fields, limits, &reader, err));
    assert(reader);
    frz_status status = new_manifest(reader, err);
    while (status == FRZ_OK)
        status = read_batch(reader, err);
    status = give(reader, status == FRZ_END ? FRZ_OK : status, out, err);
    frz_manifest_reader_close(reader);
    return status;
}

frz_manifest *frz_manifest_ref(frz_manifest *manifest)
{
    atomic_fetch_add_explicit(&manifest->references, 1, memory_order_relaxed);
    return manifest;
}

void frz_manifest_unref(frz_manifest *manifest)
{
    if (!manifest || atomic_fetch_sub_explicit(&manifest->references, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < manifest->batch_count; i++)
        frz_arrow_array_clear(&manifest->batches[i]);
    frz_free(manifest->batches);
    frz_free(manifest->entries);
    frz_arena_clear(&manifest->arena);
    frz_free(manifest);
}

size_t frz_manifest_count(const frz_manifest *manifest)
{
    return manifest->count;
}

size_t frz_manifest_memory(const frz_manifest *manifest)
{
    return sizeof *manifest + manifest->arena.used + manifest->array_memory +
           manifest->capacity * sizeof *manifest->entries;
}

const frz_manifest_entry *frz_manifest_entry_at(const frz_manifest *manifest, size_t index)
{
    return &manifest->entries[index];
}

const frz_column_metrics *frz_data_file_metrics(const frz_data_file *file, int32_t field_id)
{
    size_t low = 0;
    size_t high = file->column_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (file->columns[middle].field_id < field_id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < file->column_count && file->columns[low].field_id == field_id ? &file->columns[low]
                                                                               : NULL;
}
