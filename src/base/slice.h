/*
 * Borrowed bytes: a pointer and a size, owned by something that outlives it.
 */
#ifndef FRZ_BASE_SLICE_H
#define FRZ_BASE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct frz_slice {
    const uint8_t *data; /* NULL only when size is 0 */
    size_t size;
} frz_slice;

static inline frz_slice frz_slice_of(const void *data, size_t size)
{
    return (frz_slice){.data = data, .size = size};
}

static inline frz_slice frz_slice_of_text(const char *text)
{
    return (frz_slice){.data = (const uint8_t *)text, .size = text ? strlen(text) : 0};
}

/* Order by unsigned bytes, then by length; the order of Iceberg strings, uuids and binaries. */
static inline int frz_slice_compare(frz_slice a, frz_slice b)
{
    const size_t shared = a.size < b.size ? a.size : b.size;
    const int order = shared && a.data && b.data ? memcmp(a.data, b.data, shared) : 0;
    if (order != 0)
        return order;
    return a.size < b.size ? -1 : a.size > b.size;
}

static inline bool frz_slice_equal(frz_slice a, frz_slice b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static inline bool frz_slice_is_text(frz_slice a, const char *text)
{
    return frz_slice_equal(a, frz_slice_of_text(text));
}

#endif
