/*
 * Sort on write: 10 million rows in memory with their keys in no order, appended to a table with a
 * sort order and, in the same run, to one without: what sorting adds, by a long and by a text; the
 * memory of the command that does it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arrow/builder.h"
#include "arrow/schema.h"
#include "arrow/stream.h"
#include "peer.h"
#include "process.h"
#include "rows.h"

enum { ROWS = 10000000 };

typedef struct target {
    bench_batches *rows;
    frz_table *table;
} target;

static void append(void *context)
{
    const target *t = context;
    struct ArrowArrayStream stream;
    frz_error *err = NULL;
    bench_batches_stream(t->rows, &stream);
    bench_must(frz_table_append(t->table, &stream, NULL, NULL, &err), err);
}

/* The table is empty again for the next run. */
static double run_append(void *context)
{
    const target *t = context;
    frz_error *err = NULL;
    const double time = bench_time(append, context);
    bench_must(frz_table_truncate(t->table, NULL, NULL, &err), err);
    return time;
}

static frz_table *make_table(frz_catalog *catalog, const char *name, const char *schema,
                             const char *sort)
{
    frz_table *table = NULL;
    frz_error *err = NULL;
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    options.schema = schema;
    options.sort = sort;
    bench_must(frz_catalog_create_table(catalog, name, &options, &table, &err), err);
    return table;
}

static void compare(frz_catalog *catalog, const char *name, const char *sort, double target_ratio)
{
    char sorted_name[64];
    char plain_name[64];
    struct ArrowArrayStream stream;
    bench_scattered_stream(ROWS, &stream);
    (void)snprintf(sorted_name, sizeof sorted_name, "b.sorted_%s", name);
    (void)snprintf(plain_name, sizeof plain_name, "b.plain_%s", name);
    target sorted = {bench_batches_keep(&stream),
                     make_table(catalog, sorted_name, bench_scattered_schema, sort)};
    target plain = {sorted.rows, make_table(catalog, plain_name, bench_scattered_schema, NULL)};
    const bench_side rivals[] = {{.name = "without sort order",
                                  .run = run_append,
                                  .context = &plain,
                                  .target = target_ratio}};
    char row[64];
    (void)snprintf(row, sizeof row, "10 M rows by %s", sort);
    bench_compare(row, (bench_side){.name = "frazil", .run = run_append, .context = &sorted},
                  rivals, 1);
    frz_table_free(sorted.table);
    frz_table_free(plain.table);
    bench_batches_free(sorted.rows);
}

/* The command, which reads the rows of a file of the same order. */
static void measure_command(const char *folder, const char *what, const char *sort)
{
    char file[512];
    char table[64];
    frz_error *err = NULL;
    frz_print_options options = FRZ_PRINT_OPTIONS_INIT;
    struct ArrowArrayStream stream;
    options.format = FRZ_ROW_FORMAT_PARQUET;
    (void)snprintf(file, sizeof file, "%s/rows.parquet", folder);
    (void)snprintf(table, sizeof table, "b.command_%s", sort ? sort : "plain");
    (void)unlink(file);
    bench_scattered_stream(ROWS, &stream);
    bench_must(frz_rows_write_file(&stream, file, &options, NULL, NULL, &err), err);
    frz_catalog *catalog = bench_catalog_open(folder);
    frz_table_free(make_table(catalog, table, bench_scattered_schema, sort));
    frz_catalog_free(catalog);
    (void)setenv("FRAZIL_WAREHOUSE", folder, 1);
    bench_process process = {.arguments = {bench_command(), "append", table, file}};
    (void)bench_process_run(&process);
    bench_figure(what, process.resident_mb, sort ? 256 : 0, "MB");
}

int main(int argument_count, char **arguments)
{
    (void)bench_process_measure(argument_count, arguments);
    const char *folder = bench_folder_new();
    frz_catalog *catalog = bench_catalog_open(folder);
    bench_begin("Sort on write: 10 million rows of five columns, in memory, 128 MiB to sort in");
    measure_command(folder, "append without sort order, resident", NULL);
    measure_command(folder, "append sorted by k, resident", "k");
    measure_command(folder, "append sorted by s, resident", "s");
    compare(catalog, "k", "k", 2);
    compare(catalog, "s", "s", 0);
    frz_catalog_free(catalog);
    bench_folder_remove();
    return bench_end();
}
