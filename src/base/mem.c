#include "base/mem.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Counts down to the allocation that must fail; negative when disarmed. */
static atomic_int_least64_t fail_countdown = -1;
static atomic_bool fail_fired;

void frz_mem_fail_after(int64_t countdown)
{
    atomic_store(&fail_countdown, countdown);
    atomic_store(&fail_fired, false);
}

bool frz_mem_failed(void)
{
    return atomic_load(&fail_fired);
}

static bool must_fail(void)
{
    if (atomic_load_explicit(&fail_countdown, memory_order_relaxed) < 0)
        return false;
    if (atomic_fetch_sub(&fail_countdown, 1) != 0)
        return false;
    atomic_store(&fail_fired, true);
    return true;
}

void *frz_alloc(size_t size)
{
    if (must_fail())
        return NULL;
    return malloc(size ? size : 1);
}

void *frz_alloc_zero(size_t size)
{
    if (must_fail())
        return NULL;
    return calloc(1, size ? size : 1);
}

void *frz_alloc_array(size_t count, size_t size)
{
    size_t total = 0;
    return frz_size_mul(count, size, &total) ? frz_alloc_zero(total) : NULL;
}

void *frz_realloc(void *ptr, size_t size)
{
    if (must_fail())
        return NULL;
    return realloc(ptr, size ? size : 1);
}

bool frz_grow_array(void **items, size_t *capacity, size_t count, size_t item_size)
{
    if (count < *capacity)
        return true;
    const size_t wanted = *capacity ? *capacity * 2 : 8;
    size_t bytes = 0;
    if (wanted < *capacity || !frz_size_mul(wanted, item_size, &bytes))
        return false;
    void *grown = frz_realloc(*items, bytes);
    if (!grown)
        return false;
    *items = grown;
    *capacity = wanted;
    return true;
}

char *frz_copy_text_n(const char *text, size_t size)
{
    size_t with_end = 0;
    char *copy = frz_size_add(size, 1, &with_end) ? frz_alloc(with_end) : NULL;
    if (!copy)
        return NULL;
    if (size)
        memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

char *frz_copy_text(const char *text)
{
    return frz_copy_text_n(text, strlen(text));
}

void *frz_alloc_aligned(size_t size)
{
    size_t padded = 0;
    if (must_fail() || !frz_size_add(size, 63, &padded))
        return NULL;
    padded &= ~(size_t)63;
    return aligned_alloc(64, padded ? padded : 64);
}

void frz_free(void *ptr)
{
    free(ptr);
}

bool frz_size_mul(size_t a, size_t b, size_t *out)
{
    size_t product;
    if (__builtin_mul_overflow(a, b, &product))
        return false;
    *out = product;
    return true;
}

bool frz_size_add(size_t a, size_t b, size_t *out)
{
    size_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return false;
    *out = sum;
    return true;
}
