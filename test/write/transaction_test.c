/*
 * What transactions do when others commit at the same time, when answers are lost, and when storage
 * or memory fails at any moment.
 */
#include "write/transaction.h"

#include "frazil/alter.h"

#include "rival_fixture.h"

#include "io/fault.h"
#include "spec/update.h"

/* The second attempt starts from the winner's version, with new numbers, ids and list.
 */
static void d011_d156_a_lost_race_is_tried_again_on_the_winners_version(void **state)
{
    frz_error *err = NULL;
    frz_commit *commit = NULL;
    struct ArrowArrayStream rows = {0};
    frz_table *table = make_table(3, NULL, 0);
    (void)state;
    append_rows(table, "1:a");
    disturb(rival_appends, 2);
    CHECK_OK(rows_of("2:b 3:c", &rows, &err), err);
    CHECK_OK(frz_table_append(table, &rows, NULL, &commit, &err), err);
    CHECK(commit->sequence_number == 4);
    assert_string_equal(summary_value(commit, "total-records"), "5");
    frz_commit_free(commit);
    check_rows(table, "100:r 101:r 1:a 2:b 3:c");
    check_selected(table, "id,_row_id,_last_updated_sequence_number",
                   "100:1:2 101:2:3 1:0:1 2:3:4 3:4:4");
    CHECK(table->metadata->next_row_id == 5);
    CHECK(slept_ms >= 100 + 200 && slept_ms < 110 + 220);
    /* No list of a lost attempt is left: one per snapshot, and the files of data are written once.
     */
    CHECK(fixture_files(storage, "/snap-") == 4);
    CHECK(fixture_files(storage, ".parquet") == 4);
    frz_table_free(table);
}

static void rival_sets_retries(void)
{
    frz_error *err = NULL;
    frz_table *table = rival_table();
    frz_alteration *changes = NULL;
    CHECK_OK(frz_alteration_new(&changes, &err), err);
    CHECK_OK(frz_alter_set_property(changes, "commit.retry.num-retries", "2", &err), err);
    CHECK_OK(frz_alter_set_property(changes, "commit.retry.min-wait-ms", "40", &err), err);
    CHECK_OK(frz_alter_set_property(changes, "commit.retry.max-wait-ms", "50", &err), err);
    CHECK_OK(frz_table_alter(table, changes, NULL, NULL, &err), err);
    frz_alteration_free(changes);
    frz_table_free(table);
    crowd.before_swap = rival_appends;
}

/* What the table says of retries counts as it is now, not as it was when the work began. */
static void retries_are_read_from_the_version_that_won(void **state)
{
    frz_table *table = make_table(3, NULL, 0);
    (void)state;
    disturb(rival_sets_retries, 100);
    append_rows(table, "1:a");
    CHECK(crowd.swaps == 3 && crowd.locked_swaps == 1);
    /* 100 by what the table said first, then 50: the most that it says now. */
    CHECK(slept_ms >= 100 + 50 && slept_ms < 110 + 55);
    check_rows(table, "100:r 1:a");
    frz_table_free(table);
}

/* Time that is used up makes an attempt the last one, retries or not. */
static void a_time_limit_ends_retries(void **state)
{
    const frz_option property = {"commit.retry.total-timeout-ms", "0"};
    frz_table *table = make_table(3, &property, 1);
    (void)state;
    disturb(rival_appends, 100);
    append_rows(table, "1:a");
    CHECK(crowd.swaps == 1 && crowd.locked_swaps == 1 && slept_ms == 0);
    check_rows(table, "1:a");
    frz_table_free(table);
}

/* The last attempt holds the catalog: nobody can come between. */
static void the_last_attempt_cannot_lose(void **state)
{
    const frz_option property = {"commit.retry.num-retries", "2"};
    frz_table *table = make_table(3, &property, 1);
    (void)state;
    disturb(rival_appends, 100);
    append_rows(table, "1:a");
    CHECK(crowd.locked_swaps == 1 && crowd.swaps == 3 && !crowd.locked);
    check_rows(table, "100:r 101:r 1:a");
    frz_table_free(table);
}

static void retries_that_are_used_up_are_a_conflict_without_traces(void **state)
{
    static frz_catalog_backend_ops lockless;
    const frz_option property = {"commit.retry.num-retries", "1"};
    frz_error *err = NULL;
    struct ArrowArrayStream rows = {0};
    frz_table *table = make_table(3, &property, 1);
    (void)state;
    lockless = crowded_ops;
    lockless.lock = NULL;
    crowd.base.ops = &lockless;
    disturb(rival_appends, 100);
    CHECK_OK(rows_of("1:a", &rows, &err), err);
    CHECK_FAILS(frz_table_append(table, &rows, NULL, NULL, &err), FRZ_CONFLICT, err,
                "append to table n.t");
    CHECK(fixture_files(storage, ".parquet") == 2); /* the rival's */
    CHECK_OK(frz_table_refresh(table, &err), err);
    check_rows(table, "100:r 101:r");
    frz_table_free(table);
}

/* A conflict that was our own commit, its answer lost, is not committed twice; nor is it when
 * another commit has come on top. */
static void d010_an_own_commit_is_recognised(void **state)
{
    frz_error *err = NULL;
    frz_commit *commit = NULL;
    struct ArrowArrayStream rows = {0};
    frz_table *table = make_table(3, NULL, 0);
    (void)state;
    crowd.lose_answer = true;
    CHECK_OK(rows_of("1:a", &rows, &err), err);
    CHECK_OK(frz_table_append(table, &rows, NULL, &commit, &err), err);
    CHECK(commit->sequence_number == 1);
    frz_commit_free(commit);
    CHECK(crowd.swaps == 1);
    check_rows(table, "1:a");
    crowd.lose_answer = true;
    crowd.after_swap = rival_appends;
    CHECK_OK(rows_of("2:b", &rows, &err), err);
    CHECK_OK(frz_table_append(table, &rows, NULL, &commit, &err), err);
    CHECK(commit->sequence_number == 2);
    frz_commit_free(commit);
    CHECK_OK(frz_table_refresh(table, &err), err);
    check_rows(table, "100:r 1:a 2:b");
    /* Every version that the log names is there: our own, which the other came upon, too. */
    const frz_metadata *metadata = table->metadata;
    CHECK(metadata->metadata_log_count == 3);
    for (size_t i = 0; i < metadata->metadata_log_count; i++)
        CHECK(fixture_files(storage, metadata->metadata_log[i].metadata_file) == 1);
    frz_table_free(table);
}

/* A vector that was written meanwhile is united with ours; the one it replaces is retired; the
 * file of the lost attempt is removed. */
static void d002_d157_vectors_of_two_writers_are_united(void **state)
{
    frz_error *err = NULL;
    frz_commit *commit = NULL;
    frz_table *table = make_table(3, NULL, 0);
    (void)state;
    append_rows(table, "1:a 2:b 3:c");
    disturb(rival_deletes_1, 1);
    CHECK_OK(frz_table_delete(table, "id = 2", FRZ_DELETE_MODE_DEFAULT, NULL, &commit, &err), err);
    assert_string_equal(summary_value(commit, "removed-dvs"), "1");
    assert_string_equal(summary_value(commit, "total-position-deletes"), "2");
    frz_commit_free(commit);
    check_rows(table, "3:c");
    CHECK(fixture_files(storage, ".puffin") ==
          2); /* the rival's, and that of the attempt that won */
    frz_table_free(table);
}

/* What is rewritten must not have lost rows meanwhile. */
static void d013_a_rewrite_of_a_file_with_new_deletes_is_a_conflict(void **state)
{
    frz_error *err = NULL;
    frz_table *table = make_table(3, NULL, 0);
    (void)state;
    append_rows(table, "1:a 2:b 3:c");
    disturb(rival_deletes_1, 1);
    CHECK_FAILS(frz_table_delete(table, "id = 2", FRZ_DELETE_MODE_COPY_ON_WRITE, NULL, NULL, &err),
                FRZ_CONFLICT, err, "which was rewritten");
    check_rows(table, "2:b 3:c");
    CHECK(fixture_files(storage, ".parquet") == 1);
    frz_table_free(table);
}

/* Positions in a file that another commit replaced hit nothing. */
static void d105_a_delete_in_a_file_that_is_gone_is_a_conflict(void **state)
{
    frz_error *err = NULL;
    const frz_option property = {"write.delete.isolation-level", "snapshot"};
    frz_table *table = make_table(3, &property, 1);
    (void)state;
    append_rows(table, "1:a 2:b 3:c");
    disturb(rival_rewrites_1, 1);
    CHECK_FAILS(frz_table_delete(table, "id = 2", FRZ_DELETE_MODE_DEFAULT, NULL, NULL, &err),
                FRZ_CONFLICT, err, "another commit removed data file");
    check_rows(table, "2:b 3:c");
    CHECK(fixture_files(storage, ".puffin") == 0);
    frz_table_free(table);
}

static void serializable_deletes_see_no_new_rows(void **state)
{
    frz_error *err = NULL;
    frz_table *table = make_table(3, NULL, 0);
    (void)state;
    append_rows(table, "1:a 2:b");
    disturb(rival_appends, 1);
    CHECK_FAILS(
        frz_table_delete(table, "id = 2 OR name = 'r'", FRZ_DELETE_MODE_DEFAULT, NULL, NULL, &err),
        FRZ_CONFLICT, err, "may hold matching rows");
    /* New rows that cannot match are no conflict. */
    disturb(rival_appends, 1);
    CHECK_OK(frz_table_delete(table, "id = 2", FRZ_DELETE_MODE_DEFAULT, NULL, NULL, &err), err);
    check_rows(table, "100:r 100:r 1:a");
    frz_table_free(table);
}

static void snapshot_isolation_lets_new_rows_pass(void **state)
{
    frz_error *err = NULL;
    const frz_option property = {"write.delete.isolation-level", "snapshot"};
    frz_table *table = make_table(3, &property, 1);
    (void)state;
    append_rows(table, "1:a 2:b");
    disturb(rival_appends, 1);
    CHECK_OK(
        frz_table_delete(table, "id = 2 OR name = 'r'", FRZ_DELETE_MODE_DEFAULT, NULL, NULL, &err),
        err);
    check_rows(table, "100:r 1:a");
    frz_table_free(table);
}

static void a_cancelled_transaction_leaves_nothing(void **state)
{
    frz_error *err = NULL;
    const bool cancelled = true;
    struct ArrowArrayStream rows = {0};
    frz_write_options options = FRZ_WRITE_OPTIONS_INIT;
    frz_table *table = make_table(3, NULL, 0);
    (void)state;
    const int files = fixture_files(storage, "");
    options.cancelled = &cancelled;
    CHECK_OK(rows_of("1:a", &rows, &err), err);
    CHECK_FAILS(frz_table_append(table, &rows, &options, NULL, &err), FRZ_CANCELLED, err,
                "nothing was committed");
    CHECK(fixture_files(storage, "") == files);
    frz_table_free(table);
}

static void a_table_without_catalog_is_only_read(void **state)
{
    frz_error *err = NULL;
    frz_table *bare = NULL;
    struct ArrowArrayStream rows = {0};
    frz_table *table = make_table(3, NULL, 0);
    (void)state;
    CHECK_OK(frz_table_open(frz_table_metadata_location(table), storage, &bare, &err), err);
    CHECK_OK(rows_of("1:a", &rows, &err), err);
    CHECK_FAILS(frz_table_append(bare, &rows, NULL, NULL, &err), FRZ_INVALID, err,
                "without a catalog");
    CHECK_FAILS(frz_table_delete(bare, "id = 1", FRZ_DELETE_MODE_DEFAULT, NULL, NULL, &err),
                FRZ_INVALID, err, "without a catalog");
    frz_table_free(bare);
    frz_table_free(table);
}

/* Commits to a branch advance next-row-id too; the branch starts where main stands. */
static void d128_branches_are_made_and_written(void **state)
{
    frz_error *err = NULL;
    struct ArrowArrayStream rows = {0};
    frz_write_options options = FRZ_WRITE_OPTIONS_INIT;
    frz_scan_options at = FRZ_SCAN_OPTIONS_INIT;
    const frz_option property = {"app.id", "7"};
    frz_commit *commit = NULL;
    frz_table *table = make_table(3, NULL, 0);
    (void)state;
    append_rows(table, "1:a");
    options.branch = "audit";
    options.snapshot_properties = &property;
    options.snapshot_property_count = 1;
    CHECK_OK(rows_of("2:b", &rows, &err), err);
    CHECK_OK(frz_table_append(table, &rows, &options, &commit, &err), err);
    assert_string_equal(summary_value(commit, "app.id"), "7");
    frz_commit_free(commit);
    check_rows(table, "1:a");
    at.at.ref = "audit";
    const scanned audit = scan_rows(table, &at, false);
    assert_string_equal(audit.text, "1:a 2:b");
    CHECK(table->metadata->next_row_id == 2);
    CHECK_OK(frz_table_delete(table, "id = 1", FRZ_DELETE_MODE_DEFAULT, &options, NULL, &err), err);
    check_rows(table, "1:a");
    const scanned deleted = scan_rows(table, &at, false);
    assert_string_equal(deleted.text, "2:b");
    frz_table_free(table);
}

/* Spec "Table Metadata Fields", snapshot-log: it tells what was current, and no ref has this one.
 */
static void a_staged_snapshot_is_on_no_branch(void **state)
{
    frz_error *err = NULL;
    struct ArrowArrayStream rows = {0};
    frz_write_options options = FRZ_WRITE_OPTIONS_INIT;
    frz_scan_options at = FRZ_SCAN_OPTIONS_INIT;
    frz_commit *commit = NULL;
    frz_table *table = make_table(3, NULL, 0);
    (void)state;
    append_rows(table, "1:a");
    options.wap_id = "load-7";
    CHECK_OK(rows_of("2:b", &rows, &err), err);
    CHECK_OK(frz_table_append(table, &rows, &options, &commit, &err), err);
    assert_string_equal(summary_value(commit, "wap.id"), "load-7");
    const frz_metadata *metadata = table->metadata;
    CHECK(metadata->snapshot_count == 2 && metadata->ref_count == 1);
    CHECK(metadata->snapshot_log_count == 1);
    CHECK(metadata->current_snapshot_id == metadata->snapshots[0].snapshot_id);
    CHECK(metadata->next_row_id == 2 && metadata->last_sequence_number == 2);
    check_rows(table, "1:a");
    at.at.has_snapshot_id = true;
    at.at.snapshot_id = commit->snapshot_id;
    const scanned staged = scan_rows(table, &at, false);
    assert_string_equal(staged.text, "1:a 2:b");
    frz_commit_free(commit);
    frz_table_free(table);
}

static frz_status prepare_property(void *self, frz_transaction *transaction,
                                   const frz_snapshot *parent, frz_change *out, frz_error **err)
{
    (void)parent;
    FRZ_TRY(frz_metadata_builder_new(transaction->table->metadata, 0, &out->builder, err));
    return frz_update_set_property(out->builder, "owner", self, err);
}

/* Updates without a snapshot take the same way, and are made again on the winner's version. */
static void metadata_alone_is_committed_and_loses_nothing(void **state)
{
    frz_error *err = NULL;
    frz_commit *commit = NULL;
    frz_transaction transaction;
    frz_table *table = make_table(3, NULL, 0);
    char owner[] = "ada";
    (void)state;
    append_rows(table, "1:a");
    disturb(rival_appends, 1);
    CHECK_OK(frz_transaction_open(table, NULL, &transaction, &err), err);
    CHECK_OK(frz_transaction_commit(&transaction, prepare_property, owner, &commit, &err), err);
    frz_transaction_close(&transaction, FRZ_OK);
    CHECK(commit->operation == NULL);
    assert_string_equal(frz_table_property(table, "owner"), "ada");
    CHECK(table->metadata->snapshot_count == 2);
    frz_commit_free(commit);
    frz_table_free(table);
}

static frz_status alter_one(frz_table *table,
                            frz_status (*record)(frz_alteration *changes, frz_error **err),
                            frz_error **err)
{
    frz_alteration *changes = NULL;
    frz_status status = frz_alteration_new(&changes, err);
    if (status == FRZ_OK)
        status = record(changes, err);
    if (status == FRZ_OK)
        status = frz_table_alter(table, changes, NULL, NULL, err);
    frz_alteration_free(changes);
    return status;
}

static frz_status add_own_column(frz_alteration *changes, frz_error **err)
{
    return frz_alter_add_column(changes, "own", "int", NULL, err);
}

static frz_status add_rival_column(frz_alteration *changes, frz_error **err)
{
    return frz_alter_add_column(changes, "theirs", "int", NULL, err);
}

static frz_status add_own_field(frz_alteration *changes, frz_error **err)
{
    return frz_alter_add_partition(changes, "bucket(4, id)", NULL, err);
}

static frz_status set_own_property(frz_alteration *changes, frz_error **err)
{
    return frz_alter_set_property(changes, "own", "1", err);
}

static frz_status go_back(frz_alteration *changes, frz_error **err)
{
    frz_table *table = rival_table();
    const int64_t first = table->metadata->snapshots[0].snapshot_id;
    frz_table_free(table);
    return frz_alter_rollback(changes, first, err);
}

static void rival_alters(void)
{
    frz_error *err = NULL;
    frz_table *table = rival_table();
    CHECK_OK(alter_one(table, add_rival_column, &err), err);
    frz_table_free(table);
}

/* Rows, and changes of other parts of the table, may come between. */
static void alterations_are_made_again_on_the_winners_version(void **state)
{
    frz_error *err = NULL;
    frz_table *table = make_table(3, NULL, 0);
    (void)state;
    append_rows(table, "1:a");
    disturb(rival_appends, 1);
    CHECK_OK(alter_one(table, add_own_column, &err), err);
    disturb(rival_alters, 1);
    CHECK_OK(alter_one(table, add_own_field, &err), err);
    disturb(rival_appends, 1);
    CHECK_OK(alter_one(table, set_own_property, &err), err);
    check_rows(table, "100:r:-:- 100:r:-:- 1:a:-:-");
    CHECK(table->metadata->last_column_id == 4 && table->metadata->spec_count == 2);
    assert_string_equal(frz_table_property(table, "own"), "1");
    frz_table_free(table);
}

/* The requirements of the REST protocol: what a change is based on has not changed. */
static void alterations_of_what_another_changed_are_conflicts(void **state)
{
    frz_error *err = NULL;
    frz_table *table = make_table(3, NULL, 0);
    (void)state;
    append_rows(table, "1:a");
    append_rows(table, "2:b");
    disturb(rival_alters, 1);
    CHECK_FAILS(alter_one(table, add_own_column, &err), FRZ_CONFLICT, err,
                "current-schema-id has changed: expected 0, found 1");
    disturb(rival_appends, 1);
    CHECK_FAILS(alter_one(table, go_back, &err), FRZ_CONFLICT, err, "reference main has moved");
    CHECK_OK(frz_table_refresh(table, &err), err);
    check_rows(table, "100:r:- 1:a:- 2:b:-");
    frz_table_free(table);
}

/* Rows that were written for one schema are of use in the next. */
static void an_append_beside_a_new_column_is_kept(void **state)
{
    frz_table *table = make_table(3, NULL, 0);
    (void)state;
    disturb(rival_alters, 1);
    append_rows(table, "1:a");
    check_rows(table, "1:a:-");
    CHECK(frz_metadata_current_snapshot(table->metadata)->schema_id == 1);
    frz_table_free(table);
}

static void snapshot_properties_cannot_replace_counters(void **state)
{
    frz_error *err = NULL;
    struct ArrowArrayStream rows = {0};
    frz_write_options options = FRZ_WRITE_OPTIONS_INIT;
    const frz_option property = {"total-records", "7"};
    frz_table *table = make_table(3, NULL, 0);
    (void)state;
    const int files = fixture_files(storage, "");
    options.snapshot_properties = &property;
    options.snapshot_property_count = 1;
    CHECK_OK(rows_of("2:b", &rows, &err), err);
    CHECK_FAILS(frz_table_append(table, &rows, &options, NULL, &err), FRZ_INVALID, err,
                "total-records is set by the commit");
    CHECK(fixture_files(storage, "") == files);
    frz_table_free(table);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(d011_d156_a_lost_race_is_tried_again_on_the_winners_version),
        CASE(retries_are_read_from_the_version_that_won),
        CASE(a_time_limit_ends_retries),
        CASE(the_last_attempt_cannot_lose),
        CASE(retries_that_are_used_up_are_a_conflict_without_traces),
        CASE(d010_an_own_commit_is_recognised),
        CASE(d002_d157_vectors_of_two_writers_are_united),
        CASE(d013_a_rewrite_of_a_file_with_new_deletes_is_a_conflict),
        CASE(d105_a_delete_in_a_file_that_is_gone_is_a_conflict),
        CASE(serializable_deletes_see_no_new_rows),
        CASE(snapshot_isolation_lets_new_rows_pass),
        CASE(a_cancelled_transaction_leaves_nothing),
        CASE(a_table_without_catalog_is_only_read),
        CASE(d128_branches_are_made_and_written),
        CASE(a_staged_snapshot_is_on_no_branch),
        CASE(metadata_alone_is_committed_and_loses_nothing),
        CASE(alterations_are_made_again_on_the_winners_version),
        CASE(alterations_of_what_another_changed_are_conflicts),
        CASE(an_append_beside_a_new_column_is_kept),
        CASE(snapshot_properties_cannot_replace_counters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
