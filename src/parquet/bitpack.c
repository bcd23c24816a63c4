#include "parquet/bitpack.h"

#include <string.h>

enum { BLOCK = 32, LOAD = 8 };

static uint64_t load64(const uint8_t *bytes)
{
    uint64_t value = 0;
    memcpy(&value, bytes, sizeof value);
    return value;
}

/*
 * 32 values at once with a width that the compiler knows, so that all shifts are constants. Each
 * load may reach up to LOAD - 1 bytes behind the block's own 4 * width.
 */
#define UNPACK_BLOCK(width)                                                    \
    static void unpack_block_##width(const uint8_t *in, uint32_t *out)         \
    {                                                                          \
        _Pragma("GCC unroll 32") for (unsigned i = 0; i < BLOCK; i++) out[i] = \
            (uint32_t)(load64(in + i * (width) / 8) >> i * (width) % 8 &       \
                       ((UINT64_C(1) << (width)) - 1));                        \
    }

/* clang-format would move this list at every run. */
/* clang-format off */
#define WIDTHS(X) \
    X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) \
    X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31) X(32)
/* clang-format on */

WIDTHS(UNPACK_BLOCK)

typedef void (*block_function)(const uint8_t *in, uint32_t *out);

#define NAME_BLOCK(width) unpack_block_##width,
static const block_function block_functions[] = {NULL, WIDTHS(NAME_BLOCK)};

/* One value by its bits; for the ends that no block covers. */
static uint64_t unpack_one(frz_slice bytes, unsigned width, size_t index)
{
    const size_t bit = index * width;
    const size_t at = bit / 8;
    const unsigned shift = (unsigned)(bit % 8);
    const size_t left = bytes.size - at;
    uint8_t window[LOAD + 1] = {0};
    memcpy(window, bytes.data + at, left < sizeof window ? left : sizeof window);
    uint64_t value = load64(window) >> shift;
    if (shift)
        value |= (uint64_t)window[LOAD] << (64 - shift);
    return width < 64 ? value & ((UINT64_C(1) << width) - 1) : value;
}

void frz_parquet_unpack_u32(frz_slice bytes, unsigned width, size_t first, uint32_t *out,
                            size_t count)
{
    if (width == 0) {
        memset(out, 0, count * sizeof *out);
        return;
    }
    size_t done = 0;
    while (done < count && (first + done) * width % 8)
        out[done] = (uint32_t)unpack_one(bytes, width, first + done), done++;
    const block_function unpack_block = block_functions[width];
    const size_t block_size = (size_t)width * (BLOCK / 8);
    size_t at = (first + done) * width / 8;
    while (count - done >= BLOCK && bytes.size - at >= block_size + LOAD) {
        unpack_block(bytes.data + at, out + done);
        done += BLOCK;
        at += block_size;
    }
    for (; done < count; done++)
        out[done] = (uint32_t)unpack_one(bytes, width, first + done);
}

void frz_parquet_unpack_u64(frz_slice bytes, unsigned width, size_t first, uint64_t *out,
                            size_t count)
{
    enum { WIDTH_ONE_LOAD = 57 }; /* up to here a value lies in 64 bits wherever it begins */
    size_t done = 0;
    if (width == 0) {
        memset(out, 0, count * sizeof *out);
        return;
    }
    if (width <= WIDTH_ONE_LOAD) {
        const uint64_t mask = (UINT64_C(1) << width) - 1;
        size_t bit = first * width;
        for (; done < count && bit / 8 + LOAD <= bytes.size; done++, bit += width)
            out[done] = load64(bytes.data + bit / 8) >> bit % 8 & mask;
    }
    for (; done < count; done++)
        out[done] = unpack_one(bytes, width, first + done);
}
