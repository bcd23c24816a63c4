#include "base/map.h"

#include "base/hash.h"
#include "base/mem.h"

/* Linear probing; capacity is a power of two, at most 3/4 full, so that a probe always ends. */
struct frz_map_entry {
    const uint8_t *data; /* key bytes; NULL for int64 keys */
    size_t size;         /* key size, or the int64 key itself */
    frz_map_value value;
    uint64_t hash; /* 0 = free slot */
};

enum { CAPACITY_MIN = 16 };

static frz_slice key_of_i64(int64_t key)
{
    return (frz_slice){.data = NULL, .size = (size_t)key};
}

/* Never 0. The table's address is the seed: a file cannot be made to collide in every process. */
static uint64_t hash_bytes(const frz_map_entry *entries, frz_slice key)
{
    const uint64_t hash = frz_hash_xxh64(key.data, key.size, (uint64_t)(uintptr_t)entries);
    return hash ? hash : 1;
}

static uint64_t hash_i64(const frz_map_entry *entries, frz_slice key)
{
    uint64_t hash = (uint64_t)key.size ^ (uint64_t)(uintptr_t)entries;
    hash = (hash ^ hash >> 33) * UINT64_C(0xff51afd7ed558ccd);
    hash = (hash ^ hash >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    hash ^= hash >> 33;
    return hash ? hash : 1;
}

typedef uint64_t key_hash(const frz_map_entry *entries, frz_slice key);

static bool same_key(const frz_map_entry *entry, frz_slice key)
{
    if (entry->size != key.size)
        return false;
    return !key.data || key.size == 0 || memcmp(entry->data, key.data, key.size) == 0;
}

/* The slot that holds the key, or the free one where it belongs. The table is not empty. */
static frz_map_entry *probe(frz_map_entry *entries, size_t capacity, frz_slice key, uint64_t hash)
{
    size_t at = (size_t)hash & (capacity - 1);
    while (entries[at].hash != 0 && !(entries[at].hash == hash && same_key(&entries[at], key)))
        at = (at + 1) & (capacity - 1);
    return &entries[at];
}

static bool grow_to(frz_map *map, size_t capacity, key_hash *hash)
{
    frz_map_entry *entries = frz_alloc_array(capacity, sizeof *entries);
    if (!entries)
        return false;
    for (size_t i = 0; i < map->capacity; i++) {
        if (map->entries[i].hash == 0)
            continue;
        frz_map_entry moved = map->entries[i];
        const frz_slice key = {.data = moved.data, .size = moved.size};
        moved.hash = hash(entries, key);
        *probe(entries, capacity, key, moved.hash) = moved;
    }
    frz_free(map->entries);
    map->entries = entries;
    map->capacity = capacity;
    return true;
}

static bool grow(frz_map *map, key_hash *hash)
{
    const size_t capacity = map->capacity ? map->capacity * 2 : CAPACITY_MIN;
    return capacity > map->capacity && grow_to(map, capacity, hash);
}

bool frz_map_reserve_i64(frz_map *map, size_t count)
{
    size_t capacity = map->capacity ? map->capacity : CAPACITY_MIN;
    while (count > capacity - capacity / 4 && capacity <= SIZE_MAX / 2)
        capacity *= 2;
    return capacity <= map->capacity || grow_to(map, capacity, hash_i64);
}

static bool put(frz_map *map, frz_slice key, frz_map_value value, key_hash *hash)
{
    if (map->count >= map->capacity - map->capacity / 4 && !grow(map, hash))
        return false;
    const uint64_t hashed = hash(map->entries, key);
    frz_map_entry *entry = probe(map->entries, map->capacity, key, hashed);
    if (entry->hash == 0) {
        *entry = (frz_map_entry){.data = key.data, .size = key.size, .hash = hashed};
        map->count++;
    }
    entry->value = value;
    return true;
}

static frz_map_value *find(const frz_map *map, frz_slice key, key_hash *hash)
{
    if (map->count == 0)
        return NULL;
    frz_map_entry *entry = probe(map->entries, map->capacity, key, hash(map->entries, key));
    return entry->hash ? &entry->value : NULL;
}

bool frz_map_put(frz_map *map, frz_slice key, frz_map_value value)
{
    return put(map, key, value, hash_bytes);
}

bool frz_map_put_i64(frz_map *map, int64_t key, frz_map_value value)
{
    return put(map, key_of_i64(key), value, hash_i64);
}

frz_map_value *frz_map_find(const frz_map *map, frz_slice key)
{
    return find(map, key, hash_bytes);
}

frz_map_value *frz_map_find_i64(const frz_map *map, int64_t key)
{
    return find(map, key_of_i64(key), hash_i64);
}

void frz_map_clear(frz_map *map)
{
    frz_free(map->entries);
    *map = (frz_map){0};
}
