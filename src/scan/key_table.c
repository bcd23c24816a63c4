#include "scan/key_table.h"

#include "base/fail.h"
#include "base/mem.h"

enum {
    SLOTS_MIN = 64,
    SLOTS_PER_WORD = 8, /* of the filter */
    BLOCK_ROWS = 64,
    CHUNK_ROWS = 1024, /* looked up together */
    FETCH_AHEAD = 16   /* rows */
};

/* A slot is the upper half of the key's hash above its number + 1; 0 is free. */
struct frz_key_table {
    const frz_key_layout *layout;
    uint64_t *slots; /* a power of two of them, at most 3/4 taken */
    size_t slot_count;
    uint64_t *filter; /* a word for every SLOTS_PER_WORD slots; two bits of one per key */
    uint64_t *keys;   /* each: its row, its sequence number, where in `bytes` its own begin */
    size_t stride;    /* words of a key; without columns apart the last one is lacking */
    size_t count;
    size_t capacity;
    frz_buffer bytes;
};

frz_status frz_key_table_new(const frz_key_layout *layout, frz_key_table **out, frz_error **err)
{
    frz_key_table *table = frz_alloc_zero(sizeof *table);
    if (!table)
        return frz_fail_memory(err);
    table->slots = frz_alloc_array(SLOTS_MIN, sizeof *table->slots);
    table->filter = frz_alloc_array(SLOTS_MIN / SLOTS_PER_WORD, sizeof *table->filter);
    if (!table->slots || !table->filter) {
        frz_key_table_free(table);
        return frz_fail_memory(err);
    }
    table->slot_count = SLOTS_MIN;
    table->layout = layout;
    table->stride = layout->word_count + 1 + (layout->apart_count > 0);
    *out = table;
    return FRZ_OK;
}

void frz_key_table_free(frz_key_table *table)
{
    if (!table)
        return;
    frz_free(table->slots);
    frz_free(table->filter);
    frz_free(table->keys);
    frz_buffer_clear(&table->bytes);
    frz_free(table);
}

size_t frz_key_table_count(const frz_key_table *table)
{
    return table->count;
}

/* With their filter. */
static size_t slots_size(size_t slot_count)
{
    return (slot_count + slot_count / SLOTS_PER_WORD) * sizeof(uint64_t);
}

size_t frz_key_table_memory(const frz_key_table *table)
{
    return sizeof *table + slots_size(table->slot_count) +
           table->capacity * table->stride * sizeof *table->keys + table->bytes.capacity;
}

static bool is_full(size_t slot_count, size_t keys)
{
    return keys > slot_count / 4 * 3;
}

static size_t capacity_for(const frz_key_table *table, size_t keys)
{
    size_t capacity = table->capacity ? table->capacity : SLOTS_MIN;
    while (capacity < keys)
        capacity += capacity / 2;
    return capacity;
}

static size_t bytes_of(const frz_key_rows *rows)
{
    size_t size = 0;
    const frz_key_layout *layout = rows->layout;
    for (size_t c = 0; layout->apart_count && c < layout->count; c++)
        for (int64_t i = 0; layout->columns[c].apart && i < rows->count; i++)
            size += frz_key_rows_bytes(rows, c, i).size;
    return size;
}

static size_t slots_for(const frz_key_table *table, size_t keys)
{
    size_t slots = table->slot_count;
    while (is_full(slots, keys))
        slots *= 2;
    return slots;
}

/* Slots and keys for that many keys. */
static size_t size_for(const frz_key_table *table, size_t keys)
{
    return sizeof *table + slots_size(slots_for(table, keys)) +
           capacity_for(table, keys) * table->stride * sizeof *table->keys;
}

size_t frz_key_table_memory_with(const frz_key_table *table, const frz_key_rows *rows)
{
    const size_t keys = table->count + (size_t)rows->count;
    if (keys >= UINT32_MAX)
        return SIZE_MAX;
    const size_t bytes = table->bytes.size + bytes_of(rows);
    const size_t reserved = bytes <= table->bytes.capacity ? table->bytes.capacity : bytes * 2;
    return size_for(table, keys) + reserved;
}

static void place(uint64_t *slots, size_t slot_count, uint64_t slot)
{
    size_t at = (size_t)(slot >> 32) & (slot_count - 1);
    while (slots[at])
        at = (at + 1) & (slot_count - 1);
    slots[at] = slot;
}

/* The word of the filter for the upper half of a hash, and the bits of a key there. */
static size_t filter_word(uint64_t half, size_t slot_count)
{
    return (size_t)(half * (slot_count / SLOTS_PER_WORD) >> 32);
}

static uint64_t filter_bits(uint64_t half)
{
    return UINT64_C(1) << (half & 63) | UINT64_C(1) << (half >> 6 & 63);
}

static frz_status grow_slots(frz_key_table *table, size_t slot_count, frz_error **err)
{
    uint64_t *slots = frz_alloc_array(slot_count, sizeof *slots);
    uint64_t *filter = frz_alloc_array(slot_count / SLOTS_PER_WORD, sizeof *filter);
    if (!slots || !filter) {
        frz_free(slots);
        frz_free(filter);
        return frz_fail_memory(err);
    }
    for (size_t i = 0; i < table->slot_count; i++) {
        if (!table->slots[i])
            continue;
        const uint64_t half = table->slots[i] >> 32;
        place(slots, slot_count, table->slots[i]);
        filter[filter_word(half, slot_count)] |= filter_bits(half);
    }
    frz_free(table->slots);
    frz_free(table->filter);
    table->slots = slots;
    table->filter = filter;
    table->slot_count = slot_count;
    return FRZ_OK;
}

static frz_status grow_keys(frz_key_table *table, size_t capacity, frz_error **err)
{
    uint64_t *keys = frz_realloc(table->keys, capacity * table->stride * sizeof *keys);
    if (!keys)
        return frz_fail_memory(err);
    table->keys = keys;
    table->capacity = capacity;
    return FRZ_OK;
}

size_t frz_key_table_memory_for(const frz_key_table *table, size_t more)
{
    const size_t keys = table->count + more;
    return keys >= UINT32_MAX ? SIZE_MAX : size_for(table, keys) + table->bytes.capacity;
}

frz_status frz_key_table_reserve(frz_key_table *table, size_t more, frz_error **err)
{
    const size_t slots = slots_for(table, table->count + more);
    const size_t capacity = capacity_for(table, table->count + more);
    if (slots > table->slot_count)
        FRZ_TRY(grow_slots(table, slots, err));
    return capacity > table->capacity ? grow_keys(table, capacity, err) : FRZ_OK;
}

/* Whether the bytes apart of a key are those of a row whose words are equal: so are the sizes. */
static bool same_bytes(const frz_key_table *table, const uint64_t *key, const frz_key_rows *rows,
                       int64_t row)
{
    if (!table->bytes.size)
        return true;
    const uint8_t *at = table->bytes.data + key[table->stride - 1];
    for (size_t c = 0; c < table->layout->count; c++) {
        if (!table->layout->columns[c].apart)
            continue;
        const frz_slice bytes = frz_key_rows_bytes(rows, c, row);
        if (bytes.size && memcmp(at, bytes.data, bytes.size) != 0)
            return false;
        at += bytes.size;
    }
    return true;
}

static bool same_words(const uint64_t *a, const uint64_t *b, size_t count)
{
    uint64_t different = 0;
    for (size_t i = 0; i < count; i++)
        different |= a[i] ^ b[i];
    return different == 0;
}

static uint64_t *key_at(const frz_key_table *table, uint64_t slot)
{
    return table->keys + ((uint32_t)slot - 1) * table->stride;
}

/* The slot where the key of a row is, or the free one where it would be. */
static size_t find_slot(const frz_key_table *table, const frz_key_rows *rows, int64_t row)
{
    const size_t width = table->layout->word_count;
    const uint64_t *words = rows->words + (size_t)row * width;
    const uint64_t half = rows->hashes[row] >> 32;
    size_t at = (size_t)half & (table->slot_count - 1);
    for (; table->slots[at]; at = (at + 1) & (table->slot_count - 1)) {
        if (table->slots[at] >> 32 != half)
            continue;
        const uint64_t *key = key_at(table, table->slots[at]);
        if (same_words(key, words, width) &&
            (!table->layout->apart_count || same_bytes(table, key, rows, row)))
            break;
    }
    return at;
}

static frz_status add_bytes(frz_key_table *table, const frz_key_rows *rows, int64_t row,
                            frz_error **err)
{
    for (size_t c = 0; c < table->layout->count; c++) {
        if (!table->layout->columns[c].apart)
            continue;
        const frz_slice bytes = frz_key_rows_bytes(rows, c, row);
        frz_buffer_append(&table->bytes, bytes.data, bytes.size);
    }
    return frz_buffer_check(&table->bytes, err);
}

static frz_status add_key(frz_key_table *table, const frz_key_rows *rows, int64_t row,
                          int64_t sequence, frz_error **err)
{
    const size_t width = table->layout->word_count;
    const uint64_t half = rows->hashes[row] >> 32;
    if (table->count == table->capacity)
        FRZ_TRY(grow_keys(table, capacity_for(table, table->count + 1), err));
    if (is_full(table->slot_count, table->count + 1))
        FRZ_TRY(grow_slots(table, table->slot_count * 2, err));
    uint64_t *key = table->keys + table->count * table->stride;
    memcpy(key, rows->words + (size_t)row * width, width * sizeof *key);
    key[width] = (uint64_t)sequence;
    if (table->layout->apart_count) {
        key[width + 1] = table->bytes.size;
        FRZ_TRY(add_bytes(table, rows, row, err));
    }
    table->count++;
    place(table->slots, table->slot_count, half << 32 | (uint64_t)table->count);
    table->filter[filter_word(half, table->slot_count)] |= filter_bits(half);
    return FRZ_OK;
}

static int64_t sequence_of(const frz_key_table *table, uint64_t slot)
{
    return (int64_t)key_at(table, slot)[table->layout->word_count];
}

static const uint64_t *slot_of(const frz_key_table *table, uint64_t hash)
{
    return &table->slots[hash >> 32 & (table->slot_count - 1)];
}

frz_status frz_key_table_add(frz_key_table *table, const frz_key_rows *rows, int64_t sequence,
                             frz_error **err)
{
    for (int64_t row = 0; row < rows->count; row++) {
        if (row + FETCH_AHEAD < rows->count)
            __builtin_prefetch(slot_of(table, rows->hashes[row + FETCH_AHEAD]));
        const uint64_t slot = table->slots[find_slot(table, rows, row)];
        if (!slot)
            FRZ_TRY(add_key(table, rows, row, sequence, err));
        else if (sequence_of(table, slot) < sequence)
            key_at(table, slot)[table->layout->word_count] = (uint64_t)sequence;
    }
    return FRZ_OK;
}

static bool is_deleted(const frz_key_table *table, const frz_key_rows *rows, int64_t row,
                       int64_t sequence)
{
    const uint64_t slot = table->slots[find_slot(table, rows, row)];
    return slot && sequence_of(table, slot) > sequence;
}

/* A bit for each row of a block whose key may be in the table. */
static uint64_t find_candidates(const frz_key_table *table, const uint64_t *hashes, int64_t count)
{
    uint64_t candidates = 0;
    for (int64_t i = 0; i < count; i++) {
        const uint64_t half = hashes[i] >> 32;
        const uint64_t bits = filter_bits(half);
        const uint64_t word = table->filter[filter_word(half, table->slot_count)];
        candidates |= (uint64_t)((word & bits) == bits) << i;
    }
    return candidates;
}

/* Lists the rows of [first, first + count) whose bit is set and whose key may be in the table, and
 * asks the processor for their slots, so that they come at once. */
static size_t list_candidates(const frz_key_table *table, const frz_key_rows *rows, int64_t first,
                              int64_t count, const uint64_t *mask, int64_t *list)
{
    size_t found = 0;
    for (int64_t block = first; block < first + count; block += BLOCK_ROWS) {
        const int64_t left = first + count - block;
        uint64_t candidates = mask[block / BLOCK_ROWS];
        if (candidates)
            candidates &=
                find_candidates(table, rows->hashes + block, left < BLOCK_ROWS ? left : BLOCK_ROWS);
        for (; candidates; candidates &= candidates - 1) {
            const int64_t row = block + __builtin_ctzll(candidates);
            __builtin_prefetch(slot_of(table, rows->hashes[row]));
            list[found++] = row;
        }
    }
    return found;
}

void frz_key_table_apply(const frz_key_table *table, const frz_key_rows *rows, int64_t sequence,
                         uint64_t *mask)
{
    int64_t list[CHUNK_ROWS];
    for (int64_t first = 0; first < rows->count; first += CHUNK_ROWS) {
        const int64_t left = rows->count - first;
        const size_t count =
            list_candidates(table, rows, first, left < CHUNK_ROWS ? left : CHUNK_ROWS, mask, list);
        for (size_t i = 0; i < count; i++) {
            const uint64_t slot = *slot_of(table, rows->hashes[list[i]]);
            if (slot)
                __builtin_prefetch(key_at(table, slot));
        }
        for (size_t i = 0; i < count; i++)
            if (is_deleted(table, rows, list[i], sequence))
                mask[list[i] / 64] &= ~(UINT64_C(1) << list[i] % 64);
    }
}
