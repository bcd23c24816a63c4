/*
 * W6: scans of 2 million rows without deletes, as zstd Parquet: of a table that frazil wrote, and
 * of one that PyIceberg wrote with pyarrow, through the same interface. Peers read the same data
 * file. The floor is reading and decompressing the pages of the columns.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pages.h"
#include "peer.h"
#include "rows.h"
#include "scan_side.h"

enum { ROWS = 2000000 };

static void compare(const char *name, bench_scan scan, const char *path)
{
    char columns[128];
    bench_pages pages = {0};
    bench_scan_columns(&scan, columns, sizeof columns);
    bench_pages_load(&pages, path, scan.columns);
    bench_peer *batches = bench_peer_start("pyarrow_read", path, columns, (char *)NULL);
    bench_peer *whole = bench_peer_start("pyarrow_read_table", path, columns, (char *)NULL);
    bench_peer *duckdb = bench_peer_start("duckdb_read", path, columns, (char *)NULL);
    const double target = scan.columns[0] && scan.columns[1] ? 1 : 0;
    const bench_side rivals[] = {
        {.name = "decompress only", .run = bench_pages_decompress, .context = &pages},
        bench_peer_side(batches, target),
        bench_peer_side(whole, target),
        bench_peer_side(duckdb, 0),
    };
    bench_compare(name, (bench_side){.name = "frazil", .run = bench_scan_run, .context = &scan},
                  rivals, 4);
    bench_peer_stop(batches);
    bench_peer_stop(whole);
    bench_peer_stop(duckdb);
    bench_pages_clear(&pages);
}

static void compare_table(const char *writer, frz_table *table)
{
    char name[64];
    char *path = bench_scan_data_file(table);
    (void)snprintf(name, sizeof name, "%s's file, 1 column", writer);
    compare(name, (bench_scan){.table = table, .rows = ROWS, .columns = {"value"}}, path);
    (void)snprintf(name, sizeof name, "%s's file, 3 columns", writer);
    compare(name, (bench_scan){.table = table, .rows = ROWS, .columns = {"k", "host", "value"}},
            path);
    (void)snprintf(name, sizeof name, "%s's file, 7 columns", writer);
    compare(name, (bench_scan){.table = table, .rows = ROWS}, path);
    free(path);
}

/* A table that PyIceberg makes of the same rows; NULL without the peer. */
static frz_table *open_foreign(const char *folder, const char *source)
{
    frz_table *table = NULL;
    frz_error *err = NULL;
    bench_peer *writer = bench_peer_start("pyiceberg_table", folder, source, (char *)NULL);
    if (!writer)
        return NULL;
    char *location = strdup(bench_peer_answer(writer));
    location[strcspn(location, " ")] = 0;
    bench_must(frz_table_open(location, NULL, &table, &err), err);
    free(location);
    bench_peer_stop(writer);
    return table;
}

int main(void)
{
    const char *folder = bench_folder_new();
    frz_catalog *catalog = bench_catalog_open(folder);
    frz_table *table = bench_table_new(catalog, "b.t", bench_rows_schema);
    bench_begin("W6 plain scan of 2 million rows, zstd, one thread");
    bench_append(table, ROWS);
    compare_table("frazil", table);
    char *source = bench_scan_data_file(table);
    frz_table *foreign = open_foreign(folder, source);
    if (foreign)
        compare_table("PyIceberg", foreign);
    free(source);
    frz_table_free(foreign);
    frz_table_free(table);
    frz_catalog_free(catalog);
    bench_folder_remove();
    return bench_end();
}
