#include "arrow/schema.h"

#include "harness.h"
#include "parquet/element.h"
#include "parquet/file.h"
#include "parquet/footer_bytes.h"

enum { MAP = 1, LIST = 3, UTF8 = 0 };

/* root { id, m: map<string, struct<a, b>>, l: list<int>, u: uuid } with field ids 1 to 8. */
static void build_tree(frz_arena *arena, frz_parquet_metadata *out)
{
    element_spec specs[] = {
        GROUP("root", NONE, 4, NONE),
        LEAF("id", 0, FRZ_PARQUET_INT64, NONE),
        GROUP("m", 1, 1, MAP),
        GROUP("key_value", 2, 2, NONE),
        LEAF("key", 0, FRZ_PARQUET_BYTE_ARRAY, UTF8),
        GROUP("value", 1, 2, NONE),
        LEAF("a", 1, FRZ_PARQUET_INT32, NONE),
        LEAF("b", 1, FRZ_PARQUET_INT32, NONE),
        GROUP("l", 1, 1, LIST),
        LEAF("array", 2, FRZ_PARQUET_INT32, NONE),
        LEAF("u", 1, FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY, NONE),
    };
    enum { COUNT = sizeof specs / sizeof specs[0] };
    specs[1].field_id = 1;
    specs[2].field_id = 0; /* field ids may be 0 */
    specs[10].field_id = 8;
    specs[10].type_length = 16;
    specs[10].logical = 14;
    frz_buffer bytes = {0};
    frz_thrift_writer writer = frz_thrift_writer_to(&bytes);
    frz_parquet_element elements[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        write_element(&writer, &specs[i]);
    frz_thrift_reader reader = frz_thrift_reader_over(frz_buffer_slice(&bytes), 8);
    for (size_t i = 0; i < COUNT; i++)
        frz_parquet_element_read(&reader, arena, &elements[i]);
    CHECK(!reader.cursor.failed);
    frz_buffer_clear(&bytes);
    CHECK(frz_parquet_tree_build(elements, COUNT, &frz_limits_default, arena, out, NULL) == FRZ_OK);
}

static void test_nested_types_with_their_field_ids(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_parquet_metadata m = {0};
    build_tree(&arena, &m);
    struct ArrowSchema s = {0};
    frz_error *err = NULL;
    CHECK_OK(frz_parquet_node_arrow(NULL, &m.root, NULL, &s, &err), err);
    CHECK(strcmp(s.format, "+s") == 0 && s.n_children == 4);
    CHECK(strcmp(s.children[0]->format, "l") == 0 && !(s.children[0]->flags & ARROW_FLAG_NULLABLE));
    CHECK(frz_arrow_schema_field_id(s.children[0]) == 1);
    const struct ArrowSchema *map = s.children[1];
    CHECK(strcmp(map->format, "+m") == 0 && map->flags & ARROW_FLAG_NULLABLE);
    CHECK(frz_arrow_schema_field_id(map) == 0);
    CHECK(map->n_children == 1 && map->children[0]->n_children == 2);
    CHECK(strcmp(map->children[0]->children[0]->format, "u") == 0);
    CHECK(map->children[0]->children[1]->n_children == 2);
    CHECK(strcmp(s.children[2]->format, "+l") == 0 &&
          strcmp(s.children[2]->children[0]->name, "array") == 0);
    CHECK(frz_arrow_schema_field_id(s.children[2]) == FRZ_ARROW_NO_FIELD_ID);
    CHECK(frz_slice_is_text(frz_arrow_schema_metadata(s.children[3], "ARROW:extension:name"),
                            "arrow.uuid"));
    CHECK(frz_arrow_schema_field_id(s.children[3]) == 8);
    frz_arrow_schema_clear(&s);
    frz_arena_clear(&arena);
}

static void test_only_selected_leaves_but_whole_maps(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_parquet_metadata m = {0};
    build_tree(&arena, &m);
    struct ArrowSchema s = {0};
    frz_error *err = NULL;
    const bool value_b[] = {false, false, false, true, false, false};
    CHECK_OK(frz_parquet_node_arrow(NULL, &m.root, value_b, &s, &err), err);
    CHECK(s.n_children == 1 && strcmp(s.children[0]->name, "m") == 0);
    CHECK(s.children[0]->children[0]->n_children == 2);
    CHECK(s.children[0]->children[0]->children[1]->n_children == 2);
    frz_arrow_schema_clear(&s);
    const bool none[6] = {false};
    CHECK_FAILS(frz_parquet_node_arrow(NULL, &m.root, none, &s, &err), FRZ_INVALID, err,
                "no column of \"root\" is selected");
    frz_arena_clear(&arena);
}

static frz_parquet_metadata swept;

static void schema_under_failure(void)
{
    struct ArrowSchema s = {0};
    const frz_status status = frz_parquet_node_arrow(NULL, &swept.root, NULL, &s, NULL);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_arrow_schema_clear(&s);
}

static void test_allocation_failures(void **state)
{
    (void)state;
    frz_arena arena = {0};
    build_tree(&arena, &swept);
    sweep_allocation_failures(schema_under_failure);
    frz_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nested_types_with_their_field_ids),
        cmocka_unit_test(test_only_selected_leaves_but_whole_maps),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
