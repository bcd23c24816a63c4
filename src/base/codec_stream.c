#include "base/codec_format.h"

#include <brotli/decode.h>
#include <bzlib.h>
#include <lz4frame.h>
#include <lzma.h>
#include <zstd.h>

#include "base/fail.h"

enum {
    STEP_SIZE_MIN = 64 * 1024,
    STEP_SIZE_MAX = 1024 * 1024 * 1024, /* fits the 32-bit counters of bzip2 */
    XZ_MEMORY_MAX = 256 * 1024 * 1024   /* the largest preset dictionary is 64 MB */
};

/* A stream on its way through a decoder. */
typedef struct stream {
    frz_codec codec;
    frz_slice bytes;
    size_t read; /* bytes the decoder has taken */
    frz_buffer *out;
    size_t start; /* out->size before */
    size_t size_max;
} stream;

/*
 * Room for the next step, doubling with what has come out. One byte beyond size_max is offered: a
 * decoder that fills it has too much, one that does not has ended.
 */
static frz_status offer_room(stream *flow, size_t *room_out, frz_error **err)
{
    const size_t made = flow->out->size - flow->start;
    size_t room = made < STEP_SIZE_MIN ? STEP_SIZE_MIN : made;
    if (room > flow->size_max - made)
        room = flow->size_max - made + 1;
    if (room > STEP_SIZE_MAX)
        room = STEP_SIZE_MAX;
    if (!frz_buffer_reserve(flow->out, room))
        return frz_fail_memory(err);
    *room_out = room;
    return FRZ_OK;
}

static uint8_t *room_of(const stream *flow)
{
    return flow->out->data + flow->out->size;
}

/* Books what one step took and gave. A step without either cannot go on: the stream is cut off. */
static frz_status book_step(stream *flow, size_t taken, size_t given, frz_error **err)
{
    flow->read += taken;
    flow->out->size += given;
    if (flow->out->size - flow->start > flow->size_max)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "%s data of %zu bytes decompresses to more than the limit of %zu bytes",
                        frz_codec_name(flow->codec), flow->bytes.size, flow->size_max);
    if (taken == 0 && given == 0)
        return frz_codec_corrupt(flow->codec, flow->bytes, "the stream ends too early", err);
    return FRZ_OK;
}

static frz_status check_all_read(const stream *flow, frz_error **err)
{
    if (flow->read == flow->bytes.size)
        return FRZ_OK;
    return frz_codec_corrupt(flow->codec, flow->bytes, "bytes follow the end of the stream", err);
}

static frz_status read_zstd(stream *flow, frz_error **err)
{
    ZSTD_DStream *decoder = ZSTD_createDStream();
    if (!decoder)
        return frz_fail_memory(err);
    frz_status status = FRZ_OK;
    size_t hint = 1;
    /* Several frames may follow each other (RFC 8878, section 3). */
    while (hint != 0 || flow->read < flow->bytes.size) {
        size_t room = 0;
        FRZ_TRY_DONE(offer_room(flow, &room, err));
        ZSTD_inBuffer in = {flow->bytes.data + flow->read, flow->bytes.size - flow->read, 0};
        ZSTD_outBuffer out = {room_of(flow), room, 0};
        hint = ZSTD_decompressStream(decoder, &out, &in);
        if (ZSTD_isError(hint)) {
            status = frz_codec_corrupt(flow->codec, flow->bytes, ZSTD_getErrorName(hint), err);
            goto done;
        }
        FRZ_TRY_DONE(book_step(flow, in.pos, out.pos, err));
    }
done:
    (void)ZSTD_freeDStream(decoder);
    return status;
}

static frz_status read_lz4_frame(stream *flow, frz_error **err)
{
    LZ4F_dctx *decoder = NULL;
    if (LZ4F_isError(LZ4F_createDecompressionContext(&decoder, LZ4F_VERSION)))
        return frz_fail_memory(err);
    frz_status status = FRZ_OK;
    size_t hint = 1;
    while (hint != 0) {
        size_t room = 0;
        FRZ_TRY_DONE(offer_room(flow, &room, err));
        size_t taken = flow->bytes.size - flow->read;
        hint = LZ4F_decompress(decoder, room_of(flow), &room, flow->bytes.data + flow->read, &taken,
                               NULL);
        if (LZ4F_isError(hint)) {
            status = frz_codec_corrupt(flow->codec, flow->bytes, LZ4F_getErrorName(hint), err);
            goto done;
        }
        if (hint != 0 || room != 0)
            FRZ_TRY_DONE(book_step(flow, taken, room, err));
        else
            flow->read += taken;
    }
    FRZ_TRY_DONE(check_all_read(flow, err));
done:
    (void)LZ4F_freeDecompressionContext(decoder);
    return status;
}

static frz_status read_brotli(stream *flow, frz_error **err)
{
    BrotliDecoderState *decoder = BrotliDecoderCreateInstance(NULL, NULL, NULL);
    if (!decoder)
        return frz_fail_memory(err);
    frz_status status = FRZ_OK;
    BrotliDecoderResult result = BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT;
    while (result != BROTLI_DECODER_RESULT_SUCCESS) {
        size_t room = 0;
        FRZ_TRY_DONE(offer_room(flow, &room, err));
        const size_t in_size = flow->bytes.size - flow->read;
        size_t in_left = in_size;
        size_t out_left = room;
        const uint8_t *in = flow->bytes.data + flow->read;
        uint8_t *out = room_of(flow);
        result = BrotliDecoderDecompressStream(decoder, &in_left, &in, &out_left, &out, NULL);
        if (result == BROTLI_DECODER_RESULT_ERROR) {
            const char *what = BrotliDecoderErrorString(BrotliDecoderGetErrorCode(decoder));
            status = frz_codec_corrupt(flow->codec, flow->bytes, what, err);
            goto done;
        }
        const bool ended = result == BROTLI_DECODER_RESULT_SUCCESS && in_left == in_size;
        if (ended && out_left == room)
            break;
        FRZ_TRY_DONE(book_step(flow, in_size - in_left, room - out_left, err));
    }
    FRZ_TRY_DONE(check_all_read(flow, err));
done:
    BrotliDecoderDestroyInstance(decoder);
    return status;
}

static size_t step_size(size_t size)
{
    return size > STEP_SIZE_MAX ? STEP_SIZE_MAX : size;
}

static const char *bzip2_error(int code)
{
    switch (code) {
    case BZ_DATA_ERROR_MAGIC:
        return "it does not start as bzip2 does";
    case BZ_DATA_ERROR:
        return "a block or its checksum is wrong";
    default:
        return "the decoder gave up";
    }
}

static frz_status read_bzip2(stream *flow, frz_error **err)
{
    bz_stream decoder = {0};
    if (BZ2_bzDecompressInit(&decoder, 0, 0) != BZ_OK)
        return frz_fail_memory(err);
    frz_status status = FRZ_OK;
    int result = BZ_OK;
    while (result != BZ_STREAM_END) {
        size_t room = 0;
        FRZ_TRY_DONE(offer_room(flow, &room, err));
        const size_t in_size = step_size(flow->bytes.size - flow->read);
        /* The library reads only, though its interface cannot say so. */
        /* NOLINTNEXTLINE(performance-no-int-to-ptr) */
        decoder.next_in = (char *)(uintptr_t)(flow->bytes.data + flow->read);
        decoder.avail_in = (unsigned)in_size;
        decoder.next_out = (char *)room_of(flow);
        decoder.avail_out = (unsigned)room;
        result = BZ2_bzDecompress(&decoder);
        if (result == BZ_MEM_ERROR) {
            status = frz_fail_memory(err);
            goto done;
        }
        if (result != BZ_OK && result != BZ_STREAM_END) {
            status = frz_codec_corrupt(flow->codec, flow->bytes, bzip2_error(result), err);
            goto done;
        }
        FRZ_TRY_DONE(book_step(flow, in_size - decoder.avail_in, room - decoder.avail_out, err));
    }
    FRZ_TRY_DONE(check_all_read(flow, err));
done:
    (void)BZ2_bzDecompressEnd(&decoder);
    return status;
}

static frz_status xz_failure(const stream *flow, lzma_ret result, frz_error **err)
{
    if (result == LZMA_MEM_ERROR)
        return frz_fail_memory(err);
    if (result == LZMA_MEMLIMIT_ERROR)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "xz data of %zu bytes needs a dictionary beyond the limit of %d bytes",
                        flow->bytes.size, XZ_MEMORY_MAX);
    if (result == LZMA_FORMAT_ERROR)
        return frz_codec_corrupt(flow->codec, flow->bytes, "it does not start as xz does", err);
    if (result == LZMA_OPTIONS_ERROR)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "xz data uses unknown filters");
    return frz_codec_corrupt(flow->codec, flow->bytes, "a block or its checksum is wrong", err);
}

static frz_status read_xz(stream *flow, frz_error **err)
{
    lzma_stream decoder = LZMA_STREAM_INIT;
    if (lzma_stream_decoder(&decoder, XZ_MEMORY_MAX, LZMA_CONCATENATED) != LZMA_OK)
        return frz_fail_memory(err);
    frz_status status = FRZ_OK;
    lzma_ret result = LZMA_OK;
    decoder.next_in = flow->bytes.data;
    decoder.avail_in = flow->bytes.size;
    while (result != LZMA_STREAM_END) {
        size_t room = 0;
        FRZ_TRY_DONE(offer_room(flow, &room, err));
        const size_t in_size = decoder.avail_in;
        decoder.next_out = room_of(flow);
        decoder.avail_out = room;
        result = lzma_code(&decoder, LZMA_FINISH);
        if (result == LZMA_BUF_ERROR) {
            status = frz_codec_corrupt(flow->codec, flow->bytes, "the stream ends too early", err);
            goto done;
        }
        if (result != LZMA_OK && result != LZMA_STREAM_END) {
            status = xz_failure(flow, result, err);
            goto done;
        }
        const size_t given = room - decoder.avail_out;
        if (result != LZMA_STREAM_END || given != 0)
            FRZ_TRY_DONE(book_step(flow, in_size - decoder.avail_in, given, err));
    }
done:
    lzma_end(&decoder);
    return status;
}

frz_status frz_codec_stream(frz_codec codec, frz_slice bytes, size_t size_max, frz_buffer *out,
                            frz_error **err)
{
    stream flow = {.codec = codec,
                   .bytes = bytes,
                   .out = out,
                   .start = out->size,
                   .size_max = size_max < SIZE_MAX / 4 ? size_max : SIZE_MAX / 4};
    switch (codec) {
    case FRZ_CODEC_ZSTD:
        return read_zstd(&flow, err);
    case FRZ_CODEC_LZ4_FRAME:
        return read_lz4_frame(&flow, err);
    case FRZ_CODEC_BROTLI:
        return read_brotli(&flow, err);
    case FRZ_CODEC_BZIP2:
        return read_bzip2(&flow, err);
    case FRZ_CODEC_XZ:
        return read_xz(&flow, err);
    case FRZ_CODEC_NONE:
    case FRZ_CODEC_SNAPPY:
    case FRZ_CODEC_GZIP:
    case FRZ_CODEC_DEFLATE:
    case FRZ_CODEC_LZ4_RAW:
    case FRZ_CODEC_LZ4_HADOOP:
        break;
    }
    return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "%s is no stream codec",
                    frz_codec_name(codec));
}
