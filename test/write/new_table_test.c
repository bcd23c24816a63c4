/*
 * Tables that their first write creates: with its rows or not at all, whoever else creates one, and
 * whatever fails.
 */
#include "table_fixture.h"

#include "base/fail.h"
#include "frazil/alter.h"
#include "io/fault.h"

static frz_status prepare(frz_catalog *in, frz_table **out, frz_error **err)
{
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    options.schema = "id long, name string";
    return frz_catalog_prepare_table(in, "n.t", &options, out, err);
}

static frz_status append(frz_table *table, const char *text, frz_error **err)
{
    struct ArrowArrayStream rows = {0};
    FRZ_TRY(rows_of(text, &rows, err));
    return frz_table_append(table, &rows, NULL, NULL, err);
}

static bool is_there(frz_catalog *in)
{
    frz_table *table = NULL;
    const frz_status status = frz_catalog_load_table(in, "n.t", &table, NULL);
    frz_table_free(table);
    return status == FRZ_OK;
}

static void the_first_write_creates_the_table(void **state)
{
    fixture self;
    frz_error *err = NULL;
    frz_table *table = NULL;
    frz_names names = {0};
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    CHECK_OK(prepare(self.catalog, &table, &err), err);
    CHECK(!is_there(self.catalog) && fixture_files(self.io, "") == 0);
    CHECK_OK(frz_catalog_list_namespaces(self.catalog, NULL, &names, &err), err);
    CHECK(names.count == 0);
    frz_names_free(&names);
    check_rows(table, "");
    assert_string_equal(frz_table_metadata_location(table), "");
    CHECK_OK(append(table, "1:a 2:b", &err), err);
    check_rows(table, "1:a 2:b");
    CHECK(fixture_files(self.io, ".metadata.json") == 1);
    CHECK(table->metadata->metadata_log_count == 0 && table->metadata->snapshot_count == 1);
    CHECK(table->metadata->last_sequence_number == 1 && table->metadata->next_row_id == 2);
    CHECK(strstr(frz_table_metadata_location(table), "/00000-"));
    CHECK_OK(append(table, "3:c", &err), err);
    frz_table_free(table);
    CHECK_OK(frz_catalog_load_table(self.catalog, "n.t", &table, &err), err);
    check_selected(table, "id,_row_id", "1:0 2:1 3:2");
    CHECK(table->metadata->metadata_log_count == 1);
    frz_table_free(table);
    fixture_close(&self);
}

static void it_is_created_without_rows_and_by_other_verbs(void **state)
{
    frz_error *err = NULL;
    (void)state;
    for (int verb = 0; verb < 3; verb++) {
        fixture self;
        frz_table *table = NULL;
        frz_alteration *changes = NULL;
        CHECK_OK(fixture_open(&self, NULL, &err), err);
        CHECK_OK(prepare(self.catalog, &table, &err), err);
        if (verb == 0) {
            CHECK_OK(append(table, "", &err), err);
        } else if (verb == 1) {
            CHECK_OK(frz_table_delete(table, "id = 1", FRZ_DELETE_MODE_DEFAULT, NULL, NULL, &err),
                     err);
        } else {
            CHECK_OK(frz_alteration_new(&changes, &err), err);
            CHECK_OK(frz_alter_add_column(changes, "more", "int", NULL, &err), err);
            CHECK_OK(frz_table_alter(table, changes, NULL, NULL, &err), err);
            frz_alteration_free(changes);
        }
        CHECK(is_there(self.catalog));
        check_rows(table, "");
        frz_table_free(table);
        fixture_close(&self);
    }
}

static void what_is_never_written_leaves_nothing(void **state)
{
    fixture self;
    frz_error *err = NULL;
    frz_table *table = NULL;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    CHECK_OK(prepare(self.catalog, &table, &err), err);
    CHECK_FAILS(frz_table_delete(table, "nome = 1", FRZ_DELETE_MODE_DEFAULT, NULL, NULL, &err),
                FRZ_INVALID, err, "nome");
    frz_table_free(table);
    CHECK(!is_there(self.catalog) && fixture_files(self.io, "") == 0);
    frz_table_free(fixture_create(&self, "n.t", "id long"));
    CHECK_FAILS(prepare(self.catalog, &table, &err), FRZ_ALREADY_EXISTS, err,
                "create table n.t: table n.t exists");
    fixture_close(&self);
}

static void of_two_that_create_it_the_first_wins(void **state)
{
    fixture self;
    frz_error *err = NULL;
    frz_table *first = NULL;
    frz_table *second = NULL;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    CHECK_OK(prepare(self.catalog, &first, &err), err);
    CHECK_OK(prepare(self.catalog, &second, &err), err);
    CHECK_OK(append(second, "2:b", &err), err);
    const int files = fixture_files(self.io, "");
    CHECK_FAILS(append(first, "1:a", &err), FRZ_ALREADY_EXISTS, err, "table n.t exists");
    CHECK(fixture_files(self.io, "") == files);
    frz_table_free(first);
    frz_table_free(second);
    CHECK_OK(frz_catalog_load_table(self.catalog, "n.t", &first, &err), err);
    check_rows(first, "2:b");
    frz_table_free(first);
    fixture_close(&self);
}

static frz_status create(frz_catalog *in, frz_table **out, frz_error **err)
{
    FRZ_TRY(prepare(in, out, err));
    return append(*out, "1:a 2:b", err);
}

static void check_whole_or_absent(fixture *self, frz_io *storage_of, frz_status status)
{
    frz_error *err = NULL;
    frz_table *table = NULL;
    CHECK(is_there(self->catalog) == (status == FRZ_OK));
    if (status != FRZ_OK) {
        CHECK(fixture_files(storage_of, "") == 0);
        return;
    }
    CHECK_OK(frz_catalog_load_table(self->catalog, "n.t", &table, &err), err);
    check_rows(table, "1:a 2:b");
    frz_table_free(table);
}

/* Each storage call fails in turn; with `crash` all after it, too, clean-up included. */
static void storage_fails(bool crash)
{
    bool fired = true;
    for (int64_t call = 0; fired; call++) {
        fixture self;
        frz_error *err = NULL;
        frz_io *memory = NULL;
        frz_io *fault = NULL;
        frz_table *table = NULL;
        CHECK_OK(frz_io_memory_new(&memory, &err), err);
        CHECK_OK(frz_io_fault_new(memory, &fault, &err), err);
        CHECK_OK(fixture_open(&self, fault, &err), err);
        if (crash)
            frz_io_fault_crash_after(fault, call);
        else
            frz_io_fault_fail_after(fault, call);
        const frz_status status = create(self.catalog, &table, NULL);
        fired = frz_io_fault_fired(fault);
        frz_io_fault_fail_after(fault, -1);
        if (crash)
            CHECK(is_there(self.catalog) == (status == FRZ_OK));
        else
            check_whole_or_absent(&self, memory, status);
        frz_table_free(table);
        fixture_close(&self);
        frz_io_free(fault);
        frz_io_free(memory);
        CHECK(call < 200);
    }
}

static void storage_may_fail_or_stop_at_every_call(void **state)
{
    (void)state;
    storage_fails(false);
    storage_fails(true);
}

static void create_once(void)
{
    fixture self;
    frz_table *table = NULL;
    frz_status status = fixture_open(&self, NULL, NULL);
    if (status == FRZ_OK)
        status = create(self.catalog, &table, NULL);
    CHECK(status == FRZ_OK || (status == FRZ_NO_MEMORY && frz_mem_failed()));
    frz_table_free(table);
    fixture_close(&self);
}

static void short_memory_is_reported(void **state)
{
    (void)state;
    sweep_allocation_failures(create_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_write_creates_the_table),
        cmocka_unit_test(it_is_created_without_rows_and_by_other_verbs),
        cmocka_unit_test(what_is_never_written_leaves_nothing),
        cmocka_unit_test(of_two_that_create_it_the_first_wins),
        cmocka_unit_test(storage_may_fail_or_stop_at_every_call),
        cmocka_unit_test(short_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
