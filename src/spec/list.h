/*
 * A growing array in an arena, for parsers that learn the count of items only as they read them.
 * Outgrown memory stays in the arena until it is cleared: at most as much again as the items take.
 */
#ifndef FRZ_SPEC_LIST_H
#define FRZ_SPEC_LIST_H

#include "base/arena.h"

/* All zero is a valid, empty list. All items have one size. */
typedef struct frz_list {
    void *items;
    size_t count;
    size_t capacity;
} frz_list;

/* One more item, zeroed; NULL when memory or the arena's budget is exhausted. Moves the items. */
void *frz_list_add(frz_list *list, frz_arena *arena, size_t item_size);

/* Room for `count` items in all; false when memory or the budget is exhausted. */
bool frz_list_reserve(frz_list *list, frz_arena *arena, size_t count, size_t item_size);

/* Takes the item at `index` out and closes the gap. */
void frz_list_remove(frz_list *list, size_t index, size_t item_size);

#endif
