/*
 * Blocks of one file decoded by several threads: the next blocks are dealt out in runs, one run to
 * each lane; the lanes decode at the same time; batches are taken out lane after lane, in the order
 * of the file. Then the next wave. What waits is bounded: a run is a few hundred kilobytes, of
 * blocks that are none of them large.
 *
 * Thread rule: one thread per wave calls it; the pool's threads work inside frz_avro_wave_run.
 */
#ifndef FRZ_AVRO_WAVE_H
#define FRZ_AVRO_WAVE_H

#include "avro/lane.h"
#include "base/pool.h"

/* Bytes of a block that a lane takes. */
#define FRZ_AVRO_WAVE_BLOCK_MAX ((size_t)1 << 20)

typedef struct frz_avro_wave frz_avro_wave;

/* One lane per thread of the pool. Borrows pool and container. */
FRZ_MUST_CHECK frz_status frz_avro_wave_new(frz_pool *pool, const frz_avro_container *container,
                                            const frz_avro_schema *schema,
                                            const frz_avro_projection *projection,
                                            frz_avro_wave **out, frz_error **err);
/* Accepts NULL. */
void frz_avro_wave_free(frz_avro_wave *wave);

/*
 * Takes blocks from the container, up to a large one or one that cannot be read, and decodes them;
 * FRZ_END when it took none. All batches must have been taken out. A failure of a block comes out
 * in its place, by frz_avro_wave_pop.
 */
FRZ_MUST_CHECK frz_status frz_avro_wave_run(frz_avro_wave *wave, frz_avro_container *container,
                                            int64_t rows_max, frz_error **err);

/* The next batch; FRZ_END when none is left. */
FRZ_MUST_CHECK frz_status frz_avro_wave_pop(frz_avro_wave *wave, struct ArrowArray *out,
                                            frz_error **err);

bool frz_avro_wave_prefixed(const frz_avro_wave *wave);

#endif
