#include "parquet/write_schema.h"

#include "arrow_equal.h"

static frz_parquet_write_schema *make(const char *text, frz_arena *arena)
{
    frz_error *err = NULL;
    struct ArrowSchema schema = parse_schema(text);
    frz_parquet_write_schema *out = NULL;
    CHECK_OK(frz_parquet_write_schema_make(&schema, arena, &out, &err), err);
    frz_arrow_schema_clear(&schema);
    return out;
}

static void test_leaves_know_their_paths_and_levels(void **state)
{
    (void)state;
    frz_arena arena = {0};
    const frz_parquet_write_schema *schema = make("+s![i! +l[+s![u n]] +m![+s![u l]]]", &arena);
    CHECK(schema->leaf_count == 4 && schema->tree.leaf_count == 4);
    const frz_parquet_leaf *leaves = schema->leaves;
    CHECK(strcmp(leaves[0].arrow_path, "c0") == 0 && leaves[0].field_id == 1);
    CHECK(leaves[0].node->max_definition == 0 && leaves[0].width == 4);
    CHECK(strcmp(leaves[1].arrow_path, "c1.element.c0") == 0 && leaves[1].path_count == 4);
    CHECK(strcmp(leaves[1].path[1], "list") == 0 && strcmp(leaves[1].path[2], "element") == 0);
    CHECK(leaves[1].node->max_definition == 3 && leaves[1].node->max_repetition == 1);
    CHECK(strcmp(leaves[2].arrow_path, "c2.key") == 0);
    CHECK(leaves[2].node->max_definition == 1 && !leaves[2].node->nullable);
    CHECK(leaves[2].step_count == 3 && leaves[2].steps[0].kind == FRZ_ARROW_MAP);
    CHECK(strcmp(leaves[3].path[1], "key_value") == 0 && strcmp(leaves[3].path[2], "value") == 0);
    CHECK(leaves[3].node->max_definition == 2 && leaves[3].width == 8);
    CHECK(schema->elements[0].child_count == 3 && schema->element_count == 10);
    frz_arena_clear(&arena);
}

/* Iceberg spec, Appendix A, "Parquet". */
static void test_types_are_those_of_the_specification(void **state)
{
    (void)state;
    static const struct {
        const char *format;
        frz_parquet_type type;
        int32_t length;
        frz_parquet_logical logical;
        int32_t converted;
        char unit;
        bool utc;
    } cases[] = {
        {"b", FRZ_PARQUET_BOOLEAN, 0, FRZ_PARQUET_LOGICAL_NONE, -1, 0, false},
        {"i", FRZ_PARQUET_INT32, 0, FRZ_PARQUET_LOGICAL_NONE, -1, 0, false},
        {"l", FRZ_PARQUET_INT64, 0, FRZ_PARQUET_LOGICAL_NONE, -1, 0, false},
        {"f", FRZ_PARQUET_FLOAT, 0, FRZ_PARQUET_LOGICAL_NONE, -1, 0, false},
        {"g", FRZ_PARQUET_DOUBLE, 0, FRZ_PARQUET_LOGICAL_NONE, -1, 0, false},
        {"d:9,2", FRZ_PARQUET_INT32, 0, FRZ_PARQUET_LOGICAL_DECIMAL, 5, 0, false},
        {"d:10,2", FRZ_PARQUET_INT64, 0, FRZ_PARQUET_LOGICAL_DECIMAL, 5, 0, false},
        {"d:18,2", FRZ_PARQUET_INT64, 0, FRZ_PARQUET_LOGICAL_DECIMAL, 5, 0, false},
        {"d:19,2", FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY, 9, FRZ_PARQUET_LOGICAL_DECIMAL, 5, 0, false},
        {"d:21,2", FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY, 9, FRZ_PARQUET_LOGICAL_DECIMAL, 5, 0, false},
        {"d:22,2", FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY, 10, FRZ_PARQUET_LOGICAL_DECIMAL, 5, 0, false},
        {"d:38,2", FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY, 16, FRZ_PARQUET_LOGICAL_DECIMAL, 5, 0, false},
        {"tdD", FRZ_PARQUET_INT32, 0, FRZ_PARQUET_LOGICAL_DATE, 6, 0, false},
        {"ttu", FRZ_PARQUET_INT64, 0, FRZ_PARQUET_LOGICAL_TIME, 8, 'u', false},
        {"tsu:", FRZ_PARQUET_INT64, 0, FRZ_PARQUET_LOGICAL_TIMESTAMP, 10, 'u', false},
        {"tsu:UTC", FRZ_PARQUET_INT64, 0, FRZ_PARQUET_LOGICAL_TIMESTAMP, 10, 'u', true},
        {"tsn:UTC", FRZ_PARQUET_INT64, 0, FRZ_PARQUET_LOGICAL_TIMESTAMP, -1, 'n', true},
        {"u", FRZ_PARQUET_BYTE_ARRAY, 0, FRZ_PARQUET_LOGICAL_STRING, 0, 0, false},
        {"z", FRZ_PARQUET_BYTE_ARRAY, 0, FRZ_PARQUET_LOGICAL_NONE, -1, 0, false},
        {"w:16", FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY, 16, FRZ_PARQUET_LOGICAL_NONE, -1, 0, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        frz_arena arena = {0};
        char text[32];
        (void)snprintf(text, sizeof text, "+s![%s]", cases[i].format);
        const frz_parquet_element *element = &make(text, &arena)->elements[1];
        CHECK(element->has_type && element->type == (int32_t)cases[i].type);
        CHECK(element->type_length == cases[i].length && element->logical == cases[i].logical);
        CHECK(element->converted == cases[i].converted && element->unit == cases[i].unit);
        CHECK(element->adjusted_to_utc == cases[i].utc);
        CHECK(element->repetition == FRZ_PARQUET_OPTIONAL && element->field_id == 1);
        frz_arena_clear(&arena);
    }
}

static void test_an_extension_name_makes_a_uuid(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_arena arena = {0};
    struct ArrowSchema schema = parse_schema("+s![w:16]");
    const char *key = "ARROW:extension:name";
    const frz_slice value = frz_slice_of_text("arrow.uuid");
    frz_parquet_write_schema *out = NULL;
    CHECK_OK(frz_arrow_schema_set_metadata(schema.children[0], &key, &value, 1, &err), err);
    CHECK_OK(frz_parquet_write_schema_make(&schema, &arena, &out, &err), err);
    CHECK(out->elements[1].logical == FRZ_PARQUET_LOGICAL_UUID && !out->elements[1].has_field_id);
    CHECK(out->leaves[0].field_id == FRZ_ARROW_NO_FIELD_ID);
    frz_arena_clear(&arena);
    frz_arrow_schema_clear(&schema);
}

static void test_what_has_no_form_is_refused_by_name(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"+s![+l[n]]", "column \"c0.element\": null type inside of a list or map"},
        {"+s![i +s[n]]", "column \"c1\": a struct without fields"},
        {"+s![+s[c]]", "column \"c0.c0\": writing Arrow type int8 (c)"},
        {"+s![d:5,-2]", "writing Arrow type decimal128"},
        {"+s![w:0]", "writing Arrow type fixed_size_binary"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        frz_error *err = NULL;
        frz_arena arena = {0};
        frz_parquet_write_schema *out = NULL;
        struct ArrowSchema schema = parse_schema(cases[i][0]);
        CHECK_FAILS(frz_parquet_write_schema_make(&schema, &arena, &out, &err), FRZ_UNSUPPORTED,
                    err, cases[i][1]);
        frz_arrow_schema_clear(&schema);
        frz_arena_clear(&arena);
    }
    frz_error *err = NULL;
    frz_arena arena = {0};
    frz_parquet_write_schema *out = NULL;
    struct ArrowSchema schema = parse_schema("i");
    CHECK_FAILS(frz_parquet_write_schema_make(&schema, &arena, &out, &err), FRZ_INVALID, err,
                "is a struct, not \"i\"");
    frz_arrow_schema_clear(&schema);
    frz_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leaves_know_their_paths_and_levels),
        cmocka_unit_test(test_types_are_those_of_the_specification),
        cmocka_unit_test(test_an_extension_name_makes_a_uuid),
        cmocka_unit_test(test_what_has_no_form_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
