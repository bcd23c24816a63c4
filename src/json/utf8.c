#include "json/utf8.h"

static int is_tail(uint8_t byte)
{
    return (byte & 0xc0) == 0x80;
}

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
    if (size < wanted || !is_tail(at[1]))
        return 0;
    /* The second byte also tells overlong forms, surrogates and what is beyond Unicode. */
    if ((lead == 0xe0 && at[1] < 0xa0) || (lead == 0xed && at[1] > 0x9f) ||
        (lead == 0xf0 && at[1] < 0x90) || (lead == 0xf4 && at[1] > 0x8f))
        return 0;
    for (size_t i = 2; i < wanted; i++) {
        if (!is_tail(at[i]))
            return 0;
    }
    return wanted;
}

size_t frz_utf8_put(uint32_t code, uint8_t *out)
{
    if (code < 0x80) {
        out[0] = (uint8_t)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (uint8_t)(0xc0 | code >> 6);
        out[1] = (uint8_t)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (uint8_t)(0xe0 | code >> 12);
        out[1] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
        out[2] = (uint8_t)(0x80 | (code & 0x3f));
        return 3;
    }
    out[0] = (uint8_t)(0xf0 | code >> 18);
    out[1] = (uint8_t)(0x80 | (code >> 12 & 0x3f));
    out[2] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
    out[3] = (uint8_t)(0x80 | (code & 0x3f));
    return 4;
}
