/*
 * An arena: many small allocations that are freed together. Values (schemas,
 * snapshots, expressions) live in the arena of their owner and are never freed one
 * by one.
 *
 * Freed blocks are poisoned under AddressSanitizer. An arena has a budget: parsers
 * of foreign bytes give one, so that a hostile file cannot take all memory.
 *
 * Thread rule: one thread at a time; what was built may be read by many.
 */
#ifndef FRZ_BASE_ARENA_H
#define FRZ_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

typedef struct frz_arena_block frz_arena_block;

/* All zero is a valid, empty arena with no budget. */
typedef struct frz_arena {
    frz_arena_block *newest;
    size_t used;   /* bytes handed out, with padding */
    size_t budget; /* most bytes to hand out; 0 = unlimited */
} frz_arena;

/* Zeroed and aligned to 16 bytes; NULL when memory or the budget is exhausted. */
void *frz_arena_alloc(frz_arena *arena, size_t size);

/* count * size, zeroed; NULL also when the product wraps. */
void *frz_arena_array(frz_arena *arena, size_t count, size_t size);

/* Terminated copies; NULL when memory or the budget is exhausted. */
char *frz_arena_text(frz_arena *arena, const char *text);
char *frz_arena_text_n(frz_arena *arena, const void *text, size_t size);
char *frz_arena_printf(frz_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A copy of `bytes` (not terminated). False when memory or the budget is exhausted. */
bool frz_arena_slice(frz_arena *arena, frz_slice bytes, frz_slice *out);

/* Frees everything; the arena is empty and reusable, its budget kept. */
void frz_arena_clear(frz_arena *arena);

#endif
