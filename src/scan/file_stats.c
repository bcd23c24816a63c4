#include "scan/file_stats.h"

static frz_value integer_value(int64_t integer)
{
    return (frz_value){.form = FRZ_VALUE_INTEGER, .integer = integer};
}

static void set_constant(const frz_value *value, frz_column_stats *out)
{
    const bool null = value->form == FRZ_VALUE_NULL;
    out->absent_constant = true;
    out->has_lower = !null;
    out->has_upper = !null;
    out->lower = *value;
    out->upper = *value;
}

/* _partition.name: the field of the file's own spec with that id; null when its spec has none. */
static bool partition_stats(const frz_file_stats *stats, const frz_reference *reference,
                            frz_column_stats *out)
{
    static const frz_value null_value = {.form = FRZ_VALUE_NULL};
    const frz_data_file *file = &stats->entry->file;
    const frz_partition_spec *spec = frz_metadata_find_spec(stats->scan->metadata, file->spec_id);
    if (!spec || reference->step_count != 2 || file->partition_unknown)
        return false;
    const frz_value *value = &null_value;
    for (size_t i = 0; i < spec->field_count && i < file->partition_count; i++)
        if (spec->fields[i].field_id == reference->field_id)
            value = &file->partition[i];
    set_constant(value, out);
    return true;
}

static bool metadata_stats(const frz_file_stats *stats, const frz_reference *reference,
                           frz_column_stats *out)
{
    const frz_manifest_entry *entry = stats->entry;
    frz_value value = {.form = FRZ_VALUE_BYTES, .bytes = entry->file.path};
    switch (reference->steps[0].field_id) {
    case FRZ_FIELD_ID_FILE:
        set_constant(&value, out);
        return true;
    case FRZ_FIELD_ID_SPEC_ID:
        value = integer_value(entry->file.spec_id);
        set_constant(&value, out);
        return true;
    case FRZ_FIELD_ID_POS:
        out->value_count = entry->file.record_count;
        out->null_count = 0;
        out->has_lower = true;
        out->has_upper = true;
        out->lower = integer_value(0);
        out->upper = integer_value(entry->file.record_count - 1);
        return true;
    case FRZ_FIELD_ID_LAST_UPDATED_SEQUENCE_NUMBER:
        /* Stored values are older than the commit that wrote the file; null ones inherit its
         * number. */
        out->has_upper = true;
        out->upper = integer_value(entry->sequence_number);
        return true;
    case FRZ_FIELD_ID_PARTITION:
        return partition_stats(stats, reference, out);
    default:
        return false;
    }
}

bool frz_file_stats_source(void *context, const frz_reference *reference, frz_column_stats *out)
{
    const frz_file_stats *stats = context;
    *out = (frz_column_stats){.value_count = -1, .null_count = -1, .nan_count = -1};
    if (reference->steps[0].field_id > FRZ_FIELD_ID_MAX)
        return metadata_stats(stats, reference, out);
    if (!reference->direct)
        return false;

    const frz_column_metrics *metrics =
        frz_data_file_metrics(&stats->entry->file, reference->field_id);
    if (!metrics)
        return false;
    out->value_count = metrics->value_count;
    out->null_count = metrics->null_count;
    out->nan_count = metrics->nan_count;
    /* A bound that cannot be decoded is no bound (design rule 3). */
    out->has_lower =
        metrics->has_lower &&
        frz_value_decode(reference->type, metrics->lower, &out->lower, NULL) == FRZ_OK &&
        !frz_value_is_nan(&out->lower);
    out->has_upper =
        metrics->has_upper &&
        frz_value_decode(reference->type, metrics->upper, &out->upper, NULL) == FRZ_OK &&
        !frz_value_is_nan(&out->upper);
    return true;
}

bool frz_same_partition(const frz_data_file *a, const frz_data_file *b)
{
    if (a->spec_id != b->spec_id || a->partition_count != b->partition_count)
        return false;
    for (size_t i = 0; i < a->partition_count; i++)
        if (!frz_value_same(&a->partition[i], &b->partition[i]))
            return false;
    return true;
}
