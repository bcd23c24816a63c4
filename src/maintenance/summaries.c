#include "maintenance/summaries.h"

#include "base/fail.h"
#include "base/mem.h"

struct frz_summary_bounds {
    bool has_lower;
    bool has_upper;
    frz_value lower;
    frz_value upper;
};

static bool is_known(const frz_summary_check *self, size_t field)
{
    return self->spec->fields[field].transform.kind != FRZ_TRANSFORM_UNKNOWN &&
           frz_type_is_primitive(self->type->fields[field].type);
}

static frz_status decode_bounds(frz_summary_check *self, const frz_manifest_record *record,
                                size_t field, frz_error **err)
{
    const frz_field_summary *summary = &self->source->partitions[field];
    struct frz_summary_bounds *out = &self->bounds[field];
    const frz_type *type = self->type->fields[field].type;
    const frz_place place = frz_place_of_manifest(record);
    out->has_lower = summary->has_lower;
    out->has_upper = summary->has_upper;
    if ((!summary->has_lower ||
         frz_value_decode(type, summary->lower, &out->lower, NULL) == FRZ_OK) &&
        (!summary->has_upper ||
         frz_value_decode(type, summary->upper, &out->upper, NULL) == FRZ_OK))
        return FRZ_OK;
    self->failed = true;
    return frz_report_add(self->verification->report, FRZ_RULE_MANIFEST_PARTITIONS, &place,
                          frz_report_text(self->verification->report, "bounds of %s as %s",
                                          self->spec->fields[field].name,
                                          frz_type_word(type->kind)),
                          "bytes that are none", err);
}

frz_status frz_summary_check_open(frz_summary_check *self, frz_verification *verification,
                                  const frz_manifest_record *record, frz_error **err)
{
    const frz_manifest_file *source = &record->file;
    *self = (frz_summary_check){.verification = verification, .source = source};
    self->spec = frz_metadata_find_spec(verification->metadata, source->spec_id);
    self->type = frz_metadata_partition_type(verification->metadata, source->spec_id);
    if (!source->partitions || !self->spec || source->partition_count != self->spec->field_count)
        return FRZ_OK;
    self->bounds = frz_alloc_array(source->partition_count, sizeof *self->bounds);
    if (!self->bounds)
        return frz_fail_memory(err);
    for (size_t i = 0; i < source->partition_count && !self->failed; i++)
        if (is_known(self, i))
            FRZ_TRY(decode_bounds(self, record, i, err));
    return FRZ_OK;
}

void frz_summary_check_close(frz_summary_check *self)
{
    frz_free(self->bounds);
    self->bounds = NULL;
}

/* What the summary lacks to hold the value; NULL when it holds it. Without bounds there is no value
 * that is neither null nor NaN. */
static const char *missing(const frz_field_summary *summary,
                           const struct frz_summary_bounds *bounds, const frz_value *value)
{
    if (value->form == FRZ_VALUE_NULL)
        return summary->contains_null ? NULL : "contains_null";
    if (frz_value_is_nan(value))
        return summary->contains_nan != 0 ? NULL : "contains_nan";
    if (!bounds->has_lower || frz_value_compare(&bounds->lower, value) > 0)
        return "a lower_bound at most the entry's value";
    if (!bounds->has_upper || frz_value_compare(&bounds->upper, value) < 0)
        return "an upper_bound at least the entry's value";
    return NULL;
}

frz_status frz_summary_check_entry(frz_summary_check *self, const frz_entry_place *at,
                                   const frz_data_file *file, frz_error **err)
{
    for (size_t i = 0; self->bounds && !self->failed && i < file->partition_count; i++) {
        const frz_place place = frz_place_of_entry(at, file->path);
        const frz_value *value = &file->partition[i];
        if (!is_known(self, i) || !frz_value_fits(self->type->fields[i].type, value))
            continue;
        const char *lacks = missing(&self->source->partitions[i], &self->bounds[i], value);
        if (!lacks)
            continue;
        self->failed = true;
        frz_buffer text = {0};
        frz_value_print(self->type->fields[i].type, value, &text);
        const frz_status status =
            text.failed
                ? frz_fail_memory(err)
                : frz_report_add(self->verification->report, FRZ_RULE_MANIFEST_PARTITIONS, &place,
                                 frz_report_text(self->verification->report, "%s of %s", lacks,
                                                 self->spec->fields[i].name),
                                 frz_report_text(self->verification->report, "%.*s", (int)text.size,
                                                 (const char *)text.data),
                                 err);
        frz_buffer_clear(&text);
        FRZ_TRY(status);
    }
    return FRZ_OK;
}
