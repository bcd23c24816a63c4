/*
 * A hash map from bytes or int64 keys to pointers or numbers. Open addressing; keys are borrowed
 * and must outlive the map.
 */
#ifndef FRZ_BASE_MAP_H
#define FRZ_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

typedef union frz_map_value {
    void *pointer;
    int64_t number;
} frz_map_value;

typedef struct frz_map_entry frz_map_entry;

/* All zero is a valid, empty map. One map uses either bytes or int64 keys, not both. */
typedef struct frz_map {
    frz_map_entry *entries;
    size_t count;
    size_t capacity;
} frz_map;

/* Inserts or replaces. False when memory is short; the map is then unchanged. */
bool frz_map_put(frz_map *map, frz_slice key, frz_map_value value);
bool frz_map_put_i64(frz_map *map, int64_t key, frz_map_value value);

/* Room for `count` entries in all, so that none of the puts up to there moves them. */
bool frz_map_reserve_i64(frz_map *map, size_t count);

/* NULL when absent; borrowed until the next put. */
frz_map_value *frz_map_find(const frz_map *map, frz_slice key);
frz_map_value *frz_map_find_i64(const frz_map *map, int64_t key);

/* Frees the table, not what values point to. */
void frz_map_clear(frz_map *map);

#endif
