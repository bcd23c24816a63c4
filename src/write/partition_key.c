#include "write/partition_key.h"

#include "base/fail.h"

frz_status frz_partition_bind(const frz_partition_spec *spec, const frz_type *root,
                              frz_arena *arena, frz_bound_transform **out, frz_error **err)
{
    frz_bound_transform *fields = frz_arena_array(arena, spec->field_count + 1, sizeof *fields);
    if (!fields)
        return frz_fail_memory(err);
    for (size_t i = 0; i < spec->field_count; i++) {
        const frz_partition_field *field = &spec->fields[i];
        fields[i].transform = &field->transform;
        if (field->transform.kind == FRZ_TRANSFORM_VOID)
            continue;
        if (field->transform.kind == FRZ_TRANSFORM_UNKNOWN || field->source_count != 1)
            return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                            "partition field %s: transform %s is read but not written", field->name,
                            field->transform.text);
        fields[i].present = frz_column_path_find(root, field->source_ids[0], &fields[i].source);
    }
    *out = fields;
    return FRZ_OK;
}

frz_status frz_partition_tuple(const frz_bound_transform *fields, size_t count,
                               const struct ArrowArray *batch, int64_t row, frz_arena *scratch,
                               frz_value *out, frz_error **err)
{
    for (size_t i = 0; i < count; i++) {
        frz_value value = {.form = FRZ_VALUE_NULL};
        if (fields[i].present)
            frz_column_path_value(&fields[i].source, batch, row, &value);
        out[i] = value;
        if (value.form != FRZ_VALUE_NULL)
            FRZ_TRY(frz_transform_apply(fields[i].transform, fields[i].source.type, &value, scratch,
                                        &out[i], err));
    }
    return FRZ_OK;
}
