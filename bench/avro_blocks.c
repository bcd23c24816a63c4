/*
 * Avro data: 1 million rows of seven columns in blocks of 64 KB, decoded to columns. By the clock
 * on the wall, with the threads of a pool against one thread; by processor time, what dealing
 * blocks out costs, and what decoding costs beside decompressing.
 */
#include <stdio.h>
#include <stdlib.h>

#include "arrow/schema.h"
#include "arrow/stream.h"
#include "avro/container.h"
#include "avro/reader.h"
#include "avro/writer.h"
#include "frazil/io.h"
#include "io/file.h"
#include "measure.h"
#include "rows.h"

enum { ROWS = 1000000, THREADS = 2 };

#define OPTIONAL(name, type, id) \
    "{\"name\":\"" name "\",\"type\":[\"null\"," type "],\"field-id\":" #id "}"

static const char schema_json[] =
    "{\"type\":\"record\",\"name\":\"r\",\"fields\":[" OPTIONAL("k", "\"long\"", 1) "," OPTIONAL(
        "ts", "{\"type\":\"long\",\"logicalType\":\"timestamp-micros\",\"adjust-to-utc\":true}",
        2) "," OPTIONAL("host", "\"string\"",
                        3) "," OPTIONAL("bucket", "\"int\"",
                                        4) "," OPTIONAL("bytes", "\"long\"",
                                                        5) "," OPTIONAL("value", "\"double\"",
                                                                        6) "," OPTIONAL("message",
                                                                                        "\"string"
                                                                                        "\"",
                                                                                        7) "]}";

typedef struct work {
    frz_input *input;
    frz_pool *pool; /* NULL = one thread */
    bool wall;
} work;

static void write_rows(frz_io *io, const char *name, frz_codec codec)
{
    const frz_avro_writer_options options = {.struct_size = sizeof options, .codec = codec};
    struct ArrowArrayStream rows = {0};
    struct ArrowSchema schema = {0};
    frz_avro_writer *writer = NULL;
    frz_output *output = NULL;
    frz_error *err = NULL;
    uint64_t size = 0;
    bench_rows_stream(ROWS, &rows);
    bench_must(frz_arrow_stream_schema(&rows, &schema, &err), err);
    bench_must(frz_io_create(io, name, &output, &err), err);
    bench_must(
        frz_avro_writer_open(output, frz_slice_of_text(schema_json), &options, &writer, &err), err);
    for (;;) {
        struct ArrowArray batch = {0};
        const frz_status status = frz_arrow_stream_next(&rows, &batch, &err);
        if (status == FRZ_END)
            break;
        bench_must(status, err);
        bench_must(frz_avro_writer_write(writer, &schema, &batch, &err), err);
        frz_arrow_array_clear(&batch);
    }
    bench_must(frz_avro_writer_finish(writer, &size, &err), err);
    bench_must(frz_output_commit(output, &err), err);
    frz_avro_writer_free(writer);
    frz_arrow_schema_clear(&schema);
    frz_arrow_stream_clear(&rows);
}

static void decode(void *context)
{
    const work *w = context;
    frz_avro_reader *reader = NULL;
    frz_error *err = NULL;
    frz_status status = FRZ_OK;
    int64_t rows = 0;
    bench_must(frz_avro_reader_open(w->input, NULL, &reader, &err), err);
    frz_avro_reader_use_pool(reader, w->pool);
    for (;;) {
        struct ArrowArray batch = {0};
        status = frz_avro_reader_next(reader, &batch, &err);
        if (status != FRZ_OK)
            break;
        rows += batch.length;
        frz_arrow_array_clear(&batch);
    }
    bench_must(status == FRZ_END && rows == ROWS ? FRZ_OK : status, err);
    frz_avro_reader_close(reader);
}

static void unpack(void *context)
{
    const work *w = context;
    frz_avro_container container;
    frz_avro_unpacker unpacker = {0};
    frz_avro_block block = {0};
    frz_error *err = NULL;
    bench_must(frz_avro_container_open(&container, w->input, &frz_limits_default, &err), err);
    while (frz_avro_container_next(&container, &block, &err) == FRZ_OK)
        bench_must(frz_avro_block_unpack(&container, &unpacker, &block, &err), err);
    frz_avro_unpacker_clear(&unpacker);
    frz_avro_container_clear(&container);
}

static double run_decode(void *context)
{
    const work *w = context;
    if (!w->wall)
        return bench_time(decode, context);
    const double start = bench_wall_ns();
    decode(context);
    return bench_wall_ns() - start;
}

static double run_unpack(void *context)
{
    return bench_time(unpack, context);
}

static void run(frz_io *io, frz_pool *pool, frz_codec codec)
{
    char name[64];
    char row[64];
    frz_error *err = NULL;
    (void)snprintf(name, sizeof name, "mem/%s.avro", frz_codec_name(codec));
    write_rows(io, name, codec);
    work alone = {.wall = true};
    bench_must(frz_io_open(io, name, FRZ_IO_SIZE_UNKNOWN, &alone.input, &err), err);
    work together = alone;
    together.pool = pool;
    (void)snprintf(row, sizeof row, "%s, %d threads, wall", frz_codec_name(codec), THREADS);
    bench_compare(row, (bench_side){.name = "frazil", .run = run_decode, .context = &together},
                  &(bench_side){.name = "1 thread, wall", .run = run_decode, .context = &alone}, 1);
    alone.wall = together.wall = false;
    (void)snprintf(row, sizeof row, "%s, %d threads, processor", frz_codec_name(codec), THREADS);
    bench_compare(row, (bench_side){.name = "frazil", .run = run_decode, .context = &together},
                  &(bench_side){.name = "1 thread", .run = run_decode, .context = &alone}, 1);
    (void)snprintf(row, sizeof row, "%s, 1 thread, processor", frz_codec_name(codec));
    bench_compare(row, (bench_side){.name = "frazil", .run = run_decode, .context = &alone},
                  &(bench_side){.name = "decompressing", .run = run_unpack, .context = &alone}, 1);
    frz_input_close(alone.input);
}

int main(void)
{
    static const frz_codec codecs[] = {FRZ_CODEC_NONE, FRZ_CODEC_SNAPPY, FRZ_CODEC_ZSTD,
                                       FRZ_CODEC_DEFLATE};
    frz_io *io = NULL;
    frz_pool *pool = NULL;
    frz_error *err = NULL;
    bench_begin("Avro data: 1 million rows, 7 columns");
    bench_must(frz_io_memory_new(&io, &err), err);
    bench_must(frz_pool_new(THREADS, &pool, &err), err);
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
        run(io, pool, codecs[i]);
    frz_pool_free(pool);
    frz_io_free(io);
    return bench_end();
}
