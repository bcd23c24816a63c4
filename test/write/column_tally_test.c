#include "write/column_tally.h"

#include <math.h>

#include "table_fixture.h"

#include "spec/ddl.h"

/* A table of a DDL text, the batch of a JSON-like filler, and what the tally says. */
typedef struct tallied {
    frz_schema *schema;
    struct ArrowSchema arrow;
    frz_arrow_builder *builder;
    struct ArrowArray batch;
    frz_column_tally *tally;
    frz_parquet_summary summary;
} tallied;

static tallied start(const char *ddl)
{
    frz_error *err = NULL;
    tallied t = {0};
    CHECK_OK(frz_ddl_parse_schema(frz_slice_of_text(ddl), &t.schema, &err), err);
    CHECK_OK(frz_schema_to_arrow(t.schema, &t.arrow, &err), err);
    CHECK_OK(frz_arrow_builder_new(&t.arrow, &t.builder, &err), err);
    CHECK_OK(frz_column_tally_new(frz_schema_type(t.schema), &t.tally, &err), err);
    return t;
}

static void finish(tallied *t)
{
    frz_error *err = NULL;
    CHECK_OK(frz_arrow_builder_finish(t->builder, &t->batch, &err), err);
    CHECK_OK(frz_column_tally_add(t->tally, &t->batch, &err), err);
    CHECK_OK(frz_column_tally_summary(t->tally, &t->summary, &err), err);
}

static void end(tallied *t)
{
    frz_parquet_summary_clear(&t->summary);
    frz_column_tally_free(t->tally);
    frz_arrow_array_clear(&t->batch);
    frz_arrow_builder_free(t->builder);
    frz_arrow_schema_clear(&t->arrow);
    frz_schema_unref(t->schema);
}

static void expect_counts(const frz_parquet_leaf_summary *leaf, int32_t id, int64_t values,
                          int64_t nulls)
{
    if (leaf->field_id != id || leaf->value_count != values || leaf->null_count != nulls)
        fail_msg("column %d: %lld values, %lld nulls; expected %d: %lld, %lld", leaf->field_id,
                 (long long)leaf->value_count, (long long)leaf->null_count, id, (long long)values,
                 (long long)nulls);
    CHECK(leaf->compressed_size == -1); /* null for row-oriented formats */
}

static void primitive_columns_have_counts_and_bounds(void **state)
{
    (void)state;
    tallied t = start("a long, s string, x double, d decimal(5,2), b boolean, n unknown");
    const int64_t longs[] = {5, -7, 3};
    const char *const texts[] = {"m", "zz", "a"};
    const double numbers[] = {NAN, 0.0, 2.5};
    for (size_t i = 0; i < 3; i++) {
        frz_arrow_append_i64(frz_arrow_builder_child(t.builder, 0), longs[i]);
        frz_arrow_append_bytes(frz_arrow_builder_child(t.builder, 1), frz_slice_of_text(texts[i]));
        frz_arrow_append_f64(frz_arrow_builder_child(t.builder, 2), numbers[i]);
        frz_arrow_append_decimal(frz_arrow_builder_child(t.builder, 3), (frz_int128)i - 1);
        frz_arrow_append_bool(frz_arrow_builder_child(t.builder, 4), true);
        frz_arrow_append_null(frz_arrow_builder_child(t.builder, 5));
        frz_arrow_append_struct(t.builder);
    }
    for (size_t i = 0; i < 6; i++)
        frz_arrow_append_null(frz_arrow_builder_child(t.builder, i));
    frz_arrow_append_struct(t.builder);
    finish(&t);
    CHECK(t.summary.row_count == 4);
    CHECK(t.summary.leaf_count == 5); /* unknown has none */
    for (int32_t i = 0; i < 5; i++)
        expect_counts(&t.summary.leaves[i], i + 1, 4, 1);
    const int64_t least = -7;
    const int64_t most = 5;
    CHECK(memcmp(t.summary.leaves[0].min.data, &least, 8) == 0);
    CHECK(memcmp(t.summary.leaves[0].max.data, &most, 8) == 0);
    CHECK(frz_slice_is_text(t.summary.leaves[1].min, "a"));
    CHECK(frz_slice_is_text(t.summary.leaves[1].max, "zz"));
    const double zero = -0.0; /* a zero bounds both */
    CHECK(t.summary.leaves[2].nan_count == 1);
    CHECK(memcmp(t.summary.leaves[2].min.data, &zero, 8) == 0);
    frz_int128 bound = 0;
    CHECK(frz_decimal_from_be(t.summary.leaves[3].min, &bound) && bound == -1);
    CHECK(frz_decimal_from_be(t.summary.leaves[3].max, &bound) && bound == 1);
    CHECK(t.summary.leaves[4].min.size == 1 && t.summary.leaves[4].min.data[0] == 1);
    end(&t);
}

static void nested_columns_count_what_they_hold(void **state)
{
    (void)state;
    tallied t = start("s struct<x: int>, l list<int>, m map<string, int>");
    frz_arrow_builder *s = frz_arrow_builder_child(t.builder, 0);
    frz_arrow_builder *l = frz_arrow_builder_child(t.builder, 1);
    frz_arrow_builder *m = frz_arrow_builder_child(t.builder, 2);
    frz_arrow_append_i64(frz_arrow_builder_child(s, 0), 4);
    frz_arrow_append_struct(s);
    frz_arrow_append_i64(frz_arrow_builder_child(l, 0), 1);
    frz_arrow_append_null(frz_arrow_builder_child(l, 0));
    frz_arrow_append_list(l);
    frz_arrow_builder *entries = frz_arrow_builder_child(m, 0);
    frz_arrow_append_bytes(frz_arrow_builder_child(entries, 0), frz_slice_of_text("k"));
    frz_arrow_append_i64(frz_arrow_builder_child(entries, 1), 9);
    frz_arrow_append_struct(entries);
    frz_arrow_append_list(m);
    frz_arrow_append_struct(t.builder);
    frz_arrow_append_null(s);
    frz_arrow_append_null(l);
    frz_arrow_append_null(m);
    frz_arrow_append_struct(t.builder);
    finish(&t);
    CHECK(t.summary.leaf_count == 4);
    expect_counts(&t.summary.leaves[0],
                  frz_schema_find_name(t.schema, frz_slice_of_text("s.x"), true)->id, 2, 1);
    expect_counts(&t.summary.leaves[1],
                  frz_schema_find_name(t.schema, frz_slice_of_text("l.element"), true)->id, 2, 1);
    expect_counts(&t.summary.leaves[2],
                  frz_schema_find_name(t.schema, frz_slice_of_text("m.key"), true)->id, 1, 0);
    expect_counts(&t.summary.leaves[3],
                  frz_schema_find_name(t.schema, frz_slice_of_text("m.value"), true)->id, 1, 0);
    end(&t);
}

static void slices_count_their_own_rows(void **state)
{
    frz_error *err = NULL;
    struct ArrowArray part = {0};
    (void)state;
    tallied t = start("s struct<x: long>");
    frz_arrow_builder *s = frz_arrow_builder_child(t.builder, 0);
    for (int64_t i = 0; i < 5; i++) {
        frz_arrow_append_i64(frz_arrow_builder_child(s, 0), 10 * i);
        frz_arrow_append_struct(s);
        frz_arrow_append_struct(t.builder);
    }
    CHECK_OK(frz_arrow_builder_finish(t.builder, &t.batch, &err), err);
    CHECK_OK(frz_arrow_array_slice(&t.batch, 2, 2, &part, &err), err);
    CHECK_OK(frz_column_tally_add(t.tally, &part, &err), err);
    CHECK_OK(frz_column_tally_summary(t.tally, &t.summary, &err), err);
    const int64_t least = 20;
    const int64_t most = 30;
    CHECK(t.summary.row_count == 2 && t.summary.leaves[0].value_count == 2);
    CHECK(memcmp(t.summary.leaves[0].min.data, &least, 8) == 0);
    CHECK(memcmp(t.summary.leaves[0].max.data, &most, 8) == 0);
    frz_arrow_array_clear(&part);
    end(&t);
}

static struct ArrowArray shared;
static const frz_type *shared_root;

static void tally_shared(void)
{
    frz_error *err = NULL;
    frz_column_tally *tally = NULL;
    frz_parquet_summary summary = {0};
    frz_status status = frz_column_tally_new(shared_root, &tally, &err);
    if (status == FRZ_OK)
        status = frz_column_tally_add(tally, &shared, &err);
    if (status == FRZ_OK)
        status = frz_column_tally_summary(tally, &summary, &err);
    CHECK(status == FRZ_OK || (status == FRZ_NO_MEMORY && frz_mem_failed()));
    frz_error_free(err);
    frz_parquet_summary_clear(&summary);
    frz_column_tally_free(tally);
}

static void every_allocation_may_fail(void **state)
{
    frz_error *err = NULL;
    (void)state;
    tallied t = start("s struct<x: string>");
    frz_arrow_builder *s = frz_arrow_builder_child(t.builder, 0);
    frz_arrow_append_bytes(frz_arrow_builder_child(s, 0), frz_slice_of_text("text"));
    frz_arrow_append_struct(s);
    frz_arrow_append_struct(t.builder);
    CHECK_OK(frz_arrow_builder_finish(t.builder, &t.batch, &err), err);
    shared = t.batch;
    shared_root = frz_schema_type(t.schema);
    sweep_allocation_failures(tally_shared);
    end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(primitive_columns_have_counts_and_bounds),
        cmocka_unit_test(nested_columns_count_what_they_hold),
        cmocka_unit_test(slices_count_their_own_rows),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
