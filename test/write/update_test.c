/* Covers: write/assigner write/row_change write/row_writer write/task_batches write/update. */
#include "frazil/write.h"

#include "rival_fixture.h"

static frz_commit *update_rows(frz_table *table, const char *set, const char *where,
                               frz_delete_mode mode)
{
    frz_error *err = NULL;
    frz_commit *commit = NULL;
    CHECK_OK(frz_table_update(table, set, where, mode, NULL, &commit, &err), err);
    return commit;
}

static frz_table *table_of(fixture *self, int version, const char *schema, const char *partition)
{
    frz_error *err = NULL;
    frz_table *table = NULL;
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    options.schema = schema;
    options.partition = partition;
    options.format_version = version;
    CHECK_OK(frz_catalog_create_table(self->catalog, "n.t", &options, &table, &err), err);
    return table;
}

static const char *const lineage = "id,name,_row_id,_last_updated_sequence_number";

/* Spec "Row lineage assignment", rules 1 to 3, by vectors. */
static void merge_on_read_keeps_row_ids(void **state)
{
    fixture self;
    frz_error *err = NULL;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = table_of(&self, 3, "id long, name string", NULL);
    append_rows(table, "1:a 2:b 3:c");
    frz_commit *commit =
        update_rows(table, "name = name || '!'", "id >= 2", FRZ_DELETE_MODE_MERGE_ON_READ);
    assert_string_equal(commit->operation, "overwrite");
    assert_string_equal(summary_value(commit, "added-dvs"), "1");
    assert_string_equal(summary_value(commit, "added-data-files"), "1");
    assert_string_equal(summary_value(commit, "added-records"), "2");
    frz_commit_free(commit);
    check_selected(table, lineage, "1:a:0:1 2:b!:1:2 3:c!:2:2");
    CHECK(table->metadata->next_row_id == 5);
    /* A row that was updated once more, and one that was not yet. */
    frz_commit_free(update_rows(table, "id = id * 10", "id < 3", FRZ_DELETE_MODE_MERGE_ON_READ));
    check_selected(table, lineage, "10:a:0:3 20:b!:1:3 3:c!:2:2");
    frz_table_free(table);
    fixture_close(&self);
}

static void d043_copy_on_write_keeps_row_ids_and_what_was_not_changed(void **state)
{
    fixture self;
    frz_error *err = NULL;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = table_of(&self, 3, "id long, name string", NULL);
    append_rows(table, "0:a 1:b 2:c 3:d");
    append_rows(table, "4:e");
    frz_commit *commit = update_rows(table, "name = 'x'", "id = 1", FRZ_DELETE_MODE_COPY_ON_WRITE);
    assert_string_equal(commit->operation, "overwrite");
    assert_string_equal(summary_value(commit, "deleted-data-files"), "1");
    assert_string_equal(summary_value(commit, "added-dvs"), "(absent)");
    frz_commit_free(commit);
    check_selected(table, lineage, "0:a:0:1 1:x:1:3 2:c:2:1 3:d:3:1 4:e:4:2");
    frz_table_free(table);
    fixture_close(&self);
}

static void files_all_of_whose_rows_change_go_whole(void **state)
{
    fixture self;
    frz_error *err = NULL;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = table_of(&self, 3, "id long, name string", NULL);
    append_rows(table, "1:a 2:b");
    frz_error *none = NULL;
    CHECK_OK(frz_table_delete(table, "id = 1", FRZ_DELETE_MODE_DEFAULT, NULL, NULL, &none), none);
    frz_commit *commit = update_rows(table, "name = 'z'", NULL, FRZ_DELETE_MODE_DEFAULT);
    assert_string_equal(summary_value(commit, "deleted-data-files"), "1");
    assert_string_equal(summary_value(commit, "removed-dvs"), "1");
    assert_string_equal(summary_value(commit, "total-delete-files"), "0");
    frz_commit_free(commit);
    check_selected(table, lineage, "2:z:1:3");
    frz_table_free(table);
    fixture_close(&self);
}

static void formats_1_and_2_update_without_lineage(void **state)
{
    (void)state;
    for (int version = 1; version <= 2; version++) {
        fixture self;
        frz_error *err = NULL;
        CHECK_OK(fixture_open(&self, NULL, &err), err);
        frz_table *table = table_of(&self, version, "id long, name string", NULL);
        append_rows(table, "1:a 2:b 3:c");
        frz_commit *commit = update_rows(table, "name = coalesce(name, '') || '2'", "id = 2",
                                         FRZ_DELETE_MODE_DEFAULT);
        assert_string_equal(summary_value(commit, "added-position-deletes"),
                            version == 2 ? "1" : "(absent)");
        frz_commit_free(commit);
        check_rows(table, "1:a 2:b2 3:c");
        frz_commit_free(
            update_rows(table, "id = id + 1", "name <> 'a'", FRZ_DELETE_MODE_COPY_ON_WRITE));
        check_rows(table, "1:a 3:b2 4:c");
        frz_table_free(table);
        fixture_close(&self);
    }
}

/* Rows go to the partition of their new values. */
static void rows_move_between_partitions(void **state)
{
    fixture self;
    frz_error *err = NULL;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = table_of(&self, 3, "id long, name string", "name");
    append_rows(table, "1:a 2:b 3:a");
    frz_commit *commit = update_rows(table, "name = 'b'", "id = 1", FRZ_DELETE_MODE_DEFAULT);
    assert_string_equal(summary_value(commit, "changed-partition-count"), "2");
    frz_commit_free(commit);
    check_selected(table, lineage, "1:b:0:2 2:b:2:1 3:a:1:1");
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.where = "name = 'b'";
    const scanned got = scan_rows(table, &options, false);
    assert_string_equal(got.text, "1:b 2:b");
    frz_table_free(table);
    fixture_close(&self);
}

static void fields_of_structs_are_set_one_by_one(void **state)
{
    fixture self;
    frz_error *err = NULL;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = table_of(&self, 3,
                                "id long, name string, s struct<a: long, t: struct<b: string, c: "
                                "long>>, q struct<x: long not null, y: long>",
                                NULL);
    append_rows(table, "1:a 2:b");
    frz_commit_free(
        update_rows(table, "s.a = id, s.t.b = name", "id = 1", FRZ_DELETE_MODE_MERGE_ON_READ));
    frz_commit_free(update_rows(table, "s.t.c = 5", NULL, FRZ_DELETE_MODE_COPY_ON_WRITE));
    frz_commit_free(update_rows(table, "id = s.t.c, name = coalesce(s.t.b, 'none')", NULL,
                                FRZ_DELETE_MODE_COPY_ON_WRITE));
    check_selected(table, "id,name", "5:a 5:none");
    CHECK_FAILS(frz_table_update(table, "q.y = 1", NULL, FRZ_DELETE_MODE_DEFAULT, NULL, NULL, &err),
                FRZ_INVALID, err, "its required field x would have no value");
    CHECK_FAILS(
        frz_table_update(table, "q.x = null", NULL, FRZ_DELETE_MODE_DEFAULT, NULL, NULL, &err),
        FRZ_INVALID, err, "null in the required column q.x");
    frz_table_free(table);
    fixture_close(&self);
}

static void a_value_that_cannot_be_names_its_row_and_leaves_nothing(void **state)
{
    fixture self;
    frz_error *err = NULL;
    (void)state;
    CHECK_OK(fixture_open(&self, NULL, &err), err);
    frz_table *table = table_of(&self, 3, "id long not null, name string", NULL);
    append_rows(table, "1:a 2:b 3:c");
    const int files = fixture_files(self.io, "");
    CHECK_FAILS(frz_table_update(table, "id = 5 / (id - 2)", NULL, FRZ_DELETE_MODE_DEFAULT, NULL,
                                 NULL, &err),
                FRZ_INVALID, err, "update table n.t: column id, row at position 1 of mem://wh");
    CHECK_FAILS(
        frz_table_update(table, "id = null", "id = 3", FRZ_DELETE_MODE_DEFAULT, NULL, NULL, &err),
        FRZ_INVALID, err, "null in the required column id");
    CHECK_FAILS(
        frz_table_update(table, "name = 1", NULL, FRZ_DELETE_MODE_DEFAULT, NULL, NULL, &err),
        FRZ_INVALID, err, "set: column name: ");
    CHECK_FAILS(frz_table_update(table, "name = 'x'", "nome = 1", FRZ_DELETE_MODE_DEFAULT, NULL,
                                 NULL, &err),
                FRZ_INVALID, err, "no column nome");
    CHECK(fixture_files(self.io, "") == files);
    check_rows(table, "1:a 2:b 3:c");
    frz_commit *commit = update_rows(table, "name = 'x'", "id = 9", FRZ_DELETE_MODE_DEFAULT);
    CHECK(commit->operation == NULL);
    frz_commit_free(commit);
    CHECK(fixture_files(self.io, "") == files);
    frz_table_free(table);
    fixture_close(&self);
}

static frz_status update_2(frz_table *table, frz_delete_mode mode, frz_error **err)
{
    return frz_table_update(table, "name = 'mine'", "id = 2", mode, NULL, NULL, err);
}

static void rival_updates_2(void)
{
    frz_error *err = NULL;
    frz_table *table = rival_table();
    CHECK_OK(frz_table_update(table, "name = 'theirs'", "id = 2", FRZ_DELETE_MODE_MERGE_ON_READ,
                              NULL, NULL, &err),
             err);
    frz_table_free(table);
}

static void rival_deletes_2(void)
{
    frz_error *err = NULL;
    frz_table *table = rival_table();
    CHECK_OK(frz_table_delete(table, "id = 2", FRZ_DELETE_MODE_MERGE_ON_READ, NULL, NULL, &err),
             err);
    frz_table_free(table);
}

/* Only a delete may unite its vector with that of others: an update would bring rows back. */
static void rows_that_changed_meanwhile_are_a_conflict(void **state)
{
    static void (*const rivals[])(void) = {rival_updates_2, rival_deletes_2, rival_deletes_1,
                                           rival_rewrites_1};
    static const char *const want[] = {"1:a 2:theirs 3:c", "1:a 3:c", "2:b 3:c", "2:b 3:c"};
    (void)state;
    for (int version = 2; version <= 3; version++) {
        for (size_t i = 0; i < sizeof rivals / sizeof rivals[0]; i++) {
            for (int mode = 1; mode <= 2; mode++) {
                frz_error *err = NULL;
                (void)set_up(NULL);
                frz_table *table = make_table(version, NULL, 0);
                append_rows(table, "1:a 2:b 3:c");
                disturb(rivals[i], 1);
                CHECK_FAILS(update_2(table, (frz_delete_mode)mode, &err), FRZ_CONFLICT, err,
                            "another commit");
                CHECK_OK(frz_table_refresh(table, &err), err);
                check_rows(table, want[i]);
                frz_table_free(table);
                (void)tear_down(NULL);
            }
        }
    }
}

/* A file that goes whole: its rows may not have gone meanwhile either. */
static void rows_of_a_whole_file_are_guarded_too(void **state)
{
    frz_error *err = NULL;
    (void)state;
    (void)set_up(NULL);
    frz_table *table = make_table(3, NULL, 0);
    append_rows(table, "1:a 2:b");
    disturb(rival_deletes_1, 1);
    CHECK_FAILS(
        frz_table_update(table, "name = 'x'", NULL, FRZ_DELETE_MODE_DEFAULT, NULL, NULL, &err),
        FRZ_CONFLICT, err, "whose rows this one changes");
    check_rows(table, "2:b");
    frz_table_free(table);
    (void)tear_down(NULL);
}

static void new_rows_conflict_as_the_isolation_level_says(void **state)
{
    static const frz_option snapshot = {"write.update.isolation-level", "snapshot"};
    frz_error *err = NULL;
    (void)state;
    for (int level = 0; level < 2; level++) {
        (void)set_up(NULL);
        frz_table *table = make_table(3, &snapshot, (size_t)level);
        append_rows(table, "1:a 2:b 3:c");
        disturb(rival_appends, 1);
        if (level == 0)
            CHECK_FAILS(frz_table_update(table, "name = 'x'", "id > 2", FRZ_DELETE_MODE_DEFAULT,
                                         NULL, NULL, &err),
                        FRZ_CONFLICT, err, "may hold matching rows");
        else
            CHECK_OK(frz_table_update(table, "name = 'x'", "id > 2", FRZ_DELETE_MODE_DEFAULT, NULL,
                                      NULL, &err),
                     err);
        check_rows(table, level == 0 ? "100:r 1:a 2:b 3:c" : "100:r 1:a 2:b 3:x");
        /* Files that cannot match are no conflict at any level, and ids go on from the winner's. */
        disturb(rival_appends, 1);
        CHECK_OK(update_2(table, FRZ_DELETE_MODE_DEFAULT, &err), err);
        check_selected(table, "_row_id", level == 0 ? "0 1 2 3 4" : "0 1 2 3 5");
        frz_table_free(table);
        (void)tear_down(NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merge_on_read_keeps_row_ids),
        cmocka_unit_test(d043_copy_on_write_keeps_row_ids_and_what_was_not_changed),
        cmocka_unit_test(files_all_of_whose_rows_change_go_whole),
        cmocka_unit_test(formats_1_and_2_update_without_lineage),
        cmocka_unit_test(rows_move_between_partitions),
        cmocka_unit_test(fields_of_structs_are_set_one_by_one),
        cmocka_unit_test(a_value_that_cannot_be_names_its_row_and_leaves_nothing),
        cmocka_unit_test(rows_that_changed_meanwhile_are_a_conflict),
        cmocka_unit_test(rows_of_a_whole_file_are_guarded_too),
        cmocka_unit_test(new_rows_conflict_as_the_isolation_level_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
