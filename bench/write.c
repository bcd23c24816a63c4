/*
 * W10: writing 2 million rows that are in memory: as a Parquet file (zstd 1, statistics and page
 * index), and as an append to a table. The floor is compressing the pages of that file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/file.h"
#include "pages.h"
#include "peer.h"
#include "rows.h"
#include "scan_side.h"

enum { ROWS = 2000000 };

typedef struct target {
    bench_batches *rows;
    char path[512];
    frz_io *io;
    frz_table *table;
} target;

static void write_file(void *context)
{
    target *t = context;
    struct ArrowArrayStream stream;
    frz_error *err = NULL;
    frz_print_options options = FRZ_PRINT_OPTIONS_INIT;
    options.format = FRZ_ROW_FORMAT_PARQUET;
    (void)unlink(t->path);
    bench_batches_stream(t->rows, &stream);
    bench_must(frz_rows_write_file(&stream, t->path, &options, t->io, NULL, &err), err);
}

static void append(void *context)
{
    target *t = context;
    struct ArrowArrayStream stream;
    frz_error *err = NULL;
    bench_batches_stream(t->rows, &stream);
    bench_must(frz_table_append(t->table, &stream, NULL, NULL, &err), err);
}

static double run_write_file(void *context)
{
    return bench_time(write_file, context);
}

static double run_append(void *context)
{
    const double start = bench_wall_ns();
    append(context);
    return bench_wall_ns() - start;
}

static void compare_files(target *t, const char *folder)
{
    char output[512];
    bench_pages pages = {0};
    const char *const all[] = {NULL};
    (void)snprintf(output, sizeof output, "%s/peer.parquet", folder);
    write_file(t);
    bench_pages_load(&pages, t->path, all);
    bench_peer *pyarrow = bench_peer_start("pyarrow_write", t->path, output, (char *)NULL);
    bench_peer *duckdb = bench_peer_start("duckdb_write", t->path, output, (char *)NULL);
    const bench_side rivals[] = {
        {.name = "compress only", .run = bench_pages_compress, .context = &pages},
        bench_peer_side(pyarrow, 0),
        bench_peer_side(duckdb, 0),
    };
    bench_compare("2M rows as a file",
                  (bench_side){.name = "frazil", .run = run_write_file, .context = t}, rivals, 3);
    bench_figure("its size", (double)pages.file.size / 1e6, 0, "MB");
    bench_peer_stop(pyarrow);
    bench_peer_stop(duckdb);
    bench_pages_clear(&pages);
}

int main(void)
{
    const char *folder = bench_folder_new();
    frz_catalog *catalog = bench_catalog_open(folder);
    struct ArrowArrayStream stream;
    frz_error *err = NULL;
    target t = {.table = bench_table_new(catalog, "b.t", bench_rows_schema)};
    bench_begin("W10 write of 2 million rows in memory, zstd 1");
    (void)snprintf(t.path, sizeof t.path, "%s/ours.parquet", folder);
    bench_must(frz_io_local_new(&t.io, &err), err);
    bench_rows_stream(ROWS, &stream);
    t.rows = bench_batches_keep(&stream);
    compare_files(&t, folder);
    bench_peer *pyiceberg = bench_peer_start("pyiceberg_append", folder, t.path, (char *)NULL);
    const bench_side rivals[] = {bench_peer_side(pyiceberg, 0)};
    bench_compare("2M rows appended to a table (wall)",
                  (bench_side){.name = "frazil", .run = run_append, .context = &t}, rivals, 1);
    bench_peer_stop(pyiceberg);
    bench_batches_free(t.rows);
    frz_io_free(t.io);
    frz_table_free(t.table);
    frz_catalog_free(catalog);
    bench_folder_remove();
    return bench_end();
}
