#include "catalog/catalog.h"

#include "io/fault.h"
#include "io/file.h"
#include "write/table_fixture.h"

static void purge_removes_what_the_metadata_names_and_nothing_else(void **state)
{
    fixture self;
    frz_error *err = NULL;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = fixture_create(&self, "n.t", "id long, name string");
    append_rows(table, "1:a 2:b");
    append_rows(table, "3:c");
    CHECK_OK(frz_table_delete(table, "id = 1", FRZ_DELETE_MODE_MERGE_ON_READ, NULL, NULL, &err),
             err);
    CHECK_OK(frz_table_delete(table, "id = 3", FRZ_DELETE_MODE_COPY_ON_WRITE, NULL, NULL, &err),
             err);
    /* A file of the folder that no metadata names, and one of another table. */
    CHECK_OK(frz_io_write_file(self.io, "mem://wh/n/t/data/foreign.parquet", frz_slice_of_text("x"),
                               &err),
             err);
    frz_table *other = fixture_create(&self, "n.u", "id long");
    const int others = fixture_files(self.io, "mem://wh/n/u/");
    frz_table_free(table);
    CHECK_OK(frz_catalog_drop_table(self.catalog, "n.t", true, &err), err);
    CHECK(fixture_files(self.io, "mem://wh/n/t/") == 1);
    CHECK(fixture_files(self.io, "foreign.parquet") == 1);
    CHECK(fixture_files(self.io, "mem://wh/n/u/") == others);
    CHECK_FAILS(frz_catalog_drop_table(self.catalog, "n.t", true, &err), FRZ_NOT_FOUND, err, "n.t");
    frz_table_free(other);
    fixture_close(&self);
}

/* D026: files may belong to another table. */
static void purge_is_refused_where_garbage_is_not_collected(void **state)
{
    fixture self;
    frz_error *err = NULL;
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    const frz_option property = {"gc.enabled", "false"};
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    options.schema = "id long";
    options.properties = &property;
    options.property_count = 1;
    CHECK_OK(frz_catalog_create_table(self.catalog, "n.t", &options, NULL, &err), err);
    const int files = fixture_files(self.io, "");
    CHECK_FAILS(frz_catalog_drop_table(self.catalog, "n.t", true, &err), FRZ_INVALID, err,
                "gc.enabled=false");
    CHECK(fixture_files(self.io, "") == files);
    CHECK_OK(frz_catalog_drop_table(self.catalog, "n.t", false, &err), err);
    CHECK(fixture_files(self.io, "") == files);
    fixture_close(&self);
}

/* Nothing is dropped when the files cannot be found; what cannot be removed is reported after the
 * drop. */
static void failing_storage_is_reported(void **state)
{
    frz_error *err = NULL;
    frz_io *storage = NULL;
    frz_io *fault = NULL;
    bool reported = false;
    (void)state;
    CHECK_OK(frz_io_memory_new(&storage, &err), err);
    CHECK_OK(frz_io_fault_new(storage, &fault, &err), err);
    for (int64_t call = 0;; call++) {
        fixture self;
        char name[32];
        frz_table *table = NULL;
        (void)snprintf(name, sizeof name, "n.t%d", (int)call);
        CHECK_OK(fixture_open(&self, fault, &err), err);
        table = fixture_create(&self, name, "id long, name string");
        append_rows(table, "1:a");
        frz_table_free(table);
        frz_io_fault_fail_after(fault, call);
        const frz_status status = frz_catalog_drop_table(self.catalog, name, true, &err);
        const bool fired = frz_io_fault_fired(fault);
        frz_io_fault_fail_after(fault, -1);
        const bool dropped =
            frz_catalog_load_table(self.catalog, name, &table, NULL) == FRZ_NOT_FOUND;
        CHECK(status == FRZ_OK || status == FRZ_IO);
        if (status == FRZ_IO && dropped) {
            CHECK(strstr(frz_error_message(err), "was dropped, but 1 of its") != NULL);
            reported = true;
        }
        frz_error_free(err);
        err = NULL;
        if (!dropped)
            frz_table_free(table);
        fixture_close(&self);
        if (!fired)
            break;
    }
    CHECK(reported);
    frz_io_free(fault);
    frz_io_free(storage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(purge_removes_what_the_metadata_names_and_nothing_else),
        cmocka_unit_test(purge_is_refused_where_garbage_is_not_collected),
        cmocka_unit_test(failing_storage_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
