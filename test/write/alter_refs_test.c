/* Covers: metatable/ancestors
 *
 * Branches, tags and where main stands: spec "Snapshot References", "Table Metadata Fields". */
#include "alter_fixture.h"

#include "write/alteration.h"

static fixture home;
static frz_table *table;
static int64_t ids[3]; /* snapshots with the rows 1, then 1 2, then 1 2 3 */

static int set_up(void **state)
{
    frz_error *err = NULL;
    (void)state;
    CHECK_OK(fixture_open(&home, NULL, &err), err);
    table = fixture_create(&home, "n.t", "id long, name string");
    for (int i = 0; i < 3; i++) {
        char row[16];
        (void)snprintf(row, sizeof row, "%d:r", i + 1);
        append_rows(table, row);
        ids[i] = table->metadata->current_snapshot_id;
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    frz_table_free(table);
    fixture_close(&home);
    return 0;
}

static frz_ref_options at_snapshot(int64_t id, bool tag)
{
    frz_ref_options options = FRZ_REF_OPTIONS_INIT;
    options.tag = tag;
    options.has_snapshot_id = true;
    options.snapshot_id = id;
    return options;
}

static const char *said(const char *what, int64_t id)
{
    static char text[128];
    (void)snprintf(text, sizeof text, "%s at snapshot %lld", what, (long long)id);
    return text;
}

static const frz_snapshot_ref *ref_of(const char *name)
{
    return frz_metadata_find_ref(table->metadata, name);
}

static void branches_and_tags_are_made(void **state)
{
    (void)state;
    frz_ref_options options = FRZ_REF_OPTIONS_INIT;
    options.max_ref_age_ms = 1000;
    options.max_snapshot_age_ms = 2000;
    options.min_snapshots_to_keep = 3;
    ALTER(table, said("created branch audit", ids[2]),
          frz_alter_create_ref(changes, "audit", &options, &alter_error));
    const frz_snapshot_ref *branch = ref_of("audit");
    CHECK(!branch->is_tag && branch->max_ref_age_ms == 1000);
    CHECK(branch->max_snapshot_age_ms == 2000 && branch->min_snapshots_to_keep == 3);
    options = at_snapshot(ids[0], true);
    ALTER(table, said("created tag first", ids[0]),
          frz_alter_create_ref(changes, "first", &options, &alter_error));
    CHECK(ref_of("first")->is_tag && ref_of("first")->max_ref_age_ms == -1);
    ALTER_FAILS(table, FRZ_ALREADY_EXISTS, "create tag first: there is a tag of that name",
                frz_alter_create_ref(changes, "first", &options, &alter_error));
    ALTER(table, said("created branch plain", ids[2]),
          frz_alter_create_ref(changes, "plain", NULL, &alter_error));
    options = at_snapshot(7, false);
    ALTER_FAILS(table, FRZ_NOT_FOUND, "no snapshot 7",
                frz_alter_create_ref(changes, "x", &options, &alter_error));
    options = at_snapshot(ids[0], true);
    options.min_snapshots_to_keep = 1;
    ALTER_FAILS(table, FRZ_INVALID, "are for branches",
                frz_alter_create_ref(changes, "x", &options, &alter_error));
    /* No ref but main writes the log of what was current. */
    CHECK(table->metadata->snapshot_log_count == 3);
}

static void an_empty_table_has_nothing_to_name(void **state)
{
    (void)state;
    const frz_ref_options options = FRZ_REF_OPTIONS_INIT;
    frz_table *empty = fixture_create(&home, "n.empty", "id long, name string");
    ALTER_FAILS(empty, FRZ_INVALID, "the table has no current snapshot",
                frz_alter_create_ref(changes, "x", &options, &alter_error));
    ALTER_FAILS(empty, FRZ_NOT_FOUND, "no branch or tag x",
                frz_alter_fast_forward(changes, "main", "x", &alter_error));
    frz_table_free(empty);
}

static void refs_are_replaced_by_their_own_kind(void **state)
{
    (void)state;
    frz_ref_options options = at_snapshot(ids[0], false);
    ALTER(table, said("created branch b", ids[0]),
          frz_alter_create_ref(changes, "b", &options, &alter_error));
    options = (frz_ref_options)FRZ_REF_OPTIONS_INIT;
    options.max_ref_age_ms = 5;
    ALTER(table, said("branch b is", ids[0]),
          frz_alter_replace_ref(changes, "b", &options, &alter_error));
    CHECK(ref_of("b")->max_ref_age_ms == 5);
    options = at_snapshot(ids[1], false);
    ALTER(table, said("branch b is", ids[1]),
          frz_alter_replace_ref(changes, "b", &options, &alter_error));
    CHECK(ref_of("b")->max_ref_age_ms == 5 && ref_of("b")->snapshot_id == ids[1]);
    ALTER(table, "", frz_alter_replace_ref(changes, "b", &options, &alter_error));
    options.tag = true;
    ALTER_FAILS(table, FRZ_INVALID, "replace tag b: it is a branch",
                frz_alter_replace_ref(changes, "b", &options, &alter_error));
    ALTER_FAILS(table, FRZ_NOT_FOUND, "there is none of that name",
                frz_alter_replace_ref(changes, "c", &options, &alter_error));
    options = (frz_ref_options)FRZ_REF_OPTIONS_INIT;
    options.max_ref_age_ms = 5;
    ALTER_FAILS(table, FRZ_INVALID, "main never expires",
                frz_alter_replace_ref(changes, "main", &options, &alter_error));
}

static void refs_are_dropped(void **state)
{
    (void)state;
    const frz_ref_options tag = at_snapshot(ids[0], true);
    ALTER(table, said("created tag v", ids[0]),
          frz_alter_create_ref(changes, "v", &tag, &alter_error));
    ALTER_FAILS(table, FRZ_INVALID, "drop branch v: it is a tag",
                frz_alter_drop_ref(changes, "v", false, &alter_error));
    ALTER(table, "dropped tag v", frz_alter_drop_ref(changes, "v", true, &alter_error));
    CHECK(!ref_of("v"));
    ALTER_FAILS(table, FRZ_INVALID, "main is the table itself",
                frz_alter_drop_ref(changes, "main", false, &alter_error));
}

static void a_branch_goes_forward_to_what_descends_from_it(void **state)
{
    (void)state;
    frz_error *err = NULL;
    struct ArrowArrayStream rows = {0};
    frz_write_options options = FRZ_WRITE_OPTIONS_INIT;
    options.branch = "audit";
    CHECK_OK(rows_of("4:x", &rows, &err), err);
    CHECK_OK(frz_table_append(table, &rows, &options, NULL, &err), err);
    const int64_t head = ref_of("audit")->snapshot_id;
    check_rows(table, "1:r 2:r 3:r");
    ALTER(table, said("main is", head),
          frz_alter_fast_forward(changes, "main", "audit", &alter_error));
    check_rows(table, "1:r 2:r 3:r 4:x");
    CHECK(table->metadata->current_snapshot_id == head);
    ALTER(table, "", frz_alter_fast_forward(changes, "main", "audit", &alter_error));
    ALTER(table, said("main is", ids[0]), frz_alter_rollback(changes, ids[0], &alter_error));
    append_rows(table, "9:z");
    ALTER_FAILS(table, FRZ_INVALID, "is no ancestor of snapshot",
                frz_alter_fast_forward(changes, "main", "audit", &alter_error));
    ALTER(table, said("fresh is", head),
          frz_alter_fast_forward(changes, "fresh", "audit", &alter_error));
}

static void a_rollback_goes_to_ancestors_alone(void **state)
{
    (void)state;
    ALTER(table, said("main is", ids[1]), frz_alter_rollback(changes, ids[1], &alter_error));
    check_rows(table, "1:r 2:r");
    CHECK(table->metadata->snapshot_count == 3 && table->metadata->snapshot_log_count == 4);
    CHECK(table->metadata->snapshot_log[3].snapshot_id == ids[1]);
    ALTER_FAILS(table, FRZ_INVALID, "is no ancestor of the current one",
                frz_alter_rollback(changes, ids[2], &alter_error));
    ALTER_FAILS(table, FRZ_NOT_FOUND, "no snapshot 7",
                frz_alter_rollback(changes, 7, &alter_error));
    ALTER(table, said("main is", ids[2]), frz_alter_set_current(changes, ids[2], &alter_error));
    check_rows(table, "1:r 2:r 3:r");
}

static void a_rollback_by_time_takes_the_last_ancestor_before_it(void **state)
{
    (void)state;
    const int64_t first_ms = frz_metadata_find_snapshot(table->metadata, ids[0])->timestamp_ms;
    const int64_t last_ms = frz_metadata_find_snapshot(table->metadata, ids[2])->timestamp_ms;
    ALTER_FAILS(table, FRZ_NOT_FOUND, "no ancestor of the current snapshot is older",
                frz_alter_rollback_to_time(changes, first_ms, &alter_error));
    ALTER(table, "", frz_alter_rollback_to_time(changes, last_ms + 1000, &alter_error));
    CHECK(table->metadata->current_snapshot_id == ids[2]);
}

static void main_goes_anywhere_by_set_current(void **state)
{
    (void)state;
    const frz_ref_options tag = at_snapshot(ids[0], true);
    ALTER(table, said("created tag first", ids[0]),
          frz_alter_create_ref(changes, "first", &tag, &alter_error));
    ALTER(table, said("main is", ids[0]),
          frz_alter_set_current_ref(changes, "first", &alter_error));
    check_rows(table, "1:r");
    ALTER_FAILS(table, FRZ_NOT_FOUND, "no branch or tag second",
                frz_alter_set_current_ref(changes, "second", &alter_error));
    ALTER(table, said("main is", ids[2]), frz_alter_set_current(changes, ids[2], &alter_error));
}

static void ancestors_are_listed_newest_first(void **state)
{
    (void)state;
    frz_error *err = NULL;
    struct ArrowArrayStream rows = {0};
    struct ArrowArray batch = {0};
    frz_snapshot_selector at = FRZ_SNAPSHOT_SELECTOR_INIT;
    at.has_snapshot_id = true;
    at.snapshot_id = ids[1];
    CHECK_OK(frz_table_ancestors(table, &at, &rows, &err), err);
    CHECK_OK(frz_arrow_stream_next(&rows, &batch, &err), err);
    const int64_t *got = batch.children[0]->buffers[1];
    CHECK(batch.length == 2 && got[0] == ids[1] && got[1] == ids[0]);
    const int64_t *times = batch.children[1]->buffers[1];
    CHECK(times[1] == frz_metadata_find_snapshot(table->metadata, ids[0])->timestamp_ms * 1000);
    frz_arrow_array_clear(&batch);
    CHECK(frz_arrow_stream_next(&rows, &batch, &err) == FRZ_END);
    frz_arrow_stream_clear(&rows);
    at.snapshot_id = 7;
    CHECK_FAILS(frz_table_ancestors(table, &at, &rows, &err), FRZ_NOT_FOUND, err, "no snapshot 7");
}

static void move_all(void)
{
    frz_alteration *changes = NULL;
    const frz_ref_options options = FRZ_REF_OPTIONS_INIT;
    struct ArrowArrayStream rows = {0};
    frz_status status = frz_alteration_new(&changes, NULL);
    if (status == FRZ_OK)
        status = frz_alter_create_ref(changes, "b", &options, NULL);
    if (status == FRZ_OK)
        status = frz_alter_rollback(changes, ids[1], NULL);
    if (status == FRZ_OK)
        status = frz_alter_fast_forward(changes, "main", "b", NULL);
    if (status == FRZ_OK)
        status = frz_alter_drop_ref(changes, "b", false, NULL);
    if (status == FRZ_OK)
        status = frz_table_alter(table, changes, NULL, NULL, NULL);
    if (status == FRZ_OK)
        status = frz_table_ancestors(table, NULL, &rows, NULL);
    CHECK(status == FRZ_OK || (status == FRZ_NO_MEMORY && frz_mem_failed()));
    frz_arrow_stream_clear(&rows);
    frz_alteration_free(changes);
}

static void memory_may_fail_anywhere(void **state)
{
    (void)state;
    sweep_allocation_failures(move_all);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(branches_and_tags_are_made),
        CASE(an_empty_table_has_nothing_to_name),
        CASE(refs_are_replaced_by_their_own_kind),
        CASE(refs_are_dropped),
        CASE(a_branch_goes_forward_to_what_descends_from_it),
        CASE(a_rollback_goes_to_ancestors_alone),
        CASE(a_rollback_by_time_takes_the_last_ancestor_before_it),
        CASE(main_goes_anywhere_by_set_current),
        CASE(ancestors_are_listed_newest_first),
        CASE(memory_may_fail_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
