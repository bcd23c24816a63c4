/*
 * W5: deletion vectors of a file of 10 million rows. Loading (frame, CRC-32, validation, to a
 * bitmap that answers) against the floor of a CRC-32 pass and a copy; building from positions in
 * random order against setting bits of a dense set and the same serialisation.
 */
#include <string.h>

#include "base/hash.h"
#include "measure.h"
#include "puffin/deletion_vector.h"

enum { ROWS = 10000000 };

typedef struct vector {
    frz_buffer blob;
    frz_buffer copy;
    int64_t *positions; /* shuffled */
    size_t count;
    uint8_t *dense;
} vector;

static uint64_t random_state = 7;

static uint64_t random_next(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return random_state >> 33;
}

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
        const size_t other = (size_t)(random_next() % (i + 1));
        const int64_t kept = v->positions[i];
        v->positions[i] = v->positions[other];
        v->positions[other] = kept;
    }
}

/* `run` consecutive rows at a time, until a share of all is deleted. */
static void run(const char *name, double share, int64_t run_length)
{
    vector v = {0};
    frz_bitmap *bitmap = NULL;
    frz_error *err = NULL;
    char line[64];
    bench_must(frz_bitmap_new(&bitmap, &err), err);
    while ((double)frz_bitmap_cardinality(bitmap) < share * ROWS) {
        const int64_t start = (int64_t)(random_next() % (uint64_t)(ROWS - run_length));
        bench_must(frz_bitmap_add_range(bitmap, start, run_length, &err), err);
    }
    bench_must(frz_deletion_vector_encode(bitmap, &v.blob, &err), err);
    collect(&v, bitmap);
    (void)snprintf(line, sizeof line, "load %s (%zu KB)", name, v.blob.size / 1000);
    bench_pair(line, load, crc_and_copy, &v, (double)v.blob.size);
    (void)snprintf(line, sizeof line, "build %s", name);
    bench_pair(line, build, build_dense, &v, (double)v.blob.size);
    frz_bitmap_free(bitmap);
    frz_buffer_clear(&v.blob);
    frz_buffer_clear(&v.copy);
    free(v.positions);
    free(v.dense);
}

int main(void)
{
    run("0.1 %", 0.001, 1);
    run("1 %", 0.01, 1);
    run("5 %", 0.05, 1);
    run("20 %", 0.2, 1);
    run("50 %", 0.5, 1);
    run("5 % runs of 100", 0.05, 100);
    run("20 % runs of 1000", 0.2, 1000);
    return 0;
}
