/*
 * Covers: write/transaction
 *
 * Every operation against a catalog whose answers are lost, late or wrong: it is committed once,
 * or refused without traces, or its outcome is unknown and everything that may be part of the table
 * stays and is named.
 */
#include "change_cases.h"

#include "base/clock.h"
#include "catalog/memory.h"
#include "io/file.h"

/* What becomes of the swap of an operation, and of its answer. */
typedef enum swap_fate {
    FATE_DONE,           /* done, answer lost */
    FATE_DONE_LATE,      /* done after two looks at the table, answer lost */
    FATE_DONE_UNSEEN,    /* done, answer lost, and the table cannot be looked at twice */
    FATE_DONE_OVERTAKEN, /* done, answer lost, another commit on top */
    FATE_DONE_BURIED,    /* done, two more on top: the metadata log no longer reaches back to it */
    FATE_DONE_SWEPT,     /* the same, and each commit removes the files that its log drops */
    FATE_DONE_TORN,      /* as buried, but the file between, which would tell, has gone */
    FATE_DONE_REFUSED,   /* done, answered as a conflict: the catalog had sent it twice */
    FATE_OVERTAKEN_REFUSED, /* the same, another commit on top */
    FATE_OVERTAKEN_BEFORE,  /* not done, as another commit came before; answer lost */
    FATE_BURIED_BEFORE,     /* the same of two others: the log no longer reaches back to the base */
    FATE_TORN_BEFORE,       /* the same, and the file between has gone */
    FATE_NEVER,             /* not done, answer lost */
    FATES
} swap_fate;

static const char *const fate_names[FATES] = {
    "done",           "late",       "unseen",
    "overtaken",      "buried",     "swept",
    "torn",           "refused",    "overtaken and refused",
    "another before", "two before", "two before, torn",
    "never",
};

typedef struct doubtful {
    frz_catalog_backend base;
    frz_catalog_backend *inner;
    swap_fate fate;
    bool armed;     /* the next swap meets its fate */
    int loads_left; /* until what is late happens, or a load works again */
    char *late_from;
    char *late_to;
    char *torn; /* a metadata file that is away */
    frz_buffer torn_text;
} doubtful;

static doubtful doubt;
static frz_io *storage;
static frz_catalog *catalog; /* over the doubtful one */
static frz_catalog *sure;    /* over the same tables */

static frz_table *sure_table(void)
{
    frz_error *err = NULL;
    frz_table *table = NULL;
    CHECK_OK(frz_catalog_load_table(sure, "n.t", &table, &err), err);
    return table;
}

static void another_appends(void)
{
    frz_table *table = sure_table();
    append_rows(table, "100:r");
    frz_table_free(table);
}

static frz_status record_other(frz_alteration *changes, const frz_table *table, frz_error **err)
{
    return frz_alter_set_property(changes, "other", frz_table_property(table, "other") ? "2" : "1",
                                  err);
}

static void another_alters(void)
{
    frz_error *err = NULL;
    frz_table *table = sure_table();
    CHECK_OK(alter_with(table, record_other, &err), err);
    frz_table_free(table);
}

/* The file that leads from the current log to older ones. */
static void tear(void)
{
    frz_error *err = NULL;
    frz_table *table = sure_table();
    CHECK(table->metadata->metadata_log_count == 1);
    doubt.torn = frz_copy_text(table->metadata->metadata_log[0].metadata_file);
    CHECK(doubt.torn != NULL);
    CHECK_OK(frz_io_read_file(storage, doubt.torn, 1 << 20, &doubt.torn_text, &err), err);
    CHECK_OK(frz_io_remove(storage, doubt.torn, &err), err);
    frz_table_free(table);
}

static void mend(void)
{
    frz_error *err = NULL;
    if (doubt.torn)
        CHECK_OK(frz_io_write_file(storage, doubt.torn, frz_buffer_slice(&doubt.torn_text), &err),
                 err);
    frz_buffer_clear(&doubt.torn_text);
    frz_free(doubt.torn);
    doubt.torn = NULL;
}

static bool has_short_log(swap_fate fate)
{
    return fate == FATE_DONE_BURIED || fate == FATE_DONE_SWEPT || fate == FATE_DONE_TORN ||
           fate == FATE_BURIED_BEFORE || fate == FATE_TORN_BEFORE;
}

/* What is late arrives: a compare-and-swap as ever. */
static void arrive(void)
{
    CHECK(doubt.inner->ops->swap(doubt.inner, "n.t", doubt.late_from, doubt.late_to, NULL) ==
          FRZ_OK);
    frz_free(doubt.late_from);
    frz_free(doubt.late_to);
    doubt.late_from = doubt.late_to = NULL;
}

static void keep(const char *from, const char *to)
{
    doubt.late_from = frz_copy_text(from);
    doubt.late_to = frz_copy_text(to);
    CHECK(doubt.late_from && doubt.late_to);
}

static frz_status doubtful_load(frz_catalog_backend *backend, const char *identifier, char **out,
                                frz_error **err)
{
    (void)backend;
    if (doubt.loads_left > 0 && --doubt.loads_left >= 0 && doubt.fate == FATE_DONE_UNSEEN)
        return frz_error_raise(err, FRZ_NETWORK, "no route to the catalog");
    if (doubt.late_to && doubt.fate == FATE_DONE_LATE && doubt.loads_left == 0)
        arrive();
    return doubt.inner->ops->load(doubt.inner, identifier, out, err);
}

static bool comes_after_others(swap_fate fate)
{
    return fate == FATE_OVERTAKEN_BEFORE || fate == FATE_BURIED_BEFORE || fate == FATE_TORN_BEFORE;
}

static frz_status doubtful_swap(frz_catalog_backend *backend, const char *identifier,
                                const char *expected, const char *location, frz_error **err)
{
    const bool refused = doubt.fate == FATE_DONE_REFUSED || doubt.fate == FATE_OVERTAKEN_REFUSED;
    (void)backend;
    if (!doubt.armed)
        return doubt.inner->ops->swap(doubt.inner, identifier, expected, location, err);
    doubt.armed = false;
    if (doubt.fate == FATE_DONE_LATE || doubt.fate == FATE_NEVER)
        keep(expected, location);
    else if (!comes_after_others(doubt.fate))
        CHECK(doubt.inner->ops->swap(doubt.inner, identifier, expected, location, NULL) == FRZ_OK);
    if (doubt.fate == FATE_DONE_LATE || doubt.fate == FATE_DONE_UNSEEN)
        doubt.loads_left = 2;
    if (doubt.fate == FATE_DONE_OVERTAKEN || doubt.fate == FATE_OVERTAKEN_BEFORE ||
        doubt.fate == FATE_OVERTAKEN_REFUSED)
        another_appends();
    if (has_short_log(doubt.fate)) {
        another_alters();
        another_alters();
    }
    if (doubt.fate == FATE_DONE_TORN || doubt.fate == FATE_TORN_BEFORE)
        tear();
    return refused ? frz_error_raise(err, FRZ_CONFLICT, "the table points elsewhere")
                   : frz_error_raise(err, FRZ_UNKNOWN_STATE, "connection reset");
}

static void doubtful_free(frz_catalog_backend *backend)
{
    (void)backend; /* the sure catalog owns the inner one */
}

static const frz_catalog_backend_ops doubtful_ops = {
    .load = doubtful_load, .swap = doubtful_swap, .free = doubtful_free};

static void sleep_fast(void *self, int64_t ms)
{
    (void)self;
    (void)ms;
}

static frz_table *open_world(const change_case *change, swap_fate fate)
{
    frz_error *err = NULL;
    frz_table *table = NULL;
    frz_catalog_backend *inner = NULL;
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    const frz_option short_log[] = {{"write.metadata.previous-versions-max", "1"},
                                    {"write.metadata.delete-after-commit.enabled", "true"}};
    CHECK_OK(frz_io_memory_new(&storage, &err), err);
    CHECK_OK(frz_catalog_memory_new(&inner, &err), err);
    doubt = (doubtful){.base.ops = &doubtful_ops, .inner = inner, .fate = fate};
    CHECK_OK(frz_catalog_new(inner, "default", "mem://wh", storage, &sure, &err), err);
    CHECK_OK(frz_catalog_new(&doubt.base, "default", "mem://wh", storage, &catalog, &err), err);
    options.schema = "id long, name string";
    options.format_version = change->format_version;
    options.properties = short_log;
    options.property_count = fate == FATE_DONE_SWEPT ? 2 : has_short_log(fate) ? 1 : 0;
    CHECK_OK(frz_catalog_create_table(sure, "n.t", &options, NULL, &err), err);
    CHECK_OK(frz_catalog_load_table(catalog, "n.t", &table, &err), err);
    append_rows(table, "1:a 2:b 3:c");
    if (change->set_up)
        change->set_up(table);
    return table;
}

static void close_world(frz_table *table)
{
    frz_table_free(table);
    catalog_verify(sure);
    frz_catalog_free(catalog);
    frz_catalog_free(sure);
    frz_io_free(storage);
    frz_free(doubt.late_from);
    frz_free(doubt.late_to);
}

/* The rows, but for those of the other writer. */
static scanned rows_without_another(const frz_table *table)
{
    scanned rows = scan_rows(table, NULL, false);
    while (strncmp(rows.text, "100:", 4) == 0) {
        const char *next = strchr(rows.text, ' ');
        const char *rest = next ? next + 1 : "";
        memmove(rows.text, rest, strlen(rest) + 1);
    }
    return rows;
}

/* The table as another finds it: whole, every version that its log names included. */
static void check_state(const change_case *change, bool done, size_t others)
{
    frz_table *table = sure_table();
    const frz_metadata *metadata = table->metadata;
    const scanned rows = rows_without_another(table);
    const scanned all = scan_rows(table, NULL, false);
    assert_string_equal(rows.text, done ? change->after : change->before);
    CHECK((strncmp(all.text, "100:r", 5) == 0) == (others > 0));
    if (change->is_done)
        CHECK(change->is_done(metadata) == done);
    for (size_t i = 0; i < metadata->metadata_log_count; i++)
        CHECK(fixture_files(storage, metadata->metadata_log[i].metadata_file) == 1);
    frz_table_free(table);
}

/* Files that the change makes when nothing goes wrong, and whether one is a snapshot. */
static int clean_files(const change_case *change, bool *snapshot_out)
{
    frz_error *err = NULL;
    frz_table *table = open_world(change, FATE_DONE);
    const int files = fixture_files(storage, "");
    const size_t snapshots = table->metadata->snapshot_count;
    CHECK_OK(change->run(table, &err), err);
    const int made = fixture_files(storage, "") - files;
    *snapshot_out = table->metadata->snapshot_count > snapshots;
    close_world(table);
    return made;
}

enum { APPEND_FILES = 4, ALTER_FILES = 1 }; /* of the other writer */

/* Nothing was removed, all that was made is named, and the swap may yet arrive. */
static void check_unknown(const change_case *change, frz_error *err, int made, int want)
{
    const char *message = frz_error_message(err);
    CHECK(made == want);
    CHECK(strstr(message, "may or may not have taken") && strstr(message, "no file was removed"));
    const size_t named = strlen("mem://wh/n/t/");
    int names = 0;
    for (const char *at = message; (at = strstr(at, "mem://wh/n/t/")); at += named)
        names++;
    CHECK(names == made);
    check_state(change, false, 0);
    arrive();
    check_state(change, true, 0);
}

/* It is not claimed, and nothing is removed; the message says what the table has of it. */
static void check_buried(const change_case *change, frz_error *err, int made, int want, bool done)
{
    const char *message = frz_error_message(err);
    CHECK(made == want + 2 * ALTER_FILES);
    CHECK(strstr(message, "may or may not have taken") && strstr(message, "no file was removed"));
    if (done)
        CHECK(strstr(message, "what was asked for is there, made by this commit or by another"));
    else
        CHECK(strstr(message, "it lacks ") && strstr(message, "run it again if nobody took"));
    check_state(change, done, 0);
}

static bool makes_reference(const change_case *change)
{
    return strcmp(change->name, "branch") == 0 || strcmp(change->name, "tag") == 0;
}

/* Files that others made, less those that they removed. */
static int files_of_others(swap_fate fate)
{
    if (fate == FATE_DONE_OVERTAKEN || fate == FATE_OVERTAKEN_BEFORE ||
        fate == FATE_OVERTAKEN_REFUSED)
        return APPEND_FILES;
    if (fate == FATE_DONE_SWEPT) /* of all versions two are there, as before; ours has gone */
        return -ALTER_FILES;
    return has_short_log(fate) ? 2 * ALTER_FILES : 0;
}

/* It is tried again on what is there then. */
static bool takes_rows_of_others(const change_case *change, swap_fate fate)
{
    return strcmp(change->name, "truncate") == 0 && fate == FATE_OVERTAKEN_BEFORE;
}

static void meet(const change_case *change, swap_fate fate)
{
    frz_error *err = NULL;
    bool has_snapshot = false;
    const int want = clean_files(change, &has_snapshot);
    frz_table *table = open_world(change, fate);
    const int files = fixture_files(storage, "");
    doubt.armed = true;
    const frz_status status = change->run(table, &err);
    mend();
    const int made = fixture_files(storage, "") - files;
    if (fate == FATE_NEVER) {
        CHECK(status == FRZ_UNKNOWN_STATE);
        check_unknown(change, err, made, want);
    } else if (fate == FATE_TORN_BEFORE) {
        CHECK(status == FRZ_UNKNOWN_STATE);
        check_buried(change, err, made, want, false);
    } else if (fate == FATE_DONE_TORN && makes_reference(change)) {
        CHECK(status == FRZ_UNKNOWN_STATE);
        check_buried(change, err, made, want, true);
    } else if (fate == FATE_OVERTAKEN_BEFORE && change->meets_append) {
        CHECK(status == FRZ_CONFLICT && made == APPEND_FILES);
        check_state(change, false, 1);
    } else {
        const bool other = fate == FATE_DONE_OVERTAKEN || fate == FATE_OVERTAKEN_BEFORE ||
                           fate == FATE_OVERTAKEN_REFUSED;
        CHECK_OK(status, err);
        if (takes_rows_of_others(change, fate)) {
            /* A manifest more of what went. */
            CHECK(made == want + files_of_others(fate) + 1);
            check_state(change, true, 0);
        } else {
            CHECK(made == want + files_of_others(fate));
            check_state(change, true, other ? 1 : 0);
        }
    }
    frz_error_free(err);
    close_world(table);
}

static void every_operation_meets_every_fate(void **state)
{
    (void)state;
    for (size_t i = 0; i < CHANGE_CASES; i++) {
        for (int fate = 0; fate < FATES; fate++) {
            print_message("%s: %s\n", change_cases[i].name, fate_names[fate]);
            meet(&change_cases[i], (swap_fate)fate);
        }
    }
}

static int set_up(void **state)
{
    static const frz_clock_ops clock = {.sleep_ms = sleep_fast};
    (void)state;
    frz_clock_replace(&clock);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    frz_clock_replace(NULL);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_operation_meets_every_fate, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
