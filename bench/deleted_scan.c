/*
 * W7: scans of 2 million rows of which deletion vectors delete 1, 5 and 20 % in no order, against
 * the same scan of the snapshot before the deletes, and against peers on the same snapshot.
 */
#include <stdio.h>

#include "peer.h"
#include "rows.h"
#include "scan_side.h"

enum { ROWS = 2000000 };

static void run(frz_table *table, const char *where, int percent, int64_t before)
{
    char name[64];
    frz_error *err = NULL;
    const double target = percent <= 5 ? 1.1 : 0;
    bench_must(frz_table_delete(table, where, FRZ_DELETE_MODE_MERGE_ON_READ, NULL, NULL, &err),
               err);
    (void)snprintf(name, sizeof name, "%d %% deleted, 3 columns", percent);
    bench_compare_deleted(
        name, (bench_scan){.table = table, .rows = -1, .columns = {"k", "host", "value"}}, before,
        ROWS, target, true);
    (void)snprintf(name, sizeof name, "%d %% deleted, 7 columns", percent);
    bench_compare_deleted(name, (bench_scan){.table = table, .rows = -1}, before, ROWS, target,
                          true);
}

int main(void)
{
    const char *folder = bench_folder_new();
    frz_catalog *catalog = bench_catalog_open(folder);
    frz_table *table = bench_table_new(catalog, "b.t", bench_rows_schema);
    bench_begin("W7 scan of 2 million rows with deletion vectors, one thread");
    bench_append(table, ROWS);
    const int64_t before = bench_current_snapshot(table);
    run(table, "bucket < 10", 1, before);
    run(table, "bucket < 50", 5, before);
    run(table, "bucket < 200", 20, before);
    frz_table_free(table);
    frz_catalog_free(catalog);
    bench_folder_remove();
    return bench_end();
}
