/*
 * W11b: 8 writer processes on one table of the embedded catalog, 50 appends each: every row arrives
 * once, and none of them fails. W11c: the processor time of a commit at 10,000 snapshots, beside
 * writing files of the sizes that it writes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "catalog/catalog.h"
#include "catalog/table.h"
#include "frazil/extend/io.h"
#include "frazil/schema.h"
#include "io/file.h"
#include "peer.h"
#include "rows.h"
#include "spec/update.h"

enum { WRITERS = 8, APPENDS = 50, ROWS = 100, SNAPSHOTS = 10000, FILES = 4 };

/* A writer's whole life; its exit status is how many appends failed. */
static int append_all(const char *folder)
{
    frz_catalog *catalog = bench_catalog_open(folder);
    frz_table *table = NULL;
    frz_error *err = NULL;
    int failed = 0;
    bench_must(frz_catalog_load_table(catalog, "b.crowd", &table, &err), err);
    for (int i = 0; i < APPENDS; i++) {
        struct ArrowArrayStream rows;
        frz_error *why = NULL;
        bench_rows_stream(ROWS, &rows);
        if (frz_table_append(table, &rows, NULL, NULL, &why) != FRZ_OK) {
            (void)fprintf(stderr, "an append failed: %s\n", frz_error_message(why));
            failed++;
        }
        frz_error_free(why);
    }
    frz_table_free(table);
    frz_catalog_free(catalog);
    return failed;
}

static double run_crowd(const char *folder, int *failed_out)
{
    pid_t writers[WRITERS];
    const double start = bench_wall_ns();
    (void)fflush(stdout);
    for (int i = 0; i < WRITERS; i++) {
        writers[i] = fork();
        if (writers[i] == 0)
            _exit(append_all(folder));
    }
    for (int i = 0; i < WRITERS; i++) {
        int status = 0;
        (void)waitpid(writers[i], &status, 0);
        *failed_out += WIFEXITED(status) ? WEXITSTATUS(status) : APPENDS;
    }
    return bench_wall_ns() - start;
}

static int64_t count_rows(frz_catalog *catalog, const char *name)
{
    frz_table *table = NULL;
    frz_scan *scan = NULL;
    frz_error *err = NULL;
    int64_t rows = 0;
    bench_must(frz_catalog_load_table(catalog, name, &table, &err), err);
    bench_must(frz_scan_new(table, NULL, &scan, &err), err);
    bench_must(frz_scan_count(scan, &rows, &err), err);
    frz_scan_free(scan);
    frz_table_free(table);
    return rows;
}

static void measure_crowd(const char *folder)
{
    frz_catalog *catalog = bench_catalog_open(folder);
    int failed = 0;
    frz_table_free(bench_table_new(catalog, "b.crowd", bench_rows_schema));
    const double ns = run_crowd(folder, &failed);
    const int64_t lost = (int64_t)WRITERS * APPENDS * ROWS - count_rows(catalog, "b.crowd");
    bench_figure("W11b 8 writers x 50 appends: commits that fail, at most 0", failed, 0.5, "");
    bench_figure("W11b rows that are lost or there twice, at most 0", (double)llabs(lost), 0.5, "");
    bench_figure("W11b wall clock of one commit", ns / 1e6 / (WRITERS * APPENDS), 0, "ms");
    frz_catalog_free(catalog);
}

/* The snapshot of a first append again and again, with ids and numbers of its own. */
static void add_snapshots(frz_catalog *catalog, frz_table *table)
{
    frz_error *err = NULL;
    frz_metadata_builder *builder = NULL;
    frz_metadata *next = NULL;
    char *location = NULL;
    const frz_metadata *base = table->metadata;
    frz_snapshot snapshot = *frz_metadata_current_snapshot(base);
    frz_snapshot_ref ref = *frz_metadata_find_ref(base, "main");
    bench_must(frz_metadata_builder_new(base, base->format_version, &builder, &err), err);
    for (int i = 0; i < SNAPSHOTS; i++) {
        snapshot.parent_id = snapshot.snapshot_id;
        snapshot.snapshot_id = INT64_C(1000000000000000000) + i;
        snapshot.sequence_number++;
        snapshot.timestamp_ms++;
        snapshot.first_row_id = base->next_row_id;
        snapshot.added_rows = 0;
        bench_must(frz_update_add_snapshot(builder, &snapshot, &err), err);
    }
    ref.snapshot_id = snapshot.snapshot_id;
    bench_must(frz_update_set_ref(builder, &ref, &err), err);
    bench_must(frz_metadata_builder_finish(builder, table->metadata_location, snapshot.timestamp_ms,
                                           &next, NULL, NULL, &err),
               err);
    bench_must(
        frz_catalog_commit(catalog, "b.long", table->metadata_location, next, &location, &err),
        err);
    frz_free(location);
    frz_metadata_unref(next);
    frz_metadata_builder_free(builder);
    bench_must(frz_table_refresh(table, &err), err);
}

typedef struct target {
    frz_catalog *catalog;
    frz_table *table;
    frz_io *io;
    const char *folder;
    uint64_t metadata_size;
    int serial;
} target;

static double run_append(void *context)
{
    const target *t = context;
    const double start = bench_processor_ns();
    bench_append(t->table, ROWS);
    return bench_processor_ns() - start;
}

/* As a process that has just started: the table is loaded first. */
static double run_cold_append(void *context)
{
    const target *t = context;
    frz_table *table = NULL;
    frz_error *err = NULL;
    const double start = bench_processor_ns();
    bench_must(frz_catalog_load_table(t->catalog, "b.long", &table, &err), err);
    bench_append(table, ROWS);
    frz_table_free(table);
    return bench_processor_ns() - start;
}

static double run_files(void *context)
{
    target *t = context;
    const size_t sizes[FILES] = {4000, 4500, 2500, t->metadata_size};
    frz_error *err = NULL;
    uint8_t *bytes = malloc(t->metadata_size);
    if (!bytes)
        abort();
    memset(bytes, 'x', t->metadata_size);
    const double start = bench_processor_ns();
    for (size_t i = 0; i < FILES; i++) {
        char path[512];
        (void)snprintf(path, sizeof path, "%s/floor-%d", t->folder, t->serial++);
        bench_must(frz_io_write_file(t->io, path, frz_slice_of(bytes, sizes[i]), &err), err);
    }
    const double ns = bench_processor_ns() - start;
    for (int i = 1; i <= FILES; i++) {
        char path[512];
        (void)snprintf(path, sizeof path, "%s/floor-%d", t->folder, t->serial - i);
        bench_must(frz_io_remove(t->io, path, &err), err);
    }
    free(bytes);
    return ns;
}

static void measure_long_history(const char *folder)
{
    frz_error *err = NULL;
    target t = {.catalog = bench_catalog_open(folder), .folder = folder};
    bench_must(frz_io_local_new(&t.io, &err), err);
    t.table = bench_table_new(t.catalog, "b.long", bench_rows_schema);
    bench_append(t.table, ROWS);
    add_snapshots(t.catalog, t.table);
    bench_must(frz_io_stat(t.io, t.table->metadata_location, &t.metadata_size, &err), err);
    const bench_side rivals[] = {
        {.name = "its four files", .run = run_files, .context = &t, .target = 1.5}};
    const bench_side cold[] = {{.name = "its four files", .run = run_files, .context = &t}};
    bench_compare("W11c append after 10,000 snapshots",
                  (bench_side){.name = "frazil", .run = run_append, .context = &t}, rivals, 1);
    bench_compare("the same, the table loaded first",
                  (bench_side){.name = "frazil", .run = run_cold_append, .context = &t}, cold, 1);
    frz_io_free(t.io);
    frz_table_free(t.table);
    frz_catalog_free(t.catalog);
}

int main(void)
{
    const char *folder = bench_folder_new();
    bench_begin("W11b, W11c: many writers, many snapshots");
    measure_crowd(folder);
    measure_long_history(folder);
    bench_folder_remove();
    return bench_end();
}
