#include "spec/manifest_row.h"

#include "base/fail.h"
#include "spec/manifest_schema.h"

/* Deprecated, but required in V1: what Java writes there. */
enum { V1_BLOCK_SIZE = 64 * 1024 * 1024 };

static frz_status refuse(const frz_manifest_row *row, const char *why, frz_error **err)
{
    const frz_slice path = row->entry->file.path;
    return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "file %.*s: %s (format version %d)",
                    (int)(path.size < 4096 ? path.size : 4096),
                    path.size ? (const char *)path.data : "", why, row->format_version);
}

static bool form_suits(frz_value_form form, frz_type_kind kind)
{
    switch (form) {
    case FRZ_VALUE_NULL:
        return true;
    case FRZ_VALUE_BOOLEAN:
        return kind == FRZ_TYPE_BOOLEAN;
    case FRZ_VALUE_INTEGER:
        return kind == FRZ_TYPE_INT || kind == FRZ_TYPE_LONG || kind == FRZ_TYPE_DATE ||
               kind == FRZ_TYPE_TIME || kind == FRZ_TYPE_TIMESTAMP ||
               kind == FRZ_TYPE_TIMESTAMPTZ || kind == FRZ_TYPE_TIMESTAMP_NS ||
               kind == FRZ_TYPE_TIMESTAMPTZ_NS;
    case FRZ_VALUE_NUMBER:
        return kind == FRZ_TYPE_FLOAT || kind == FRZ_TYPE_DOUBLE;
    case FRZ_VALUE_DECIMAL:
        return kind == FRZ_TYPE_DECIMAL;
    case FRZ_VALUE_BYTES:
        return kind == FRZ_TYPE_STRING || kind == FRZ_TYPE_UUID || kind == FRZ_TYPE_FIXED ||
               kind == FRZ_TYPE_BINARY;
    case FRZ_VALUE_STRUCT:
    case FRZ_VALUE_LIST:
        return false;
    }
    return false;
}

static bool value_suits(const frz_value *value, const frz_type *type)
{
    const size_t uuid_size = 16;
    if (!form_suits(value->form, type->kind))
        return false;
    if (value->form == FRZ_VALUE_INTEGER &&
        (type->kind == FRZ_TYPE_INT || type->kind == FRZ_TYPE_DATE))
        return value->integer >= INT32_MIN && value->integer <= INT32_MAX;
    if (value->form == FRZ_VALUE_DECIMAL)
        return frz_decimal_fits(value->decimal, type->precision);
    if (value->form == FRZ_VALUE_BYTES && type->kind == FRZ_TYPE_UUID)
        return value->bytes.size == uuid_size;
    if (value->form == FRZ_VALUE_BYTES && type->kind == FRZ_TYPE_FIXED)
        return value->bytes.size == (size_t)type->length;
    return true;
}

static frz_status check_partition(const frz_manifest_row *row, frz_error **err)
{
    const frz_data_file *file = &row->entry->file;
    if (file->partition_count != row->partition->field_count)
        return refuse(row, "it has another number of partition values than its spec has fields",
                      err);
    for (size_t i = 0; i < file->partition_count; i++)
        if (!value_suits(&file->partition[i], row->partition->fields[i].type))
            return refuse(row, "a partition value is not of its field's type", err);
    return FRZ_OK;
}

static frz_status check_position_deletes(const frz_manifest_row *row, frz_error **err)
{
    const frz_data_file *file = &row->entry->file;
    const bool vector = file->format == FRZ_FORMAT_PUFFIN;
    if (vector && row->format_version < 3)
        return refuse(row, "deletion vectors need format version 3", err);
    if (vector && (file->referenced_data_file.size == 0 || file->content_offset < 0 ||
                   file->content_size < 0))
        return refuse(row, "a deletion vector needs its data file, offset and size", err);
    /* Appendix E, Version 3: old ones stay valid, new ones are not allowed. */
    if (!vector && row->format_version >= 3 && row->entry->status == FRZ_ENTRY_ADDED)
        return refuse(row, "position delete files may not be added any more", err);
    return FRZ_OK;
}

static frz_status check_content(const frz_manifest_row *row, frz_error **err)
{
    const frz_data_file *file = &row->entry->file;
    if ((file->content == FRZ_CONTENT_DATA) != (row->content == 0))
        return refuse(row, "data and delete files are kept in manifests of their own", err);
    switch (file->content) {
    case FRZ_CONTENT_DATA:
        return FRZ_OK;
    case FRZ_CONTENT_POSITION_DELETES:
        return check_position_deletes(row, err);
    case FRZ_CONTENT_EQUALITY_DELETES:
        return file->equality_id_count
                   ? FRZ_OK
                   : refuse(row, "an equality delete file needs equality ids", err);
    }
    return FRZ_OK;
}

frz_status frz_manifest_row_check(const frz_manifest_row *row, frz_error **err)
{
    const frz_manifest_entry *entry = row->entry;
    if (entry->file.path.size == 0 || entry->file.format_text.size == 0)
        return refuse(row, "it has no path or no format", err);
    if (entry->file.record_count < 0 || entry->file.file_size < 0)
        return refuse(row, "its record count or size is negative", err);
    /* Spec "Sequence Number Inheritance": an entry that is not new would inherit a wrong, newer
     * number. */
    if (entry->status != FRZ_ENTRY_ADDED && row->format_version > 1 && entry->sequence_number < 0)
        return refuse(row, "an existing or deleted entry needs its sequence number", err);
    if (entry->status == FRZ_ENTRY_EXISTING && entry->snapshot_id == FRZ_NO_SNAPSHOT)
        return refuse(row, "an existing entry needs the snapshot that added it", err);
    FRZ_TRY(check_content(row, err));
    return check_partition(row, err);
}

static void append_or_null(frz_arrow_builder *builder, int64_t value)
{
    if (value >= 0)
        frz_arrow_append_i64(builder, value);
    else
        frz_arrow_append_null(builder);
}

static void append_bytes(frz_arrow_builder *builder, frz_slice bytes)
{
    if (bytes.size)
        frz_arrow_append_bytes(builder, bytes);
    else
        frz_arrow_append_null(builder);
}

static void append_value(frz_arrow_builder *builder, const frz_value *value)
{
    switch (value->form) {
    case FRZ_VALUE_BOOLEAN:
        frz_arrow_append_bool(builder, value->boolean);
        return;
    case FRZ_VALUE_INTEGER:
        frz_arrow_append_i64(builder, value->integer);
        return;
    case FRZ_VALUE_NUMBER:
        frz_arrow_append_f64(builder, value->number);
        return;
    case FRZ_VALUE_DECIMAL:
        frz_arrow_append_decimal(builder, value->decimal);
        return;
    case FRZ_VALUE_BYTES:
        frz_arrow_append_bytes(builder, value->bytes);
        return;
    case FRZ_VALUE_NULL:
    case FRZ_VALUE_STRUCT:
    case FRZ_VALUE_LIST:
        frz_arrow_append_null(builder);
        return;
    }
}

static void append_partition(frz_arrow_builder *builder, const frz_data_file *file)
{
    for (size_t i = 0; i < file->partition_count; i++)
        append_value(frz_arrow_builder_child(builder, i), &file->partition[i]);
    frz_arrow_append_struct(builder);
}

static int64_t metric_count(const frz_column_metrics *metrics, int32_t id)
{
    switch (id) {
    case FRZ_FILE_ID_COLUMN_SIZES:
        return metrics->column_size;
    case FRZ_FILE_ID_VALUE_COUNTS:
        return metrics->value_count;
    case FRZ_FILE_ID_NULL_VALUE_COUNTS:
        return metrics->null_count;
    default:
        return metrics->nan_count;
    }
}

/* One of the maps by field id; null where nothing is known, which readers never take for zero. */
static void append_metrics(frz_arrow_builder *builder, int32_t id, const frz_data_file *file)
{
    frz_arrow_builder *items = frz_arrow_builder_child(builder, 0);
    size_t count = 0;
    for (size_t i = 0; i < file->column_count; i++) {
        const frz_column_metrics *metrics = &file->columns[i];
        const bool lower = id == FRZ_FILE_ID_LOWER_BOUNDS;
        const bool bound = lower || id == FRZ_FILE_ID_UPPER_BOUNDS;
        const int64_t value = bound ? -1 : metric_count(metrics, id);
        if (bound ? !(lower ? metrics->has_lower : metrics->has_upper) : value < 0)
            continue;
        frz_arrow_append_i64(frz_arrow_builder_child(items, 0), metrics->field_id);
        if (bound)
            frz_arrow_append_bytes(frz_arrow_builder_child(items, 1),
                                   lower ? metrics->lower : metrics->upper);
        else
            frz_arrow_append_i64(frz_arrow_builder_child(items, 1), value);
        frz_arrow_append_struct(items);
        count++;
    }
    if (count)
        frz_arrow_append_list(builder);
    else
        frz_arrow_append_null(builder);
}

static void append_split_offsets(frz_arrow_builder *builder, const frz_data_file *file)
{
    for (size_t i = 0; i < file->split_offset_count; i++)
        frz_arrow_append_i64(frz_arrow_builder_child(builder, 0), file->split_offsets[i]);
    if (file->split_offset_count)
        frz_arrow_append_list(builder);
    else
        frz_arrow_append_null(builder);
}

static void append_equality_ids(frz_arrow_builder *builder, const frz_data_file *file)
{
    const bool has = file->content == FRZ_CONTENT_EQUALITY_DELETES;
    for (size_t i = 0; has && i < file->equality_id_count; i++)
        frz_arrow_append_i64(frz_arrow_builder_child(builder, 0), file->equality_ids[i]);
    if (has)
        frz_arrow_append_list(builder);
    else
        frz_arrow_append_null(builder);
}

static void append_file_column(frz_arrow_builder *builder, int32_t id, const frz_data_file *file)
{
    switch (id) {
    case FRZ_FILE_ID_CONTENT:
        frz_arrow_append_i64(builder, file->content);
        return;
    case FRZ_FILE_ID_FILE_PATH:
        frz_arrow_append_bytes(builder, file->path);
        return;
    case FRZ_FILE_ID_FILE_FORMAT:
        frz_arrow_append_bytes(builder, file->format_text);
        return;
    case FRZ_FILE_ID_PARTITION:
        append_partition(builder, file);
        return;
    case FRZ_FILE_ID_RECORD_COUNT:
        frz_arrow_append_i64(builder, file->record_count);
        return;
    case FRZ_FILE_ID_FILE_SIZE:
        frz_arrow_append_i64(builder, file->file_size);
        return;
    case FRZ_FILE_ID_BLOCK_SIZE:
        frz_arrow_append_i64(builder, V1_BLOCK_SIZE);
        return;
    case FRZ_FILE_ID_KEY_METADATA:
        append_bytes(builder, file->key_metadata);
        return;
    case FRZ_FILE_ID_SPLIT_OFFSETS:
        append_split_offsets(builder, file);
        return;
    case FRZ_FILE_ID_EQUALITY_IDS:
        append_equality_ids(builder, file);
        return;
    case FRZ_FILE_ID_SORT_ORDER_ID: /* note 3: null for position deletes */
        append_or_null(builder,
                       file->content == FRZ_CONTENT_POSITION_DELETES ? -1 : file->sort_order_id);
        return;
    case FRZ_FILE_ID_FIRST_ROW_ID: /* always null for delete files */
        append_or_null(builder, file->content == FRZ_CONTENT_DATA ? file->first_row_id : -1);
        return;
    case FRZ_FILE_ID_REFERENCED_DATA_FILE:
        append_bytes(builder, file->referenced_data_file);
        return;
    case FRZ_FILE_ID_CONTENT_OFFSET:
        append_or_null(builder, file->content_offset);
        return;
    case FRZ_FILE_ID_CONTENT_SIZE:
        append_or_null(builder, file->content_size);
        return;
    default:
        append_metrics(builder, id, file);
        return;
    }
}

static void append_file(frz_arrow_builder *builder, const frz_manifest_row *row)
{
    size_t child = 0;
    for (size_t i = 0; i < frz_file_column_count; i++)
        if (frz_manifest_column_in(&frz_file_columns[i], row->format_version))
            append_file_column(frz_arrow_builder_child(builder, child++), frz_file_columns[i].id,
                               &row->entry->file);
    frz_arrow_append_struct(builder);
}

static void append_entry_column(frz_arrow_builder *builder, int32_t id, const frz_manifest_row *row)
{
    const frz_manifest_entry *entry = row->entry;
    switch (id) {
    case FRZ_ENTRY_ID_STATUS:
        frz_arrow_append_i64(builder, entry->status);
        return;
    case FRZ_ENTRY_ID_SNAPSHOT_ID:
        frz_arrow_append_i64(builder, entry->status == FRZ_ENTRY_EXISTING ? entry->snapshot_id
                                                                          : row->snapshot_id);
        return;
    case FRZ_ENTRY_ID_SEQUENCE_NUMBER:
        append_or_null(builder, entry->sequence_number);
        return;
    case FRZ_ENTRY_ID_FILE_SEQUENCE_NUMBER: /* that of a new file is the commit's, always */
        append_or_null(builder,
                       entry->status == FRZ_ENTRY_ADDED ? -1 : entry->file_sequence_number);
        return;
    default:
        append_file(builder, row);
        return;
    }
}

void frz_manifest_row_append(const frz_manifest_row *row, frz_arrow_builder *builder)
{
    size_t child = 0;
    for (size_t i = 0; i < frz_entry_column_count; i++)
        if (frz_manifest_column_in(&frz_entry_columns[i], row->format_version))
            append_entry_column(frz_arrow_builder_child(builder, child++), frz_entry_columns[i].id,
                                row);
    frz_arrow_append_struct(builder);
}
