/* Union by name, as Java's UnionByNameVisitor has it. */
#include "spec/schema_fixture.h"

static frz_status unite(frz_schema_update *update, const char *ddl, frz_error **err)
{
    frz_schema *other = schema_of(ddl);
    const frz_status status = frz_schema_update_union(update, other, err);
    frz_schema_unref(other);
    return status;
}

static void missing_columns_are_added_as_optional_ones(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_schema_update update =
        update_of("id long not null, at struct<zip int>, l list<struct<a int>>, "
                  "m map<string, struct<v int>>",
                  2);
    const int32_t last = update.last_column_id;
    CHECK_OK(unite(&update,
                   "x string not null, id int, l list<struct<b int, a int>>, "
                   "m map<string, struct<w int>>, at struct<city string>, n struct<a int not null>",
                   &err),
             err);
    check_schema(&update, "id long, at struct<zip: int, city: string>, "
                          "l list<struct<a: int, b: int>>, m map<string, struct<v: int, w: int>>, "
                          "x string, n struct<a: int not null>");
    CHECK(id_of(&update, "x") == last + 1 && id_of(&update, "l.element.b") == last + 2);
    frz_schema_update_clear(&update);
}

static void wider_types_win_and_narrower_ones_are_ignored(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_schema_update update =
        update_of("a int, b long, c float, d decimal(9,2), l list<int>, u string", 3);
    CHECK_OK(unite(&update,
                   "a long, b int, c double, d decimal(12,2) comment 'wide', l list<long>, "
                   "u unknown",
                   &err),
             err);
    check_schema(&update, "a long, b long, c double, d decimal(12, 2) comment 'wide', "
                          "l list<long>, u string");
    CHECK_FAILS(unite(&update, "a string", &err), FRZ_INVALID, err,
                "column a: long cannot become string");
    CHECK_FAILS(unite(&update, "a struct<x int>", &err), FRZ_INVALID, err,
                "column a is a long here and a struct there");
    CHECK_FAILS(unite(&update, "l int", &err), FRZ_INVALID, err,
                "column l is a list here and a int there");
    frz_schema_update_clear(&update);
}

static void map_keys_stay(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_schema_update update = update_of("m map<struct<k long>, int>, n map<int, int>", 3);
    CHECK_OK(unite(&update, "m map<struct<k int>, long>", &err), err);
    check_schema(&update, "m map<struct<k: long>, long>, n map<int, int>");
    CHECK_FAILS(unite(&update, "n map<long, int>", &err), FRZ_INVALID, err,
                "column n.key: the key of a map cannot be changed");
    CHECK_FAILS(unite(&update, "m map<struct<k int, j int>, int>", &err), FRZ_INVALID, err,
                "key of a map");
    frz_schema_update_clear(&update);
}

static void case_counts_unless_told(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_schema_update update = update_of("Name string", 3);
    CHECK_OK(unite(&update, "name string", &err), err);
    check_schema(&update, "Name string, name string");
    frz_schema_update_clear(&update);
    update = update_of("Name string", 3);
    update.case_insensitive = true;
    CHECK_OK(unite(&update, "name string, more int", &err), err);
    check_schema(&update, "Name string, more int");
    frz_schema_update_clear(&update);
}

static void a_union_with_itself_changes_nothing(void **state)
{
    (void)state;
    frz_error *err = NULL;
    static const char ddl[] = "id long not null, s struct<a int, l list<double>>, m map<int, date>";
    frz_schema_update update = update_of(ddl, 3);
    const frz_schema *before = update.schema;
    CHECK_OK(unite(&update, ddl, &err), err);
    CHECK(update.schema == before);
    frz_schema_update_clear(&update);
}

static void unite_all(void)
{
    frz_schema *schema = NULL;
    frz_schema *other = NULL;
    const char *first = "a int, s struct<x int>";
    const char *second = "a long, s struct<x int, y list<int>>, t string";
    if (frz_ddl_parse_schema(frz_slice_of_text(first), &schema, NULL) != FRZ_OK)
        return;
    frz_schema_update update;
    frz_schema_update_open(&update, schema, 3, 3);
    frz_schema_unref(schema);
    frz_status status = frz_ddl_parse_schema(frz_slice_of_text(second), &other, NULL);
    if (status == FRZ_OK)
        status = frz_schema_update_union(&update, other, NULL);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_schema_unref(other);
    frz_schema_update_clear(&update);
}

static void memory_may_fail_anywhere(void **state)
{
    (void)state;
    sweep_allocation_failures(unite_all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_columns_are_added_as_optional_ones),
        cmocka_unit_test(wider_types_win_and_narrower_ones_are_ignored),
        cmocka_unit_test(map_keys_stay),
        cmocka_unit_test(case_counts_unless_told),
        cmocka_unit_test(a_union_with_itself_changes_nothing),
        cmocka_unit_test(memory_may_fail_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
