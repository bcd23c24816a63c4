#include "base/cursor.h"

#include <assert.h>

frz_cursor frz_cursor_over(const void *data, size_t size)
{
    return (frz_cursor){.data = data, .size = size};
}

frz_cursor frz_cursor_over_slice(frz_slice bytes)
{
    return frz_cursor_over(bytes.data, bytes.size);
}

const uint8_t *frz_cursor_take(frz_cursor *cursor, size_t size)
{
    assert(cursor->pos <= cursor->size && (cursor->data || cursor->size == 0));
    if (cursor->failed || size > cursor->size - cursor->pos) {
        cursor->failed = true;
        return NULL;
    }
    static const uint8_t nothing[1] = {0};
    const uint8_t *bytes = cursor->data ? cursor->data + cursor->pos : nothing;
    cursor->pos += size;
    return bytes;
}

size_t frz_cursor_left(const frz_cursor *cursor)
{
    return cursor->size - cursor->pos;
}

uint8_t frz_cursor_u8(frz_cursor *cursor)
{
    const uint8_t *b = frz_cursor_take(cursor, 1);
    return b ? b[0] : 0;
}

uint16_t frz_cursor_u16le(frz_cursor *cursor)
{
    const uint8_t *b = frz_cursor_take(cursor, 2);
    return (uint16_t)(b ? b[0] | b[1] << 8 : 0);
}

uint32_t frz_cursor_u32le(frz_cursor *cursor)
{
    const uint8_t *b = frz_cursor_take(cursor, sizeof(uint32_t));
    if (!b)
        return 0;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

uint32_t frz_cursor_u32be(frz_cursor *cursor)
{
    return __builtin_bswap32(frz_cursor_u32le(cursor));
}

uint64_t frz_cursor_u64le(frz_cursor *cursor)
{
    const uint8_t *b = frz_cursor_take(cursor, sizeof(uint64_t));
    if (!b)
        return 0;
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | b[i];
    return value;
}

uint64_t frz_cursor_uvarint(frz_cursor *cursor)
{
    const size_t start = cursor->pos;
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint8_t byte = frz_cursor_u8(cursor);
        if (cursor->failed)
            break;
        if (shift == 63 && byte > 1)
            break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
    cursor->failed = true;
    cursor->pos = start;
    return 0;
}

int64_t frz_cursor_varint(frz_cursor *cursor)
{
    const uint64_t raw = frz_cursor_uvarint(cursor);
    return (int64_t)(raw >> 1) ^ -(int64_t)(raw & 1);
}
