/*
 * Keys of equality deletes as rows of words that are equal exactly when the keys are (spec
 * "Equality Delete Files"): null equals null, all NaNs are one key, -0.0 and 0.0 are two.
 *
 * A row has for each column its value in words (8 bytes; the rest of the last one zero), then bits
 * of the columns that are null, whose words are zero. A string or binary has one word, its size;
 * the bytes are compared apart. All columns of a batch are laid out and hashed together.
 */
#ifndef FRZ_SCAN_KEY_ROWS_H
#define FRZ_SCAN_KEY_ROWS_H

#include "frazil/arrow.h"
#include "spec/type.h"

typedef struct frz_key_column {
    const frz_type *type; /* primitive */
    size_t first_word;
    size_t word_count;
    bool apart; /* its bytes are not in the row */
} frz_key_column;

typedef struct frz_key_layout {
    frz_key_column *columns; /* in an arena */
    size_t count;
    size_t apart_count;
    size_t null_word;  /* the first of the null bits */
    size_t word_count; /* of a row */
} frz_key_layout;

/* `types`: primitive types, none of which is variant, geometry or geography. */
FRZ_MUST_CHECK frz_status frz_key_layout_new(const frz_type *const *types, size_t count,
                                             frz_arena *arena, frz_key_layout *out,
                                             frz_error **err);

/* Where the bytes of a column apart stand: row i has [offsets[i], offsets[i + 1]) of data. */
typedef struct frz_key_bytes {
    const int32_t *offsets;
    const uint8_t *data;
} frz_key_bytes;

/* The keys of one batch; all zero is valid and empty. Reused from batch to batch. */
typedef struct frz_key_rows {
    const frz_key_layout *layout;
    int64_t count;
    uint64_t *words;      /* count rows of layout->word_count */
    uint64_t *hashes;     /* one per row */
    frz_key_bytes *apart; /* per column of the layout; borrowed from the batch */
    int64_t capacity;
} frz_key_rows;

/* Rows [first, first + count) of a batch. */
typedef struct frz_key_span {
    const struct ArrowArray *const *columns;
    int64_t first;
    int64_t count;
} frz_key_span;

/*
 * Lays out the keys of a batch. columns[i] holds key i in the Arrow type of its Iceberg type, or,
 * for a nested key, structs of one field with the key inside; where a struct is null, so is the
 * key. The batch must outlive the use of *rows. `seed` makes hashes that the writer of a file
 * cannot foresee.
 */
FRZ_MUST_CHECK frz_status frz_key_rows_fill(frz_key_rows *rows, const frz_key_layout *layout,
                                            const frz_key_span *span, uint64_t seed,
                                            frz_error **err);
void frz_key_rows_clear(frz_key_rows *rows);

/* The bytes of row `row` in a column apart; those of null are empty. */
static inline frz_slice frz_key_rows_bytes(const frz_key_rows *rows, size_t column, int64_t row)
{
    const size_t words = rows->layout->word_count;
    const uint64_t size =
        rows->words[(size_t)row * words + rows->layout->columns[column].first_word];
    if (!size)
        return (frz_slice){0};
    const frz_key_bytes *bytes = &rows->apart[column];
    return frz_slice_of(bytes->data + bytes->offsets[row], (size_t)size);
}

#endif
