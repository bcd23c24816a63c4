#include "catalog/identifier.h"

#include "harness.h"

static void the_last_level_is_the_table(void **state)
{
    frz_error *err = NULL;
    frz_slice space;
    frz_slice name;
    (void)state;
    CHECK_OK(frz_identifier_split("a.b.t", &space, &name, &err), err);
    CHECK(frz_slice_is_text(space, "a.b"));
    CHECK(frz_slice_is_text(name, "t"));
}

static void empty_levels_are_refused(void **state)
{
    frz_error *err = NULL;
    frz_slice space;
    frz_slice name;
    uint64_t offset = 0;
    (void)state;
    CHECK_FAILS(frz_identifier_split("t", &space, &name, &err), FRZ_INVALID, err,
                "NAMESPACE.TABLE");
    CHECK_FAILS(frz_identifier_split("", &space, &name, &err), FRZ_INVALID, err, "name");
    CHECK_FAILS(frz_identifier_split(".t", &space, &name, &err), FRZ_INVALID, err, "empty level");
    CHECK_FAILS(frz_namespace_check("a.", &err), FRZ_INVALID, err, "empty level");
    CHECK(frz_namespace_check("a..b", &err) == FRZ_INVALID);
    CHECK(frz_error_offset(err, &offset) && offset == 2);
    frz_error_free(err);
}

static void namespaces_nest_by_whole_levels(void **state)
{
    (void)state;
    const frz_slice a = frz_slice_of_text("a");
    const frz_slice abc = frz_slice_of_text("a.b.c");
    CHECK(frz_namespace_is_within(abc, a));
    CHECK(frz_namespace_is_within(a, a));
    CHECK(!frz_namespace_is_within(frz_slice_of_text("ab"), a));
    CHECK(frz_slice_is_text(frz_namespace_parent(abc), "a.b"));
    CHECK(frz_namespace_parent(a).size == 0);
    CHECK(frz_slice_is_text(frz_namespace_child(a, abc), "a.b"));
    CHECK(frz_slice_is_text(frz_namespace_child(frz_slice_of(NULL, 0), abc), "a"));
    CHECK(frz_namespace_child(a, a).size == 0);
    CHECK(frz_namespace_child(a, frz_slice_of_text("ab.c")).size == 0);
}

static void add_names(void)
{
    frz_names unsorted = {0};
    frz_names names = {0};
    frz_status status = FRZ_OK;
    for (int i = 9; i >= 0 && status == FRZ_OK; i--) {
        const char digit = (char)('0' + i);
        status = frz_names_add(&unsorted, frz_slice_of(&digit, 1), NULL);
    }
    CHECK((status == FRZ_OK) == !frz_mem_failed());
    frz_names_take_sorted(&unsorted, &names);
    CHECK(unsorted.count == 0 && unsorted.items == NULL);
    if (status == FRZ_OK) {
        CHECK(names.count == 10);
        assert_string_equal(names.items[0], "0");
        assert_string_equal(names.items[9], "9");
        CHECK(frz_names_contain(&names, frz_slice_of_text("5")));
        CHECK(!frz_names_contain(&names, frz_slice_of_text("55")));
    }
    frz_names_free(&names);
    CHECK(names.count == 0 && names.items == NULL);
}

static void lists_grow_and_sort(void **state)
{
    (void)state;
    sweep_allocation_failures(add_names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_level_is_the_table),
        cmocka_unit_test(empty_levels_are_refused),
        cmocka_unit_test(namespaces_nest_by_whole_levels),
        cmocka_unit_test(lists_grow_and_sort),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
