/*
 * A bounded read position over borrowed bytes.
 *
 * The first read past the end sticks: it and all later reads return zero, and
 * `pos` stays where the fault is. A decoder therefore checks once per record,
 * not once per field, and can still name the failing byte.
 *
 * Invariant: pos <= size.
 */
#ifndef FRZ_BASE_CURSOR_H
#define FRZ_BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

typedef struct frz_cursor {
    const uint8_t *data; /* borrowed */
    size_t size;
    size_t pos;
    bool failed;
} frz_cursor;

frz_cursor frz_cursor_over(const void *data, size_t size);
frz_cursor frz_cursor_over_slice(frz_slice bytes);

/* NULL, with `failed` set, when fewer than `size` bytes remain. */
const uint8_t *frz_cursor_take(frz_cursor *cursor, size_t size);

size_t frz_cursor_left(const frz_cursor *cursor);

uint8_t frz_cursor_u8(frz_cursor *cursor);
uint16_t frz_cursor_u16le(frz_cursor *cursor);
uint32_t frz_cursor_u32le(frz_cursor *cursor);
uint32_t frz_cursor_u32be(frz_cursor *cursor);
uint64_t frz_cursor_u64le(frz_cursor *cursor);

/* Unsigned LEB128, at most 10 bytes and 64 bits; a longer one is a failure. */
uint64_t frz_cursor_uvarint(frz_cursor *cursor);

/* Zigzag LEB128 (Avro long, Thrift compact integers). */
int64_t frz_cursor_varint(frz_cursor *cursor);

#endif
