#include "scan/key_rows.h"

#include "arrow/array.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/mem.h"

/* The words of a value in its row; 0 when it stands apart. */
static size_t words_of(const frz_type *type)
{
    if (type->kind == FRZ_TYPE_STRING || type->kind == FRZ_TYPE_BINARY)
        return 0;
    if (type->kind == FRZ_TYPE_DECIMAL || type->kind == FRZ_TYPE_UUID)
        return 2;
    return type->kind == FRZ_TYPE_FIXED ? ((size_t)type->length + 7) / 8 : 1;
}

frz_status frz_key_layout_new(const frz_type *const *types, size_t count, frz_arena *arena,
                              frz_key_layout *out, frz_error **err)
{
    frz_key_layout layout = {.count = count};
    layout.columns = frz_arena_array(arena, count, sizeof *layout.columns);
    if (!layout.columns)
        return frz_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        const size_t words = words_of(types[i]);
        const bool apart = words == 0;
        layout.columns[i] = (frz_key_column){.type = types[i],
                                             .first_word = layout.word_count,
                                             .word_count = apart ? 1 : words,
                                             .apart = apart};
        layout.word_count += layout.columns[i].word_count;
        layout.apart_count += apart;
    }
    layout.null_word = layout.word_count;
    layout.word_count += (count + 63) / 64;
    *out = layout;
    return FRZ_OK;
}

void frz_key_rows_clear(frz_key_rows *rows)
{
    frz_free(rows->words);
    frz_free(rows->hashes);
    frz_free(rows->apart);
    *rows = (frz_key_rows){0};
}

static frz_status grow(frz_key_rows *rows, const frz_key_layout *layout, int64_t count,
                       frz_error **err)
{
    if (rows->layout == layout && rows->capacity >= count)
        return FRZ_OK;
    frz_key_rows_clear(rows);
    rows->words = frz_alloc_array((size_t)count, layout->word_count * sizeof *rows->words);
    rows->hashes = frz_alloc_array((size_t)count, sizeof *rows->hashes);
    rows->apart = frz_alloc_array(layout->count, sizeof *rows->apart);
    if (!rows->words || !rows->hashes || !rows->apart) {
        frz_key_rows_clear(rows);
        return frz_fail_memory(err);
    }
    rows->layout = layout;
    rows->capacity = count;
    return FRZ_OK;
}

/* One column on its way into the rows. */
typedef struct filling {
    frz_key_rows *rows;
    const frz_key_column *column;
    const struct ArrowArray *leaf;
    int64_t start; /* the leaf's physical index of row 0 */
} filling;

#define FILL(name, type, expression)                                         \
    static void name(const filling *at)                                      \
    {                                                                        \
        const type *values = (const type *)at->leaf->buffers[1] + at->start; \
        const size_t step = at->rows->layout->word_count;                    \
        uint64_t *word = at->rows->words + at->column->first_word;           \
        for (int64_t i = 0; i < at->rows->count; i++, word += step) {        \
            const type value = values[i];                                    \
            *word = (expression);                                            \
        }                                                                    \
    }

static uint64_t bits_of_double(double value)
{
    uint64_t bits = UINT64_C(0x7ff8000000000000);
    if (value == value)
        memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t bits_of_float(float value)
{
    uint32_t bits = UINT32_C(0x7fc00000);
    if (value == value)
        memcpy(&bits, &value, sizeof bits);
    return bits;
}

FILL(fill_i32, int32_t, (uint64_t)(int64_t)value)
FILL(fill_i64, int64_t, (uint64_t)value)
FILL(fill_float, float, bits_of_float(value))
FILL(fill_double, double, bits_of_double(value))

static void fill_boolean(const filling *at)
{
    const uint8_t *bits = at->leaf->buffers[1];
    uint64_t *word = at->rows->words + at->column->first_word;
    for (int64_t i = 0; i < at->rows->count; i++, word += at->rows->layout->word_count)
        *word = frz_bit_get(bits, at->start + i);
}

/* Values of `width` bytes each, copied as they are. */
static void fill_fixed(const filling *at, size_t width)
{
    const uint8_t *value = (const uint8_t *)at->leaf->buffers[1] + (size_t)at->start * width;
    uint64_t *word = at->rows->words + at->column->first_word;
    for (int64_t i = 0; i < at->rows->count; i++, word += at->rows->layout->word_count) {
        word[at->column->word_count - 1] = 0;
        memcpy(word, value, width);
        value += width;
    }
}

/* The sizes; where the bytes are is remembered. */
static void fill_sizes(const filling *at)
{
    const int32_t *offsets = (const int32_t *)at->leaf->buffers[1] + at->start;
    uint64_t *word = at->rows->words + at->column->first_word;
    for (int64_t i = 0; i < at->rows->count; i++, word += at->rows->layout->word_count)
        *word = (uint64_t)(offsets[i + 1] - offsets[i]);
    at->rows->apart[at->column - at->rows->layout->columns] =
        (frz_key_bytes){.offsets = offsets, .data = at->leaf->buffers[2]};
}

/* The null type. */
static void fill_nothing(const filling *at)
{
    uint64_t *word = at->rows->words + at->column->first_word;
    for (int64_t i = 0; i < at->rows->count; i++, word += at->rows->layout->word_count)
        memset(word, 0, at->column->word_count * sizeof *word);
}

static void mark_null(const filling *at, int64_t row)
{
    const frz_key_layout *layout = at->rows->layout;
    const size_t column = (size_t)(at->column - layout->columns);
    uint64_t *words = at->rows->words + (size_t)row * layout->word_count;
    memset(words + at->column->first_word, 0, at->column->word_count * sizeof *words);
    words[layout->null_word + column / 64] |= UINT64_C(1) << column % 64;
}

/* Marks the rows that are null in `array`, whose row 0 is at `start`. */
static void mark_nulls(const filling *at, const struct ArrowArray *array, int64_t start)
{
    const uint8_t *validity = array->n_buffers ? array->buffers[0] : NULL;
    if (array->null_count == 0 || !validity)
        return;
    for (int64_t i = 0; i < at->rows->count; i++)
        if (!frz_bit_get(validity, start + i))
            mark_null(at, i);
}

static void fill_values(const filling *at)
{
    switch (at->column->type->kind) {
    case FRZ_TYPE_BOOLEAN:
        fill_boolean(at);
        return;
    case FRZ_TYPE_INT:
    case FRZ_TYPE_DATE:
        fill_i32(at);
        return;
    case FRZ_TYPE_LONG:
    case FRZ_TYPE_TIME:
    case FRZ_TYPE_TIMESTAMP:
    case FRZ_TYPE_TIMESTAMPTZ:
    case FRZ_TYPE_TIMESTAMP_NS:
    case FRZ_TYPE_TIMESTAMPTZ_NS:
        fill_i64(at);
        return;
    case FRZ_TYPE_FLOAT:
        fill_float(at);
        return;
    case FRZ_TYPE_DOUBLE:
        fill_double(at);
        return;
    case FRZ_TYPE_DECIMAL:
    case FRZ_TYPE_UUID:
        fill_fixed(at, 16);
        return;
    case FRZ_TYPE_FIXED:
        fill_fixed(at, (size_t)at->column->type->length);
        return;
    case FRZ_TYPE_STRING:
    case FRZ_TYPE_BINARY:
        fill_sizes(at);
        return;
    case FRZ_TYPE_UNKNOWN:
    case FRZ_TYPE_VARIANT:
    case FRZ_TYPE_GEOMETRY:
    case FRZ_TYPE_GEOGRAPHY:
    case FRZ_TYPE_STRUCT:
    case FRZ_TYPE_LIST:
    case FRZ_TYPE_MAP:
        fill_nothing(at);
        return;
    }
}

/* One column: from the outermost struct to the key itself. */
static void fill_column(const filling *whole, const struct ArrowArray *array, int64_t first)
{
    filling at = *whole;
    const bool is_null_type = at.column->type->kind == FRZ_TYPE_UNKNOWN;
    int64_t start = first + array->offset;
    while (array->n_children) {
        array = array->children[0];
        start += array->offset;
    }
    at.leaf = array;
    at.start = start;
    fill_values(&at);
    for (int64_t i = 0; is_null_type && i < at.rows->count; i++)
        mark_null(&at, i);
}

static void mark_all_nulls(const filling *at, const struct ArrowArray *array, int64_t first)
{
    int64_t start = first + array->offset;
    mark_nulls(at, array, start);
    while (array->n_children) {
        array = array->children[0];
        start += array->offset;
        mark_nulls(at, array, start);
    }
}

static void hash_rows(frz_key_rows *rows, uint64_t seed)
{
    const frz_key_layout *layout = rows->layout;
    frz_hash_rows(rows->words, layout->word_count, (size_t)rows->count, seed, rows->hashes);
    for (size_t c = 0; layout->apart_count && c < layout->count; c++) {
        for (int64_t i = 0; layout->columns[c].apart && i < rows->count; i++) {
            const frz_slice bytes = frz_key_rows_bytes(rows, c, i);
            rows->hashes[i] = frz_hash_xxh3(bytes.data, bytes.size, rows->hashes[i]);
        }
    }
}

frz_status frz_key_rows_fill(frz_key_rows *rows, const frz_key_layout *layout,
                             const frz_key_span *span, uint64_t seed, frz_error **err)
{
    FRZ_TRY(grow(rows, layout, span->count, err));
    rows->count = span->count;
    if (span->count == 0)
        return FRZ_OK;
    for (int64_t i = 0; i < span->count; i++)
        for (size_t word = layout->null_word; word < layout->word_count; word++)
            rows->words[(size_t)i * layout->word_count + word] = 0;
    for (size_t c = 0; c < layout->count; c++) {
        const filling at = {.rows = rows, .column = &layout->columns[c]};
        fill_column(&at, span->columns[c], span->first);
        mark_all_nulls(&at, span->columns[c], span->first);
    }
    hash_rows(rows, seed);
    return FRZ_OK;
}
