/*
 * Metadata tables of a table of a million files, by the command: memory, which must not grow with
 * the table, and processor time. Of a filter on the partition one manifest is read.
 */
#include <stdio.h>

#include "file_table.h"
#include "measure.h"
#include "process.h"
#include "rows.h"

enum { LIMIT_MB = 64, FILES = 1000000 };

static void measure(const char *name, bench_process command)
{
    (void)bench_process_run(&command);
    bench_figure(name, command.resident_mb, LIMIT_MB, "MB");
    bench_figure("  its processor time", command.processor_ns / 1e9, 0, "s");
}

int main(int argument_count, char **arguments)
{
    char table[512];
    char place[400];
    const bench_file_table shape = {.files = FILES, .files_per_manifest = 20000, .columns = 10};
    const bench_file_table one = {.files = FILES, .files_per_manifest = FILES, .columns = 2};
    (void)bench_process_measure(argument_count, arguments);
    const char *folder = bench_folder_new();
    const char *frazil = bench_command();
    bench_begin("Memory of metadata tables of a million files");
    (void)snprintf(place, sizeof place, "%s/many", folder);
    (void)snprintf(table, sizeof table, "%s/v1.metadata.json", place);
    bench_figure("manifests of 20,000 files of 10 columns", bench_file_table_make(place, &shape), 0,
                 "MB");
    measure("files, every column",
            (bench_process){.arguments = {frazil, "files", table, "--output", "csv"}});
    measure("files, path and size",
            (bench_process){.arguments = {frazil, "files", table, "--output", "csv", "--select",
                                          "file_path,file_size_in_bytes"}});
    measure("files of one partition",
            (bench_process){.arguments = {frazil, "files", table, "--output", "csv", "--where",
                                          "partition.part = 500000"}});
    measure("all-entries by a bound",
            (bench_process){.arguments = {frazil, "all-entries", table, "--output", "csv",
                                          "--where", "readable_metrics.c1.lower_bound = 500000"}});
    measure("partitions",
            (bench_process){.arguments = {frazil, "partitions", table, "--output", "csv"}});
    (void)snprintf(place, sizeof place, "%s/one", folder);
    (void)snprintf(table, sizeof table, "%s/v1.metadata.json", place);
    bench_figure("one manifest of all files of 2 columns", bench_file_table_make(place, &one), 0,
                 "MB");
    measure("files, every column",
            (bench_process){.arguments = {frazil, "files", table, "--output", "csv"}});
    bench_folder_remove();
    return bench_end();
}
