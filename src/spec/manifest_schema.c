#include "spec/manifest_schema.h"

#include <stdio.h>

#include "arrow/schema.h"
#include "base/fail.h"
#include "json/writer.h"
#include "spec/avro_type.h"

enum { ALWAYS = 1, NEVER = 99, V1_ONLY = -1 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const frz_manifest_column frz_entry_columns[] = {
    {FRZ_ENTRY_ID_STATUS, "status", FRZ_FORM_INT, 1, 3, ALWAYS, 0, 0, NULL},
    {FRZ_ENTRY_ID_SNAPSHOT_ID, "snapshot_id", FRZ_FORM_LONG, 1, 3, V1_ONLY, 0, 0, NULL},
    {FRZ_ENTRY_ID_SEQUENCE_NUMBER, "sequence_number", FRZ_FORM_LONG, 2, 3, NEVER, 0, 0, NULL},
    {FRZ_ENTRY_ID_FILE_SEQUENCE_NUMBER, "file_sequence_number", FRZ_FORM_LONG, 2, 3, NEVER, 0, 0,
     NULL},
    {FRZ_ENTRY_ID_DATA_FILE, "data_file", FRZ_FORM_DATA_FILE, 1, 3, ALWAYS, 0, 0, NULL},
};
const size_t frz_entry_column_count = COUNT(frz_entry_columns);

const frz_manifest_column frz_file_columns[] = {
    {FRZ_FILE_ID_CONTENT, "content", FRZ_FORM_INT, 2, 3, ALWAYS, 0, 0,
     "Contents of the file: 0=data, 1=position deletes, 2=equality deletes"},
    {FRZ_FILE_ID_FILE_PATH, "file_path", FRZ_FORM_STRING, 1, 3, ALWAYS, 0, 0,
     "Location URI with FS scheme"},
    {FRZ_FILE_ID_FILE_FORMAT, "file_format", FRZ_FORM_STRING, 1, 3, ALWAYS, 0, 0,
     "File format name: avro, orc, or parquet"},
    {FRZ_FILE_ID_PARTITION, "partition", FRZ_FORM_PARTITION, 1, 3, ALWAYS, 0, 0,
     "Partition data tuple, schema based on the partition spec"},
    {FRZ_FILE_ID_RECORD_COUNT, "record_count", FRZ_FORM_LONG, 1, 3, ALWAYS, 0, 0,
     "Number of records in the file"},
    {FRZ_FILE_ID_FILE_SIZE, "file_size_in_bytes", FRZ_FORM_LONG, 1, 3, ALWAYS, 0, 0,
     "Total file size in bytes"},
    {FRZ_FILE_ID_BLOCK_SIZE, "block_size_in_bytes", FRZ_FORM_LONG, 1, 1, ALWAYS, 0, 0, NULL},
    {FRZ_FILE_ID_COLUMN_SIZES, "column_sizes", FRZ_FORM_LONG_MAP, 1, 3, NEVER, 117, 118,
     "Map of column id to total size on disk"},
    {FRZ_FILE_ID_VALUE_COUNTS, "value_counts", FRZ_FORM_LONG_MAP, 1, 3, NEVER, 119, 120,
     "Map of column id to total count, including null and NaN"},
    {FRZ_FILE_ID_NULL_VALUE_COUNTS, "null_value_counts", FRZ_FORM_LONG_MAP, 1, 3, NEVER, 121, 122,
     "Map of column id to null value count"},
    {FRZ_FILE_ID_NAN_VALUE_COUNTS, "nan_value_counts", FRZ_FORM_LONG_MAP, 1, 3, NEVER, 138, 139,
     "Map of column id to number of NaN values in the column"},
    {FRZ_FILE_ID_LOWER_BOUNDS, "lower_bounds", FRZ_FORM_BYTES_MAP, 1, 3, NEVER, 126, 127,
     "Map of column id to lower bound"},
    {FRZ_FILE_ID_UPPER_BOUNDS, "upper_bounds", FRZ_FORM_BYTES_MAP, 1, 3, NEVER, 129, 130,
     "Map of column id to upper bound"},
    {FRZ_FILE_ID_KEY_METADATA, "key_metadata", FRZ_FORM_BYTES, 1, 3, NEVER, 0, 0,
     "Encryption key metadata blob"},
    {FRZ_FILE_ID_SPLIT_OFFSETS, "split_offsets", FRZ_FORM_LONG_LIST, 1, 3, NEVER, 133, 0,
     "Splittable offsets"},
    {FRZ_FILE_ID_EQUALITY_IDS, "equality_ids", FRZ_FORM_INT_LIST, 2, 3, NEVER, 136, 0,
     "Equality comparison field IDs"},
    {FRZ_FILE_ID_SORT_ORDER_ID, "sort_order_id", FRZ_FORM_INT, 1, 3, NEVER, 0, 0, "Sort order ID"},
    {FRZ_FILE_ID_FIRST_ROW_ID, "first_row_id", FRZ_FORM_LONG, 3, 3, NEVER, 0, 0,
     "The first row ID assigned to the first row in the data file"},
    {FRZ_FILE_ID_REFERENCED_DATA_FILE, "referenced_data_file", FRZ_FORM_STRING, 2, 3, NEVER, 0, 0,
     "Fully qualified location (URI with FS scheme) of a data file that all deletes reference"},
    {FRZ_FILE_ID_CONTENT_OFFSET, "content_offset", FRZ_FORM_LONG, 3, 3, NEVER, 0, 0,
     "The offset in the file where the content starts"},
    {FRZ_FILE_ID_CONTENT_SIZE, "content_size_in_bytes", FRZ_FORM_LONG, 3, 3, NEVER, 0, 0,
     "The length of referenced content stored in the file"},
};
const size_t frz_file_column_count = COUNT(frz_file_columns);

const frz_manifest_column frz_summary_columns[] = {
    {FRZ_LIST_ID_CONTAINS_NULL, "contains_null", FRZ_FORM_BOOLEAN, 1, 3, ALWAYS, 0, 0,
     "True if any file has a null partition value"},
    {FRZ_LIST_ID_CONTAINS_NAN, "contains_nan", FRZ_FORM_BOOLEAN, 1, 3, NEVER, 0, 0,
     "True if any file has a nan partition value"},
    {FRZ_LIST_ID_LOWER_BOUND, "lower_bound", FRZ_FORM_BYTES, 1, 3, NEVER, 0, 0,
     "Partition lower bound for all files"},
    {FRZ_LIST_ID_UPPER_BOUND, "upper_bound", FRZ_FORM_BYTES, 1, 3, NEVER, 0, 0,
     "Partition upper bound for all files"},
};
const size_t frz_summary_column_count = COUNT(frz_summary_columns);

#define LIST_HEAD                                                                         \
    {FRZ_LIST_ID_PATH,                                                                    \
     "manifest_path",                                                                     \
     FRZ_FORM_STRING,                                                                     \
     1,                                                                                   \
     3,                                                                                   \
     ALWAYS,                                                                              \
     0,                                                                                   \
     0,                                                                                   \
     "Location URI with FS scheme"},                                                      \
        {FRZ_LIST_ID_LENGTH,        "manifest_length", FRZ_FORM_LONG, 1, 3, ALWAYS, 0, 0, \
         "Total file size in bytes"},                                                     \
    {                                                                                     \
        FRZ_LIST_ID_SPEC_ID, "partition_spec_id", FRZ_FORM_INT, 1, 3, ALWAYS, 0, 0,       \
            "Spec ID used to write"                                                       \
    }
#define LIST_FILES                                                                        \
    {FRZ_LIST_ID_SNAPSHOT_ID,                                                             \
     "added_snapshot_id",                                                                 \
     FRZ_FORM_LONG,                                                                       \
     1,                                                                                   \
     3,                                                                                   \
     ALWAYS,                                                                              \
     0,                                                                                   \
     0,                                                                                   \
     "Snapshot ID that added the manifest"},                                              \
        {FRZ_LIST_ID_ADDED_FILES, "added_files_count", FRZ_FORM_INT, 1, 3, 2, 0, 0,       \
         "Added entry count"},                                                            \
        {FRZ_LIST_ID_EXISTING_FILES, "existing_files_count", FRZ_FORM_INT, 1, 3, 2, 0, 0, \
         "Existing entry count"},                                                         \
    {                                                                                     \
        FRZ_LIST_ID_DELETED_FILES, "deleted_files_count", FRZ_FORM_INT, 1, 3, 2, 0, 0,    \
            "Deleted entry count"                                                         \
    }
#define LIST_ROWS                                                                        \
    {                                                                                    \
        FRZ_LIST_ID_ADDED_ROWS, "added_rows_count", FRZ_FORM_LONG, 1, 3, 2, 0, 0,        \
        "Added rows count"},                                                             \
        {FRZ_LIST_ID_EXISTING_ROWS, "existing_rows_count", FRZ_FORM_LONG, 1, 3, 2, 0, 0, \
         "Existing rows count"},                                                         \
    {                                                                                    \
        FRZ_LIST_ID_DELETED_ROWS, "deleted_rows_count", FRZ_FORM_LONG, 1, 3, 2, 0, 0,    \
            "Deleted rows count"                                                         \
    }
#define LIST_PARTITIONS                                                        \
    {                                                                          \
        FRZ_LIST_ID_PARTITIONS, "partitions", FRZ_FORM_SUMMARIES, 1, 3, NEVER, \
            FRZ_LIST_ID_SUMMARY, 0, "Summary for each partition"               \
    }
#define LIST_KEY                                                                     \
    {                                                                                \
        FRZ_LIST_ID_KEY_METADATA, "key_metadata", FRZ_FORM_BYTES, 1, 3, NEVER, 0, 0, \
            "Encryption key metadata blob"                                           \
    }

static const frz_manifest_column list_v1[] = {LIST_HEAD, LIST_FILES, LIST_PARTITIONS, LIST_ROWS,
                                              LIST_KEY};
static const frz_manifest_column list_v2[] = {
    LIST_HEAD,
    {FRZ_LIST_ID_CONTENT, "content", FRZ_FORM_INT, 2, 3, ALWAYS, 0, 0,
     "Contents of the manifest: 0=data, 1=deletes"},
    {FRZ_LIST_ID_SEQUENCE_NUMBER, "sequence_number", FRZ_FORM_LONG, 2, 3, ALWAYS, 0, 0,
     "Sequence number when the manifest was added"},
    {FRZ_LIST_ID_MIN_SEQUENCE_NUMBER, "min_sequence_number", FRZ_FORM_LONG, 2, 3, ALWAYS, 0, 0,
     "Lowest sequence number in the manifest"},
    LIST_FILES,
    LIST_ROWS,
    LIST_PARTITIONS,
    LIST_KEY,
    {FRZ_LIST_ID_FIRST_ROW_ID, "first_row_id", FRZ_FORM_LONG, 3, 3, NEVER, 0, 0,
     "Starting row ID to assign to new rows in ADDED data files"},
};

const frz_manifest_column *frz_list_columns(int format_version, size_t *count_out)
{
    *count_out = format_version == 1 ? COUNT(list_v1) : COUNT(list_v2);
    return format_version == 1 ? list_v1 : list_v2;
}

static const char *find_name(const frz_manifest_column *columns, size_t count, int32_t id)
{
    for (size_t i = 0; i < count; i++)
        if (columns[i].id == id)
            return columns[i].name;
    return NULL;
}

const char *frz_manifest_column_name(int32_t id)
{
    const char *name = find_name(frz_entry_columns, frz_entry_column_count, id);
    if (!name)
        name = find_name(frz_file_columns, frz_file_column_count, id);
    if (!name)
        name = find_name(frz_summary_columns, frz_summary_column_count, id);
    return name ? name : find_name(list_v2, COUNT(list_v2), id);
}

bool frz_manifest_has_ids(const frz_avro_schema *schema)
{
    for (size_t i = 0; i < schema->field_count; i++)
        if (schema->fields[i].field_id != FRZ_AVRO_NO_ID)
            return true;
    return false;
}

bool frz_manifest_column_in(const frz_manifest_column *column, int format_version)
{
    return column->since <= format_version && format_version <= column->until;
}

static bool is_required(const frz_manifest_column *column, int format_version)
{
    if (column->required == V1_ONLY)
        return format_version == 1;
    return column->required <= format_version;
}

typedef struct avro_writer {
    frz_json_writer json;
    int version;
    const frz_type *partition;
} avro_writer;

static void write_type_name(avro_writer *out, const char *type)
{
    frz_json_key(&out->json, "type");
    frz_json_string(&out->json, type);
}

static void write_key_value(avro_writer *out, const char *name, const char *type, int32_t id)
{
    frz_json_open_object(&out->json);
    frz_json_key(&out->json, "name");
    frz_json_string(&out->json, name);
    write_type_name(out, type);
    frz_json_key(&out->json, "field-id");
    frz_json_i64(&out->json, id);
    frz_json_close_object(&out->json);
}

/* The Avro type of a form: of the value itself, or of what a map or list holds. */
static const char *const form_types[] = {
    [FRZ_FORM_INT] = "int",         [FRZ_FORM_LONG] = "long",      [FRZ_FORM_BOOLEAN] = "boolean",
    [FRZ_FORM_STRING] = "string",   [FRZ_FORM_BYTES] = "bytes",    [FRZ_FORM_LONG_MAP] = "long",
    [FRZ_FORM_BYTES_MAP] = "bytes", [FRZ_FORM_LONG_LIST] = "long", [FRZ_FORM_INT_LIST] = "int",
};

/* Appendix A: a map with keys that are no strings is an array of key-value records. */
static void write_map(avro_writer *out, const frz_manifest_column *column)
{
    char name[32];
    (void)snprintf(name, sizeof name, "k%d_v%d", column->item_id, column->value_id);
    frz_json_open_object(&out->json);
    write_type_name(out, "array");
    frz_json_key(&out->json, "items");
    frz_json_open_object(&out->json);
    write_type_name(out, "record");
    frz_json_key(&out->json, "name");
    frz_json_string(&out->json, name);
    frz_json_key(&out->json, "fields");
    frz_json_open_array(&out->json);
    write_key_value(out, "key", "int", column->item_id);
    write_key_value(out, "value", form_types[column->form], column->value_id);
    frz_json_close_array(&out->json);
    frz_json_close_object(&out->json);
    frz_json_key(&out->json, "logicalType");
    frz_json_string(&out->json, "map");
    frz_json_close_object(&out->json);
}

static void write_record(avro_writer *out, const char *name, const frz_manifest_column *columns,
                         size_t count);

/* Of values, or of field summaries. */
static void write_list(avro_writer *out, const frz_manifest_column *column)
{
    frz_json_open_object(&out->json);
    write_type_name(out, "array");
    frz_json_key(&out->json, "items");
    if (column->form == FRZ_FORM_SUMMARIES)
        write_record(out, "r508", frz_summary_columns, frz_summary_column_count);
    else
        frz_json_string(&out->json, form_types[column->form]);
    frz_json_key(&out->json, "element-id");
    frz_json_i64(&out->json, column->item_id);
    frz_json_close_object(&out->json);
}

/* Of the types that no transform gives, only void makes partitions: all null, as bytes. */
static void write_partition_type(frz_avro_types *types, const frz_field *field)
{
    if (field->type->kind == FRZ_TYPE_UNKNOWN || !frz_type_is_primitive(field->type))
        frz_json_string(types->json, "bytes");
    else
        frz_avro_type_write(types, field->type, field->id);
}

static void write_partition(avro_writer *out)
{
    frz_avro_types types = {.json = &out->json};
    frz_json_open_object(&out->json);
    write_type_name(out, "record");
    frz_json_key(&out->json, "name");
    frz_json_string(&out->json, "r102");
    frz_json_key(&out->json, "fields");
    frz_json_open_array(&out->json);
    for (size_t i = 0; i < out->partition->field_count; i++) {
        const frz_field *field = &out->partition->fields[i];
        frz_json_open_object(&out->json);
        frz_avro_name_write(&out->json, field->name);
        frz_json_key(&out->json, "type");
        frz_json_open_array(&out->json);
        frz_json_string(&out->json, "null");
        write_partition_type(&types, field);
        frz_json_close_array(&out->json);
        frz_json_key(&out->json, "default");
        frz_json_null(&out->json);
        frz_json_key(&out->json, "field-id");
        frz_json_i64(&out->json, field->id);
        frz_json_close_object(&out->json);
    }
    frz_json_close_array(&out->json);
    frz_json_close_object(&out->json);
    frz_avro_types_clear(&types);
}

static void write_form(avro_writer *out, const frz_manifest_column *column)
{
    switch (column->form) {
    case FRZ_FORM_INT:
    case FRZ_FORM_LONG:
    case FRZ_FORM_BOOLEAN:
    case FRZ_FORM_STRING:
    case FRZ_FORM_BYTES:
        frz_json_string(&out->json, form_types[column->form]);
        return;
    case FRZ_FORM_LONG_MAP:
    case FRZ_FORM_BYTES_MAP:
        write_map(out, column);
        return;
    case FRZ_FORM_LONG_LIST:
    case FRZ_FORM_INT_LIST:
    case FRZ_FORM_SUMMARIES:
        write_list(out, column);
        return;
    case FRZ_FORM_PARTITION:
        write_partition(out);
        return;
    case FRZ_FORM_DATA_FILE:
        write_record(out, "r2", frz_file_columns, frz_file_column_count);
        return;
    }
}

static void write_field(avro_writer *out, const frz_manifest_column *column)
{
    const bool required = is_required(column, out->version);
    frz_json_open_object(&out->json);
    frz_json_key(&out->json, "name");
    frz_json_string(&out->json, column->name);
    frz_json_key(&out->json, "type");
    if (!required) {
        frz_json_open_array(&out->json);
        frz_json_string(&out->json, "null");
    }
    write_form(out, column);
    if (!required)
        frz_json_close_array(&out->json);
    if (column->doc) {
        frz_json_key(&out->json, "doc");
        frz_json_string(&out->json, column->doc);
    }
    if (!required) {
        frz_json_key(&out->json, "default");
        frz_json_null(&out->json);
    }
    frz_json_key(&out->json, "field-id");
    frz_json_i64(&out->json, column->id);
    frz_json_close_object(&out->json);
}

static void write_record(avro_writer *out, const char *name, const frz_manifest_column *columns,
                         size_t count)
{
    frz_json_open_object(&out->json);
    write_type_name(out, "record");
    frz_json_key(&out->json, "name");
    frz_json_string(&out->json, name);
    frz_json_key(&out->json, "fields");
    frz_json_open_array(&out->json);
    for (size_t i = 0; i < count; i++)
        if (frz_manifest_column_in(&columns[i], out->version))
            write_field(out, &columns[i]);
    frz_json_close_array(&out->json);
    frz_json_close_object(&out->json);
}

void frz_manifest_avro_schema(int format_version, const frz_type *partition, frz_buffer *out)
{
    avro_writer writer = {
        .json = frz_json_writer_to(out, 0), .version = format_version, .partition = partition};
    write_record(&writer, "manifest_entry", frz_entry_columns, frz_entry_column_count);
}

void frz_manifest_list_avro_schema(int format_version, frz_buffer *out)
{
    size_t count = 0;
    const frz_manifest_column *columns = frz_list_columns(format_version, &count);
    avro_writer writer = {.json = frz_json_writer_to(out, 0), .version = format_version};
    write_record(&writer, "manifest_file", columns, count);
}
