/*
 * The columns that a decode program fills: a tree of growing buffers in the layout of the Arrow
 * columns that they become.
 *
 * Invariant: room was made (frz_avro_column_reserve) for every row that is put; children of a
 * struct or a union have as many rows as it; bits of validity and booleans beyond `length` are 0.
 */
#ifndef FRZ_AVRO_COLUMN_H
#define FRZ_AVRO_COLUMN_H

#include "avro/bytes.h"
#include "base/arena.h"
#include "base/buffer.h"
#include "base/slice.h"
#include "frazil/arrow.h"
#include "frazil/error.h"

typedef enum frz_avro_layout {
    FRZ_AVRO_LAYOUT_NULL,
    FRZ_AVRO_LAYOUT_BITS,     /* booleans */
    FRZ_AVRO_LAYOUT_WIDTH,    /* `width` bytes a value */
    FRZ_AVRO_LAYOUT_VARIABLE, /* 32-bit offsets and bytes */
    FRZ_AVRO_LAYOUT_STRUCT,
    FRZ_AVRO_LAYOUT_LIST, /* 32-bit offsets and one child; maps too */
    FRZ_AVRO_LAYOUT_UNION /* a byte a row: which child holds it; the others have a null there */
} frz_avro_layout;

/* How much all columns of one batch may hold. */
typedef struct frz_avro_budget {
    size_t used;
    size_t max;
} frz_avro_budget;

typedef struct frz_avro_column {
    frz_avro_layout layout;
    bool nullable;
    const char *name;   /* in the arena of the program, as format */
    const char *format; /* Arrow's */
    int32_t field_id;
    size_t width;
    struct frz_avro_column *children;
    size_t child_count;
    frz_avro_budget *budget; /* shared by the tree */

    int64_t length;
    int64_t null_count;
    int64_t capacity;    /* rows that fit */
    frz_buffer validity; /* only when nullable */
    frz_buffer values;   /* BITS, WIDTH, UNION */
    frz_buffer offsets;  /* VARIABLE, LIST: length + 1 numbers */
    frz_buffer bytes;    /* VARIABLE */
} frz_avro_column;

/* Lays a column of nothing but nulls out for an Arrow format of a leaf; FRZ_INVALID for nested
 * ones. */
FRZ_MUST_CHECK frz_status frz_avro_column_absent(frz_avro_column *column, const char *format,
                                                 frz_arena *arena, frz_error **err);

/* Makes room for `count` more rows, in the children of a struct or a union too; not below lists. */
FRZ_MUST_CHECK frz_avro_fault frz_avro_column_reserve(frz_avro_column *column, uint64_t count);

/* The slow way to a null: placeholders in the children of a struct. */
void frz_avro_column_put_null(frz_avro_column *column);

/* Notes that child `branch` of a union holds the row, which was put there, and fills the others. */
void frz_avro_column_put_branch(frz_avro_column *column, size_t branch);

/* Room for `size` more bytes of a VARIABLE column; does not advance. */
FRZ_MUST_CHECK frz_avro_fault frz_avro_column_reserve_bytes(frz_avro_column *column, size_t size);

/* Notes that the row just written is not null. */
static inline void frz_avro_column_advance(frz_avro_column *column)
{
    const int64_t row = column->length++;
    if (column->nullable)
        column->validity.data[row >> 3] |= (uint8_t)(1u << (row & 7));
}

/* Copies one value; false when memory or the budget is short (*fault tells). */
static inline bool frz_avro_column_put_bytes(frz_avro_column *column, const uint8_t *bytes,
                                             size_t size, frz_avro_fault *fault)
{
    if (size > column->bytes.capacity - column->bytes.size) {
        *fault = frz_avro_column_reserve_bytes(column, size);
        if (*fault != FRZ_AVRO_FAULT_NONE)
            return false;
    }
    if (size)
        memcpy(column->bytes.data + column->bytes.size, bytes, size);
    column->bytes.size += size;
    const int32_t end = (int32_t)column->bytes.size;
    memcpy(column->offsets.data + 4 * (size_t)(column->length + 1), &end, sizeof end);
    frz_avro_column_advance(column);
    return true;
}

/* Hands the rows over as an Arrow array; the column is empty afterwards, also on failure. */
FRZ_MUST_CHECK frz_status frz_avro_column_finish(frz_avro_column *column, struct ArrowArray *out,
                                                 frz_error **err);

FRZ_MUST_CHECK frz_status frz_avro_column_schema(const frz_avro_column *column,
                                                 struct ArrowSchema *out, frz_error **err);

/* Bytes that one row takes in the column and a struct's children, variable ones apart. */
uint64_t frz_avro_column_row_size(const frz_avro_column *column);

/* Frees the buffers of the tree; the columns are empty and reusable. */
void frz_avro_column_clear(frz_avro_column *column);

#endif
