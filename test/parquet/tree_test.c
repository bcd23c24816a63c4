#include "parquet/element.h"

#include "harness.h"
#include "parquet/footer_bytes.h"

enum { REQUIRED = 0, OPTIONAL = 1, REPEATED = 2, MAP = 1, MAP_KEY_VALUE = 2, LIST = 3, UTF8 = 0 };

static frz_status build(const element_spec *specs, size_t count, const frz_limits *limits,
                        frz_arena *arena, frz_parquet_metadata *out, frz_error **err)
{
    frz_buffer bytes = {0};
    frz_thrift_writer writer = frz_thrift_writer_to(&bytes);
    for (size_t i = 0; i < count; i++)
        write_element(&writer, &specs[i]);
    frz_thrift_reader reader = frz_thrift_reader_over(frz_buffer_slice(&bytes), 8);
    frz_parquet_element elements[32];
    CHECK(count <= 32);
    for (size_t i = 0; i < count; i++)
        frz_parquet_element_read(&reader, arena, &elements[i]);
    CHECK(!reader.cursor.failed);
    frz_buffer_clear(&bytes);
    return frz_parquet_tree_build(elements, count, limits, arena, out, err);
}

#define BUILD(specs) \
    build(specs, sizeof(specs) / sizeof((specs)[0]), &frz_limits_default, &arena, &m, &err)

/* LogicalTypes.md, "Lists": the standard form and the five rules; nullability and levels of each.
 */
static void d098_d099_lists_follow_the_five_rules(void **state)
{
    (void)state;
    const element_spec standard[] = {
        GROUP("root", NONE, 1, NONE),
        GROUP("l", OPTIONAL, 1, LIST),
        GROUP("list", REPEATED, 1, NONE),
        LEAF("element", OPTIONAL, FRZ_PARQUET_INT32, NONE),
    };
    const element_spec rule1[] = {
        GROUP("root", NONE, 1, NONE),
        GROUP("l", OPTIONAL, 1, LIST),
        LEAF("element", REPEATED, FRZ_PARQUET_INT32, NONE),
    };
    const element_spec rule2[] = {
        GROUP("root", NONE, 1, NONE),
        GROUP("l", OPTIONAL, 1, LIST),
        GROUP("element", REPEATED, 2, NONE),
        LEAF("str", REQUIRED, FRZ_PARQUET_BYTE_ARRAY, UTF8),
        LEAF("num", REQUIRED, FRZ_PARQUET_INT32, NONE),
    };
    const element_spec rule3[] = {
        GROUP("root", NONE, 1, NONE),
        GROUP("l", OPTIONAL, 1, LIST),
        GROUP("array", REPEATED, 1, LIST),
        LEAF("array", REPEATED, FRZ_PARQUET_INT32, NONE),
    };
    const element_spec rule4[] = {
        GROUP("root", NONE, 1, NONE),
        GROUP("l", OPTIONAL, 1, LIST),
        GROUP("l_tuple", REPEATED, 1, NONE),
        LEAF("str", REQUIRED, FRZ_PARQUET_BYTE_ARRAY, UTF8),
    };
    const element_spec rule5[] = {
        GROUP("root", NONE, 1, NONE),
        GROUP("l", OPTIONAL, 1, LIST),
        GROUP("bag", REPEATED, 1, NONE),
        LEAF("array_element", OPTIONAL, FRZ_PARQUET_BYTE_ARRAY, UTF8),
    };
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_parquet_metadata m = {0};

    CHECK_OK(BUILD(standard), err);
    const frz_parquet_node *list = &m.root.children[0];
    CHECK(list->shape == FRZ_PARQUET_SHAPE_LIST && list->nullable && list->definition_level == 1 &&
          list->repetition_level == 1);
    CHECK(list->children[0].nullable && list->children[0].definition_level == 3 &&
          list->children[0].max_repetition == 1 && m.leaf_count == 1);

    CHECK_OK(BUILD(rule1), err);
    list = &m.root.children[0];
    CHECK(list->shape == FRZ_PARQUET_SHAPE_LIST && list->definition_level == 1);
    CHECK(!list->children[0].nullable && list->children[0].shape == FRZ_PARQUET_SHAPE_LEAF &&
          list->children[0].max_definition == 2);

    CHECK_OK(BUILD(rule2), err);
    list = &m.root.children[0];
    CHECK(list->children[0].shape == FRZ_PARQUET_SHAPE_STRUCT && !list->children[0].nullable &&
          list->children[0].child_count == 2 && m.leaf_count == 2);

    CHECK_OK(BUILD(rule3), err);
    list = &m.root.children[0];
    CHECK(list->children[0].shape == FRZ_PARQUET_SHAPE_LIST && !list->children[0].nullable &&
          list->children[0].repetition_level == 2 && m.leaves[0]->max_repetition == 2 &&
          m.leaves[0]->max_definition == 3);

    CHECK_OK(BUILD(rule4), err);
    list = &m.root.children[0];
    CHECK(list->children[0].shape == FRZ_PARQUET_SHAPE_STRUCT &&
          strcmp(list->children[0].children[0].name, "str") == 0);

    CHECK_OK(BUILD(rule5), err);
    list = &m.root.children[0];
    CHECK(list->children[0].shape == FRZ_PARQUET_SHAPE_LEAF && list->children[0].nullable &&
          strcmp(list->children[0].name, "array_element") == 0);
    char path[FRZ_PARQUET_PATH_SIZE];
    CHECK(strcmp(frz_parquet_node_path(&list->children[0], path), "l.array_element") == 0);
    frz_arena_clear(&arena);
}

static void d098_maps_are_told_by_position_and_either_annotation(void **state)
{
    (void)state;
    const element_spec map[] = {
        GROUP("root", NONE, 1, NONE),
        GROUP("m", OPTIONAL, 1, MAP_KEY_VALUE),
        GROUP("map", REPEATED, 2, NONE),
        LEAF("str", REQUIRED, FRZ_PARQUET_BYTE_ARRAY, UTF8),
        LEAF("num", OPTIONAL, FRZ_PARQUET_INT32, NONE),
    };
    const element_spec keys_only[] = {
        GROUP("root", NONE, 1, NONE),
        GROUP("m", REQUIRED, 1, MAP),
        GROUP("map", REPEATED, 1, MAP_KEY_VALUE),
        LEAF("key", REQUIRED, FRZ_PARQUET_BYTE_ARRAY, UTF8),
    };
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_parquet_metadata m = {0};
    CHECK_OK(BUILD(map), err);
    const frz_parquet_node *node = &m.root.children[0];
    CHECK(node->shape == FRZ_PARQUET_SHAPE_MAP && node->child_count == 2 && node->nullable);
    CHECK(node->children[0].max_definition == 2 && node->children[1].max_definition == 3);
    CHECK_OK(BUILD(keys_only), err);
    node = &m.root.children[0];
    CHECK(node->shape == FRZ_PARQUET_SHAPE_LIST && !node->nullable && node->child_count == 1);
    frz_arena_clear(&arena);
}

static void test_a_bare_repeated_field_is_a_required_list(void **state)
{
    (void)state;
    const element_spec specs[] = {
        GROUP("root", NONE, 1, NONE),
        GROUP("g", REPEATED, 1, NONE),
        LEAF("x", REPEATED, FRZ_PARQUET_INT32, NONE),
    };
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_parquet_metadata m = {0};
    CHECK_OK(BUILD(specs), err);
    const frz_parquet_node *outer = &m.root.children[0];
    CHECK(outer->shape == FRZ_PARQUET_SHAPE_LIST && !outer->nullable &&
          outer->definition_level == 0 && outer->repetition_level == 1);
    const frz_parquet_node *group = &outer->children[0];
    CHECK(group->shape == FRZ_PARQUET_SHAPE_STRUCT && !group->nullable);
    CHECK(group->children[0].shape == FRZ_PARQUET_SHAPE_LIST);
    CHECK(m.leaves[0]->max_definition == 2 && m.leaves[0]->max_repetition == 2);
    frz_arena_clear(&arena);
}

static void test_wrong_trees_are_named(void **state)
{
    (void)state;
    const element_spec too_many[] = {GROUP("root", NONE, 2, NONE),
                                     LEAF("x", REQUIRED, FRZ_PARQUET_INT32, NONE)};
    const element_spec left_over[] = {GROUP("root", NONE, 1, NONE),
                                      LEAF("x", REQUIRED, FRZ_PARQUET_INT32, NONE),
                                      LEAF("y", REQUIRED, FRZ_PARQUET_INT32, NONE)};
    const element_spec bad_type[] = {GROUP("root", NONE, 1, NONE), LEAF("x", REQUIRED, 9, NONE)};
    const element_spec bad_repetition[] = {GROUP("root", NONE, 1, NONE),
                                           LEAF("x", 3, FRZ_PARQUET_INT32, NONE)};
    const element_spec bad_annotation[] = {GROUP("root", NONE, 1, NONE),
                                           LEAF("x", REQUIRED, FRZ_PARQUET_INT32, UTF8)};
    const element_spec not_repeated[] = {GROUP("root", NONE, 1, NONE),
                                         GROUP("l", OPTIONAL, 1, LIST),
                                         LEAF("x", OPTIONAL, FRZ_PARQUET_INT32, NONE)};
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_parquet_metadata m = {0};
    CHECK_FAILS(BUILD(too_many), FRZ_CORRUPT, err, "child count exceeds the elements left");
    CHECK_FAILS(BUILD(left_over), FRZ_CORRUPT, err, "3 elements, but the tree ends after 2");
    CHECK_FAILS(BUILD(bad_type), FRZ_CORRUPT, err, "\"x\": unknown physical type");
    CHECK_FAILS(BUILD(bad_repetition), FRZ_CORRUPT, err, "\"x\": unknown repetition type");
    CHECK_FAILS(BUILD(bad_annotation), FRZ_CORRUPT, err, "annotation UTF8 does not fit");
    CHECK_FAILS(BUILD(not_repeated), FRZ_CORRUPT, err, "is not repeated");
    frz_limits limits = frz_limits_default;
    limits.schema_columns = 2;
    CHECK_FAILS(build(left_over, 3, &limits, &arena, &m, &err), FRZ_UNSUPPORTED, err,
                "schema_columns");
    limits = frz_limits_default;
    limits.nesting_depth = 1;
    CHECK_FAILS(build(not_repeated, 3, &limits, &arena, &m, &err), FRZ_CORRUPT, err,
                "not repeated");
    const element_spec nested[] = {GROUP("root", NONE, 1, NONE), GROUP("a", OPTIONAL, 1, NONE),
                                   LEAF("x", OPTIONAL, FRZ_PARQUET_INT32, NONE)};
    CHECK_FAILS(build(nested, 3, &limits, &arena, &m, &err), FRZ_UNSUPPORTED, err, "nesting_depth");
    frz_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(d098_d099_lists_follow_the_five_rules),
        cmocka_unit_test(d098_maps_are_told_by_position_and_either_annotation),
        cmocka_unit_test(test_a_bare_repeated_field_is_a_required_list),
        cmocka_unit_test(test_wrong_trees_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
