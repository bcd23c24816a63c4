#include "base/hash.h"

#include <assert.h>
#include <libdeflate.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static uint32_t rotate_left(uint32_t value, unsigned bits)
{
    return value << bits | value >> (32 - bits);
}

static uint32_t murmur3_scramble(uint32_t word)
{
    return rotate_left(word * UINT32_C(0xcc9e2d51), 15) * UINT32_C(0x1b873593);
}

/* MurmurHash3 x86 32-bit with seed 0 (spec, Appendix B). */
int32_t frz_hash_murmur3(const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    uint32_t hash = 0;
    for (size_t left = size; left >= 4; left -= 4, at += 4) {
        const uint32_t word =
            (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        hash = rotate_left(hash ^ murmur3_scramble(word), 13) * 5 + UINT32_C(0xe6546b64);
    }
    uint32_t tail = 0;
    for (size_t i = size & 3; i > 0; i--)
        tail = tail << 8 | at[i - 1];
    hash ^= murmur3_scramble(tail);
    hash ^= (uint32_t)size;
    hash = (hash ^ hash >> 16) * UINT32_C(0x85ebca6b);
    hash = (hash ^ hash >> 13) * UINT32_C(0xc2b2ae35);
    return (int32_t)(hash ^ hash >> 16);
}

uint64_t frz_hash_xxh64(const void *bytes, size_t size, uint64_t seed)
{
    assert(bytes || !size);
    return XXH64(bytes ? bytes : "", bytes ? size : 0, seed);
}

uint64_t frz_hash_xxh3(const void *bytes, size_t size, uint64_t seed)
{
    assert(bytes || !size);
    return XXH3_64bits_withSeed(bytes ? bytes : "", bytes ? size : 0, seed);
}

void frz_hash_rows(const uint64_t *words, size_t word_count, size_t count, uint64_t seed,
                   uint64_t *out)
{
    if (word_count == 2) { /* one key of a word, and its null bits: the size is known in advance */
        for (size_t i = 0; i < count; i++)
            out[i] = XXH3_64bits_withSeed(words + i * 2, 2 * sizeof *words, seed);
        return;
    }
    for (size_t i = 0; i < count; i++)
        out[i] = XXH3_64bits_withSeed(words + i * word_count, word_count * sizeof *words, seed);
}

uint32_t frz_hash_crc32(uint32_t start, const void *bytes, size_t size)
{
    return size ? libdeflate_crc32(start, bytes, size) : start;
}
