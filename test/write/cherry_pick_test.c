/* Covers: write/picked
 *
 * Cherry-pick and publish, by Java's CherryPickOperation and WapUtil. */
#include "alter_fixture.h"

#include "spec/update.h"
#include "write/transaction.h"

static fixture home;
static frz_table *table;

static int set_up(void **state)
{
    frz_error *err = NULL;
    (void)state;
    CHECK_OK(fixture_open(&home, NULL, &err), err);
    table = fixture_create(&home, "n.t", "id long, name string");
    append_rows(table, "1:a");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    frz_table_free(table);
    fixture_close(&home);
    return 0;
}

/* The id of the snapshot that appends `text` under a write-audit-publish id, or on a branch. */
static int64_t append_aside(const char *text, const char *wap_id, const char *branch)
{
    frz_error *err = NULL;
    struct ArrowArrayStream rows = {0};
    frz_commit *commit = NULL;
    frz_write_options options = FRZ_WRITE_OPTIONS_INIT;
    options.wap_id = wap_id;
    options.branch = branch;
    CHECK_OK(rows_of(text, &rows, &err), err);
    CHECK_OK(frz_table_append(table, &rows, &options, &commit, &err), err);
    const int64_t id = commit->snapshot_id;
    frz_commit_free(commit);
    return id;
}

static frz_commit *pick(int64_t id)
{
    frz_error *err = NULL;
    frz_commit *commit = NULL;
    CHECK_OK(frz_table_cherry_pick(table, id, NULL, &commit, &err), err);
    return commit;
}

/* The parent is where main is: main moves, no snapshot is made. */
static void a_child_of_the_head_is_fast_forwarded_to(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_commit *commit = NULL;
    const int64_t staged = append_aside("2:b", "w1", NULL);
    check_rows(table, "1:a");
    CHECK_OK(frz_table_publish(table, "w1", NULL, &commit, &err), err);
    CHECK(commit->snapshot_id == staged && table->metadata->current_snapshot_id == staged);
    CHECK(table->metadata->snapshot_count == 2 && table->metadata->snapshot_log_count == 2);
    frz_commit_free(commit);
    check_rows(table, "1:a 2:b");
    CHECK_FAILS(frz_table_publish(table, "w1", NULL, NULL, &err), FRZ_ALREADY_EXISTS, err,
                "write-audit-publish id w1 is published already");
}

static void an_append_is_made_again_on_what_came_between(void **state)
{
    (void)state;
    frz_error *err = NULL;
    char source[32];
    const int64_t staged = append_aside("2:b 3:c", "w1", NULL);
    append_rows(table, "4:d");
    frz_commit *commit = pick(staged);
    (void)snprintf(source, sizeof source, "%lld", (long long)staged);
    CHECK(commit->snapshot_id != staged);
    assert_string_equal(commit->operation, "append");
    assert_string_equal(summary_value(commit, "source-snapshot-id"), source);
    assert_string_equal(summary_value(commit, "published-wap-id"), "w1");
    assert_string_equal(summary_value(commit, "wap.id"), "(absent)");
    assert_string_equal(summary_value(commit, "added-records"), "2");
    assert_string_equal(summary_value(commit, "total-records"), "4");
    frz_commit_free(commit);
    /* Row ids are given anew, beyond those of the staged snapshot. */
    check_selected(table, "id,_row_id", "1:0 2:4 3:5 4:3");
    CHECK(table->metadata->next_row_id == 6);
    CHECK_FAILS(frz_table_cherry_pick(table, staged, NULL, NULL, &err), FRZ_ALREADY_EXISTS, err,
                "published already");
    check_rows(table, "1:a 2:b 3:c 4:d");
}

static void what_is_in_the_history_is_not_picked_again(void **state)
{
    (void)state;
    frz_error *err = NULL;
    const int64_t first = table->metadata->current_snapshot_id;
    const int64_t aside = append_aside("2:b", NULL, "audit");
    append_rows(table, "3:c");
    CHECK_FAILS(frz_table_cherry_pick(table, first, NULL, NULL, &err), FRZ_ALREADY_EXISTS, err,
                "in the history of the branch already");
    frz_commit_free(pick(aside));
    check_rows(table, "1:a 2:b 3:c");
    CHECK_FAILS(frz_table_cherry_pick(table, aside, NULL, NULL, &err), FRZ_ALREADY_EXISTS, err,
                "is what was picked from it already");
    CHECK_FAILS(frz_table_cherry_pick(table, 7, NULL, NULL, &err), FRZ_NOT_FOUND, err,
                "no such snapshot");
}

/* Deletes are picked only as the next snapshot of their own line. */
static void a_delete_is_only_fast_forwarded_to(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_commit *commit = NULL;
    frz_write_options options = FRZ_WRITE_OPTIONS_INIT;
    append_rows(table, "2:b");
    options.branch = "audit";
    CHECK_OK(frz_table_delete(table, "id = 1", FRZ_DELETE_MODE_DEFAULT, &options, &commit, &err),
             err);
    const int64_t id = commit->snapshot_id;
    frz_commit_free(commit);
    append_rows(table, "3:c");
    CHECK_FAILS(frz_table_cherry_pick(table, id, NULL, NULL, &err), FRZ_INVALID, err,
                "neither an append nor an overwrite of whole partitions");
    const int64_t head = table->metadata->snapshots[1].snapshot_id;
    ALTER_ANYHOW(table, frz_alter_rollback(changes, head, &alter_error));
    frz_commit_free(pick(id));
    check_rows(table, "2:b");
}

static void picks_go_to_branches_too(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_write_options options = FRZ_WRITE_OPTIONS_INIT;
    const int64_t staged = append_aside("2:b", "w1", NULL);
    append_aside("3:c", NULL, "audit");
    options.branch = "audit";
    CHECK_OK(frz_table_cherry_pick(table, staged, &options, NULL, &err), err);
    frz_scan_options at = FRZ_SCAN_OPTIONS_INIT;
    at.at.ref = "audit";
    const scanned audit = scan_rows(table, &at, false);
    assert_string_equal(audit.text, "1:a 2:b 3:c");
    check_rows(table, "1:a");
}

static void ids_that_nobody_or_several_staged_are_refused(void **state)
{
    (void)state;
    frz_error *err = NULL;
    append_aside("2:b", "twice", NULL);
    append_aside("3:c", "twice", NULL);
    CHECK_FAILS(frz_table_publish(table, "absent", NULL, NULL, &err), FRZ_NOT_FOUND, err,
                "no snapshot was staged under the id absent");
    CHECK_FAILS(frz_table_publish(table, "twice", NULL, NULL, &err), FRZ_INVALID, err,
                "were both staged under the id twice");
}

/* A staged overwrite of whole partitions, as engines write it: the table's one file by another. */
static frz_removed_file gone;
static const char *gone_manifest[1];

static frz_status prepare_overwrite(void *self, frz_transaction *transaction,
                                    const frz_snapshot *parent, frz_change *out, frz_error **err)
{
    const frz_data_file *file = self;
    (void)transaction;
    (void)parent;
    (void)err;
    *out = (frz_change){.operation = "overwrite",
                        .added_data = file,
                        .added_data_count = 1,
                        .removed = &gone,
                        .removed_count = 1,
                        .removed_manifests = gone_manifest,
                        .removed_manifest_count = 1};
    return FRZ_OK;
}

/* The one live data file of a snapshot, in memory of `arena`. */
static frz_data_file file_of(const frz_snapshot *snapshot, frz_arena *arena, frz_manifest **keep)
{
    frz_error *err = NULL;
    frz_manifest_list list = {0};
    CHECK_OK(frz_manifest_list_read(home.io, table->metadata, snapshot, &frz_limits_default, arena,
                                    &list, &err),
             err);
    CHECK_OK(frz_manifest_read(home.io, &list.files[0], table->metadata, NULL, &frz_limits_default,
                               keep, &err),
             err);
    gone_manifest[0] = list.files[0].path;
    return frz_manifest_entry_at(*keep, 0)->file;
}

static int64_t stage_overwrite(frz_arena *arena, const char *row)
{
    frz_error *err = NULL;
    frz_commit *commit = NULL;
    frz_transaction transaction;
    frz_manifest *old_manifest = NULL;
    frz_manifest *new_manifest = NULL;
    frz_write_options options = FRZ_WRITE_OPTIONS_INIT;
    const frz_option property = {"replace-partitions", "true"};
    const int64_t aside = append_aside(row, "source", NULL);
    frz_data_file added =
        file_of(frz_metadata_find_snapshot(table->metadata, aside), arena, &new_manifest);
    added.first_row_id = -1;
    const frz_data_file old =
        file_of(frz_metadata_current_snapshot(table->metadata), arena, &old_manifest);
    gone = (frz_removed_file){.path = old.path, .content_offset = -1};
    options.wap_id = "overwrite";
    options.snapshot_properties = &property;
    options.snapshot_property_count = 1;
    CHECK_OK(frz_transaction_open(table, &options, &transaction, &err), err);
    CHECK_OK(frz_transaction_commit(&transaction, prepare_overwrite, &added, &commit, &err), err);
    frz_transaction_close(&transaction, FRZ_OK);
    const int64_t id = commit->snapshot_id;
    frz_commit_free(commit);
    frz_manifest_unref(old_manifest);
    frz_manifest_unref(new_manifest);
    return id;
}

static void d021_an_overwrite_of_partitions_is_picked_unless_they_were_written_to(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_arena arena = {0};
    const int64_t staged = stage_overwrite(&arena, "9:z");
    check_rows(table, "1:a");
    append_rows(table, "2:b"); /* into the one partition there is */
    CHECK_FAILS(frz_table_cherry_pick(table, staged, NULL, NULL, &err), FRZ_INVALID, err,
                "added files to a partition that it replaces");
    const int64_t first = table->metadata->snapshots[0].snapshot_id;
    ALTER_ANYHOW(table, frz_alter_rollback(changes, first, &alter_error));
    ALTER(table, "set a = b", frz_alter_set_property(changes, "a", "b", &alter_error));
    frz_commit_free(pick(staged)); /* fast-forward */
    check_rows(table, "9:z");
    frz_arena_clear(&arena);
}

/* Beside other changes that added nothing to the partition it is made again. */
static void an_overwrite_of_partitions_is_made_again(void **state)
{
    (void)state;
    frz_error *err = NULL;
    frz_arena arena = {0};
    append_rows(table, "5:e");
    CHECK_OK(frz_table_delete(table, "id = 1", FRZ_DELETE_MODE_DEFAULT, NULL, NULL, &err), err);
    const int64_t staged = stage_overwrite(&arena, "9:z");
    frz_commit *commit = NULL;
    /* A snapshot without new files comes between. */
    CHECK_OK(frz_table_delete(table, "id = 77", FRZ_DELETE_MODE_DEFAULT, NULL, &commit, &err), err);
    frz_commit_free(commit);
    CHECK_OK(frz_table_cherry_pick(table, staged, NULL, &commit, &err), err);
    frz_commit_free(commit);
    check_rows(table, "9:z");
    frz_arena_clear(&arena);
}

static int64_t swept_id;
static int64_t swept_head;

/* Back to where main was, then the pick again. */
static void pick_once(void)
{
    frz_alteration *changes = NULL;
    frz_status status = frz_alteration_new(&changes, NULL);
    if (status == FRZ_OK)
        status = frz_alter_rollback(changes, swept_head, NULL);
    if (status == FRZ_OK)
        status = frz_table_alter(table, changes, NULL, NULL, NULL);
    if (status == FRZ_OK)
        status = frz_table_cherry_pick(table, swept_id, NULL, NULL, NULL);
    CHECK(status == FRZ_OK || (status == FRZ_NO_MEMORY && frz_mem_failed()));
    frz_alteration_free(changes);
}

static void memory_may_fail_anywhere(void **state)
{
    (void)state;
    swept_id = append_aside("2:b", "w", NULL);
    append_rows(table, "3:c");
    swept_head = table->metadata->current_snapshot_id;
    sweep_allocation_failures(pick_once);
    check_rows(table, "1:a 2:b 3:c");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_child_of_the_head_is_fast_forwarded_to),
        CASE(an_append_is_made_again_on_what_came_between),
        CASE(what_is_in_the_history_is_not_picked_again),
        CASE(a_delete_is_only_fast_forwarded_to),
        CASE(picks_go_to_branches_too),
        CASE(ids_that_nobody_or_several_staged_are_refused),
        CASE(d021_an_overwrite_of_partitions_is_picked_unless_they_were_written_to),
        CASE(an_overwrite_of_partitions_is_made_again),
        CASE(memory_may_fail_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
