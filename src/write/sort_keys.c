#include "write/sort_keys.h"

#include <assert.h>
#include <string.h>

#include "base/fail.h"

enum { WORDS = FRZ_KEY_WINDOW / 8 };

void frz_sort_keys_reset(frz_sort_keys *keys)
{
    keys->count = 0;
    keys->packed = false;
    frz_buffer_reset(&keys->bytes);
    frz_buffer_reset(&keys->ends);
}

void frz_sort_keys_clear(frz_sort_keys *keys)
{
    frz_buffer_clear(&keys->bytes);
    frz_buffer_clear(&keys->ends);
    *keys = (frz_sort_keys){.stride = keys->stride};
}

frz_status frz_sort_keys_check(const frz_sort_keys *keys, frz_error **err)
{
    if (keys->stride == 0 && keys->bytes.size > UINT32_MAX)
        return frz_fail(err, FRZ_NO_MEMORY, FRZ_NO_OFFSET, "sort keys of more than 4 GiB at once");
    FRZ_TRY(frz_buffer_check(&keys->bytes, err));
    return frz_buffer_check(&keys->ends, err);
}

size_t frz_sort_keys_memory(const frz_sort_keys *keys)
{
    return keys->bytes.size + keys->ends.size;
}

void frz_sort_keys_end(frz_sort_keys *keys)
{
    const uint32_t end = (uint32_t)keys->bytes.size;
    frz_buffer_append(&keys->ends, &end, sizeof end);
    keys->count++;
}

void frz_sort_keys_append(frz_sort_keys *keys, frz_slice key)
{
    frz_buffer_append(&keys->bytes, key.data, key.size);
    if (keys->stride == 0) {
        frz_sort_keys_end(keys);
        return;
    }
    assert(key.size <= keys->stride);
    if (key.size < keys->stride)
        frz_buffer_append_fill(&keys->bytes, 0, keys->stride - key.size);
    keys->count++;
}

void frz_sort_keys_pack(frz_sort_keys *keys, const frz_key_heads *heads, const void *pattern)
{
    assert(keys->stride > 0);
    frz_sort_keys_reset(keys);
    keys->packed = true;
    keys->heads = *heads;
    memcpy(keys->pattern, pattern, sizeof keys->pattern);
}

void frz_sort_keys_append_head(frz_sort_keys *keys, uint64_t head)
{
    frz_buffer_append(&keys->bytes, &head, sizeof head);
    keys->count++;
}

/* The bytes of a key that heads are of. */
static void set_bytes(const frz_key_heads *heads, uint64_t head, uint8_t *key, size_t size)
{
    for (size_t k = heads->size; k-- > 0; head >>= 8) {
        if (heads->at[k] < size)
            key[heads->at[k]] = (uint8_t)head;
    }
}

frz_status frz_sort_keys_unpack(frz_sort_keys *keys, frz_error **err)
{
    frz_buffer bytes = {0};
    uint8_t *key = frz_buffer_extend(&bytes, keys->count * keys->stride);
    if (!key)
        return frz_fail_memory(err);
    const uint64_t *heads = (const uint64_t *)(const void *)keys->bytes.data;
    const size_t known = keys->stride < FRZ_KEY_WINDOW ? keys->stride : FRZ_KEY_WINDOW;
    for (size_t i = 0; i < keys->count; i++, key += keys->stride) {
        memcpy(key, keys->pattern, known);
        set_bytes(&keys->heads, heads[i], key, known);
    }
    frz_buffer_clear(&keys->bytes);
    keys->bytes = bytes;
    keys->packed = false;
    return FRZ_OK;
}

uint32_t frz_sort_keys_group(const frz_sort_keys *keys, size_t index)
{
    uint8_t group[FRZ_GROUP_SIZE];
    if (keys->packed) {
        memcpy(group, keys->pattern, sizeof group);
        set_bytes(&keys->heads, ((const uint64_t *)(const void *)keys->bytes.data)[index], group,
                  sizeof group);
    } else {
        memcpy(group, frz_sort_keys_at(keys, index).data, sizeof group);
    }
    return (uint32_t)group[0] << 24 | (uint32_t)group[1] << 16 | (uint32_t)group[2] << 8 | group[3];
}

void frz_sort_keys_join(frz_sort_keys *keys, const frz_sort_keys *others)
{
    assert(keys->stride == others->stride);
    const uint32_t base = (uint32_t)keys->bytes.size;
    if (others->count == 0)
        return;
    frz_buffer_append(&keys->bytes, others->bytes.data, others->bytes.size);
    const uint32_t *ends = (const uint32_t *)(const void *)others->ends.data;
    for (size_t i = 0; keys->stride == 0 && i < others->count; i++) {
        const uint32_t end = base + ends[i];
        frz_buffer_append(&keys->ends, &end, sizeof end);
    }
    keys->count += others->count;
}

/* The window of a key without stride. */
static void window_of(frz_slice key, uint64_t out[WORDS])
{
    const size_t size = key.size < FRZ_KEY_WINDOW ? key.size : FRZ_KEY_WINDOW;
    memset(out, 0, FRZ_KEY_WINDOW);
    memcpy(out, key.data, size);
}

static void add_sized(frz_key_span *span, const frz_sort_keys *keys)
{
    uint64_t window[WORDS];
    for (size_t i = 0; i < keys->count; i++) {
        const frz_slice key = frz_sort_keys_at(keys, i);
        window_of(key, window);
        span->beyond |= key.size > FRZ_KEY_WINDOW;
        for (size_t k = 0; k < WORDS; k++)
            span->varies[k] |= window[k] ^ span->first[k];
    }
}

static void add_strided(frz_key_span *span, const frz_sort_keys *keys)
{
    const size_t words = keys->stride / 8 < WORDS ? keys->stride / 8 : WORDS;
    span->beyond |= keys->stride > FRZ_KEY_WINDOW;
    for (size_t k = 0; k < words; k++) {
        const uint8_t *at = keys->bytes.data + k * 8;
        uint64_t varies = 0;
        for (size_t i = 0; i < keys->count; i++, at += keys->stride) {
            uint64_t word = 0;
            memcpy(&word, at, sizeof word);
            varies |= word ^ span->first[k];
        }
        span->varies[k] |= varies;
    }
}

void frz_key_span_add(frz_key_span *span, const frz_sort_keys *keys)
{
    if (keys->count == 0)
        return;
    if (!span->started)
        window_of(frz_sort_keys_at(keys, 0), span->first);
    span->started = true;
    if (keys->stride > 0)
        add_strided(span, keys);
    else
        add_sized(span, keys);
}

void frz_key_span_unite(frz_key_span *span, const frz_key_span *other)
{
    if (!span->started || !other->started) {
        *span = span->started ? *span : *other;
        return;
    }
    for (size_t k = 0; k < WORDS; k++)
        span->varies[k] |= other->varies[k] | (span->first[k] ^ other->first[k]);
    span->beyond |= other->beyond;
}

frz_key_heads frz_key_heads_of(const frz_key_span *span)
{
    frz_key_heads heads = {.whole = !span->beyond};
    uint8_t varies[FRZ_KEY_WINDOW];
    memcpy(varies, span->varies, sizeof varies);
    for (size_t i = 0; i < FRZ_KEY_WINDOW; i++) {
        if (varies[i] == 0)
            continue;
        if (heads.size == FRZ_HEAD_SIZE) {
            heads.whole = false;
            break;
        }
        heads.at[heads.size++] = (uint8_t)i;
    }
    return heads;
}

bool frz_key_heads_same(const frz_key_heads *a, const frz_key_heads *b)
{
    return a->size == b->size && memcmp(a->at, b->at, a->size) == 0;
}

/* Bytes that stand side by side: one number, less what stands around them. */
static void fill_joined(const frz_key_heads *heads, const frz_sort_keys *keys, uint64_t *out,
                        size_t step)
{
    const size_t start = heads->at[0];
    const size_t from = start + 8 <= keys->stride ? start : keys->stride - 8;
    const unsigned left = (unsigned)(start - from) * 8;
    const unsigned right = 64 - (unsigned)heads->size * 8;
    const uint8_t *at = keys->bytes.data + from;
    for (size_t i = 0; i < keys->count; i++, at += keys->stride) {
        uint64_t word = 0;
        memcpy(&word, at, sizeof word);
        out[i * step] = __builtin_bswap64(word) << left >> right;
    }
}

static void fill_apart(const frz_key_heads *heads, const frz_sort_keys *keys, uint64_t *out,
                       size_t step)
{
    for (size_t i = 0; i < keys->count; i++) {
        const frz_slice key = frz_sort_keys_at(keys, i);
        uint64_t head = 0;
        for (size_t k = 0; k < heads->size; k++)
            head = head << 8 | (heads->at[k] < key.size ? key.data[heads->at[k]] : 0);
        out[i * step] = head;
    }
}

void frz_key_heads_fill(const frz_key_heads *heads, const frz_sort_keys *keys, uint64_t *out,
                        size_t step)
{
    const bool joined =
        heads->size > 0 && heads->at[heads->size - 1] - heads->at[0] + 1 == heads->size;
    if (keys->stride > 0 && joined)
        fill_joined(heads, keys, out, step);
    else
        fill_apart(heads, keys, out, step);
}
