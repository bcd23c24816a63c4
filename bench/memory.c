/*
 * Memory of large work by the command: a table of a Parquet file of 1 GB is scanned, and that file
 * is appended to another table.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "peer.h"
#include "process.h"
#include "rows.h"

enum { MEGABYTE = 1000000 };

/* One file of that size at least: rows are added until it is. */
static double make_file(const char *path, int64_t rows)
{
    struct ArrowArrayStream stream;
    struct stat about;
    frz_error *err = NULL;
    frz_print_options options = FRZ_PRINT_OPTIONS_INIT;
    options.format = FRZ_ROW_FORMAT_PARQUET;
    bench_rows_stream(rows, &stream);
    bench_must(frz_rows_write_file(&stream, path, &options, NULL, NULL, &err), err);
    return stat(path, &about) == 0 ? (double)about.st_size / MEGABYTE : 0;
}

static void measure(const char *name, bench_process command, double limit)
{
    const double time = bench_process_run(&command);
    bench_figure(name, command.resident_mb, limit, "MB");
    bench_figure("  its time", time / 1e9, 0, "s");
}

int main(int argument_count, char **arguments)
{
    char path[512];
    (void)bench_process_measure(argument_count, arguments);
    const char *folder = bench_folder_new();
    frz_catalog *catalog = bench_catalog_open(folder);
    frz_table *table = bench_table_new(catalog, "b.t", bench_rows_schema);
    const char *frazil = bench_command();
    bench_begin("Memory of the command with a Parquet file of 1 GB");
    (void)snprintf(path, sizeof path, "%s/large.parquet", folder);
    bench_figure("the file", make_file(path, INT64_C(41000000)), 0, "MB");
    (void)setenv("FRAZIL_WAREHOUSE", folder, 1);
    measure("append of the file", (bench_process){.arguments = {frazil, "append", "b.t", path}},
            512);
    measure("scan of the table, printed as CSV",
            (bench_process){.arguments = {frazil, "scan", "b.t", "--output", "csv"}}, 256);
    measure("scan of the table, 1 % printed",
            (bench_process){
                .arguments = {frazil, "scan", "b.t", "--output", "csv", "--where", "bucket < 10"}},
            256);
    frz_table_free(table);
    frz_catalog_free(catalog);
    bench_folder_remove();
    return bench_end();
}
