/*
 * Keys of equality deletes that are integers close to each other, as one bit for each value of
 * their range: what keys that count up, or days, mostly are.
 *
 * A lookup is one bit, without hash and without comparison; and rows in the order of the key walk
 * the bits in order. They do not know sequence numbers: they serve data files that are older than
 * every delete that is in them. Memory is bounded by the number of keys: where they lie farther
 * apart, a table (scan/key_table.h) is the better structure.
 *
 * Thread rule: once filled, any number of threads may look up.
 */
#ifndef FRZ_SCAN_KEY_BITS_H
#define FRZ_SCAN_KEY_BITS_H

#include "scan/key_rows.h"

typedef struct frz_key_bits frz_key_bits;

/* Whether keys of this layout are single integers, dates or times. */
bool frz_key_bits_suit(const frz_key_layout *layout);

/* For about `expected` keys of a layout that suits. */
FRZ_MUST_CHECK frz_status frz_key_bits_new(const frz_key_layout *layout, uint64_t expected,
                                           frz_key_bits **out, frz_error **err);
/* Accepts NULL. */
void frz_key_bits_free(frz_key_bits *bits);

size_t frz_key_bits_memory(const frz_key_bits *bits);
/* The most that it takes once the keys of a span are added; SIZE_MAX when they lie too far apart.
 */
size_t frz_key_bits_memory_with(const frz_key_bits *bits, const frz_key_span *span);

/* Adds keys for which memory_with is not SIZE_MAX. */
FRZ_MUST_CHECK frz_status frz_key_bits_add(frz_key_bits *bits, const frz_key_span *span,
                                           frz_error **err);

/* Clears the bit of each row (bit i = row i of the span) whose key is in. */
void frz_key_bits_apply(const frz_key_bits *bits, const frz_key_span *span, uint64_t *mask);

#endif
