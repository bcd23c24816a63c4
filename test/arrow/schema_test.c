#include "arrow/schema.h"

#include "harness.h"

/* s: struct<a: int (1), l: list<element: string (3)> (2)> */
static frz_status make_nested(struct ArrowSchema *out, frz_error **err)
{
    struct ArrowSchema root = {0};
    frz_status status =
        frz_arrow_schema_init(&root, "+s", "s", false, FRZ_ARROW_NO_FIELD_ID, 2, err);
    if (status == FRZ_OK)
        status = frz_arrow_schema_init(root.children[0], "i", "a", false, 1, 0, err);
    if (status == FRZ_OK)
        status = frz_arrow_schema_init(root.children[1], "+l", "l", true, 2, 1, err);
    if (status == FRZ_OK)
        status =
            frz_arrow_schema_init(root.children[1]->children[0], "u", "element", true, 3, 0, err);
    if (status != FRZ_OK)
        frz_arrow_schema_clear(&root);
    *out = root;
    return status;
}

static void check_nested(const struct ArrowSchema *schema)
{
    CHECK(strcmp(schema->format, "+s") == 0 && strcmp(schema->name, "s") == 0);
    CHECK(schema->flags == 0 && schema->n_children == 2);
    CHECK(frz_arrow_schema_field_id(schema) == FRZ_ARROW_NO_FIELD_ID);
    CHECK(frz_arrow_schema_field_id(schema->children[0]) == 1);
    const struct ArrowSchema *list = schema->children[1];
    CHECK(list->flags == ARROW_FLAG_NULLABLE && frz_arrow_schema_field_id(list) == 2);
    CHECK(strcmp(list->children[0]->name, "element") == 0);
    CHECK(frz_slice_is_text(frz_arrow_schema_metadata(list->children[0], "PARQUET:field_id"), "3"));
    CHECK(frz_arrow_schema_metadata(list->children[0], "absent").size == 0);
}

static void test_a_nested_schema_is_built_and_copied(void **state)
{
    (void)state;
    frz_error *err = NULL;
    struct ArrowSchema schema;
    struct ArrowSchema copy;
    CHECK_OK(make_nested(&schema, &err), err);
    check_nested(&schema);
    CHECK_OK(frz_arrow_schema_copy(&schema, &copy, &err), err);
    frz_arrow_schema_clear(&schema);
    CHECK(schema.release == NULL);
    check_nested(&copy);
    frz_arrow_schema_clear(&copy);
    frz_arrow_schema_clear(&copy);
}

static void test_metadata_is_replaced_whole(void **state)
{
    (void)state;
    frz_error *err = NULL;
    struct ArrowSchema schema;
    static const char *const keys[] = {"ARROW:extension:name", "PARQUET:field_id", "empty"};
    const frz_slice values[] = {frz_slice_of_text("arrow.uuid"), frz_slice_of_text("-7"), {0}};
    CHECK_OK(frz_arrow_schema_init(&schema, "w:16", "id", true, 5, 0, &err), err);
    CHECK_OK(frz_arrow_schema_set_metadata(&schema, keys, values, 3, &err), err);
    CHECK(frz_arrow_schema_field_id(&schema) == -7);
    CHECK(frz_slice_is_text(frz_arrow_schema_metadata(&schema, keys[0]), "arrow.uuid"));
    CHECK(frz_arrow_schema_metadata(&schema, "empty").size == 0);
    frz_arrow_schema_clear(&schema);
}

static void test_a_field_id_that_is_no_number_is_none(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "-", "x", "1x", "99999999999", "2147483648", " 1"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        frz_error *err = NULL;
        struct ArrowSchema schema;
        const char *key = "PARQUET:field_id";
        const frz_slice value = frz_slice_of_text(texts[i]);
        CHECK_OK(frz_arrow_schema_init(&schema, "i", "a", true, 5, 0, &err), err);
        CHECK_OK(frz_arrow_schema_set_metadata(&schema, &key, &value, 1, &err), err);
        CHECK(frz_arrow_schema_field_id(&schema) == FRZ_ARROW_NO_FIELD_ID);
        frz_arrow_schema_clear(&schema);
    }
}

static void build_and_copy(void)
{
    frz_error *err = NULL;
    struct ArrowSchema schema = {0};
    struct ArrowSchema copy = {0};
    frz_status status = make_nested(&schema, &err);
    if (status == FRZ_OK)
        status = frz_arrow_schema_copy(&schema, &copy, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_arrow_schema_clear(&schema);
    frz_arrow_schema_clear(&copy);
    frz_error_free(err);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    sweep_allocation_failures(build_and_copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_nested_schema_is_built_and_copied),
        cmocka_unit_test(test_metadata_is_replaced_whole),
        cmocka_unit_test(test_a_field_id_that_is_no_number_is_none),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
