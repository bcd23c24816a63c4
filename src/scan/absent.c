#include "scan/absent.h"

#include "base/fail.h"

bool frz_partition_constant(const frz_scan *scan, const frz_data_file *file, int32_t field_id,
                            frz_value *out)
{
    const frz_partition_spec *spec = frz_metadata_find_spec(scan->metadata, file->spec_id);
    for (size_t i = 0; spec && i < spec->field_count && i < file->partition_count; i++) {
        const frz_partition_field *part = &spec->fields[i];
        if (part->transform.kind == FRZ_TRANSFORM_IDENTITY && part->source_count == 1 &&
            part->source_ids[0] == field_id) {
            *out = file->partition[i];
            return true;
        }
    }
    return false;
}

frz_status frz_absent_value(const frz_scan *scan, const frz_data_file *file, const frz_field *field,
                            const char *path, frz_value *out, frz_error **err)
{
    static const frz_value null_value = {.form = FRZ_VALUE_NULL};
    if (!frz_partition_constant(scan, file, field->id, out))
        *out = field->initial_default ? *field->initial_default : null_value;
    if (out->form == FRZ_VALUE_NULL && field->required)
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                        "required column %s is not in the file and has no initial default", path);
    return FRZ_OK;
}
