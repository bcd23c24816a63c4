/*
 * Covers: write/staged write/steps write/options
 *
 * Transactions of several operations: what is seen inside and outside, what one commit leaves in
 * the metadata, what becomes of them when others commit, when answers are lost and when one of the
 * operations fails.
 */
#include "frazil/transaction.h"

#include "frazil/alter.h"
#include "frazil/delta.h"
#include "frazil/table.h"
#include "io/file.h"
#include "spec/update.h"
#include "write/options.h"
#include "write/steps.h"

#include "staged_fixture.h"

static frz_table *begin(const frz_table *table)
{
    frz_error *err = NULL;
    frz_table *staged = NULL;
    CHECK_OK(frz_table_begin(table, &staged, &err), err);
    return staged;
}

static frz_transaction_report *commit(frz_table *staged)
{
    frz_error *err = NULL;
    frz_transaction_report *report = NULL;
    CHECK_OK(frz_table_commit(staged, NULL, &report, &err), err);
    return report;
}

static void commit_quietly(frz_table *staged)
{
    frz_transaction_report_free(commit(staged));
}

static void delete_rows(frz_table *table, const char *where)
{
    delete_rows_by(table, FRZ_DELETE_MODE_DEFAULT, where);
}

static void update_rows(frz_table *table, const char *set, const char *where)
{
    update_rows_by(table, FRZ_DELETE_MODE_DEFAULT, set, where);
}

static void merge_rows(frz_table *table, const char *source)
{
    merge_rows_by(table, FRZ_DELETE_MODE_DEFAULT, source);
}

static void overwrite_rows(frz_table *table, const char *where, const char *source)
{
    overwrite_rows_by(table, FRZ_DELETE_MODE_DEFAULT, where, source);
}

static void set_property(frz_table *table, const char *key, const char *value)
{
    frz_error *err = NULL;
    frz_alteration *changes = NULL;
    CHECK_OK(frz_alteration_new(&changes, &err), err);
    CHECK_OK(frz_alter_set_property(changes, key, value, &err), err);
    CHECK_OK(frz_table_alter(table, changes, NULL, NULL, &err), err);
    frz_alteration_free(changes);
}

static void add_column(frz_table *table, const char *name)
{
    frz_error *err = NULL;
    frz_alteration *changes = NULL;
    CHECK_OK(frz_alteration_new(&changes, &err), err);
    CHECK_OK(frz_alter_add_column(changes, name, "int", NULL, &err), err);
    CHECK_OK(frz_table_alter(table, changes, NULL, NULL, &err), err);
    frz_alteration_free(changes);
}

/* As the catalog holds it now. */
static void check_committed(const char *want)
{
    frz_table *table = rival_table();
    check_rows(table, want);
    frz_table_free(table);
}

static void nobody_sees_it_before_the_commit_and_all_of_it_after(void **state)
{
    frz_table *table = make_table(3, NULL, 0);
    (void)state;
    append_rows(table, "1:a 2:b 3:c");
    frz_table *staged = begin(table);
    append_rows(staged, "4:d");
    check_rows(staged, "1:a 2:b 3:c 4:d");
    delete_rows(staged, "id = 1");
    update_rows(staged, "name = upper(name)", "id in (2, 4)");
    check_rows(staged, "2:B 3:c 4:D");
    merge_rows(staged, "3:x 5:e");
    overwrite_rows(staged, "id = 5", "5:f");
    set_property(staged, "owner", "me");
    check_rows(staged, "2:B 3:x 4:D 5:f");
    CHECK(frz_table_staged_count(staged) == 6);
    check_committed("1:a 2:b 3:c");
    CHECK(crowd.swaps == 1);
    frz_transaction_report *report = commit(staged);
    CHECK(crowd.swaps == 2);
    CHECK(report->committed && report->operation_count == 6);
    static const char *const operations[] = {"append",    "delete",    "overwrite",
                                             "overwrite", "overwrite", NULL};
    for (size_t i = 0; i < 6; i++) {
        const frz_commit *operation = report->operations[i];
        if (operations[i])
            assert_string_equal(operation->operation, operations[i]);
        else
            CHECK(!operation->operation);
        CHECK(!operations[i] || operation->sequence_number == (int64_t)i + 2);
    }
    /* The first file has gone: none of its rows was left. */
    assert_string_equal(summary_value(report->operations[4], "total-records"), "5");
    frz_transaction_report_free(report);
    check_committed("2:B 3:x 4:D 5:f");
    check_rows(staged, "2:B 3:x 4:D 5:f");
    frz_table_free(staged);
    frz_table_free(table);
}

/* Spec "Table Metadata Fields": snapshots that were current inside the transaction alone are in the
 * history of the branch, and not in the snapshot log; one metadata file is one entry of the other
 * log. */
static void one_version_with_several_snapshots(void **state)
{
    frz_table *table = make_table(3, NULL, 0);
    (void)state;
    append_rows(table, "1:a 2:b");
    const int64_t first = table->metadata->current_snapshot_id;
    char *before = frz_copy_text(table->metadata_location);
    frz_table *staged = begin(table);
    append_rows(staged, "3:c");
    append_rows(staged, "4:d");
    delete_rows(staged, "id = 3");
    commit_quietly(staged);
    const frz_metadata *metadata = staged->metadata;
    CHECK(metadata->snapshot_count == 4);
    CHECK(metadata->snapshot_log_count == 2);
    CHECK(metadata->snapshot_log[0].snapshot_id == first);
    CHECK(metadata->snapshot_log[1].snapshot_id == metadata->current_snapshot_id);
    CHECK(metadata->metadata_log_count == 2);
    assert_string_equal(metadata->metadata_log[1].metadata_file, before);
    CHECK(metadata->metadata_log[1].timestamp_ms == table->metadata->last_updated_ms);
    int64_t parent = metadata->current_snapshot_id;
    for (int64_t number = 4; number > 0; number--) {
        const frz_snapshot *snapshot = frz_metadata_find_snapshot(metadata, parent);
        CHECK(snapshot && snapshot->sequence_number == number);
        parent = snapshot->parent_id;
    }
    CHECK(parent == FRZ_NO_SNAPSHOT);
    CHECK(metadata->last_sequence_number == 4 && metadata->next_row_id == 4);
    check_selected(staged, "id,_row_id,_last_updated_sequence_number", "1:0:1 2:1:1 4:3:3");
    CHECK(fixture_files(storage, ".metadata.json") == 3);
    frz_free(before);
    frz_table_free(staged);
    frz_table_free(table);
}

static void a_rollback_leaves_nothing(void **state)
{
    frz_error *err = NULL;
    struct ArrowArrayStream rows = {0};
    frz_table *table = make_table(3, NULL, 0);
    (void)state;
    append_rows(table, "1:a 2:b");
    const int files = fixture_files(storage, "");
    for (int by_free = 0; by_free < 2; by_free++) {
        frz_table *staged = begin(table);
        append_rows(staged, "3:c");
        update_rows(staged, "name = 'z'", "id > 1");
        delete_rows(staged, "id = 2");
        CHECK(fixture_files(storage, "") > files);
        if (!by_free) {
            frz_table_rollback(staged);
            CHECK(fixture_files(storage, "") == files);
            check_rows(staged, "1:a 2:b");
            frz_table_rollback(staged);
            CHECK_OK(rows_of("9:z", &rows, &err), err);
            CHECK_FAILS(frz_table_append(staged, &rows, NULL, NULL, &err), FRZ_INVALID, err,
                        "the transaction on table n.t has ended");
            CHECK_FAILS(frz_table_commit(staged, NULL, NULL, &err), FRZ_INVALID, err,
                        "has ended: begin another");
        }
        frz_table_free(staged);
        CHECK(fixture_files(storage, "") == files);
    }
    check_committed("1:a 2:b");
    frz_table_free(table);
}

static void an_operation_that_fails_leaves_what_was_staged_before(void **state)
{
    frz_error *err = NULL;
    frz_table *table = make_table(3, NULL, 0);
    (void)state;
    append_rows(table, "1:a");
    frz_table *staged = begin(table);
    append_rows(staged, "2:b");
    const int files = fixture_files(storage, "");
    CHECK_FAILS(frz_table_update(staged, "id = cast('x' as long)", "id = 2",
                                 FRZ_DELETE_MODE_DEFAULT, NULL, NULL, &err),
                FRZ_INVALID, err, "update table n.t");
    CHECK(fixture_files(storage, "") == files);
    CHECK(frz_table_staged_count(staged) == 1);
    delete_rows(staged, "id = 1");
    commit_quietly(staged);
    check_committed("2:b");
    frz_table_free(staged);
    frz_table_free(table);
}

static void without_operations_there_is_nothing_to_commit(void **state)
{
    frz_error *err = NULL;
    frz_table *again = NULL;
    frz_table *table = make_table(2, NULL, 0);
    (void)state;
    append_rows(table, "1:a");
    const int files = fixture_files(storage, "");
    frz_table *staged = begin(table);
    CHECK_FAILS(frz_table_begin(staged, &again, &err), FRZ_INVALID, err,
                "transactions do not nest");
    CHECK_FAILS(frz_table_commit(table, NULL, NULL, &err), FRZ_INVALID, err,
                "is in no transaction");
    delete_rows(staged, "id = 7");
    frz_transaction_report *report = commit(staged);
    CHECK(!report->committed && report->operation_count == 0);
    frz_transaction_report_free(report);
    CHECK(fixture_files(storage, "") == files && crowd.swaps == 1);
    frz_table_free(staged);
    frz_table_free(table);
}

static void other_handles_stand_at_what_is_staged(void **state)
{
    frz_error *err = NULL;
    frz_table *other = NULL;
    frz_table *table = make_table(3, NULL, 0);
    (void)state;
    frz_table *staged = begin(table);
    append_rows(staged, "1:a");
    CHECK_OK(frz_table_reopen(staged, &other, &err), err);
    frz_table_free(staged);
    check_rows(other, "1:a");
    append_rows(other, "2:b");
    commit_quietly(other);
    check_committed("1:a 2:b");
    frz_table_free(other);
    frz_table_free(table);
}

/* Every operation again on the version of the rival: numbers, ids and lists anew, files of data as
 * they were. */
static void a_lost_race_is_tried_again_with_every_operation(void **state)
{
    for (int version = 1; version <= 3; version++) {
        frz_table *table = NULL;
        assert_int_equal(set_up(state), 0);
        table = make_table(version, NULL, 0);
        append_rows(table, "1:a 2:b 3:c");
        frz_table *staged = begin(table);
        append_rows(staged, "4:d");
        delete_rows(staged, "id = 2");
        update_rows(staged, "name = 'C'", "id = 3");
        set_property(staged, "owner", "me");
        overwrite_rows(staged, "id = 5", "5:e");
        add_column(staged, "n");
        disturb(rival_appends, 2);
        frz_transaction_report *report = commit(staged);
        CHECK(report->operation_count == 6);
        CHECK(version == 1 || report->operations[0]->sequence_number == 4);
        CHECK(version == 1 || report->operations[4]->sequence_number == 7);
        frz_transaction_report_free(report);
        CHECK(crowd.swaps == 4);
        check_committed("100:r:- 101:r:- 1:a:- 3:C:- 4:d:- 5:e:-");
        assert_string_equal(frz_table_property(staged, "owner"), "me");
        if (version == 3) {
            check_selected(staged, "id,_row_id,_last_updated_sequence_number",
                           "100:3:2 101:4:3 1:0:1 3:2:6 4:5:4 5:7:7");
            CHECK(staged->metadata->next_row_id == 8);
        }
        /* One list a snapshot: those of lost attempts have gone. */
        CHECK(fixture_files(storage, "/snap-") == (int)staged->metadata->snapshot_count);
        CHECK(staged->metadata->snapshot_log_count == 4);
        frz_table_free(staged);
        frz_table_free(table);
        assert_int_equal(tear_down(state), 0);
    }
}

/* Two deletes and an update of one file: each sees the vector of the one before it, also when the
 * commit is tried again. */
static void vectors_of_a_transaction_stay_as_its_operations_saw_them(void **state)
{
    frz_table *table = make_table(3, NULL, 0);
    (void)state;
    append_rows(table, "1:a 2:b 3:c 4:d");
    frz_table *staged = begin(table);
    delete_rows(staged, "id = 2");
    update_rows(staged, "name = 'z'", "id = 3");
    delete_rows(staged, "id = 4");
    disturb(rival_appends, 1);
    commit_quietly(staged);
    check_committed("100:r 1:a 3:z");
    CHECK(fixture_files(storage, ".puffin") == 3);
    frz_table_free(staged);
    frz_table_free(table);
}

static void a_delete_unites_with_that_of_a_rival_and_an_update_conflicts(void **state)
{
    frz_error *err = NULL;
    frz_table *table = make_table(3, NULL, 0);
    (void)state;
    append_rows(table, "1:a 2:b 3:c");
    frz_table *staged = begin(table);
    append_rows(staged, "4:d");
    delete_rows(staged, "id = 2");
    disturb(rival_deletes_1, 1);
    commit_quietly(staged);
    check_committed("3:c 4:d");
    frz_table_free(staged);

    append_rows(table, "1:a 5:e");
    const int files = fixture_files(storage, "");
    staged = begin(table);
    append_rows(staged, "6:f");
    update_rows(staged, "name = 'E'", "id = 5");
    frz_table *outside = rival_table();
    delete_rows(outside, "id = 1");
    frz_table_free(outside);
    const int rivals = fixture_files(storage, "") - files;
    CHECK_FAILS(frz_table_commit(staged, NULL, NULL, &err), FRZ_CONFLICT, err,
                "commit the transaction on table n.t: operation 2 of 2: another commit deleted or "
                "changed rows");
    check_committed("3:c 4:d 5:e");
    check_rows(staged, "3:c 4:d 5:e");
    CHECK(rivals > 0);
    CHECK_OK(frz_table_refresh(table, &err), err);
    CHECK(fixture_files(storage, "/snap-") == (int)table->metadata->snapshot_count);
    CHECK(fixture_files(storage, ".parquet") == 3);
    frz_table_free(staged);
    frz_table_free(table);
}

static void another_schema_is_a_conflict_for_alterations_alone(void **state)
{
    frz_error *err = NULL;
    frz_table *table = make_table(3, NULL, 0);
    (void)state;
    append_rows(table, "1:a");
    frz_table *staged = begin(table);
    append_rows(staged, "2:b");
    frz_table *outside = rival_table();
    add_column(outside, "n");
    commit_quietly(staged);
    check_committed("1:a:- 2:b:-");
    frz_table_free(staged);
    staged = begin(table);
    add_column(staged, "m");
    add_column(outside, "o");
    CHECK_FAILS(frz_table_commit(staged, NULL, NULL, &err), FRZ_CONFLICT, err, "operation 1 of 1");
    frz_table_free(outside);
    frz_table_free(staged);
    frz_table_free(table);
}

/*
 * Spec "Row lineage assignment", "Snapshot Row IDs": rows that the transaction added and then moved
 * keep the ids that its own snapshots gave them, which each attempt assigns anew. Their files are
 * written again.
 */
static void moved_rows_keep_the_ids_of_the_transaction_on_another_base(void **state)
{
    frz_table *table = make_table(3, NULL, 0);
    (void)state;
    append_rows(table, "1:a");
    const int files = fixture_files(storage, ".parquet");
    frz_table *staged = begin(table);
    append_rows(staged, "2:b 3:c 4:d");
    update_rows(staged, "name = 'B'", "id = 2");
    update_rows(staged, "name = 'BB'", "id = 2");
    delete_rows(staged, "id = 3");
    merge_rows(staged, "4:D 5:e");
    check_selected(staged, "id,_row_id,_last_updated_sequence_number", "1:0:1 2:1:4 4:3:6 5:7:6");
    disturb(rival_appends, 2);
    commit_quietly(staged);
    check_selected(staged, "id,name,_row_id,_last_updated_sequence_number",
                   "100:r:1:2 101:r:2:3 1:a:0:1 2:BB:3:6 4:D:5:8 5:e:9:8");
    CHECK(staged->metadata->next_row_id == 10);
    CHECK(fixture_files(storage, ".parquet") == files + 2 + 4);
    /* None for the merge: it leaves no row of the first file. */
    CHECK(fixture_files(storage, ".puffin") == 2);
    frz_table_free(staged);
    frz_table_free(table);
}

/* What follows a delete that found nothing went by that: with another's row in between there is no
 * order of the two. */
static void an_operation_that_found_nothing_is_validated(void **state)
{
    const frz_option loose = {"write.delete.isolation-level", "snapshot"};
    frz_error *err = NULL;
    for (int serializable = 0; serializable < 2; serializable++) {
        assert_int_equal(set_up(state), 0);
        frz_table *table = make_table(3, serializable ? NULL : &loose, !serializable);
        append_rows(table, "1:a");
        frz_table *staged = begin(table);
        delete_rows(staged, "id = 100");
        CHECK(frz_table_staged_count(staged) == 0);
        append_rows(staged, "2:b");
        CHECK(frz_table_staged_count(staged) == 1);
        disturb(rival_appends, 1); /* 100:r */
        if (serializable) {
            CHECK_FAILS(frz_table_commit(staged, NULL, NULL, &err), FRZ_CONFLICT, err,
                        "operation 1 of 2: another commit added data file");
        } else {
            frz_transaction_report *report = commit(staged);
            CHECK(report->operation_count == 1);
            frz_transaction_report_free(report);
        }
        check_committed(serializable ? "100:r 1:a" : "100:r 1:a 2:b");
        frz_table_free(staged);
        frz_table_free(table);
        assert_int_equal(tear_down(state), 0);
    }
}

static void a_conflict_calls_an_operation_by_its_name(void **state)
{
    frz_error *err = NULL;
    frz_table *table = make_table(3, NULL, 0);
    char name[] = "load.frz:2";
    (void)state;
    append_rows(table, "1:a 2:b");
    frz_table *staged = begin(table);
    append_rows(staged, "3:c");
    CHECK_OK(frz_table_name_operations(staged, name, &err), err);
    name[0] = 'x';
    update_rows(staged, "name = 'z'", "id = 1");
    CHECK_OK(frz_table_name_operations(staged, NULL, &err), err);
    append_rows(staged, "4:d");
    disturb(rival_deletes_1, 1);
    CHECK_FAILS(frz_table_commit(staged, NULL, NULL, &err), FRZ_CONFLICT, err,
                "commit the transaction on table n.t: operation 2 of 3 (load.frz:2): another");
    CHECK_FAILS(frz_table_name_operations(table, "x", &err), FRZ_INVALID, err,
                "is in no transaction");
    frz_table_free(staged);
    frz_table_free(table);
}

static void an_own_commit_whose_answer_was_lost_is_recognised(void **state)
{
    frz_table *table = make_table(3, NULL, 0);
    (void)state;
    for (int rivals = 0; rivals < 2; rivals++) {
        frz_table *staged = begin(table);
        append_rows(staged, rivals ? "3:c" : "1:a");
        append_rows(staged, rivals ? "4:d" : "2:b");
        delete_rows(staged, rivals ? "id = 3" : "id = 1");
        const int swaps = crowd.swaps;
        crowd.lose_answer = true;
        crowd.after_swap = rivals ? rival_appends : NULL;
        commit_quietly(staged);
        CHECK(crowd.swaps == swaps + 1);
        frz_table_free(staged);
    }
    check_committed("100:r 2:b 4:d");
    frz_table *found = rival_table();
    CHECK(fixture_files(storage, "/snap-") == (int)found->metadata->snapshot_count);
    frz_table_free(found);
    frz_table_free(table);
}

static frz_status lost_swap(frz_catalog_backend *backend, const char *identifier,
                            const char *expected, const char *location, frz_error **err)
{
    (void)backend;
    (void)identifier;
    (void)expected;
    (void)location;
    return frz_error_raise(err, FRZ_UNKNOWN_STATE, "no answer");
}

static void nothing_is_removed_when_the_outcome_is_unknown(void **state)
{
    static frz_catalog_backend_ops silent;
    frz_error *err = NULL;
    frz_table *table = make_table(3, NULL, 0);
    (void)state;
    append_rows(table, "1:a");
    frz_table *staged = begin(table);
    append_rows(staged, "2:b");
    delete_rows(staged, "id = 1");
    const int files = fixture_files(storage, "");
    silent = crowded_ops;
    silent.swap = lost_swap;
    crowd.base.ops = &silent;
    CHECK_FAILS(frz_table_commit(staged, NULL, NULL, &err), FRZ_UNKNOWN_STATE, err,
                "the catalog's answer was lost");
    CHECK(fixture_files(storage, "") == files + 1); /* and the metadata file */
    frz_table_free(staged);
    CHECK(fixture_files(storage, "") == files + 1);
    frz_table_free(table);
}

static void retries_that_are_used_up_leave_nothing(void **state)
{
    static frz_catalog_backend_ops lockless;
    const frz_option property = {"commit.retry.num-retries", "1"};
    frz_error *err = NULL;
    frz_table *table = make_table(3, &property, 1);
    (void)state;
    lockless = crowded_ops;
    lockless.lock = NULL;
    crowd.base.ops = &lockless;
    frz_table *staged = begin(table);
    append_rows(staged, "1:a");
    delete_rows(staged, "id = 1");
    disturb(rival_appends, 100);
    CHECK_FAILS(frz_table_commit(staged, NULL, NULL, &err), FRZ_CONFLICT, err,
                "commit the transaction on table n.t");
    CHECK(fixture_files(storage, ".parquet") == 2 && fixture_files(storage, "/snap-") == 2);
    check_committed("100:r 101:r");
    frz_table_free(staged);
    frz_table_free(table);
}

/* Branches, tags and publishing inside, and again on another base. */
static void references_move_inside(void **state)
{
    frz_error *err = NULL;
    struct ArrowArrayStream rows = {0};
    frz_alteration *changes = NULL;
    frz_write_options options = FRZ_WRITE_OPTIONS_INIT;
    const frz_ref_options branch = FRZ_REF_OPTIONS_INIT;
    frz_table *table = make_table(3, NULL, 0);
    (void)state;
    append_rows(table, "1:a");
    frz_table *staged = begin(table);
    options.wap_id = "w1";
    CHECK_OK(rows_of("2:b", &rows, &err), err);
    CHECK_OK(frz_table_append(staged, &rows, &options, NULL, &err), err);
    check_rows(staged, "1:a");
    append_rows(staged, "3:c");
    CHECK_OK(frz_table_publish(staged, "w1", NULL, NULL, &err), err);
    check_rows(staged, "1:a 2:b 3:c");
    CHECK_OK(frz_alteration_new(&changes, &err), err);
    CHECK_OK(frz_alter_create_ref(changes, "b", &branch, &err), err);
    CHECK_OK(frz_table_alter(staged, changes, NULL, NULL, &err), err);
    frz_alteration_free(changes);
    options.wap_id = NULL;
    options.branch = "b";
    CHECK_OK(rows_of("4:d", &rows, &err), err);
    CHECK_OK(frz_table_append(staged, &rows, &options, NULL, &err), err);
    disturb(rival_appends, 1);
    commit_quietly(staged);
    check_committed("100:r 1:a 2:b 3:c");
    frz_scan_options scan = FRZ_SCAN_OPTIONS_INIT;
    scan.at.ref = "b";
    const scanned got = scan_rows(staged, &scan, false);
    assert_string_equal(got.text, "100:r 1:a 2:b 3:c 4:d");
    frz_table_free(staged);
    frz_table_free(table);
}

/* New rows in partitions that are not replaced are no conflict, also when asked for again. */
static void dynamic_overwrites_keep_their_partitions(void **state)
{
    frz_error *err = NULL;
    frz_alteration *changes = NULL;
    frz_table *table = make_table(3, NULL, 0);
    (void)state;
    CHECK_OK(frz_alteration_new(&changes, &err), err);
    CHECK_OK(frz_alter_add_partition(changes, "name", NULL, &err), err);
    CHECK_OK(frz_table_alter(table, changes, NULL, NULL, &err), err);
    frz_alteration_free(changes);
    append_rows(table, "1:a 2:b");
    frz_table *staged = begin(table);
    overwrite_rows(staged, NULL, "7:a");
    disturb(rival_appends, 1); /* partition r */
    commit_quietly(staged);
    check_committed("100:r 2:b 7:a");
    frz_table_free(staged);
    staged = begin(table);
    overwrite_rows(staged, NULL, "8:r");
    disturb(rival_appends, 1);
    CHECK_FAILS(frz_table_commit(staged, NULL, NULL, &err), FRZ_CONFLICT, err,
                "which may hold matching rows");
    frz_table_free(staged);
    frz_table_free(table);
}

static void upgrades_and_rows_go_together(void **state)
{
    frz_error *err = NULL;
    frz_alteration *changes = NULL;
    frz_table *table = make_table(2, NULL, 0);
    (void)state;
    append_rows(table, "1:a 2:b");
    frz_table *staged = begin(table);
    delete_rows(staged, "id = 1");
    CHECK_OK(frz_alteration_new(&changes, &err), err);
    CHECK_OK(frz_alter_upgrade(changes, 3, &err), err);
    CHECK_OK(frz_table_alter(staged, changes, NULL, NULL, &err), err);
    frz_alteration_free(changes);
    append_rows(staged, "3:c");
    update_rows(staged, "name = 'B'", "id = 2");
    commit_quietly(staged);
    CHECK(staged->metadata->format_version == 3);
    check_rows(staged, "2:B 3:c");
    frz_table_free(staged);
    frz_table_free(table);
}

static void upsert_blindly(frz_table *table, const char *source)
{
    static const char *const keys[] = {"id"};
    frz_error *err = NULL;
    frz_delta *delta = NULL;
    struct ArrowArrayStream rows = {0};
    frz_delta_options how = FRZ_DELTA_OPTIONS_INIT;
    how.keys = keys;
    how.key_count = 1;
    CHECK_OK(frz_delta_open(table, &how, NULL, &delta, &err), err);
    CHECK_OK(rows_of(source, &rows, &err), err);
    CHECK_OK(frz_delta_upsert(delta, &rows, &err), err);
    CHECK_OK(frz_delta_commit(delta, NULL, &err), err);
    frz_delta_free(delta);
}

/* Equality deletes take the sequence number of their snapshot: they reach what came before, the
 * rival's rows as well when these come first. */
static void deltas_are_operations_too(void **state)
{
    for (int version = 2; version <= 3; version++) {
        frz_table *table = NULL;
        CHECK(set_up(state) == 0);
        table = make_table(version, NULL, 0);
        append_rows(table, "1:a 2:b 3:c");
        frz_table *staged = begin(table);
        append_rows(staged, "4:d");
        upsert_blindly(staged, "2:B 2:C 4:D");
        upsert_blindly(staged, "100:x");
        check_rows(staged, "100:x 1:a 2:C 3:c 4:D");
        disturb(rival_appends, 1); /* 100:r */
        commit_quietly(staged);
        check_committed("100:x 1:a 2:C 3:c 4:D");
        frz_table_free(staged);
        frz_table_free(table);
        CHECK(tear_down(state) == 0);
    }
}

static frz_status set_a_property(void *self, frz_transaction *transaction,
                                 const frz_snapshot *parent, frz_change *out, frz_error **err)
{
    const frz_metadata *metadata = transaction->table->metadata;
    (void)self;
    (void)parent;
    FRZ_TRY(frz_metadata_builder_new(metadata, metadata->format_version, &out->builder, err));
    return frz_update_set_property(out->builder, "k", "v", err);
}

/* What only ends, and hands over nothing to be made again with. */
static void an_operation_that_cannot_be_made_again_conflicts(void **state)
{
    frz_error *err = NULL;
    frz_table *table = make_table(3, NULL, 0);
    (void)state;
    for (int disturbed = 0; disturbed < 2; disturbed++) {
        frz_transaction transaction = {0};
        frz_table *staged = begin(table);
        append_rows(staged, "1:a");
        const int files = fixture_files(storage, "");
        CHECK_OK(frz_transaction_open(staged, NULL, &transaction, &err), err);
        CHECK_OK(frz_own_files_add(&transaction.own, "mem://wh/own", FRZ_EVERY_ATTEMPT, &err), err);
        CHECK_OK(frz_io_write_file(storage, "mem://wh/own", frz_slice_of_text("x"), &err), err);
        CHECK_OK(frz_transaction_commit(&transaction, set_a_property, NULL, NULL, &err), err);
        frz_transaction_close(&transaction, FRZ_OK);
        CHECK(frz_table_staged_count(staged) == 2);
        CHECK(fixture_files(storage, "") == files + 1);
        disturb(rival_appends, disturbed);
        if (disturbed)
            CHECK_FAILS(frz_table_commit(staged, NULL, NULL, &err), FRZ_CONFLICT, err,
                        "operation 2 of 2: another commit changed the table, on which it cannot "
                        "be made again");
        else
            commit_quietly(staged);
        CHECK(fixture_files(storage, "/own") == !disturbed);
        frz_table_free(staged);
        frz_io_discard(storage, "mem://wh/own");
    }
    frz_table_free(table);
}

static void options_are_copied_whole(void **state)
{
    frz_error *err = NULL;
    frz_arena arena = {0};
    char key[] = "k";
    char value[] = "v";
    char branch[] = "b";
    const bool cancelled = false;
    const frz_option property = {key, value};
    const char *const names[] = {"f"};
    const frz_write_options given = {.struct_size = sizeof given,
                                     .branch = branch,
                                     .snapshot_properties = &property,
                                     .snapshot_property_count = 1,
                                     .case_insensitive = true,
                                     .cancelled = &cancelled,
                                     .input_names = names,
                                     .wap_id = value,
                                     .idempotency_key = value};
    frz_write_options copy;
    (void)state;
    CHECK_OK(frz_write_options_copy(&given, &arena, &copy, &err), err);
    key[0] = value[0] = branch[0] = 'x';
    assert_string_equal(copy.branch, "b");
    assert_string_equal(copy.wap_id, "v");
    assert_string_equal(copy.idempotency_key, "v");
    assert_string_equal(copy.snapshot_properties[0].key, "k");
    assert_string_equal(copy.snapshot_properties[0].value, "v");
    CHECK(copy.snapshot_property_count == 1 && copy.case_insensitive);
    CHECK(!copy.cancelled && !copy.input_names);
    frz_arena_clear(&arena);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(nobody_sees_it_before_the_commit_and_all_of_it_after),
        CASE(one_version_with_several_snapshots),
        CASE(a_rollback_leaves_nothing),
        CASE(an_operation_that_fails_leaves_what_was_staged_before),
        CASE(without_operations_there_is_nothing_to_commit),
        CASE(other_handles_stand_at_what_is_staged),
        cmocka_unit_test(a_lost_race_is_tried_again_with_every_operation),
        CASE(vectors_of_a_transaction_stay_as_its_operations_saw_them),
        CASE(a_delete_unites_with_that_of_a_rival_and_an_update_conflicts),
        CASE(another_schema_is_a_conflict_for_alterations_alone),
        CASE(moved_rows_keep_the_ids_of_the_transaction_on_another_base),
        cmocka_unit_test(an_operation_that_found_nothing_is_validated),
        CASE(a_conflict_calls_an_operation_by_its_name),
        CASE(an_own_commit_whose_answer_was_lost_is_recognised),
        CASE(nothing_is_removed_when_the_outcome_is_unknown),
        CASE(retries_that_are_used_up_leave_nothing),
        CASE(references_move_inside),
        CASE(dynamic_overwrites_keep_their_partitions),
        CASE(upgrades_and_rows_go_together),
        cmocka_unit_test(deltas_are_operations_too),
        CASE(an_operation_that_cannot_be_made_again_conflicts),
        CASE(options_are_copied_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
