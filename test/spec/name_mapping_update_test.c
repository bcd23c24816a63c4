#include "spec/name_mapping_update.h"

#include "spec/schema_fixture.h"

static frz_status follow(const char *mapping, const frz_schema *before, const frz_schema *after,
                         frz_buffer *out, frz_error **err)
{
    frz_arena arena = {0};
    frz_name_mapping root = {0};
    frz_status status = frz_name_mapping_parse(frz_slice_of_text(mapping), &arena, &root, err);
    if (status == FRZ_OK)
        status = frz_name_mapping_follow(&root, before, after, out, err);
    frz_arena_clear(&arena);
    return status;
}

static void check_mapping(const char *mapping, const frz_schema *before,
                          const frz_schema_update *update, const char *want)
{
    frz_error *err = NULL;
    frz_buffer text = {0};
    CHECK_OK(follow(mapping, before, update->schema, &text, &err), err);
    frz_buffer_append_byte(&text, 0);
    assert_string_equal((const char *)text.data, want);
    frz_buffer_clear(&text);
}

static const char columns[] = "id long, name string, s struct<a int>, l list<struct<x int>>";
static const char mapping[] =
    "[{\"field-id\":1,\"names\":[\"id\",\"key\"]},{\"field-id\":2,\"names\":[\"name\"]},"
    "{\"field-id\":3,\"names\":[\"s\"],\"fields\":[{\"field-id\":5,\"names\":[\"a\"]}]},"
    "{\"field-id\":4,\"names\":[\"l\"],\"fields\":[{\"field-id\":6,\"names\":[\"element\"],"
    "\"fields\":[{\"field-id\":7,\"names\":[\"x\"]}]}]},{\"names\":[\"imported\"]}]";

static void renamed_columns_have_both_names_and_new_ones_theirs(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_schema *before = schema_of(columns);
    frz_schema_update update = update_of(columns, 3);
    CHECK_OK(frz_schema_update_rename(&update, "name", "label", &err), err);
    CHECK_OK(frz_schema_update_rename(&update, "l.x", "y", &err), err);
    CHECK_OK(add_column(&update, "s.b", "map<string, int>", &err), err);
    CHECK_OK(frz_schema_update_drop(&update, "id", &err), err);
    check_mapping(
        mapping, before, &update,
        "[{\"field-id\":1,\"names\":[\"id\",\"key\"]},{\"field-id\":2,\"names\":[\"name\","
        "\"label\"]},{\"field-id\":3,\"names\":[\"s\"],\"fields\":[{\"field-id\":5,\"names\":"
        "[\"a\"]},{\"field-id\":8,\"names\":[\"b\"],\"fields\":[{\"field-id\":9,\"names\":"
        "[\"key\"]},{\"field-id\":10,\"names\":[\"value\"]}]}]},{\"field-id\":4,\"names\":"
        "[\"l\"],\"fields\":[{\"field-id\":6,\"names\":[\"element\"],\"fields\":[{\"field-id\":7,"
        "\"names\":[\"x\",\"y\"]}]}]},{\"names\":[\"imported\"]}]");
    frz_schema_update_clear(&update);
    frz_schema_unref(before);
}

/* The name of a dropped or renamed column that another takes is that one's alone. */
static void a_name_that_is_given_away_goes(void **state)
{
    (void)state;
    frz_error *err = NULL;
    static const char two[] = "[{\"field-id\":1,\"names\":[\"a\",\"c\"]},{\"field-id\":2,\"names\":"
                              "[\"b\"]}]";
    frz_schema *before = schema_of("a int, b int");
    frz_schema_update update = update_of("a int, b int", 3);
    CHECK_OK(frz_schema_update_drop(&update, "a", &err), err);
    CHECK_OK(add_column(&update, "a", "int", &err), err);
    CHECK_OK(frz_schema_update_rename(&update, "b", "c", &err), err);
    check_mapping(two, before, &update,
                  "[{\"field-id\":1,\"names\":[]},{\"field-id\":2,\"names\":[\"b\",\"c\"]},"
                  "{\"field-id\":3,\"names\":[\"a\"]}]");
    frz_schema_update_clear(&update);
    frz_schema_unref(before);
}

static void follow_once(void)
{
    frz_schema *schema = NULL;
    frz_schema *other = NULL;
    frz_buffer text = {0};
    frz_status status = frz_ddl_parse_schema(frz_slice_of_text(columns), &schema, NULL);
    if (status == FRZ_OK)
        status = frz_ddl_parse_schema(frz_slice_of_text("id2 long, more int"), &other, NULL);
    if (status == FRZ_OK)
        status = follow(mapping, schema, other, &text, NULL);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_buffer_clear(&text);
    frz_schema_unref(schema);
    frz_schema_unref(other);
}

static void memory_may_fail_anywhere(void **state)
{
    (void)state;
    sweep_allocation_failures(follow_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(renamed_columns_have_both_names_and_new_ones_theirs),
        cmocka_unit_test(a_name_that_is_given_away_goes),
        cmocka_unit_test(memory_may_fail_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
