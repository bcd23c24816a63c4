/*
 * Writes under a key of the caller's: each is committed once, whoever comes first.
 */
#include "write/idempotency.h"

#include "rival_fixture.h"

#include "frazil/alter.h"

static frz_write_options keyed(const char *key)
{
    frz_write_options options = FRZ_WRITE_OPTIONS_INIT;
    options.idempotency_key = key;
    return options;
}

static frz_commit *append(frz_table *table, const char *text, const frz_write_options *options)
{
    frz_error *err = NULL;
    frz_commit *commit = NULL;
    struct ArrowArrayStream rows = {0};
    CHECK_OK(rows_of(text, &rows, &err), err);
    CHECK_OK(frz_table_append(table, &rows, options, &commit, &err), err);
    CHECK(rows.release == NULL);
    return commit;
}

static void a_second_run_finds_the_first_and_writes_nothing(void **state)
{
    frz_table *table = make_table(3, NULL, 0);
    const frz_write_options options = keyed("load-7");
    (void)state;
    frz_commit *first = append(table, "1:a 2:b", &options);
    CHECK(!first->already_committed);
    assert_string_equal(summary_value(first, FRZ_IDEMPOTENCY_KEY), "load-7");
    append_rows(table, "3:c");
    const int files = fixture_files(storage, "");
    const int swaps = crowd.swaps;
    frz_commit *second = append(table, "1:a 2:b", &options);
    CHECK(second->already_committed && second->snapshot_id == first->snapshot_id);
    CHECK(second->sequence_number == 1);
    assert_string_equal(second->operation, "append");
    CHECK(fixture_files(storage, "") == files && crowd.swaps == swaps);
    check_rows(table, "1:a 2:b 3:c");
    frz_commit_free(second);
    const frz_write_options other = keyed("load-8");
    frz_commit *third = append(table, "4:d", &other);
    CHECK(!third->already_committed);
    check_rows(table, "1:a 2:b 3:c 4:d");
    frz_commit_free(third);
    frz_commit_free(first);
    frz_table_free(table);
}

/* A handle that was loaded before the first run looks at the table as it is now. */
static void a_stale_handle_finds_it_too(void **state)
{
    frz_error *err = NULL;
    frz_table *table = make_table(3, NULL, 0);
    frz_table *stale = NULL;
    const frz_write_options options = keyed("load-7");
    (void)state;
    CHECK_OK(frz_catalog_load_table(catalog, "n.t", &stale, &err), err);
    frz_commit_free(append(table, "1:a", &options));
    frz_commit *second = append(stale, "1:a", &options);
    CHECK(second->already_committed);
    frz_commit_free(second);
    check_rows(stale, "1:a");
    frz_table_free(stale);
    frz_table_free(table);
}

static void rival_loads_7(void)
{
    frz_table *table = rival_table();
    const frz_write_options options = keyed("load-7");
    frz_commit_free(append(table, "1:a", &options));
    frz_table_free(table);
}

/* Two loaders at once: the one that loses the swap finds the other's commit, and cleans up. */
static void of_two_loaders_at_once_one_lands(void **state)
{
    frz_table *table = make_table(3, NULL, 0);
    const frz_write_options options = keyed("load-7");
    (void)state;
    disturb(rival_loads_7, 1);
    frz_commit *commit = append(table, "1:a", &options);
    CHECK(commit->already_committed && crowd.swaps == 1);
    CHECK(commit->snapshot_id == table->metadata->current_snapshot_id);
    CHECK(table->metadata->snapshot_count == 1);
    CHECK(fixture_files(storage, ".parquet") == 1 && fixture_files(storage, "/snap-") == 1);
    check_rows(table, "1:a");
    frz_commit_free(commit);
    frz_table_free(table);
}

static frz_status delete_1(frz_table *table, const frz_write_options *options, frz_commit **out,
                           frz_error **err)
{
    return frz_table_delete(table, "id = 1", FRZ_DELETE_MODE_MERGE_ON_READ, options, out, err);
}

static frz_status delete_by_rewriting(frz_table *table, const frz_write_options *options,
                                      frz_commit **out, frz_error **err)
{
    return frz_table_delete(table, "id = 1", FRZ_DELETE_MODE_COPY_ON_WRITE, options, out, err);
}

static frz_status add_1(frz_table *table, const frz_write_options *options, frz_commit **out,
                        frz_error **err)
{
    return frz_table_update(table, "id = id + 1", NULL, FRZ_DELETE_MODE_DEFAULT, options, out, err);
}

static frz_status truncate(frz_table *table, const frz_write_options *options, frz_commit **out,
                           frz_error **err)
{
    return frz_table_truncate(table, options, out, err);
}

static frz_status upsert(frz_table *table, const frz_write_options *options, frz_commit **out,
                         frz_error **err)
{
    static const char *const keys[] = {"id"};
    frz_merge_options how = FRZ_MERGE_OPTIONS_INIT;
    struct ArrowArrayStream rows = {0};
    how.keys = keys;
    how.key_count = 1;
    FRZ_TRY(rows_of("1:x 9:y", &rows, err));
    return frz_table_upsert(table, &rows, &how, options, out, err);
}

static frz_status overwrite(frz_table *table, const frz_write_options *options, frz_commit **out,
                            frz_error **err)
{
    frz_overwrite_options how = FRZ_OVERWRITE_OPTIONS_INIT;
    struct ArrowArrayStream rows = {0};
    how.where = "id >= 1";
    FRZ_TRY(rows_of("5:z", &rows, err));
    return frz_table_overwrite(table, &rows, 1, &how, options, out, err);
}

static void every_verb_that_writes_rows_takes_a_key(void **state)
{
    static const struct {
        const char *name;
        frz_status (*run)(frz_table *, const frz_write_options *, frz_commit **, frz_error **);
        const char *after;
    } verbs[] = {
        {"delete", delete_1, "2:b 3:c"},       {"rewrite", delete_by_rewriting, "2:b 3:c"},
        {"update", add_1, "2:a 3:b 4:c"},      {"truncate", truncate, ""},
        {"upsert", upsert, "1:x 2:b 3:c 9:y"}, {"overwrite", overwrite, "5:z"},
    };
    frz_error *err = NULL;
    frz_table *table = make_table(3, NULL, 0);
    (void)state;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        const frz_write_options options = keyed(verbs[i].name);
        frz_commit *first = NULL;
        frz_commit *second = NULL;
        CHECK_OK(frz_table_truncate(table, NULL, NULL, &err), err);
        append_rows(table, "1:a 2:b 3:c");
        CHECK_OK(verbs[i].run(table, &options, &first, &err), err);
        check_rows(table, verbs[i].after);
        const int files = fixture_files(storage, "");
        CHECK_OK(verbs[i].run(table, &options, &second, &err), err);
        CHECK(!first->already_committed && second->already_committed);
        CHECK(second->snapshot_id == first->snapshot_id);
        CHECK(fixture_files(storage, "") == files);
        check_rows(table, verbs[i].after);
        frz_commit_free(first);
        frz_commit_free(second);
    }
    frz_table_free(table);
}

/* A key counts on the branch it was committed to, and where that branch went. */
static void keys_are_of_a_branch(void **state)
{
    frz_table *table = make_table(3, NULL, 0);
    frz_write_options options = keyed("load-7");
    (void)state;
    append_rows(table, "1:a");
    options.branch = "audit";
    frz_commit_free(append(table, "2:b", &options));
    options.branch = NULL;
    frz_commit *commit = append(table, "2:b", &options);
    CHECK(!commit->already_committed);
    frz_commit_free(commit);
    check_rows(table, "1:a 2:b");
    options.branch = "later"; /* starts at main, which has it */
    commit = append(table, "2:b", &options);
    CHECK(commit->already_committed);
    frz_commit_free(commit);
    frz_table_free(table);
}

/* What was rolled back is not in the history: it is loaded again. */
static void what_was_rolled_back_is_loaded_again(void **state)
{
    frz_error *err = NULL;
    frz_alteration *changes = NULL;
    frz_table *table = make_table(3, NULL, 0);
    const frz_write_options options = keyed("load-7");
    (void)state;
    append_rows(table, "1:a");
    const int64_t before = table->metadata->current_snapshot_id;
    frz_commit_free(append(table, "2:b", &options));
    CHECK_OK(frz_alteration_new(&changes, &err), err);
    CHECK_OK(frz_alter_rollback(changes, before, &err), err);
    CHECK_OK(frz_table_alter(table, changes, NULL, NULL, &err), err);
    frz_alteration_free(changes);
    check_rows(table, "1:a");
    frz_commit *commit = append(table, "2:b", &options);
    CHECK(!commit->already_committed);
    frz_commit_free(commit);
    check_rows(table, "1:a 2:b");
    frz_table_free(table);
}

/* Staged under the same id it is found, on no branch as it is; published, it is in the history. */
static void a_staged_load_is_found_and_published_once(void **state)
{
    frz_error *err = NULL;
    frz_table *table = make_table(3, NULL, 0);
    frz_write_options options = keyed("load-7");
    (void)state;
    append_rows(table, "1:a");
    options.wap_id = "w";
    frz_commit *staged = append(table, "2:b", &options);
    frz_commit *again = append(table, "2:b", &options);
    CHECK(again->already_committed && again->snapshot_id == staged->snapshot_id);
    frz_commit_free(again);
    append_rows(table, "3:c");
    frz_commit *published = NULL;
    CHECK_OK(frz_table_publish(table, "w", NULL, &published, &err), err);
    assert_string_equal(summary_value(published, FRZ_IDEMPOTENCY_KEY), "load-7");
    options.wap_id = NULL;
    again = append(table, "2:b", &options);
    CHECK(again->already_committed && again->snapshot_id == published->snapshot_id);
    check_rows(table, "1:a 2:b 3:c");
    frz_commit_free(again);
    frz_commit_free(published);
    frz_commit_free(staged);
    frz_table_free(table);
}

static void a_staged_load_that_was_committed_directly_is_not_published(void **state)
{
    frz_error *err = NULL;
    frz_table *table = make_table(3, NULL, 0);
    frz_write_options options = keyed("load-7");
    (void)state;
    options.wap_id = "w";
    frz_commit_free(append(table, "2:b", &options));
    options.wap_id = NULL;
    frz_commit_free(append(table, "2:b", &options));
    CHECK_FAILS(frz_table_publish(table, "w", NULL, NULL, &err), FRZ_ALREADY_EXISTS, err,
                "its idempotency key load-7 is committed already, by snapshot");
    check_rows(table, "2:b");
    frz_table_free(table);
}

/* The key is the caller's option, not a property that it gives as well. */
static void a_key_is_given_once(void **state)
{
    frz_error *err = NULL;
    frz_table *table = make_table(3, NULL, 0);
    frz_write_options options = keyed("load-7");
    const frz_option property = {FRZ_IDEMPOTENCY_KEY, "other"};
    struct ArrowArrayStream rows = {0};
    (void)state;
    options.snapshot_properties = &property;
    options.snapshot_property_count = 1;
    CHECK_OK(rows_of("1:a", &rows, &err), err);
    CHECK_FAILS(frz_table_append(table, &rows, &options, NULL, &err), FRZ_INVALID, err,
                "snapshot property frazil.idempotency-key is given twice");
    frz_table_free(table);
}

/* A caller that was built before there were keys. */
static void options_of_an_older_caller_have_no_key(void **state)
{
    frz_table *table = make_table(3, NULL, 0);
    frz_write_options options = keyed("load-7");
    (void)state;
    options.struct_size = offsetof(frz_write_options, idempotency_key);
    for (int i = 0; i < 2; i++) {
        frz_commit *commit = append(table, "1:a", &options);
        CHECK(!commit->already_committed);
        assert_string_equal(summary_value(commit, FRZ_IDEMPOTENCY_KEY), "(absent)");
        frz_commit_free(commit);
    }
    check_rows(table, "1:a 1:a");
    frz_table_free(table);
}

static frz_table *swept;

static void look_back_once(void)
{
    const frz_write_options options = keyed("load-7");
    struct ArrowArrayStream rows = {0};
    frz_commit *commit = NULL;
    if (rows_of("1:a", &rows, NULL) == FRZ_OK &&
        frz_table_append(swept, &rows, &options, &commit, NULL) == FRZ_OK)
        CHECK(commit->already_committed);
    frz_commit_free(commit);
}

static void memory_may_fail_anywhere(void **state)
{
    frz_table *table = make_table(3, NULL, 0);
    const frz_write_options options = keyed("load-7");
    (void)state;
    swept = table;
    frz_commit_free(append(table, "1:a", &options));
    const int files = fixture_files(storage, "");
    sweep_allocation_failures(look_back_once);
    CHECK(fixture_files(storage, "") == files);
    check_rows(table, "1:a");
    frz_table_free(table);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_second_run_finds_the_first_and_writes_nothing),
        CASE(a_stale_handle_finds_it_too),
        CASE(of_two_loaders_at_once_one_lands),
        CASE(every_verb_that_writes_rows_takes_a_key),
        CASE(keys_are_of_a_branch),
        CASE(what_was_rolled_back_is_loaded_again),
        CASE(a_staged_load_is_found_and_published_once),
        CASE(a_staged_load_that_was_committed_directly_is_not_published),
        CASE(a_key_is_given_once),
        CASE(options_of_an_older_caller_have_no_key),
        CASE(memory_may_fail_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
