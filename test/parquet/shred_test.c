#include "parquet/shred.h"

#include "arrow_equal.h"

static frz_arrow_builder *new_builder(const struct ArrowSchema *schema)
{
    frz_error *err = NULL;
    frz_arrow_builder *builder = NULL;
    CHECK_OK(frz_arrow_builder_new(schema, &builder, &err), err);
    return builder;
}

/* {c0: [1, null]}, {c0: []}, {c0: null}, {c0: [2]} */
static struct ArrowArray some_lists(const struct ArrowSchema *schema)
{
    frz_error *err = NULL;
    struct ArrowArray out;
    frz_arrow_builder *rows = new_builder(schema);
    frz_arrow_builder *list = frz_arrow_builder_child(rows, 0);
    frz_arrow_builder *item = frz_arrow_builder_child(list, 0);
    for (int row = 0; row < 4; row++) {
        if (row == 0) {
            frz_arrow_append_i64(item, 1);
            frz_arrow_append_null(item);
        } else if (row == 3) {
            frz_arrow_append_i64(item, 2);
        }
        if (row == 2)
            frz_arrow_append_null(list);
        else
            frz_arrow_append_list(list);
        frz_arrow_append_struct(rows);
    }
    CHECK_OK(frz_arrow_builder_finish(rows, &out, &err), err);
    frz_arrow_builder_free(rows);
    return out;
}

static void test_lists_have_four_kinds_of_slots(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_parquet_write_schema *made = NULL;
    frz_parquet_shredded out = {0};
    struct ArrowSchema schema = parse_schema("+s![+l[i]]");
    struct ArrowArray batch = some_lists(&schema);
    CHECK_OK(frz_parquet_write_schema_make(&schema, &arena, &made, &err), err);
    CHECK_OK(frz_parquet_shred(&made->leaves[0], &batch, 0, 4, &out, &err), err);
    CHECK(out.slot_count == 5 && out.value_count == 2 && !out.full && !out.dense);
    CHECK(memcmp(out.definition, (uint8_t[]){3, 2, 1, 0, 3}, 5) == 0);
    CHECK(memcmp(out.repetition, (uint8_t[]){0, 1, 0, 0, 0}, 5) == 0);
    CHECK(out.indexes[0] == 0 && out.indexes[1] == 2);
    CHECK_OK(frz_parquet_shred(&made->leaves[0], &batch, 3, 1, &out, &err), err);
    CHECK(out.slot_count == 1 && out.full && out.definition == NULL && out.indexes[0] == 2);
    int64_t first = 0;
    int64_t end = 0;
    frz_parquet_leaf_range(&made->leaves[0], &batch, 1, 3, &first, &end);
    CHECK(first == 2 && end == 3);
    frz_parquet_shredded_clear(&out);
    frz_arrow_array_clear(&batch);
    frz_arrow_schema_clear(&schema);
    frz_arena_clear(&arena);
}

/* c0: struct (null in row 1) of c0: optional int (null in rows 1 and 2). */
static void test_flat_columns_count_the_structs_around_them(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_parquet_write_schema *made = NULL;
    frz_parquet_shredded out = {0};
    struct ArrowSchema schema = parse_schema("+s![+s[i] l]");
    frz_arrow_builder *rows = new_builder(&schema);
    frz_arrow_builder *inner = frz_arrow_builder_child(rows, 0);
    for (int row = 0; row < 3; row++) {
        if (row == 1) {
            frz_arrow_append_null(inner);
        } else {
            if (row == 0)
                frz_arrow_append_i64(frz_arrow_builder_child(inner, 0), 7);
            else
                frz_arrow_append_null(frz_arrow_builder_child(inner, 0));
            frz_arrow_append_struct(inner);
        }
        frz_arrow_append_i64(frz_arrow_builder_child(rows, 1), row);
        frz_arrow_append_struct(rows);
    }
    struct ArrowArray batch;
    CHECK_OK(frz_arrow_builder_finish(rows, &batch, &err), err);
    frz_arrow_builder_free(rows);
    CHECK_OK(frz_parquet_write_schema_make(&schema, &arena, &made, &err), err);
    CHECK_OK(frz_parquet_shred(&made->leaves[0], &batch, 0, 3, &out, &err), err);
    CHECK(memcmp(out.definition, (uint8_t[]){2, 0, 1}, 3) == 0);
    CHECK(out.value_count == 1 && out.indexes[0] == 0 && out.repetition == NULL);
    CHECK_OK(frz_parquet_shred(&made->leaves[1], &batch, 1, 2, &out, &err), err);
    CHECK(out.full && out.dense && out.definition == NULL && out.first == 1 &&
          out.value_count == 2);
    frz_parquet_shredded_clear(&out);
    frz_arrow_array_clear(&batch);
    frz_arrow_schema_clear(&schema);
    frz_arena_clear(&arena);
}

static void test_a_null_in_a_required_field_is_named_unless_its_parent_is_null(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_parquet_write_schema *made = NULL;
    frz_parquet_shredded out = {0};
    struct ArrowSchema given = parse_schema("+s![+l[i]]");
    struct ArrowSchema required = parse_schema("+s![+l[i!]]");
    struct ArrowArray batch = some_lists(&given);
    CHECK_OK(frz_parquet_write_schema_make(&required, &arena, &made, &err), err);
    CHECK_FAILS(frz_parquet_shred(&made->leaves[0], &batch, 0, 4, &out, &err), FRZ_INVALID, err,
                "column \"c0.element\": null in a required field, row 0 of the batch");
    CHECK_OK(frz_parquet_shred(&made->leaves[0], &batch, 1, 3, &out, &err), err);
    CHECK(memcmp(out.definition, (uint8_t[]){1, 0, 2}, 3) == 0);
    frz_parquet_shredded_clear(&out);
    frz_arrow_array_clear(&batch);
    frz_arrow_schema_clear(&given);
    frz_arrow_schema_clear(&required);
    frz_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists_have_four_kinds_of_slots),
        cmocka_unit_test(test_flat_columns_count_the_structs_around_them),
        cmocka_unit_test(test_a_null_in_a_required_field_is_named_unless_its_parent_is_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
