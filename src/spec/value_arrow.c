#include "spec/value_arrow.h"

static const frz_value null_value = {.form = FRZ_VALUE_NULL};

static void append_list(const frz_type *type, const frz_value *value, frz_arrow_builder *builder)
{
    frz_arrow_builder *items = frz_arrow_builder_child(builder, 0);
    for (size_t i = 0; i < value->items.count; i++)
        frz_value_append(type->fields[0].type, &value->items.data[i], items);
    frz_arrow_append_list(builder);
}

/* Items alternate key and value. */
static void append_map(const frz_type *type, const frz_value *value, frz_arrow_builder *builder)
{
    frz_arrow_builder *entries = frz_arrow_builder_child(builder, 0);
    for (size_t i = 0; i + 1 < value->items.count; i += 2) {
        for (size_t k = 0; k < 2; k++)
            frz_value_append(type->fields[k].type, &value->items.data[i + k],
                             frz_arrow_builder_child(entries, k));
        frz_arrow_append_struct(entries);
    }
    frz_arrow_append_list(builder);
}

static void append_struct(const frz_type *type, const frz_value *value, frz_arrow_builder *builder)
{
    for (size_t i = 0; i < type->field_count; i++) {
        const frz_field *field = &type->fields[i];
        const frz_value *item = field->initial_default ? field->initial_default : &null_value;
        if (value->items.data && i < value->items.count)
            item = &value->items.data[i];
        frz_value_append(field->type, item, frz_arrow_builder_child(builder, i));
    }
    frz_arrow_append_struct(builder);
}

void frz_value_append(const frz_type *type, const frz_value *value, frz_arrow_builder *builder)
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
        append_struct(type, value, builder);
        break;
    case FRZ_VALUE_LIST:
        if (type->kind == FRZ_TYPE_MAP)
            append_map(type, value, builder);
        else
            append_list(type, value, builder);
        break;
    }
}
