/*
 * Row changes: an update of 1 % of 10 million rows, spread evenly, against PyIceberg, which
 * reads, changes and overwrites the same rows and so writes all rows again; the memory of an
 * upsert of 1 million rows; and the same as a stream (equality deletes), whose rows and keys are
 * written and nothing is read, against an append of the rows.
 *
 * Every run takes ten buckets that no run before it took, so that all of them meet the same work.
 */
#include <stdio.h>
#include <stdlib.h>

#include "peer.h"
#include "process.h"
#include "rows.h"

enum { ROWS = 10000000, STREAMED = 1000000, BUCKETS_A_RUN = 10 };

typedef struct updater {
    frz_table *table;
    frz_delete_mode mode;
    int bucket; /* the first of the next run */
} updater;

static void update(void *context)
{
    updater *u = context;
    frz_error *err = NULL;
    char where[64];
    (void)snprintf(where, sizeof where, "bucket >= %d AND bucket < %d", u->bucket,
                   u->bucket + BUCKETS_A_RUN);
    u->bucket += BUCKETS_A_RUN;
    bench_must(frz_table_update(u->table, "value = value + 1", where, u->mode, NULL, NULL, &err),
               err);
}

static double run_update(void *context)
{
    return bench_time(update, context);
}

static frz_table *make_table(frz_catalog *catalog, const char *name)
{
    frz_table *table = bench_table_new(catalog, name, bench_rows_schema);
    bench_append(table, ROWS);
    return table;
}

static void compare_updates(frz_catalog *catalog, const char *folder)
{
    char source[512];
    frz_error *err = NULL;
    struct ArrowArrayStream rows;
    frz_print_options options = FRZ_PRINT_OPTIONS_INIT;
    updater vectors = {make_table(catalog, "b.vectors"), FRZ_DELETE_MODE_MERGE_ON_READ, 0};
    updater copies = {make_table(catalog, "b.copies"), FRZ_DELETE_MODE_COPY_ON_WRITE, 0};
    options.format = FRZ_ROW_FORMAT_PARQUET;
    (void)snprintf(source, sizeof source, "%s/rows.parquet", folder);
    bench_rows_stream(ROWS, &rows);
    bench_must(frz_rows_write_file(&rows, source, &options, NULL, NULL, &err), err);
    bench_peer *pyiceberg = bench_peer_start("pyiceberg_update", folder, source, (char *)NULL);
    const bench_side rivals[] = {
        {.name = "frazil copy-on-write", .run = run_update, .context = &copies},
        bench_peer_side(pyiceberg, 1.0 / 3),
    };
    bench_compare("update of 1 % of 10 M rows",
                  (bench_side){.name = "frazil", .run = run_update, .context = &vectors}, rivals,
                  2);
    bench_peer_stop(pyiceberg);
    frz_table_free(vectors.table);
    frz_table_free(copies.table);
}

/* The rows of a tenth of the buckets as they are, in a file; the table's own then change. */
static void make_source(frz_table *table, const char *path)
{
    frz_error *err = NULL;
    frz_scan_options scan = FRZ_SCAN_OPTIONS_INIT;
    frz_print_options options = FRZ_PRINT_OPTIONS_INIT;
    frz_scan *scanned = NULL;
    struct ArrowArrayStream rows;
    scan.where = "bucket < 100";
    options.format = FRZ_ROW_FORMAT_PARQUET;
    bench_must(frz_scan_new(table, &scan, &scanned, &err), err);
    bench_must(frz_scan_stream(scanned, &rows, &err), err);
    frz_scan_free(scanned);
    bench_must(frz_rows_write_file(&rows, path, &options, NULL, NULL, &err), err);
    bench_must(frz_table_update(table, "value = value + 1", scan.where, FRZ_DELETE_MODE_DEFAULT,
                                NULL, NULL, &err),
               err);
}

static void measure_upsert(frz_catalog *catalog, const char *folder)
{
    char source[512];
    frz_table *table = make_table(catalog, "b.upserted");
    (void)snprintf(source, sizeof source, "%s/changed.parquet", folder);
    make_source(table, source);
    (void)setenv("FRAZIL_WAREHOUSE", folder, 1);
    bench_process upsert = {
        .arguments = {bench_command(), "upsert", "b.upserted", source, "--on", "k"}};
    bench_process stream = {.arguments = {bench_command(), "upsert", "b.upserted", source, "--on",
                                          "k", "--equality-deletes"}};
    double time = bench_process_run(&upsert);
    bench_figure("upsert of 1 M rows into 10 M", upsert.resident_mb, 1000, "MB");
    bench_figure("  its time", time / 1e9, 0, "s");
    time = bench_process_run(&stream);
    bench_figure("the same by equality deletes", stream.resident_mb, 1000, "MB");
    bench_figure("  its time", time / 1e9, 0, "s");
    frz_table_free(table);
}

typedef struct streamer {
    frz_table *table;
    bench_batches *rows;
    bool keys_too; /* upserts, else appends */
} streamer;

static void stream_rows(void *context)
{
    static const char *const keys[] = {"k"};
    const streamer *s = context;
    struct ArrowArrayStream rows;
    frz_error *err = NULL;
    frz_delta *delta = NULL;
    frz_delta_options how = FRZ_DELTA_OPTIONS_INIT;
    how.keys = keys;
    how.key_count = 1;
    bench_batches_stream(s->rows, &rows);
    if (!s->keys_too) {
        bench_must(frz_table_append(s->table, &rows, NULL, NULL, &err), err);
        return;
    }
    bench_must(frz_delta_open(s->table, &how, NULL, &delta, &err), err);
    bench_must(frz_delta_upsert(delta, &rows, &err), err);
    bench_must(frz_delta_commit(delta, NULL, &err), err);
    frz_delta_free(delta);
}

static double run_stream(void *context)
{
    return bench_time(stream_rows, context);
}

static void compare_streams(frz_catalog *catalog)
{
    struct ArrowArrayStream rows;
    bench_rows_stream(STREAMED, &rows);
    bench_batches *kept = bench_batches_keep(&rows);
    streamer upserts = {bench_table_new(catalog, "b.streamed", bench_rows_schema), kept, true};
    streamer appends = {bench_table_new(catalog, "b.appended", bench_rows_schema), kept, false};
    const bench_side rivals[] = {
        {.name = "append of the rows", .run = run_stream, .context = &appends}};
    bench_compare("1 M upserts as a stream",
                  (bench_side){.name = "frazil", .run = run_stream, .context = &upserts}, rivals,
                  1);
    frz_table_free(upserts.table);
    frz_table_free(appends.table);
    bench_batches_free(kept);
}

int main(int argument_count, char **arguments)
{
    (void)bench_process_measure(argument_count, arguments);
    const char *folder = bench_folder_new();
    frz_catalog *catalog = bench_catalog_open(folder);
    bench_begin("Row changes in a table of 10 million rows, one thread");
    measure_upsert(catalog, folder);
    compare_streams(catalog);
    compare_updates(catalog, folder);
    frz_catalog_free(catalog);
    bench_folder_remove();
    return bench_end();
}
