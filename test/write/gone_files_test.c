/*
 * Covers: write/row_change
 *
 * Another commit takes a whole data file from under a delete or a truncate: a file that is gone
 * needs no deleting again.
 */
#include "rival_fixture.h"

#include "frazil/alter.h"

/* "1:a 2:b 3:c" in one file, "7:g 8:h" in another. */
static frz_table *open_table(int version, const char *level)
{
    const frz_option properties[] = {{"write.delete.isolation-level", level}};
    frz_table *table = make_table(version, properties, 1);
    append_rows(table, "1:a 2:b 3:c");
    append_rows(table, "7:g 8:h");
    return table;
}

static void rival_drops_first_file(void)
{
    frz_error *err = NULL;
    frz_table *table = rival_table();
    CHECK_OK(frz_table_delete(table, "id <= 3", FRZ_DELETE_MODE_MERGE_ON_READ, NULL, NULL, &err),
             err);
    frz_table_free(table);
}

static void rival_truncates(void)
{
    frz_error *err = NULL;
    frz_table *table = rival_table();
    CHECK_OK(frz_table_truncate(table, NULL, NULL, &err), err);
    frz_table_free(table);
}

static void rival_rolls_back(void)
{
    frz_error *err = NULL;
    frz_alteration *changes = NULL;
    frz_table *table = rival_table();
    CHECK_OK(frz_alteration_new(&changes, &err), err);
    CHECK_OK(frz_alter_rollback(changes, table->metadata->snapshots[1].snapshot_id, &err), err);
    CHECK_OK(frz_table_alter(table, changes, NULL, NULL, &err), err);
    frz_alteration_free(changes);
    frz_table_free(table);
}

static void rival_drops_and_brings_back(void)
{
    if (rival_number++ == 0)
        rival_drops_first_file();
    else
        rival_rolls_back();
}

static void expect_rows(frz_table *table, const char *want)
{
    frz_error *err = NULL;
    CHECK_OK(frz_table_refresh(table, &err), err);
    const scanned rows = scan_rows(table, NULL, false);
    assert_string_equal(rows.text, want);
}

static const char *const levels[] = {"serializable", "snapshot"};
static const int versions[] = {2, 3};

typedef void (*each)(int version, const char *level);

static void for_each(each test)
{
    for (size_t i = 0; i < 4; i++) {
        frz_error *err = NULL;
        test(versions[i / 2], levels[i % 2]);
        CHECK_OK(frz_catalog_drop_table(rival, "n.t", true, &err), err);
    }
}

static void delete_beside_a_dropped_file(int version, const char *level)
{
    frz_error *err = NULL;
    frz_table *table = open_table(version, level);
    const int files = fixture_files(storage, "");
    disturb(rival_drops_first_file, 1);
    CHECK_OK(
        frz_table_delete(table, "id in (2, 7)", FRZ_DELETE_MODE_MERGE_ON_READ, NULL, NULL, &err),
        err);
    disturb(NULL, 0);
    expect_rows(table, "8:h");
    const frz_snapshot *own = frz_metadata_current_snapshot(table->metadata);
    assert_string_equal(own->operation, "delete");
    assert_string_equal(frz_snapshot_summary_find(own, "added-position-deletes"), "1");
    /* Of the other: manifests, list, metadata. Of ours: one delete file and its manifest besides.
     */
    const int rival_files = 3;
    CHECK(fixture_files(storage, "") == files + rival_files + 4);
    frz_table_free(table);
}

static void a_delete_leaves_dropped_files_alone(void **state)
{
    (void)state;
    for_each(delete_beside_a_dropped_file);
}

static void delete_of_nothing_left(int version, const char *level)
{
    frz_error *err = NULL;
    frz_table *table = open_table(version, level);
    frz_commit *commit = NULL;
    disturb(rival_truncates, 1);
    CHECK_OK(
        frz_table_delete(table, "id in (2, 7)", FRZ_DELETE_MODE_MERGE_ON_READ, NULL, &commit, &err),
        err);
    disturb(NULL, 0);
    frz_commit_free(commit);
    expect_rows(table, "");
    CHECK(table->metadata->snapshot_count == 3); /* two appends and the truncate */
    CHECK(fixture_files(storage, "-deletes") == 0 && fixture_files(storage, ".puffin") == 0);
    frz_table_free(table);
}

static void a_delete_that_others_did_is_no_commit(void **state)
{
    (void)state;
    for_each(delete_of_nothing_left);
}

static void delete_of_a_file_that_comes_back(int version, const char *level)
{
    frz_error *err = NULL;
    frz_table *table = open_table(version, level);
    disturb(rival_drops_and_brings_back, 2);
    CHECK_OK(
        frz_table_delete(table, "id in (2, 7)", FRZ_DELETE_MODE_MERGE_ON_READ, NULL, NULL, &err),
        err);
    disturb(NULL, 0);
    expect_rows(table, "1:a 3:c 8:h");
    frz_table_free(table);
}

static void a_file_that_comes_back_is_deleted_from(void **state)
{
    (void)state;
    for_each(delete_of_a_file_that_comes_back);
}

/* What is kept of a file is in one of ours: written back, it would undo what the other did. */
static void rewrite_of_a_dropped_file(int version, const char *level)
{
    frz_error *err = NULL;
    frz_table *table = open_table(version, level);
    disturb(rival_drops_first_file, 1);
    CHECK_FAILS(frz_table_delete(table, "id = 2", FRZ_DELETE_MODE_COPY_ON_WRITE, NULL, NULL, &err),
                FRZ_CONFLICT, err, "another commit removed data file");
    disturb(rival_drops_first_file, 1); /* it does nothing, but a whole file may go */
    CHECK_OK(frz_table_delete(table, "id <= 8", FRZ_DELETE_MODE_COPY_ON_WRITE, NULL, NULL, &err),
             err);
    disturb(NULL, 0);
    expect_rows(table, "");
    frz_table_free(table);
}

static void copy_on_write_of_a_dropped_file_is_a_conflict(void **state)
{
    (void)state;
    for_each(rewrite_of_a_dropped_file);
}

static void truncate_beside_an_append(int version, const char *level)
{
    frz_error *err = NULL;
    frz_table *table = open_table(version, level);
    disturb(rival_appends, 1);
    CHECK_OK(frz_table_truncate(table, NULL, NULL, &err), err);
    disturb(NULL, 0);
    expect_rows(table, strcmp(level, "snapshot") == 0 ? "100:r" : "");
    frz_table_free(table);
}

static void truncate_beside_deletes(int version, const char *level)
{
    static void (*const others[])(void) = {rival_drops_first_file, rival_deletes_1,
                                           rival_truncates};
    for (size_t i = 0; i < 3; i++) {
        frz_error *err = NULL;
        frz_table *table = open_table(version, level);
        disturb(others[i], 1);
        CHECK_OK(frz_table_truncate(table, NULL, NULL, &err), err);
        disturb(NULL, 0);
        expect_rows(table, "");
        frz_table_free(table);
        if (i < 2)
            CHECK_OK(frz_catalog_drop_table(rival, "n.t", true, &err), err);
    }
}

static void a_truncate_takes_what_is_there(void **state)
{
    (void)state;
    for_each(truncate_beside_an_append);
    for_each(truncate_beside_deletes);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_delete_leaves_dropped_files_alone),
        CASE(a_delete_that_others_did_is_no_commit),
        CASE(a_file_that_comes_back_is_deleted_from),
        CASE(copy_on_write_of_a_dropped_file_is_a_conflict),
        CASE(a_truncate_takes_what_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
