/*
 * Covers: write/staged write/steps write/restate write/given_lineage write/first_names
 *
 * Transactions with allocations and each storage call failing in turn, and with the process ending
 * at each storage call: the table is the old one or that of all operations, and what failed cleanly
 * leaves no file. Also while the operations are made again on the version of another writer. Of the
 * allocations every few fail, all of them when FRAZIL_SWEEP=all.
 */
#include "frazil/transaction.h"

#include "table_fixture.h"

#include "base/clock.h"
#include "frazil/alter.h"
#include "io/fault.h"

typedef enum fault { FAULT_MEMORY, FAULT_STORAGE, FAULT_CRASH } fault;

typedef struct scene {
    const char *name;
    int format_version;
    frz_status (*change)(frz_table *staged, frz_error **err);
    const char *after;
    /* The other writer, if any: the fault strikes in the commit, after its own. */
    frz_status (*other)(frz_table *table, frz_error **err);
    const char *before; /* NULL: "1:a 2:b 3:c" */
    bool long_play;     /* so many times fewer of its allocations fail: LONG_PLAY */
} scene;

static frz_status append(frz_table *staged, frz_error **err)
{
    struct ArrowArrayStream rows = {0};
    FRZ_TRY(rows_of("4:d 5:e", &rows, err));
    return frz_table_append(staged, &rows, NULL, NULL, err);
}

static frz_status alter(frz_table *table, frz_error **err)
{
    frz_alteration *changes = NULL;
    frz_status status = frz_alteration_new(&changes, err);
    if (status == FRZ_OK)
        status = frz_alter_set_property(changes, "owner", "me", err);
    if (status == FRZ_OK)
        status = frz_table_alter(table, changes, NULL, NULL, err);
    frz_alteration_free(changes);
    return status;
}

static frz_status append_and_delete(frz_table *staged, frz_error **err)
{
    FRZ_TRY(append(staged, err));
    return frz_table_delete(staged, "id = 2", FRZ_DELETE_MODE_MERGE_ON_READ, NULL, NULL, err);
}

static frz_status change_rows_and_table(frz_table *staged, frz_error **err)
{
    FRZ_TRY(append_and_delete(staged, err));
    FRZ_TRY(frz_table_update(staged, "name = upper(name)", "id >= 3", FRZ_DELETE_MODE_DEFAULT, NULL,
                             NULL, err));
    return alter(staged, err);
}

static frz_status change_and_rewrite(frz_table *staged, frz_error **err)
{
    FRZ_TRY(append_and_delete(staged, err));
    return frz_table_delete(staged, "id = 5", FRZ_DELETE_MODE_COPY_ON_WRITE, NULL, NULL, err);
}

/* Rows that were added move twice, and others are deleted in the files that they move to. */
static frz_status move_own_rows(frz_table *staged, frz_error **err)
{
    FRZ_TRY(append(staged, err));
    FRZ_TRY(frz_table_update(staged, "name = upper(name)", "id >= 4", FRZ_DELETE_MODE_MERGE_ON_READ,
                             NULL, NULL, err));
    FRZ_TRY(frz_table_delete(staged, "id = 5", FRZ_DELETE_MODE_MERGE_ON_READ, NULL, NULL, err));
    return frz_table_update(staged, "name = 'x'", "id = 4", FRZ_DELETE_MODE_COPY_ON_WRITE, NULL,
                            NULL, err);
}

static frz_status append_another(frz_table *table, frz_error **err)
{
    struct ArrowArrayStream rows = {0};
    FRZ_TRY(rows_of("0:z", &rows, err));
    return frz_table_append(table, &rows, NULL, NULL, err);
}

static const scene scenes[] = {
    {"rows and table", 3, change_rows_and_table, "1:a 3:C 4:D 5:E", NULL, NULL, false},
    {"format 2 with a rewrite", 2, change_and_rewrite, "1:a 3:c 4:d", NULL, NULL, false},
    {"again", 3, append_and_delete, "1:a 3:c 4:d 5:e", alter, NULL, false},
    {"again with own rows moved", 3, move_own_rows, "0:z 1:a 2:b 3:c 4:x", append_another,
     "0:z 1:a 2:b 3:c", true},
};
enum { SCENES = sizeof scenes / sizeof *scenes, LONG_PLAY = 6 };

typedef struct stage_set {
    frz_io *storage;
    frz_io *faulty;
    fixture tables;
    frz_table *table;
} stage_set;

static void build(stage_set *set, const scene *of)
{
    frz_error *err = NULL;
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    options.schema = "id long, name string";
    options.format_version = of->format_version;
    CHECK_OK(frz_io_memory_new(&set->storage, &err), err);
    CHECK_OK(frz_io_fault_new(set->storage, &set->faulty, &err), err);
    CHECK_OK(fixture_open(&set->tables, set->faulty, &err), err);
    CHECK_OK(frz_catalog_create_table(set->tables.catalog, "n.t", &options, &set->table, &err),
             err);
    append_rows(set->table, "1:a 2:b 3:c");
}

static void strike(const stage_set *set, fault kind, int64_t at)
{
    if (kind == FAULT_MEMORY)
        frz_mem_fail_after(at);
    else if (kind == FAULT_STORAGE)
        frz_io_fault_fail_after(set->faulty, at);
    else
        frz_io_fault_crash_after(set->faulty, at);
}

/* *files_out grows by the files of the other writer. */
static frz_status play(const stage_set *set, const scene *of, fault kind, int64_t at,
                       int *files_out)
{
    frz_error *err = NULL;
    frz_table *staged = NULL;
    frz_status status = FRZ_OK;
    if (!of->other)
        strike(set, kind, at);
    status = frz_table_begin(set->table, &staged, NULL);
    if (status == FRZ_OK)
        status = of->change(staged, NULL);
    const int before = of->other ? fixture_files(set->storage, "") : 0;
    if (of->other) {
        CHECK(status == FRZ_OK);
        CHECK_OK(of->other(set->table, &err), err);
        *files_out += fixture_files(set->storage, "") - before;
        strike(set, kind, at);
    }
    if (status == FRZ_OK)
        status = frz_table_commit(staged, NULL, NULL, NULL);
    frz_table_free(staged);
    return status;
}

/* As another process finds it. */
static void check_found(const stage_set *set, const char *want)
{
    frz_error *err = NULL;
    frz_catalog_backend *backend = frz_catalog_backend_of(set->tables.catalog);
    frz_table *found = NULL;
    char *location = NULL;
    CHECK_OK(backend->ops->load(backend, "n.t", &location, &err), err);
    CHECK_OK(frz_table_open(location, set->storage, &found, &err), err);
    check_rows(found, want);
    frz_table_free(found);
    frz_text_free(location);
}

/* True when the fault struck. */
static bool play_once(const scene *of, fault kind, int64_t at)
{
    stage_set set = {0};
    build(&set, of);
    int files = fixture_files(set.storage, "");
    const frz_status status = play(&set, of, kind, at, &files);
    const bool struck = kind == FAULT_MEMORY ? frz_mem_failed() : frz_io_fault_fired(set.faulty);
    frz_mem_fail_after(-1);
    frz_io_fault_fail_after(set.faulty, -1);
    CHECK(struck || status == FRZ_OK);
    check_found(&set, status == FRZ_OK ? of->after : of->before ? of->before : "1:a 2:b 3:c");
    if (status != FRZ_OK && kind != FAULT_CRASH && fixture_files(set.storage, "") != files)
        fail_msg("%s: fault %d at %lld left %d files, there were %d", of->name, (int)kind,
                 (long long)at, fixture_files(set.storage, ""), files);
    frz_table_free(set.table);
    fixture_close(&set.tables);
    frz_io_free(set.faulty);
    frz_io_free(set.storage);
    return struck;
}

static void play_all(fault kind)
{
    const int descriptors = count_descriptors();
    for (size_t i = 0; i < SCENES; i++) {
        int64_t step = kind == FAULT_MEMORY ? sweep_stride() : 1;
        if (step > 1 && scenes[i].long_play)
            step *= LONG_PLAY;
        for (int64_t at = 0; play_once(&scenes[i], kind, at); at += step)
            CHECK(at < 20000);
    }
    CHECK(count_descriptors() == descriptors);
}

static void every_allocation_fails_in_turn(void **state)
{
    (void)state;
    play_all(FAULT_MEMORY);
}

static void every_storage_call_fails_in_turn(void **state)
{
    (void)state;
    play_all(FAULT_STORAGE);
}

static void every_storage_call_is_the_last_in_turn(void **state)
{
    (void)state;
    play_all(FAULT_CRASH);
}

static void sleep_fast(void *self, int64_t ms)
{
    (void)self;
    (void)ms;
}

int main(void)
{
    static const frz_clock_ops clock = {.sleep_ms = sleep_fast};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_storage_call_fails_in_turn),
        cmocka_unit_test(every_storage_call_is_the_last_in_turn),
        cmocka_unit_test(every_allocation_fails_in_turn),
    };
    frz_clock_replace(&clock);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
