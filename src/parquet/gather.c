#include "parquet/gather.h"

#include <string.h>

#include "arrow/array.h"
#include "base/decimal.h"
#include "base/fail.h"

static inline int64_t place_of(const frz_parquet_shredded *shredded, size_t index)
{
    return shredded->dense ? shredded->first + (int64_t)index : shredded->indexes[index];
}

/* `width` is a constant where this is called, so that a value copies as one number. */
static inline __attribute__((always_inline)) void
gather_places(const frz_parquet_shredded *shredded, size_t width, size_t count, uint8_t *to)
{
    const uint8_t *from = shredded->leaf->buffers[1];
    for (size_t i = 0; i < count; i++, to += width)
        memcpy(to, from + (size_t)shredded->indexes[i] * width, width);
}

/* Values whose bytes in the file are those in memory. */
static void gather_same(size_t width, const frz_parquet_shredded *shredded,
                        frz_parquet_gathered *out)
{
    const size_t count = out->count;
    const uint8_t *from = shredded->leaf->buffers[1];
    if (shredded->dense) {
        out->fixed = count ? from + (size_t)shredded->first * width : NULL;
        return;
    }
    uint8_t *to = frz_buffer_extend(&out->scratch, count * width);
    out->fixed = to;
    if (!to || count == 0)
        return;
    if (width == 4)
        gather_places(shredded, 4, count, to);
    else if (width == 8)
        gather_places(shredded, 8, count, to);
    else
        gather_places(shredded, width, count, to);
}

static void gather_bools(const frz_parquet_shredded *shredded, frz_parquet_gathered *out)
{
    const uint8_t *bits = shredded->leaf->buffers[1];
    uint8_t *to = frz_buffer_extend(&out->scratch, out->count);
    for (size_t i = 0; to && i < out->count; i++)
        to[i] = frz_bit_get(bits, place_of(shredded, i));
    out->fixed = to;
}

/* `width` bytes, big-endian (LogicalTypes.md, "DECIMAL"). */
static void put_big_endian(frz_int128 value, size_t width, uint8_t *to)
{
    for (size_t i = width; i-- > 0; value >>= 8)
        to[i] = (uint8_t)value;
}

static frz_status gather_decimals(const frz_parquet_leaf *leaf,
                                  const frz_parquet_shredded *shredded, frz_parquet_gathered *out,
                                  frz_error **err)
{
    const bool little_endian = leaf->node->type != FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY;
    const frz_int128 limit = frz_decimal_power(leaf->type.precision);
    const uint8_t *from = shredded->leaf->buffers[1];
    uint8_t *to = frz_buffer_extend(&out->scratch, out->count * leaf->width);
    out->fixed = to;
    for (size_t i = 0; to && i < out->count; i++, to += leaf->width) {
        frz_int128 value;
        memcpy(&value, from + (size_t)place_of(shredded, i) * sizeof value, sizeof value);
        if (value >= limit || value <= -limit)
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                            "column \"%s\": a value with more than the %d digits of its type",
                            leaf->arrow_path, (int)leaf->type.precision);
        if (little_endian)
            memcpy(to, &value, leaf->width);
        else
            put_big_endian(value, leaf->width, to);
    }
    return FRZ_OK;
}

static void gather_slices(const frz_parquet_shredded *shredded, frz_parquet_gathered *out)
{
    const int32_t *offsets = shredded->leaf->buffers[1];
    const uint8_t *data = shredded->leaf->buffers[2];
    frz_slice *to = (frz_slice *)(void *)frz_buffer_extend(&out->scratch, out->count * sizeof *to);
    out->slices = to;
    if (!to)
        return;
    for (size_t i = 0; i < out->count; i++) {
        const int64_t place = place_of(shredded, i);
        const size_t size = (size_t)(offsets[place + 1] - offsets[place]);
        to[i] = frz_slice_of(size ? data + offsets[place] : (const uint8_t *)"", size);
        out->plain_size += size + sizeof(uint32_t);
    }
}

frz_status frz_parquet_gather(const frz_parquet_leaf *leaf, const frz_parquet_shredded *shredded,
                              frz_parquet_gathered *out, frz_error **err)
{
    frz_buffer_reset(&out->scratch);
    out->count = (size_t)shredded->value_count;
    out->fixed = NULL;
    out->slices = NULL;
    out->plain_size = leaf->width * out->count;
    if (leaf->node->type == FRZ_PARQUET_BYTE_ARRAY)
        gather_slices(shredded, out);
    else if (leaf->node->type == FRZ_PARQUET_BOOLEAN)
        gather_bools(shredded, out);
    else if (leaf->type.kind == FRZ_ARROW_DECIMAL)
        FRZ_TRY(gather_decimals(leaf, shredded, out, err));
    else
        gather_same(leaf->width, shredded, out);
    return frz_buffer_check(&out->scratch, err);
}

void frz_parquet_gathered_clear(frz_parquet_gathered *values)
{
    frz_buffer_clear(&values->scratch);
    *values = (frz_parquet_gathered){0};
}
