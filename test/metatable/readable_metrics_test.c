/*
 * readable_metrics against hand-made metrics: which columns it has, under which ids, and what
 * stands in their cells.
 */
#include "metatable/readable_metrics.h"

#include <math.h>

#include "arrow_equal.h"

static const frz_type geometry = {.kind = FRZ_TYPE_GEOMETRY};
static const frz_type number = {.kind = FRZ_TYPE_DOUBLE};
static const frz_type whole = {.kind = FRZ_TYPE_LONG};
static const frz_type variant = {.kind = FRZ_TYPE_VARIANT};

static frz_schema *make_schema(void)
{
    frz_error *err = NULL;
    frz_schema *schema = NULL;
    static const frz_field inner[] = {{.id = 5, .name = "x", .type = &number}};
    static const frz_type nested = {.kind = FRZ_TYPE_STRUCT, .fields = inner, .field_count = 1};
    static const frz_field fields[] = {{.id = 9, .name = "z", .type = &whole},
                                       {.id = 4, .name = "s", .type = &nested},
                                       {.id = 6, .name = "v", .type = &variant},
                                       {.id = 7, .name = "g", .type = &geometry}};
    CHECK_OK(frz_schema_new(0, fields, 4, NULL, 0, &schema, &err), err);
    return schema;
}

typedef struct made {
    frz_schema *schema;
    frz_arena arena;
    frz_readable_metrics metrics;
    int32_t next_id;
} made;

static made make_metrics(void)
{
    frz_error *err = NULL;
    made self = {.schema = make_schema(), .next_id = 1000};
    CHECK_OK(
        frz_readable_metrics_make(self.schema, &self.next_id, &self.arena, &self.metrics, &err),
        err);
    return self;
}

static void clear_metrics(made *self)
{
    frz_arena_clear(&self->arena);
    frz_schema_unref(self->schema);
}

static void primitive_columns_have_a_struct_by_path(void **state)
{
    (void)state;
    made self = make_metrics();
    const frz_type *type = self.metrics.type;
    static const char *const paths[] = {"g", "s.x", "z"};
    static const int32_t ids[] = {7, 5, 9};
    CHECK(type->field_count == 3);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(type->fields[i].name, paths[i]);
        assert_int_equal(type->fields[i].id, 1000 + 7 * (int)i);
        assert_int_equal(frz_readable_metrics_column(&self.metrics, &type->fields[i]), ids[i]);
        CHECK(type->fields[i].type->field_count == 6);
    }
    assert_int_equal(self.next_id, 1021);
    CHECK(type->fields[2].type->fields[4].type->kind == FRZ_TYPE_LONG);
    CHECK(type->fields[0].type->fields[5].type->kind == FRZ_TYPE_LIST);
    CHECK(frz_readable_metrics_has_size(type));
    clear_metrics(&self);
}

/* The cells of `part` for a file, as a line of JSON. */
static frz_buffer line_of(const made *self, const frz_data_file *file, const frz_type *part)
{
    frz_error *err = NULL;
    struct ArrowSchema schema = {0};
    struct ArrowArray array = {0};
    frz_arrow_builder *builder = NULL;
    frz_buffer text = {0};
    const frz_field row = {.name = "", .required = true, .type = part};
    CHECK_OK(frz_type_to_arrow(&row, &schema, &err), err);
    CHECK_OK(frz_arrow_builder_new(&schema, &builder, &err), err);
    frz_readable_metrics_append(&self->metrics, file, part, builder);
    CHECK_OK(frz_arrow_builder_finish(builder, &array, &err), err);
    CHECK(array.length == 1);
    for (int64_t i = 0; i < array.n_children; i++) {
        const struct ArrowArray *column = array.children[i];
        frz_buffer_printf(&text, "%s:", schema.children[i]->name);
        for (int64_t k = 0; k < column->n_children; k++) {
            const struct ArrowArray *cell = column->children[k];
            const char *format = schema.children[i]->children[k]->format;
            if (frz_arrow_is_null(cell, 0))
                frz_buffer_append_text(&text, " -");
            else if (*format == 'l')
                frz_buffer_printf(&text, " %lld",
                                  (long long)((const int64_t *)cell->buffers[1])[0]);
            else if (*format == 'g')
                frz_buffer_printf(&text, " %g", ((const double *)cell->buffers[1])[0]);
            else
                for (int64_t n = 0; n < cell->children[0]->length; n++)
                    frz_buffer_printf(&text, "%s%g", n ? "," : " ",
                                      ((const double *)cell->children[0]->buffers[1])[n]);
        }
        frz_buffer_append_text(&text, "; ");
    }
    frz_buffer_append_byte(&text, 0);
    frz_arrow_builder_free(builder);
    frz_arrow_schema_clear(&schema);
    frz_arrow_array_clear(&array);
    return text;
}

static void counts_and_bounds_stand_in_their_cells(void **state)
{
    (void)state;
    made self = make_metrics();
    static const int64_t low = -5;
    static const double point[] = {1.5, -2, 3};
    static const double half = 0.5;
    const frz_column_metrics columns[] = {{.field_id = 5,
                                           .column_size = -1,
                                           .value_count = 4,
                                           .null_count = 0,
                                           .nan_count = 1,
                                           .has_upper = true,
                                           .upper = frz_slice_of(&half, sizeof half)},
                                          {.field_id = 7,
                                           .column_size = 30,
                                           .value_count = -1,
                                           .null_count = -1,
                                           .nan_count = -1,
                                           .has_lower = true,
                                           .lower = frz_slice_of(point, sizeof point),
                                           .has_upper = true,
                                           .upper = frz_slice_of(point, 7)},
                                          {.field_id = 9,
                                           .column_size = 12,
                                           .value_count = 3,
                                           .null_count = 2,
                                           .nan_count = -1,
                                           .has_lower = true,
                                           .lower = frz_slice_of(&low, sizeof low),
                                           .has_upper = true,
                                           .upper = frz_slice_of(&low, 3)}};
    const frz_data_file file = {.columns = columns, .column_count = 3};
    frz_buffer text = line_of(&self, &file, self.metrics.type);
    /* A bound of a wrong size is none. */
    assert_string_equal((const char *)text.data, "g: 30 - - - 1.5,-2,3,nan -; s.x: - 4 0 1 - 0.5; "
                                                 "z: 12 3 2 - -5 -; ");
    frz_buffer_clear(&text);

    const frz_data_file bare = {.column_count = 0};
    text = line_of(&self, &bare, self.metrics.type);
    assert_string_equal((const char *)text.data,
                        "g: - - - - - -; s.x: - - - - - -; z: - - - - - -; ");
    frz_buffer_clear(&text);

    const frz_type some = {.kind = FRZ_TYPE_STRUCT,
                           .fields = self.metrics.type->fields[2].type->fields + 4,
                           .field_count = 1};
    const frz_field columns_of_part[] = {
        {.id = self.metrics.type->fields[2].id, .name = "z", .type = &some}};
    const frz_type part = {.kind = FRZ_TYPE_STRUCT, .fields = columns_of_part, .field_count = 1};
    CHECK(!frz_readable_metrics_has_size(&part));
    text = line_of(&self, &file, &part);
    assert_string_equal((const char *)text.data, "z: -5; ");
    frz_buffer_clear(&text);
    clear_metrics(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(primitive_columns_have_a_struct_by_path),
        cmocka_unit_test(counts_and_bounds_stand_in_their_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
