#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

#if defined(__SANITIZE_ADDRESS__)
#define FRZ_ARENA_RED_ZONE 16
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FRZ_ARENA_RED_ZONE 16
#endif
#endif

#ifdef FRZ_ARENA_RED_ZONE
#include <sanitizer/asan_interface.h>
#else
#define FRZ_ARENA_RED_ZONE 0
#define ASAN_POISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#endif

enum { ALIGNMENT = 16, BLOCK_SIZE_MIN = 4096 - 64, BLOCK_SIZE_MAX = 256 * 1024 };

struct frz_arena_block {
    frz_arena_block *older;
    size_t capacity;
    size_t filled;
    _Alignas(ALIGNMENT) uint8_t bytes[];
};

static frz_arena_block *add_block(frz_arena *arena, size_t size)
{
    size_t capacity = arena->newest ? arena->newest->capacity * 2 : BLOCK_SIZE_MIN;
    if (capacity > BLOCK_SIZE_MAX)
        capacity = BLOCK_SIZE_MAX;
    if (capacity < size)
        capacity = size;

    size_t total = 0;
    if (!frz_size_add(sizeof(frz_arena_block), capacity, &total))
        return NULL;
    frz_arena_block *block = frz_alloc(total);
    if (!block)
        return NULL;
    *block = (frz_arena_block){.older = arena->newest, .capacity = capacity};
    ASAN_POISON_MEMORY_REGION(block->bytes, capacity);
    arena->newest = block;
    return block;
}

void *frz_arena_alloc(frz_arena *arena, size_t size)
{
    size_t padded = 0;
    if (!frz_size_add(size ? size : 1, ALIGNMENT - 1 + FRZ_ARENA_RED_ZONE, &padded))
        return NULL;
    padded &= ~(size_t)(ALIGNMENT - 1);
    if (arena->budget && (padded > arena->budget || arena->used > arena->budget - padded))
        return NULL;

    frz_arena_block *block = arena->newest;
    if (!block || block->capacity - block->filled < padded)
        block = add_block(arena, padded);
    if (!block)
        return NULL;

    uint8_t *at = block->bytes + block->filled;
    block->filled += padded;
    arena->used += padded;
    ASAN_UNPOISON_MEMORY_REGION(at, size);
    if (size)
        memset(at, 0, size);
    return at;
}

void *frz_arena_array(frz_arena *arena, size_t count, size_t size)
{
    size_t total = 0;
    return frz_size_mul(count, size, &total) ? frz_arena_alloc(arena, total) : NULL;
}

char *frz_arena_text_n(frz_arena *arena, const void *text, size_t size)
{
    size_t with_end = 0;
    char *copy = frz_size_add(size, 1, &with_end) ? frz_arena_alloc(arena, with_end) : NULL;
    if (copy && size)
        memcpy(copy, text, size);
    return copy;
}

char *frz_arena_text(frz_arena *arena, const char *text)
{
    return frz_arena_text_n(arena, text, strlen(text));
}

char *frz_arena_printf(frz_arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0)
        return NULL;

    char *text = frz_arena_alloc(arena, (size_t)length + 1);
    if (!text)
        return NULL;
    va_start(args, format);
    (void)vsnprintf(text, (size_t)length + 1, format, args); /* cannot fail: just measured */
    va_end(args);
    return text;
}

bool frz_arena_slice(frz_arena *arena, frz_slice bytes, frz_slice *out)
{
    uint8_t *copy = frz_arena_alloc(arena, bytes.size);
    if (!copy)
        return false;
    if (bytes.size)
        memcpy(copy, bytes.data, bytes.size);
    *out = frz_slice_of(copy, bytes.size);
    return true;
}

void frz_arena_clear(frz_arena *arena)
{
    frz_arena_block *block = arena->newest;
    while (block) {
        frz_arena_block *older = block->older;
        ASAN_UNPOISON_MEMORY_REGION(block->bytes, block->capacity);
        frz_free(block);
        block = older;
    }
    arena->newest = NULL;
    arena->used = 0;
}
