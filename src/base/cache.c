#include "base/cache.h"

#include <pthread.h>

#include "base/fail.h"
#include "base/map.h"
#include "base/mem.h"

typedef struct cache_entry {
    struct cache_entry *newer;
    struct cache_entry *older;
    void *value;
    const frz_cache_ops *ops;
    size_t weight;
    size_t key_size;
    uint8_t key[];
} cache_entry;

struct frz_cache {
    pthread_mutex_t lock;
    size_t references;
    size_t capacity;
    size_t weight;
    frz_map entries; /* key bytes of the entry -> cache_entry; NULL after it left */
    cache_entry *newest;
    cache_entry *oldest;
};

frz_status frz_cache_new(size_t capacity, frz_cache **out, frz_error **err)
{
    frz_cache *cache = frz_alloc_zero(sizeof *cache);
    if (!cache)
        return frz_fail_memory(err);
    if (pthread_mutex_init(&cache->lock, NULL) != 0) {
        frz_free(cache);
        return frz_fail_memory(err);
    }
    cache->capacity = capacity;
    cache->references = 1;
    *out = cache;
    return FRZ_OK;
}

frz_cache *frz_cache_ref(frz_cache *cache)
{
    if (!cache)
        return NULL;
    (void)pthread_mutex_lock(&cache->lock);
    cache->references++;
    (void)pthread_mutex_unlock(&cache->lock);
    return cache;
}

static void unlink_entry(frz_cache *cache, cache_entry *entry)
{
    if (entry->newer)
        entry->newer->older = entry->older;
    else
        cache->newest = entry->older;
    if (entry->older)
        entry->older->newer = entry->newer;
    else
        cache->oldest = entry->newer;
    entry->newer = NULL;
    entry->older = NULL;
}

static void link_newest(frz_cache *cache, cache_entry *entry)
{
    entry->older = cache->newest;
    if (cache->newest)
        cache->newest->newer = entry;
    cache->newest = entry;
    if (!cache->oldest)
        cache->oldest = entry;
}

static void drop_entry(frz_cache *cache, cache_entry *entry)
{
    unlink_entry(cache, entry);
    cache->weight -= entry->weight;
    entry->ops->unref(entry->value);
    frz_free(entry);
}

void frz_cache_unref(frz_cache *cache)
{
    if (!cache)
        return;
    (void)pthread_mutex_lock(&cache->lock);
    const size_t left = --cache->references;
    (void)pthread_mutex_unlock(&cache->lock);
    if (left)
        return;
    while (cache->newest)
        drop_entry(cache, cache->newest);
    frz_map_clear(&cache->entries);
    (void)pthread_mutex_destroy(&cache->lock);
    frz_free(cache);
}

void *frz_cache_find(frz_cache *cache, frz_slice key)
{
    void *value = NULL;
    if (!cache)
        return NULL;
    (void)pthread_mutex_lock(&cache->lock);
    const frz_map_value *found = frz_map_find(&cache->entries, key);
    if (found) {
        cache_entry *entry = found->pointer;
        unlink_entry(cache, entry);
        link_newest(cache, entry);
        value = entry->ops->ref(entry->value);
    }
    (void)pthread_mutex_unlock(&cache->lock);
    return value;
}

/* Room for `weight` more. The map has no removal, so it is rebuilt from what stays. */
static bool make_room(frz_cache *cache, size_t weight)
{
    if (cache->weight + weight <= cache->capacity)
        return true;
    while (cache->oldest && cache->weight + weight > cache->capacity / 4 * 3)
        drop_entry(cache, cache->oldest);
    frz_map_clear(&cache->entries);
    for (cache_entry *entry = cache->newest; entry;) {
        cache_entry *older = entry->older;
        const frz_map_value value = {.pointer = entry};
        if (!frz_map_put(&cache->entries, frz_slice_of(entry->key, entry->key_size), value))
            drop_entry(cache, entry);
        entry = older;
    }
    return true;
}

void frz_cache_put(frz_cache *cache, frz_slice key, void *value, size_t weight,
                   const frz_cache_ops *ops)
{
    size_t size = 0;
    if (!cache || weight > cache->capacity / 4 ||
        !frz_size_add(sizeof(cache_entry), key.size, &size))
        return;
    cache_entry *entry = frz_alloc(size);
    if (!entry)
        return;
    *entry = (cache_entry){.ops = ops, .weight = weight + size, .key_size = key.size};
    if (key.size)
        memcpy(entry->key, key.data, key.size);

    (void)pthread_mutex_lock(&cache->lock);
    const bool there = frz_map_find(&cache->entries, key) != NULL;
    const frz_map_value pointer = {.pointer = entry};
    if (there || !make_room(cache, entry->weight) ||
        !frz_map_put(&cache->entries, frz_slice_of(entry->key, entry->key_size), pointer)) {
        frz_free(entry);
    } else {
        entry->value = ops->ref(value);
        link_newest(cache, entry);
        cache->weight += entry->weight;
    }
    (void)pthread_mutex_unlock(&cache->lock);
}

size_t frz_cache_weight(frz_cache *cache)
{
    (void)pthread_mutex_lock(&cache->lock);
    const size_t weight = cache->weight;
    (void)pthread_mutex_unlock(&cache->lock);
    return weight;
}
