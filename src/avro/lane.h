/*
 * The way of one thread from blocks as they stand in the file to columns: a decode program with the
 * columns that it fills, and what decompresses.
 *
 * Thread rule: one thread at a time; several lanes may share a container, which they only look at.
 */
#ifndef FRZ_AVRO_LANE_H
#define FRZ_AVRO_LANE_H

#include "avro/container.h"
#include "avro/decode.h"

typedef struct frz_avro_lane {
    const frz_avro_container *container; /* borrowed */
    frz_avro_program program;
    frz_avro_unpacker unpacker;
    frz_avro_block block;
    frz_avro_decoder decoder;
    int64_t rows_left; /* of the block */
    bool prefixed;     /* a block was read that has prefixed fixed values */
} frz_avro_lane;

/* Compiles anew. */
FRZ_MUST_CHECK frz_status frz_avro_lane_compile(frz_avro_lane *lane,
                                                const frz_avro_container *container,
                                                const frz_avro_schema *schema,
                                                const frz_avro_projection *projection,
                                                frz_error **err);

/* Where blocks come from: the next one as it stands in the file, FRZ_END after the last. */
typedef frz_status (*frz_avro_next_block)(void *context, frz_avro_block *out, frz_error **err);

/*
 * Decodes one batch of at most `rows_max` rows: a part of a block, or several small ones. FRZ_END
 * when no block is left. The bytes of a block are looked at as long as rows of it are left, in
 * further calls. On failure the columns are empty.
 */
FRZ_MUST_CHECK frz_status frz_avro_lane_next(frz_avro_lane *lane, frz_avro_next_block next,
                                             void *context, int64_t rows_max,
                                             struct ArrowArray *out, frz_error **err);

void frz_avro_lane_clear(frz_avro_lane *lane);

#endif
