/*
 * Covers: write/row_change
 *
 * The isolation table of docs/isolation.md, cell by cell: each operation meets each commit of
 * another writer that comes in between, under both isolation levels.
 */
#include "rival_fixture.h"

#include "frazil/alter.h"
#include "frazil/delta.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

/* What another commits in between, on a table of "1:a 2:b 3:c" in one file and "7:g" in another.
 * The operations go for row 2. */
typedef struct rival_change {
    const char *name;
    frz_status (*run)(frz_table *table, frz_error **err);
} rival_change;

static frz_status append_text(frz_table *table, const char *text, frz_error **err)
{
    struct ArrowArrayStream rows = {0};
    FRZ_TRY(rows_of(text, &rows, err));
    return frz_table_append(table, &rows, NULL, NULL, err);
}

static frz_status append_far(frz_table *table, frz_error **err)
{
    return append_text(table, "50:z", err);
}

static frz_status append_near(frz_table *table, frz_error **err)
{
    return append_text(table, "2:n", err);
}

static frz_status delete_id(frz_table *table, const char *where, frz_delete_mode mode,
                            frz_error **err)
{
    return frz_table_delete(table, where, mode, NULL, NULL, err);
}

static frz_status delete_same(frz_table *table, frz_error **err)
{
    return delete_id(table, "id = 2", FRZ_DELETE_MODE_MERGE_ON_READ, err);
}

static frz_status delete_beside(frz_table *table, frz_error **err)
{
    return delete_id(table, "id = 1", FRZ_DELETE_MODE_MERGE_ON_READ, err);
}

static frz_status rewrite_beside(frz_table *table, frz_error **err)
{
    return delete_id(table, "id = 1", FRZ_DELETE_MODE_COPY_ON_WRITE, err);
}

static frz_status delete_far(frz_table *table, frz_error **err)
{
    return delete_id(table, "id = 7", FRZ_DELETE_MODE_MERGE_ON_READ, err);
}

static frz_status update_id(frz_table *table, const char *where, frz_error **err)
{
    return frz_table_update(table, "name = name || '!'", where, FRZ_DELETE_MODE_MERGE_ON_READ, NULL,
                            NULL, err);
}

static frz_status update_same(frz_table *table, frz_error **err)
{
    return update_id(table, "id = 2", err);
}

static frz_status update_beside(frz_table *table, frz_error **err)
{
    return update_id(table, "id = 1", err);
}

static frz_status truncate_all(frz_table *table, frz_error **err)
{
    return frz_table_truncate(table, NULL, NULL, err);
}

static frz_status alter(frz_table *table, frz_status (*record)(frz_alteration *, frz_error **),
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

static frz_status record_add(frz_alteration *changes, frz_error **err)
{
    return frz_alter_add_column(changes, "extra", "int", NULL, err);
}

static frz_status add_column(frz_table *table, frz_error **err)
{
    return alter(table, record_add, err);
}

static frz_status record_rename(frz_alteration *changes, frz_error **err)
{
    return frz_alter_rename_column(changes, "name", "title", err);
}

static frz_status rename_column(frz_table *table, frz_error **err)
{
    return alter(table, record_rename, err);
}

static frz_status record_spec(frz_alteration *changes, frz_error **err)
{
    return frz_alter_add_partition(changes, "bucket(4, id)", NULL, err);
}

static frz_status change_spec(frz_table *table, frz_error **err)
{
    return alter(table, record_spec, err);
}

static frz_status record_sort(frz_alteration *changes, frz_error **err)
{
    FRZ_TRY(frz_alter_set_property(changes, "owner", "ada", err));
    return frz_alter_set_sort(changes, "id", err);
}

static frz_status change_sort(frz_table *table, frz_error **err)
{
    return alter(table, record_sort, err);
}

static frz_status record_upgrade(frz_alteration *changes, frz_error **err)
{
    return frz_alter_upgrade(changes, 3, err);
}

/* On tables of format 3 it changes nothing. */
static frz_status upgrade(frz_table *table, frz_error **err)
{
    return alter(table, record_upgrade, err);
}

static frz_status record_branch(frz_alteration *changes, frz_error **err)
{
    const frz_ref_options options = FRZ_REF_OPTIONS_INIT;
    return frz_alter_create_ref(changes, "other", &options, err);
}

/* A branch, and rows on it. */
static frz_status write_branch(frz_table *table, frz_error **err)
{
    struct ArrowArrayStream rows = {0};
    frz_write_options options = FRZ_WRITE_OPTIONS_INIT;
    options.branch = "other";
    FRZ_TRY(alter(table, record_branch, err));
    FRZ_TRY(rows_of("2:n", &rows, err));
    return frz_table_append(table, &rows, &options, NULL, err);
}

static const rival_change rivals[] = {
    {"append of other rows", append_far},
    {"append of rows that match", append_near},
    {"delete of the row", delete_same},
    {"delete of another row of the file", delete_beside},
    {"copy-on-write of the file", rewrite_beside},
    {"delete in another file", delete_far},
    {"update of the row", update_same},
    {"update of another row of the file", update_beside},
    {"truncate", truncate_all},
    {"new column", add_column},
    {"renamed column", rename_column},
    {"partition spec", change_spec},
    {"sort order, property", change_sort},
    {"upgrade from format 2", upgrade},
    {"another branch", write_branch},
};
enum { RIVALS = sizeof rivals / sizeof *rivals };

/* How an operation fares, a letter per rival:
 *   R  tried again, as if it came after the other
 *   B  committed, as if it came before the other (it does not touch the other's rows)
 *   C  conflict
 * Under sanitizers the rows of both orders are not made to compare with: letters alone are checked,
 * and R stands for B as well.
 */
typedef struct isolation_case {
    const char *name;
    int format_version;
    frz_status (*run)(frz_table *table, frz_error **err);
    const char *serializable;
    const char *snapshot; /* NULL: it has no isolation level */
} isolation_case;

static frz_status run_append(frz_table *table, frz_error **err)
{
    return append_text(table, "2:mine", err);
}

static frz_status run_delete(frz_table *table, frz_error **err)
{
    return delete_id(table, "id = 2", FRZ_DELETE_MODE_MERGE_ON_READ, err);
}

static frz_status run_rewrite(frz_table *table, frz_error **err)
{
    return delete_id(table, "id = 2", FRZ_DELETE_MODE_COPY_ON_WRITE, err);
}

static frz_status run_update(frz_table *table, frz_delete_mode mode, frz_error **err)
{
    return frz_table_update(table, "name = 'mine'", "id = 2", mode, NULL, NULL, err);
}

static frz_status run_update_on_read(frz_table *table, frz_error **err)
{
    return run_update(table, FRZ_DELETE_MODE_MERGE_ON_READ, err);
}

static frz_status run_update_by_copy(frz_table *table, frz_error **err)
{
    return run_update(table, FRZ_DELETE_MODE_COPY_ON_WRITE, err);
}

static frz_status run_upsert(frz_table *table, frz_delete_mode mode, frz_error **err)
{
    static const char *const keys[] = {"id"};
    frz_merge_options how = FRZ_MERGE_OPTIONS_INIT;
    struct ArrowArrayStream rows = {0};
    how.keys = keys;
    how.key_count = 1;
    how.mode = mode;
    FRZ_TRY(rows_of("2:mine", &rows, err));
    return frz_table_upsert(table, &rows, &how, NULL, NULL, err);
}

static frz_status run_merge_on_read(frz_table *table, frz_error **err)
{
    return run_upsert(table, FRZ_DELETE_MODE_MERGE_ON_READ, err);
}

static frz_status run_merge_by_copy(frz_table *table, frz_error **err)
{
    return run_upsert(table, FRZ_DELETE_MODE_COPY_ON_WRITE, err);
}

static frz_status overwrite_with(frz_table *table, const char *where, frz_delete_mode mode,
                                 frz_error **err)
{
    frz_overwrite_options how = FRZ_OVERWRITE_OPTIONS_INIT;
    struct ArrowArrayStream rows = {0};
    how.where = where;
    how.dynamic = !where;
    how.mode = mode;
    FRZ_TRY(rows_of("2:mine", &rows, err));
    return frz_table_overwrite(table, &rows, 1, &how, NULL, NULL, err);
}

static frz_status run_overwrite(frz_table *table, frz_error **err)
{
    return overwrite_with(table, "id = 2", FRZ_DELETE_MODE_MERGE_ON_READ, err);
}

static frz_status run_overwrite_by_copy(frz_table *table, frz_error **err)
{
    return overwrite_with(table, "id = 2", FRZ_DELETE_MODE_COPY_ON_WRITE, err);
}

static frz_status run_dynamic(frz_table *table, frz_error **err)
{
    return overwrite_with(table, NULL, FRZ_DELETE_MODE_DEFAULT, err);
}

static frz_status run_delta(frz_table *table, frz_error **err)
{
    static const char *const key[] = {"id"};
    frz_delta_options how = FRZ_DELTA_OPTIONS_INIT;
    frz_delta *delta = NULL;
    struct ArrowArrayStream rows = {0};
    how.keys = key;
    how.key_count = 1;
    frz_status status = frz_delta_open(table, &how, NULL, &delta, err);
    if (status == FRZ_OK)
        status = rows_of("2:mine", &rows, err);
    if (status == FRZ_OK)
        status = frz_delta_upsert(delta, &rows, err);
    if (status == FRZ_OK)
        status = frz_delta_commit(delta, NULL, err);
    frz_delta_free(delta);
    return status;
}

/* Changes beside rows go by no isolation level. */
static frz_status record_own_column(frz_alteration *changes, frz_error **err)
{
    return frz_alter_add_column(changes, "mine", "int", NULL, err);
}

static frz_status run_columns(frz_table *table, frz_error **err)
{
    return alter(table, record_own_column, err);
}

static frz_status record_own_spec(frz_alteration *changes, frz_error **err)
{
    return frz_alter_add_partition(changes, "truncate(4, id)", NULL, err);
}

static frz_status run_spec(frz_table *table, frz_error **err)
{
    return alter(table, record_own_spec, err);
}

static frz_status record_own_sort(frz_alteration *changes, frz_error **err)
{
    return frz_alter_set_sort(changes, "id desc", err);
}

static frz_status run_sort(frz_table *table, frz_error **err)
{
    return alter(table, record_own_sort, err);
}

static frz_status record_own_property(frz_alteration *changes, frz_error **err)
{
    return frz_alter_set_property(changes, "mine", "1", err);
}

static frz_status run_property(frz_table *table, frz_error **err)
{
    return alter(table, record_own_property, err);
}

static frz_status record_own_branch(frz_alteration *changes, frz_error **err)
{
    const frz_ref_options options = FRZ_REF_OPTIONS_INIT;
    return frz_alter_create_ref(changes, "mine", &options, err);
}

static frz_status run_branch(frz_table *table, frz_error **err)
{
    return alter(table, record_own_branch, err);
}

static int64_t first_snapshot;

static frz_status record_rollback(frz_alteration *changes, frz_error **err)
{
    return frz_alter_rollback(changes, first_snapshot, err);
}

static frz_status run_rollback(frz_table *table, frz_error **err)
{
    return alter(table, record_rollback, err);
}

static frz_status run_publish(frz_table *table, frz_error **err)
{
    return frz_table_publish(table, "staged", NULL, NULL, err);
}

/*   far near same beside cow other upd updb trunc add ren spec sort upgr branch */
static const isolation_case cases[] = {
    {"append", 3, run_append, "RRRRRRRRRRBRRRR", "RRRRRRRRRRBRRRR"},
    {"delete by vector", 3, run_delete, "RCRRCRCRRRCRRRR", "RBRRCRCRRRCRRRR"},
    {"delete by positions", 2, run_delete, "RCRRCRCRRRCRRCR", "RBRRCRCRRRCRRCR"},
    {"delete by copy", 3, run_rewrite, "RCCCCRCCCRCRRRR", "RBCCCRCCCRCRRRR"},
    {"update by vector", 3, run_update_on_read, "RCCCCRCCCRCRRRR", "RBCCCRCCCRCRRRR"},
    {"update by positions", 2, run_update_on_read, "RCCCCRCCCRCRRCR", "RBCCCRCCCRCRRCR"},
    {"update by copy", 3, run_update_by_copy, "RCCCCRCCCRCRRRR", "RBCCCRCCCRCRRRR"},
    {"merge by vector", 3, run_merge_on_read, "RCCCCRCCCRCRRRR", "RBCCCRCCCRCRRRR"},
    {"merge by copy", 3, run_merge_by_copy, "RCCCCRCCCRCRRRR", "RBCCCRCCCRCRRRR"},
    {"overwrite by filter", 3, run_overwrite, "RCCCCRCCCRCRRRR", "RBCCCRCCCRCRRRR"},
    {"overwrite by filter and copy", 3, run_overwrite_by_copy, "RCCCCRCCCRCRRRR",
     "RBCCCRCCCRCRRRR"},
    {"overwrite of partitions", 3, run_dynamic, "CCCCCCCCCRCCRRR", "BBCCCCCCCRCCRRR"},
    {"truncate", 3, truncate_all, "RRRRRRRRRRRRRRR", "BBRRCRCCRRRRRRR"},
    {"upsert by equality deletes", 3, run_delta, "RRRRRRRRRRCBRRR", "RRRRRRRRRRCBRRR"},
    {"alter columns", 3, run_columns, "RRRRRRRRRCCRRRR", NULL},
    {"alter partition", 3, run_spec, "RRRRRRRRRRRCRRR", NULL},
    {"alter sort", 3, run_sort, "RRRRRRRRRRRRCRR", NULL},
    {"properties", 3, run_property, "RRRRRRRRRRRRRRR", NULL},
    {"upgrade", 2, upgrade, "RRRRRRRRRRRRRRR", NULL},
    {"branch create", 3, run_branch, "RRRRRRRRRRRRRRR", NULL},
    {"rollback", 3, run_rollback, "CCCCCCCCCRRRRRR", NULL},
    {"publish", 3, run_publish, "RRRRRRRRRRRRRRR", NULL},
};
enum { CASES = sizeof cases / sizeof *cases };

static const rival_change *between;

static void rival_commits(void)
{
    frz_error *err = NULL;
    frz_table *table = rival_table();
    CHECK_OK(between->run(table, &err), err);
    frz_table_free(table);
}

static void stage(frz_table *table)
{
    frz_error *err = NULL;
    struct ArrowArrayStream rows = {0};
    frz_write_options options = FRZ_WRITE_OPTIONS_INIT;
    options.wap_id = "staged";
    CHECK_OK(rows_of("9:s", &rows, &err), err);
    CHECK_OK(frz_table_append(table, &rows, &options, NULL, &err), err);
    append_rows(table, "8:h");
}

static frz_table *open_table(const isolation_case *about, bool serializable)
{
    const char *level = serializable ? "serializable" : "snapshot";
    const frz_option properties[] = {{"write.delete.isolation-level", level},
                                     {"write.update.isolation-level", level},
                                     {"write.merge.isolation-level", level}};
    frz_table *table = make_table(about->format_version, properties, 3);
    append_rows(table, "1:a 2:b 3:c");
    append_rows(table, "7:g");
    first_snapshot = table->metadata->snapshots[0].snapshot_id;
    if (about->run == run_publish)
        stage(table);
    return table;
}

static void drop_table(frz_table *table)
{
    frz_error *err = NULL;
    frz_table_free(table);
    CHECK_OK(frz_catalog_drop_table(rival, "n.t", false, &err), err);
}

/* Both one after the other. */
static scanned one_after_the_other(const isolation_case *about, bool serializable, bool rival_first)
{
    frz_error *err = NULL;
    frz_table *table = open_table(about, serializable);
    if (rival_first)
        rival_commits();
    CHECK_OK(frz_table_refresh(table, &err), err);
    const frz_status status = about->run(table, rival_first ? NULL : &err);
    if (!rival_first) {
        CHECK_OK(status, err);
        rival_commits();
    }
    CHECK_OK(frz_table_refresh(table, &err), err);
    const scanned rows =
        status == FRZ_OK ? scan_rows(table, NULL, false) : (scanned){"refused in this order"};
    drop_table(table);
    return rows;
}

static scanned rival_alone(const isolation_case *about, bool serializable)
{
    frz_error *err = NULL;
    frz_table *table = open_table(about, serializable);
    rival_commits();
    CHECK_OK(frz_table_refresh(table, &err), err);
    const scanned rows = scan_rows(table, NULL, false);
    drop_table(table);
    return rows;
}

static char meet(const isolation_case *about, bool serializable)
{
    frz_error *err = NULL;
    frz_table *table = open_table(about, serializable);
    disturb(rival_commits, 1);
    const frz_status status = about->run(table, &err);
    disturb(NULL, 0);
    CHECK_OK(frz_table_refresh(table, NULL), NULL);
    const scanned rows = scan_rows(table, NULL, false);
    drop_table(table);
    if (status == FRZ_CONFLICT) {
        frz_error_free(err);
        assert_string_equal(rows.text, rival_alone(about, serializable).text);
        return 'C';
    }
    CHECK_OK(status, err);
    if (SANITIZED || strcmp(rows.text, one_after_the_other(about, serializable, true).text) == 0)
        return 'R';
    if (strcmp(rows.text, one_after_the_other(about, serializable, false).text) == 0)
        return 'B';
    print_message("%s: \"%s\"\n", between->name, rows.text);
    return '?';
}

static bool same_letter(char got, char want)
{
    return got == want || (SANITIZED && got == 'R' && want == 'B');
}

static bool check_level(const isolation_case *about, bool serializable)
{
    char got[RIVALS + 1] = "";
    const char *want = serializable ? about->serializable : about->snapshot;
    for (size_t i = 0; i < RIVALS; i++) {
        between = &rivals[i];
        got[i] = meet(about, serializable);
    }
    size_t same = 0;
    while (same < RIVALS && same_letter(got[same], want[same]))
        same++;
    if (same == RIVALS)
        return true;
    print_message("%s, %s: %s, expected %s\n", about->name,
                  serializable ? "serializable" : "snapshot", got, want);
    return false;
}

static void every_cell_is_as_the_table_says(void **state)
{
    int wrong = 0;
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        wrong += !check_level(&cases[i], true);
        wrong += cases[i].snapshot && !check_level(&cases[i], false);
    }
    CHECK(wrong == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_cell_is_as_the_table_says, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
