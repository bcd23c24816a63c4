#include "scan/key_table.h"

#include "base/fail.h"
#include "base/mem.h"

enum { SLOTS_MIN = 64, BLOCK_ROWS = 64 };

/* A slot is the upper half of the key's hash above its number + 1; 0 is free. */
struct frz_key_table {
    const frz_key_layout *layout;
    uint64_t *slots; /* a power of two of them, at most 3/4 taken */
    size_t slot_count;
    uint64_t *words; /* the rows of the keys, one after the other */
    int64_t *sequences;
    uint64_t *places; /* where in `bytes` those of each key begin; NULL without columns apart */
    size_t count;
    size_t capacity; /* of words, sequences and places */
    frz_buffer bytes;
};

static size_t key_size(const frz_key_layout *layout)
{
    return (layout->word_count + 1 + (layout->apart_count > 0)) * sizeof(uint64_t);
}

frz_status frz_key_table_new(const frz_key_layout *layout, frz_key_table **out, frz_error **err)
{
    frz_key_table *table = frz_alloc_zero(sizeof *table);
    if (table)
        table->slots = frz_alloc_array(SLOTS_MIN, sizeof *table->slots);
    if (!table || !table->slots) {
        frz_free(table);
        return frz_fail_memory(err);
    }
    table->slot_count = SLOTS_MIN;
    table->layout = layout;
    *out = table;
    return FRZ_OK;
}

void frz_key_table_free(frz_key_table *table)
{
    if (!table)
        return;
    frz_free(table->slots);
    frz_free(table->words);
    frz_free(table->sequences);
    frz_free(table->places);
    frz_buffer_clear(&table->bytes);
    frz_free(table);
}

size_t frz_key_table_count(const frz_key_table *table)
{
    return table->count;
}

size_t frz_key_table_memory(const frz_key_table *table)
{
    return sizeof *table + table->slot_count * sizeof *table->slots +
           table->capacity * key_size(table->layout) + table->bytes.capacity;
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

size_t frz_key_table_memory_with(const frz_key_table *table, const frz_key_rows *rows)
{
    const size_t keys = table->count + (size_t)rows->count;
    if (keys >= UINT32_MAX)
        return SIZE_MAX;
    size_t slots = table->slot_count;
    while (is_full(slots, keys))
        slots *= 2;
    const size_t bytes = table->bytes.size + bytes_of(rows);
    const size_t reserved = bytes <= table->bytes.capacity ? table->bytes.capacity : bytes * 2;
    return sizeof *table + slots * sizeof *table->slots +
           capacity_for(table, keys) * key_size(table->layout) + reserved;
}

static void place(uint64_t *slots, size_t slot_count, uint64_t slot)
{
    size_t at = (size_t)(slot >> 32) & (slot_count - 1);
    while (slots[at])
        at = (at + 1) & (slot_count - 1);
    slots[at] = slot;
}

static frz_status grow_slots(frz_key_table *table, frz_error **err)
{
    const size_t doubled = table->slot_count * 2;
    uint64_t *slots = frz_alloc_array(doubled, sizeof *slots);
    if (!slots)
        return frz_fail_memory(err);
    for (size_t i = 0; i < table->slot_count; i++)
        if (table->slots[i])
            place(slots, doubled, table->slots[i]);
    frz_free(table->slots);
    table->slots = slots;
    table->slot_count = doubled;
    return FRZ_OK;
}

static frz_status grow_keys(frz_key_table *table, frz_error **err)
{
    const size_t capacity = capacity_for(table, table->count + 1);
    uint64_t *words =
        frz_realloc(table->words, capacity * table->layout->word_count * sizeof *table->words);
    if (!words)
        return frz_fail_memory(err);
    table->words = words;
    int64_t *sequences = frz_realloc(table->sequences, capacity * sizeof *sequences);
    if (!sequences)
        return frz_fail_memory(err);
    table->sequences = sequences;
    if (table->layout->apart_count) {
        uint64_t *places = frz_realloc(table->places, capacity * sizeof *places);
        if (!places)
            return frz_fail_memory(err);
        table->places = places;
    }
    table->capacity = capacity;
    return FRZ_OK;
}

/* Whether the bytes apart of a key are those of a row whose words are equal: so are the sizes. */
static bool same_bytes(const frz_key_table *table, size_t key, const frz_key_rows *rows,
                       int64_t row)
{
    if (!table->bytes.size)
        return true;
    const uint8_t *at = table->bytes.data + table->places[key];
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
        const size_t key = (uint32_t)table->slots[at] - 1;
        if (same_words(table->words + key * width, words, width) &&
            (!table->places || same_bytes(table, key, rows, row)))
            break;
    }
    return at;
}

static frz_status add_key(frz_key_table *table, const frz_key_rows *rows, int64_t row,
                          int64_t sequence, frz_error **err)
{
    const size_t width = table->layout->word_count;
    if (table->count == table->capacity)
        FRZ_TRY(grow_keys(table, err));
    if (is_full(table->slot_count, table->count + 1))
        FRZ_TRY(grow_slots(table, err));
    if (table->places) {
        const size_t before = table->bytes.size;
        for (size_t c = 0; c < table->layout->count; c++) {
            if (!table->layout->columns[c].apart)
                continue;
            const frz_slice bytes = frz_key_rows_bytes(rows, c, row);
            frz_buffer_append(&table->bytes, bytes.data, bytes.size);
        }
        FRZ_TRY(frz_buffer_check(&table->bytes, err));
        table->places[table->count] = before;
    }
    memcpy(table->words + table->count * width, rows->words + (size_t)row * width,
           width * sizeof *table->words);
    table->sequences[table->count] = sequence;
    table->count++;
    place(table->slots, table->slot_count,
          (rows->hashes[row] & ~(uint64_t)UINT32_MAX) | (uint64_t)table->count);
    return FRZ_OK;
}

frz_status frz_key_table_add(frz_key_table *table, const frz_key_rows *rows, int64_t sequence,
                             frz_error **err)
{
    for (int64_t row = 0; row < rows->count; row++) {
        const uint64_t slot = table->slots[find_slot(table, rows, row)];
        if (!slot)
            FRZ_TRY(add_key(table, rows, row, sequence, err));
        else if (table->sequences[(uint32_t)slot - 1] < sequence)
            table->sequences[(uint32_t)slot - 1] = sequence;
    }
    return FRZ_OK;
}

static bool is_deleted(const frz_key_table *table, const frz_key_rows *rows, int64_t row,
                       int64_t sequence)
{
    const uint64_t slot = table->slots[find_slot(table, rows, row)];
    return slot && table->sequences[(uint32_t)slot - 1] > sequence;
}

/* Asks the processor for what the look-ups of a block will read, so that it comes at once. */
static void fetch_block(const frz_key_table *table, const frz_key_rows *rows, int64_t first,
                        int64_t count)
{
    const size_t width = table->layout->word_count;
    for (int64_t i = first; i < first + count; i++)
        __builtin_prefetch(&table->slots[rows->hashes[i] >> 32 & (table->slot_count - 1)]);
    for (int64_t i = first; i < first + count; i++) {
        const uint64_t slot = table->slots[rows->hashes[i] >> 32 & (table->slot_count - 1)];
        if (slot && slot >> 32 == rows->hashes[i] >> 32) {
            __builtin_prefetch(&table->words[((uint32_t)slot - 1) * width]);
            __builtin_prefetch(&table->sequences[(uint32_t)slot - 1]);
        }
    }
}

void frz_key_table_apply(const frz_key_table *table, const frz_key_rows *rows, int64_t sequence,
                         uint64_t *mask)
{
    for (int64_t first = 0; first < rows->count; first += BLOCK_ROWS) {
        const int64_t left = rows->count - first;
        uint64_t *word = &mask[first / BLOCK_ROWS];
        if (!*word)
            continue;
        fetch_block(table, rows, first, left < BLOCK_ROWS ? left : BLOCK_ROWS);
        uint64_t gone = 0;
        for (uint64_t bits = *word; bits; bits &= bits - 1) {
            const int bit = __builtin_ctzll(bits);
            if (first + bit < rows->count && is_deleted(table, rows, first + bit, sequence))
                gone |= UINT64_C(1) << bit;
        }
        *word &= ~gone;
    }
}
