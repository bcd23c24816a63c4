#include "scan/absent.h"

#include "base/fail.h"
#include "scan/constant.h"

/* The value of the field's identity partition, also where nobody knows it; NULL: there is none. */
static const frz_value *identity_value(const frz_scan *scan, const frz_data_file *file,
                                       int32_t field_id)
{
    const frz_partition_spec *spec = frz_metadata_find_spec(scan->metadata, file->spec_id);
    for (size_t i = 0; spec && i < spec->field_count && i < file->partition_count; i++) {
        const frz_partition_field *part = &spec->fields[i];
        if (part->transform.kind == FRZ_TRANSFORM_IDENTITY && part->source_count == 1 &&
            part->source_ids[0] == field_id)
            return &file->partition[i];
    }
    return NULL;
}

bool frz_partition_constant(const frz_scan *scan, const frz_data_file *file, int32_t field_id,
                            frz_value *out)
{
    const frz_value *value = identity_value(scan, file, field_id);
    if (!value || file->partition_unknown)
        return false;
    *out = *value;
    return true;
}

static bool holds_constant(const frz_scan *scan, const frz_data_file *file, const frz_type *type)
{
    frz_value value = {0};
    if (type->kind != FRZ_TYPE_STRUCT)
        return false;
    for (size_t i = 0; i < type->field_count; i++)
        if (frz_partition_constant(scan, file, type->fields[i].id, &value) ||
            holds_constant(scan, file, type->fields[i].type))
            return true;
    return false;
}

static frz_status copy_with_constants(const frz_scan *scan, const frz_data_file *file,
                                      const frz_type *type, frz_arena *arena, const frz_type **out,
                                      frz_error **err)
{
    *out = type;
    if (!holds_constant(scan, file, type))
        return FRZ_OK;
    frz_type *copy = frz_arena_alloc(arena, sizeof *copy);
    frz_field *fields = frz_arena_array(arena, type->field_count, sizeof *fields);
    frz_value *values = frz_arena_array(arena, type->field_count, sizeof *values);
    if (!copy || !fields || !values)
        return frz_fail_memory(err);
    for (size_t i = 0; i < type->field_count; i++) {
        fields[i] = type->fields[i];
        FRZ_TRY(copy_with_constants(scan, file, type->fields[i].type, arena, &fields[i].type, err));
        if (frz_partition_constant(scan, file, fields[i].id, &values[i]))
            fields[i].initial_default = values[i].form == FRZ_VALUE_NULL ? NULL : &values[i];
    }
    *copy = *type;
    copy->fields = fields;
    *out = copy;
    return FRZ_OK;
}

frz_status frz_partition_defaults(const frz_scan *scan, const frz_data_file *file,
                                  const frz_field *field, frz_arena *arena, const frz_field **out,
                                  frz_error **err)
{
    const frz_type *type = NULL;
    FRZ_TRY(copy_with_constants(scan, file, field->type, arena, &type, err));
    if (type == field->type) {
        *out = field;
        return FRZ_OK;
    }
    frz_field *copy = frz_arena_alloc(arena, sizeof *copy);
    if (!copy)
        return frz_fail_memory(err);
    *copy = *field;
    copy->type = type;
    *out = copy;
    return FRZ_OK;
}

frz_status frz_absent_value(const frz_scan *scan, const frz_data_file *file, const frz_field *field,
                            const char *path, frz_value *out, frz_error **err)
{
    static const frz_value null_value = {.form = FRZ_VALUE_NULL};
    if (file->partition_unknown && identity_value(scan, file, field->id))
        return frz_fail(
            err, FRZ_CORRUPT, FRZ_NO_OFFSET,
            "column %s: it is not in the file, and its value in partition spec %d is not "
            "known",
            path, file->spec_id);
    if (!frz_partition_constant(scan, file, field->id, out))
        *out = field->initial_default ? *field->initial_default : null_value;
    return frz_constant_check(field, out, path, err);
}
