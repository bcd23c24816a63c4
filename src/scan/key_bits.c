#include "scan/key_bits.h"

#include "base/fail.h"
#include "base/mem.h"
#include "expr/location.h"
#include "spec/value.h"

enum {
    BYTES_PER_KEY = 48,            /* as a table takes */
    BYTES_ALWAYS = 8 * 1024 * 1024 /* for few keys, too */
};

#define SIGN (UINT64_C(1) << 63)

/* Values are ordered as unsigned numbers: an integer with its sign bit turned. */
struct frz_key_bits {
    bool wide; /* values of 64 bits */
    bool has_null;
    uint64_t base; /* the value of bit 0 */
    uint64_t *words;
    size_t word_count; /* 0 before the first key that is not null */
    size_t most_words;
};

/* Values from first to last. */
typedef struct range {
    uint64_t first;
    uint64_t last;
    bool empty;
} range;

/* The column of a span, and the arrays that it is null with. */
typedef struct column {
    const struct ArrowArray *outer;
    int64_t outer_start; /* physical index of row 0 */
    const void *values;  /* of row 0 */
} column;

static bool is_wide(frz_type_kind kind)
{
    return kind != FRZ_TYPE_INT && kind != FRZ_TYPE_DATE;
}

bool frz_key_bits_suit(const frz_key_layout *layout)
{
    return layout->count == 1 &&
           frz_value_form_of(layout->columns[0].type->kind) == FRZ_VALUE_INTEGER;
}

frz_status frz_key_bits_new(const frz_key_layout *layout, uint64_t expected, frz_key_bits **out,
                            frz_error **err)
{
    frz_key_bits *bits = frz_alloc_zero(sizeof *bits);
    if (!bits)
        return frz_fail_memory(err);
    const uint64_t most =
        expected < SIZE_MAX / 2 / BYTES_PER_KEY ? expected * BYTES_PER_KEY : SIZE_MAX / 2;
    bits->wide = is_wide(layout->columns[0].type->kind);
    bits->most_words = (size_t)(most > BYTES_ALWAYS ? most : BYTES_ALWAYS) / sizeof *bits->words;
    *out = bits;
    return FRZ_OK;
}

void frz_key_bits_free(frz_key_bits *bits)
{
    if (!bits)
        return;
    frz_free(bits->words);
    frz_free(bits);
}

size_t frz_key_bits_memory(const frz_key_bits *bits)
{
    return sizeof *bits + bits->word_count * sizeof *bits->words;
}

static column column_of(const frz_key_bits *bits, const frz_key_span *span)
{
    const struct ArrowArray *array = span->columns[0];
    int64_t start = span->first + array->offset;
    column found = {.outer = array, .outer_start = start};
    for (; array->n_children; start += array->offset)
        array = array->children[0];
    found.values = (const uint8_t *)array->buffers[1] + start * (bits->wide ? 8 : 4);
    return found;
}

static uint64_t all_rows(int64_t count)
{
    return count == 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

/* Bits of the rows [at, at + count), at most 64 of them, that are not null. */
static uint64_t valid_rows(const column *of, int64_t at, int64_t count)
{
    uint64_t valid = all_rows(count);
    const struct ArrowArray *array = of->outer;
    for (int64_t start = of->outer_start + at;; start += array->offset) {
        if (array->null_count != 0 && array->buffers[0])
            valid &= frz_bitmap_word(array->buffers[0], start, count);
        if (!array->n_children)
            return valid;
        array = array->children[0];
    }
}

static uint64_t value_at(const frz_key_bits *bits, const column *of, int64_t row)
{
    const int64_t value =
        bits->wide ? ((const int64_t *)of->values)[row] : ((const int32_t *)of->values)[row];
    return (uint64_t)value ^ SIGN;
}

static void widen(range *all, uint64_t first, uint64_t last)
{
    all->first = all->empty || first < all->first ? first : all->first;
    all->last = all->empty || last > all->last ? last : all->last;
    all->empty = false;
}

/* Of some values, one at least, that are not null. */
#define WIDEN(name, type)                                                            \
    static void name(const void *from, int64_t count, range *all)                    \
    {                                                                                \
        const type *values = from;                                                   \
        type least = values[0];                                                      \
        type most = values[0];                                                       \
        for (int64_t i = 1; i < count; i++) {                                        \
            least = values[i] < least ? values[i] : least;                           \
            most = values[i] > most ? values[i] : most;                              \
        }                                                                            \
        widen(all, (uint64_t)(int64_t)least ^ SIGN, (uint64_t)(int64_t)most ^ SIGN); \
    }

WIDEN(widen_i32, int32_t)
WIDEN(widen_i64, int64_t)

static void widen_by_span(const frz_key_bits *bits, const frz_key_span *span, range *all)
{
    const column of = column_of(bits, span);
    for (int64_t at = 0; at < span->count; at += 64) {
        const int64_t count = span->count - at < 64 ? span->count - at : 64;
        uint64_t valid = valid_rows(&of, at, count);
        if (valid == all_rows(count) && bits->wide)
            widen_i64((const int64_t *)of.values + at, count, all);
        else if (valid == all_rows(count))
            widen_i32((const int32_t *)of.values + at, count, all);
        else
            for (; valid; valid &= valid - 1) {
                const uint64_t value = value_at(bits, &of, at + __builtin_ctzll(valid));
                widen(all, value, value);
            }
    }
}

static range present(const frz_key_bits *bits)
{
    const uint64_t width = (uint64_t)bits->word_count * 64;
    return (range){.first = bits->base, .last = bits->base + (width - 1), .empty = width == 0};
}

/* Words for the values from the one that `first` shares a word with. */
static uint64_t words_of(const range *of)
{
    return of->empty ? 0 : (of->last >> 6) - (of->first >> 6) + 1;
}

/* The range with room to grow where it grew: a bigger half again on that side, within the most. */
static range roomy(const frz_key_bits *bits, range wanted)
{
    const range now = present(bits);
    const uint64_t words = words_of(&wanted);
    const uint64_t spare =
        bits->most_words - words < words / 2 ? bits->most_words - words : words / 2;
    if (now.empty)
        return wanted;
    if (wanted.last > now.last)
        wanted.last +=
            UINT64_MAX - wanted.last < spare * 64 ? UINT64_MAX - wanted.last : spare * 64;
    else if (wanted.first < now.first)
        wanted.first -= wanted.first < spare * 64 ? wanted.first : spare * 64;
    return wanted;
}

/* The range of what is in and of a span, and whether that is within the most; then with room. */
static bool range_with(const frz_key_bits *bits, const frz_key_span *span, range *out)
{
    const range now = present(bits);
    *out = now;
    widen_by_span(bits, span, out);
    if (words_of(out) > bits->most_words)
        return false;
    if (out->first != now.first || out->last != now.last || out->empty != now.empty)
        *out = roomy(bits, *out);
    return true;
}

size_t frz_key_bits_memory_with(const frz_key_bits *bits, const frz_key_span *span)
{
    range all;
    if (!range_with(bits, span, &all))
        return SIZE_MAX;
    return sizeof *bits + (size_t)words_of(&all) * sizeof *bits->words;
}

static frz_status grow(frz_key_bits *bits, const range *to, frz_error **err)
{
    const size_t count = (size_t)words_of(to);
    if (count == bits->word_count)
        return FRZ_OK;
    uint64_t *words = frz_alloc_array(count, sizeof *words);
    if (!words)
        return frz_fail_memory(err);
    const uint64_t base = to->first & ~UINT64_C(63);
    if (bits->word_count)
        memcpy(words + (bits->base - base) / 64, bits->words, bits->word_count * sizeof *words);
    frz_free(bits->words);
    bits->words = words;
    bits->word_count = count;
    bits->base = base;
    return FRZ_OK;
}

frz_status frz_key_bits_add(frz_key_bits *bits, const frz_key_span *span, frz_error **err)
{
    range all;
    const column of = column_of(bits, span);
    if (!range_with(bits, span, &all))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "the keys lie too far apart for bits");
    FRZ_TRY(grow(bits, &all, err));
    for (int64_t at = 0; at < span->count; at += 64) {
        const int64_t count = span->count - at < 64 ? span->count - at : 64;
        uint64_t valid = valid_rows(&of, at, count);
        bits->has_null = bits->has_null || valid != all_rows(count);
        for (; valid; valid &= valid - 1) {
            const uint64_t bit = value_at(bits, &of, at + __builtin_ctzll(valid)) - bits->base;
            bits->words[bit / 64] |= UINT64_C(1) << bit % 64;
        }
    }
    return FRZ_OK;
}

/* Bits of the rows, at most 64 of them, whose values are in: without a branch per row. */
#define FIND(name, type)                                                            \
    static uint64_t name(const frz_key_bits *bits, const void *from, int64_t count) \
    {                                                                               \
        const type *values = from;                                                  \
        const uint64_t *words = bits->words;                                        \
        const uint64_t base = bits->base;                                           \
        const uint64_t limit = (uint64_t)bits->word_count * 64;                     \
        uint64_t found = 0;                                                         \
        for (int64_t i = 0; i < count; i++) {                                       \
            const uint64_t at = ((uint64_t)(int64_t)values[i] ^ SIGN) - base;       \
            const uint64_t inside = at < limit;                                     \
            found |= (words[inside ? at / 64 : 0] >> at % 64 & inside) << i;        \
        }                                                                           \
        return found;                                                               \
    }

FIND(find_i32, int32_t)
FIND(find_i64, int64_t)

void frz_key_bits_apply(const frz_key_bits *bits, const frz_key_span *span, uint64_t *mask)
{
    const column of = column_of(bits, span);
    for (int64_t at = 0; at < span->count; at += 64) {
        const int64_t count = span->count - at < 64 ? span->count - at : 64;
        const uint64_t valid = valid_rows(&of, at, count);
        uint64_t gone = 0;
        if (valid && bits->word_count && mask[at / 64])
            gone = valid & (bits->wide ? find_i64(bits, (const int64_t *)of.values + at, count)
                                       : find_i32(bits, (const int32_t *)of.values + at, count));
        if (bits->has_null)
            gone |= ~valid & all_rows(count);
        mask[at / 64] &= ~gone;
    }
}
