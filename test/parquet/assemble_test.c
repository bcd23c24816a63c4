#include "parquet/assemble.h"

#include "arrow/array.h"
#include "arrow/schema.h"
#include "harness.h"

/* A part of INT32 values with the given levels; values are 1, 2, 3, ... */
static frz_parquet_leaf_part make_part(frz_parquet_column *column, const frz_parquet_node *leaf,
                                       const char *repetition, const char *definition, size_t rows)
{
    frz_parquet_leaf_part part = {.column = column};
    int32_t next = 1;
    memset(column, 0, sizeof *column);
    column->leaf = leaf;
    column->source.size_max = 1 << 20;
    CHECK(frz_parquet_layout_of(leaf, &column->source.layout, NULL) == FRZ_OK);
    part.batch.rows = rows;
    part.batch.entry_count = strlen(definition);
    for (size_t i = 0; definition[i]; i++) {
        frz_buffer_append_byte(&part.batch.definition, (uint8_t)(definition[i] - '0'));
        if (repetition)
            frz_buffer_append_byte(&part.batch.repetition, (uint8_t)(repetition[i] - '0'));
        if (definition[i] - '0' == leaf->max_definition) {
            frz_buffer_append(&part.batch.values.data, &next, sizeof next);
            part.batch.values.count++;
            next++;
        }
    }
    return part;
}

static frz_parquet_node leaf_node(const char *name, int16_t definition, int16_t repetition)
{
    return (frz_parquet_node){.name = name,
                              .type = FRZ_PARQUET_INT32,
                              .definition_level = definition,
                              .repetition_level = repetition,
                              .max_definition = definition,
                              .max_repetition = repetition};
}

static void check_offsets(const struct ArrowArray *array, const int32_t *want)
{
    CHECK(memcmp(array->buffers[1], want, ((size_t)array->length + 1) * sizeof *want) == 0);
}

/* optional list of optional lists of optional ints: null, [], [null], [[]], [[1, null], [2]]. */
static void test_lists_in_lists_with_nulls_at_every_depth(void **state)
{
    (void)state;
    frz_parquet_node leaf = leaf_node("x", 5, 2);
    frz_parquet_node inner = {.name = "i",
                              .shape = FRZ_PARQUET_SHAPE_LIST,
                              .definition_level = 3,
                              .repetition_level = 2,
                              .children = &leaf,
                              .child_count = 1};
    const frz_parquet_node outer = {.name = "o",
                                    .shape = FRZ_PARQUET_SHAPE_LIST,
                                    .definition_level = 1,
                                    .repetition_level = 1,
                                    .children = &inner,
                                    .child_count = 1};
    frz_parquet_column *column = calloc(1, sizeof *column);
    frz_parquet_leaf_part part = make_part(column, &leaf, "0000021", "0123545", 5);
    struct ArrowArray array = {0};
    frz_error *err = NULL;
    CHECK_OK(frz_parquet_assemble(&outer, NULL, &part, 5, &array, &err), err);
    const int32_t outer_offsets[] = {0, 0, 0, 1, 2, 4};
    const int32_t inner_offsets[] = {0, 0, 0, 2, 3};
    CHECK(array.length == 5 && array.null_count == 1 && frz_arrow_is_null(&array, 0));
    check_offsets(&array, outer_offsets);
    const struct ArrowArray *lists = array.children[0];
    CHECK(lists->length == 4 && lists->null_count == 1 && frz_arrow_is_null(lists, 0));
    check_offsets(lists, inner_offsets);
    const struct ArrowArray *items = lists->children[0];
    const int32_t *values = items->buffers[1];
    CHECK(items->length == 3 && items->null_count == 1 && frz_arrow_is_null(items, 1));
    CHECK(values[0] == 1 && values[1] == 0 && values[2] == 2);
    frz_arrow_array_clear(&array);
    frz_parquet_leaf_batch_clear(&part.batch);
    free(column);
}

/* optional struct { optional a; optional list l }: null, { null, null }, { 1, [1, 2] }. */
static void make_struct(frz_parquet_node nodes[4])
{
    nodes[0] = (frz_parquet_node){.name = "s",
                                  .shape = FRZ_PARQUET_SHAPE_STRUCT,
                                  .definition_level = 1,
                                  .children = &nodes[1],
                                  .child_count = 2};
    nodes[1] = leaf_node("a", 2, 0);
    nodes[2] = (frz_parquet_node){.name = "l",
                                  .shape = FRZ_PARQUET_SHAPE_LIST,
                                  .definition_level = 2,
                                  .repetition_level = 1,
                                  .children = &nodes[3],
                                  .child_count = 1};
    nodes[3] = leaf_node("e", 3, 1);
    nodes[1].leaf_index = 0;
    nodes[3].leaf_index = 1;
}

static void test_structs_with_lists_beside_plain_fields(void **state)
{
    (void)state;
    frz_parquet_node nodes[4];
    make_struct(nodes);
    frz_parquet_column *columns = calloc(2, sizeof *columns);
    frz_parquet_leaf_part parts[] = {make_part(&columns[0], &nodes[1], NULL, "012", 3),
                                     make_part(&columns[1], &nodes[3], "0001", "0133", 3)};
    struct ArrowArray array = {0};
    frz_error *err = NULL;
    CHECK_OK(frz_parquet_assemble(&nodes[0], NULL, parts, 3, &array, &err), err);
    CHECK(array.null_count == 1 && frz_arrow_is_null(&array, 0) && array.n_children == 2);
    CHECK(array.children[0]->null_count == 2 && array.children[1]->null_count == 2);
    const int32_t offsets[] = {0, 0, 0, 2};
    check_offsets(array.children[1], offsets);
    frz_arrow_array_clear(&array);
    for (int i = 0; i < 2; i++)
        frz_parquet_leaf_batch_clear(&parts[i].batch);

    /* The list alone: the struct is told by its levels. */
    const bool only_list[] = {false, true};
    frz_parquet_leaf_part alone = make_part(&columns[1], &nodes[3], "0001", "0133", 3);
    CHECK(frz_parquet_node_selected(&nodes[0], only_list));
    CHECK_OK(frz_parquet_assemble(&nodes[0], only_list, &alone, 3, &array, &err), err);
    CHECK(array.n_children == 1 && array.null_count == 1 && array.children[0]->length == 3);
    frz_arrow_array_clear(&array);
    frz_parquet_leaf_batch_clear(&alone.batch);
    free(columns);
}

static void test_leaves_that_disagree_are_refused(void **state)
{
    (void)state;
    frz_parquet_node key_value[2] = {leaf_node("k", 1, 1), leaf_node("v", 1, 1)};
    const frz_parquet_node map = {.name = "m",
                                  .shape = FRZ_PARQUET_SHAPE_MAP,
                                  .repetition_level = 1,
                                  .children = key_value,
                                  .child_count = 2};
    frz_parquet_column *columns = calloc(2, sizeof *columns);
    struct ArrowArray array = {0};
    frz_error *err = NULL;
    frz_parquet_leaf_part parts[] = {make_part(&columns[0], &key_value[0], "010", "111", 2),
                                     make_part(&columns[1], &key_value[1], "00", "11", 2)};
    CHECK_FAILS(frz_parquet_assemble(&map, NULL, parts, 2, &array, &err), FRZ_CORRUPT, err,
                "different numbers of values");
    CHECK(array.release == NULL);
    for (int i = 0; i < 2; i++)
        frz_parquet_leaf_batch_clear(&parts[i].batch);
    free(columns);
}

/* The allocation sweep over assembling is field_reader_test's, which reads nested columns whole. */
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists_in_lists_with_nulls_at_every_depth),
        cmocka_unit_test(test_structs_with_lists_beside_plain_fields),
        cmocka_unit_test(test_leaves_that_disagree_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
