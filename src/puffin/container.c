#include "puffin/container.h"

#include "base/mem.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "containers are used in the byte order of the portable format, which is little endian"
#endif

/* An array that grows beyond this becomes a bitset at once: inserting into the middle of longer
 * ones is what makes adding positions in random order slow. */
#define ARRAY_GROWS_TO 64u

static void store_u16(uint8_t *data, size_t index, uint16_t value)
{
    memcpy(data + 2 * index, &value, sizeof value);
}

static void store_u64(uint8_t *data, size_t index, uint64_t value)
{
    memcpy(data + 8 * index, &value, sizeof value);
}

static uint32_t run_start(const frz_container *c, size_t run)
{
    return frz_load_u16(c->data, 2 * run);
}

static uint32_t run_last(const frz_container *c, size_t run)
{
    return run_start(c, run) + frz_load_u16(c->data, 2 * run + 1);
}

/* The first index of the array whose value is at least `value`. */
static uint32_t array_find(const frz_container *c, uint32_t value)
{
    uint32_t low = 0;
    uint32_t high = c->count;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (frz_load_u16(c->data, middle) < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The first run that ends at or behind `value`. */
static uint32_t run_find(const frz_container *c, uint32_t value)
{
    uint32_t low = 0;
    uint32_t high = c->run_count;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (run_last(c, middle) < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool frz_container_has(const frz_container *c, uint16_t value)
{
    uint32_t at = 0;
    switch (c->kind) {
    case FRZ_CONTAINER_ARRAY:
        at = array_find(c, value);
        return at < c->count && frz_load_u16(c->data, at) == value;
    case FRZ_CONTAINER_BITSET:
        return c->data[value >> 3] >> (value & 7) & 1;
    case FRZ_CONTAINER_RUN:
        at = run_find(c, value);
        return at < c->run_count && run_start(c, at) <= value;
    }
    return false;
}

/* Ones from bit `first` to bit `last` of a word, both 0..63. */
static uint64_t ones(uint32_t first, uint32_t last)
{
    return (UINT64_MAX << first) & (UINT64_MAX >> (63 - last));
}

static void set_bits(uint8_t *data, uint32_t first, uint32_t last)
{
    for (uint32_t word = first >> 6; word <= last >> 6; word++) {
        const uint32_t from = word == first >> 6 ? first & 63 : 0;
        const uint32_t to = word == last >> 6 ? last & 63 : 63;
        store_u64(data, word, frz_load_u64(data, word) | ones(from, to));
    }
}

/* Adds the members to a bitset of 8 KiB. */
static void add_to_bits(const frz_container *c, uint8_t *bits)
{
    switch (c->kind) {
    case FRZ_CONTAINER_ARRAY:
        for (uint32_t i = 0; i < c->count; i++) {
            const uint16_t value = frz_load_u16(c->data, i);
            bits[value >> 3] |= (uint8_t)(1u << (value & 7));
        }
        break;
    case FRZ_CONTAINER_BITSET:
        for (size_t i = 0; i < FRZ_CONTAINER_WORDS; i++)
            store_u64(bits, i, frz_load_u64(bits, i) | frz_load_u64(c->data, i));
        break;
    case FRZ_CONTAINER_RUN:
        for (uint32_t i = 0; i < c->run_count; i++)
            set_bits(bits, run_start(c, i), run_last(c, i));
        break;
    }
}

#if defined(__x86_64__)
__attribute__((target("popcnt"))) static uint32_t count_with_popcnt(const uint8_t *bits)
{
    uint64_t counts[4] = {0}; /* one chain of additions would wait for itself */
    for (size_t i = 0; i < FRZ_CONTAINER_WORDS; i += 4)
        for (size_t lane = 0; lane < 4; lane++)
            counts[lane] += (uint64_t)__builtin_popcountll(frz_load_u64(bits, i + lane));
    return (uint32_t)(counts[0] + counts[1] + counts[2] + counts[3]);
}
#endif

uint32_t frz_container_count_bits(const uint8_t *bits)
{
    uint32_t count = 0;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("popcnt"))
        return count_with_popcnt(bits);
#endif
    for (size_t i = 0; i < FRZ_CONTAINER_WORDS; i++)
        count += frz_count_bits(frz_load_u64(bits, i));
    return count;
}

static void replace_data(frz_container *c, uint8_t *data, frz_container_kind kind,
                         uint32_t capacity)
{
    if (!c->borrowed)
        frz_free(c->data);
    c->data = data;
    c->kind = kind;
    c->capacity = capacity;
    c->borrowed = false;
    c->run_count = 0;
}

/* Makes the container a bitset of its own. */
static bool own_bits(frz_container *c)
{
    if (c->kind == FRZ_CONTAINER_BITSET && !c->borrowed)
        return true;
    uint8_t *bits = frz_alloc_zero(FRZ_CONTAINER_BITSET_SIZE);
    if (!bits)
        return false;
    add_to_bits(c, bits);
    replace_data(c, bits, FRZ_CONTAINER_BITSET, 0);
    return true;
}

/* Room for one more value in an array of our own. */
static bool own_array(frz_container *c)
{
    if (!c->borrowed && c->count < c->capacity)
        return true;
    const uint32_t capacity = c->count < 4 ? 8 : 2 * c->count;
    uint8_t *data = frz_alloc(2 * (size_t)capacity);
    if (!data)
        return false;
    if (c->count)
        memcpy(data, c->data, 2 * (size_t)c->count);
    replace_data(c, data, FRZ_CONTAINER_ARRAY, capacity);
    return true;
}

static int add_to_array(frz_container *c, uint16_t value)
{
    const uint32_t at = array_find(c, value);
    if (at < c->count && frz_load_u16(c->data, at) == value)
        return 0;
    if (!own_array(c))
        return -1;
    memmove(c->data + 2 * (size_t)(at + 1), c->data + 2 * (size_t)at, 2 * (size_t)(c->count - at));
    store_u16(c->data, at, value);
    c->count++;
    return 1;
}

int frz_container_add(frz_container *c, uint16_t value)
{
    if (c->kind == FRZ_CONTAINER_ARRAY && c->count < ARRAY_GROWS_TO)
        return add_to_array(c, value);
    if (c->kind != FRZ_CONTAINER_BITSET || c->borrowed) {
        if (frz_container_has(c, value))
            return 0;
        if (!own_bits(c))
            return -1;
    }
    uint8_t *byte = &c->data[value >> 3];
    const uint8_t bit = (uint8_t)(1u << (value & 7));
    if (*byte & bit)
        return 0;
    *byte |= bit;
    c->count++;
    return 1;
}

static bool become_full(frz_container *c)
{
    uint8_t *data = frz_alloc(4);
    if (!data)
        return false;
    store_u16(data, 0, 0);
    store_u16(data, 1, UINT16_MAX);
    replace_data(c, data, FRZ_CONTAINER_RUN, 0);
    c->run_count = 1;
    c->count = FRZ_CONTAINER_SPAN;
    return true;
}

bool frz_container_add_range(frz_container *c, uint32_t first, uint32_t last)
{
    if (first == 0 && last == UINT16_MAX)
        return become_full(c);
    if (!own_bits(c))
        return false;
    set_bits(c->data, first, last);
    c->count = frz_container_count_bits(c->data);
    return true;
}

bool frz_container_copy(const frz_container *c, frz_container *out)
{
    const size_t size = frz_container_size(c);
    uint8_t *data = frz_alloc(size);
    if (!data)
        return false;
    memcpy(data, c->data, size);
    *out = *c;
    out->data = data;
    out->borrowed = false;
    out->capacity = c->kind == FRZ_CONTAINER_ARRAY ? c->count : 0;
    return true;
}

bool frz_container_or(const frz_container *a, const frz_container *b, frz_container *out)
{
    frz_container sum = {.key = a->key, .kind = FRZ_CONTAINER_BITSET};
    if (a->count == FRZ_CONTAINER_SPAN || b->count == FRZ_CONTAINER_SPAN)
        return frz_container_copy(a->count == FRZ_CONTAINER_SPAN ? a : b, out);
    sum.data = frz_alloc_zero(FRZ_CONTAINER_BITSET_SIZE);
    if (!sum.data)
        return false;
    add_to_bits(a, sum.data);
    add_to_bits(b, sum.data);
    sum.count = frz_container_count_bits(sum.data);
    *out = sum;
    return true;
}

static uint32_t rank_bits(const frz_container *c, uint32_t limit)
{
    uint32_t count = 0;
    for (uint32_t word = 0; word < limit >> 6; word++)
        count += frz_count_bits(frz_load_u64(c->data, word));
    if (limit & 63)
        count += frz_count_bits(frz_load_u64(c->data, limit >> 6) & ones(0, (limit & 63) - 1));
    return count;
}

static uint32_t rank_runs(const frz_container *c, uint32_t limit)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->run_count && run_start(c, i) < limit; i++) {
        const uint32_t end = run_last(c, i) + 1;
        count += (end < limit ? end : limit) - run_start(c, i);
    }
    return count;
}

uint32_t frz_container_rank(const frz_container *c, uint32_t limit)
{
    if (limit >= FRZ_CONTAINER_SPAN)
        return c->count;
    switch (c->kind) {
    case FRZ_CONTAINER_ARRAY:
        return array_find(c, limit);
    case FRZ_CONTAINER_BITSET:
        return rank_bits(c, limit);
    case FRZ_CONTAINER_RUN:
        return rank_runs(c, limit);
    }
    return 0;
}

uint16_t frz_container_last(const frz_container *c)
{
    if (c->kind == FRZ_CONTAINER_ARRAY)
        return frz_load_u16(c->data, c->count - 1);
    if (c->kind == FRZ_CONTAINER_RUN)
        return (uint16_t)run_last(c, c->run_count - 1);
    for (size_t word = FRZ_CONTAINER_WORDS; word-- > 0;) {
        const uint64_t bits = frz_load_u64(c->data, word);
        if (bits)
            return (uint16_t)(64 * word + 63 - (size_t)__builtin_clzll(bits));
    }
    return 0;
}

static uint32_t clear_array(const frz_container *c, uint32_t low, uint32_t high, uint64_t *mask,
                            uint64_t bit)
{
    uint32_t changed = 0;
    for (uint32_t i = array_find(c, low); i < c->count; i++) {
        const uint32_t value = frz_load_u16(c->data, i);
        if (value >= high)
            break;
        const uint64_t at = bit + value - low;
        const uint64_t one = UINT64_C(1) << (at & 63);
        changed += (mask[at >> 6] & one) != 0;
        mask[at >> 6] &= ~one;
    }
    return changed;
}

/* 64 bits of a bitset from bit `at`; beyond its end zeros. */
static uint64_t fetch_bits(const uint8_t *data, uint32_t at)
{
    const uint32_t word = at >> 6;
    const uint32_t shift = at & 63;
    uint64_t bits = frz_load_u64(data, word) >> shift;
    if (shift && word + 1 < FRZ_CONTAINER_WORDS)
        bits |= frz_load_u64(data, word + 1) << (64 - shift);
    return bits;
}

static uint32_t clear_bits(const frz_container *c, uint32_t low, uint32_t high, uint64_t *mask,
                           uint64_t bit)
{
    uint32_t changed = 0;
    while (low < high) {
        const uint32_t shift = (uint32_t)(bit & 63);
        const uint32_t room = 64 - shift;
        const uint32_t taken = high - low < room ? high - low : room;
        uint64_t *word = &mask[bit >> 6];
        const uint64_t hit = *word & ((fetch_bits(c->data, low) & ones(0, taken - 1)) << shift);
        *word ^= hit;
        changed += frz_count_bits(hit);
        low += taken;
        bit += taken;
    }
    return changed;
}

static uint32_t clear_span(uint64_t *mask, uint64_t first, uint64_t last)
{
    uint32_t changed = 0;
    for (uint64_t word = first >> 6; word <= last >> 6; word++) {
        const uint32_t from = word == first >> 6 ? (uint32_t)(first & 63) : 0;
        const uint32_t to = word == last >> 6 ? (uint32_t)(last & 63) : 63;
        changed += frz_count_bits(mask[word] & ones(from, to));
        mask[word] &= ~ones(from, to);
    }
    return changed;
}

static uint32_t clear_runs(const frz_container *c, uint32_t low, uint32_t high, uint64_t *mask,
                           uint64_t bit)
{
    uint32_t changed = 0;
    for (uint32_t i = run_find(c, low); i < c->run_count && run_start(c, i) < high; i++) {
        const uint32_t first = run_start(c, i) > low ? run_start(c, i) : low;
        const uint32_t last = run_last(c, i) < high - 1 ? run_last(c, i) : high - 1;
        changed += clear_span(mask, bit + first - low, bit + last - low);
    }
    return changed;
}

uint32_t frz_container_clear_mask(const frz_container *c, uint32_t low, uint32_t high,
                                  uint64_t *mask, uint64_t bit)
{
    if (low >= high)
        return 0;
    switch (c->kind) {
    case FRZ_CONTAINER_ARRAY:
        return clear_array(c, low, high, mask, bit);
    case FRZ_CONTAINER_BITSET:
        return clear_bits(c, low, high, mask, bit);
    case FRZ_CONTAINER_RUN:
        return clear_runs(c, low, high, mask, bit);
    }
    return 0;
}

static size_t list_bits(const frz_container *c, uint32_t from, int64_t base, int64_t *out,
                        size_t capacity)
{
    size_t count = 0;
    for (uint32_t word = from >> 6; word < FRZ_CONTAINER_WORDS && count < capacity; word++) {
        uint64_t bits = frz_load_u64(c->data, word);
        if (word == from >> 6)
            bits &= UINT64_MAX << (from & 63);
        for (; bits && count < capacity; bits &= bits - 1)
            out[count++] = base + 64 * (int64_t)word + __builtin_ctzll(bits);
    }
    return count;
}

static size_t list_runs(const frz_container *c, uint32_t from, int64_t base, int64_t *out,
                        size_t capacity)
{
    size_t count = 0;
    for (uint32_t i = run_find(c, from); i < c->run_count; i++) {
        const uint32_t first = run_start(c, i) > from ? run_start(c, i) : from;
        for (uint32_t value = first; value <= run_last(c, i); value++) {
            if (count == capacity)
                return count;
            out[count++] = base + value;
        }
    }
    return count;
}

size_t frz_container_list(const frz_container *c, uint32_t from, int64_t *out, size_t capacity)
{
    const int64_t base = (int64_t)(c->key << 16);
    size_t count = 0;
    switch (c->kind) {
    case FRZ_CONTAINER_ARRAY:
        for (uint32_t i = array_find(c, from); i < c->count && count < capacity; i++)
            out[count++] = base + frz_load_u16(c->data, i);
        return count;
    case FRZ_CONTAINER_BITSET:
        return list_bits(c, from, base, out, capacity);
    case FRZ_CONTAINER_RUN:
        return list_runs(c, from, base, out, capacity);
    }
    return 0;
}

static uint32_t count_bit_runs(const uint8_t *data)
{
    uint32_t runs = 0;
    uint64_t carry = 0;
    for (size_t i = 0; i < FRZ_CONTAINER_WORDS; i++) {
        const uint64_t bits = frz_load_u64(data, i);
        runs +=
            frz_count_bits(bits & ~(bits << 1 | carry)); /* bits whose lower neighbour is not set */
        carry = bits >> 63;
    }
    return runs;
}

uint32_t frz_container_runs(const frz_container *c)
{
    uint32_t runs = 0;
    if (c->kind == FRZ_CONTAINER_BITSET)
        return count_bit_runs(c->data);
    if (c->kind == FRZ_CONTAINER_ARRAY) {
        for (uint32_t i = 0; i < c->count; i++)
            runs += i == 0 || frz_load_u16(c->data, i) != frz_load_u16(c->data, i - 1) + 1;
        return runs;
    }
    for (uint32_t i = 0; i < c->run_count; i++) /* runs of others may touch */
        runs += i == 0 || run_start(c, i) != run_last(c, i - 1) + 1;
    return runs;
}

static void append_u16(frz_buffer *out, uint32_t value)
{
    const uint8_t bytes[2] = {(uint8_t)value, (uint8_t)(value >> 8)};
    frz_buffer_append(out, bytes, sizeof bytes);
}

static void print_values(const frz_container *c, bool as_runs, frz_buffer *out)
{
    int64_t values[512];
    int64_t start = -1; /* of the open run */
    int64_t last = -2;
    uint32_t from = 0;
    frz_container at = *c;
    at.key = 0;
    if (as_runs)
        append_u16(out, frz_container_runs(c));
    while (from < FRZ_CONTAINER_SPAN) {
        const size_t count = frz_container_list(&at, from, values, sizeof values / sizeof *values);
        if (count == 0)
            break;
        for (size_t i = 0; i < count; i++) {
            if (!as_runs) {
                append_u16(out, (uint32_t)values[i]);
            } else if (values[i] != last + 1) {
                if (start >= 0)
                    append_u16(out, (uint32_t)(last - start));
                start = values[i];
                append_u16(out, (uint32_t)start);
            }
            last = values[i];
        }
        from = (uint32_t)last + 1;
    }
    if (as_runs)
        append_u16(out, (uint32_t)(last - start));
}

void frz_container_print(const frz_container *c, frz_container_kind kind, frz_buffer *out)
{
    if (kind == c->kind && kind != FRZ_CONTAINER_RUN) {
        frz_buffer_append(out, c->data, frz_container_size(c));
    } else if (kind == FRZ_CONTAINER_BITSET) {
        uint8_t *bits = frz_buffer_extend(out, FRZ_CONTAINER_BITSET_SIZE);
        if (bits) {
            memset(bits, 0, FRZ_CONTAINER_BITSET_SIZE);
            add_to_bits(c, bits);
        }
    } else {
        print_values(c, kind == FRZ_CONTAINER_RUN, out);
    }
}

size_t frz_container_size(const frz_container *c)
{
    switch (c->kind) {
    case FRZ_CONTAINER_ARRAY:
        return 2 * (size_t)c->count;
    case FRZ_CONTAINER_BITSET:
        return FRZ_CONTAINER_BITSET_SIZE;
    case FRZ_CONTAINER_RUN:
        return 4 * (size_t)c->run_count;
    }
    return 0;
}

void frz_container_clear(frz_container *c)
{
    if (!c->borrowed)
        frz_free(c->data);
    *c = (frz_container){0};
}
