/*
 * Compression codecs by one interface. Decompression writes into memory of a known size and refuses
 * anything that does not fill it exactly, unless the format does not record the size (gzip, xz,
 * bzip2 streams: frz_codec_decompress_unknown, bounded by a limit).
 *
 * Thread rule: functions may be called from any thread; a frz_codec_context belongs to one thread.
 */
#ifndef FRZ_BASE_CODEC_H
#define FRZ_BASE_CODEC_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/slice.h"
#include "frazil/error.h"

typedef enum frz_codec {
    FRZ_CODEC_NONE,
    FRZ_CODEC_SNAPPY,  /* raw snappy block */
    FRZ_CODEC_GZIP,    /* RFC 1952, concatenated members allowed */
    FRZ_CODEC_DEFLATE, /* RFC 1951 raw (Avro) */
    FRZ_CODEC_ZSTD,
    FRZ_CODEC_LZ4_RAW,    /* LZ4 block */
    FRZ_CODEC_LZ4_HADOOP, /* Parquet's deprecated LZ4: Hadoop frames, else a raw block, else an LZ4
                             frame */
    FRZ_CODEC_LZ4_FRAME,  /* Puffin footer and blobs */
    FRZ_CODEC_BROTLI,
    FRZ_CODEC_BZIP2, /* Avro found in the wild; read only */
    FRZ_CODEC_XZ     /* Avro found in the wild; read only */
} frz_codec;

enum { FRZ_CODEC_LEVEL_DEFAULT = INT32_MIN };

/* Reusable state (zstd and deflate contexts), so that pages do not allocate. All zero is valid. */
typedef struct frz_codec_context {
    void *zstd_decompress;
    void *zstd_compress;
    void *deflate_decompress;
    void *deflate_compress;
    int32_t deflate_level;
} frz_codec_context;

/* FRZ_CORRUPT unless `bytes` decompress to exactly `out_size` bytes. `context` may be NULL. */
FRZ_MUST_CHECK frz_status frz_codec_decompress(frz_codec_context *context, frz_codec codec,
                                               frz_slice bytes, uint8_t *out, size_t out_size,
                                               frz_error **err);

/* Appends; FRZ_UNSUPPORTED when more than `size_max` would come out, and for raw LZ4 blocks, whose
 * size must be known. */
FRZ_MUST_CHECK frz_status frz_codec_decompress_unknown(frz_codec_context *context, frz_codec codec,
                                                       frz_slice bytes, size_t size_max,
                                                       frz_buffer *out, frz_error **err);

/* Appends the compressed bytes. FRZ_UNSUPPORTED for read-only codecs (LZ4_HADOOP, bzip2, xz);
 * FRZ_INVALID for a level that gzip, deflate (0 to 12), zstd or brotli (0 to 11) does not have; the
 * others have none and ignore it. */
FRZ_MUST_CHECK frz_status frz_codec_compress(frz_codec_context *context, frz_codec codec,
                                             int32_t level, frz_slice bytes, frz_buffer *out,
                                             frz_error **err);

/* "zstd", "snappy", ...; never NULL. */
const char *frz_codec_name(frz_codec codec);

void frz_codec_context_clear(frz_codec_context *context);

#endif
