#include "scan_side.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"
#include "rows.h"

static size_t column_count(const bench_scan *scan)
{
    size_t count = 0;
    while (scan->columns[count])
        count++;
    return count;
}

double bench_scan_run(void *context)
{
    const bench_scan *what = context;
    frz_scan *scan = NULL;
    frz_error *err = NULL;
    struct ArrowArrayStream stream = {0};
    const double start = bench_processor_ns();
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    options.where = what->where;
    options.select_count = column_count(what);
    options.select = options.select_count ? what->columns : NULL;
    options.at.has_snapshot_id = what->snapshot_id != 0;
    options.at.snapshot_id = what->snapshot_id;
    bench_must(frz_scan_new(what->table, &options, &scan, &err), err);
    bench_must(frz_scan_stream(scan, &stream, &err), err);
    frz_scan_free(scan);
    const int64_t rows = bench_drain(&stream);
    if (what->rows >= 0 && rows != what->rows) {
        (void)fprintf(stderr, "%lld rows, not %lld\n", (long long)rows, (long long)what->rows);
        exit(1);
    }
    return bench_processor_ns() - start;
}

const char *bench_scan_columns(const bench_scan *scan, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s", scan->columns[0] ? scan->columns[0] : "*");
    for (size_t i = 1; scan->columns[0] && scan->columns[i] && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, ",%s", scan->columns[i]);
    return text;
}

char *bench_scan_data_file(const frz_table *table)
{
    frz_scan *scan = NULL;
    frz_plan *plan = NULL;
    frz_error *err = NULL;
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    bench_must(frz_scan_new(table, &options, &scan, &err), err);
    bench_must(frz_scan_plan(scan, &plan, &err), err);
    if (frz_plan_file_count(plan) != 1)
        exit(1);
    const char *path = frz_plan_file_at(plan, 0)->path;
    char *copy = strdup(strncmp(path, "file://", 7) == 0 ? path + 7 : path);
    frz_plan_free(plan);
    frz_scan_free(scan);
    return copy;
}

int64_t bench_current_snapshot(const frz_table *table)
{
    int64_t id = 0;
    return frz_table_current_snapshot(table, &id) ? id : 0;
}

void bench_compare_deleted(const char *name, bench_scan scan, int64_t before, int64_t rows,
                           double target, bool with_pyiceberg)
{
    char columns[128];
    char snapshot[32];
    bench_scan plain = scan;
    plain.snapshot_id = before;
    plain.rows = rows;
    scan.snapshot_id = bench_current_snapshot(scan.table);
    (void)snprintf(snapshot, sizeof snapshot, "%lld", (long long)scan.snapshot_id);
    bench_scan_columns(&scan, columns, sizeof columns);
    const char *metadata = frz_table_metadata_location(scan.table);
    bench_peer *pyiceberg = with_pyiceberg ? bench_peer_start("pyiceberg_scan", metadata, snapshot,
                                                              columns, (char *)NULL)
                                           : NULL;
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
