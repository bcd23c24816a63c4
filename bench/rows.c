#include "rows.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arrow/array.h"
#include "arrow/builder.h"
#include "arrow/schema.h"
#include "arrow/stream.h"
#include "measure.h"

enum { BATCH_ROWS = 32768, HOSTS = 200, WORDS = 16 };

const char bench_rows_schema[] = "k long, ts timestamptz, host string, bucket int, bytes long, "
                                 "value double, message string";

const char bench_scattered_schema[] = "k long, a long, b double, c int, s string";

typedef struct generator generator;
struct generator {
    void (*append_row)(generator *g);
    frz_arrow_builder *builder;
    struct ArrowSchema schema;
    int64_t at;
    int64_t count;
    uint64_t state;
};

static uint64_t next_number(generator *g)
{
    g->state = g->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return g->state >> 33;
}

static frz_slice text_slice(const char *text)
{
    return frz_slice_of(text, strlen(text));
}

static void append_message(generator *g, frz_arrow_builder *column)
{
    static const char *const words[WORDS] = {
        "GET",   "/index", "timeout", "user", "login", "cart", "POST",  "/api/v1/orders",
        "retry", "cache",  "miss",    "hit",  "error", "slow", "query", "done"};
    char line[200];
    const uint64_t bits = next_number(g);
    (void)snprintf(line, sizeof line, "%s %s %s %s id=%06x took=%ums", words[bits % WORDS],
                   words[bits >> 4 & 15], words[bits >> 8 & 15], words[bits >> 12 & 15],
                   (unsigned)(next_number(g) & 0xffffff), (unsigned)(next_number(g) % 3000));
    frz_arrow_append_bytes(column, text_slice(line));
}

static void append_row(generator *g)
{
    char host[32];
    const int64_t at = g->at++;
    frz_arrow_builder *row = g->builder;
    frz_arrow_append_i64(frz_arrow_builder_child(row, 0), at * 3 + (int64_t)(next_number(g) % 3));
    frz_arrow_append_i64(frz_arrow_builder_child(row, 1),
                         INT64_C(1767225600000000) + at * 1000 + (int64_t)(next_number(g) % 1000));
    (void)snprintf(host, sizeof host, "host-%03u.example.org", (unsigned)(next_number(g) % HOSTS));
    frz_arrow_append_bytes(frz_arrow_builder_child(row, 2), text_slice(host));
    frz_arrow_append_i64(frz_arrow_builder_child(row, 3), (int64_t)(next_number(g) % 1000));
    frz_arrow_append_i64(frz_arrow_builder_child(row, 4), (int64_t)(next_number(g) % 1000000));
    frz_arrow_append_f64(frz_arrow_builder_child(row, 5),
                         (double)(next_number(g) % 1000000) / 100.0);
    append_message(g, frz_arrow_builder_child(row, 6));
    frz_arrow_append_struct(row);
}

static void append_scattered_row(generator *g)
{
    char name[32];
    const int64_t at = g->at++;
    const uint32_t scattered = (uint32_t)at * UINT32_C(2654435761);
    frz_arrow_builder *row = g->builder;
    (void)snprintf(name, sizeof name, "name %u", (unsigned)(scattered >> 12));
    frz_arrow_append_i64(frz_arrow_builder_child(row, 0), scattered);
    frz_arrow_append_i64(frz_arrow_builder_child(row, 1), at);
    frz_arrow_append_f64(frz_arrow_builder_child(row, 2), (double)(scattered % 100000) / 100);
    frz_arrow_append_i64(frz_arrow_builder_child(row, 3), scattered % 1000);
    frz_arrow_append_bytes(frz_arrow_builder_child(row, 4), text_slice(name));
    frz_arrow_append_struct(row);
}

static frz_status generator_schema(void *self, struct ArrowSchema *out, frz_error **err)
{
    const generator *g = self;
    return frz_arrow_schema_copy(&g->schema, out, err);
}

static frz_status generator_next(void *self, struct ArrowArray *out, frz_error **err)
{
    generator *g = self;
    if (g->at == g->count)
        return FRZ_END;
    for (int i = 0; i < BATCH_ROWS && g->at < g->count; i++)
        g->append_row(g);
    return frz_arrow_builder_finish(g->builder, out, err);
}

static void generator_free(void *self)
{
    generator *g = self;
    frz_arrow_builder_free(g->builder);
    frz_arrow_schema_clear(&g->schema);
    free(g);
}

static void generate(void (*append)(generator *g), int64_t count, const char *const *names,
                     const char *const *formats, int64_t columns, struct ArrowArrayStream *out)
{
    static const frz_arrow_source_ops ops = {
        .schema = generator_schema, .next = generator_next, .free = generator_free};
    generator *g = calloc(1, sizeof *g);
    frz_error *err = NULL;
    if (!g)
        exit(1);
    g->append_row = append;
    g->count = count;
    g->state = 7;
    bench_must(
        frz_arrow_schema_init(&g->schema, "+s", "", false, FRZ_ARROW_NO_FIELD_ID, columns, &err),
        err);
    for (int64_t i = 0; i < columns; i++)
        bench_must(frz_arrow_schema_init(g->schema.children[i], formats[i], names[i], true,
                                         FRZ_ARROW_NO_FIELD_ID, 0, &err),
                   err);
    bench_must(frz_arrow_builder_new(&g->schema, &g->builder, &err), err);
    bench_must(frz_arrow_stream_from(&ops, g, out, &err), err);
}

void bench_rows_stream(int64_t count, struct ArrowArrayStream *out)
{
    static const char *const names[] = {"k", "ts", "host", "bucket", "bytes", "value", "message"};
    static const char *const formats[] = {"l", "tsu:UTC", "u", "i", "l", "g", "u"};
    generate(append_row, count, names, formats, 7, out);
}

void bench_scattered_stream(int64_t count, struct ArrowArrayStream *out)
{
    static const char *const names[] = {"k", "a", "b", "c", "s"};
    static const char *const formats[] = {"l", "l", "g", "i", "u"};
    generate(append_scattered_row, count, names, formats, 5, out);
}

struct bench_batches {
    struct ArrowSchema schema;
    struct ArrowArray *items;
    size_t count;
};

bench_batches *bench_batches_keep(struct ArrowArrayStream *stream)
{
    bench_batches *batches = calloc(1, sizeof *batches);
    frz_error *err = NULL;
    frz_status status = FRZ_OK;
    if (!batches)
        exit(1);
    bench_must(frz_arrow_stream_schema(stream, &batches->schema, &err), err);
    for (;;) {
        struct ArrowArray batch = {0};
        status = frz_arrow_stream_next(stream, &batch, &err);
        if (status != FRZ_OK)
            break;
        batches->items = realloc(batches->items, (batches->count + 1) * sizeof *batches->items);
        if (!batches->items)
            exit(1);
        batches->items[batches->count++] = batch;
    }
    bench_must(status == FRZ_END ? FRZ_OK : status, err);
    stream->release(stream);
    return batches;
}

typedef struct repeater {
    bench_batches *batches;
    size_t at;
} repeater;

static frz_status repeater_schema(void *self, struct ArrowSchema *out, frz_error **err)
{
    const repeater *r = self;
    return frz_arrow_schema_copy(&r->batches->schema, out, err);
}

static frz_status repeater_next(void *self, struct ArrowArray *out, frz_error **err)
{
    repeater *r = self;
    if (r->at == r->batches->count)
        return FRZ_END;
    struct ArrowArray *batch = &r->batches->items[r->at++];
    return frz_arrow_array_slice(batch, 0, batch->length, out, err);
}

void bench_batches_stream(bench_batches *batches, struct ArrowArrayStream *out)
{
    static const frz_arrow_source_ops ops = {
        .schema = repeater_schema, .next = repeater_next, .free = free};
    repeater *r = calloc(1, sizeof *r);
    frz_error *err = NULL;
    if (!r)
        exit(1);
    r->batches = batches;
    bench_must(frz_arrow_stream_from(&ops, r, out, &err), err);
}

void bench_batches_free(bench_batches *batches)
{
    for (size_t i = 0; i < batches->count; i++)
        frz_arrow_array_clear(&batches->items[i]);
    frz_arrow_schema_clear(&batches->schema);
    free(batches->items);
    free(batches);
}

static char folder[256];

const char *bench_folder_new(void)
{
    const char *parent = getenv("TMPDIR");
    if (!parent)
        parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    (void)snprintf(folder, sizeof folder, "%s/frazil-bench-XXXXXX", parent);
    if (!mkdtemp(folder)) {
        perror(folder);
        exit(1);
    }
    (void)atexit(bench_folder_remove);
    return folder;
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about;
    (void)kind;
    (void)where;
    return remove(path);
}

void bench_folder_remove(void)
{
    if (*folder)
        (void)nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    *folder = 0;
}

frz_catalog *bench_catalog_open(const char *where)
{
    char uri[512];
    char warehouse[512];
    frz_catalog *catalog = NULL;
    frz_error *err = NULL;
    (void)snprintf(uri, sizeof uri, "sqlite:///%s/catalog.db", where);
    (void)snprintf(warehouse, sizeof warehouse, "file://%s", where);
    const frz_option properties[] = {{"type", "sql"}, {"uri", uri}, {"warehouse", warehouse}};
    frz_catalog_options options = FRZ_CATALOG_OPTIONS_INIT;
    options.name = "default";
    options.properties = properties;
    options.property_count = 3;
    bench_must(frz_catalog_open(&options, &catalog, &err), err);
    return catalog;
}

frz_table *bench_table_new(frz_catalog *catalog, const char *name, const char *schema)
{
    frz_table *table = NULL;
    frz_error *err = NULL;
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    options.schema = schema;
    bench_must(frz_catalog_create_table(catalog, name, &options, &table, &err), err);
    return table;
}

void bench_append(frz_table *table, int64_t rows)
{
    struct ArrowArrayStream stream;
    frz_error *err = NULL;
    bench_rows_stream(rows, &stream);
    bench_must(frz_table_append(table, &stream, NULL, NULL, &err), err);
}

int64_t bench_drain(struct ArrowArrayStream *stream)
{
    frz_error *err = NULL;
    frz_status status = FRZ_OK;
    int64_t rows = 0;
    for (;;) {
        struct ArrowArray batch = {0};
        status = frz_arrow_stream_next(stream, &batch, &err);
        if (status != FRZ_OK)
            break;
        rows += batch.length;
        frz_arrow_array_clear(&batch);
    }
    bench_must(status == FRZ_END ? FRZ_OK : status, err);
    stream->release(stream);
    return rows;
}
