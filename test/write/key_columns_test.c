#include "write/key_columns.h"

#include "table_fixture.h"

#include "spec/ddl.h"

static const char ddl[] = "id long not null, s struct<a: int, t: struct<k: string, x: int>>, d "
                          "double, l list<int>, n string default 'x'";

/* Rows of the schema above: id, s.a, s.t.k; "-" for a null struct s. */
typedef struct key_rows {
    frz_schema *schema;
    struct ArrowSchema arrow;
    struct ArrowArray batch;
    frz_arena arena;
} key_rows;

static void append_row(frz_arrow_builder *builder, int64_t id, const char *k)
{
    frz_arrow_builder *s = frz_arrow_builder_child(builder, 1);
    frz_arrow_builder *t = frz_arrow_builder_child(s, 1);
    frz_arrow_append_i64(frz_arrow_builder_child(builder, 0), id);
    if (k) {
        frz_arrow_append_i64(frz_arrow_builder_child(s, 0), id * 10);
        frz_arrow_append_bytes(frz_arrow_builder_child(t, 0), frz_slice_of_text(k));
        frz_arrow_append_null(frz_arrow_builder_child(t, 1));
        frz_arrow_append_struct(t);
        frz_arrow_append_struct(s);
    } else {
        frz_arrow_append_null(s);
    }
    for (size_t i = 2; i < 5; i++)
        frz_arrow_append_null(frz_arrow_builder_child(builder, i));
    frz_arrow_append_struct(builder);
}

static key_rows make_rows(void)
{
    frz_error *err = NULL;
    key_rows out = {0};
    frz_arrow_builder *builder = NULL;
    CHECK_OK(frz_ddl_parse_schema(frz_slice_of_text(ddl), &out.schema, &err), err);
    CHECK_OK(frz_schema_to_arrow(out.schema, &out.arrow, &err), err);
    CHECK_OK(frz_arrow_builder_new(&out.arrow, &builder, &err), err);
    append_row(builder, 1, "one");
    append_row(builder, 2, NULL);
    append_row(builder, 3, "one");
    append_row(builder, 1, "one");
    CHECK_OK(frz_arrow_builder_finish(builder, &out.batch, &err), err);
    frz_arrow_builder_free(builder);
    return out;
}

static void clear_rows(key_rows *rows)
{
    frz_arena_clear(&rows->arena);
    frz_arrow_array_clear(&rows->batch);
    frz_arrow_schema_clear(&rows->arrow);
    frz_schema_unref(rows->schema);
}

static const char *const nested[] = {"s.t.k", "id"};

static void keys_are_read_alike_from_rows_and_from_keys(void **state)
{
    frz_error *err = NULL;
    frz_key_columns keys;
    struct ArrowArray taken = {0};
    const int64_t all[] = {0, 1, 2, 3};
    frz_buffer bytes[4] = {0};
    const frz_key_choice choice = {nested, 2, true};
    key_rows rows = make_rows();
    (void)state;
    CHECK_OK(frz_key_columns_open(&keys, rows.schema, &choice, &rows.arena, &err), err);
    CHECK(keys.count == 2 && keys.ids[1] == 1);
    CHECK(frz_schema_type(keys.schema)->field_count == 2); /* id, s: in the table's order */
    assert_string_equal(frz_schema_path(keys.schema, keys.ids[0]), "s.t.k");
    CHECK(!frz_schema_find_name(keys.schema, frz_slice_of_text("s.a"), true));
    CHECK_OK(frz_key_columns_take(&keys, &rows.batch, all, 4, &taken, &err), err);
    CHECK(taken.n_children == 2 && taken.children[1]->n_children == 1);
    for (int64_t i = 0; i < 4; i++) {
        CHECK_OK(frz_key_columns_read(&keys, keys.in_table, &rows.batch, i, &err), err);
        frz_buffer_append(&bytes[i], keys.bytes.data, keys.bytes.size);
        CHECK_OK(frz_key_columns_read(&keys, keys.in_keys, &taken, i, &err), err);
        CHECK(frz_slice_compare(frz_buffer_slice(&bytes[i]), frz_buffer_slice(&keys.bytes)) == 0);
    }
    CHECK(frz_slice_compare(frz_buffer_slice(&bytes[0]), frz_buffer_slice(&bytes[3])) == 0);
    CHECK(frz_slice_compare(frz_buffer_slice(&bytes[0]), frz_buffer_slice(&bytes[2])) != 0);
    CHECK(frz_slice_compare(frz_buffer_slice(&bytes[0]), frz_buffer_slice(&bytes[1])) != 0);
    for (size_t i = 0; i < 4; i++)
        frz_buffer_clear(&bytes[i]);
    frz_arrow_array_clear(&taken);
    frz_key_columns_close(&keys);
    clear_rows(&rows);
}

static void refusals_name_the_column(void **state)
{
    static const struct {
        const char *names[2];
        const char *message;
    } cases[] = {
        {{"d", "id"}, "column d (double) is no delete column"},
        {{"l.element", "id"}, "column l.element (int) is no key"},
        {{"s", "id"}, "column s (struct) is no key"},
        {{"id", "id"}, "key column id is given twice"},
        {{"idd", "id"}, "no column idd"},
    };
    key_rows rows = make_rows();
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        frz_error *err = NULL;
        frz_key_columns keys;
        const frz_key_choice choice = {cases[i].names, 2, true};
        CHECK_FAILS(frz_key_columns_open(&keys, rows.schema, &choice, &rows.arena, &err),
                    FRZ_INVALID, err, cases[i].message);
    }
    clear_rows(&rows);
}

static void partition_sources_are_part_of_the_key(void **state)
{
    frz_error *err = NULL;
    frz_key_columns keys;
    const frz_key_choice choice = {nested, 2, true};
    key_rows rows = make_rows();
    const int32_t n = frz_schema_find_name(rows.schema, frz_slice_of_text("n"), true)->id;
    const int32_t id = 1;
    const frz_partition_field of_n = {.source_ids = &n,
                                      .source_count = 1,
                                      .field_id = 1000,
                                      .name = "n",
                                      .transform = {.kind = FRZ_TRANSFORM_IDENTITY}};
    frz_partition_field dropped = of_n;
    frz_partition_field of_id = of_n;
    frz_partition_spec spec = {.fields = &of_n, .field_count = 1};
    (void)state;
    dropped.transform.kind = FRZ_TRANSFORM_VOID;
    of_id.source_ids = &id;
    CHECK_OK(frz_key_columns_open(&keys, rows.schema, &choice, &rows.arena, &err), err);
    CHECK_FAILS(frz_key_columns_check_spec(&keys, rows.schema, &spec, &err), FRZ_INVALID, err,
                "partitioned by column n, which is no part of the key");
    spec.fields = &dropped;
    CHECK_OK(frz_key_columns_check_spec(&keys, rows.schema, &spec, &err), err);
    spec.fields = &of_id;
    CHECK_OK(frz_key_columns_check_spec(&keys, rows.schema, &spec, &err), err);
    frz_key_columns_close(&keys);
    clear_rows(&rows);
}

static key_rows *shared;

static void open_and_take(void)
{
    frz_error *err = NULL;
    frz_key_columns keys = {0};
    frz_arena arena = {0};
    struct ArrowArray taken = {0};
    const int64_t some[] = {2, 1};
    const frz_key_choice choice = {nested, 2, true};
    frz_status status = frz_key_columns_open(&keys, shared->schema, &choice, &arena, &err);
    if (status == FRZ_OK)
        status = frz_key_columns_take(&keys, &shared->batch, some, 2, &taken, &err);
    if (status == FRZ_OK)
        status = frz_key_columns_read(&keys, keys.in_keys, &taken, 0, &err);
    CHECK(status == FRZ_OK || (status == FRZ_NO_MEMORY && frz_mem_failed()));
    frz_error_free(err);
    frz_arrow_array_clear(&taken);
    frz_key_columns_close(&keys);
    frz_arena_clear(&arena);
}

static void every_allocation_may_fail(void **state)
{
    key_rows rows = make_rows();
    (void)state;
    shared = &rows;
    sweep_allocation_failures(open_and_take);
    clear_rows(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_read_alike_from_rows_and_from_keys),
        cmocka_unit_test(refusals_name_the_column),
        cmocka_unit_test(partition_sources_are_part_of_the_key),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
