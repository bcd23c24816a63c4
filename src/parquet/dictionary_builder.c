#include "parquet/dictionary_builder.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

enum { SLOTS_MIN = 1024, ENTRIES_MIN = 512, PREFIX_SIZE = 4 };

static bool grow_column(uint32_t **column, size_t capacity)
{
    uint32_t *grown = frz_realloc(*column, capacity * sizeof **column);
    if (!grown)
        return false;
    *column = grown;
    return true;
}

static bool grow_entries(frz_parquet_dictionary_builder *builder)
{
    const size_t capacity =
        builder->entry_capacity ? (size_t)builder->entry_capacity * 2 : ENTRIES_MIN;
    if (capacity > UINT32_MAX / 2 || !grow_column(&builder->hashes, capacity))
        return false;
    if (builder->width == 0 &&
        (!grow_column(&builder->starts, capacity) || !grow_column(&builder->pages, capacity)))
        return false;
    builder->entry_capacity = (uint32_t)capacity;
    return true;
}

static bool grow_slots(frz_parquet_dictionary_builder *builder)
{
    const uint32_t count = builder->slot_count ? builder->slot_count * 2 : SLOTS_MIN;
    uint32_t *slots = frz_alloc_array(count, sizeof *slots);
    if (!slots)
        return false;
    for (uint32_t entry = 0; entry < builder->count; entry++) {
        uint32_t at = builder->hashes[entry] & (count - 1);
        while (slots[at])
            at = (at + 1) & (count - 1);
        slots[at] = entry + 1;
    }
    frz_free(builder->slots);
    builder->slots = slots;
    builder->slot_count = count;
    return true;
}

/* Room for one more entry, with at least half of the slots free. */
static bool make_room(frz_parquet_dictionary_builder *builder)
{
    if (builder->count == builder->entry_capacity && !grow_entries(builder))
        return false;
    return builder->count < builder->slot_count / 2 || grow_slots(builder);
}

static uint32_t hash_bytes(const void *bytes, size_t size)
{
    uint64_t word = 0;
    if (size > 8) {
        const uint64_t hash = frz_hash_xxh64(bytes, size, 0);
        return (uint32_t)(hash ^ hash >> 32);
    }
    if (size)
        memcpy(&word, bytes, size);
    word = (word ^ size) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(word >> 32);
}

/* The slot of an equal value, or the free one where it belongs. */
static inline uint32_t find_fixed(const frz_parquet_dictionary_builder *builder, const void *value,
                                  size_t width, uint32_t hash)
{
    const uint32_t mask = builder->slot_count - 1;
    uint32_t at = hash & mask;
    for (; builder->slots[at]; at = (at + 1) & mask)
        if (memcmp(builder->plain.data + (size_t)(builder->slots[at] - 1) * width, value, width) ==
            0)
            break;
    return at;
}

static inline __attribute__((always_inline)) bool add_fixed(frz_parquet_dictionary_builder *builder,
                                                            const uint8_t *values, size_t width,
                                                            size_t count, uint32_t *indexes)
{
    for (size_t i = 0; i < count; i++, values += width) {
        if (i > 0 && memcmp(values, values - width, width) == 0) {
            indexes[i] = indexes[i - 1];
            continue;
        }
        if (!make_room(builder))
            return false;
        const uint32_t hash = hash_bytes(values, width);
        const uint32_t at = find_fixed(builder, values, width, hash);
        if (!builder->slots[at]) {
            frz_buffer_append(&builder->plain, values, width);
            if (builder->plain.failed)
                return false;
            builder->hashes[builder->count] = hash;
            builder->slots[at] = ++builder->count;
        }
        indexes[i] = builder->slots[at] - 1;
    }
    return true;
}

bool frz_parquet_dictionary_builder_add_fixed(frz_parquet_dictionary_builder *builder,
                                              const void *values, size_t count, uint32_t *indexes)
{
    if (builder->width == 4)
        return add_fixed(builder, values, 4, count, indexes);
    if (builder->width == 8)
        return add_fixed(builder, values, 8, count, indexes);
    return add_fixed(builder, values, builder->width, count, indexes);
}

/* The stored value of an entry of BYTE_ARRAY. */
static inline frz_slice entry_slice(const frz_parquet_dictionary_builder *builder, uint32_t entry)
{
    const uint8_t *at = builder->plain.data + builder->starts[entry];
    uint32_t size;
    memcpy(&size, at, sizeof size);
    return frz_slice_of(at + PREFIX_SIZE, size);
}

static inline uint32_t find_slice(const frz_parquet_dictionary_builder *builder, frz_slice value,
                                  uint32_t hash)
{
    const uint32_t mask = builder->slot_count - 1;
    uint32_t at = hash & mask;
    for (; builder->slots[at]; at = (at + 1) & mask) {
        const uint32_t entry = builder->slots[at] - 1;
        if (builder->hashes[entry] == hash && frz_slice_equal(entry_slice(builder, entry), value))
            break;
    }
    return at;
}

static bool append_slice(frz_parquet_dictionary_builder *builder, frz_slice value, uint32_t hash)
{
    if (builder->plain.size > UINT32_MAX)
        return false;
    builder->starts[builder->count] = (uint32_t)builder->plain.size;
    builder->hashes[builder->count] = hash;
    builder->pages[builder->count] = 0;
    frz_buffer_append_u32le(&builder->plain, (uint32_t)value.size);
    frz_buffer_append(&builder->plain, value.data, value.size);
    return !builder->plain.failed;
}

bool frz_parquet_dictionary_builder_add_slices(frz_parquet_dictionary_builder *builder,
                                               frz_slice *values, size_t count, uint32_t page,
                                               uint32_t *indexes, size_t *fresh_out)
{
    size_t fresh = 0;
    for (size_t i = 0; i < count; i++) {
        const frz_slice value = values[i];
        if (!make_room(builder))
            return false;
        const uint32_t hash = hash_bytes(value.data, value.size);
        const uint32_t at = find_slice(builder, value, hash);
        if (!builder->slots[at]) {
            if (!append_slice(builder, value, hash))
                return false;
            builder->slots[at] = ++builder->count;
        }
        const uint32_t entry = builder->slots[at] - 1;
        indexes[i] = entry;
        if (builder->pages[entry] != page) {
            builder->pages[entry] = page;
            values[fresh++] = value;
        }
    }
    *fresh_out = fresh;
    return true;
}

void frz_parquet_dictionary_builder_append_plain(const frz_parquet_dictionary_builder *builder,
                                                 const uint32_t *indexes, size_t count,
                                                 frz_buffer *out)
{
    for (size_t i = 0; i < count; i++) {
        if (builder->width) {
            frz_buffer_append(out, builder->plain.data + (size_t)indexes[i] * builder->width,
                              builder->width);
        } else {
            const frz_slice value = entry_slice(builder, indexes[i]);
            frz_buffer_append(out, value.data - PREFIX_SIZE, value.size + PREFIX_SIZE);
        }
    }
}

size_t frz_parquet_dictionary_builder_memory(const frz_parquet_dictionary_builder *builder)
{
    const size_t arrays = builder->width > 0 ? 1 : 3; /* hashes; starts and pages */
    return builder->plain.capacity + builder->slot_count * sizeof *builder->slots +
           builder->entry_capacity * arrays * sizeof(uint32_t);
}

void frz_parquet_dictionary_builder_reset(frz_parquet_dictionary_builder *builder)
{
    frz_buffer_reset(&builder->plain);
    builder->count = 0;
    if (builder->slots)
        memset(builder->slots, 0, builder->slot_count * sizeof *builder->slots);
}

void frz_parquet_dictionary_builder_clear(frz_parquet_dictionary_builder *builder)
{
    const size_t width = builder->width;
    frz_buffer_clear(&builder->plain);
    frz_free(builder->slots);
    frz_free(builder->hashes);
    frz_free(builder->starts);
    frz_free(builder->pages);
    *builder = (frz_parquet_dictionary_builder){.width = width};
}
