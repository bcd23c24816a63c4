/*
 * The formats behind base/codec.h that need more than one call of their library: LZ4 in its three
 * framings, and streams that do not record how long they become.
 */
#ifndef FRZ_BASE_CODEC_FORMAT_H
#define FRZ_BASE_CODEC_FORMAT_H

#include "base/buffer.h"
#include "base/codec.h"

/* FRZ_CORRUPT with the name of the codec, how many bytes it was given, and `what` is wrong. */
frz_status frz_codec_corrupt(frz_codec codec, frz_slice bytes, const char *what, frz_error **err);
/* FRZ_CORRUPT unless `got` is `want`. */
FRZ_MUST_CHECK frz_status frz_codec_check_size(frz_codec codec, frz_slice bytes, size_t want,
                                               size_t got, frz_error **err);

/* LZ4_RAW, LZ4_HADOOP and LZ4_FRAME: exactly `out_size` bytes. */
FRZ_MUST_CHECK frz_status frz_codec_lz4_decompress(frz_codec codec, frz_slice bytes, uint8_t *out,
                                                   size_t out_size, frz_error **err);
/* LZ4_RAW and LZ4_FRAME. Appends. */
FRZ_MUST_CHECK frz_status frz_codec_lz4_compress(frz_codec codec, int32_t level, frz_slice bytes,
                                                 frz_buffer *out, frz_error **err);

/* zstd, brotli, LZ4 frame, bzip2 and xz as streams; appends at most `size_max` bytes, else
 * FRZ_UNSUPPORTED. On failure *out may hold a part. */
FRZ_MUST_CHECK frz_status frz_codec_stream(frz_codec codec, frz_slice bytes, size_t size_max,
                                           frz_buffer *out, frz_error **err);

#endif
