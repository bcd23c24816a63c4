#include "parquet/utf8.h"

#include <string.h>

/* The size of the sequence at `at`, 0 when it is none. RFC 3629: no overlong forms, no surrogates,
 * at most U+10FFFF. */
static size_t sequence_size(const uint8_t *at, size_t left)
{
    const uint8_t lead = at[0];
    if (lead < 0x80)
        return 1;
    if (lead < 0xc2 || lead > 0xf4)
        return 0;
    const size_t size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (left < size)
        return 0;
    for (size_t i = 1; i < size; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    if ((lead == 0xe0 && at[1] < 0xa0) || (lead == 0xed && at[1] > 0x9f) ||
        (lead == 0xf0 && at[1] < 0x90) || (lead == 0xf4 && at[1] > 0x8f))
        return 0;
    return size;
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
        const size_t size = sequence_size(data + at, end - at);
        if (size == 0)
            return false;
        at = skip_ascii(data, at + size, end);
    }
    /* All bytes together are valid; no value may begin inside a sequence. */
    for (size_t i = 0; i + 1 < count; i++)
        if ((size_t)ends[i] < end && (data[ends[i]] & 0xc0) == 0x80)
            return false;
    return true;
}
