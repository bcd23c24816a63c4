/*
 * W15: starting the command: its version, a table described, its rows counted from metadata. The
 * floor is a program that does nothing (/bin/true), the peer the start of an interpreter with
 * PyIceberg or DuckDB.
 */
#include <stdio.h>
#include <stdlib.h>

#include "peer.h"
#include "process.h"
#include "rows.h"

enum { SNAPSHOTS = 200 };

/* `limit_ms` of processor time and `limit_mb` of memory; 0 = none. */
static void measure(const char *name, bench_process ours, const char *package, double limit_ms,
                    double limit_mb)
{
    char import[64];
    bench_process nothing = {.arguments = {"/bin/true"}};
    const char *python = bench_peer_interpreter();
    double wall = 0;
    double processor = 0;
    (void)snprintf(import, sizeof import, "import %s", package);
    bench_process peer = {.arguments = {python, "-c", import}};
    const bench_side rivals[] = {
        {.name = "/bin/true", .run = bench_process_run, .context = &nothing},
        {.name = import, .run = python ? bench_process_run : NULL, .context = &peer},
    };
    bench_compare(name, (bench_side){.name = "frazil", .run = bench_process_run, .context = &ours},
                  rivals, 2);
    for (int i = 0; i < 25; i++) {
        const double time = bench_process_run(&ours);
        wall = i == 0 || time < wall ? time : wall;
        processor = i == 0 || ours.processor_ns < processor ? ours.processor_ns : processor;
    }
    bench_figure("  at best of 25", wall / 1e6, 0, "ms");
    bench_figure("  processor time", processor / 1e6, limit_ms, "ms");
    bench_figure("  resident", ours.resident_mb, limit_mb, "MB");
}

int main(int argument_count, char **arguments)
{
    (void)bench_process_measure(argument_count, arguments);
    const char *folder = bench_folder_new();
    frz_catalog *catalog = bench_catalog_open(folder);
    frz_table *table = bench_table_new(catalog, "b.t", bench_rows_schema);
    bench_begin("W15 start of the command, wall clock");
    for (int i = 0; i < SNAPSHOTS; i++)
        bench_append(table, 10);
    (void)setenv("FRAZIL_WAREHOUSE", folder, 1);
    measure("--version", (bench_process){.arguments = {bench_command(), "--version"}}, "duckdb", 5,
            6);
    measure("describe, 200 snapshots",
            (bench_process){.arguments = {bench_command(), "describe", "b.t"}}, "pyiceberg.catalog",
            0, 0);
    measure("count from metadata", (bench_process){.arguments = {bench_command(), "count", "b.t"}},
            "pyiceberg.catalog", 0, 0);
    frz_table_free(table);
    frz_catalog_free(catalog);
    bench_folder_remove();
    return bench_end();
}
