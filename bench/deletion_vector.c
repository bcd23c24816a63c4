/*
 * W5: deletion vectors of a file of 10 million rows. Loading (frame, CRC-32, validation, to a
 * bitmap that answers) against the floor of a CRC-32 pass and a copy; building from positions in
 * random order against setting bits of a dense set and the same serialisation.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "peer.h"
#include "puffin/deletion_vector.h"

enum { ROWS = 10000000, LOADS = 50 };

typedef struct vector {
    frz_buffer blob;
    frz_buffer copy;
    int64_t *positions; /* shuffled */
    size_t count;
    uint8_t *dense;
} vector;

static void load(void *context)
{
    vector *v = context;
    frz_bitmap *bitmap = NULL;
    frz_error *err = NULL;
    bench_must(
        frz_deletion_vector_decode(frz_buffer_slice(&v->blob), (int64_t)v->count, &bitmap, &err),
        err);
    frz_bitmap_free(bitmap);
}

static void crc_and_copy(void *context)
{
    vector *v = context;
    volatile uint32_t crc = frz_hash_crc32(0, v->blob.data, v->blob.size);
    uint8_t *copy = malloc(v->blob.size);
    memcpy(copy, v->blob.data, v->blob.size);
    crc += copy[crc % v->blob.size];
    free(copy);
}

static void encode(const frz_bitmap *bitmap, vector *v)
{
    frz_error *err = NULL;
    frz_buffer_reset(&v->copy);
    bench_must(frz_deletion_vector_encode(bitmap, &v->copy, &err), err);
}

static void build(void *context)
{
    vector *v = context;
    frz_bitmap *bitmap = NULL;
    frz_error *err = NULL;
    bench_must(frz_bitmap_new(&bitmap, &err), err);
    for (size_t i = 0; i < v->count; i++)
        bench_must(frz_bitmap_add(bitmap, v->positions[i], &err), err);
    encode(bitmap, v);
    frz_bitmap_free(bitmap);
}

static void build_dense(void *context)
{
    vector *v = context;
    frz_bitmap *bitmap = NULL;
    frz_error *err = NULL;
    memset(v->dense, 0, ROWS / 8 + 1);
    for (size_t i = 0; i < v->count; i++)
        v->dense[v->positions[i] >> 3] |= (uint8_t)(1u << (v->positions[i] & 7));
    bench_must(frz_deletion_vector_decode(frz_buffer_slice(&v->blob), -1, &bitmap, &err), err);
    encode(bitmap, v);
    frz_bitmap_free(bitmap);
}

static void collect(vector *v, const frz_bitmap *bitmap)
{
    v->count = (size_t)frz_bitmap_cardinality(bitmap);
    v->positions = malloc(v->count * sizeof *v->positions);
    v->dense = malloc(ROWS / 8 + 1);
    if (frz_bitmap_list(bitmap, 0, v->positions, v->count) != v->count)
        exit(1);
    for (size_t i = v->count - 1; i > 0; i--) {
        const size_t other = (size_t)(bench_random() % (i + 1));
        const int64_t kept = v->positions[i];
        v->positions[i] = v->positions[other];
        v->positions[other] = kept;
    }
}

/* Many times in a row: one takes microseconds, and what another side left in the caches would
 * count. */
static double run_often(bench_work work, void *context)
{
    const double start = bench_processor_ns();
    for (int i = 0; i < LOADS; i++)
        work(context);
    return (bench_processor_ns() - start) / LOADS;
}

static double run_load(void *context)
{
    return run_often(load, context);
}

static double run_crc_and_copy(void *context)
{
    return run_often(crc_and_copy, context);
}

static double run_build(void *context)
{
    return bench_time(build, context);
}

static double run_build_dense(void *context)
{
    return bench_time(build_dense, context);
}

typedef struct shape {
    const char *name;
    double share;
    int64_t run_length; /* rows that are deleted together */
    double load_target;
} shape;

static void compare(vector *v, const shape *what)
{
    char path[] = "/tmp/frazil-bench-XXXXXX";
    char size[32];
    char line[64];
    FILE *out = fdopen(mkstemp(path), "wb");
    if (!out || fwrite(v->blob.data, 1, v->blob.size, out) != v->blob.size || fclose(out) != 0)
        exit(1);
    (void)snprintf(size, sizeof size, "%zu", v->blob.size);
    bench_peer *roaring = bench_peer_start("roaring_vector", path, "0", size, (char *)NULL);
    bench_peer *pyiceberg = bench_peer_start("pyiceberg_vector", path, "0", size, (char *)NULL);
    (void)unlink(path);

    const bench_side loads[] = {{.name = "CRC-32 and copy",
                                 .run = run_crc_and_copy,
                                 .context = v,
                                 .target = what->load_target},
                                bench_peer_side(roaring, 0),
                                bench_peer_side(pyiceberg, 0)};
    (void)snprintf(line, sizeof line, "load %s (%zu KB)", what->name, v->blob.size / 1000);
    bench_compare(line, (bench_side){.name = "frazil", .run = run_load, .context = v}, loads, 3);
    const bench_side builds[] = {
        {.name = "dense set, serialised", .run = run_build_dense, .context = v}};
    (void)snprintf(line, sizeof line, "build %s", what->name);
    bench_compare(line, (bench_side){.name = "frazil", .run = run_build, .context = v}, builds, 1);
    bench_peer_stop(roaring);
    bench_peer_stop(pyiceberg);
}

static void run(const shape *what)
{
    vector v = {0};
    frz_bitmap *bitmap = NULL;
    frz_error *err = NULL;
    bench_must(frz_bitmap_new(&bitmap, &err), err);
    while ((double)frz_bitmap_cardinality(bitmap) < what->share * ROWS) {
        const int64_t start = (int64_t)(bench_random() % (uint64_t)(ROWS - what->run_length));
        bench_must(frz_bitmap_add_range(bitmap, start, what->run_length, &err), err);
    }
    bench_must(frz_deletion_vector_encode(bitmap, &v.blob, &err), err);
    collect(&v, bitmap);
    compare(&v, what);
    frz_bitmap_free(bitmap);
    frz_buffer_clear(&v.blob);
    frz_buffer_clear(&v.copy);
    free(v.positions);
    free(v.dense);
}

int main(void)
{
    /* Small vectors take a fixed time that no copy has: the target is for those that cost. */
    static const shape shapes[] = {
        {"0.1 %", 0.001, 1, 0},
        {"1 %", 0.01, 1, 2},
        {"5 %", 0.05, 1, 2},
        {"20 %", 0.2, 1, 2},
        {"50 %", 0.5, 1, 2},
        {"5 % runs of 100", 0.05, 100, 0},
        {"20 % runs of 1000", 0.2, 1000, 0},
    };
    bench_begin("W5 deletion vectors of a file of 10 million rows");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        run(&shapes[i]);
    return bench_end();
}
