/*
 * Object container files: header and blocks ("Object Container Files").
 *
 * Bytes come through one window over the file, so that a small file is one read; a file that is
 * mapped is used in place.
 */
#ifndef FRZ_AVRO_CONTAINER_H
#define FRZ_AVRO_CONTAINER_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/codec.h"
#include "base/limits.h"
#include "frazil/extend/io.h"

enum { FRZ_AVRO_SYNC_SIZE = 16 };

typedef struct frz_avro_metadata {
    const char *key;
    frz_slice value;
} frz_avro_metadata;

typedef struct frz_avro_container {
    frz_input *input; /* borrowed */
    const frz_limits *limits;
    uint64_t file_size;
    uint64_t offset; /* where the next block begins */
    frz_arena arena; /* owns the metadata */
    frz_avro_metadata *metadata;
    size_t metadata_count;
    uint8_t sync[FRZ_AVRO_SYNC_SIZE];
    frz_codec codec;
    uint64_t window_offset;
    frz_buffer window;
} frz_avro_container;

/* One block. */
typedef struct frz_avro_block {
    int64_t count;
    uint64_t offset; /* of its (compressed) bytes in the file */
    bool packed;     /* they are compressed there */
    frz_slice bytes;
} frz_avro_block;

/* What decompresses blocks, one at a time; zeroed at first. */
typedef struct frz_avro_unpacker {
    frz_codec_context context;
    frz_buffer bytes;
} frz_avro_unpacker;

/* Reads the header. On failure *container is clear. */
FRZ_MUST_CHECK frz_status frz_avro_container_open(frz_avro_container *container, frz_input *input,
                                                  const frz_limits *limits, frz_error **err);

/* False when there is no such key. */
bool frz_avro_container_find(const frz_avro_container *container, const char *key, frz_slice *out);

/* The next block as it stands in the file; FRZ_END at the end. Its bytes are borrowed until the
 * next call, of a file that is mapped as long as its input. After a failure the same block comes
 * again. */
FRZ_MUST_CHECK frz_status frz_avro_container_next(frz_avro_container *container,
                                                  frz_avro_block *out, frz_error **err);

/* How many bytes the next block takes in the file; FRZ_END at the end. */
FRZ_MUST_CHECK frz_status frz_avro_container_peek(frz_avro_container *container, size_t *size_out,
                                                  frz_error **err);

/* Replaces the bytes by what they decompress to; these live in `unpacker` until it is used again.
 */
FRZ_MUST_CHECK frz_status frz_avro_block_unpack(const frz_avro_container *container,
                                                frz_avro_unpacker *unpacker, frz_avro_block *block,
                                                frz_error **err);

void frz_avro_unpacker_clear(frz_avro_unpacker *unpacker);

void frz_avro_container_clear(frz_avro_container *container);

#endif
