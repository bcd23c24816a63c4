#include "base/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"

uint8_t *frz_buffer_reserve(frz_buffer *buffer, size_t size)
{
    if (buffer->failed)
        return NULL;
    if (size <= buffer->capacity - buffer->size && buffer->data)
        return buffer->data + buffer->size;

    size_t needed = 0;
    size_t capacity = buffer->capacity < 128 ? 256 : buffer->capacity * 2;
    if (!frz_size_add(buffer->size, size, &needed)) {
        buffer->failed = true;
        return NULL;
    }
    if (capacity < needed)
        capacity = needed;
    uint8_t *grown = frz_realloc(buffer->data, capacity);
    if (!grown) {
        buffer->failed = true;
        return NULL;
    }
    buffer->data = grown;
    buffer->capacity = capacity;
    return buffer->data + buffer->size;
}

uint8_t *frz_buffer_extend(frz_buffer *buffer, size_t size)
{
    uint8_t *at = frz_buffer_reserve(buffer, size);
    if (at)
        buffer->size += size;
    return at;
}

void frz_buffer_append(frz_buffer *buffer, const void *bytes, size_t size)
{
    uint8_t *at = frz_buffer_extend(buffer, size);
    if (at && size)
        memcpy(at, bytes, size);
}

void frz_buffer_append_text(frz_buffer *buffer, const char *text)
{
    frz_buffer_append(buffer, text, strlen(text));
}

void frz_buffer_append_byte(frz_buffer *buffer, uint8_t byte)
{
    frz_buffer_append(buffer, &byte, 1);
}

void frz_buffer_append_u32le(frz_buffer *buffer, uint32_t value)
{
    const uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                              (uint8_t)(value >> 24)};
    frz_buffer_append(buffer, bytes, sizeof bytes);
}

void frz_buffer_append_u64le(frz_buffer *buffer, uint64_t value)
{
    frz_buffer_append_u32le(buffer, (uint32_t)value);
    frz_buffer_append_u32le(buffer, (uint32_t)(value >> 32));
}

void frz_buffer_append_u32be(frz_buffer *buffer, uint32_t value)
{
    frz_buffer_append_u32le(buffer, __builtin_bswap32(value));
}

void frz_buffer_append_fill(frz_buffer *buffer, uint8_t byte, size_t count)
{
    uint8_t *at = frz_buffer_extend(buffer, count);
    if (at && count)
        memset(at, byte, count);
}

void frz_buffer_printf(frz_buffer *buffer, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0) {
        buffer->failed = true;
        return;
    }
    uint8_t *at = frz_buffer_reserve(buffer, (size_t)length + 1);
    if (!at)
        return;
    va_start(args, format);
    (void)vsnprintf((char *)at, (size_t)length + 1, format, args); /* cannot fail: just measured */
    va_end(args);
    buffer->size += (size_t)length;
}

frz_status frz_buffer_check(const frz_buffer *buffer, frz_error **err)
{
    return buffer->failed ? frz_fail_memory(err) : FRZ_OK;
}

frz_slice frz_buffer_slice(const frz_buffer *buffer)
{
    return frz_slice_of(buffer->data, buffer->size);
}

void frz_buffer_reset(frz_buffer *buffer)
{
    buffer->size = 0;
    buffer->failed = false;
}

void frz_buffer_clear(frz_buffer *buffer)
{
    frz_free(buffer->data);
    *buffer = (frz_buffer){0};
}
