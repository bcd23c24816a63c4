/*
 * A path is live at most once.
 */
#include "write/live_paths.h"

#include "rival_fixture.h"

#include "frazil/alter.h"
#include "scan/plan.h"

static frz_data_file file_at(const char *path)
{
    return (frz_data_file){.path = frz_slice_of_text(path), .content_offset = -1};
}

static void a_file_is_added_once(void **state)
{
    frz_error *err = NULL;
    frz_table *table = make_table(3, NULL, 0);
    const frz_data_file files[] = {file_at("mem://a"), file_at("mem://b"), file_at("mem://a")};
    frz_change change = {.operation = "append", .added_data = files, .added_data_count = 2};
    (void)state;
    CHECK_OK(frz_live_paths_check(table, NULL, &change, &err), err);
    change.added_data_count = 3;
    CHECK_FAILS(frz_live_paths_check(table, NULL, &change, &err), FRZ_INVALID, err,
                "data file mem://a is added twice");
    frz_table_free(table);
}

static frz_arena names;

/* The path of the one data file of the table. */
static const char *live_path(const frz_table *table)
{
    frz_scan *scan = NULL;
    frz_plan *plan = NULL;
    frz_error *err = NULL;
    CHECK_OK(frz_scan_new(table, NULL, &scan, &err), err);
    CHECK_OK(frz_scan_plan(scan, &plan, &err), err);
    CHECK(frz_plan_task_count(plan) == 1);
    const frz_slice path = frz_plan_task(plan, 0)->entry->file.path;
    const char *out = frz_arena_printf(&names, "%.*s", (int)path.size, (const char *)path.data);
    CHECK(out != NULL);
    frz_plan_free(plan);
    frz_scan_free(scan);
    return out;
}

/* Files of the transaction's own have new names: nothing is read for them. Of others all entries
 * that are live are looked at, and those that leave in the same change do not count. */
static void a_file_that_comes_from_elsewhere_may_not_be_live(void **state)
{
    frz_error *err = NULL;
    frz_table *table = make_table(3, NULL, 0);
    (void)state;
    append_rows(table, "1:a");
    const frz_snapshot *parent = frz_metadata_current_snapshot(table->metadata);
    const frz_data_file file = file_at(live_path(table));
    frz_removed_file gone = {.path = file.path, .content_offset = -1};
    frz_change change = {.operation = "append", .added_data = &file, .added_data_count = 1};
    CHECK_OK(frz_live_paths_check(table, parent, &change, &err), err);
    change.brings_files = true;
    CHECK_FAILS(frz_live_paths_check(table, parent, &change, &err), FRZ_ALREADY_EXISTS, err,
                "is in the table already");
    CHECK_OK(frz_live_paths_check(table, NULL, &change, &err), err);
    change.removed = &gone;
    change.removed_count = 1;
    CHECK_OK(frz_live_paths_check(table, parent, &change, &err), err);
    change.removed_count = 0;
    CHECK_OK(frz_table_truncate(table, NULL, NULL, &err), err);
    parent = frz_metadata_current_snapshot(table->metadata);
    CHECK_OK(frz_live_paths_check(table, parent, &change, &err), err);
    frz_arena_clear(&names);
    frz_table_free(table);
}

static frz_status alter_refs(frz_table *table, int64_t rollback_to, frz_error **err)
{
    frz_alteration *changes = NULL;
    frz_status status = frz_alteration_new(&changes, err);
    if (status == FRZ_OK)
        status = frz_alter_rollback(changes, rollback_to, err);
    if (status == FRZ_OK)
        status = frz_table_alter(table, changes, NULL, NULL, err);
    frz_alteration_free(changes);
    return status;
}

/* Two branches pick the same append; the pick of a pick names another source, so that history alone
 * would let its files in twice. */
static void a_pick_of_a_pick_does_not_bring_files_twice(void **state)
{
    frz_error *err = NULL;
    frz_table *table = make_table(3, NULL, 0);
    frz_write_options aside = FRZ_WRITE_OPTIONS_INIT;
    frz_commit *staged = NULL;
    frz_commit *picked = NULL;
    struct ArrowArrayStream rows = {0};
    (void)state;
    append_rows(table, "1:a");
    const int64_t first = table->metadata->current_snapshot_id;
    CHECK_OK(rows_of("2:b", &rows, &err), err);
    aside.wap_id = "w";
    CHECK_OK(frz_table_append(table, &rows, &aside, &staged, &err), err);
    append_rows(table, "3:c");
    CHECK_OK(frz_table_cherry_pick(table, staged->snapshot_id, NULL, &picked, &err), err);
    const int64_t copy = picked->snapshot_id;
    CHECK_OK(alter_refs(table, first, &err), err);
    append_rows(table, "4:d");
    frz_commit_free(picked);
    aside.wap_id = NULL;
    aside.branch = "b";
    CHECK_OK(frz_table_cherry_pick(table, copy, &aside, &picked, &err), err);
    frz_commit_free(picked);
    CHECK_FAILS(frz_table_cherry_pick(table, staged->snapshot_id, &aside, NULL, &err),
                FRZ_ALREADY_EXISTS, err, "is in the table already");
    frz_commit_free(staged);
    frz_table_free(table);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_file_is_added_once),
        CASE(a_file_that_comes_from_elsewhere_may_not_be_live),
        CASE(a_pick_of_a_pick_does_not_bring_files_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
