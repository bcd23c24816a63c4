#include "parquet/decoder.h"

#include <string.h>

#include "base/fail.h"
#include "parquet/bits.h"
#include "parquet/copy.h"
#include "parquet/element.h"

enum { BATCH = 128 }; /* values that are decoded at once on the stack */

static const char too_short[] = "it has fewer values than it says";

static bool fail(frz_parquet_decoder *decoder, const char *problem)
{
    if (!decoder->problem)
        decoder->problem = problem;
    return false;
}

/* The table "Supported Encodings" of Encodings.md. */
static bool encoding_allowed(frz_parquet_encoding encoding, frz_parquet_type type)
{
    const bool integer = type == FRZ_PARQUET_INT32 || type == FRZ_PARQUET_INT64;
    const bool array = type == FRZ_PARQUET_BYTE_ARRAY;
    const bool fixed = type == FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY;
    switch (encoding) {
    case FRZ_PARQUET_PLAIN:
    case FRZ_PARQUET_PLAIN_DICTIONARY:
    case FRZ_PARQUET_RLE_DICTIONARY:
        return true;
    case FRZ_PARQUET_RLE:
        return type == FRZ_PARQUET_BOOLEAN;
    case FRZ_PARQUET_DELTA_BINARY_PACKED:
        return integer;
    case FRZ_PARQUET_DELTA_LENGTH_BYTE_ARRAY:
        return array;
    case FRZ_PARQUET_DELTA_BYTE_ARRAY:
        return array || fixed;
    case FRZ_PARQUET_BYTE_STREAM_SPLIT:
        return integer || fixed || type == FRZ_PARQUET_FLOAT || type == FRZ_PARQUET_DOUBLE;
    case FRZ_PARQUET_BIT_PACKED:
        break;
    }
    return false;
}

static void start_indices(frz_parquet_decoder *decoder)
{
    /* A page of nulls alone may be empty. */
    if (decoder->bytes.size == 0) {
        decoder->hybrid = frz_parquet_hybrid_over(decoder->bytes, 0);
        return;
    }
    const uint8_t width = decoder->bytes.data[0];
    if (width > 32) {
        (void)fail(decoder, "its dictionary indices have more than 32 bits");
        return;
    }
    decoder->hybrid = frz_parquet_hybrid_over(
        frz_slice_of(decoder->bytes.data + 1, decoder->bytes.size - 1), width);
}

/* Boolean RLE: "Prepend length? Y", in pages of both versions. */
static void start_booleans(frz_parquet_decoder *decoder)
{
    frz_cursor cursor = frz_cursor_over_slice(decoder->bytes);
    const uint32_t size = decoder->bytes.size ? frz_cursor_u32le(&cursor) : 0;
    if (cursor.failed || size > frz_cursor_left(&cursor)) {
        (void)fail(decoder, "its boolean runs are longer than the page");
        return;
    }
    decoder->hybrid =
        frz_parquet_hybrid_over(frz_slice_of(frz_cursor_take(&cursor, size), size), 1);
}

/* Lengths first, then the bytes (DELTA_LENGTH_BYTE_ARRAY); DELTA_BYTE_ARRAY has prefix lengths
 * before. */
static void start_lengths(frz_parquet_decoder *decoder, bool with_prefixes)
{
    frz_slice rest = decoder->bytes;
    size_t end = 0;
    if (rest.size == 0) { /* a page of nulls alone */
        decoder->delta = (frz_parquet_delta){0};
        decoder->prefixes = (frz_parquet_delta){0};
        return;
    }
    if (with_prefixes) {
        decoder->prefixes = frz_parquet_delta_over(rest, 32);
        if (!frz_parquet_delta_end(&decoder->prefixes, &end)) {
            (void)fail(decoder, "its prefix lengths are wrong");
            return;
        }
        rest = frz_slice_of(rest.data + end, rest.size - end);
    }
    decoder->delta = frz_parquet_delta_over(rest, 32);
    if (!frz_parquet_delta_end(&decoder->delta, &end)) {
        (void)fail(decoder, "its lengths are wrong");
        return;
    }
    decoder->at = (size_t)(rest.data - decoder->bytes.data) + end;
}

static void start_encoding(frz_parquet_decoder *decoder)
{
    switch (decoder->encoding) {
    case FRZ_PARQUET_PLAIN_DICTIONARY:
    case FRZ_PARQUET_RLE_DICTIONARY:
        start_indices(decoder);
        return;
    case FRZ_PARQUET_RLE:
        start_booleans(decoder);
        return;
    case FRZ_PARQUET_DELTA_BINARY_PACKED:
        decoder->delta = decoder->bytes.size
                             ? frz_parquet_delta_over(decoder->bytes, (unsigned)decoder->width * 8)
                             : (frz_parquet_delta){0};
        decoder->problem = decoder->delta.problem;
        return;
    case FRZ_PARQUET_DELTA_LENGTH_BYTE_ARRAY:
        start_lengths(decoder, false);
        return;
    case FRZ_PARQUET_DELTA_BYTE_ARRAY:
        frz_buffer_reset(&decoder->last);
        start_lengths(decoder, true);
        return;
    case FRZ_PARQUET_BYTE_STREAM_SPLIT:
        if (decoder->bytes.size % decoder->width)
            (void)fail(decoder, "its byte streams have different lengths");
        return;
    case FRZ_PARQUET_PLAIN:
    case FRZ_PARQUET_BIT_PACKED:
        return;
    }
}

frz_status frz_parquet_decoder_start(frz_parquet_decoder *decoder, const frz_parquet_node *leaf,
                                     int32_t encoding, frz_slice bytes, frz_error **err)
{
    if (encoding < 0 || encoding > FRZ_PARQUET_BYTE_STREAM_SPLIT || encoding == 1)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "encoding number %d", encoding);
    const frz_buffer last = decoder->last;
    const size_t bytes_max = decoder->bytes_max;
    *decoder = (frz_parquet_decoder){.encoding = (frz_parquet_encoding)encoding,
                                     .type = leaf->type,
                                     .width = frz_parquet_node_width(leaf),
                                     .bytes = bytes,
                                     .last = last,
                                     .bytes_max = bytes_max};
    if (!encoding_allowed(decoder->encoding, decoder->type))
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "encoding %d is none for physical type %d",
                        encoding, (int)leaf->type);
    start_encoding(decoder);
    return FRZ_OK;
}

void frz_parquet_decoder_clear(frz_parquet_decoder *decoder)
{
    frz_buffer_clear(&decoder->last);
    *decoder = (frz_parquet_decoder){0};
}

bool frz_parquet_decoder_indexed(const frz_parquet_decoder *decoder)
{
    return decoder->encoding == FRZ_PARQUET_PLAIN_DICTIONARY ||
           decoder->encoding == FRZ_PARQUET_RLE_DICTIONARY;
}

bool frz_parquet_decode_indices(frz_parquet_decoder *decoder, uint32_t *out, size_t count)
{
    if (decoder->problem)
        return false;
    if (!frz_parquet_hybrid_decode(&decoder->hybrid, out, count))
        return fail(decoder, "its dictionary indices end too early");
    return true;
}

/* Consumes `count` PLAIN values of the width; NULL when there are fewer. */
static const uint8_t *take_plain(frz_parquet_decoder *decoder, size_t count)
{
    if (decoder->problem)
        return NULL;
    if (count > (decoder->bytes.size - decoder->at) / decoder->width) {
        (void)fail(decoder, too_short);
        return NULL;
    }
    static const uint8_t nothing[1] = {0};
    const uint8_t *from = decoder->bytes.data ? decoder->bytes.data + decoder->at : nothing;
    decoder->at += count * decoder->width;
    return from;
}

static bool take_split(frz_parquet_decoder *decoder, size_t count)
{
    if (decoder->problem)
        return false;
    if (count > decoder->bytes.size / decoder->width - decoder->at)
        return fail(decoder, too_short);
    decoder->at += count;
    return true;
}

/* The width as a constant lets the inner loop be vectorised. */
static inline void join_streams(const uint8_t *in, size_t stride, uint8_t *out, size_t count,
                                size_t width)
{
    for (size_t i = 0; i < count; i++)
        for (size_t b = 0; b < width; b++)
            out[i * width + b] = in[b * stride + i];
}

static bool decode_split(frz_parquet_decoder *decoder, uint8_t *out, size_t count)
{
    const size_t first = decoder->at;
    if (!take_split(decoder, count))
        return false;
    if (count == 0)
        return true;
    const uint8_t *in = decoder->bytes.data + first;
    const size_t stride = decoder->bytes.size / decoder->width;
    if (decoder->width == 4)
        join_streams(in, stride, out, count, 4);
    else if (decoder->width == 8)
        join_streams(in, stride, out, count, 8);
    else
        join_streams(in, stride, out, count, decoder->width);
    return true;
}

static bool decode_delta(frz_parquet_delta *delta, frz_parquet_decoder *decoder, int64_t *out,
                         size_t count)
{
    if (decoder->problem)
        return false;
    if (!frz_parquet_delta_decode(delta, out, count))
        return fail(decoder, delta->problem ? delta->problem : too_short);
    return true;
}

static bool decode_integers(frz_parquet_decoder *decoder, uint8_t *out, size_t count)
{
    int64_t wide[BATCH];
    int32_t narrow[BATCH];
    while (count) {
        const size_t part = count < BATCH ? count : BATCH;
        if (!decode_delta(&decoder->delta, decoder, wide, part))
            return false;
        if (decoder->width == sizeof(int64_t)) {
            memcpy(out, wide, part * sizeof *wide);
        } else {
            /* 32-bit sums wrap: the low half is right whatever overflowed. */
            for (size_t i = 0; i < part; i++)
                narrow[i] = (int32_t)(uint32_t)(uint64_t)wide[i];
            memcpy(out, narrow, part * sizeof *narrow);
        }
        out += part * decoder->width;
        count -= part;
    }
    return true;
}

/* Prefix of the value before, and a suffix (DELTA_BYTE_ARRAY); the value is in `last` afterwards.
 */
static bool join_prefix(frz_parquet_decoder *decoder, int64_t prefix, int64_t suffix)
{
    frz_buffer *last = &decoder->last;
    if (prefix < 0 || (uint64_t)prefix > last->size)
        return fail(decoder, "a prefix is longer than the value before");
    if (suffix < 0 || (uint64_t)suffix > decoder->bytes.size - decoder->at)
        return fail(decoder, "a suffix is longer than the bytes left");
    last->size = (size_t)prefix;
    frz_buffer_append(last, decoder->bytes.data + decoder->at, (size_t)suffix);
    decoder->at += (size_t)suffix;
    return !last->failed;
}

/* Where DELTA_BYTE_ARRAY values go: all to `fixed`, or to `data` and `ends`, or (both NULL)
 * nowhere. */
typedef struct prefix_sink {
    uint8_t *fixed;
    frz_buffer *data;
    int32_t *ends;
} prefix_sink;

static bool room_for(frz_parquet_decoder *decoder, const frz_buffer *data, size_t size)
{
    const size_t max = decoder->bytes_max ? decoder->bytes_max : INT32_MAX;
    if (data->size <= max && size <= max - data->size)
        return true;
    decoder->over_limit = true;
    return fail(decoder, "byte arrays of one batch: over 2 GiB or the limit parse_budget");
}

static bool put_prefixed(frz_parquet_decoder *decoder, prefix_sink *sink)
{
    const frz_buffer *last = &decoder->last;
    if (decoder->width && last->size != decoder->width)
        return fail(decoder, "a value has another length than its fixed one");
    if (sink->fixed) {
        memcpy(sink->fixed, last->data, last->size);
        sink->fixed += last->size;
    } else if (sink->data) {
        if (!room_for(decoder, sink->data, last->size))
            return false;
        frz_buffer_append(sink->data, last->data, last->size);
        *sink->ends++ = (int32_t)sink->data->size;
        return !sink->data->failed;
    }
    return true;
}

static bool decode_prefixed(frz_parquet_decoder *decoder, prefix_sink sink, size_t count)
{
    int64_t prefixes[BATCH];
    int64_t suffixes[BATCH];
    while (count) {
        const size_t part = count < BATCH ? count : BATCH;
        if (!decode_delta(&decoder->prefixes, decoder, prefixes, part) ||
            !decode_delta(&decoder->delta, decoder, suffixes, part))
            return false;
        for (size_t i = 0; i < part; i++)
            if (!join_prefix(decoder, prefixes[i], suffixes[i]) || !put_prefixed(decoder, &sink))
                return false;
        count -= part;
    }
    return true;
}

bool frz_parquet_decode_fixed(frz_parquet_decoder *decoder, uint8_t *out, size_t count)
{
    switch (decoder->encoding) {
    case FRZ_PARQUET_PLAIN: {
        const uint8_t *from = take_plain(decoder, count);
        if (!from)
            return false;
        memcpy(out, from, count * decoder->width);
        return true;
    }
    case FRZ_PARQUET_DELTA_BINARY_PACKED:
        return decode_integers(decoder, out, count);
    case FRZ_PARQUET_DELTA_BYTE_ARRAY:
        return decode_prefixed(decoder, (prefix_sink){.fixed = out}, count);
    case FRZ_PARQUET_BYTE_STREAM_SPLIT:
        return decode_split(decoder, out, count);
    case FRZ_PARQUET_PLAIN_DICTIONARY:
    case FRZ_PARQUET_RLE_DICTIONARY:
    case FRZ_PARQUET_RLE:
    case FRZ_PARQUET_DELTA_LENGTH_BYTE_ARRAY:
    case FRZ_PARQUET_BIT_PACKED:
        break;
    }
    return fail(decoder, "its encoding is none for this type");
}

bool frz_parquet_decode_bits(frz_parquet_decoder *decoder, uint8_t *out, size_t at, size_t count)
{
    if (decoder->problem)
        return false;
    if (decoder->encoding == FRZ_PARQUET_RLE) {
        size_t ones = 0;
        if (!frz_parquet_hybrid_decode_bits(&decoder->hybrid, out, at, count, &ones))
            return fail(decoder, too_short);
        return true;
    }
    if (count > decoder->bytes.size * 8 - decoder->at)
        return fail(decoder, too_short);
    frz_bits_copy(decoder->bytes.data, decoder->at, out, at, count);
    decoder->at += count;
    return true;
}

/* The bytes of one PLAIN byte array: 4 bytes of length, then the contents. */
static bool take_array(frz_parquet_decoder *decoder, frz_slice *out)
{
    const size_t left = decoder->bytes.size - decoder->at;
    uint32_t size = 0;
    if (left < sizeof size)
        return fail(decoder, too_short);
    memcpy(&size, decoder->bytes.data + decoder->at, sizeof size);
    if (size > left - sizeof size)
        return fail(decoder, "a byte array is longer than the bytes left");
    *out = frz_slice_of(decoder->bytes.data + decoder->at + sizeof size, size);
    decoder->at += sizeof size + size;
    return true;
}

/* Finds where values end: *total_out bytes in `count` values, whose ends are counted from `start`.
 */
static bool measure_arrays(frz_parquet_decoder *decoder, int32_t *ends, size_t start, size_t count,
                           size_t *total_out)
{
    const uint8_t *bytes = decoder->bytes.data;
    size_t at = decoder->at;
    size_t total = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t size = 0;
        if (decoder->bytes.size - at < sizeof size)
            return fail(decoder, too_short);
        memcpy(&size, bytes + at, sizeof size);
        at += sizeof size;
        if (size > decoder->bytes.size - at)
            return fail(decoder, "a byte array is longer than the bytes left");
        at += size;
        total += size;
        ends[i] = (int32_t)(start + total); /* checked by the caller before it is used */
    }
    *total_out = total;
    return true;
}

static bool decode_plain_arrays(frz_parquet_decoder *decoder, int32_t *ends, frz_buffer *data,
                                size_t count)
{
    const size_t start = data->size;
    size_t total = 0;
    if (decoder->problem || !measure_arrays(decoder, ends, start, count, &total) ||
        !room_for(decoder, data, total))
        return false;
    uint8_t *to = frz_buffer_reserve(data, total + FRZ_PARQUET_COPY_SLACK);
    if (!to)
        return false;
    const uint8_t *from = decoder->bytes.data + decoder->at;
    const uint8_t *end = decoder->bytes.data + decoder->bytes.size;
    size_t before = start;
    for (size_t i = 0; i < count; i++) {
        const size_t size = (size_t)ends[i] - before;
        before = (size_t)ends[i];
        from += sizeof(uint32_t);
        frz_parquet_copy_short(to, from, size, (size_t)(end - from));
        to += size;
        from += size;
    }
    data->size += total;
    decoder->at += total + count * sizeof(uint32_t);
    return true;
}

/* One copy for the whole run: the bytes lie back to back. `data` NULL skips. */
static bool decode_lengths(frz_parquet_decoder *decoder, int32_t *ends, frz_buffer *data,
                           size_t count)
{
    int64_t lengths[BATCH];
    while (count) {
        const size_t part = count < BATCH ? count : BATCH;
        const size_t left = decoder->bytes.size - decoder->at;
        size_t total = 0;
        if (!decode_delta(&decoder->delta, decoder, lengths, part))
            return false;
        for (size_t i = 0; i < part; i++) {
            if (lengths[i] < 0 || (uint64_t)lengths[i] > left - total)
                return fail(decoder, "a byte array is longer than the bytes left");
            total += (size_t)lengths[i];
        }
        if (data) {
            if (!room_for(decoder, data, total))
                return false;
            size_t end = data->size;
            for (size_t i = 0; i < part; i++)
                *ends++ = (int32_t)(end += (size_t)lengths[i]);
            frz_buffer_append(data, decoder->bytes.data + decoder->at, total);
            if (data->failed)
                return false;
        }
        decoder->at += total;
        count -= part;
    }
    return true;
}

bool frz_parquet_decode_bytes(frz_parquet_decoder *decoder, int32_t *ends_out, frz_buffer *data,
                              size_t count)
{
    switch (decoder->encoding) {
    case FRZ_PARQUET_PLAIN:
        return decode_plain_arrays(decoder, ends_out, data, count);
    case FRZ_PARQUET_DELTA_LENGTH_BYTE_ARRAY:
        return decode_lengths(decoder, ends_out, data, count);
    case FRZ_PARQUET_DELTA_BYTE_ARRAY:
        return decode_prefixed(decoder, (prefix_sink){.data = data, .ends = ends_out}, count);
    case FRZ_PARQUET_PLAIN_DICTIONARY:
    case FRZ_PARQUET_RLE_DICTIONARY:
    case FRZ_PARQUET_RLE:
    case FRZ_PARQUET_DELTA_BINARY_PACKED:
    case FRZ_PARQUET_BYTE_STREAM_SPLIT:
    case FRZ_PARQUET_BIT_PACKED:
        break;
    }
    return fail(decoder, "its encoding is none for this type");
}

static bool skip_plain(frz_parquet_decoder *decoder, size_t count)
{
    if (decoder->type == FRZ_PARQUET_BOOLEAN) {
        if (count > decoder->bytes.size * 8 - decoder->at)
            return fail(decoder, too_short);
        decoder->at += count;
        return true;
    }
    if (decoder->width)
        return take_plain(decoder, count) != NULL;
    frz_slice value = {0};
    for (size_t i = 0; i < count; i++)
        if (!take_array(decoder, &value))
            return false;
    return true;
}

bool frz_parquet_decoder_skip(frz_parquet_decoder *decoder, size_t count)
{
    int64_t ignored[BATCH];
    if (decoder->problem)
        return false;
    switch (decoder->encoding) {
    case FRZ_PARQUET_PLAIN:
        return skip_plain(decoder, count);
    case FRZ_PARQUET_PLAIN_DICTIONARY:
    case FRZ_PARQUET_RLE_DICTIONARY:
    case FRZ_PARQUET_RLE:
        return frz_parquet_hybrid_skip(&decoder->hybrid, count) || fail(decoder, too_short);
    case FRZ_PARQUET_DELTA_BINARY_PACKED:
        for (; count > BATCH; count -= BATCH)
            if (!decode_delta(&decoder->delta, decoder, ignored, BATCH))
                return false;
        return decode_delta(&decoder->delta, decoder, ignored, count);
    case FRZ_PARQUET_DELTA_LENGTH_BYTE_ARRAY:
        return decode_lengths(decoder, NULL, NULL, count);
    case FRZ_PARQUET_DELTA_BYTE_ARRAY:
        return decode_prefixed(decoder, (prefix_sink){0}, count);
    case FRZ_PARQUET_BYTE_STREAM_SPLIT:
        return take_split(decoder, count);
    case FRZ_PARQUET_BIT_PACKED:
        break;
    }
    return fail(decoder, "its encoding is none for this type");
}
