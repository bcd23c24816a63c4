/*
 * One capped cache of decoded things (manifests by path, deletion vectors by path, offset and
 * length), weighed by their real bytes. Least recently used entries leave first.
 *
 * Values are reference counted by their owners: the cache holds one reference and gives out others.
 *
 * Thread rule: any thread.
 */
#ifndef FRZ_BASE_CACHE_H
#define FRZ_BASE_CACHE_H

#include <stddef.h>

#include "base/slice.h"
#include "frazil/error.h"

typedef struct frz_cache frz_cache;

/* How the cache handles one kind of value. */
typedef struct frz_cache_ops {
    void *(*ref)(void *value);
    void (*unref)(void *value);
} frz_cache_ops;

FRZ_MUST_CHECK frz_status frz_cache_new(size_t capacity, frz_cache **out, frz_error **err);
frz_cache *frz_cache_ref(frz_cache *cache);
/* Accepts NULL. */
void frz_cache_unref(frz_cache *cache);

/* A reference for the caller, or NULL. `cache` may be NULL. */
void *frz_cache_find(frz_cache *cache, frz_slice key);

/* Keeps a reference of its own to `value` when it fits; otherwise does nothing. Never fails: a
 * cache that is short of memory forgets. `cache` may be NULL. */
void frz_cache_put(frz_cache *cache, frz_slice key, void *value, size_t weight,
                   const frz_cache_ops *ops);

size_t frz_cache_weight(frz_cache *cache);

#endif
