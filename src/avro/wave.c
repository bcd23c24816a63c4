#include "avro/wave.h"

#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"
#include "io/file.h"

/* A run ends with the block that reaches one of these: work enough to be worth a thread, little
 * enough to wait for. */
#define RUN_BYTES ((size_t)256 << 10)
#define RUN_ROWS ((int64_t)1 << 16)
#define RUN_BLOCKS 1024

/* A lane's share of a wave, and what came of it. */
typedef struct run {
    frz_avro_lane lane;
    frz_avro_block *blocks;
    size_t block_count;
    size_t block_capacity;
    size_t next_block;
    frz_buffer copies; /* the blocks' bytes, of a file that is not mapped */
    struct ArrowArray *batches;
    size_t batch_count;
    size_t batch_capacity;
    size_t next_batch;
    frz_status status; /* what ended it: FRZ_END, or a failure behind the last batch */
    frz_error *err;
} run;

struct frz_avro_wave {
    frz_pool *pool;
    int64_t rows_max;
    size_t at;        /* the run whose batches are taken out */
    size_t run_count; /* of this wave */
    size_t capacity;
    run runs[];
};

static void reset_run(run *r)
{
    for (size_t i = r->next_batch; i < r->batch_count; i++)
        frz_arrow_array_clear(&r->batches[i]);
    frz_error_free(r->err);
    r->err = NULL;
    r->status = FRZ_END;
    r->batch_count = r->next_batch = 0;
    r->block_count = r->next_block = 0;
    frz_buffer_reset(&r->copies);
}

void frz_avro_wave_free(frz_avro_wave *wave)
{
    if (!wave)
        return;
    for (size_t i = 0; i < wave->capacity; i++) {
        run *r = &wave->runs[i];
        reset_run(r);
        frz_avro_lane_clear(&r->lane);
        frz_buffer_clear(&r->copies);
        frz_free(r->blocks);
        frz_free(r->batches);
    }
    frz_free(wave);
}

frz_status frz_avro_wave_new(frz_pool *pool, const frz_avro_container *container,
                             const frz_avro_schema *schema, const frz_avro_projection *projection,
                             frz_avro_wave **out, frz_error **err)
{
    const size_t count = frz_pool_threads(pool);
    frz_avro_wave *wave = frz_alloc_zero(sizeof *wave + count * sizeof wave->runs[0]);
    if (!wave)
        return frz_fail_memory(err);
    wave->pool = pool;
    for (; wave->capacity < count; wave->capacity++) {
        const frz_status status = frz_avro_lane_compile(&wave->runs[wave->capacity].lane, container,
                                                        schema, projection, err);
        if (status != FRZ_OK) {
            frz_avro_wave_free(wave);
            return status;
        }
    }
    *out = wave;
    return FRZ_OK;
}

bool frz_avro_wave_prefixed(const frz_avro_wave *wave)
{
    for (size_t i = 0; i < wave->capacity; i++)
        if (wave->runs[i].lane.prefixed)
            return true;
    return false;
}

/* Bytes in a window are gone with the next block: they are copied. */
static frz_status add_block(run *r, const frz_avro_block *block, bool copy, frz_error **err)
{
    if (!frz_grow_array((void **)&r->blocks, &r->block_capacity, r->block_count, sizeof *r->blocks))
        return frz_fail_memory(err);
    r->blocks[r->block_count] = *block;
    if (copy) {
        frz_buffer_append(&r->copies, block->bytes.data, block->bytes.size);
        FRZ_TRY(frz_buffer_check(&r->copies, err));
    }
    r->block_count++;
    return FRZ_OK;
}

/* The copies have their place once all are made. */
static void place_copies(run *r)
{
    size_t at = 0;
    for (size_t i = 0; i < r->block_count; i++) {
        frz_slice *bytes = &r->blocks[i].bytes;
        if (bytes->size)
            bytes->data = r->copies.data + at;
        at += bytes->size;
    }
}

/* FRZ_END when the wave ends with this run. What cannot be read is left to be met again, when
 * everything before it has been taken out. */
static frz_status fill_run(run *r, frz_avro_container *container, frz_error **err)
{
    const bool copy = !frz_input_mapped(container->input);
    frz_status status = FRZ_OK;
    size_t bytes = 0;
    int64_t rows = 0;
    while (status == FRZ_OK && bytes < RUN_BYTES && rows < RUN_ROWS &&
           r->block_count < RUN_BLOCKS) {
        size_t size = 0;
        frz_avro_block block = {0};
        if (frz_avro_container_peek(container, &size, NULL) != FRZ_OK ||
            size > FRZ_AVRO_WAVE_BLOCK_MAX ||
            frz_avro_container_next(container, &block, NULL) != FRZ_OK) {
            status = FRZ_END;
            break;
        }
        status = add_block(r, &block, copy, err);
        bytes += size;
        rows = block.count < RUN_ROWS ? rows + block.count : RUN_ROWS;
    }
    if (copy)
        place_copies(r);
    return status;
}

static frz_status next_of_run(void *context, frz_avro_block *out, frz_error **err)
{
    run *r = context;
    (void)err;
    if (r->next_block == r->block_count)
        return FRZ_END;
    *out = r->blocks[r->next_block++];
    return FRZ_OK;
}

/* A job of the pool. Its failure is the run's, not the wave's: other runs stand before it. */
static frz_status decode_run(void *context, size_t index, frz_error **err)
{
    frz_avro_wave *wave = context;
    run *r = &wave->runs[index];
    (void)err;
    for (;;) {
        if (!frz_grow_array((void **)&r->batches, &r->batch_capacity, r->batch_count,
                            sizeof *r->batches)) {
            r->status = frz_fail_memory(&r->err);
            return FRZ_OK;
        }
        r->status = frz_avro_lane_next(&r->lane, next_of_run, r, wave->rows_max,
                                       &r->batches[r->batch_count], &r->err);
        if (r->status != FRZ_OK)
            return FRZ_OK;
        r->batch_count++;
    }
}

frz_status frz_avro_wave_run(frz_avro_wave *wave, frz_avro_container *container, int64_t rows_max,
                             frz_error **err)
{
    frz_status status = FRZ_OK;
    wave->rows_max = rows_max;
    wave->at = wave->run_count = 0;
    while (status == FRZ_OK && wave->run_count < wave->capacity) {
        run *r = &wave->runs[wave->run_count];
        reset_run(r);
        status = fill_run(r, container, err);
        wave->run_count += r->block_count > 0;
    }
    if (status != FRZ_OK && status != FRZ_END)
        return status;
    if (wave->run_count == 0)
        return FRZ_END;
    return frz_pool_run(wave->pool, wave->run_count, decode_run, wave, err);
}

frz_status frz_avro_wave_pop(frz_avro_wave *wave, struct ArrowArray *out, frz_error **err)
{
    for (; wave->at < wave->run_count; wave->at++) {
        run *r = &wave->runs[wave->at];
        if (r->next_batch < r->batch_count) {
            *out = r->batches[r->next_batch++];
            return FRZ_OK;
        }
        if (r->status != FRZ_END) {
            if (err && !*err) {
                *err = r->err;
                r->err = NULL;
            }
            return r->status;
        }
    }
    return FRZ_END;
}
