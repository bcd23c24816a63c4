/*
 * A schema as the DDL that would make it again (but for ids and initial defaults, which DDL cannot
 * say), and the terms of partition specs and sort orders.
 */
#include <inttypes.h>
#include <string.h>

#include "spec/ddl.h"

static bool is_plain_name(const char *name)
{
    const bool digit_first = name[0] >= '0' && name[0] <= '9';
    for (size_t i = 0; name[i]; i++) {
        const char c = name[i];
        if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
            c != '_')
            return false;
    }
    return name[0] != 0 && !digit_first;
}

static void print_quoted(frz_slice text, uint8_t quote, frz_buffer *out)
{
    frz_buffer_append_byte(out, quote);
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == quote)
            frz_buffer_append_byte(out, quote);
        frz_buffer_append_byte(out, text.data[i]);
    }
    frz_buffer_append_byte(out, quote);
}

static void print_name(const char *name, frz_buffer *out)
{
    if (is_plain_name(name))
        frz_buffer_append_text(out, name);
    else
        print_quoted(frz_slice_of_text(name), '"', out);
}

static void print_nested_default(const frz_type *type, const frz_value *value, frz_buffer *out)
{
    if (value->items.count == 0) {
        frz_buffer_append_text(out, type->kind == FRZ_TYPE_LIST ? "[]" : "{}");
        return;
    }
    frz_buffer text = {0};
    frz_json_writer json = frz_json_writer_to(&text, 0);
    frz_value_write_json(type, value, &json);
    out->failed |= text.failed;
    print_quoted(frz_buffer_slice(&text), '\'', out);
    frz_buffer_clear(&text);
}

static void print_default(const frz_type *type, const frz_value *value, frz_buffer *out)
{
    frz_buffer text = {0};
    if (type->kind >= FRZ_TYPE_STRUCT) {
        print_nested_default(type, value, out);
        return;
    }
    frz_value_print(type, value, &text);
    out->failed |= text.failed;
    const bool bare = value->form == FRZ_VALUE_BOOLEAN || value->form == FRZ_VALUE_NUMBER ||
                      value->form == FRZ_VALUE_DECIMAL || type->kind == FRZ_TYPE_INT ||
                      type->kind == FRZ_TYPE_LONG || type->kind == FRZ_TYPE_FIXED ||
                      type->kind == FRZ_TYPE_BINARY;
    if (bare)
        frz_buffer_append(out, text.data, text.size);
    else
        print_quoted(frz_buffer_slice(&text), '\'', out);
    frz_buffer_clear(&text);
}

static void print_type(const frz_type *type, frz_buffer *out);

static void print_fields(const frz_type *type, const char *between, frz_buffer *out)
{
    for (size_t i = 0; i < type->field_count; i++) {
        const frz_field *field = &type->fields[i];
        if (i)
            frz_buffer_append_text(out, ", ");
        print_name(field->name, out);
        frz_buffer_append_text(out, between);
        print_type(field->type, out);
        if (field->required)
            frz_buffer_append_text(out, " not null");
        if (field->write_default && field->write_default->form != FRZ_VALUE_NULL) {
            frz_buffer_append_text(out, " default ");
            print_default(field->type, field->write_default, out);
        }
        if (field->doc) {
            frz_buffer_append_text(out, " comment ");
            print_quoted(frz_slice_of_text(field->doc), '\'', out);
        }
    }
}

static void print_type(const frz_type *type, frz_buffer *out)
{
    if (type->kind < FRZ_TYPE_STRUCT) {
        frz_type_print(type, out);
        return;
    }
    frz_buffer_printf(out, "%s<", frz_type_word(type->kind));
    if (type->kind == FRZ_TYPE_STRUCT)
        print_fields(type, ": ", out);
    for (size_t i = 0; type->kind != FRZ_TYPE_STRUCT && i < type->field_count; i++) {
        const bool key = type->kind == FRZ_TYPE_MAP && i == 0;
        if (i)
            frz_buffer_append_text(out, ", ");
        print_type(type->fields[i].type, out);
        if (type->fields[i].required && !key)
            frz_buffer_append_text(out, " not null");
    }
    frz_buffer_append_byte(out, '>');
}

void frz_ddl_print_schema(const frz_schema *schema, frz_buffer *out)
{
    print_fields(frz_schema_type(schema), " ", out);
}

/* As terms take it: each name of the path quoted where it must be. */
static void print_path(const frz_schema *schema, const frz_field *field, frz_buffer *out)
{
    const frz_field *parent = frz_schema_parent(schema, field->id);
    if (parent) {
        print_path(schema, parent, out);
        frz_buffer_append_byte(out, '.');
    }
    print_name(field->name, out);
}

static void print_sources(const frz_schema *schema, const int32_t *ids, size_t count,
                          frz_buffer *out)
{
    for (size_t i = 0; i < count; i++) {
        const frz_field *field = frz_schema_find_id(schema, ids[i]);
        if (i > 0)
            frz_buffer_append_text(out, ", ");
        if (field)
            print_path(schema, field, out);
        else
            frz_buffer_printf(out, "<dropped column %" PRId32 ">", ids[i]);
    }
}

/* One partition or sort term as `frazil create` takes it: day(ts), bucket(16, id), name. */
static void print_term(const frz_schema *schema, const frz_transform *transform, const int32_t *ids,
                       size_t count, frz_buffer *out)
{
    if (transform->kind == FRZ_TRANSFORM_IDENTITY) {
        print_sources(schema, ids, count, out);
        return;
    }
    frz_buffer_append(out, transform->text, strcspn(transform->text, "["));
    frz_buffer_append_byte(out, '(');
    if (transform->kind == FRZ_TRANSFORM_BUCKET || transform->kind == FRZ_TRANSFORM_TRUNCATE)
        frz_buffer_printf(out, "%" PRId32 ", ", transform->parameter);
    print_sources(schema, ids, count, out);
    frz_buffer_append_byte(out, ')');
}

void frz_ddl_print_partition(const frz_partition_spec *spec, const frz_schema *schema,
                             frz_buffer *out)
{
    for (size_t i = 0; i < spec->field_count; i++) {
        const frz_partition_field *field = &spec->fields[i];
        if (i > 0)
            frz_buffer_append_text(out, ", ");
        print_term(schema, &field->transform, field->source_ids, field->source_count, out);
        frz_buffer_append_text(out, " as ");
        print_name(field->name, out);
    }
    if (spec->field_count == 0)
        frz_buffer_append_text(out, "none");
}

void frz_ddl_print_sort(const frz_sort_order *order, const frz_schema *schema, frz_buffer *out)
{
    for (size_t i = 0; order && i < order->field_count; i++) {
        const frz_sort_field *field = &order->fields[i];
        if (i > 0)
            frz_buffer_append_text(out, ", ");
        print_term(schema, &field->transform, field->source_ids, field->source_count, out);
        frz_buffer_printf(out, " %s nulls %s", field->descending ? "desc" : "asc",
                          field->nulls_last ? "last" : "first");
    }
    if (!order || order->field_count == 0)
        frz_buffer_append_text(out, "none");
}
