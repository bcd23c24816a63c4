#include "parquet/bits.h"

#include <string.h>

static bool get(const uint8_t *bits, size_t at)
{
    return bits[at / 8] >> at % 8 & 1;
}

static void put(uint8_t *bits, size_t at, bool value)
{
    const uint8_t mask = (uint8_t)(1u << at % 8);
    bits[at / 8] = (uint8_t)((bits[at / 8] & ~mask) | (value ? mask : 0));
}

void frz_bits_fill(uint8_t *bits, size_t at, size_t count, bool value)
{
    for (; count && at % 8; at++, count--)
        put(bits, at, value);
    if (count >= 8)
        memset(bits + at / 8, value ? 0xff : 0, count / 8);
    at += count & ~(size_t)7;
    for (count %= 8; count; at++, count--)
        put(bits, at, value);
}

void frz_bits_copy(const uint8_t *in, size_t in_at, uint8_t *out, size_t out_at, size_t count)
{
    for (; count && out_at % 8; in_at++, out_at++, count--)
        put(out, out_at, get(in, in_at));
    const unsigned shift = (unsigned)(in_at % 8);
    const size_t whole = count / 8;
    const uint8_t *from = in + in_at / 8;
    uint8_t *to = out + out_at / 8;
    if (shift == 0 && whole)
        memcpy(to, from, whole);
    for (size_t i = 0; shift && i < whole; i++)
        to[i] = (uint8_t)(from[i] >> shift | from[i + 1] << (8 - shift));
    in_at += whole * 8;
    out_at += whole * 8;
    for (count %= 8; count; in_at++, out_at++, count--)
        put(out, out_at, get(in, in_at));
}

size_t frz_bits_count(const uint8_t *bits, size_t at, size_t count)
{
    size_t ones = 0;
    for (; count && at % 8; at++, count--)
        ones += get(bits, at);
    const uint8_t *bytes = bits + at / 8;
    for (; count >= 64; count -= 64, at += 64, bytes += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes, sizeof word);
        ones += (size_t)__builtin_popcountll(word);
    }
    for (; count; at++, count--)
        ones += get(bits, at);
    return ones;
}
