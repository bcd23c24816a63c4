/*
 * W9: scans of 10 million rows under equality deletes: 1,000 to 1 million keys of one column, of
 * text and of two columns, in one delete file and in 200, against the same scan of the snapshot
 * before the deletes, against one file of the same keys, and against DuckDB on the same snapshot.
 * Then the memory that a million keys take.
 */
#include <stdio.h>
#include <stdlib.h>

#include "delete_files.h"
#include "peer.h"
#include "process.h"
#include "rows.h"
#include "scan_side.h"

enum { ROWS = 10000000, K_RANGE = 3 * ROWS, MANY_FILES = 200 };

/* A table of rows and the snapshot before any delete. */
typedef struct subject {
    frz_catalog *catalog;
    frz_table *table;
    int64_t before;
} subject;

static subject make(frz_catalog *catalog, const char *name)
{
    subject self = {.catalog = catalog};
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    frz_error *err = NULL;
    options.schema = bench_rows_schema;
    options.format_version = 2;
    bench_must(frz_catalog_create_table(catalog, name, &options, &self.table, &err), err);
    bench_append(self.table, ROWS);
    self.before = bench_current_snapshot(self.table);
    return self;
}

/* Keys in `files` delete files, one commit each. */
static void delete_keys(frz_table *table, bench_keys keys, int64_t files)
{
    const int64_t each = keys.count / files;
    keys.count = each;
    for (int64_t i = 0; i < files; i++, keys.first += each)
        bench_delete_keys(table, &keys);
}

static void compare(const char *name, const subject *of, bench_scan scan, double target)
{
    bench_compare_deleted(name, scan, of->before, ROWS, target, false);
}

static void compare_all(const char *what, const subject *of, double target)
{
    char name[96];
    (void)snprintf(name, sizeof name, "%s, the key alone", what);
    compare(name, of, (bench_scan){.table = of->table, .rows = -1, .columns = {"k"}}, target);
    (void)snprintf(name, sizeof name, "%s, 3 columns", what);
    compare(name, of,
            (bench_scan){.table = of->table, .rows = -1, .columns = {"k", "host", "value"}},
            target);
    (void)snprintf(name, sizeof name, "%s, 7 columns", what);
    compare(name, of, (bench_scan){.table = of->table, .rows = -1}, target);
}

static void measure_memory(const subject *of)
{
    const char *frazil = bench_command();
    char before[32];
    (void)snprintf(before, sizeof before, "%lld", (long long)of->before);
    bench_process plain = {
        .arguments = {frazil, "scan", "b.million", "--output", "csv", "--snapshot-id", before}};
    bench_process deleted = {.arguments = {frazil, "scan", "b.million", "--output", "csv"}};
    (void)bench_process_run(&plain);
    (void)bench_process_run(&deleted);
    bench_figure("memory of 1 million keys beyond the scan",
                 deleted.resident_mb - plain.resident_mb, 128, "MB");
}

int main(int argument_count, char **arguments)
{
    (void)bench_process_measure(argument_count, arguments);
    const char *folder = bench_folder_new();
    (void)setenv("FRAZIL_WAREHOUSE", folder, 1);
    frz_catalog *catalog = bench_catalog_open(folder);
    bench_begin("W9 scan of 10 million rows with equality deletes, one thread");
    subject some = make(catalog, "b.some");
    delete_keys(some.table, (bench_keys){.ids = {1}, .count = 1000, .range = K_RANGE}, 1);
    compare_all("1,000 keys", &some, 2);
    delete_keys(some.table, (bench_keys){.ids = {1}, .count = 100000, .range = K_RANGE}, 1);
    compare_all("100,000 keys more", &some, 2);
    delete_keys(some.table, (bench_keys){.ids = {3}, .count = 20, .range = 100000}, 1);
    compare("and keys of text, 7 columns", &some, (bench_scan){.table = some.table, .rows = -1}, 2);
    delete_keys(some.table, (bench_keys){.ids = {1, 4}, .count = 100000, .range = K_RANGE}, 1);
    compare("and keys of two columns, 7 columns", &some,
            (bench_scan){.table = some.table, .rows = -1}, 2);

    subject million = make(catalog, "b.million");
    subject files = make(catalog, "b.files");
    const bench_keys keys = {.ids = {1}, .count = 1000000, .range = K_RANGE};
    delete_keys(million.table, keys, 1);
    delete_keys(files.table, keys, MANY_FILES);
    compare_all("1 million keys", &million, 2);
    bench_scan one = {.table = million.table, .rows = -1, .columns = {"k"}};
    bench_scan many = {.table = files.table, .rows = -1, .columns = {"k"}};
    const bench_side rival = {
        .name = "the same keys in one file", .run = bench_scan_run, .context = &one, .target = 1.5};
    bench_compare("1 million keys in 200 files, the key alone",
                  (bench_side){.name = "frazil", .run = bench_scan_run, .context = &many}, &rival,
                  1);
    measure_memory(&million);
    frz_table_free(some.table);
    frz_table_free(million.table);
    frz_table_free(files.table);
    frz_catalog_free(catalog);
    bench_folder_remove();
    return bench_end();
}
