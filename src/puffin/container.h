/*
 * A Roaring container: the members of a set that share all but their lowest 16 bits, as a sorted
 * array, a bitset of 8 KiB or runs (Roaring spec, "Container storage"), and the list of them that a
 * bitmap is.
 *
 * `data` has the layout of the portable format, little endian and not aligned, so that containers
 * of a decoded bitmap stand in the copied bytes (`borrowed`) and are copied again only when they
 * change.
 *
 * Invariant: count >= 1 and is the number of members; arrays and runs ascend strictly.
 */
#ifndef FRZ_PUFFIN_CONTAINER_H
#define FRZ_PUFFIN_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buffer.h"

enum {
    FRZ_CONTAINER_SPAN = 65536, /* values */
    FRZ_CONTAINER_WORDS = 1024, /* of a bitset */
    FRZ_CONTAINER_BITSET_SIZE = 8192,
    FRZ_CONTAINER_ARRAY_MAX = 4096 /* members of a serialised array */
};

typedef enum frz_container_kind {
    FRZ_CONTAINER_ARRAY,
    FRZ_CONTAINER_BITSET,
    FRZ_CONTAINER_RUN
} frz_container_kind;

typedef struct frz_container {
    uint64_t key; /* position >> 16 */
    uint8_t *data;
    uint32_t count;
    uint32_t run_count; /* RUN */
    uint32_t capacity;  /* ARRAY: values that fit in `data`; 0 when borrowed */
    frz_container_kind kind;
    bool borrowed; /* `data` lies in the bitmap's blob */
} frz_container;

struct frz_bitmap {
    frz_container *containers; /* by key, ascending */
    size_t container_count;
    size_t container_capacity;
    int64_t cardinality;
    frz_buffer blob; /* the bytes that borrowed containers stand in */
};

static inline uint16_t frz_load_u16(const uint8_t *data, size_t index)
{
    uint16_t value = 0;
    memcpy(&value, data + 2 * index, sizeof value);
    return value;
}

static inline uint64_t frz_load_u64(const uint8_t *data, size_t index)
{
    uint64_t value = 0;
    memcpy(&value, data + 8 * index, sizeof value);
    return value;
}

/* Set bits of a word; the builtin is a call on machines that are not asked for their instruction.
 */
static inline uint32_t frz_count_bits(uint64_t word)
{
    word -= (word >> 1) & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + ((word >> 2) & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)((word * UINT64_C(0x0101010101010101)) >> 56);
}

bool frz_container_has(const frz_container *container, uint16_t value);

/* 1 when added, 0 when there already, -1 when memory is short (nothing has changed). */
int frz_container_add(frz_container *container, uint16_t value);

/* [first, last]. False when memory is short (nothing has changed). An empty container (count 0) is
 * fine. */
bool frz_container_add_range(frz_container *container, uint32_t first, uint32_t last);

/* *out owns its data. False when memory is short. */
bool frz_container_copy(const frz_container *container, frz_container *out);
bool frz_container_or(const frz_container *a, const frz_container *b, frz_container *out);

/* Members below `limit` (at most the span). */
uint32_t frz_container_rank(const frz_container *container, uint32_t limit);
uint16_t frz_container_last(const frz_container *container);

/* Clears bit `bit + value - low` of `mask` for every member in [low, high); returns how many were
 * set. */
uint32_t frz_container_clear_mask(const frz_container *container, uint32_t low, uint32_t high,
                                  uint64_t *mask, uint64_t bit);

/* Members from `from` up, at most `capacity`, as positions; returns how many. */
size_t frz_container_list(const frz_container *container, uint32_t from, int64_t *out,
                          size_t capacity);

/* The number of maximal runs of members. */
uint32_t frz_container_runs(const frz_container *container);

/* Appends the data as `kind` has it in the portable format. */
void frz_container_print(const frz_container *container, frz_container_kind kind, frz_buffer *out);

/* Set bits of a bitset of 8 KiB. */
uint32_t frz_container_count_bits(const uint8_t *bits);

/* Bytes of `data`. */
size_t frz_container_size(const frz_container *container);
void frz_container_clear(frz_container *container);

#endif
