/*
 * A set of row positions: the 64-bit Roaring bitmap of deletion vectors (Puffin spec,
 * deletion-vector-v1; Roaring spec "Extension for 64-bit Implementations"). Positions are 0 ..
 * 2^63-1.
 *
 * This is the codec interface behind which V4's bitmap can join (design rule 10): callers see a
 * set.
 *
 * Thread rule: one thread while it changes; many may read.
 */
#ifndef FRZ_PUFFIN_BITMAP_H
#define FRZ_PUFFIN_BITMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/slice.h"
#include "frazil/error.h"

typedef struct frz_bitmap frz_bitmap;

FRZ_MUST_CHECK frz_status frz_bitmap_new(frz_bitmap **out, frz_error **err);
/* Accepts NULL. */
void frz_bitmap_free(frz_bitmap *bitmap);

/* FRZ_NO_MEMORY leaves the set as it was. FRZ_INVALID for a negative position. */
FRZ_MUST_CHECK frz_status frz_bitmap_add(frz_bitmap *bitmap, int64_t position, frz_error **err);
FRZ_MUST_CHECK frz_status frz_bitmap_add_range(frz_bitmap *bitmap, int64_t start, int64_t count,
                                               frz_error **err);
/* *into becomes the union. */
FRZ_MUST_CHECK frz_status frz_bitmap_or(frz_bitmap *into, const frz_bitmap *other, frz_error **err);

bool frz_bitmap_contains(const frz_bitmap *bitmap, int64_t position);
int64_t frz_bitmap_cardinality(const frz_bitmap *bitmap);
/* Members in [start, start + count). */
int64_t frz_bitmap_count_range(const frz_bitmap *bitmap, int64_t start, int64_t count);
/* The greatest member, or -1. */
int64_t frz_bitmap_last(const frz_bitmap *bitmap);

/* Clears in `mask` (bit 0 = position `start`, `count` bits) every member of the set; returns how
 * many bits of mask changed. The kernel of applying a deletion vector to a batch. */
int64_t frz_bitmap_clear_mask(const frz_bitmap *bitmap, int64_t start, int64_t count,
                              uint64_t *mask);

/* Members in ascending order: fills at most `capacity` that are >= from; returns how many. */
size_t frz_bitmap_list(const frz_bitmap *bitmap, int64_t from, int64_t *out, size_t capacity);

/* Bytes of memory it holds, for caches. */
size_t frz_bitmap_memory(const frz_bitmap *bitmap);

/* The portable 64-bit serialisation (little endian), array, bitset or run per container, whichever
 * is smallest. Appends. */
FRZ_MUST_CHECK frz_status frz_bitmap_encode(const frz_bitmap *bitmap, frz_buffer *out,
                                            frz_error **err);

/* FRZ_CORRUPT on anything that is not exactly one well-formed bitmap: order of keys and values,
 * counts, trailing bytes, high bit of a key. */
FRZ_MUST_CHECK frz_status frz_bitmap_decode(frz_slice bytes, frz_bitmap **out, frz_error **err);

/* The same of `size` bytes from `start` of a buffer, which becomes the set's memory and is left
 * empty (or, when memory is short, as it was). Offsets of errors count from `start`. */
FRZ_MUST_CHECK frz_status frz_bitmap_decode_taken(frz_buffer *bytes, size_t start, size_t size,
                                                  frz_bitmap **out, frz_error **err);

#endif
