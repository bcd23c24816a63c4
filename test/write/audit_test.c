#include "frazil/alter.h"

#include "table_fixture.h"

#include "frazil/schema.h"

static fixture home;

static frz_table *make_table(int version, const frz_option *property)
{
    frz_error *err = NULL;
    frz_table *table = NULL;
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    options.schema = "id long, name string";
    options.format_version = version;
    options.properties = property;
    options.property_count = property ? 1 : 0;
    CHECK_OK(frz_catalog_create_table(home.catalog, "n.t", &options, &table, &err), err);
    append_rows(table, "1:a 2:b");
    return table;
}

static char *audit_of(const frz_table *table, int to, bool json)
{
    frz_error *err = NULL;
    char *text = NULL;
    CHECK_OK(frz_table_upgrade_audit(table, to, json, &text, &err), err);
    return text;
}

static void it_tells_who_will_meet_what(void **state)
{
    (void)state;
    frz_error *err = NULL;
    CHECK_OK(fixture_open(&home, NULL, &err), err);
    frz_table *table = make_table(2, NULL);
    CHECK_OK(frz_table_delete(table, "id = 1", FRZ_DELETE_MODE_MERGE_ON_READ, NULL, NULL, &err),
             err);
    char *text = audit_of(table, 3, false);
    CHECK(strstr(text, "upgrade from format version 2 to 3\n") == text);
    CHECK(strstr(text, "note     row ids: rows get their ids with the next snapshot"));
    CHECK(strstr(text, "note     position deletes: 1 position deletes stay valid"));
    CHECK(strstr(text, "warning  raw files: deletes are written as deletion vectors"));
    CHECK(strstr(text, "warning  readers: iceberg-rust 0.10 knows no deletion vectors"));
    CHECK(!strstr(text, "equality deletes") && !strstr(text, "sequence numbers"));
    frz_text_free(text);
    text = audit_of(table, 3, true);
    CHECK(strstr(text, "{\"from\":2,\"to\":3,\"findings\":[{\"subject\":\"downgrade\","
                       "\"severity\":\"note\",") == text);
    frz_text_free(text);
    text = audit_of(table, 2, false);
    CHECK(strstr(text, "the table has it already"));
    frz_text_free(text);
    CHECK_FAILS(frz_table_upgrade_audit(table, 1, false, &text, &err), FRZ_INVALID, err,
                "never back");
    CHECK_FAILS(frz_table_upgrade_audit(table, 4, false, &text, &err), FRZ_UNSUPPORTED, err,
                "version 3 at most");
    frz_table_free(table);
    fixture_close(&home);
}

static void tables_of_version_1_and_copy_on_write_are_told_apart(void **state)
{
    (void)state;
    frz_error *err = NULL;
    const frz_option property = {"write.delete.mode", "copy-on-write"};
    CHECK_OK(fixture_open(&home, NULL, &err), err);
    frz_table *table = make_table(1, &property);
    char *text = audit_of(table, 2, false);
    CHECK(strstr(text, "note     sequence numbers: files that are there have"));
    CHECK(strstr(text, "warning  raw files: deletes are written as position delete files"));
    CHECK(!strstr(text, "row ids"));
    frz_text_free(text);
    frz_table_free(table);
    fixture_close(&home);
}

static void files_have_no_deleted_rows_where_all_verbs_rewrite(void **state)
{
    static const char *const modes[] = {"write.delete.mode", "write.update.mode",
                                        "write.merge.mode"};
    (void)state;
    frz_error *err = NULL;
    CHECK_OK(fixture_open(&home, NULL, &err), err);
    frz_table *table = make_table(2, NULL);
    for (size_t i = 0; i < 3; i++) {
        frz_alteration *changes = NULL;
        char *text = audit_of(table, 3, false);
        CHECK(strstr(text, "warning  raw files: deletes are written as deletion vectors"));
        frz_text_free(text);
        CHECK_OK(frz_alteration_new(&changes, &err), err);
        CHECK_OK(frz_alter_set_property(changes, modes[i], "copy-on-write", &err), err);
        CHECK_OK(frz_table_alter(table, changes, NULL, NULL, &err), err);
        frz_alteration_free(changes);
    }
    char *text = audit_of(table, 3, false);
    CHECK(strstr(text, "note     raw files: write.delete.mode, write.update.mode and "));
    frz_text_free(text);
    frz_table_free(table);
    fixture_close(&home);
}

static void deletes_of_branches_are_counted(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_write_options options = FRZ_WRITE_OPTIONS_INIT;
    options.branch = "other";
    CHECK_OK(fixture_open(&home, NULL, &err), err);
    frz_table *table = make_table(2, NULL);
    CHECK_OK(frz_table_delete(table, "id = 1", FRZ_DELETE_MODE_MERGE_ON_READ, &options, NULL, &err),
             err);
    char *text = audit_of(table, 3, false);
    CHECK(strstr(text, "note     position deletes: 1 position deletes stay valid"));
    frz_text_free(text);
    frz_table_free(table);
    fixture_close(&home);
}

static frz_table *swept;

static void audit_once(void)
{
    char *text = NULL;
    const frz_status status = frz_table_upgrade_audit(swept, 3, true, &text, NULL);
    CHECK(status == (frz_mem_failed() ? FRZ_NO_MEMORY : FRZ_OK));
    frz_text_free(text);
}

static void memory_may_fail_anywhere(void **state)
{
    (void)state;
    frz_error *err = NULL;
    CHECK_OK(fixture_open(&home, NULL, &err), err);
    swept = make_table(1, NULL);
    sweep_allocation_failures(audit_once);
    frz_table_free(swept);
    fixture_close(&home);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_tells_who_will_meet_what),
        cmocka_unit_test(files_have_no_deleted_rows_where_all_verbs_rewrite),
        cmocka_unit_test(deletes_of_branches_are_counted),
        cmocka_unit_test(tables_of_version_1_and_copy_on_write_are_told_apart),
        cmocka_unit_test(memory_may_fail_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
