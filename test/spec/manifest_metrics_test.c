#include "spec/table_fixture.h"

#include "arrow/builder.h"
#include "spec/manifest_metrics.h"

/* Two maps: value counts (as a map) and lower bounds (as a plain list of records: D141). */
typedef struct metric_columns {
    struct ArrowSchema schema;
    struct ArrowArray array;
    frz_metric_map maps[FRZ_METRIC_COUNT];
} metric_columns;

static void init_map(struct ArrowSchema *out, const char *format, const char *value_format)
{
    frz_error *err = NULL;
    CHECK_OK(frz_arrow_schema_init(out, format, "m", true, 1, 1, &err), err);
    CHECK_OK(frz_arrow_schema_init(out->children[0], "+s", "e", false, 2, 2, &err), err);
    CHECK_OK(frz_arrow_schema_init(out->children[0]->children[0], "i", "key", false, 3, 0, &err),
             err);
    CHECK_OK(frz_arrow_schema_init(out->children[0]->children[1], value_format, "value", true, 4, 0,
                                   &err),
             err);
}

static void append_counts(frz_arrow_builder *map, const int64_t (*pairs)[2], size_t count)
{
    frz_arrow_builder *items = frz_arrow_builder_child(map, 0);
    for (size_t i = 0; i < count; i++) {
        frz_arrow_append_i64(frz_arrow_builder_child(items, 0), pairs[i][0]);
        frz_arrow_append_i64(frz_arrow_builder_child(items, 1), pairs[i][1]);
        frz_arrow_append_struct(items);
    }
    frz_arrow_append_list(map);
}

static void append_bound(frz_arrow_builder *map, int64_t key, const char *value)
{
    frz_arrow_builder *items = frz_arrow_builder_child(map, 0);
    frz_arrow_append_i64(frz_arrow_builder_child(items, 0), key);
    frz_arrow_append_bytes(frz_arrow_builder_child(items, 1), frz_slice_of_text(value));
    frz_arrow_append_struct(items);
}

static void bind_map(metric_columns *c, int64_t child, frz_metric which)
{
    frz_column column = {0};
    frz_error *err = NULL;
    CHECK_OK(frz_column_child(&c->schema, &c->array, child, FRZ_COLUMN_LIST, &column, &err), err);
    CHECK_OK(frz_metric_map_bind(&column, which, &c->maps[which], &err), err);
}

static metric_columns make_columns(const int64_t (*pairs)[2], size_t count)
{
    metric_columns c = {0};
    frz_error *err = NULL;
    frz_arrow_builder *row = NULL;
    CHECK_OK(frz_arrow_schema_init(&c.schema, "+s", "", false, FRZ_ARROW_NO_FIELD_ID, 2, &err),
             err);
    init_map(c.schema.children[0], "+m", "l");
    init_map(c.schema.children[1], "+l", "z");
    CHECK_OK(frz_arrow_builder_new(&c.schema, &row, &err), err);
    append_counts(frz_arrow_builder_child(row, 0), pairs, count);
    append_bound(frz_arrow_builder_child(row, 1), 2, "low");
    append_bound(frz_arrow_builder_child(row, 1), 9, "");
    frz_arrow_append_list(frz_arrow_builder_child(row, 1));
    frz_arrow_append_struct(row);
    frz_arrow_append_null(frz_arrow_builder_child(row, 0));
    frz_arrow_append_null(frz_arrow_builder_child(row, 1));
    frz_arrow_append_struct(row);
    CHECK_OK(frz_arrow_builder_finish(row, &c.array, &err), err);
    frz_arrow_builder_free(row);
    bind_map(&c, 0, FRZ_METRIC_VALUE_COUNT);
    bind_map(&c, 1, FRZ_METRIC_LOWER);
    return c;
}

static frz_data_file read_row(const metric_columns *c, int64_t row,
                              const frz_manifest_fields *wanted, frz_arena *arena)
{
    frz_data_file file = {0};
    frz_metric_keys scratch = {0};
    frz_error *err = NULL;
    CHECK_OK(frz_metrics_read(c->maps, row, wanted, &scratch, arena, &file, &err), err);
    frz_metric_keys_clear(&scratch);
    return file;
}

static void clear_columns(metric_columns *c)
{
    frz_arrow_array_clear(&c->array);
    frz_arrow_schema_clear(&c->schema);
}

static const int64_t ascending[][2] = {{1, 10}, {2, 20}, {5, 50}};
static const int64_t jumbled[][2] = {{5, 50}, {1, 10}, {5, 51}, {-3, 30}, {2, -1}};

static void unites_the_maps_by_field_id(void **state)
{
    (void)state;
    frz_arena arena = {0};
    metric_columns c = make_columns(ascending, 3);
    const frz_data_file file = read_row(&c, 0, NULL, &arena);
    CHECK(file.column_count == 4);
    CHECK(file.columns[0].field_id == 1 && file.columns[0].value_count == 10 &&
          !file.columns[0].has_lower);
    CHECK(file.columns[1].field_id == 2 && file.columns[1].value_count == 20);
    CHECK(file.columns[1].has_lower && frz_slice_is_text(file.columns[1].lower, "low"));
    CHECK(file.columns[1].null_count == -1 && file.columns[1].nan_count == -1);
    CHECK(file.columns[1].column_size == -1 && !file.columns[1].has_upper);
    CHECK(file.columns[3].field_id == 9 && file.columns[3].has_lower &&
          file.columns[3].lower.size == 0);
    CHECK(frz_data_file_metrics(&file, 5)->value_count == 50);
    CHECK(frz_data_file_metrics(&file, 4) == NULL && frz_data_file_metrics(&file, 10) == NULL);
    clear_columns(&c);
    frz_arena_clear(&arena);
}

/* D139: unknown ids are kept, negative counts mean unknown; the order of keys is the writer's. */
static void d139_keys_may_come_in_any_order_and_twice(void **state)
{
    (void)state;
    frz_arena arena = {0};
    metric_columns c = make_columns(jumbled, 5);
    const frz_data_file file = read_row(&c, 0, NULL, &arena);
    static const int32_t ids[] = {-3, 1, 2, 5, 9};
    CHECK(file.column_count == 5);
    for (size_t i = 0; i < 5; i++)
        CHECK(file.columns[i].field_id == ids[i]);
    CHECK(file.columns[2].value_count == -1 && file.columns[3].value_count == 51);
    clear_columns(&c);
    frz_arena_clear(&arena);
}

static void gives_only_the_wanted_columns(void **state)
{
    (void)state;
    frz_arena arena = {0};
    metric_columns c = make_columns(jumbled, 5);
    const int32_t ids[] = {5, 9, 12};
    const frz_manifest_fields some = {.metric_ids = ids, .metric_id_count = 3};
    const frz_manifest_fields none = {0};
    frz_data_file file = read_row(&c, 0, &some, &arena);
    CHECK(file.column_count == 2 && file.columns[0].field_id == 5 && file.columns[1].field_id == 9);
    file = read_row(&c, 0, &none, &arena);
    CHECK(file.column_count == 0 && file.columns == NULL);
    clear_columns(&c);
    frz_arena_clear(&arena);
}

static void null_maps_give_nothing(void **state) /* D059 */
{
    (void)state;
    frz_arena arena = {0};
    metric_columns c = make_columns(ascending, 3);
    const frz_data_file file = read_row(&c, 1, NULL, &arena);
    CHECK(file.column_count == 0 && frz_data_file_metrics(&file, 1) == NULL);
    clear_columns(&c);
    frz_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unites_the_maps_by_field_id),
        cmocka_unit_test(d139_keys_may_come_in_any_order_and_twice),
        cmocka_unit_test(gives_only_the_wanted_columns),
        cmocka_unit_test(null_maps_give_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
