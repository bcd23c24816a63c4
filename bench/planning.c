/*
 * W3: planning with deletes. A table of 200,000 data files with 40 columns (100 manifests, 30
 * partitions) without deletes, and with four kinds of them, whose reading, index and look-up are
 * measured against the same plan without. Only metadata exists: planning opens no data file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "peer.h"
#include "process.h"
#include "rows.h"
#include "write/transaction.h"

enum {
    COLUMNS = 40,
    DAYS = 30,
    PER_COMMIT = 20000,
    METRICS = 64,
    FILES = 200000,
    PEER_FILES = 20000
};

typedef enum delete_kind { VECTORS, FILE_SCOPED, PARTITION_SCOPED, EQUALITY } delete_kind;

/* Files to be committed, all of whose memory is in the arena. */
typedef struct batch {
    frz_arena arena;
    frz_data_file *files;
    size_t count;
    bool deletes;
} batch;

static void *must_have(void *memory)
{
    if (!memory)
        exit(1);
    return memory;
}

static frz_slice path_of(frz_arena *arena, int64_t day, int64_t number, const char *kind)
{
    char text[200];
    (void)snprintf(text, sizeof text,
                   "s3://warehouse/db/events/data/day=%02lld/00000-%lld-c6b2a7e0-4f0e-4a41-%s",
                   (long long)day, (long long)number, kind);
    return frz_slice_of(must_have(frz_arena_text(arena, text)), strlen(text));
}

static frz_slice data_path(frz_arena *arena, int64_t number)
{
    return path_of(arena, number % DAYS, number, "00001.parquet");
}

/* Bounds that differ between files, as those of a table that grows do. */
static const frz_column_metrics *metrics_of(frz_arena *arena, int64_t seed)
{
    frz_column_metrics *columns = must_have(frz_arena_array(arena, COLUMNS, sizeof *columns));
    for (int32_t i = 0; i < COLUMNS; i++) {
        int64_t *bounds = must_have(frz_arena_array(arena, 2, sizeof *bounds));
        bounds[0] = seed * 100000 + i;
        bounds[1] = bounds[0] + 99999;
        columns[i] = (frz_column_metrics){.field_id = i + 1,
                                          .column_size = 4000 + seed,
                                          .value_count = 100000,
                                          .null_count = 0,
                                          .nan_count = -1,
                                          .has_lower = true,
                                          .has_upper = true,
                                          .lower = frz_slice_of(&bounds[0], 8),
                                          .upper = frz_slice_of(&bounds[1], 8)};
    }
    return columns;
}

static frz_data_file file_of(frz_arena *arena, frz_slice path, int64_t day)
{
    frz_value *partition = must_have(frz_arena_alloc(arena, sizeof *partition));
    *partition = (frz_value){.form = FRZ_VALUE_INTEGER, .integer = day};
    return (frz_data_file){.format = FRZ_FORMAT_PARQUET,
                           .format_text = frz_slice_of("PARQUET", 7),
                           .path = path,
                           .partition = partition,
                           .partition_count = 1,
                           .record_count = 100000,
                           .file_size = 12345678,
                           .sort_order_id = -1,
                           .first_row_id = -1,
                           .content_offset = -1,
                           .content_size = -1};
}

static frz_status give_batch(void *self, frz_transaction *transaction, const frz_snapshot *parent,
                             frz_change *out, frz_error **err)
{
    const batch *b = self;
    (void)transaction;
    (void)parent;
    (void)err;
    *out = (frz_change){.operation = b->deletes ? "delete" : "append"};
    if (b->deletes) {
        out->added_deletes = b->files;
        out->added_delete_count = b->count;
    } else {
        out->added_data = b->files;
        out->added_data_count = b->count;
    }
    return FRZ_OK;
}

static void commit(frz_table *table, batch *b)
{
    frz_transaction transaction;
    frz_error *err = NULL;
    frz_write_options options = FRZ_WRITE_OPTIONS_INIT;
    bench_must(frz_transaction_open(table, &options, &transaction, &err), err);
    const frz_status status = frz_transaction_commit(&transaction, give_batch, b, NULL, &err);
    frz_transaction_close(&transaction, status);
    bench_must(status, err);
    frz_arena_clear(&b->arena);
}

static void batch_start(batch *b, size_t capacity, bool deletes)
{
    *b = (batch){.deletes = deletes};
    b->files = must_have(frz_arena_array(&b->arena, capacity, sizeof *b->files));
}

static void add_data(frz_table *table, int64_t count)
{
    for (int64_t start = 0; start < count; start += PER_COMMIT) {
        const frz_column_metrics *metrics[METRICS];
        batch b;
        batch_start(&b, PER_COMMIT, false);
        for (size_t i = 0; i < METRICS; i++)
            metrics[i] = metrics_of(&b.arena, start / PER_COMMIT * METRICS + (int64_t)i);
        for (int64_t i = start; i < start + PER_COMMIT; i++) {
            frz_data_file *file = &b.files[b.count++];
            *file = file_of(&b.arena, data_path(&b.arena, i), i % DAYS);
            file->columns = metrics[i * METRICS / PER_COMMIT % METRICS];
            file->column_count = COLUMNS;
            file->metric_maps = 0x37; /* all but nan_value_counts */
        }
        commit(table, &b);
    }
}

static frz_data_file delete_of(frz_arena *arena, delete_kind kind, int64_t number)
{
    static const int32_t key[] = {1};
    const int64_t day = number % DAYS;
    const bool vector = kind == VECTORS;
    const frz_slice path =
        path_of(arena, vector ? 0 : day, vector ? number / 100 : number, "deletes");
    frz_data_file file = file_of(arena, path, day);
    file.content = kind == EQUALITY ? FRZ_CONTENT_EQUALITY_DELETES : FRZ_CONTENT_POSITION_DELETES;
    file.record_count = 100;
    if (vector) {
        file.format = FRZ_FORMAT_PUFFIN;
        file.format_text = frz_slice_of("PUFFIN", 6);
        file.content_offset = 4 + number % 100 * 200;
        file.content_size = 200;
    }
    if (vector || kind == FILE_SCOPED)
        file.referenced_data_file = data_path(arena, number);
    if (kind == EQUALITY) {
        file.equality_ids = key;
        file.equality_id_count = 1;
    }
    return file;
}

static void add_deletes(frz_table *table, delete_kind kind, int64_t count)
{
    for (int64_t start = 0; start < count; start += PER_COMMIT) {
        const int64_t end = start + PER_COMMIT < count ? start + PER_COMMIT : count;
        batch b;
        batch_start(&b, PER_COMMIT, true);
        for (int64_t i = start; i < end; i++)
            b.files[b.count++] = delete_of(&b.arena, kind, i);
        commit(table, &b);
    }
}

static frz_table *make_table(frz_catalog *catalog, const char *name, int version, int64_t files)
{
    static const frz_option properties[] = {{"commit.manifest.target-size-bytes", "1000000"},
                                            {"commit.manifest-merge.enabled", "false"}};
    frz_buffer schema = {0};
    frz_table *table = NULL;
    frz_error *err = NULL;
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    for (int i = 0; i < COLUMNS; i++)
        frz_buffer_printf(&schema, "%sc%d long", i ? ", " : "", i);
    frz_buffer_append_text(&schema, ", day int");
    frz_buffer_append_byte(&schema, 0);
    options.schema = (const char *)schema.data;
    options.partition = "day";
    options.format_version = version;
    options.properties = properties;
    options.property_count = 2;
    bench_must(frz_catalog_create_table(catalog, name, &options, &table, &err), err);
    frz_buffer_clear(&schema);
    add_data(table, files);
    return table;
}

typedef struct planning {
    frz_table *table;
    const char *where;
    int64_t snapshot_id; /* 0 = current */
    size_t files;        /* at least so many are found */
} planning;

static double run_plan(void *context)
{
    const planning *what = context;
    frz_scan *scan = NULL;
    frz_plan *plan = NULL;
    frz_error *err = NULL;
    frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
    const double start = bench_processor_ns();
    options.where = what->where;
    options.at.has_snapshot_id = what->snapshot_id != 0;
    options.at.snapshot_id = what->snapshot_id;
    bench_must(frz_scan_new(what->table, &options, &scan, &err), err);
    bench_must(frz_scan_plan(scan, &plan, &err), err);
    if (frz_plan_file_count(plan) < what->files)
        exit(1);
    frz_plan_free(plan);
    frz_scan_free(scan);
    return bench_processor_ns() - start;
}

/* The time of the plan and of the one without deletes, both the least of three. */
static void report_index(planning with, planning without)
{
    double least[2] = {1e18, 1e18};
    for (int i = 0; i < 3; i++) {
        const double times[2] = {run_plan(&with), run_plan(&without)};
        for (int k = 0; k < 2; k++)
            least[k] = times[k] < least[k] ? times[k] : least[k];
    }
    bench_figure("  deletes, per data file", (least[0] - least[1]) / FILES, 0, "ns");
}

static const char *self; /* this program */

static void compare(frz_catalog *catalog, const char *name, delete_kind kind, int64_t deletes)
{
    static const char *const tables[] = {"b.vectors", "b.file", "b.partition", "b.equality"};
    frz_table *table = make_table(catalog, tables[kind], kind == VECTORS ? 3 : 2, FILES);
    planning without = {.table = table, .files = FILES};
    if (!frz_table_current_snapshot(table, &without.snapshot_id))
        exit(1);
    add_deletes(table, kind, deletes);
    planning with = {.table = table, .files = FILES};
    const bench_side rivals[] = {{.name = "without deletes", .run = run_plan, .context = &without}};
    bench_compare(name, (bench_side){.name = "frazil", .run = run_plan, .context = &with}, rivals,
                  1);
    report_index(with, without);
    if (kind == VECTORS) {
        bench_process command = {.arguments = {self, "--plan", frz_table_metadata_location(table)}};
        (void)bench_process_run(&command);
        bench_figure("  resident, the plan alone", command.resident_mb, 512, "MB");
    }
    frz_table_free(table);
}

/* A tenth of the size, for a peer that takes long. */
static void compare_with_peer(frz_catalog *catalog)
{
    frz_table *table = make_table(catalog, "b.small", 2, PEER_FILES);
    add_deletes(table, FILE_SCOPED, PEER_FILES);
    planning all = {.table = table, .files = PEER_FILES};
    bench_peer *pyiceberg =
        bench_peer_start("pyiceberg_plan", frz_table_metadata_location(table), (char *)NULL);
    const bench_side rivals[] = {bench_peer_side(pyiceberg, 0)};
    bench_compare("20,000 files, as many file-scoped deletes",
                  (bench_side){.name = "frazil", .run = run_plan, .context = &all}, rivals, 1);
    bench_peer_stop(pyiceberg);
    frz_table_free(table);
}

/* What a process that is measured does. */
static int plan_only(const char *metadata)
{
    frz_error *err = NULL;
    planning all = {.files = FILES};
    bench_must(frz_table_open(metadata, NULL, &all.table, &err), err);
    (void)run_plan(&all);
    frz_table_free(all.table);
    return 0;
}

int main(int argument_count, char **arguments)
{
    (void)bench_process_measure(argument_count, arguments);
    if (argument_count == 3 && strcmp(arguments[1], "--plan") == 0)
        return plan_only(arguments[2]);
    self = arguments[0];
    const char *folder = bench_folder_new();
    frz_catalog *catalog = bench_catalog_open(folder);
    bench_begin("W3 planning 200,000 data files of 40 columns with deletes, one thread");
    compare(catalog, "200,000 vectors in 2,000 Puffin files", VECTORS, FILES);
    compare(catalog, "200,000 file-scoped deletes", FILE_SCOPED, FILES);
    compare(catalog, "30 x 50 partition-scoped deletes", PARTITION_SCOPED, INT64_C(30) * 50);
    compare(catalog, "2,000 equality deletes", EQUALITY, 2000);
    compare_with_peer(catalog);
    frz_catalog_free(catalog);
    bench_folder_remove();
    return bench_end();
}
