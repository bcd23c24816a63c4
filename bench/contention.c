/*
 * W11b: 8 writer processes on one table of the embedded catalog, 50 appends each: every row arrives
 * once, and none of them fails. W11c: the processor time of a commit at 10,000 snapshots, beside
 * writing the same bytes to as many files.
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
#include "spec/history.h"
#include "spec/metadata.h"

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

/* The text of the metadata with the snapshot of its first append again and again, with ids and
 * numbers of its own, and an entry of the log for each: as ten thousand appends leave it. */
static void print_long_history(const frz_metadata *base, frz_buffer *out)
{
    const char *const heads[] = {"\"snapshots\":[", "\"snapshot-log\":["};
    frz_error *err = NULL;
    frz_buffer text = {0};
    frz_snapshot snapshot = *frz_metadata_current_snapshot(base);
    bench_must(frz_metadata_print(base, &text, &err), err);
    frz_buffer_append_byte(&text, 0);
    const char *at = (const char *)text.data;
    for (int part = 0; part < 2; part++) {
        const char *items = strstr(at, heads[part]) + strlen(heads[part]);
        frz_buffer_append(out, at, (size_t)(items - at));
        frz_json_writer json = frz_json_writer_to(out, 0);
        snapshot.timestamp_ms = base->last_updated_ms - SNAPSHOTS;
        for (int i = 0; i < SNAPSHOTS; i++) {
            snapshot.snapshot_id = INT64_C(1000000000000000000) + i;
            snapshot.parent_id = i ? snapshot.snapshot_id - 1 : FRZ_NO_SNAPSHOT;
            snapshot.timestamp_ms++;
            const frz_snapshot_log_entry entry = {snapshot.timestamp_ms, snapshot.snapshot_id};
            if (part == 0)
                frz_snapshot_write_json(&snapshot, base->format_version, &json);
            else
                frz_snapshot_log_write_items(&entry, 1, &json);
            frz_buffer_append_byte(out, ',');
        }
        at = items;
    }
    frz_buffer_append_text(out, at);
    frz_buffer_clear(&text);
}

static void add_snapshots(frz_catalog *catalog, frz_table *table)
{
    frz_error *err = NULL;
    frz_buffer text = {0};
    frz_metadata *next = NULL;
    char *location = NULL;
    print_long_history(table->metadata, &text);
    bench_must(frz_metadata_parse(frz_buffer_slice(&text), NULL, &next, &err), err);
    bench_must(
        frz_catalog_commit(catalog, "b.long", table->metadata_location, next, &location, &err),
        err);
    frz_free(location);
    frz_metadata_unref(next);
    frz_buffer_clear(&text);
    bench_must(frz_table_refresh(table, &err), err);
}

enum { SEEN_MAX = 1024 };

typedef struct target {
    frz_catalog *catalog;
    frz_table *table;
    frz_io *io;
    const char *folder;
    bench_batches *rows;
    char *seen[SEEN_MAX]; /* files of the table before the last append */
    int seen_count;
    frz_buffer written[FILES]; /* what the last append wrote */
    int written_count;
    int serial;
} target;

static bool is_seen(const target *t, const char *location)
{
    for (int i = 0; i < t->seen_count; i++)
        if (strcmp(t->seen[i], location) == 0)
            return true;
    return false;
}

static frz_status keep_new(void *context, const char *location, uint64_t size, int64_t time_ms,
                           frz_error **err)
{
    target *t = context;
    (void)time_ms;
    if (is_seen(t, location))
        return FRZ_OK;
    if (t->seen_count == SEEN_MAX)
        abort();
    t->seen[t->seen_count++] = frz_copy_text(location);
    if (t->written_count++ >= FILES)
        return FRZ_OK;
    frz_buffer *file = &t->written[t->written_count - 1];
    frz_buffer_reset(file);
    return frz_io_read_file(t->io, location, size, file, err);
}

/* The bytes of the files that came since the last call. */
static void keep_written(target *t)
{
    frz_error *err = NULL;
    t->written_count = 0;
    bench_must(frz_io_list(t->io, t->table->metadata->location, keep_new, t, &err), err);
}

static void append(const target *t, frz_table *table)
{
    struct ArrowArrayStream rows;
    frz_error *err = NULL;
    bench_batches_stream(t->rows, &rows);
    bench_must(frz_table_append(table, &rows, NULL, NULL, &err), err);
}

static double run_append(void *context)
{
    target *t = context;
    const double start = bench_processor_ns();
    append(t, t->table);
    const double ns = bench_processor_ns() - start;
    keep_written(t);
    return ns;
}

/* As a process that has just started: the table is loaded first. */
static double run_cold_append(void *context)
{
    target *t = context;
    frz_table *table = NULL;
    frz_error *err = NULL;
    const double start = bench_processor_ns();
    bench_must(frz_catalog_load_table(t->catalog, "b.long", &table, &err), err);
    append(t, table);
    frz_table_free(table);
    const double ns = bench_processor_ns() - start;
    keep_written(t);
    return ns;
}

/* The bytes of the files that the append wrote, by the same calls: each is made durable. */
static double run_files(void *context)
{
    target *t = context;
    frz_error *err = NULL;
    if (t->written_count != FILES) {
        (void)fprintf(stderr, "an append wrote %d files\n", t->written_count);
        exit(1);
    }
    const double start = bench_processor_ns();
    for (int i = 0; i < FILES; i++) {
        char path[512];
        (void)snprintf(path, sizeof path, "%s/floor-%d", t->folder, t->serial++);
        bench_must(frz_io_write_file(t->io, path, frz_buffer_slice(&t->written[i]), &err), err);
    }
    const double ns = bench_processor_ns() - start;
    for (int i = 1; i <= FILES; i++) {
        char path[512];
        (void)snprintf(path, sizeof path, "%s/floor-%d", t->folder, t->serial - i);
        bench_must(frz_io_remove(t->io, path, &err), err);
    }
    return ns;
}

static void keep_rows(target *t)
{
    struct ArrowArrayStream rows;
    bench_rows_stream(ROWS, &rows);
    t->rows = bench_batches_keep(&rows);
}

static void measure_long_history(const char *folder)
{
    frz_error *err = NULL;
    target t = {.catalog = bench_catalog_open(folder), .folder = folder};
    bench_must(frz_io_local_new(&t.io, &err), err);
    t.table = bench_table_new(t.catalog, "b.long", bench_rows_schema);
    bench_append(t.table, ROWS);
    add_snapshots(t.catalog, t.table);
    keep_rows(&t);
    keep_written(&t);
    const bench_side rivals[] = {
        {.name = "its four files", .run = run_files, .context = &t, .target = 1.5}};
    const bench_side cold[] = {{.name = "its four files", .run = run_files, .context = &t}};
    bench_compare("W11c append after 10,000 snapshots",
                  (bench_side){.name = "frazil", .run = run_append, .context = &t}, rivals, 1);
    bench_compare("the same, the table loaded first",
                  (bench_side){.name = "frazil", .run = run_cold_append, .context = &t}, cold, 1);
    for (int i = 0; i < t.seen_count; i++)
        frz_free(t.seen[i]);
    for (int i = 0; i < FILES; i++)
        frz_buffer_clear(&t.written[i]);
    bench_batches_free(t.rows);
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
