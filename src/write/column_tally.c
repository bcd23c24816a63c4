#include "write/column_tally.h"

#include <string.h>

#include "arrow/array.h"
#include "base/arena.h"
#include "base/decimal.h"
#include "base/fail.h"
#include "base/mem.h"
#include "parquet/bounds.h"

enum { DECIMAL_SIZE = 16 };

/* A field of the type tree, in pre-order; a leaf has bounds. */
typedef struct tally_column {
    const frz_field *field;
    struct tally_column *children;
    size_t child_count;
    int64_t value_count;
    int64_t null_count;
    frz_parquet_bounds bounds;
} tally_column;

struct frz_column_tally {
    frz_arena arena;
    frz_field root_field;
    tally_column root;
    int64_t row_count;
    size_t leaf_count;
    frz_buffer values; /* of one leaf in one batch */
    frz_buffer slices;
};

/* Rows of an array, relative to its offset: all from 0, or those listed. `null_count` more values
 * are null because what holds them is. */
typedef struct row_set {
    const int64_t *rows; /* NULL: 0 .. count */
    int64_t count;
    int64_t null_count;
} row_set;

static int64_t row_at(const row_set *set, int64_t i)
{
    return set->rows ? set->rows[i] : i;
}

static frz_status build(frz_column_tally *self, tally_column *column, const frz_field *field,
                        frz_error **err)
{
    column->field = field;
    column->child_count = field->type->field_count;
    if (column->child_count == 0) {
        self->leaf_count += field->type->kind != FRZ_TYPE_STRUCT;
        return FRZ_OK;
    }
    column->children = frz_arena_array(&self->arena, column->child_count, sizeof *column->children);
    if (!column->children)
        return frz_fail_memory(err);
    for (size_t i = 0; i < column->child_count; i++)
        FRZ_TRY(build(self, &column->children[i], &field->type->fields[i], err));
    return FRZ_OK;
}

frz_status frz_column_tally_new(const frz_type *root, frz_column_tally **out, frz_error **err)
{
    frz_column_tally *self = frz_alloc_zero(sizeof *self);
    if (!self)
        return frz_fail_memory(err);
    self->root_field = (frz_field){.name = "", .required = true, .type = root};
    const frz_status status = build(self, &self->root, &self->root_field, err);
    if (status != FRZ_OK) {
        frz_column_tally_free(self);
        return status;
    }
    *out = self;
    return FRZ_OK;
}

static void clear_column(tally_column *column)
{
    frz_parquet_bounds_clear(&column->bounds);
    for (size_t i = 0; column->children && i < column->child_count; i++)
        clear_column(&column->children[i]);
}

void frz_column_tally_free(frz_column_tally *self)
{
    if (!self)
        return;
    clear_column(&self->root);
    frz_buffer_clear(&self->values);
    frz_buffer_clear(&self->slices);
    frz_arena_clear(&self->arena);
    frz_free(self);
}

/* How the values of a type are ordered, and their bytes in an Arrow column; 0 for those of varying
 * size. */
static frz_parquet_order order_of(const frz_type *type, size_t *width_out)
{
    *width_out = 0;
    switch (type->kind) {
    case FRZ_TYPE_BOOLEAN:
        *width_out = 1;
        return FRZ_PARQUET_ORDER_BOOL;
    case FRZ_TYPE_INT:
    case FRZ_TYPE_DATE:
        *width_out = 4;
        return FRZ_PARQUET_ORDER_INT32;
    case FRZ_TYPE_LONG:
    case FRZ_TYPE_TIME:
    case FRZ_TYPE_TIMESTAMP:
    case FRZ_TYPE_TIMESTAMPTZ:
    case FRZ_TYPE_TIMESTAMP_NS:
    case FRZ_TYPE_TIMESTAMPTZ_NS:
        *width_out = 8;
        return FRZ_PARQUET_ORDER_INT64;
    case FRZ_TYPE_FLOAT:
        *width_out = 4;
        return FRZ_PARQUET_ORDER_FLOAT;
    case FRZ_TYPE_DOUBLE:
        *width_out = 8;
        return FRZ_PARQUET_ORDER_DOUBLE;
    case FRZ_TYPE_DECIMAL:
        *width_out = DECIMAL_SIZE;
        return FRZ_PARQUET_ORDER_BIG_ENDIAN;
    case FRZ_TYPE_UUID:
        *width_out = 16;
        return FRZ_PARQUET_ORDER_BYTES;
    case FRZ_TYPE_FIXED:
        *width_out = (size_t)type->length;
        return FRZ_PARQUET_ORDER_BYTES;
    case FRZ_TYPE_UNKNOWN:
    case FRZ_TYPE_STRING:
    case FRZ_TYPE_BINARY:
    case FRZ_TYPE_VARIANT:
    case FRZ_TYPE_GEOMETRY:
    case FRZ_TYPE_GEOGRAPHY:
    case FRZ_TYPE_STRUCT:
    case FRZ_TYPE_LIST:
    case FRZ_TYPE_MAP:
        break;
    }
    return FRZ_PARQUET_ORDER_BYTES;
}

static void append_value(const tally_column *column, const struct ArrowArray *array, int64_t row,
                         size_t width, frz_buffer *out)
{
    const size_t at = (size_t)(row + array->offset);
    const uint8_t *values = array->buffers[1];
    if (column->field->type->kind == FRZ_TYPE_BOOLEAN) {
        frz_buffer_append_byte(out, frz_bit_get(values, (int64_t)at));
    } else if (column->field->type->kind == FRZ_TYPE_DECIMAL) {
        uint8_t reversed[DECIMAL_SIZE];
        for (size_t i = 0; i < DECIMAL_SIZE; i++)
            reversed[i] = values[(at + 1) * DECIMAL_SIZE - 1 - i];
        frz_buffer_append(out, reversed, sizeof reversed);
    } else {
        frz_buffer_append(out, values + at * width, width);
    }
}

static void append_slice(const struct ArrowArray *array, int64_t row, frz_buffer *out)
{
    const int32_t *offsets = (const int32_t *)array->buffers[1] + row + array->offset;
    const frz_slice value = frz_slice_of((const uint8_t *)array->buffers[2] + offsets[0],
                                         (size_t)(offsets[1] - offsets[0]));
    frz_buffer_append(out, &value, sizeof value);
}

/* The values that are not null, in self->values or self->slices. */
static int64_t gather(frz_column_tally *self, const tally_column *column,
                      const struct ArrowArray *array, const row_set *set, size_t width)
{
    int64_t count = 0;
    frz_buffer_reset(&self->values);
    frz_buffer_reset(&self->slices);
    for (int64_t i = 0; i < set->count; i++) {
        const int64_t row = row_at(set, i);
        if (frz_arrow_is_null(array, row))
            continue;
        count++;
        if (width > 0)
            append_value(column, array, row, width, &self->values);
        else
            append_slice(array, row, &self->slices);
    }
    return count;
}

static bool has_values(const frz_type *type)
{
    return frz_type_is_primitive(type) && type->kind != FRZ_TYPE_UNKNOWN &&
           type->kind != FRZ_TYPE_GEOMETRY && type->kind != FRZ_TYPE_GEOGRAPHY;
}

/* A whole column without nulls whose Arrow values are compared as they stand. */
static bool is_plain(const frz_type *type, const struct ArrowArray *array, const row_set *set)
{
    return !set->rows && array->null_count == 0 && type->kind != FRZ_TYPE_BOOLEAN &&
           type->kind != FRZ_TYPE_DECIMAL;
}

static frz_status add_leaf(frz_column_tally *self, tally_column *column,
                           const struct ArrowArray *array, const row_set *set, frz_error **err)
{
    size_t width = 0;
    int64_t count = 0;
    const frz_type *type = column->field->type;
    const frz_parquet_order order = order_of(type, &width);
    if (has_values(type) && width > 0 && is_plain(type, array, set)) {
        count = set->count;
        frz_parquet_bounds_add_fixed(&column->bounds, order,
                                     (const uint8_t *)array->buffers[1] +
                                         (size_t)array->offset * width,
                                     width, (size_t)count);
    } else if (has_values(type)) {
        count = gather(self, column, array, set, width);
        FRZ_TRY(frz_buffer_check(&self->values, err));
        FRZ_TRY(frz_buffer_check(&self->slices, err));
        if (count > 0 && width > 0)
            frz_parquet_bounds_add_fixed(&column->bounds, order, self->values.data, width,
                                         (size_t)count);
        else if (count > 0)
            frz_parquet_bounds_add_slices(
                &column->bounds, (const frz_slice *)(const void *)self->slices.data, (size_t)count);
    }
    column->value_count += set->count + set->null_count;
    column->null_count += set->count - count + set->null_count;
    FRZ_TRY(frz_buffer_check(&column->bounds.min, err));
    return frz_buffer_check(&column->bounds.max, err);
}

static frz_status add(frz_column_tally *self, tally_column *column, const struct ArrowArray *array,
                      const row_set *set, frz_error **err);

/* Appends the rows that a list or map has for the rows that it is not null in. */
static void list_items(const struct ArrowArray *array, const row_set *set, frz_buffer *out)
{
    const int32_t *offsets = (const int32_t *)array->buffers[1] + array->offset;
    for (int64_t i = 0; i < set->count; i++) {
        const int64_t row = row_at(set, i);
        if (frz_arrow_is_null(array, row))
            continue;
        for (int64_t item = offsets[row]; item < offsets[row + 1]; item++)
            frz_buffer_append(out, &item, sizeof item);
    }
}

/* Appends the rows of a struct's children for the rows that it is not null in. */
static void list_fields(const struct ArrowArray *array, const row_set *set, frz_buffer *out)
{
    for (int64_t i = 0; i < set->count; i++) {
        const int64_t row = row_at(set, i);
        const int64_t item = row + array->offset;
        if (!frz_arrow_is_null(array, row))
            frz_buffer_append(out, &item, sizeof item);
    }
}

static const int64_t no_row; /* what an empty set lists */

static frz_status add_nested(frz_column_tally *self, tally_column *column,
                             const struct ArrowArray *array, const row_set *set, frz_error **err)
{
    const frz_type_kind kind = column->field->type->kind;
    frz_buffer rows = {0};
    row_set inner = {0};
    frz_status status = FRZ_OK;
    if (kind == FRZ_TYPE_STRUCT)
        list_fields(array, set, &rows);
    else
        list_items(array, set, &rows);
    FRZ_TRY_DONE(frz_buffer_check(&rows, err));
    const struct ArrowArray *holder = kind == FRZ_TYPE_MAP ? array->children[0] : array;
    int64_t *items = (int64_t *)(void *)rows.data; /* NULL when there are none */
    inner.rows = items ? items : &no_row;
    inner.count = (int64_t)(rows.size / sizeof *items);
    if (kind == FRZ_TYPE_STRUCT)
        inner.null_count = set->count - inner.count + set->null_count;
    for (int64_t i = 0; items && kind == FRZ_TYPE_MAP && i < inner.count; i++)
        items[i] += holder->offset;
    for (size_t i = 0; i < column->child_count; i++)
        FRZ_TRY_DONE(add(self, &column->children[i], holder->children[i], &inner, err));

done:
    frz_buffer_clear(&rows);
    return status;
}

static frz_status add(frz_column_tally *self, tally_column *column, const struct ArrowArray *array,
                      const row_set *set, frz_error **err)
{
    const frz_type_kind kind = column->field->type->kind;
    if (kind == FRZ_TYPE_STRUCT || kind == FRZ_TYPE_LIST || kind == FRZ_TYPE_MAP)
        return add_nested(self, column, array, set, err);
    return add_leaf(self, column, array, set, err);
}

frz_status frz_column_tally_add(frz_column_tally *self, const struct ArrowArray *batch,
                                frz_error **err)
{
    const row_set all = {.count = batch->length};
    self->row_count += batch->length;
    if (batch->offset > 0)
        return add_nested(self, &self->root, batch, &all, err);
    for (size_t i = 0; i < self->root.child_count; i++)
        FRZ_TRY(add(self, &self->root.children[i], batch->children[i], &all, err));
    return FRZ_OK;
}

/* Decimals are told as 16 bytes, whatever a Parquet file would store them as. */
static const frz_parquet_node any_node = {.type = FRZ_PARQUET_FIXED_LEN_BYTE_ARRAY};

static frz_status summarize(const tally_column *column, frz_parquet_summary *out, frz_error **err)
{
    for (size_t i = 0; i < column->child_count; i++)
        FRZ_TRY(summarize(&column->children[i], out, err));
    if (!frz_type_is_primitive(column->field->type) ||
        column->field->type->kind == FRZ_TYPE_UNKNOWN) /* Parquet has no such column either */
        return FRZ_OK;
    frz_parquet_leaf_summary *leaf = &out->leaves[out->leaf_count];
    *leaf = (frz_parquet_leaf_summary){.field_id = column->field->id,
                                       .node = &any_node,
                                       .compressed_size = -1,
                                       .value_count = column->value_count,
                                       .null_count = column->null_count,
                                       .nan_count = column->bounds.nan_count,
                                       .has_bounds = column->bounds.any};
    if (!frz_arena_slice(&out->arena, frz_buffer_slice(&column->bounds.min), &leaf->min) ||
        !frz_arena_slice(&out->arena, frz_buffer_slice(&column->bounds.max), &leaf->max))
        return frz_fail_memory(err);
    out->leaf_count++;
    return FRZ_OK;
}

frz_status frz_column_tally_summary(const frz_column_tally *self, frz_parquet_summary *out,
                                    frz_error **err)
{
    frz_parquet_summary made = {.row_count = self->row_count};
    made.leaves = frz_arena_array(&made.arena, self->leaf_count + 1, sizeof *made.leaves);
    frz_status status = made.leaves ? FRZ_OK : frz_fail_memory(err);
    if (status == FRZ_OK)
        status = summarize(&self->root, &made, err);
    if (status != FRZ_OK) {
        frz_parquet_summary_clear(&made);
        return status;
    }
    *out = made;
    return FRZ_OK;
}
