/*
 * The only door to the heap. Every allocation passes through here so that tests
 * can make the Nth one fail. Sizes that come from input go through
 * frz_size_mul() and frz_size_add(), which refuse to wrap.
 *
 * Thread rule: any thread may allocate and free; the test hook counts all threads
 * together.
 */
#ifndef FRZ_BASE_MEM_H
#define FRZ_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* NULL when memory is short. `size` 0 yields a valid, freeable pointer. */
void *frz_alloc(size_t size);
void *frz_alloc_zero(size_t size);

/* count * size bytes, zeroed; NULL when the product wraps or memory is short. */
void *frz_alloc_array(size_t count, size_t size);

/* As realloc(): on NULL the old block is untouched and still owned by the caller. */
void *frz_realloc(void *ptr, size_t size);

/*
 * Makes room for one more item in a growing array: doubles *capacity when `count`
 * has reached it. False when memory is short; the array is then unchanged.
 */
bool frz_grow_array(void **items, size_t *capacity, size_t count, size_t item_size);

/* A terminated copy; NULL when memory is short. */
char *frz_copy_text(const char *text);
char *frz_copy_text_n(const char *text, size_t size);

/* Cache-line aligned (64 bytes), for Arrow buffers; free with frz_free. */
void *frz_alloc_aligned(size_t size);

/* Accepts NULL. */
void frz_free(void *ptr);

/* False when the result does not fit in size_t; *out is then untouched. */
bool frz_size_mul(size_t a, size_t b, size_t *out);
bool frz_size_add(size_t a, size_t b, size_t *out);

/* Test hook: lets `countdown` allocations pass, then fails one; < 0 disarms. */
void frz_mem_fail_after(int64_t countdown);

/* Whether that one has failed since it was armed. */
bool frz_mem_failed(void);

#endif
