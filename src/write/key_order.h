/*
 * The order of keys that are in memory: by radix over their heads (write/sort_keys.h), and by
 * comparison where heads are equal and not all of a key. Equal keys keep their order.
 */
#ifndef FRZ_WRITE_KEY_ORDER_H
#define FRZ_WRITE_KEY_ORDER_H

#include "write/sort_keys.h"

typedef struct frz_key_entry {
    uint64_t head;
    uint32_t key; /* its index */
} frz_key_entry;

/* Sets `entries`, one for each key, in the order of the keys, which are not packed. */
FRZ_MUST_CHECK frz_status frz_key_order(const frz_sort_keys *keys, const frz_key_heads *heads,
                                        frz_key_entry *entries, frz_error **err);

#endif
