#include "maintenance/entries.h"

#include <inttypes.h>

#include "base/fail.h"

/* An entry as it is checked. */
typedef struct entry_check {
    frz_verification *verification;
    const frz_manifest_file *source;
    const frz_manifest_entry *entry;
    const frz_data_file *file;
    frz_place place;
} entry_check;

frz_place frz_place_of_entry(const frz_entry_place *at, frz_slice path)
{
    frz_place place = frz_place_of_manifest(at->manifest);
    place.entry = (int64_t)at->index;
    place.path = path;
    return place;
}

static frz_status add(const entry_check *self, frz_rule rule, const char *expected,
                      const char *found, frz_error **err)
{
    return frz_report_add(self->verification->report, rule, &self->place, expected, found, err);
}

#define TEXT(...) frz_report_text(self->verification->report, __VA_ARGS__)

/* "Sequence Number Inheritance"; the file sequence number is that of the commit that added the
 * file, the data sequence number at most that. */
static frz_status check_sequence(const entry_check *self, frz_error **err)
{
    const frz_manifest_entry *entry = self->entry;
    const int64_t of_manifest = self->source->sequence_number;
    if (entry->status != FRZ_ENTRY_DELETED && entry->sequence_number < 0)
        return add(self, FRZ_RULE_ENTRY_SEQUENCE, "a sequence_number", "null", err);
    if (entry->sequence_number > of_manifest)
        return add(self, FRZ_RULE_ENTRY_SEQUENCE,
                   TEXT("sequence_number at most %" PRId64 ", its manifest's", of_manifest),
                   TEXT("%" PRId64, entry->sequence_number), err);
    if (entry->file_sequence_number > of_manifest)
        return add(self, FRZ_RULE_ENTRY_SEQUENCE,
                   TEXT("file_sequence_number at most %" PRId64 ", its manifest's", of_manifest),
                   TEXT("%" PRId64, entry->file_sequence_number), err);
    if (entry->file_sequence_number >= 0 && entry->sequence_number > entry->file_sequence_number)
        return add(self, FRZ_RULE_ENTRY_SEQUENCE,
                   TEXT("sequence_number at most the file_sequence_number %" PRId64,
                        entry->file_sequence_number),
                   TEXT("%" PRId64, entry->sequence_number), err);
    return FRZ_OK;
}

static frz_status check_snapshot(const entry_check *self, frz_error **err)
{
    const int64_t made_by = self->source->added_snapshot_id;
    if (self->entry->status == FRZ_ENTRY_EXISTING || made_by == FRZ_NO_SNAPSHOT ||
        self->entry->snapshot_id == made_by)
        return FRZ_OK;
    return add(self, FRZ_RULE_ENTRY_SNAPSHOT,
               TEXT("snapshot_id %" PRId64 ", which made the manifest", made_by),
               TEXT("%" PRId64 " in %s entry", self->entry->snapshot_id,
                    self->entry->status == FRZ_ENTRY_ADDED ? "an ADDED" : "a DELETED"),
               err);
}

static frz_status check_format(const entry_check *self, frz_error **err)
{
    const frz_data_file *file = self->file;
    if (file->format == FRZ_FORMAT_OTHER)
        return add(
            self, FRZ_RULE_ENTRY_FORMAT, "parquet, avro, orc or puffin",
            TEXT("\"%.*s\"", (int)file->format_text.size, (const char *)file->format_text.data),
            err);
    if (file->format == FRZ_FORMAT_PUFFIN && file->content != FRZ_CONTENT_POSITION_DELETES)
        return add(self, FRZ_RULE_ENTRY_FORMAT, "Puffin for deletion vectors alone",
                   file->content == FRZ_CONTENT_DATA ? "a data file" : "an equality delete file",
                   err);
    return FRZ_OK;
}

/* "Deletion Vectors". */
static frz_status check_vector(const entry_check *self, frz_error **err)
{
    const frz_data_file *file = self->file;
    if (frz_entry_kind_of(file) != FRZ_KIND_VECTOR)
        return FRZ_OK;
    if (self->verification->metadata->format_version < 3)
        return add(
            self, FRZ_RULE_ENTRY_VECTOR, "no deletion vector before format version 3",
            TEXT("one in a table of version %d", (int)self->verification->metadata->format_version),
            err);
    if (file->content_offset > file->file_size ||
        file->content_size > file->file_size - file->content_offset)
        return add(
            self, FRZ_RULE_ENTRY_VECTOR,
            TEXT("a blob within the %" PRId64 " bytes of the file", file->file_size),
            TEXT("%" PRId64 " bytes from %" PRId64, file->content_size, file->content_offset), err);
    return FRZ_OK;
}

static const frz_field *find_column(const frz_metadata *metadata, int32_t id)
{
    const frz_field *field = frz_schema_find_id(frz_metadata_schema(metadata), id);
    for (size_t i = metadata->schema_count; !field && i > 0; i--)
        field = frz_schema_find_id(metadata->schemas[i - 1], id);
    return field;
}

static frz_status check_equality_ids(const entry_check *self, frz_error **err)
{
    for (size_t i = 0; i < self->file->equality_id_count; i++) {
        const int32_t id = self->file->equality_ids[i];
        if (self->file->content == FRZ_CONTENT_EQUALITY_DELETES &&
            !find_column(self->verification->metadata, id))
            FRZ_TRY(add(self, FRZ_RULE_ENTRY_EQUALITY_IDS, "equality_ids of columns of the table",
                        TEXT("%" PRId32, id), err));
    }
    return FRZ_OK;
}

static frz_status check_partition(const entry_check *self, frz_error **err)
{
    const frz_metadata *metadata = self->verification->metadata;
    const frz_partition_spec *spec = frz_metadata_find_spec(metadata, self->file->spec_id);
    const frz_type *type = frz_metadata_partition_type(metadata, self->file->spec_id);
    for (size_t i = 0; spec && type && i < self->file->partition_count; i++) {
        const frz_partition_field *field = &spec->fields[i];
        const frz_value *value = &self->file->partition[i];
        if (value->form == FRZ_VALUE_NULL || field->transform.kind == FRZ_TRANSFORM_UNKNOWN)
            continue;
        if (field->transform.kind == FRZ_TRANSFORM_BUCKET &&
            (value->integer < 0 || value->integer >= field->transform.parameter))
            FRZ_TRY(add(self, FRZ_RULE_ENTRY_PARTITION,
                        TEXT("%s below %" PRId32, field->name, field->transform.parameter),
                        TEXT("%" PRId64, value->integer), err));
        if (!frz_value_fits(type->fields[i].type, value))
            FRZ_TRY(
                add(self, FRZ_RULE_ENTRY_PARTITION,
                    TEXT("%s of type %s", field->name, frz_type_word(type->fields[i].type->kind)),
                    "a value of another type", err));
    }
    return FRZ_OK;
}

static frz_status check_sort_order(const entry_check *self, frz_error **err)
{
    const int32_t id = self->file->sort_order_id;
    if (id <= 0 || frz_metadata_find_sort_order(self->verification->metadata, id))
        return FRZ_OK;
    return add(self, FRZ_RULE_ENTRY_SORT_ORDER, "a sort order of the table",
               TEXT("sort_order_id %" PRId32, id), err);
}

static frz_status check_split_offsets(const entry_check *self, frz_error **err)
{
    const frz_data_file *file = self->file;
    for (size_t i = 0; i < file->split_offset_count; i++) {
        const int64_t before = i ? file->split_offsets[i - 1] : -1;
        if (file->split_offsets[i] <= before || file->split_offsets[i] >= file->file_size)
            return add(self, FRZ_RULE_ENTRY_SPLIT_OFFSETS,
                       TEXT("offsets that ascend within %" PRId64 " bytes", file->file_size),
                       TEXT("%" PRId64 " behind %" PRId64, file->split_offsets[i], before), err);
    }
    return FRZ_OK;
}

static frz_status check_counts(const entry_check *self, const frz_column_metrics *metrics,
                               frz_error **err)
{
    const int64_t values = metrics->value_count;
    const int64_t nulls = metrics->null_count < 0 ? 0 : metrics->null_count;
    const int64_t nans = metrics->nan_count < 0 ? 0 : metrics->nan_count;
    if (values >= 0 && (nulls > values || nans > values - nulls))
        return add(self, FRZ_RULE_ENTRY_METRICS,
                   TEXT("nulls and NaNs of column %" PRId32 " among its %" PRId64 " values",
                        metrics->field_id, values),
                   TEXT("%" PRId64 " and %" PRId64, nulls, nans), err);
    return FRZ_OK;
}

static frz_status check_bounds(const entry_check *self, const frz_column_metrics *metrics,
                               const frz_type *type, frz_error **err)
{
    frz_value lower = {0};
    frz_value upper = {0};
    if (!frz_type_is_primitive(type) || type->kind == FRZ_TYPE_GEOMETRY ||
        type->kind == FRZ_TYPE_GEOGRAPHY || type->kind == FRZ_TYPE_UNKNOWN)
        return FRZ_OK;
    if ((metrics->has_lower && frz_value_decode(type, metrics->lower, &lower, NULL) != FRZ_OK) ||
        (metrics->has_upper && frz_value_decode(type, metrics->upper, &upper, NULL) != FRZ_OK))
        return add(
            self, FRZ_RULE_ENTRY_METRICS,
            TEXT("bounds of column %" PRId32 " as %s", metrics->field_id,
                 frz_type_word(type->kind)),
            TEXT("%zu and %zu bytes that are none", metrics->lower.size, metrics->upper.size), err);
    if (metrics->has_lower && metrics->has_upper && !frz_value_is_nan(&lower) &&
        !frz_value_is_nan(&upper) && frz_value_compare(&lower, &upper) > 0)
        return add(
            self, FRZ_RULE_ENTRY_METRICS,
            TEXT("lower bound of column %" PRId32 " at most its upper one", metrics->field_id),
            "a greater one", err);
    return FRZ_OK;
}

static frz_status check_metrics(const entry_check *self, frz_error **err)
{
    const frz_metadata *metadata = self->verification->metadata;
    for (size_t i = 0; i < self->file->column_count; i++) {
        const frz_column_metrics *metrics = &self->file->columns[i];
        const frz_field *field = find_column(metadata, metrics->field_id);
        FRZ_TRY(check_counts(self, metrics, err));
        if (field)
            FRZ_TRY(check_bounds(self, metrics, field->type, err));
    }
    return FRZ_OK;
}

frz_status frz_verify_entry(frz_verification *verification, const frz_entry_place *at,
                            const frz_manifest_entry *entry, frz_error **err)
{
    const entry_check self = {.verification = verification,
                              .source = &at->manifest->file,
                              .entry = entry,
                              .file = &entry->file,
                              .place = frz_place_of_entry(at, entry->file.path)};
    FRZ_TRY(check_sequence(&self, err));
    FRZ_TRY(check_snapshot(&self, err));
    if (entry->status == FRZ_ENTRY_DELETED)
        return FRZ_OK; /* readers use nothing else of it */
    FRZ_TRY(check_format(&self, err));
    FRZ_TRY(check_vector(&self, err));
    FRZ_TRY(check_equality_ids(&self, err));
    FRZ_TRY(check_partition(&self, err));
    FRZ_TRY(check_sort_order(&self, err));
    FRZ_TRY(check_split_offsets(&self, err));
    return check_metrics(&self, err);
}
