#include "fixture.h"

#include "base/fail.h"
#include "frazil/write.h"
#include "io/file.h"

/* A table of one catalog, and a second catalog over the same storage. */
typedef struct two_catalogs {
    fixture first;
    fixture second;
    frz_table *table;
} two_catalogs;

static void set_up(two_catalogs *self)
{
    frz_error *err = NULL;
    CHECK_OK(fixture_open(&self->first, NULL, &err), err);
    CHECK_OK(fixture_open(&self->second, self->first.io, &err), err);
    self->table = fixture_create(&self->first, "n.t", "id long");
}

static void tear_down(two_catalogs *self)
{
    frz_table_free(self->table);
    fixture_close(&self->second);
    fixture_close(&self->first);
}

static void a_table_is_taken_by_file_and_by_folder(void **state)
{
    two_catalogs self;
    frz_error *err = NULL;
    frz_table *found = NULL;
    frz_names names = {0};
    (void)state;
    set_up(&self);
    const int files = fixture_files(self.first.io, "");
    const char *location = frz_table_metadata_location(self.table);
    CHECK_OK(frz_catalog_register(self.second.catalog, "x.y.u", location, &found, &err), err);
    assert_string_equal(frz_table_uuid(found), frz_table_uuid(self.table));
    assert_string_equal(frz_table_metadata_location(found), location);
    assert_string_equal(frz_table_identifier(found), "x.y.u");
    frz_table_free(found);
    CHECK_OK(frz_catalog_register(self.second.catalog, "x.v", frz_table_location(self.table), NULL,
                                  &err),
             err);
    CHECK_OK(frz_catalog_load_table(self.second.catalog, "x.v", &found, &err), err);
    assert_string_equal(frz_table_metadata_location(found), location);
    frz_table_free(found);
    CHECK_OK(frz_catalog_list_namespaces(self.second.catalog, "x", &names, &err), err);
    CHECK(names.count == 1);
    frz_names_free(&names);
    CHECK(fixture_files(self.first.io, "") == files); /* nothing was written */
    tear_down(&self);
}

static void what_is_no_table_is_refused(void **state)
{
    two_catalogs self;
    frz_error *err = NULL;
    frz_names names = {0};
    frz_catalog *into = NULL;
    (void)state;
    set_up(&self);
    into = self.second.catalog;
    CHECK_FAILS(frz_catalog_register(into, "x.u", "mem://wh/absent.metadata.json", NULL, &err),
                FRZ_NOT_FOUND, err, "register table x.u: ");
    CHECK_OK(frz_io_write_file(self.first.io, "mem://wh/bad.metadata.json",
                               frz_slice_of_text("{\"format-version\": 2}"), &err),
             err);
    CHECK_FAILS(frz_catalog_register(into, "x.u", "mem://wh/bad.metadata.json", NULL, &err),
                FRZ_CORRUPT, err, "bad.metadata.json");
    CHECK_OK(frz_io_write_file(self.first.io, "mem://wh/text.csv", frz_slice_of_text("id\n"), &err),
             err);
    CHECK_FAILS(frz_catalog_register(into, "x.u", "mem://wh/text.csv", NULL, &err), FRZ_CORRUPT,
                err, "text.csv");
    CHECK_FAILS(frz_catalog_register(into, "u", frz_table_location(self.table), NULL, &err),
                FRZ_INVALID, err, "register table u");
    CHECK_OK(frz_catalog_list_namespaces(into, NULL, &names, &err), err);
    CHECK(names.count == 0); /* a refusal makes no namespace */
    frz_names_free(&names);
    CHECK_FAILS(
        frz_catalog_register(self.first.catalog, "n.t", frz_table_location(self.table), NULL, &err),
        FRZ_ALREADY_EXISTS, err, "table n.t exists");
    tear_down(&self);
}

static two_catalogs swept;

static void register_once(void)
{
    static int number;
    char name[32];
    frz_table *table = NULL;
    (void)snprintf(name, sizeof name, "x.t%d", number++);
    const frz_status status = frz_catalog_register(swept.second.catalog, name,
                                                   frz_table_location(swept.table), &table, NULL);
    CHECK(status == FRZ_OK || (status == FRZ_NO_MEMORY && frz_mem_failed()));
    frz_table_free(table);
}

static void short_memory_is_reported(void **state)
{
    (void)state;
    set_up(&swept);
    sweep_allocation_failures(register_once);
    tear_down(&swept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_is_taken_by_file_and_by_folder),
        cmocka_unit_test(what_is_no_table_is_refused),
        cmocka_unit_test(short_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
