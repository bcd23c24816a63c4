#include "base/codec_format.h"

#include <lz4.h>
#include <lz4frame.h>
#include <string.h>

#include "base/cursor.h"
#include "base/fail.h"

/* Exactly out_size bytes from one block. */
static bool decompress_block(frz_slice bytes, uint8_t *out, size_t out_size)
{
    if (bytes.size > INT32_MAX || out_size > INT32_MAX)
        return false;
    const int got =
        LZ4_decompress_safe((const char *)bytes.data, (char *)out, (int)bytes.size, (int)out_size);
    return got >= 0 && (size_t)got == out_size;
}

/*
 * Hadoop's BlockCompressorStream: runs of [size decompressed, then chunks [size compressed, block]
 * until that many bytes have come out], all sizes 32-bit big endian (parquet-format, Compression.md
 * "LZ4").
 */
static bool decompress_hadoop(frz_slice bytes, uint8_t *out, size_t out_size)
{
    frz_cursor cursor = frz_cursor_over_slice(bytes);
    size_t filled = 0;
    while (frz_cursor_left(&cursor) > 0) {
        size_t run_left = frz_cursor_u32be(&cursor);
        if (cursor.failed || run_left > out_size - filled)
            return false;
        while (run_left > 0) {
            const size_t chunk_size = frz_cursor_u32be(&cursor);
            const uint8_t *chunk = frz_cursor_take(&cursor, chunk_size);
            if (!chunk || chunk_size == 0 || chunk_size > INT32_MAX || run_left > INT32_MAX)
                return false;
            const int got = LZ4_decompress_safe((const char *)chunk, (char *)out + filled,
                                                (int)chunk_size, (int)run_left);
            if (got <= 0)
                return false;
            filled += (size_t)got;
            run_left -= (size_t)got;
        }
    }
    return filled == out_size;
}

static frz_status decompress_frame(frz_codec codec, frz_slice bytes, uint8_t *out, size_t out_size,
                                   frz_error **err)
{
    LZ4F_dctx *context = NULL;
    if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)))
        return frz_fail_memory(err);
    frz_status status = FRZ_OK;
    size_t read = 0;
    size_t filled = 0;
    size_t hint = 1;
    while (hint != 0 && read < bytes.size) {
        size_t in_size = bytes.size - read;
        size_t room = out_size - filled;
        hint = LZ4F_decompress(context, out + filled, &room, bytes.data + read, &in_size, NULL);
        read += in_size;
        filled += room;
        if (LZ4F_isError(hint)) {
            status = frz_codec_corrupt(codec, bytes, LZ4F_getErrorName(hint), err);
            goto done;
        }
        if (in_size == 0 && room == 0)
            break;
    }
    if (hint != 0 && filled < out_size)
        status = frz_codec_corrupt(codec, bytes, "the frame ends too early", err);
    else if (hint != 0)
        status = frz_codec_corrupt(codec, bytes, "the frame holds more than its size", err);
    else if (read != bytes.size)
        status = frz_codec_corrupt(codec, bytes, "bytes follow the frame", err);
    else
        status = frz_codec_check_size(codec, bytes, out_size, filled, err);
done:
    (void)LZ4F_freeDecompressionContext(context);
    return status;
}

static bool starts_as_frame(frz_slice bytes)
{
    return bytes.size >= 4 && memcmp(bytes.data, "\x04\x22\x4d\x18", 4) == 0;
}

frz_status frz_codec_lz4_decompress(frz_codec codec, frz_slice bytes, uint8_t *out, size_t out_size,
                                    frz_error **err)
{
    if (codec == FRZ_CODEC_LZ4_FRAME)
        return decompress_frame(codec, bytes, out, out_size, err);
    if (codec == FRZ_CODEC_LZ4_HADOOP && decompress_hadoop(bytes, out, out_size))
        return FRZ_OK;
    if (decompress_block(bytes, out, out_size))
        return FRZ_OK;
    if (codec == FRZ_CODEC_LZ4_HADOOP && starts_as_frame(bytes))
        return decompress_frame(codec, bytes, out, out_size, err);
    return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                    "%s data of %zu bytes is no block of %zu bytes", frz_codec_name(codec),
                    bytes.size, out_size);
}

static frz_status compress_raw(frz_slice bytes, frz_buffer *out, frz_error **err)
{
    const int bound = LZ4_compressBound((int)bytes.size);
    uint8_t *at = frz_buffer_reserve(out, (size_t)bound);
    if (!at)
        return frz_fail_memory(err);
    const int size =
        LZ4_compress_default((const char *)bytes.data, (char *)at, (int)bytes.size, bound);
    if (size <= 0)
        return frz_fail_memory(err); /* the room is enough, so only its own state can be missing */
    out->size += (size_t)size;
    return FRZ_OK;
}

frz_status frz_codec_lz4_compress(frz_codec codec, int32_t level, frz_slice bytes, frz_buffer *out,
                                  frz_error **err)
{
    if (bytes.size > LZ4_MAX_INPUT_SIZE)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "%s takes at most %d bytes at once, not %zu", frz_codec_name(codec),
                        LZ4_MAX_INPUT_SIZE, bytes.size);
    if (codec == FRZ_CODEC_LZ4_RAW)
        return compress_raw(bytes, out, err);

    /* Puffin: a single frame with the content size present (puffin-spec, "Compression codecs"). */
    const LZ4F_preferences_t preferences = {
        .frameInfo = {.contentSize = bytes.size, .blockMode = LZ4F_blockIndependent},
        .compressionLevel = level == FRZ_CODEC_LEVEL_DEFAULT ? 0 : level,
    };
    const size_t bound = LZ4F_compressFrameBound(bytes.size, &preferences);
    uint8_t *at = frz_buffer_reserve(out, bound);
    if (!at)
        return frz_fail_memory(err);
    const size_t size = LZ4F_compressFrame(at, bound, bytes.data, bytes.size, &preferences);
    if (LZ4F_isError(size))
        return frz_fail_memory(err);
    out->size += size;
    return FRZ_OK;
}
