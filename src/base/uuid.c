#include "base/uuid.h"

#include "base/clock.h"
#include "base/number.h"

frz_uuid frz_uuid_random(void)
{
    frz_uuid uuid;
    frz_random_bytes(uuid.bytes, sizeof uuid.bytes);
    uuid.bytes[6] = (uint8_t)((uuid.bytes[6] & 0x0f) | 0x40); /* version 4 */
    uuid.bytes[8] = (uint8_t)((uuid.bytes[8] & 0x3f) | 0x80); /* variant of RFC 4122 */
    return uuid;
}

static bool dash_before(size_t byte)
{
    return byte == 4 || byte == 6 || byte == 8 || byte == 10;
}

void frz_uuid_print(const frz_uuid *uuid, char out[FRZ_UUID_TEXT_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    size_t at = 0;
    for (size_t i = 0; i < sizeof uuid->bytes; i++) {
        if (dash_before(i))
            out[at++] = '-';
        out[at++] = digits[uuid->bytes[i] >> 4];
        out[at++] = digits[uuid->bytes[i] & 15];
    }
    out[at] = '\0';
}

bool frz_uuid_parse(const char *text, size_t size, frz_uuid *out)
{
    if (size != FRZ_UUID_TEXT_SIZE - 1)
        return false;
    frz_uuid uuid;
    size_t at = 0;
    for (size_t i = 0; i < sizeof uuid.bytes; i++) {
        if (dash_before(i) && text[at++] != '-')
            return false;
        const int high = frz_hex_digit((uint8_t)text[at]);
        const int low = frz_hex_digit((uint8_t)text[at + 1]);
        if (high < 0 || low < 0)
            return false;
        uuid.bytes[i] = (uint8_t)(high << 4 | low);
        at += 2;
    }
    *out = uuid;
    return true;
}
