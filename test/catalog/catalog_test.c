#define _XOPEN_SOURCE 700
#include "catalog/catalog.h"

#include "fixture.h"
#include "scratch.h"

static void tables_are_loaded_listed_renamed_and_dropped(void **state)
{
    fixture self;
    frz_error *err = NULL;
    frz_table *table = NULL;
    frz_names names = {0};
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table_free(fixture_create(&self, "n.t", "id long"));
    CHECK_OK(frz_catalog_rename_table(self.catalog, "n.t", "n.u", &err), err);
    CHECK_OK(frz_catalog_list_tables(self.catalog, "n", &names, &err), err);
    CHECK(names.count == 1);
    assert_string_equal(names.items[0], "n.u");
    frz_names_free(&names);
    CHECK_FAILS(frz_catalog_load_table(self.catalog, "n.t", &table, &err), FRZ_NOT_FOUND, err,
                "load table n.t");
    CHECK_OK(frz_catalog_load_table(self.catalog, "n.u", &table, &err), err);
    assert_string_equal(frz_table_location(table), "mem://wh/n/t");
    frz_table_free(table);
    const int files = fixture_files(self.io, "");
    CHECK_OK(frz_catalog_drop_table(self.catalog, "n.u", false, &err), err);
    CHECK(fixture_files(self.io, "") == files); /* only the pointer goes */
    CHECK_OK(frz_catalog_drop_namespace(self.catalog, "n", &err), err);
    CHECK_FAILS(frz_catalog_list_tables(self.catalog, "n..", &names, &err), FRZ_INVALID, err,
                "empty level");
    fixture_close(&self);
}

static void a_table_outlives_the_callers_handle_of_its_catalog(void **state)
{
    fixture self;
    frz_error *err = NULL;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = fixture_create(&self, "n.t", "id long");
    frz_catalog_free(self.catalog);
    self.catalog = NULL;
    CHECK_OK(frz_table_refresh(table, &err), err);
    frz_table_free(table);
    fixture_close(&self);
}

static void the_embedded_catalog_is_a_file_in_the_warehouse(void **state)
{
    char folder[64];
    char path[128];
    frz_error *err = NULL;
    frz_catalog *catalog = NULL;
    frz_table *table = NULL;
    frz_catalog_options options = FRZ_CATALOG_OPTIONS_INIT;
    frz_table_create_options creation = FRZ_TABLE_CREATE_OPTIONS_INIT;
    (void)state;
    scratch_make(folder);
    (void)snprintf(path, sizeof path, "%s/wh", folder);
    const frz_option properties[] = {{"type", "sql"}, {"uri", ""}, {"warehouse", path}};
    options.name = "mine";
    options.properties = properties;
    options.property_count = 3;
    CHECK_OK(frz_catalog_open(&options, &catalog, &err), err);
    assert_string_equal(frz_catalog_name(catalog), "mine");
    (void)snprintf(path, sizeof path, "%s/wh/catalog.db", folder);
    CHECK(access(path, F_OK) != 0); /* opened when first used */
    creation.schema = "id long";
    CHECK_OK(frz_catalog_create_table(catalog, "n.t", &creation, &table, &err), err);
    CHECK(access(path, F_OK) == 0);
    (void)snprintf(path, sizeof path, "file://%s/wh/n/t", folder);
    assert_string_equal(frz_table_location(table), path);
    frz_table_free(table);
    frz_catalog_free(catalog);
    scratch_remove(folder);
}

static void other_types_are_refused_by_name(void **state)
{
    frz_error *err = NULL;
    frz_catalog *catalog = NULL;
    frz_catalog_options options = FRZ_CATALOG_OPTIONS_INIT;
    frz_option properties[] = {{"type", "rest"}, {"uri", "http://h"}, {"warehouse", "s3://w"}};
    (void)state;
    options.properties = properties;
    options.property_count = 3;
    CHECK_FAILS(frz_catalog_open(&options, &catalog, &err), FRZ_UNSUPPORTED, err, "type rest");
    properties[0].value = "sql";
    properties[1].value = "postgresql://h/d";
    CHECK_FAILS(frz_catalog_open(&options, &catalog, &err), FRZ_UNSUPPORTED, err, "postgresql");
    properties[0].value = "in-memory";
    CHECK_OK(frz_catalog_open(&options, &catalog, &err), err);
    frz_catalog_free(catalog);
    frz_catalog_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_loaded_listed_renamed_and_dropped),
        cmocka_unit_test(a_table_outlives_the_callers_handle_of_its_catalog),
        cmocka_unit_test(the_embedded_catalog_is_a_file_in_the_warehouse),
        cmocka_unit_test(other_types_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
