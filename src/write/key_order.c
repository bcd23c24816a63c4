#include "write/key_order.h"

#include <string.h>

#include "base/fail.h"
#include "base/mem.h"

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, PASSES_MAX = 6, SMALL = 16 };

/* How often each digit of the heads has each value. */
typedef struct digit_counts {
    uint32_t of[PASSES_MAX][DIGITS];
} digit_counts;

static size_t passes_of(size_t head_size)
{
    return (head_size * 8 + DIGIT_BITS - 1) / DIGIT_BITS;
}

/* Where entries of each digit go to. */
static void sum_up(uint32_t *place)
{
    uint32_t before = 0;
    for (size_t digit = 0; digit < DIGITS; digit++) {
        const uint32_t here = place[digit];
        place[digit] = before;
        before += here;
    }
}

/* By the least significant digit first; each pass keeps the order of the one before. */
static void sort_entries(frz_key_entry *entries, frz_key_entry *spare, size_t count, size_t passes,
                         digit_counts *counts)
{
    frz_key_entry *from = entries;
    frz_key_entry *to = spare;
    memset(counts, 0, sizeof *counts);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < passes; k++)
            counts->of[k][(entries[i].head >> k * DIGIT_BITS) % DIGITS]++;
    }
    for (size_t k = 0; k < passes; k++) {
        uint32_t *place = counts->of[k];
        sum_up(place);
        for (size_t i = 0; i < count; i++)
            to[place[(from[i].head >> k * DIGIT_BITS) % DIGITS]++] = from[i];
        frz_key_entry *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != entries)
        memcpy(entries, from, count * sizeof *entries);
}

/* The same with an entry in one number, the index in its low `bits`: half of the memory. */
static void sort_numbers(frz_key_entry *entries, uint64_t *spare, size_t count, unsigned bits,
                         size_t passes, digit_counts *counts)
{
    uint64_t *from = spare;
    uint64_t *to = spare + count;
    memset(counts, 0, sizeof *counts);
    for (size_t i = 0; i < count; i++) {
        const uint64_t head = entries[i].head;
        for (size_t k = 0; k < passes; k++)
            counts->of[k][(head >> k * DIGIT_BITS) % DIGITS]++;
        from[i] = head << bits | i;
    }
    for (size_t k = 0; k < passes; k++) {
        uint32_t *place = counts->of[k];
        const unsigned shift = (unsigned)k * DIGIT_BITS + bits;
        sum_up(place);
        for (size_t i = 0; i < count; i++)
            to[place[(from[i] >> shift) % DIGITS]++] = from[i];
        uint64_t *swapped = from;
        from = to;
        to = swapped;
    }
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    for (size_t i = 0; i < count; i++)
        entries[i] = (frz_key_entry){from[i] >> bits, (uint32_t)(from[i] & mask)};
}

static void sort_heads(frz_key_entry *entries, frz_key_entry *spare, size_t count, size_t head_size,
                       digit_counts *counts)
{
    unsigned bits = 1;
    while (count >> bits)
        bits++;
    if (head_size * 8 + bits <= 64)
        sort_numbers(entries, (uint64_t *)(void *)spare, count, bits, passes_of(head_size), counts);
    else
        sort_entries(entries, spare, count, passes_of(head_size), counts);
}

static bool is_before(const frz_sort_keys *keys, const frz_key_entry *a, const frz_key_entry *b)
{
    return frz_slice_compare(frz_sort_keys_at(keys, a->key), frz_sort_keys_at(keys, b->key)) < 0;
}

static void insert_all(const frz_sort_keys *keys, frz_key_entry *entries, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const frz_key_entry entry = entries[i];
        size_t at = i;
        for (; at > 0 && is_before(keys, &entry, &entries[at - 1]); at--)
            entries[at] = entries[at - 1];
        entries[at] = entry;
    }
}

static void merge_halves(const frz_sort_keys *keys, frz_key_entry *entries, frz_key_entry *spare,
                         size_t middle, size_t count)
{
    size_t left = 0;
    size_t right = middle;
    memcpy(spare, entries, middle * sizeof *entries);
    for (size_t at = 0; left < middle; at++) {
        if (right < count && is_before(keys, &entries[right], &spare[left]))
            entries[at] = entries[right++];
        else
            entries[at] = spare[left++];
    }
}

/* By comparison, runs that are doubled. */
static void sort_keys(const frz_sort_keys *keys, frz_key_entry *entries, frz_key_entry *spare,
                      size_t count)
{
    for (size_t start = 0; start < count; start += SMALL)
        insert_all(keys, entries + start, count - start < SMALL ? count - start : SMALL);
    for (size_t run = SMALL; run < count; run *= 2) {
        for (size_t start = 0; start + run < count; start += 2 * run) {
            const size_t left = count - start;
            merge_halves(keys, entries + start, spare, run, left < 2 * run ? left : 2 * run);
        }
    }
}

static void sort_ties(const frz_sort_keys *keys, frz_key_entry *entries, frz_key_entry *spare)
{
    size_t end = 0;
    for (size_t start = 0; start < keys->count; start = end) {
        end = start + 1;
        while (end < keys->count && entries[end].head == entries[start].head)
            end++;
        if (end - start > 1)
            sort_keys(keys, entries + start, spare, end - start);
    }
}

static bool in_order(const frz_key_entry *entries, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (entries[i].head < entries[i - 1].head)
            return false;
    }
    return true;
}

frz_status frz_key_order(const frz_sort_keys *keys, const frz_key_heads *heads,
                         frz_key_entry *entries, frz_error **err)
{
    frz_status status = FRZ_OK;
    digit_counts *counts = NULL;
    frz_key_entry *spare = NULL;
    if (keys->count == 0)
        return FRZ_OK;
    for (size_t i = 0; i < keys->count; i++)
        entries[i].key = (uint32_t)i;
    frz_key_heads_fill(heads, keys, &entries[0].head, sizeof *entries / sizeof(uint64_t));
    const bool ordered = in_order(entries, keys->count);
    if (ordered && heads->whole)
        return FRZ_OK;
    counts = frz_alloc(sizeof *counts);
    spare = frz_alloc(keys->count * sizeof *spare);
    if (!counts || !spare) {
        status = frz_fail_memory(err);
        goto done;
    }
    if (!ordered)
        sort_heads(entries, spare, keys->count, heads->size, counts);
    if (!heads->whole)
        sort_ties(keys, entries, spare);

done:
    frz_free(counts);
    frz_free(spare);
    return status;
}
