#include "base/codec.h"

#include <brotli/decode.h>
#include <brotli/encode.h>
#include <libdeflate.h>
#include <snappy-c.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/codec_format.h"
#include "base/fail.h"
#include "base/mem.h"

enum {
    ZSTD_LEVEL_DEFAULT = 1, /* near lz4's speed, and smaller than gzip's default */
    DEFLATE_LEVEL_DEFAULT = 6,
    DEFLATE_LEVEL_MAX = 12,
    BROTLI_LEVEL_DEFAULT = 4
};

const char *frz_codec_name(frz_codec codec)
{
    static const char *const names[] = {
        [FRZ_CODEC_NONE] = "uncompressed",
        [FRZ_CODEC_SNAPPY] = "snappy",
        [FRZ_CODEC_GZIP] = "gzip",
        [FRZ_CODEC_DEFLATE] = "deflate",
        [FRZ_CODEC_ZSTD] = "zstd",
        [FRZ_CODEC_LZ4_RAW] = "lz4_raw",
        [FRZ_CODEC_LZ4_HADOOP] = "lz4",
        [FRZ_CODEC_LZ4_FRAME] = "lz4 frame",
        [FRZ_CODEC_BROTLI] = "brotli",
        [FRZ_CODEC_BZIP2] = "bzip2",
        [FRZ_CODEC_XZ] = "xz",
    };
    return (size_t)codec < sizeof names / sizeof names[0] ? names[codec] : "unknown codec";
}

frz_status frz_codec_corrupt(frz_codec codec, frz_slice bytes, const char *what, frz_error **err)
{
    return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "%s data of %zu bytes: %s",
                    frz_codec_name(codec), bytes.size, what);
}

frz_status frz_codec_check_size(frz_codec codec, frz_slice bytes, size_t want, size_t got,
                                frz_error **err)
{
    if (want == got)
        return FRZ_OK;
    return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                    "%s data of %zu bytes: expected %zu bytes decompressed, got %zu",
                    frz_codec_name(codec), bytes.size, want, got);
}

static frz_status too_large(frz_codec codec, frz_slice bytes, size_t size_max, frz_error **err)
{
    return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                    "%s data of %zu bytes decompresses to more than the limit of %zu bytes",
                    frz_codec_name(codec), bytes.size, size_max);
}

void frz_codec_context_clear(frz_codec_context *context)
{
    (void)ZSTD_freeDCtx(context->zstd_decompress);
    (void)ZSTD_freeCCtx(context->zstd_compress);
    libdeflate_free_decompressor(context->deflate_decompress);
    libdeflate_free_compressor(context->deflate_compress);
    *context = (frz_codec_context){0};
}

static frz_status decompress_zstd(frz_codec_context *context, frz_slice bytes, uint8_t *out,
                                  size_t out_size, frz_error **err)
{
    if (!context->zstd_decompress && !(context->zstd_decompress = ZSTD_createDCtx()))
        return frz_fail_memory(err);
    const size_t got =
        ZSTD_decompressDCtx(context->zstd_decompress, out, out_size, bytes.data, bytes.size);
    if (ZSTD_isError(got))
        return ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation
                   ? frz_fail_memory(err)
                   : frz_codec_corrupt(FRZ_CODEC_ZSTD, bytes, ZSTD_getErrorName(got), err);
    return frz_codec_check_size(FRZ_CODEC_ZSTD, bytes, out_size, got, err);
}

static frz_status decompress_snappy(frz_slice bytes, uint8_t *out, size_t out_size, frz_error **err)
{
    const char *in = (const char *)bytes.data;
    size_t size = 0;
    if (snappy_uncompressed_length(in, bytes.size, &size) != SNAPPY_OK)
        return frz_codec_corrupt(FRZ_CODEC_SNAPPY, bytes, "it does not start with a length", err);
    FRZ_TRY(frz_codec_check_size(FRZ_CODEC_SNAPPY, bytes, out_size, size, err));
    if (snappy_uncompress(in, bytes.size, (char *)out, &size) != SNAPPY_OK)
        return frz_codec_corrupt(FRZ_CODEC_SNAPPY, bytes, "an element is wrong", err);
    return frz_codec_check_size(FRZ_CODEC_SNAPPY, bytes, out_size, size, err);
}

static frz_status decompress_brotli(frz_slice bytes, uint8_t *out, size_t out_size, frz_error **err)
{
    size_t got = out_size;
    if (BrotliDecoderDecompress(bytes.size, bytes.data, &got, out) != BROTLI_DECODER_RESULT_SUCCESS)
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                        "brotli data of %zu bytes is no stream of %zu bytes", bytes.size, out_size);
    return frz_codec_check_size(FRZ_CODEC_BROTLI, bytes, out_size, got, err);
}

/*
 * All members of a gzip file, or one deflate stream, into `room` bytes.
 * LIBDEFLATE_INSUFFICIENT_SPACE when more would come out.
 */
static enum libdeflate_result inflate_all(struct libdeflate_decompressor *decoder, frz_codec codec,
                                          frz_slice bytes, uint8_t *out, size_t room,
                                          size_t *got_out)
{
    size_t read = 0;
    size_t filled = 0;
    do {
        size_t taken = 0;
        size_t given = 0;
        const enum libdeflate_result result =
            codec == FRZ_CODEC_GZIP
                ? libdeflate_gzip_decompress_ex(decoder, bytes.data + read, bytes.size - read,
                                                out + filled, room - filled, &taken, &given)
                : libdeflate_deflate_decompress_ex(decoder, bytes.data, bytes.size, out, room,
                                                   &taken, &given);
        if (result != LIBDEFLATE_SUCCESS)
            return result;
        read += taken;
        filled += given;
    } while (codec == FRZ_CODEC_GZIP && read < bytes.size);
    *got_out = filled;
    /* A raw stream ends itself; early Avro writers left stray bytes behind it. */
    return read == bytes.size || codec == FRZ_CODEC_DEFLATE ? LIBDEFLATE_SUCCESS
                                                            : LIBDEFLATE_BAD_DATA;
}

static frz_status prepare_inflate(frz_codec_context *context, frz_codec codec, frz_slice bytes,
                                  frz_error **err)
{
    if (bytes.size == 0)
        return frz_codec_corrupt(codec, bytes, "there is no stream", err);
    if (!context->deflate_decompress &&
        !(context->deflate_decompress = libdeflate_alloc_decompressor()))
        return frz_fail_memory(err);
    return FRZ_OK;
}

static frz_status decompress_deflate(frz_codec_context *context, frz_codec codec, frz_slice bytes,
                                     uint8_t *out, size_t out_size, frz_error **err)
{
    FRZ_TRY(prepare_inflate(context, codec, bytes, err));
    size_t got = 0;
    const enum libdeflate_result result =
        inflate_all(context->deflate_decompress, codec, bytes, out, out_size, &got);
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE)
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                        "%s data of %zu bytes: expected %zu bytes decompressed, got more",
                        frz_codec_name(codec), bytes.size, out_size);
    if (result != LIBDEFLATE_SUCCESS)
        return frz_codec_corrupt(codec, bytes, "the stream or its checksum is wrong", err);
    return frz_codec_check_size(codec, bytes, out_size, got, err);
}

/* gzip ends with the size of its last member; otherwise four to one is usual. */
static size_t guess_size(frz_codec codec, frz_slice bytes, size_t size_max)
{
    size_t guess = bytes.size < SIZE_MAX / 4 ? bytes.size * 4 : bytes.size;
    if (codec == FRZ_CODEC_GZIP && bytes.size >= 18) {
        const uint8_t *last = bytes.data + bytes.size - 4;
        const size_t said =
            (size_t)last[0] | (size_t)last[1] << 8 | (size_t)last[2] << 16 | (size_t)last[3] << 24;
        /* Deflate cannot do better than 1032 to one. */
        if (said / 1032 <= bytes.size)
            guess = said;
    }
    if (guess < 1024)
        guess = 1024;
    return guess < size_max ? guess : size_max;
}

static frz_status inflate_unknown(frz_codec_context *context, frz_codec codec, frz_slice bytes,
                                  size_t size_max, frz_buffer *out, frz_error **err)
{
    FRZ_TRY(prepare_inflate(context, codec, bytes, err));
    /* A buffer that is used again has seen blocks like this one: its room spares a second try. */
    const size_t spare =
        out->capacity - out->size < size_max ? out->capacity - out->size : size_max;
    const size_t guess = guess_size(codec, bytes, size_max);
    for (size_t room = guess > spare ? guess : spare;;) {
        uint8_t *at = frz_buffer_reserve(out, room);
        if (!at)
            return frz_fail_memory(err);
        size_t got = 0;
        const enum libdeflate_result result =
            inflate_all(context->deflate_decompress, codec, bytes, at, room, &got);
        if (result == LIBDEFLATE_SUCCESS) {
            out->size += got;
            return FRZ_OK;
        }
        if (result != LIBDEFLATE_INSUFFICIENT_SPACE)
            return frz_codec_corrupt(codec, bytes, "the stream or its checksum is wrong", err);
        if (room == size_max)
            return too_large(codec, bytes, size_max, err);
        room = room > size_max / 2 ? size_max : room * 2;
    }
}

static frz_status decompress_by_stream(frz_codec codec, frz_slice bytes, uint8_t *out,
                                       size_t out_size, frz_error **err)
{
    frz_buffer whole = {0};
    frz_status status = frz_codec_stream(codec, bytes, out_size, &whole, err);
    if (status == FRZ_OK)
        status = frz_codec_check_size(codec, bytes, out_size, whole.size, err);
    if (status == FRZ_OK && out_size > 0)
        memcpy(out, whole.data, out_size);
    frz_buffer_clear(&whole);
    return status;
}

static frz_status decompress_with(frz_codec_context *context, frz_codec codec, frz_slice bytes,
                                  uint8_t *out, size_t out_size, frz_error **err)
{
    switch (codec) {
    case FRZ_CODEC_NONE:
        FRZ_TRY(frz_codec_check_size(codec, bytes, out_size, bytes.size, err));
        if (out_size > 0)
            memcpy(out, bytes.data, out_size);
        return FRZ_OK;
    case FRZ_CODEC_SNAPPY:
        return decompress_snappy(bytes, out, out_size, err);
    case FRZ_CODEC_GZIP:
    case FRZ_CODEC_DEFLATE:
        return decompress_deflate(context, codec, bytes, out, out_size, err);
    case FRZ_CODEC_ZSTD:
        return decompress_zstd(context, bytes, out, out_size, err);
    case FRZ_CODEC_LZ4_RAW:
    case FRZ_CODEC_LZ4_HADOOP:
    case FRZ_CODEC_LZ4_FRAME:
        return frz_codec_lz4_decompress(codec, bytes, out, out_size, err);
    case FRZ_CODEC_BROTLI:
        return decompress_brotli(bytes, out, out_size, err);
    case FRZ_CODEC_BZIP2:
    case FRZ_CODEC_XZ:
        return decompress_by_stream(codec, bytes, out, out_size, err);
    }
    return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "codec %d is unknown", (int)codec);
}

/* The libraries want pointers even to nothing. */
static frz_slice never_null(frz_slice bytes)
{
    static const uint8_t nothing[1] = {0};
    return bytes.data ? bytes : frz_slice_of(nothing, 0);
}

frz_status frz_codec_decompress(frz_codec_context *context, frz_codec codec, frz_slice bytes,
                                uint8_t *out, size_t out_size, frz_error **err)
{
    uint8_t nothing[1];
    frz_codec_context own = {0};
    const frz_status status = decompress_with(context ? context : &own, codec, never_null(bytes),
                                              out ? out : nothing, out ? out_size : 0, err);
    frz_codec_context_clear(&own);
    return status;
}

static frz_status decompress_unknown(frz_codec_context *context, frz_codec codec, frz_slice bytes,
                                     size_t size_max, frz_buffer *out, frz_error **err)
{
    size_t size = bytes.size;
    switch (codec) {
    case FRZ_CODEC_GZIP:
    case FRZ_CODEC_DEFLATE:
        return inflate_unknown(context, codec, bytes, size_max, out, err);
    case FRZ_CODEC_ZSTD:
    case FRZ_CODEC_LZ4_FRAME:
    case FRZ_CODEC_BROTLI:
    case FRZ_CODEC_BZIP2:
    case FRZ_CODEC_XZ:
        return frz_codec_stream(codec, bytes, size_max, out, err);
    case FRZ_CODEC_LZ4_RAW:
    case FRZ_CODEC_LZ4_HADOOP:
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "%s data of %zu bytes without a recorded size", frz_codec_name(codec),
                        bytes.size);
    case FRZ_CODEC_SNAPPY:
        if (snappy_uncompressed_length((const char *)bytes.data, bytes.size, &size) != SNAPPY_OK)
            return frz_codec_corrupt(codec, bytes, "it does not start with a length", err);
        /* The densest element makes 64 bytes of three. */
        if (size / 22 > bytes.size)
            return frz_codec_corrupt(codec, bytes, "its length is more than it can hold", err);
        break;
    case FRZ_CODEC_NONE:
        break;
    }
    if (size > size_max)
        return too_large(codec, bytes, size_max, err);
    uint8_t *at = frz_buffer_reserve(out, size);
    if (!at)
        return frz_fail_memory(err);
    FRZ_TRY(decompress_with(context, codec, bytes, at, size, err));
    out->size += size;
    return FRZ_OK;
}

frz_status frz_codec_decompress_unknown(frz_codec_context *context, frz_codec codec,
                                        frz_slice bytes, size_t size_max, frz_buffer *out,
                                        frz_error **err)
{
    const size_t start = out->size;
    frz_codec_context own = {0};
    const frz_status status =
        decompress_unknown(context ? context : &own, codec, never_null(bytes), size_max, out, err);
    if (status != FRZ_OK)
        out->size = start;
    frz_codec_context_clear(&own);
    return status;
}

/* FRZ_INVALID unless `level` is within the codec's range; the default replaced. */
static frz_status resolve_level(frz_codec codec, int32_t level, int32_t standard, int32_t least,
                                int32_t most, int32_t *out, frz_error **err)
{
    if (level == FRZ_CODEC_LEVEL_DEFAULT)
        level = standard;
    if (level < least || level > most)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "compression level %d for %s: expected %d to %d", level,
                        frz_codec_name(codec), least, most);
    *out = level;
    return FRZ_OK;
}

static frz_status compress_zstd(frz_codec_context *context, int32_t level, frz_slice bytes,
                                frz_buffer *out, frz_error **err)
{
    FRZ_TRY(resolve_level(FRZ_CODEC_ZSTD, level, ZSTD_LEVEL_DEFAULT, ZSTD_minCLevel(),
                          ZSTD_maxCLevel(), &level, err));
    if (!context->zstd_compress && !(context->zstd_compress = ZSTD_createCCtx()))
        return frz_fail_memory(err);
    const size_t bound = ZSTD_compressBound(bytes.size);
    uint8_t *at = frz_buffer_reserve(out, bound);
    if (!at)
        return frz_fail_memory(err);
    const size_t size =
        ZSTD_compressCCtx(context->zstd_compress, at, bound, bytes.data, bytes.size, level);
    if (ZSTD_isError(size))
        return frz_fail_memory(
            err); /* the room is enough and the level right: only memory is left */
    out->size += size;
    return FRZ_OK;
}

static frz_status compress_deflate(frz_codec_context *context, frz_codec codec, int32_t level,
                                   frz_slice bytes, frz_buffer *out, frz_error **err)
{
    FRZ_TRY(resolve_level(codec, level, DEFLATE_LEVEL_DEFAULT, 0, DEFLATE_LEVEL_MAX, &level, err));
    if (context->deflate_compress && context->deflate_level != level) {
        libdeflate_free_compressor(context->deflate_compress);
        context->deflate_compress = NULL;
    }
    if (!context->deflate_compress) {
        context->deflate_compress = libdeflate_alloc_compressor(level);
        context->deflate_level = level;
    }
    if (!context->deflate_compress)
        return frz_fail_memory(err);
    const bool gzip = codec == FRZ_CODEC_GZIP;
    struct libdeflate_compressor *encoder = context->deflate_compress;
    const size_t bound = gzip ? libdeflate_gzip_compress_bound(encoder, bytes.size)
                              : libdeflate_deflate_compress_bound(encoder, bytes.size);
    uint8_t *at = frz_buffer_reserve(out, bound);
    if (!at)
        return frz_fail_memory(err);
    out->size += gzip ? libdeflate_gzip_compress(encoder, bytes.data, bytes.size, at, bound)
                      : libdeflate_deflate_compress(encoder, bytes.data, bytes.size, at, bound);
    return FRZ_OK;
}

static frz_status compress_snappy(frz_slice bytes, frz_buffer *out, frz_error **err)
{
    if (bytes.size > UINT32_MAX)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "snappy takes at most %u bytes at once, not %zu", UINT32_MAX, bytes.size);
    size_t size = snappy_max_compressed_length(bytes.size);
    uint8_t *at = frz_buffer_reserve(out, size);
    if (!at ||
        snappy_compress((const char *)bytes.data, bytes.size, (char *)at, &size) != SNAPPY_OK)
        return frz_fail_memory(err);
    out->size += size;
    return FRZ_OK;
}

static frz_status compress_brotli(int32_t level, frz_slice bytes, frz_buffer *out, frz_error **err)
{
    FRZ_TRY(resolve_level(FRZ_CODEC_BROTLI, level, BROTLI_LEVEL_DEFAULT, BROTLI_MIN_QUALITY,
                          BROTLI_MAX_QUALITY, &level, err));
    size_t size = BrotliEncoderMaxCompressedSize(bytes.size);
    uint8_t *at = size ? frz_buffer_reserve(out, size) : NULL;
    if (!at || !BrotliEncoderCompress(level, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_GENERIC, bytes.size,
                                      bytes.data, &size, at))
        return frz_fail_memory(err);
    out->size += size;
    return FRZ_OK;
}

static frz_status compress_with(frz_codec_context *context, frz_codec codec, int32_t level,
                                frz_slice bytes, frz_buffer *out, frz_error **err)
{
    switch (codec) {
    case FRZ_CODEC_NONE:
        frz_buffer_append(out, bytes.data, bytes.size);
        return frz_buffer_check(out, err);
    case FRZ_CODEC_SNAPPY:
        return compress_snappy(bytes, out, err);
    case FRZ_CODEC_GZIP:
    case FRZ_CODEC_DEFLATE:
        return compress_deflate(context, codec, level, bytes, out, err);
    case FRZ_CODEC_ZSTD:
        return compress_zstd(context, level, bytes, out, err);
    case FRZ_CODEC_LZ4_RAW:
    case FRZ_CODEC_LZ4_FRAME:
        return frz_codec_lz4_compress(codec, level, bytes, out, err);
    case FRZ_CODEC_BROTLI:
        return compress_brotli(level, bytes, out, err);
    case FRZ_CODEC_LZ4_HADOOP:
    case FRZ_CODEC_BZIP2:
    case FRZ_CODEC_XZ:
        break;
    }
    return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "writing with the codec %s",
                    frz_codec_name(codec));
}

frz_status frz_codec_compress(frz_codec_context *context, frz_codec codec, int32_t level,
                              frz_slice bytes, frz_buffer *out, frz_error **err)
{
    frz_codec_context own = {0};
    const frz_status status =
        compress_with(context ? context : &own, codec, level, never_null(bytes), out, err);
    frz_codec_context_clear(&own);
    return status;
}
