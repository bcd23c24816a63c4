/*
 * A growing run of bytes. The first failure sticks: later appends do nothing, and
 * the writer checks `failed` once at the end (frz_buffer_check).
 */
#ifndef FRZ_BASE_BUFFER_H
#define FRZ_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "frazil/error.h"

/* All zero is a valid, empty buffer. */
typedef struct frz_buffer {
    uint8_t *data; /* owned; NULL while capacity is 0 */
    size_t size;
    size_t capacity;
    bool failed; /* memory was short; contents are incomplete */
} frz_buffer;

/* Room for `size` more bytes behind `size`; NULL (and failed) when memory is short. Does not
 * advance. */
uint8_t *frz_buffer_reserve(frz_buffer *buffer, size_t size);

/* reserve, then advance; the bytes are not initialised. NULL when memory is short. */
uint8_t *frz_buffer_extend(frz_buffer *buffer, size_t size);

void frz_buffer_append(frz_buffer *buffer, const void *bytes, size_t size);
void frz_buffer_append_text(frz_buffer *buffer, const char *text);
void frz_buffer_append_byte(frz_buffer *buffer, uint8_t byte);
void frz_buffer_append_u32le(frz_buffer *buffer, uint32_t value);
void frz_buffer_append_u64le(frz_buffer *buffer, uint64_t value);
void frz_buffer_append_u32be(frz_buffer *buffer, uint32_t value);
void frz_buffer_append_fill(frz_buffer *buffer, uint8_t byte, size_t count);
void frz_buffer_printf(frz_buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* FRZ_NO_MEMORY when any append failed. */
FRZ_MUST_CHECK frz_status frz_buffer_check(const frz_buffer *buffer, frz_error **err);

/* The contents, borrowed until the next change. */
frz_slice frz_buffer_slice(const frz_buffer *buffer);

/* Forgets the contents, keeps the memory. */
void frz_buffer_reset(frz_buffer *buffer);

/* Frees; empty and reusable. */
void frz_buffer_clear(frz_buffer *buffer);

#endif
