#include "base/utf8.h"

#include <string.h>

size_t frz_utf8_size(const uint8_t *at, size_t size)
{
    if (size == 0)
        return 0;
    const uint8_t lead = at[0];
    if (lead < 0x80)
        return 1;
    if (lead < 0xc2 || lead > 0xf4)
        return 0;
    const size_t wanted = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (size < wanted || !frz_utf8_is_tail(at[1]))
        return 0;
    /* The second byte also tells overlong forms, surrogates and what is beyond Unicode. */
    if ((lead == 0xe0 && at[1] < 0xa0) || (lead == 0xed && at[1] > 0x9f) ||
        (lead == 0xf0 && at[1] < 0x90) || (lead == 0xf4 && at[1] > 0x8f))
        return 0;
    for (size_t i = 2; i < wanted; i++) {
        if (!frz_utf8_is_tail(at[i]))
            return 0;
    }
    return wanted;
}

uint32_t frz_utf8_get(const uint8_t *at, size_t size)
{
    static const uint8_t lead_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t code = at[0] & lead_bits[size];
    for (size_t i = 1; i < size; i++)
        code = code << 6 | (at[i] & 0x3f);
    return code;
}

size_t frz_utf8_put(uint32_t code, uint8_t out[4])
{
    static const uint8_t leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    if (code < 0x80) {
        out[0] = (uint8_t)code;
        return 1;
    }
    const size_t size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = size - 1; i > 0; i--, code >>= 6)
        out[i] = (uint8_t)(0x80 | (code & 0x3f));
    out[0] = (uint8_t)(leads[size] | code);
    return size;
}

size_t frz_utf8_count(const uint8_t *data, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += !frz_utf8_is_tail(data[i]);
    return count;
}

size_t frz_utf8_start(const uint8_t *data, size_t at)
{
    while (at > 0 && frz_utf8_is_tail(data[at]))
        at--;
    return at;
}

uint32_t frz_utf8_successor(uint32_t code)
{
    if (code == 0xd7ff)
        return 0xe000;
    return code == 0x10ffff ? 0 : code + 1;
}

/* The end of the ASCII run that starts at `at`, found eight bytes at a time. */
static size_t skip_ascii(const uint8_t *data, size_t at, size_t end)
{
    for (; end - at >= 8; at += 8) {
        uint64_t word = 0;
        memcpy(&word, data + at, sizeof word);
        if (word & UINT64_C(0x8080808080808080))
            break;
    }
    while (at < end && data[at] < 0x80)
        at++;
    return at;
}

bool frz_utf8_values_valid(const uint8_t *data, int32_t start, const int32_t *ends, size_t count)
{
    if (count == 0)
        return true;
    const size_t end = (size_t)ends[count - 1];
    size_t at = skip_ascii(data, (size_t)start, end);
    if (at == end)
        return true;
    while (at < end) {
        const size_t size = frz_utf8_size(data + at, end - at);
        if (size == 0)
            return false;
        at = skip_ascii(data, at + size, end);
    }
    /* All bytes together are valid; no value may begin inside a character. */
    for (size_t i = 0; i + 1 < count; i++)
        if ((size_t)ends[i] < end && frz_utf8_is_tail(data[ends[i]]))
            return false;
    return true;
}
