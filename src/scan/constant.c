#include "scan/constant.h"

#include "arrow/array.h"
#include "arrow/builder.h"
#include "base/fail.h"
#include "base/mem.h"
#include "spec/schema.h"

static const frz_value null_value = {.form = FRZ_VALUE_NULL};

/* Appends one row of `value`; nested values recurse by type. */
static void append_value(frz_arrow_builder *builder, const frz_type *type, const frz_value *value);

static void append_items(frz_arrow_builder *builder, const frz_type *type, const frz_value *value)
{
    if (type->kind == FRZ_TYPE_LIST) {
        for (size_t i = 0; i < value->items.count; i++)
            append_value(frz_arrow_builder_child(builder, 0), type->fields[0].type,
                         &value->items.data[i]);
    } else {
        frz_arrow_builder *entries = frz_arrow_builder_child(builder, 0);
        for (size_t i = 0; i + 1 < value->items.count; i += 2) {
            append_value(frz_arrow_builder_child(entries, 0), type->fields[0].type,
                         &value->items.data[i]);
            append_value(frz_arrow_builder_child(entries, 1), type->fields[1].type,
                         &value->items.data[i + 1]);
            frz_arrow_append_struct(entries);
        }
    }
    frz_arrow_append_list(builder);
}

static void append_struct(frz_arrow_builder *builder, const frz_type *type, const frz_value *value)
{
    for (size_t i = 0; i < type->field_count; i++) {
        const frz_field *field = &type->fields[i];
        const frz_value *item = field->initial_default ? field->initial_default : &null_value;
        if (value->items.data && i < value->items.count)
            item = &value->items.data[i];
        append_value(frz_arrow_builder_child(builder, i), field->type, item);
    }
    frz_arrow_append_struct(builder);
}

static void append_value(frz_arrow_builder *builder, const frz_type *type, const frz_value *value)
{
    switch (value->form) {
    case FRZ_VALUE_NULL:
        frz_arrow_append_null(builder);
        break;
    case FRZ_VALUE_BOOLEAN:
        frz_arrow_append_bool(builder, value->boolean);
        break;
    case FRZ_VALUE_INTEGER:
        frz_arrow_append_i64(builder, value->integer);
        break;
    case FRZ_VALUE_NUMBER:
        frz_arrow_append_f64(builder, value->number);
        break;
    case FRZ_VALUE_DECIMAL:
        frz_arrow_append_decimal(builder, value->decimal);
        break;
    case FRZ_VALUE_BYTES:
        frz_arrow_append_bytes(builder, value->bytes);
        break;
    case FRZ_VALUE_STRUCT:
        append_struct(builder, type, value);
        break;
    case FRZ_VALUE_LIST:
        append_items(builder, type, value);
        break;
    }
}

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
        append_value(builder, type, value);
    FRZ_TRY_DONE(frz_arrow_builder_finish(builder, out, err));

done:
    frz_arrow_builder_free(builder);
    frz_arrow_schema_clear(&schema);
    return status;
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
