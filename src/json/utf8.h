/*
 * UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF.
 */
#ifndef FRZ_JSON_UTF8_H
#define FRZ_JSON_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the character at `at`, 1 to 4; 0 when it is not well formed within `size` bytes. */
size_t frz_utf8_size(const uint8_t *at, size_t size);

/* Writes a code point (no surrogate) and returns its size. */
size_t frz_utf8_put(uint32_t code, uint8_t *out);

#endif
