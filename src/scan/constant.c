#include "scan/constant.h"

#include "arrow/array.h"
#include "arrow/builder.h"
#include "base/fail.h"
#include "base/mem.h"
#include "spec/value_arrow.h"

frz_status frz_constant_array(const frz_type *type, const frz_value *value, int64_t length,
                              struct ArrowArray *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    struct ArrowSchema schema = {0};
    frz_arrow_builder *builder = NULL;
    const frz_field field = {.id = 1, .name = "", .type = type};

    FRZ_TRY(frz_type_to_arrow(&field, &schema, err));
    if (value->form == FRZ_VALUE_NULL) {
        status = frz_arrow_array_nulls(&schema, length, out, err);
        goto done;
    }
    FRZ_TRY_DONE(frz_arrow_builder_new(&schema, &builder, err));
    for (int64_t i = 0; i < length; i++)
        frz_value_append(type, value, builder);
    FRZ_TRY_DONE(frz_arrow_builder_finish(builder, out, err));

done:
    frz_arrow_builder_free(builder);
    frz_arrow_schema_clear(&schema);
    return status;
}

frz_status frz_constant_check(const frz_field *field, const frz_value *value, const char *path,
                              frz_error **err)
{
    static const frz_value null_value = {.form = FRZ_VALUE_NULL};
    if (value->form == FRZ_VALUE_NULL && field->required)
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                        "required column %s is not in the file and has no initial default", path);
    if (field->type->kind != FRZ_TYPE_STRUCT || value->form != FRZ_VALUE_STRUCT ||
        value->items.count)
        return FRZ_OK;
    for (size_t i = 0; i < field->type->field_count; i++) {
        const frz_field *child = &field->type->fields[i];
        const frz_status status = frz_constant_check(
            child, child->initial_default ? child->initial_default : &null_value, child->name, err);
        if (status != FRZ_OK)
            return frz_context(err, status, "column %s", path);
    }
    return FRZ_OK;
}

frz_status frz_sequence_array(int64_t first, int64_t length, const uint64_t *mask, int64_t selected,
                              struct ArrowArray *out, frz_error **err)
{
    frz_buffer buffers[2] = {0};
    const int64_t count = mask ? selected : length;
    int64_t *values =
        (int64_t *)(void *)frz_buffer_extend(&buffers[1], (size_t)count * sizeof *values);
    if (!values)
        return frz_fail_memory(err);
    if (!mask) {
        for (int64_t i = 0; i < length; i++)
            values[i] = first + i;
    } else {
        int64_t filled = 0;
        for (int64_t word = 0; word * 64 < length; word++)
            for (uint64_t bits = mask[word]; bits && filled < count; bits &= bits - 1)
                values[filled++] = first + word * 64 + __builtin_ctzll(bits);
    }
    return frz_arrow_array_init(out, count, 0, buffers, 2, 0, err);
}
