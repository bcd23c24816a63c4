#include "parquet/values.h"

#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "parquet/bits.h"
#include "parquet/copy.h"
#include "parquet/squeeze.h"

enum { INDEX_BATCH = 1024, ALIGNMENT = 64 };

void frz_parquet_source_clear(frz_parquet_source *source)
{
    frz_parquet_decoder_clear(&source->decoder);
    frz_parquet_dictionary_clear(&source->dictionary);
    frz_buffer_clear(&source->physical);
    frz_buffer_clear(&source->ends);
}

void frz_parquet_values_clear(frz_parquet_values *values)
{
    frz_buffer_clear(&values->data);
    frz_buffer_clear(&values->offsets);
    *values = (frz_parquet_values){0};
}

static frz_status corrupt(const char *what, frz_error **err)
{
    return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "page: %s", what);
}

static frz_status decoder_failed(const frz_parquet_source *source, frz_error **err)
{
    if (source->decoder.over_limit)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "%s", source->decoder.problem);
    return source->decoder.problem ? corrupt(source->decoder.problem, err) : frz_fail_memory(err);
}

/* A short page can name one long entry, or repeat one long prefix, any number of times. */
static size_t bytes_max(const frz_parquet_source *source)
{
    return source->size_max < INT32_MAX ? source->size_max : INT32_MAX;
}

static frz_status reserve_aligned(frz_buffer *buffer, size_t size, frz_error **err)
{
    if (buffer->data)
        return frz_buffer_reserve(buffer, size - (size < buffer->size ? size : buffer->size))
                   ? FRZ_OK
                   : frz_fail_memory(err);
    size_t padded = 0;
    if (!frz_size_add(size, ALIGNMENT, &padded))
        return frz_fail_memory(err);
    padded &= ~(size_t)(ALIGNMENT - 1);
    buffer->data = frz_alloc_aligned(padded);
    if (!buffer->data)
        return frz_fail_memory(err);
    buffer->capacity = padded;
    return FRZ_OK;
}

/* Bytes that `count` slots take beside the contents of byte arrays. */
static frz_status slots_size(const frz_parquet_source *source, size_t count, size_t *size_out,
                             frz_error **err)
{
    size_t size = count / 8 + 1;
    bool fits = true;
    if (source->layout.form == FRZ_PARQUET_FORM_FIXED)
        fits = frz_size_mul(count, source->layout.width, &size);
    else if (source->layout.form == FRZ_PARQUET_FORM_BYTES)
        fits = count < SIZE_MAX && frz_size_mul(count + 1, sizeof(int32_t), &size);
    if (!fits || size > source->size_max)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "%zu values in one batch: over the limit parse_budget (%zu bytes)", count,
                        source->size_max);
    *size_out = size;
    return FRZ_OK;
}

frz_status frz_parquet_values_reserve(const frz_parquet_source *source, frz_parquet_values *values,
                                      size_t count, frz_error **err)
{
    size_t size = 0;
    if (source->layout.form == FRZ_PARQUET_FORM_NULL)
        return FRZ_OK;
    FRZ_TRY(slots_size(source, count, &size, err));
    return reserve_aligned(source->layout.form == FRZ_PARQUET_FORM_BYTES ? &values->offsets
                                                                         : &values->data,
                           size, err);
}

/* Entries by index; widths as constants, so that each is one load and one store. */
static inline void gather_width(const uint8_t *entries, const uint32_t *indices, uint8_t *out,
                                size_t count, size_t width)
{
    for (size_t i = 0; i < count; i++)
        memcpy(out + i * width, entries + (size_t)indices[i] * width, width);
}

static void gather(const uint8_t *entries, const uint32_t *indices, uint8_t *out, size_t count,
                   size_t width)
{
    if (width == 8)
        gather_width(entries, indices, out, count, 8);
    else if (width == 4)
        gather_width(entries, indices, out, count, 4);
    else if (width == 16)
        gather_width(entries, indices, out, count, 16);
    else
        gather_width(entries, indices, out, count, width);
}

/* The next indices of the page, `count` at most INDEX_BATCH, each checked against the dictionary.
 */
static frz_status next_indices(frz_parquet_source *source, uint32_t *indices, size_t count,
                               frz_error **err)
{
    uint32_t greatest = 0;
    if (!frz_parquet_decode_indices(&source->decoder, indices, count))
        return decoder_failed(source, err);
    for (size_t i = 0; i < count; i++)
        greatest = indices[i] > greatest ? indices[i] : greatest;
    if (greatest < source->dictionary.count)
        return FRZ_OK;
    return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                    "page: dictionary index %u, but the dictionary has %zu entries", greatest,
                    source->dictionary.count);
}

/* The wanted ones of the indices at `at`, a multiple of INDEX_BATCH; returns how many. */
static size_t choose_indices(const frz_parquet_source *source, uint32_t *indices, size_t at,
                             size_t count)
{
    return source->mask ? frz_parquet_squeeze_indices(indices, source->mask + at / 64, count)
                        : count;
}

static frz_status look_up_fixed(frz_parquet_source *source, frz_parquet_values *values,
                                uint8_t *out, size_t count, frz_error **err)
{
    uint32_t indices[INDEX_BATCH];
    const size_t width = source->layout.width;
    for (size_t at = 0; at < count; at += INDEX_BATCH) {
        const size_t part = count - at < INDEX_BATCH ? count - at : INDEX_BATCH;
        FRZ_TRY(next_indices(source, indices, part, err));
        const size_t chosen = choose_indices(source, indices, at, part);
        gather(source->dictionary.data.data, indices, out, chosen, width);
        out += chosen * width;
    }
    values->data.size = (size_t)(out - values->data.data);
    return FRZ_OK;
}

static frz_status look_up_bits(frz_parquet_source *source, frz_parquet_values *values, size_t count,
                               frz_error **err)
{
    uint32_t indices[INDEX_BATCH];
    size_t to = values->count;
    for (size_t at = 0; at < count; at += INDEX_BATCH) {
        const size_t part = count - at < INDEX_BATCH ? count - at : INDEX_BATCH;
        FRZ_TRY(next_indices(source, indices, part, err));
        const size_t chosen = choose_indices(source, indices, at, part);
        for (size_t i = 0; i < chosen; i++, to++)
            frz_bits_fill(values->data.data, to, 1, source->dictionary.data.data[indices[i]]);
    }
    return FRZ_OK;
}

/* Copies the strings of one batch of indices; `ends` gets where each ends in values->data. */
static frz_status copy_entries(const frz_parquet_source *source, const uint32_t *indices,
                               frz_parquet_values *values, int32_t *ends, size_t count,
                               frz_error **err)
{
    const int32_t *offsets = (const void *)source->dictionary.offsets.data;
    const frz_slice entries = frz_buffer_slice(&source->dictionary.data);
    size_t end = values->data.size;
    for (size_t i = 0; i < count; i++) {
        end += (size_t)(offsets[indices[i] + 1] - offsets[indices[i]]);
        ends[i] = (int32_t)end; /* checked below, before it is used */
    }
    if (end > bytes_max(source))
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "byte arrays of one batch: over 2 GiB or the limit parse_budget");
    const size_t total = end - values->data.size;
    uint8_t *to = frz_buffer_reserve(&values->data, total + FRZ_PARQUET_COPY_SLACK);
    if (!to)
        return frz_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        const size_t from = (size_t)offsets[indices[i]];
        const size_t size = (size_t)offsets[indices[i] + 1] - from;
        frz_parquet_copy_short(to, entries.data + from, size, entries.size - from);
        to += size;
    }
    values->data.size += total;
    return FRZ_OK;
}

static frz_status look_up_bytes(frz_parquet_source *source, frz_parquet_values *values,
                                int32_t *ends, size_t count, frz_error **err)
{
    uint32_t indices[INDEX_BATCH];
    for (size_t at = 0; at < count; at += INDEX_BATCH) {
        const size_t part = count - at < INDEX_BATCH ? count - at : INDEX_BATCH;
        FRZ_TRY(next_indices(source, indices, part, err));
        const size_t chosen = choose_indices(source, indices, at, part);
        FRZ_TRY(copy_entries(source, indices, values, ends, chosen, err));
        ends += chosen;
    }
    values->offsets.size = (size_t)((const uint8_t *)ends - values->offsets.data);
    return FRZ_OK;
}

/* Decimals in byte arrays: decoded to scratch, then converted. */
static frz_status convert_arrays(frz_parquet_source *source, uint8_t *out, size_t count,
                                 frz_error **err)
{
    const char *problem = NULL;
    frz_buffer_reset(&source->physical);
    frz_buffer_reset(&source->ends);
    int32_t *ends = (void *)frz_buffer_extend(&source->ends, count * sizeof *ends);
    if (!ends)
        return frz_fail_memory(err);
    if (!frz_parquet_decode_bytes(&source->decoder, ends, &source->physical, count))
        return decoder_failed(source, err);
    if (!frz_parquet_convert_bytes(source->physical.data, 0, ends, out, count, &problem))
        return corrupt(problem, err);
    return FRZ_OK;
}

static frz_status append_fixed(frz_parquet_source *source, frz_parquet_values *values, size_t count,
                               frz_error **err)
{
    const frz_parquet_layout *layout = &source->layout;
    const char *problem = NULL;
    uint8_t *out = frz_buffer_extend(&values->data, count * layout->width);
    if (!out)
        return frz_fail_memory(err);
    if (frz_parquet_decoder_indexed(&source->decoder))
        return look_up_fixed(source, values, out, count, err);
    if (layout->conversion == FRZ_PARQUET_CONVERT_DECIMAL_BYTES)
        return convert_arrays(source, out, count, err);
    if (layout->conversion == FRZ_PARQUET_CONVERT_NONE)
        return frz_parquet_decode_fixed(&source->decoder, out, count) ? FRZ_OK
                                                                      : decoder_failed(source, err);
    frz_buffer_reset(&source->physical);
    uint8_t *physical = frz_buffer_extend(&source->physical, count * layout->physical_width);
    if (!physical)
        return frz_fail_memory(err);
    if (!frz_parquet_decode_fixed(&source->decoder, physical, count))
        return decoder_failed(source, err);
    if (!frz_parquet_convert_fixed(layout, physical, out, count, &problem))
        return corrupt(problem, err);
    return FRZ_OK;
}

static frz_status append_bits(frz_parquet_source *source, frz_parquet_values *values, size_t count,
                              frz_error **err)
{
    const size_t size = (values->count + count + 7) / 8;
    if (size > values->data.size)
        frz_buffer_append_fill(&values->data, 0, size - values->data.size);
    FRZ_TRY(frz_buffer_check(&values->data, err));
    if (frz_parquet_decoder_indexed(&source->decoder))
        return look_up_bits(source, values, count, err);
    if (!frz_parquet_decode_bits(&source->decoder, values->data.data, values->count, count))
        return decoder_failed(source, err);
    return FRZ_OK;
}

/* Room for `count` more ends; the first call puts the 0 that begins all offsets. */
static int32_t *extend_offsets(frz_parquet_values *values, size_t count)
{
    if (values->offsets.size == 0) {
        const int32_t zero = 0;
        frz_buffer_append(&values->offsets, &zero, sizeof zero);
    }
    return (void *)frz_buffer_extend(&values->offsets, count * sizeof(int32_t));
}

static frz_status append_bytes(frz_parquet_source *source, frz_parquet_values *values, size_t count,
                               frz_error **err)
{
    const size_t start = values->data.size;
    int32_t *ends = extend_offsets(values, count);
    if (!ends)
        return frz_fail_memory(err);
    if (frz_parquet_decoder_indexed(&source->decoder))
        return look_up_bytes(source, values, ends, count, err);
    if (!frz_parquet_decode_bytes(&source->decoder, ends, &values->data, count))
        return decoder_failed(source, err);
    if (source->layout.text &&
        !frz_utf8_values_valid(values->data.data, (int32_t)start, ends, count))
        return corrupt("a string is no UTF-8", err);
    return FRZ_OK;
}

frz_status frz_parquet_source_skip(frz_parquet_source *source, size_t count, frz_error **err)
{
    if (count == 0 || frz_parquet_decoder_skip(&source->decoder, count))
        return FRZ_OK;
    return decoder_failed(source, err);
}

/* Whether values are dropped by the mask while they are looked up. */
static bool chooses(const frz_parquet_source *source)
{
    return source->mask && frz_parquet_decoder_indexed(&source->decoder) &&
           source->layout.form != FRZ_PARQUET_FORM_NULL;
}

frz_status frz_parquet_values_append(frz_parquet_source *source, frz_parquet_values *values,
                                     size_t count, frz_error **err)
{
    size_t size = 0;
    if (count == 0)
        return FRZ_OK;
    source->decoder.bytes_max = bytes_max(source);
    if (frz_parquet_decoder_indexed(&source->decoder) && !source->dictionary.present)
        return corrupt("dictionary indices, but the column chunk has no dictionary", err);
    FRZ_TRY(slots_size(source, values->count + count, &size, err));
    switch (source->layout.form) {
    case FRZ_PARQUET_FORM_NULL: /* "only null values stored": anything else is passed over */
        FRZ_TRY(frz_parquet_source_skip(source, count, err));
        break;
    case FRZ_PARQUET_FORM_BITS:
        FRZ_TRY(append_bits(source, values, count, err));
        break;
    case FRZ_PARQUET_FORM_FIXED:
        FRZ_TRY(append_fixed(source, values, count, err));
        break;
    case FRZ_PARQUET_FORM_BYTES:
        FRZ_TRY(append_bytes(source, values, count, err));
        break;
    }
    values->count +=
        chooses(source) ? frz_bits_count((const uint8_t *)source->mask, 0, count) : count;
    return FRZ_OK;
}

static bool bit_at(const uint8_t *bits, size_t at)
{
    return bits[at / 8] >> at % 8 & 1;
}

/*
 * Backwards and in place: value `dense` - 1 never lies behind its slot. Slots above `dense` are
 * done when the two meet; slots below when no value is left. The branch on the bit is arithmetic.
 */
#define SPREAD(name, type)                                                                      \
    static void name(uint8_t *data, size_t dense, const uint8_t *bits, size_t at, size_t slots) \
    {                                                                                           \
        while (slots > dense && dense > 0) {                                                    \
            type value;                                                                         \
            const bool valid = bit_at(bits, at + --slots);                                      \
            memcpy(&value, data + (dense - 1) * sizeof value, sizeof value);                    \
            value = valid ? value : 0;                                                          \
            memcpy(data + slots * sizeof value, &value, sizeof value);                          \
            dense -= valid;                                                                     \
        }                                                                                       \
        if (dense == 0)                                                                         \
            memset(data, 0, slots * sizeof(type));                                              \
    }

SPREAD(spread_1, uint8_t)
SPREAD(spread_2, uint16_t)
SPREAD(spread_4, uint32_t)
SPREAD(spread_8, uint64_t)

static void spread_any(uint8_t *data, size_t width, size_t dense, const uint8_t *bits, size_t at,
                       size_t slots)
{
    while (slots > dense && dense > 0) {
        if (bit_at(bits, at + --slots))
            memmove(data + slots * width, data + --dense * width, width);
        else
            memset(data + slots * width, 0, width);
    }
    if (dense == 0)
        memset(data, 0, slots * width);
}

static void spread_bits(uint8_t *data, size_t first, size_t dense, const uint8_t *bits, size_t at,
                        size_t slots)
{
    while (slots > dense) {
        const bool valid = dense > 0 && bit_at(bits, at + --slots);
        if (dense == 0) {
            frz_bits_fill(data, first, slots, false);
            return;
        }
        dense -= valid;
        frz_bits_fill(data, first + slots, 1, valid && bit_at(data, first + dense));
    }
}

/* Ends, not starts: a null slot ends where the one before it does. */
static void spread_ends(int32_t *ends, int32_t start, size_t dense, const uint8_t *bits, size_t at,
                        size_t slots)
{
    while (slots > dense && dense > 0) {
        slots--;
        ends[slots] = ends[dense - 1];
        dense -= bit_at(bits, at + slots);
    }
    if (dense == 0)
        for (size_t i = 0; i < slots; i++)
            ends[i] = start;
}

static void spread_fixed(uint8_t *data, size_t width, size_t dense, const uint8_t *bits, size_t at,
                         size_t slots)
{
    if (width == 8)
        spread_8(data, dense, bits, at, slots);
    else if (width == 4)
        spread_4(data, dense, bits, at, slots);
    else if (width == 2)
        spread_2(data, dense, bits, at, slots);
    else if (width == 1)
        spread_1(data, dense, bits, at, slots);
    else
        spread_any(data, width, dense, bits, at, slots);
}

frz_status frz_parquet_values_spread(const frz_parquet_source *source, frz_parquet_values *values,
                                     size_t kept, const uint8_t *bits, size_t at, size_t slots,
                                     frz_error **err)
{
    const size_t dense = values->count - kept;
    const size_t nulls = slots - dense;
    const size_t width = source->layout.width;
    size_t size = 0;
    FRZ_TRY(slots_size(source, kept + slots, &size, err));
    switch (source->layout.form) {
    case FRZ_PARQUET_FORM_NULL:
        break;
    case FRZ_PARQUET_FORM_BITS:
        if (size > values->data.size)
            frz_buffer_append_fill(&values->data, 0, size - values->data.size);
        FRZ_TRY(frz_buffer_check(&values->data, err));
        spread_bits(values->data.data, kept, dense, bits, at, slots);
        break;
    case FRZ_PARQUET_FORM_FIXED:
        if (!frz_buffer_extend(&values->data, nulls * width))
            return frz_fail_memory(err);
        spread_fixed(values->data.data + kept * width, width, dense, bits, at, slots);
        break;
    case FRZ_PARQUET_FORM_BYTES:
        if (!extend_offsets(values, nulls))
            return frz_fail_memory(err);
        int32_t *offsets = (void *)values->offsets.data;
        spread_ends(offsets + kept + 1, offsets[kept], dense, bits, at, slots);
        break;
    }
    values->count = kept + slots;
    return FRZ_OK;
}
