/*
 * W1: decoding manifests as Java writes them (deflate 9, blocks of 64 KB, arrays not sized) to
 * columns: a planner's projection (path, sizes, partition, bounds of one column) and everything.
 * The floor is inflating the blocks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arrow/schema.h"
#include "avro/container.h"
#include "avro/encode.h"
#include "avro/reader.h"
#include "frazil/io.h"
#include "io/file.h"
#include "peer.h"

static const char schema_head[] =
    "{\"type\":\"record\",\"name\":\"manifest_entry\",\"fields\":["
    "{\"name\":\"status\",\"type\":\"int\",\"field-id\":0},"
    "{\"name\":\"snapshot_id\",\"type\":[\"null\",\"long\"],\"field-id\":1},"
    "{\"name\":\"sequence_number\",\"type\":[\"null\",\"long\"],\"field-id\":3},"
    "{\"name\":\"file_sequence_number\",\"type\":[\"null\",\"long\"],\"field-id\":4},"
    "{\"name\":\"data_file\",\"field-id\":2,\"type\":{\"type\":\"record\",\"name\":\"r2\","
    "\"fields\":["
    "{\"name\":\"content\",\"type\":\"int\",\"field-id\":134},"
    "{\"name\":\"file_path\",\"type\":\"string\",\"field-id\":100},"
    "{\"name\":\"file_format\",\"type\":\"string\",\"field-id\":101},"
    "{\"name\":\"partition\",\"field-id\":102,\"type\":{\"type\":\"record\",\"name\":\"r102\","
    "\"fields\":["
    "{\"name\":\"a\",\"type\":[\"null\",\"int\"],\"field-id\":1000},"
    "{\"name\":\"b\",\"type\":[\"null\",\"string\"],\"field-id\":1001},"
    "{\"name\":\"c\",\"type\":[\"null\",\"string\"],\"field-id\":1002}]}},"
    "{\"name\":\"record_count\",\"type\":\"long\",\"field-id\":103},"
    "{\"name\":\"file_size_in_bytes\",\"type\":\"long\",\"field-id\":104}";

static const struct {
    const char *name;
    int id;
    bool bounds;
} maps[] = {{"column_sizes", 108, false},      {"value_counts", 109, false},
            {"null_value_counts", 110, false}, {"nan_value_counts", 137, false},
            {"lower_bounds", 125, true},       {"upper_bounds", 128, true}};

static void print_schema(frz_buffer *out)
{
    frz_buffer_append_text(out, schema_head);
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        frz_buffer_printf(
            out,
            ",{\"name\":\"%s\",\"field-id\":%d,\"type\":[\"null\",{\"type\":\"array\","
            "\"logicalType\":\"map\",\"items\":{\"type\":\"record\",\"name\":\"kv%d\","
            "\"fields\":[{\"name\":\"key\",\"type\":\"int\",\"field-id\":%d},"
            "{\"name\":\"value\",\"type\":\"%s\",\"field-id\":%d}]}}]}",
            maps[i].name, maps[i].id, maps[i].id, 2000 + maps[i].id,
            maps[i].bounds ? "bytes" : "long", 3000 + maps[i].id);
    frz_buffer_append_text(out,
                           ",{\"name\":\"split_offsets\",\"field-id\":132,\"type\":[\"null\","
                           "{\"type\":\"array\",\"element-id\":133,\"items\":\"long\"}]}]}}]}");
}

static void put_text(frz_buffer *out, const char *text)
{
    frz_avro_put_long(out, (int64_t)strlen(text));
    frz_buffer_append_text(out, text);
}

static void put_map(frz_buffer *out, size_t map, int64_t columns, bool random)
{
    frz_avro_put_long(out, 1);
    frz_avro_put_long(out, columns);
    for (int64_t key = 1; key <= columns; key++) {
        frz_avro_put_long(out, key);
        if (maps[map].bounds) {
            const uint64_t value =
                random ? bench_random() << 20 : (uint64_t)key * 1000 + bench_random() % 50;
            frz_avro_put_long(out, 8);
            frz_buffer_append_u64le(out, value);
        } else {
            frz_avro_put_long(out, map == 0   ? 4000 + (int64_t)(bench_random() % 4000)
                                   : map == 1 ? 100000
                                              : 0);
        }
    }
    frz_avro_put_long(out, 0);
}

static void put_entry(frz_buffer *out, int64_t columns, bool random)
{
    char path[200];
    frz_avro_put_long(out, 1);
    for (int i = 0; i < 3; i++)
        frz_avro_put_long(out, 0);
    frz_avro_put_long(out, 0);
    const unsigned day = (unsigned)(bench_random() % 30);
    (void)snprintf(
        path, sizeof path,
        "s3://warehouse/db/events/data/day=2026-01-%02u/host=h%u/%05u-%u-%08x-%04x-00001.parquet",
        day, (unsigned)(bench_random() % 40), (unsigned)(bench_random() % 2000),
        (unsigned)(bench_random() % 9000), (unsigned)bench_random(),
        (unsigned)(bench_random() & 0xffff));
    put_text(out, path);
    put_text(out, "PARQUET");
    frz_avro_put_long(out, 1);
    frz_avro_put_long(out, 20450 + (int64_t)day);
    frz_avro_put_long(out, 1);
    put_text(out, "europe-west");
    frz_avro_put_long(out, 0);
    frz_avro_put_long(out, 100000);
    frz_avro_put_long(out, (int64_t)(bench_random() % 100000000));
    for (size_t map = 0; map < sizeof maps / sizeof *maps; map++)
        put_map(out, map, columns, random);
    frz_avro_put_long(out, 1);
    frz_avro_put_long(out, 1);
    frz_avro_put_long(out, 4);
    frz_avro_put_long(out, 0);
}

static const char sync_marker[] = "0123456789abcdef";

static void put_block(frz_buffer *file, const frz_buffer *block, int64_t rows, bool deflate)
{
    frz_buffer packed = {0};
    frz_error *err = NULL;
    frz_slice bytes = frz_buffer_slice(block);
    if (deflate) {
        bench_must(frz_codec_compress(NULL, FRZ_CODEC_DEFLATE, 9, bytes, &packed, &err), err);
        bytes = frz_buffer_slice(&packed);
    }
    frz_avro_put_long(file, rows);
    frz_avro_put_long(file, (int64_t)bytes.size);
    frz_buffer_append(file, bytes.data, bytes.size);
    frz_buffer_append(file, sync_marker, 16);
    frz_buffer_clear(&packed);
}

static void make_manifest(frz_buffer *file, int64_t entries, int64_t columns, bool deflate,
                          bool random)
{
    frz_buffer schema = {0};
    frz_buffer block = {0};
    int64_t rows = 0;
    print_schema(&schema);
    frz_buffer_append_byte(&schema, 0);
    frz_buffer_append_text(file, "Obj\x01");
    frz_avro_put_long(file, 2);
    put_text(file, "avro.schema");
    put_text(file, (const char *)schema.data);
    put_text(file, "avro.codec");
    put_text(file, deflate ? "deflate" : "null");
    frz_avro_put_long(file, 0);
    frz_buffer_append(file, sync_marker, 16);
    for (int64_t i = 0; i < entries; i++) {
        put_entry(&block, columns, random);
        rows++;
        if (block.size >= 64000 || i + 1 == entries) {
            put_block(file, &block, rows, deflate);
            rows = 0;
            frz_buffer_reset(&block);
        }
    }
    frz_buffer_clear(&schema);
    frz_buffer_clear(&block);
}

typedef struct manifest {
    frz_input *input;
    bool whole;
    int64_t rows;
} manifest;

static void decode(void *context)
{
    static const int32_t keys[] = {5};
    static const frz_avro_projection file_fields[] = {
        {.field_id = 100},
        {.field_id = 102},
        {.field_id = 103},
        {.field_id = 104},
        {.field_id = 125, .map_keys = keys, .map_key_count = 1},
        {.field_id = 128, .map_keys = keys, .map_key_count = 1},
    };
    static const frz_avro_projection fields[] = {
        {.field_id = 2, .children = file_fields, .child_count = 6}};
    static const frz_avro_projection root = {
        .field_id = FRZ_AVRO_NO_ID, .children = fields, .child_count = 1};
    manifest *m = context;
    frz_avro_reader *reader = NULL;
    frz_error *err = NULL;
    frz_status status = FRZ_OK;
    int64_t rows = 0;
    bench_must(frz_avro_reader_open(m->input, NULL, &reader, &err), err);
    if (!m->whole)
        bench_must(frz_avro_reader_project(reader, &root, &err), err);
    for (;;) {
        struct ArrowArray batch = {0};
        status = frz_avro_reader_next(reader, &batch, &err);
        if (status != FRZ_OK)
            break;
        rows += batch.length;
        frz_arrow_array_clear(&batch);
    }
    bench_must(status == FRZ_END && rows == m->rows ? FRZ_OK : status, err);
    frz_avro_reader_close(reader);
}

static void inflate(void *context)
{
    const manifest *m = context;
    frz_avro_container container;
    frz_avro_unpacker unpacker = {0};
    frz_avro_block block = {0};
    frz_error *err = NULL;
    frz_status status = FRZ_OK;
    volatile uint64_t touched = 0;
    bench_must(frz_avro_container_open(&container, m->input, &frz_limits_default, &err), err);
    while ((status = frz_avro_container_next(&container, &block, &err)) == FRZ_OK) {
        bench_must(frz_avro_block_unpack(&container, &unpacker, &block, &err), err);
        for (size_t i = 0; i < block.bytes.size; i += 64)
            touched += block.bytes.data[i];
    }
    bench_must(status == FRZ_END ? FRZ_OK : status, err);
    frz_avro_unpacker_clear(&unpacker);
    frz_avro_container_clear(&container);
}

static double run_decode(void *context)
{
    return bench_time(decode, context);
}

static double run_inflate(void *context)
{
    return bench_time(inflate, context);
}

/* Where a peer finds the bytes; removed at once when it has them. */
static bench_peer *start_peer(const frz_buffer *file, char *path)
{
    FILE *out = fdopen(mkstemp(path), "wb");
    if (!out || fwrite(file->data, 1, file->size, out) != file->size || fclose(out) != 0)
        exit(1);
    return bench_peer_start("pyiceberg_manifest", path, (char *)NULL);
}

typedef struct shape {
    int64_t entries;
    int64_t columns;
    bool deflate;
    bool random;
    bool peer;
} shape;

static void run(frz_io *io, shape what)
{
    frz_buffer file = {0};
    frz_error *err = NULL;
    manifest m = {.rows = what.entries};
    char path[] = "/tmp/frazil-bench-XXXXXX";
    char name[80];
    make_manifest(&file, what.entries, what.columns, what.deflate, what.random);
    (void)snprintf(name, sizeof name, "mem/%lldx%lld%d%d.avro", (long long)what.entries,
                   (long long)what.columns, what.deflate, what.random);
    bench_must(frz_io_write_file(io, name, frz_buffer_slice(&file), &err), err);
    bench_must(frz_io_open(io, name, FRZ_IO_SIZE_UNKNOWN, &m.input, &err), err);
    bench_peer *peer = what.peer ? start_peer(&file, path) : NULL;
    const bench_side ours = {.name = "frazil", .run = run_decode, .context = &m};
    for (int whole = 0; whole < 2; whole++) {
        m.whole = whole;
        (void)snprintf(name, sizeof name, "%lld x %lld%s%s %s", (long long)what.entries,
                       (long long)what.columns, what.deflate ? "" : " null",
                       what.random ? " random" : "", whole ? "full" : "projected");
        const bench_side rivals[] = {{.name = what.deflate ? "inflate only" : "touching the bytes",
                                      .run = run_inflate,
                                      .context = &m,
                                      .target = what.deflate && !whole ? 2 : 0},
                                     bench_peer_side(peer, whole ? 1 : 0)};
        bench_compare(name, ours, rivals, whole ? 2 : 1);
    }
    bench_peer_stop(peer);
    (void)unlink(path);
    frz_input_close(m.input);
    frz_buffer_clear(&file);
}

int main(void)
{
    frz_io *io = NULL;
    frz_error *err = NULL;
    bench_begin("W1 manifest decode: entries x columns, deflate 9 unless null");
    bench_must(frz_io_memory_new(&io, &err), err);
    run(io, (shape){.entries = 30000, .columns = 10, .deflate = true, .peer = true});
    run(io, (shape){.entries = 30000, .columns = 10, .deflate = true, .random = true});
    run(io, (shape){.entries = 30000, .columns = 10});
    run(io, (shape){.entries = 6000, .columns = 50, .deflate = true, .peer = true});
    run(io, (shape){.entries = 3000, .columns = 100, .deflate = true, .peer = true});
    run(io, (shape){.entries = 3000, .columns = 100});
    frz_io_free(io);
    return bench_end();
}
