/*
 * UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF. Strings of
 * Iceberg, Arrow and Parquet's STRING are it; bounds are cut between its characters.
 */
#ifndef FRZ_BASE_UTF8_H
#define FRZ_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the character at `at`, 1 to 4; 0 when it is not well formed within `size` bytes. */
size_t frz_utf8_size(const uint8_t *at, size_t size);

/* The code point of a well-formed character of `size` bytes. */
uint32_t frz_utf8_get(const uint8_t *at, size_t size);

/* Writes a code point (no surrogate) and returns its size. */
size_t frz_utf8_put(uint32_t code, uint8_t out[4]);

/* Whether a byte continues a character. */
static inline bool frz_utf8_is_tail(uint8_t byte)
{
    return (byte & 0xc0) == 0x80;
}

/* Characters of text; of bytes that are none, those that do not continue one. */
size_t frz_utf8_count(const uint8_t *data, size_t size);

/* Where the character begins that holds byte `at`. */
size_t frz_utf8_start(const uint8_t *data, size_t at);

/* The next code point that is no surrogate; 0 after the last. */
uint32_t frz_utf8_successor(uint32_t code);

/* Whether each of `count` values is UTF-8: value i ends at ends[i], the first starts at `start`. */
bool frz_utf8_values_valid(const uint8_t *data, int32_t start, const int32_t *ends, size_t count);

#endif
