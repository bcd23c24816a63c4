#include "spec/partition.h"

#include <string.h>

#include "base/fail.h"

bool frz_partition_spec_is_unpartitioned(const frz_partition_spec *spec)
{
    for (size_t i = 0; i < spec->field_count; i++)
        if (spec->fields[i].transform.kind != FRZ_TRANSFORM_VOID)
            return false;
    return true;
}

/* The fields have the same columns, transforms and names, whatever their ids ("Partitioning"). */
bool frz_partition_spec_equivalent(const frz_partition_spec *a, const frz_partition_spec *b)
{
    if (a->field_count != b->field_count)
        return false;
    for (size_t i = 0; i < a->field_count; i++)
        if (!frz_partition_field_equivalent(&a->fields[i], &b->fields[i]) ||
            strcmp(a->fields[i].name, b->fields[i].name) != 0)
            return false;
    return true;
}

bool frz_partition_field_equivalent(const frz_partition_field *a, const frz_partition_field *b)
{
    return a->source_count == b->source_count &&
           memcmp(a->source_ids, b->source_ids, a->source_count * sizeof *a->source_ids) == 0 &&
           frz_transform_equal(&a->transform, &b->transform);
}

static const frz_type *source_type(int32_t id, const frz_schema *schema, frz_schema *const *older,
                                   size_t older_count)
{
    const frz_field *field = frz_schema_find_id(schema, id);
    for (size_t i = 0; !field && i < older_count; i++)
        field = frz_schema_find_id(older[i], id);
    return field ? field->type : frz_type_of(FRZ_TYPE_UNKNOWN);
}

frz_status frz_partition_type(const frz_partition_spec *spec, const frz_schema *schema,
                              frz_schema *const *older, size_t older_count, frz_arena *arena,
                              const frz_type **out, frz_error **err)
{
    frz_type *type = frz_arena_alloc(arena, sizeof *type);
    frz_field *fields = frz_arena_array(arena, spec->field_count, sizeof *fields);
    if (!type || !fields)
        return frz_fail_memory(err);
    for (size_t i = 0; i < spec->field_count; i++) {
        const frz_partition_field *from = &spec->fields[i];
        const frz_type *source = source_type(from->source_ids[0], schema, older, older_count);
        const frz_type *result = frz_transform_result_type(&from->transform, source);
        fields[i] = (frz_field){.id = from->field_id, .name = frz_arena_text(arena, from->name)};
        fields[i].type = frz_type_copy(result, arena);
        if (!fields[i].name || !fields[i].type)
            return frz_fail_memory(err);
    }
    *type = (frz_type){.kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = spec->field_count};
    *out = type;
    return FRZ_OK;
}

static bool is_kept_in_url(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '*' || c == '_';
}

/* java.net.URLEncoder over UTF-8: a blank becomes +, every other byte %XX. */
static void append_url_encoded(frz_slice text, frz_buffer *out)
{
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < text.size; i++) {
        const uint8_t c = text.data[i];
        if (is_kept_in_url(c)) {
            frz_buffer_append_byte(out, c);
        } else if (c == ' ') {
            frz_buffer_append_byte(out, '+');
        } else {
            const uint8_t escaped[3] = {'%', (uint8_t)digits[c >> 4], (uint8_t)digits[c & 15]};
            frz_buffer_append(out, escaped, sizeof escaped);
        }
    }
}

void frz_partition_path(const frz_partition_spec *spec, const frz_type *partition_type,
                        const frz_value *values, frz_buffer *out)
{
    frz_buffer text = {0};
    for (size_t i = 0; i < spec->field_count; i++) {
        const frz_partition_field *field = &spec->fields[i];
        if (i)
            frz_buffer_append_byte(out, '/');
        append_url_encoded(frz_slice_of_text(field->name), out);
        frz_buffer_append_byte(out, '=');
        frz_buffer_reset(&text);
        frz_transform_print(&field->transform, partition_type->fields[i].type, &values[i], &text);
        out->failed |= text.failed;
        append_url_encoded(frz_buffer_slice(&text), out);
    }
    frz_buffer_clear(&text);
}
