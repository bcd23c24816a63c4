/*
 * Which changes of a schema are those of columns that an operation went by.
 */
#include "write/kept_columns.h"

#include "rival_fixture.h"

#include "frazil/alter.h"

typedef frz_status (*record_change)(frz_alteration *changes, frz_error **err);

static frz_status add_columns(frz_alteration *changes, frz_error **err)
{
    FRZ_TRY(frz_alter_add_column(changes, "n", "int", NULL, err));
    return frz_alter_add_column(changes, "s.z", "int", NULL, err);
}

static frz_status make_optional(frz_alteration *changes, frz_error **err)
{
    frz_column_options options = FRZ_COLUMN_OPTIONS_INIT;
    options.comment = "what it is";
    return frz_alter_update_column(changes, "id", NULL, &options, err);
}

static frz_status rename_column(frz_alteration *changes, frz_error **err)
{
    return frz_alter_rename_column(changes, "name", "title", err);
}

static frz_status rename_within(frz_alteration *changes, frz_error **err)
{
    return frz_alter_rename_column(changes, "l.element.x", "y", err);
}

static frz_status drop_column(frz_alteration *changes, frz_error **err)
{
    return frz_alter_drop_column(changes, "s.a", err);
}

static frz_status promote_column(frz_alteration *changes, frz_error **err)
{
    return frz_alter_update_column(changes, "k", "long", NULL, err);
}

static void the_column_that_changed_is_named(void **state)
{
    static const struct {
        record_change record;
        const char *column; /* NULL: no conflict */
    } cases[] = {{add_columns, NULL},
                 {make_optional, NULL},
                 {rename_column, "column name"},
                 {rename_within, "column l.element.x"},
                 {drop_column, "column s.a"},
                 {promote_column, "column k"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        frz_error *err = NULL;
        frz_table *table = NULL;
        frz_alteration *changes = NULL;
        frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
        char name[16];
        (void)snprintf(name, sizeof name, "n.t%zu", i);
        options.schema = "id long, name string, k int, s struct<a: int, b: int>, "
                         "l list<struct<x: int>>";
        CHECK_OK(frz_catalog_create_table(rival, name, &options, &table, &err), err);
        frz_metadata *base = frz_metadata_ref(table->metadata);
        CHECK_OK(frz_alteration_new(&changes, &err), err);
        CHECK_OK(cases[i].record(changes, &err), err);
        CHECK_OK(frz_table_alter(table, changes, NULL, NULL, &err), err);
        CHECK(table->metadata->current_schema_id != base->current_schema_id);
        if (cases[i].column)
            CHECK_FAILS(frz_kept_columns_check(base, table->metadata, &err), FRZ_CONFLICT, err,
                        cases[i].column);
        else
            CHECK_OK(frz_kept_columns_check(base, table->metadata, &err), err);
        CHECK_OK(frz_kept_columns_check(base, base, &err), err);
        frz_alteration_free(changes);
        frz_metadata_unref(base);
        frz_table_free(table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_column_that_changed_is_named, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
