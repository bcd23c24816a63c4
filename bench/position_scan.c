/*
 * W8: scans of 2 million rows of which V2 position deletes take a quarter: of one data file by 1,
 * 2, 5 and 10 delete files, of these rows also with as many positions of other files between, and
 * of 100 data files by 100 delete files that each name all of them; against the same scan of the
 * snapshot before the deletes, and against peers on the same snapshot.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "delete_files.h"
#include "peer.h"
#include "rows.h"
#include "scan_side.h"

enum { ROWS = 2000000, FILES = 100, PATHS_MAX = 128 };

static frz_table *make(frz_catalog *catalog, const char *name, int files)
{
    frz_table *table = NULL;
    frz_error *err = NULL;
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    options.schema = bench_rows_schema;
    options.format_version = 2;
    bench_must(frz_catalog_create_table(catalog, name, &options, &table, &err), err);
    for (int i = 0; i < files; i++)
        bench_append(table, ROWS / files);
    return table;
}

/* The table's data files, as its manifests name them; freed with the program. */
static size_t list_files(const frz_table *table, const char **out)
{
    frz_scan *scan = NULL;
    frz_plan *plan = NULL;
    frz_error *err = NULL;
    bench_must(frz_scan_new(table, NULL, &scan, &err), err);
    bench_must(frz_scan_plan(scan, &plan, &err), err);
    const size_t count = frz_plan_file_count(plan);
    for (size_t i = 0; i < count; i++)
        out[i] = strdup(frz_plan_file_at(plan, i)->path);
    frz_plan_free(plan);
    frz_scan_free(scan);
    return count;
}

static void compare(const char *name, frz_table *table, int64_t before, double target)
{
    const bench_scan scan = {
        .table = table, .rows = ROWS / 4 * 3, .columns = {"k", "host", "value"}};
    bench_compare_deleted(name, scan, before, ROWS, target, true);
}

/* A quarter of all rows, in `files` delete files. */
static void delete_quarter(frz_table *table, const char *const *paths, size_t path_count,
                           int64_t rows, int files)
{
    for (int i = 0; i < files; i++)
        bench_delete_positions(table, &(bench_positions){.paths = paths,
                                                         .path_count = path_count,
                                                         .first = i,
                                                         .step = (int64_t)files * 4,
                                                         .rows = rows});
}

static void run_one_file(frz_catalog *catalog, int delete_files, bool noise)
{
    char name[96];
    const char *paths[PATHS_MAX] = {NULL};
    (void)snprintf(name, sizeof name, "b.one%d%s", delete_files, noise ? "n" : "");
    frz_table *table = make(catalog, name, 1);
    const int64_t before = bench_current_snapshot(table);
    (void)list_files(table, paths);
    paths[1] = "file:///elsewhere/data/00000-0-of-another-table.parquet";
    delete_quarter(table, paths, noise ? 2 : 1, ROWS, delete_files);
    (void)snprintf(name, sizeof name, "%d delete files of one data file%s", delete_files,
                   noise ? ", half of it of another" : "");
    compare(name, table, before, 0);
    frz_table_free(table);
}

int main(void)
{
    static const int delete_files[] = {1, 2, 5, 10};
    const char *paths[PATHS_MAX] = {NULL};
    const char *folder = bench_folder_new();
    frz_catalog *catalog = bench_catalog_open(folder);
    bench_begin(
        "W8 scan of 2 million rows, a quarter of them deleted by V2 position deletes, one thread");
    for (size_t i = 0; i < sizeof delete_files / sizeof *delete_files; i++)
        run_one_file(catalog, delete_files[i], false);
    run_one_file(catalog, 1, true);

    frz_table *many = make(catalog, "b.many", FILES);
    const int64_t before = bench_current_snapshot(many);
    const size_t count = list_files(many, paths);
    delete_quarter(many, paths, count, ROWS / FILES, FILES);
    compare("100 delete files of 100 data files", many, before, 0);
    frz_table_free(many);
    frz_catalog_free(catalog);
    bench_folder_remove();
    return bench_end();
}
