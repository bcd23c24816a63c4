#include "write/sort_key.h"

#include <math.h>

#include "arrow/schema.h"
#include "arrow_equal.h"
#include "base/fail.h"
#include "spec/ddl.h"

/* A schema, its Arrow form, and a sort order of it. */
typedef struct sorted_schema {
    frz_schema *schema;
    struct ArrowSchema arrow;
    frz_arena arena;
    frz_sort_order order;
    frz_sort_key key;
} sorted_schema;

static sorted_schema open_schema(const char *ddl, const char *sort)
{
    frz_error *err = NULL;
    sorted_schema out = {0};
    CHECK_OK(frz_ddl_parse_schema(frz_slice_of_text(ddl), &out.schema, &err), err);
    const frz_type *root = frz_schema_type(out.schema);
    CHECK_OK(frz_arrow_schema_init(&out.arrow, "+s", "", false, FRZ_ARROW_NO_FIELD_ID,
                                   (int64_t)root->field_count, &err),
             err);
    for (size_t i = 0; i < root->field_count; i++)
        CHECK_OK(frz_type_to_arrow(&root->fields[i], out.arrow.children[i], &err), err);
    CHECK_OK(frz_ddl_parse_sort(frz_slice_of_text(sort), out.schema, &out.arena, &out.order, &err),
             err);
    CHECK_OK(frz_sort_key_bind(&out.order, root, &out.arena, &out.key, &err), err);
    return out;
}

static void close_schema(sorted_schema *self)
{
    frz_arrow_schema_clear(&self->arrow);
    frz_arena_clear(&self->arena);
    frz_schema_unref(self->schema);
}

static frz_sort_keys keys_of(const sorted_schema *self, const struct ArrowArray *batch,
                             const uint32_t *groups)
{
    frz_error *err = NULL;
    frz_arena scratch = {0};
    frz_sort_keys keys = {0};
    CHECK_OK(frz_sort_key_fill(&self->key, batch, groups, &scratch, &keys, &err), err);
    CHECK(keys.count == (size_t)batch->length && keys.stride == self->key.stride);
    frz_arena_clear(&scratch);
    return keys;
}

static int compare_rows_of(const sorted_schema *self, const struct ArrowArray *batch, int64_t a,
                           int64_t b)
{
    frz_sort_keys keys = keys_of(self, batch, NULL);
    const int order =
        frz_slice_compare(frz_sort_keys_at(&keys, (size_t)a), frz_sort_keys_at(&keys, (size_t)b));
    frz_sort_keys_clear(&keys);
    return (order > 0) - (order < 0);
}

/* The rows must be in strictly ascending order. */
static void check_ascending(const sorted_schema *self, const struct ArrowArray *batch)
{
    for (int64_t a = 0; a < batch->length; a++) {
        for (int64_t b = 0; b < batch->length; b++)
            CHECK(compare_rows_of(self, batch, a, b) == (a > b) - (a < b));
    }
}

static struct ArrowArray finish_rows(frz_arrow_builder *builder)
{
    frz_error *err = NULL;
    struct ArrowArray batch = {0};
    CHECK_OK(frz_arrow_builder_finish(builder, &batch, &err), err);
    frz_arrow_builder_free(builder);
    return batch;
}

static frz_arrow_builder *start_rows(const sorted_schema *self)
{
    frz_error *err = NULL;
    frz_arrow_builder *builder = NULL;
    CHECK_OK(frz_arrow_builder_new(&self->arrow, &builder, &err), err);
    return builder;
}

/* spec "Sorting": -NaN < -Infinity < -value < -0 < 0 < value < Infinity < NaN. */
static void test_floats_are_in_their_total_order(void **state)
{
    (void)state;
    const double values[] = {-(double)NAN, -INFINITY, -1e300, -1.5, -1e-310,  -0.0,
                             0.0,          1e-310,    1.5,    1e30, INFINITY, NAN};
    static const char *const orders[] = {"x", "x desc"};
    for (size_t k = 0; k < 4; k++) {
        sorted_schema schema = open_schema(k < 2 ? "x double" : "x float", orders[k % 2]);
        frz_arrow_builder *builder = start_rows(&schema);
        const size_t count = sizeof values / sizeof *values;
        for (size_t i = 0; i < count; i++) {
            const double value = values[k % 2 ? count - 1 - i : i];
            if (k >= 2 && (fabs(value) == 1e-310 || fabs(value) == 1e300))
                continue; /* no floats */
            frz_arrow_append_f64(frz_arrow_builder_child(builder, 0), value);
            frz_arrow_append_struct(builder);
        }
        struct ArrowArray batch = finish_rows(builder);
        check_ascending(&schema, &batch);
        frz_arrow_array_clear(&batch);
        close_schema(&schema);
    }
}

/* Rows of one text each; NULL is null. */
static void check_texts(const char *sort, const char *const *texts, const size_t *sizes,
                        size_t count)
{
    sorted_schema schema = open_schema("s string", sort);
    frz_arrow_builder *builder = start_rows(&schema);
    for (size_t i = 0; i < count; i++) {
        if (texts[i])
            frz_arrow_append_bytes(frz_arrow_builder_child(builder, 0),
                                   frz_slice_of(texts[i], sizes ? sizes[i] : strlen(texts[i])));
        else
            frz_arrow_append_null(frz_arrow_builder_child(builder, 0));
        frz_arrow_append_struct(builder);
    }
    struct ArrowArray batch = finish_rows(builder);
    check_ascending(&schema, &batch);
    frz_arrow_array_clear(&batch);
    close_schema(&schema);
}

static void test_nulls_stand_where_the_order_puts_them(void **state)
{
    (void)state;
    static const char *const first[] = {NULL, "", "a", "b"};
    static const char *const last[] = {"", "a", "b", NULL};
    static const char *const first_down[] = {NULL, "b", "a", ""};
    static const char *const last_down[] = {"b", "a", "", NULL};
    check_texts("s asc nulls first", first, NULL, 4);
    check_texts("s asc nulls last", last, NULL, 4);
    check_texts("s desc nulls first", first_down, NULL, 4);
    check_texts("s desc nulls last", last_down, NULL, 4);
}

static void test_texts_with_zero_bytes_and_prefixes_are_in_order(void **state)
{
    (void)state;
    static const char *const up[] = {"",  "\0",  "\0\0", "\0\1", "\1",
                                     "a", "a\0", "a\0b", "ab",   "\xff"};
    static const size_t sizes[] = {0, 1, 2, 2, 1, 1, 2, 3, 2, 1};
    static const char *const down[] = {"\xff", "ab",   "a\0b", "a\0", "a",
                                       "\1",   "\0\1", "\0\0", "\0",  ""};
    static const size_t down_sizes[] = {1, 2, 3, 2, 1, 1, 2, 2, 1, 0};
    check_texts("s", up, sizes, 10);
    check_texts("s desc", down, down_sizes, 10);
}

/* Every primitive type, by the order that values have. */
static void test_keys_follow_the_values_of_every_type(void **state)
{
    (void)state;
    static const char ddl[] = "a boolean, b int, c long, d decimal(9,2), e decimal(30,3), f date, "
                              "g timestamp, h timestamptz_ns, i string, j binary, k uuid, "
                              "l fixed(5), m time";
    static const char *const columns = "abcdefghijklm";
    for (size_t k = 0; k < 2 * strlen(columns); k++) {
        const size_t at = k / 2;
        char sort[32];
        (void)snprintf(sort, sizeof sort, "%c %s", columns[at], k % 2 ? "desc" : "asc");
        sorted_schema schema = open_schema(ddl, sort);
        struct ArrowArray batch;
        do
            batch = random_array(&schema.arrow, 40, k + 5);
        while (batch.null_count > 0);
        const frz_type *type = frz_schema_type(schema.schema)->fields[at].type;
        for (int64_t i = 0; i + 1 < batch.length; i++) {
            frz_value a;
            frz_value b;
            frz_row_value(type, batch.children[at], i, &a);
            frz_row_value(type, batch.children[at], i + 1, &b);
            if (a.form == FRZ_VALUE_NULL || b.form == FRZ_VALUE_NULL)
                continue;
            const int order = frz_value_compare(&a, &b);
            CHECK(compare_rows_of(&schema, &batch, i, i + 1) ==
                  ((order > 0) - (order < 0)) * (k % 2 ? -1 : 1));
        }
        frz_arrow_array_clear(&batch);
        close_schema(&schema);
    }
}

static void test_transforms_order_by_their_results_and_then_by_the_next_column(void **state)
{
    (void)state;
    static const struct {
        int64_t x;
        int64_t y;
    } rows[] = {{19, 1}, {10, 2}, {15, 3}, {29, 0}, {20, 7}};
    sorted_schema schema = open_schema("x long, y long", "truncate(x, 10), y");
    frz_arrow_builder *builder = start_rows(&schema);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        frz_arrow_append_i64(frz_arrow_builder_child(builder, 0), rows[i].x);
        frz_arrow_append_i64(frz_arrow_builder_child(builder, 1), rows[i].y);
        frz_arrow_append_struct(builder);
    }
    struct ArrowArray batch = finish_rows(builder);
    check_ascending(&schema, &batch);
    frz_arrow_array_clear(&batch);
    close_schema(&schema);
}

/* Of one size where no text is among them, whatever is null. */
static void test_keys_are_padded_to_one_size(void **state)
{
    (void)state;
    static const struct {
        const char *sort;
        size_t stride;
    } cases[] = {{"a", 16},
                 {"b, c", 24},
                 {"d desc", 24},
                 {"e", 8},
                 {"bucket(16, f), f", 32},
                 {"truncate(2, s)", 0},
                 {"a, s", 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        sorted_schema schema = open_schema("a long, b int, c double, d decimal(9,2), e boolean, "
                                           "f uuid, s string",
                                           cases[k].sort);
        CHECK(schema.key.stride == cases[k].stride);
        close_schema(&schema);
    }
}

/* The group comes first; slices and nulls of members are told as any. */
static void test_groups_and_slices(void **state)
{
    (void)state;
    static const char *const sorts[] = {"b desc nulls last", "s.x", "t, b"};
    static const uint32_t groups[] = {5, 0, 300, 5};
    for (size_t k = 0; k < 3; k++) {
        frz_error *err = NULL;
        sorted_schema schema = open_schema("b long, s struct<x: int>, t string", sorts[k]);
        struct ArrowArray batch = {0};
        struct ArrowArray slice = {0};
        do {
            frz_arrow_array_clear(&batch);
            batch = random_array(&schema.arrow, 40, k + 77);
        } while (batch.null_count > 0);
        CHECK_OK(frz_arrow_array_slice(&batch, 17, 4, &slice, &err), err);
        frz_sort_keys all = keys_of(&schema, &batch, NULL);
        frz_sort_keys some = keys_of(&schema, &slice, groups);
        for (size_t i = 0; i < 4; i++) {
            const frz_slice whole = frz_sort_keys_at(&all, 17 + i);
            const frz_slice key = frz_sort_keys_at(&some, i);
            CHECK(frz_sort_keys_group(&some, i) == groups[i]);
            CHECK(frz_sort_keys_group(&all, 17 + i) == 0 && key.size == whole.size);
            CHECK(memcmp(key.data + FRZ_GROUP_SIZE, whole.data + FRZ_GROUP_SIZE,
                         key.size - FRZ_GROUP_SIZE) == 0);
        }
        frz_sort_keys_clear(&all);
        frz_sort_keys_clear(&some);
        frz_arrow_array_clear(&slice);
        frz_arrow_array_clear(&batch);
        close_schema(&schema);
    }
}

static void test_a_column_that_is_gone_orders_nothing(void **state)
{
    (void)state;
    frz_error *err = NULL;
    sorted_schema schema = open_schema("x long, y long", "x, y");
    static const int32_t gone[] = {77};
    static const int32_t two[] = {1, 2};
    frz_sort_field fields[2] = {schema.order.fields[0], schema.order.fields[1]};
    const frz_sort_order order = {.order_id = 1, .fields = fields, .field_count = 2};
    const frz_type *root = frz_schema_type(schema.schema);
    fields[0].source_ids = gone;
    CHECK_OK(frz_sort_key_bind(&order, root, &schema.arena, &schema.key, &err), err);
    CHECK(schema.key.count == 1 && schema.key.fields[0].field == &fields[1]);
    fields[0].source_ids = two;
    fields[0].source_count = 2;
    CHECK_FAILS(frz_sort_key_bind(&order, root, &schema.arena, &schema.key, &err), FRZ_UNSUPPORTED,
                err, "is read but not written");
    close_schema(&schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_floats_are_in_their_total_order),
        cmocka_unit_test(test_nulls_stand_where_the_order_puts_them),
        cmocka_unit_test(test_texts_with_zero_bytes_and_prefixes_are_in_order),
        cmocka_unit_test(test_keys_follow_the_values_of_every_type),
        cmocka_unit_test(test_transforms_order_by_their_results_and_then_by_the_next_column),
        cmocka_unit_test(test_keys_are_padded_to_one_size),
        cmocka_unit_test(test_groups_and_slices),
        cmocka_unit_test(test_a_column_that_is_gone_orders_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
