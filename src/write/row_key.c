#include "write/row_key.h"

#include "base/fail.h"
#include "expr/literal.h"
#include "spec/tuple_key.h"

static bool has_equality(const frz_type *type)
{
    return frz_type_is_primitive(type) && type->kind != FRZ_TYPE_UNKNOWN &&
           type->kind != FRZ_TYPE_GEOMETRY && type->kind != FRZ_TYPE_GEOGRAPHY;
}

static frz_status find_field(const frz_schema *schema, const char *name, bool case_sensitive,
                             const frz_field **out, frz_error **err)
{
    frz_column_path path;
    const frz_field *field = frz_schema_find_name(schema, frz_slice_of_text(name), case_sensitive);
    if (!field) {
        frz_buffer near = {0};
        frz_schema_suggest(schema, frz_slice_of_text(name), &near);
        const frz_status status =
            frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "no column %s%s%.*s%s", name,
                     near.size ? " (near: " : "", (int)near.size,
                     near.size ? (const char *)near.data : "", near.size ? ")" : "");
        frz_buffer_clear(&near);
        return status;
    }
    if (!has_equality(field->type) ||
        !frz_column_path_find(frz_schema_type(schema), field->id, &path))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "column %s (%s) is no key: it must be primitive and not "
                        "within a list or "
                        "map",
                        name, frz_type_word(field->type->kind));
    *out = field;
    return FRZ_OK;
}

static frz_status identifier_fields(const frz_schema *schema, frz_arena *arena,
                                    const frz_field *const **out, size_t *count_out,
                                    frz_error **err)
{
    size_t count = 0;
    const int32_t *ids = frz_schema_identifier_ids(schema, &count);
    const frz_field **fields = frz_arena_array(arena, count + 1, sizeof(const frz_field *));
    if (!fields)
        return frz_fail_memory(err);
    if (count == 0)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "the table has no identifier fields: name the columns of the key (--on)");
    for (size_t i = 0; i < count; i++)
        fields[i] = frz_schema_find_id(schema, ids[i]);
    *out = fields;
    *count_out = count;
    return FRZ_OK;
}

frz_status frz_row_key_fields(const frz_schema *schema, const frz_key_choice *choice,
                              frz_arena *arena, const frz_field *const **out, size_t *count_out,
                              frz_error **err)
{
    const char *const *names = choice->names;
    const size_t count = choice->count;
    const frz_field **fields = frz_arena_array(arena, count + 1, sizeof(const frz_field *));
    if (!names)
        return identifier_fields(schema, arena, out, count_out, err);
    if (!fields)
        return frz_fail_memory(err);
    if (count == 0)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "a key has at least one column");
    for (size_t i = 0; i < count; i++) {
        FRZ_TRY(find_field(schema, names[i], choice->case_sensitive, &fields[i], err));
        for (size_t j = 0; j < i; j++) {
            if (fields[j] == fields[i])
                return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "key column %s is given twice",
                                names[i]);
        }
    }
    *out = fields;
    *count_out = count;
    return FRZ_OK;
}

frz_status frz_row_key_init(frz_row_key *self, const frz_field *const *fields, size_t count,
                            const frz_type *root, frz_arena *arena, frz_error **err)
{
    frz_row_key made = {.fields = fields, .count = count};
    made.paths = frz_arena_array(arena, count, sizeof *made.paths);
    made.values = frz_arena_array(arena, count, sizeof *made.values);
    if (!made.paths || !made.values)
        return frz_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        if (!frz_column_path_find(root, fields[i]->id, &made.paths[i]))
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "key column %s was not read",
                            fields[i]->name);
    }
    *self = made;
    return FRZ_OK;
}

void frz_row_key_clear(frz_row_key *self)
{
    frz_buffer_clear(&self->bytes);
}

/* One form for values that are equal. */
static void normalize(frz_value *value)
{
    if (value->form == FRZ_VALUE_NUMBER && value->number == 0)
        value->number = 0;
}

frz_status frz_row_key_read(frz_row_key *self, const struct ArrowArray *batch, int64_t row,
                            bool *has_out, frz_error **err)
{
    *has_out = false;
    for (size_t i = 0; i < self->count; i++) {
        frz_column_path_value(&self->paths[i], batch, row, &self->values[i]);
        if (self->values[i].form == FRZ_VALUE_NULL)
            return FRZ_OK;
        normalize(&self->values[i]);
    }
    frz_buffer_reset(&self->bytes);
    frz_tuple_key(self->values, self->count, &self->bytes);
    *has_out = true;
    return frz_buffer_check(&self->bytes, err);
}

void frz_row_key_print(const frz_row_key *self, frz_buffer *out)
{
    for (size_t i = 0; i < self->count; i++) {
        frz_buffer_printf(out, "%s%s = ", i ? ", " : "", self->fields[i]->name);
        frz_literal_print(self->fields[i]->type, &self->values[i], out);
    }
}
