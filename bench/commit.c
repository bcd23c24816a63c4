/*
 * W11a: the time of an append of 100 rows on the embedded catalog, on a wall clock. The floor is
 * writing four files of the sizes of a commit (data, manifest, manifest list, metadata), each made
 * durable as ours are.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "frazil/extend/io.h"
#include "io/file.h"
#include "peer.h"
#include "rows.h"

enum { ROWS = 100 };

typedef struct target {
    frz_table *table;
    frz_io *io;
    const char *folder;
    int serial;
} target;

static double run_append(void *context)
{
    const target *t = context;
    const double start = bench_wall_ns();
    bench_append(t->table, ROWS);
    return bench_wall_ns() - start;
}

static double run_files(void *context)
{
    static const size_t sizes[] = {4000, 4500, 2500, 6000};
    static uint8_t bytes[8192];
    target *t = context;
    const double start = bench_wall_ns();
    frz_error *err = NULL;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char path[512];
        (void)snprintf(path, sizeof path, "%s/floor-%d", t->folder, t->serial++);
        bench_must(frz_io_write_file(t->io, path, frz_slice_of(bytes, sizes[i]), &err), err);
    }
    return bench_wall_ns() - start;
}

int main(void)
{
    const char *folder = bench_folder_new();
    frz_catalog *catalog = bench_catalog_open(folder);
    frz_error *err = NULL;
    char source[512];
    struct ArrowArrayStream stream;
    frz_print_options options = FRZ_PRINT_OPTIONS_INIT;
    target t = {.table = bench_table_new(catalog, "b.t", bench_rows_schema), .folder = folder};
    bench_begin("W11a append of 100 rows: commit on the embedded catalog, wall clock");
    bench_must(frz_io_local_new(&t.io, &err), err);
    options.format = FRZ_ROW_FORMAT_PARQUET;
    (void)snprintf(source, sizeof source, "%s/rows.parquet", folder);
    bench_rows_stream(ROWS, &stream);
    bench_must(frz_rows_write_file(&stream, source, &options, t.io, NULL, &err), err);
    bench_peer *pyiceberg = bench_peer_start("pyiceberg_append", folder, source, (char *)NULL);
    const bench_side rivals[] = {
        {.name = "its four files", .run = run_files, .context = &t},
        bench_peer_side(pyiceberg, 0),
    };
    static const int histories[] = {0, 100, 400};
    for (size_t i = 0; i < 3; i++) {
        char name[64];
        for (int k = i ? histories[i - 1] : 0; k < histories[i]; k++)
            bench_append(t.table, ROWS);
        (void)snprintf(name, sizeof name, "append after %d snapshots", histories[i]);
        bench_compare(name, (bench_side){.name = "frazil", .run = run_append, .context = &t},
                      rivals, 2);
    }
    bench_peer_stop(pyiceberg);
    frz_io_free(t.io);
    frz_table_free(t.table);
    frz_catalog_free(catalog);
    bench_folder_remove();
    return bench_end();
}
