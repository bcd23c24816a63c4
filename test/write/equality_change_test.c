/*
 * Deletes, updates and merges of tables that have equality deletes: rows that those took out are
 * not changed and do not come back, whatever sequence numbers new files have (spec "Scan Planning":
 * equality deletes apply to strictly older data).
 */
#include "scan/delete_fixture.h"

static numbered_table open_table(int version)
{
    numbered_table self =
        numbered_open(&(table_shape){.schema = "id long, name string", .format_version = version});
    append_rows(self.table, "1:a 2:b 3:c 4:d");
    append_rows(self.table, "5:e 6:f");
    delete_keys(&self, 1, "id", "long", "2 5");
    frz_error *err = NULL;
    CHECK_OK(frz_table_refresh(self.table, &err), err);
    check_rows(self.table, "1:a 3:c 4:d 6:f");
    return self;
}

static const char *const id_key[] = {"id"};

/* All kinds of changes, one after the other, in one mode. */
static void change_all(int version, frz_delete_mode mode)
{
    frz_error *err = NULL;
    struct ArrowArrayStream rows = {0};
    numbered_table self = open_table(version);
    CHECK_OK(frz_table_update(self.table, "name = 'x'", "id <= 3", mode, NULL, NULL, &err), err);
    check_rows(self.table, "1:x 3:x 4:d 6:f");
    CHECK_OK(frz_table_delete(self.table, "id = 4", mode, NULL, NULL, &err), err);
    check_rows(self.table, "1:x 3:x 6:f");
    /* Key 2 is gone: it is inserted, newer than its delete; 5 as well. */
    CHECK_OK(rows_of("2:new 6:F", &rows, &err), err);
    frz_merge_options how = FRZ_MERGE_OPTIONS_INIT;
    how.keys = id_key;
    how.key_count = 1;
    how.mode = mode;
    CHECK_OK(frz_table_upsert(self.table, &rows, &how, NULL, NULL, &err), err);
    check_rows(self.table, "1:x 2:new 3:x 6:F");
    delete_keys(&self, 1, "id", "long", "1 2");
    CHECK_OK(frz_table_refresh(self.table, &err), err);
    check_rows(self.table, "3:x 6:F");
    CHECK_OK(frz_table_update(self.table, "id = id - 2", NULL, mode, NULL, NULL, &err), err);
    check_rows(self.table, "1:x 4:F");
    numbered_close(&self);
}

static void what_equality_deletes_took_stays_gone(void **state)
{
    (void)state;
    for (int version = 2; version <= 3; version++) {
        change_all(version, FRZ_DELETE_MODE_MERGE_ON_READ);
        change_all(version, FRZ_DELETE_MODE_COPY_ON_WRITE);
    }
}

/* Rows that move to other files keep their lineage; what was deleted by key gets none. */
static void lineage_of_the_others_is_kept(void **state)
{
    frz_error *err = NULL;
    numbered_table self = open_table(3);
    (void)state;
    CHECK_OK(frz_table_update(self.table, "name = 'x'", "id = 3", FRZ_DELETE_MODE_COPY_ON_WRITE,
                              NULL, NULL, &err),
             err);
    check_selected(self.table, "id,name,_row_id,_last_updated_sequence_number",
                   "1:a:0:1 3:x:2:4 4:d:3:1 6:f:5:2");
    numbered_close(&self);
}

static void delete_and_check(frz_table *table, const char *where, const char *removed,
                             const char *total)
{
    frz_commit *commit = NULL;
    frz_error *err = NULL;
    CHECK_OK(frz_table_delete(table, where, FRZ_DELETE_MODE_COPY_ON_WRITE, NULL, &commit, &err),
             err);
    assert_string_equal(summary_value(commit, "removed-equality-delete-files"), removed);
    assert_string_equal(summary_value(commit, "total-equality-deletes"), total);
    assert_string_equal(summary_value(commit, "total-delete-files"), total[0] == '0' ? "0" : "1");
    frz_commit_free(commit);
}

/* Java's dropDeleteFilesOlderThan: an equality delete leaves with the last data file that is older
 * than it, by whatever verb, so that who cannot read it can read the table again. */
static void a_delete_older_than_all_rows_leaves_with_the_last_that_was_not(void **state)
{
    (void)state;
    for (int version = 2; version <= 3; version++) {
        numbered_table self = open_table(version);
        append_rows(self.table, "7:g 8:h");
        delete_and_check(self.table, "id < 5", "(absent)", "2");
        check_rows(self.table, "6:f 7:g 8:h");
        delete_and_check(self.table, "id in (6, 8)", "1", "0");
        check_rows(self.table, "7:g");
        delete_keys(&self, 1, "id", "long", "7");
        frz_error *err = NULL;
        frz_commit *commit = NULL;
        CHECK_OK(frz_table_truncate(self.table, NULL, &commit, &err), err);
        assert_string_equal(summary_value(commit, "removed-equality-delete-files"), "1");
        assert_string_equal(summary_value(commit, "total-files-size"), "0");
        frz_commit_free(commit);
        append_rows(self.table, "5:e 7:g");
        check_rows(self.table, "5:e 7:g");
        numbered_close(&self);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_equality_deletes_took_stays_gone),
        cmocka_unit_test(lineage_of_the_others_is_kept),
        cmocka_unit_test(a_delete_older_than_all_rows_leaves_with_the_last_that_was_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
