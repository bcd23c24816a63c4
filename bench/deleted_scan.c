/*
 * W7: scans of 2 million rows of which deletion vectors delete 1, 5 and 20 % in no order, against
 * the same scan of the snapshot before the deletes, and against peers on the same snapshot.
 */
#include <stdio.h>

#include "peer.h"
#include "rows.h"
#include "scan_side.h"

enum { ROWS = 2000000 };

static int64_t current_snapshot(const frz_table *table)
{
    int64_t id = 0;
    return frz_table_current_snapshot(table, &id) ? id : 0;
}

static void compare(const char *name, bench_scan scan, int64_t before, double target)
{
    char columns[128];
    char snapshot[32];
    bench_scan plain = scan;
    plain.snapshot_id = before;
    plain.rows = ROWS;
    scan.snapshot_id = current_snapshot(scan.table);
    (void)snprintf(snapshot, sizeof snapshot, "%lld", (long long)scan.snapshot_id);
    bench_scan_columns(&scan, columns, sizeof columns);
    const char *metadata = frz_table_metadata_location(scan.table);
    bench_peer *pyiceberg =
        bench_peer_start("pyiceberg_scan", metadata, snapshot, columns, (char *)NULL);
    bench_peer *duckdb =
        bench_peer_start("duckdb_iceberg", metadata, snapshot, columns, (char *)NULL);
    const bench_side rivals[] = {
        {.name = "itself, nothing deleted",
         .run = bench_scan_run,
         .context = &plain,
         .target = target},
        bench_peer_side(pyiceberg, 0),
        bench_peer_side(duckdb, 0),
    };
    bench_compare(name, (bench_side){.name = "frazil", .run = bench_scan_run, .context = &scan},
                  rivals, 3);
    bench_peer_stop(pyiceberg);
    bench_peer_stop(duckdb);
}

static void run(frz_table *table, const char *where, int percent, int64_t before)
{
    char name[64];
    frz_error *err = NULL;
    const double target = percent <= 5 ? 1.1 : 0;
    bench_must(frz_table_delete(table, where, FRZ_DELETE_MODE_MERGE_ON_READ, NULL, NULL, &err),
               err);
    (void)snprintf(name, sizeof name, "%d %% deleted, 3 columns", percent);
    compare(name, (bench_scan){.table = table, .rows = -1, .columns = {"k", "host", "value"}},
            before, target);
    (void)snprintf(name, sizeof name, "%d %% deleted, 7 columns", percent);
    compare(name, (bench_scan){.table = table, .rows = -1}, before, target);
}

int main(void)
{
    const char *folder = bench_folder_new();
    frz_catalog *catalog = bench_catalog_open(folder);
    frz_table *table = bench_table_new(catalog, "b.t", bench_rows_schema);
    bench_begin("W7 scan of 2 million rows with deletion vectors, one thread");
    bench_append(table, ROWS);
    const int64_t before = current_snapshot(table);
    run(table, "bucket < 10", 1, before);
    run(table, "bucket < 50", 5, before);
    run(table, "bucket < 200", 20, before);
    frz_table_free(table);
    frz_catalog_free(catalog);
    bench_folder_remove();
    return bench_end();
}
