#include "write/sort_buffer.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/array.h"
#include "arrow/concat.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"
#include "write/row_value.h"

enum { SIZE_MAX_BYTES = 64 << 20 };

typedef struct sort_key {
    const frz_sort_field *field;
    frz_column_path source;
} sort_key;

struct frz_sort_buffer {
    const struct ArrowSchema *arrow;
    frz_arena arena;
    sort_key *keys;
    size_t key_count;
    struct ArrowArray *batches; /* owned */
    size_t count;
    size_t capacity;
    int64_t rows;
    size_t size; /* bytes, roughly */
};

frz_status frz_sort_buffer_new(const frz_sort_order *order, const frz_type *root,
                               const struct ArrowSchema *arrow, frz_sort_buffer **out,
                               frz_error **err)
{
    frz_sort_buffer *self = frz_alloc_zero(sizeof *self);
    if (!self)
        return frz_fail_memory(err);
    self->arrow = arrow;
    self->keys = frz_arena_array(&self->arena, order->field_count + 1, sizeof *self->keys);
    if (!self->keys) {
        frz_sort_buffer_free(self);
        return frz_fail_memory(err);
    }
    for (size_t i = 0; i < order->field_count; i++) {
        const frz_sort_field *field = &order->fields[i];
        sort_key *key = &self->keys[self->key_count];
        if (field->transform.kind == FRZ_TRANSFORM_UNKNOWN || field->source_count != 1) {
            frz_sort_buffer_free(self);
            return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                            "sort transform %s is read but not written", field->transform.text);
        }
        key->field = field;
        if (frz_column_path_find(root, field->source_ids[0], &key->source))
            self->key_count++; /* a column that was dropped orders nothing */
    }
    *out = self;
    return FRZ_OK;
}

static void forget_batches(frz_sort_buffer *self)
{
    for (size_t i = 0; i < self->count; i++)
        frz_arrow_array_clear(&self->batches[i]);
    self->count = 0;
    self->rows = 0;
    self->size = 0;
}

void frz_sort_buffer_free(frz_sort_buffer *self)
{
    if (!self)
        return;
    forget_batches(self);
    frz_free(self->batches);
    frz_arena_clear(&self->arena);
    frz_free(self);
}

/* Bytes of an array: its texts exactly, 8 for any other value. */
static size_t estimate_size(const struct ArrowArray *array)
{
    size_t size = (size_t)array->length * sizeof(int64_t);
    if (array->n_buffers == 3 && array->length > 0) {
        const int32_t *offsets = (const int32_t *)array->buffers[1] + array->offset;
        size += (size_t)(offsets[array->length] - offsets[0]);
    }
    for (int64_t i = 0; i < array->n_children; i++)
        size += estimate_size(array->children[i]);
    return size;
}

frz_status frz_sort_buffer_add(frz_sort_buffer *self, struct ArrowArray *batch, frz_error **err)
{
    if (!frz_grow_array((void **)&self->batches, &self->capacity, self->count,
                        sizeof *self->batches))
        return frz_fail_memory(err);
    FRZ_TRY(frz_arrow_array_slice(batch, 0, batch->length, &self->batches[self->count], err));
    self->count++;
    self->rows += batch->length;
    self->size += estimate_size(batch);
    return FRZ_OK;
}

bool frz_sort_buffer_is_full(const frz_sort_buffer *self)
{
    return self->rows >= FRZ_SORT_ROWS_MAX || self->size >= SIZE_MAX_BYTES;
}

/* A row to be sorted, with its keys. */
typedef struct sort_row {
    const frz_sort_buffer *buffer;
    const frz_value *values;
    int64_t row;
} sort_row;

static int compare_key(const frz_sort_field *field, const frz_value *a, const frz_value *b)
{
    const bool a_null = a->form == FRZ_VALUE_NULL;
    const bool b_null = b->form == FRZ_VALUE_NULL;
    if (a_null || b_null) {
        const int order = (int)b_null - (int)a_null; /* nulls first */
        return field->nulls_last ? -order : order;
    }
    const int order = frz_value_compare(a, b);
    return field->descending ? -order : order;
}

static int compare_rows(const void *x, const void *y)
{
    const sort_row *a = x;
    const sort_row *b = y;
    for (size_t i = 0; i < a->buffer->key_count; i++) {
        const int order = compare_key(a->buffer->keys[i].field, &a->values[i], &b->values[i]);
        if (order != 0)
            return order;
    }
    return a->row < b->row ? -1 : a->row > b->row;
}

static frz_status fill_keys(const frz_sort_buffer *self, const struct ArrowArray *rows,
                            frz_arena *arena, frz_value *values, frz_error **err)
{
    for (int64_t row = 0; row < rows->length; row++) {
        for (size_t i = 0; i < self->key_count; i++) {
            const sort_key *key = &self->keys[i];
            frz_value value;
            frz_column_path_value(&key->source, rows, row, &value);
            FRZ_TRY(frz_transform_apply(&key->field->transform, key->source.type, &value, arena,
                                        values++, err));
        }
    }
    return FRZ_OK;
}

static frz_status order_rows(const frz_sort_buffer *self, const struct ArrowArray *rows,
                             int64_t *order, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_arena arena = {0};
    const size_t count = (size_t)rows->length;
    sort_row *sorted = frz_alloc_array(count + 1, sizeof *sorted);
    frz_value *values = frz_alloc_array(count + 1, self->key_count * sizeof *values + 1);
    if (!sorted || !values) {
        status = frz_fail_memory(err);
        goto done;
    }
    FRZ_TRY_DONE(fill_keys(self, rows, &arena, values, err));
    for (size_t i = 0; i < count; i++)
        sorted[i] = (sort_row){self, values + i * self->key_count, (int64_t)i};
    qsort(sorted, count, sizeof *sorted, compare_rows);
    for (size_t i = 0; i < count; i++)
        order[i] = sorted[i].row;

done:
    frz_free(sorted);
    frz_free(values);
    frz_arena_clear(&arena);
    return status;
}

frz_status frz_sort_buffer_take(frz_sort_buffer *self, struct ArrowArray *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    struct ArrowArray rows = {0};
    int64_t *order = NULL;
    if (self->rows == 0)
        return FRZ_END;
    FRZ_TRY_DONE(frz_arrow_array_concat(self->arrow, self->batches, self->count, &rows, err));
    forget_batches(self);
    order = frz_alloc_array((size_t)rows.length + 1, sizeof *order);
    if (!order) {
        status = frz_fail_memory(err);
        goto done;
    }
    FRZ_TRY_DONE(order_rows(self, &rows, order, err));
    FRZ_TRY_DONE(frz_arrow_array_take(self->arrow, &rows, order, rows.length, out, err));

done:
    frz_free(order);
    frz_arrow_array_clear(&rows);
    return status;
}
