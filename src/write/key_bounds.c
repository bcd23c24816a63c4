#include "write/key_bounds.h"

#include "base/fail.h"
#include "expr/literal.h"

/* "a"."b": every field on the way down to it, quoted. */
static void print_path(const frz_schema *schema, const frz_field *field, frz_buffer *out)
{
    const frz_field *parent = frz_schema_parent(schema, field->id);
    if (parent) {
        print_path(schema, parent, out);
        frz_buffer_append_byte(out, '.');
    }
    frz_buffer_append_byte(out, '"');
    for (const char *at = field->name; *at; at++) {
        if (*at == '"')
            frz_buffer_append_byte(out, '"');
        frz_buffer_append_byte(out, (uint8_t)*at);
    }
    frz_buffer_append_byte(out, '"');
}

static frz_status init_range(frz_key_bounds *self, const frz_schema *schema, const frz_field *field,
                             frz_key_range *range, frz_error **err)
{
    frz_buffer path = {0};
    print_path(schema, field, &path);
    *range = (frz_key_range){.field = field};
    range->path = path.failed ? NULL : frz_arena_text_n(&self->arena, path.data, path.size);
    range->list = frz_arena_array(&self->arena, FRZ_KEY_LIST_MAX, sizeof *range->list);
    frz_buffer_clear(&path);
    return range->path && range->list ? FRZ_OK : frz_fail_memory(err);
}

frz_status frz_key_bounds_init(frz_key_bounds *self, const frz_schema *schema,
                               const frz_field *const *fields, size_t count, frz_error **err)
{
    self->ranges = frz_arena_array(&self->arena, count + 1, sizeof *self->ranges);
    if (!self->ranges)
        return frz_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        FRZ_TRY(init_range(self, schema, fields[i], &self->ranges[i], err));
    self->count = count;
    return FRZ_OK;
}

void frz_key_bounds_clear(frz_key_bounds *self)
{
    for (size_t i = 0; i < self->count; i++) {
        frz_buffer_clear(&self->ranges[i].least_bytes);
        frz_buffer_clear(&self->ranges[i].greatest_bytes);
    }
    frz_arena_clear(&self->arena);
    *self = (frz_key_bounds){0};
}

/* In one place for all values that come and go: there may be as many as keys. */
static bool keep(const frz_value *value, frz_value *to, frz_buffer *bytes)
{
    *to = *value;
    if (value->form != FRZ_VALUE_BYTES)
        return true;
    frz_buffer_reset(bytes);
    frz_buffer_append(bytes, value->bytes.data, value->bytes.size);
    to->bytes = frz_buffer_slice(bytes);
    return !bytes->failed;
}

frz_status frz_key_bounds_add(frz_key_bounds *self, const frz_value *values, frz_error **err)
{
    const bool first = self->key_count == 0;
    for (size_t i = 0; i < self->count; i++) {
        frz_key_range *range = &self->ranges[i];
        bool kept = true;
        if (first || frz_value_compare(&values[i], &range->least) < 0)
            kept = keep(&values[i], &range->least, &range->least_bytes);
        if (kept && (first || frz_value_compare(&values[i], &range->greatest) > 0))
            kept = keep(&values[i], &range->greatest, &range->greatest_bytes);
        if (kept && self->key_count < FRZ_KEY_LIST_MAX)
            kept = frz_value_copy(&values[i], &self->arena, &range->list[self->key_count]);
        if (!kept)
            return frz_fail_memory(err);
    }
    self->key_count++;
    return FRZ_OK;
}

/* Filters compare floating columns as literals have them; their keys are left
 * to the rows. */
static bool is_told(const frz_type *type)
{
    return type->kind != FRZ_TYPE_FLOAT && type->kind != FRZ_TYPE_DOUBLE;
}

static void print_range(const frz_key_bounds *self, const frz_key_range *range, frz_buffer *out)
{
    const frz_type *type = range->field->type;
    frz_buffer_append_text(out, range->path);
    if (self->key_count > FRZ_KEY_LIST_MAX) {
        frz_buffer_append_text(out, " >= ");
        frz_literal_print(type, &range->least, out);
        frz_buffer_printf(out, " and %s <= ", range->path);
        frz_literal_print(type, &range->greatest, out);
        return;
    }
    frz_buffer_append_text(out, " in (");
    for (int64_t i = 0; i < self->key_count; i++) {
        frz_buffer_append_text(out, i ? ", " : "");
        frz_literal_print(type, &range->list[i], out);
    }
    frz_buffer_append_byte(out, ')');
}

frz_status frz_key_bounds_print(frz_key_bounds *self, frz_error **err)
{
    frz_buffer text = {0};
    if (self->key_count == 0) {
        self->filter = "false";
        return FRZ_OK;
    }
    for (size_t i = 0; i < self->count; i++) {
        if (!is_told(self->ranges[i].field->type))
            continue;
        frz_buffer_append_text(&text, text.size > 0 ? " and " : "");
        print_range(self, &self->ranges[i], &text);
    }
    if (text.size > 0)
        self->filter = frz_arena_text_n(&self->arena, text.data, text.size);
    const bool failed = text.failed || (text.size > 0 && !self->filter);
    frz_buffer_clear(&text);
    return failed ? frz_fail_memory(err) : FRZ_OK;
}

const char *frz_key_bounds_filter(const frz_key_bounds *self)
{
    return self->filter;
}
