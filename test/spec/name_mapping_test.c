#include "harness.h"

#include "spec/name_mapping.h"

/* Appendix C's example, with the rules of "Column Projection" beside it. */
static const char whole[] = "[ { \"field-id\": 1, \"names\": [\"id\", \"record_id\"] },"
                            "  { \"field-id\": 2, \"names\": [\"data\", \"data\"] },"
                            "  { \"field-id\": 3, \"names\": [\"location\"], \"fields\": ["
                            "      { \"field-id\": 4, \"names\": [\"latitude\", \"lat\"] },"
                            "      { \"field-id\": 5, \"names\": [\"longitude\", \"long\"] } ] },"
                            "  { \"field-id\": 0, \"names\": [\"location.lat\"] },"
                            "  { \"field-id\": 7, \"names\": [] },"
                            "  { \"names\": [\"imported only\"], \"fields\": null, \"new\": {} },"
                            "  { \"field-id\": null, \"names\": [\"null id\"] },"
                            "  { \"field-id\": 8 } ]";

static int32_t id_of(const frz_name_mapping *parent, const char *name)
{
    const frz_name_mapping *found = frz_name_mapping_find(parent, frz_slice_of_text(name));
    return found ? found->field_id : -2;
}

static void test_finds_names(void **state)
{
    (void)state;
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_name_mapping root = {0};
    CHECK_OK(frz_name_mapping_parse(frz_slice_of_text(whole), &arena, &root, &err), err);
    CHECK(root.child_count == 8 && root.field_id == -1);
    for (size_t hint = 0; hint < 10; hint++) {
        CHECK(frz_name_mapping_find_near(&root, frz_slice_of_text("record_id"), hint) ==
              &root.children[0]);
        CHECK(!frz_name_mapping_find_near(&root, frz_slice_of_text("none"), hint));
    }
    CHECK(id_of(&root, "id") == 1 && id_of(&root, "record_id") == 1 && id_of(&root, "data") == 2);
    CHECK(id_of(&root, "location.lat") == 0); /* a literal name */
    CHECK(id_of(&root, "imported only") == -1 && id_of(&root, "null id") == -1);
    CHECK(id_of(&root, "ID") == -2 && id_of(&root, "") == -2 && id_of(&root, "lat") == -2);
    const frz_name_mapping *location = frz_name_mapping_find(&root, frz_slice_of_text("location"));
    CHECK(location->child_count == 2 && id_of(location, "lat") == 4);
    CHECK(id_of(location, "long") == 5 && id_of(location, "location") == -2);
    CHECK_OK(frz_name_mapping_parse(frz_slice_of_text(" [] "), &arena, &root, &err), err);
    CHECK(root.child_count == 0);
    frz_arena_clear(&arena);
}

static void test_refuses_what_is_no_mapping(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"{}", "JSON at offset 0: expected an array"},
        {"[1]", "expected an object"},
        {"[{\"names\":\"a\"}]", "expected an array"},
        {"[{\"names\":[1]}]", "expected a string"},
        {"[{\"names\":[\"a\\u0000\"]}]", "a text that holds U+0000"},
        {"[{\"field-id\":-4}]", "field id -4 is negative"},
        {"[{\"field-id\":\"4\"}]", "expected a number"},
        {"[] x", "expected the end"},
        {"[{\"names\":[\"a\",\"b\"]},{\"names\":[\"b\"]}]", "the name b stands in two mappings"},
        {"[{\"names\":[\"a\"],\"fields\":[{\"names\":[\"x\"]},{\"names\":[\"x\"]}]}]",
         "the name x stands in two mappings"},
    };
    frz_arena arena = {0};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        frz_error *err = NULL;
        frz_name_mapping root = {.field_id = -7};
        CHECK_FAILS(frz_name_mapping_parse(frz_slice_of_text(bad[i][0]), &arena, &root, &err),
                    FRZ_CORRUPT, err, bad[i][1]);
        CHECK(root.field_id == -7);
    }
    frz_arena_clear(&arena);
}

static void parse_once(void)
{
    frz_arena arena = {0};
    frz_error *err = NULL;
    frz_name_mapping root = {0};
    const frz_status status = frz_name_mapping_parse(frz_slice_of_text(whole), &arena, &root, &err);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_error_free(err);
    frz_arena_clear(&arena);
}

static void test_short_memory_is_reported(void **state)
{
    (void)state;
    sweep_allocation_failures(parse_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_names),
        cmocka_unit_test(test_refuses_what_is_no_mapping),
        cmocka_unit_test(test_short_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
