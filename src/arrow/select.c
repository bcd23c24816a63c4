/*
 * Picks rows of arrays: by mask and by index. Both become runs of neighbouring rows, and every type
 * copies runs, so that a mask with few holes costs little more than memcpy.
 */
#include "arrow/array.h"

#include <assert.h>
#include <string.h>

#include "arrow/owner.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"

/* Rows [start, start + count) relative to the array's offset. */
typedef struct row_run {
    int64_t start;
    int64_t count;
} row_run;

typedef struct row_runs {
    row_run *items;
    size_t count;
    size_t capacity;
    int64_t rows; /* sum of the counts */
} row_runs;

static frz_status select_runs(const struct ArrowSchema *schema, const struct ArrowArray *array,
                              const row_runs *runs, struct ArrowArray *out, frz_error **err);

static bool add_run(row_runs *runs, int64_t start, int64_t count)
{
    if (count == 0)
        return true;
    runs->rows += count;
    if (runs->count) {
        row_run *last = &runs->items[runs->count - 1];
        if (last->start + last->count == start) {
            last->count += count;
            return true;
        }
    }
    if (!frz_grow_array((void **)&runs->items, &runs->capacity, runs->count, sizeof *runs->items))
        return false;
    runs->items[runs->count++] = (row_run){start, count};
    return true;
}

/* Runs of set bits; bits behind `length` do not count. */
static bool runs_of_mask(const uint64_t *mask, int64_t length, row_runs *out)
{
    int64_t at = 0;
    while (at < length) {
        const uint64_t rest = mask[at >> 6] >> (at & 63);
        if (rest == 0) {
            at = (at | 63) + 1;
            continue;
        }
        at += __builtin_ctzll(rest);
        const uint64_t zeros = ~(mask[at >> 6] >> (at & 63));
        const int in_word = 64 - (int)(at & 63);
        int set = zeros ? __builtin_ctzll(zeros) : 64;
        if (set > in_word)
            set = in_word;
        int64_t count = set;
        if (at + count > length)
            count = length - at;
        if (count > 0 && !add_run(out, at, count))
            return false;
        at += set;
    }
    return true;
}

/* Copies `count` bits; both positions are in bits. */
static void copy_bits(const uint8_t *from, int64_t from_at, uint8_t *to, int64_t to_at,
                      int64_t count)
{
    while (count > 0 && (to_at & 7)) {
        if (frz_bit_get(from, from_at))
            frz_bit_set(to, to_at);
        from_at++;
        to_at++;
        count--;
    }
    const int shift = (int)(from_at & 7);
    for (; count >= 8; count -= 8, from_at += 8, to_at += 8) {
        const uint8_t *byte = from + (from_at >> 3);
        to[to_at >> 3] = (uint8_t)(shift ? byte[0] >> shift | byte[1] << (8 - shift) : byte[0]);
    }
    for (; count > 0; count--, from_at++, to_at++)
        if (frz_bit_get(from, from_at))
            frz_bit_set(to, to_at);
}

static void select_bits(const uint8_t *bits, int64_t offset, const row_runs *runs, frz_buffer *out)
{
    const size_t size = (size_t)(runs->rows + 7) / 8;
    uint8_t *to = frz_buffer_extend(out, size);
    if (!to)
        return;
    memset(to, 0, size);
    int64_t at = 0;
    for (size_t i = 0; i < runs->count; i++) {
        copy_bits(bits, offset + runs->items[i].start, to, at, runs->items[i].count);
        at += runs->items[i].count;
    }
}

/* `width` is a constant where this is called, so that single values copy as one number. */
static inline __attribute__((always_inline)) void copy_runs(const uint8_t *from, size_t width,
                                                            const row_runs *runs, uint8_t *to)
{
    for (size_t i = 0; i < runs->count; i++) {
        const row_run run = runs->items[i];
        const uint8_t *at = from + (size_t)run.start * width;
        if (run.count == 1)
            memcpy(to, at, width);
        else
            memcpy(to, at, (size_t)run.count * width);
        to += (size_t)run.count * width;
    }
}

static void select_fixed(const uint8_t *data, int64_t offset, size_t width, const row_runs *runs,
                         frz_buffer *out)
{
    uint8_t *to = frz_buffer_extend(out, (size_t)runs->rows * width);
    if (!to || runs->rows == 0)
        return;
    const uint8_t *from = data + (size_t)offset * width;
    if (width == 4)
        copy_runs(from, 4, runs, to);
    else if (width == 8)
        copy_runs(from, 8, runs, to);
    else
        copy_runs(from, width, runs, to);
}

/* The validity of the picked rows into buffer 0; *null_count_out tells whether it was needed. */
static void select_validity(const struct ArrowArray *array, const row_runs *runs, frz_buffer *out,
                            int64_t *null_count_out)
{
    const uint8_t *valid = array->null_count == 0 ? NULL : array->buffers[0];
    *null_count_out = 0;
    if (!valid)
        return;
    select_bits(valid, array->offset, runs, out);
    if (!out->failed)
        *null_count_out = runs->rows - frz_bit_count(out->data, 0, runs->rows);
    if (*null_count_out == 0 && !out->failed)
        frz_buffer_clear(out);
}

/* Entry `row` of a 32- or 64-bit offsets buffer; an empty array may come without one. */
static int64_t offset_at(const struct ArrowArray *array, bool large, int64_t row)
{
    if (large)
        return ((const int64_t *)array->buffers[1])[array->offset + row];
    return ((const int32_t *)array->buffers[1])[array->offset + row];
}

/*
 * Offsets of the picked rows, starting at 0, and the runs of bytes or child rows that they cover.
 * Repeated rows may overflow 32 bits, which is refused.
 */
static frz_status select_offsets(const struct ArrowArray *array, bool large, const row_runs *runs,
                                 frz_buffer *offsets, row_runs *children, frz_error **err)
{
    const size_t width = large ? 8 : 4;
    uint8_t *to = frz_buffer_extend(offsets, ((size_t)runs->rows + 1) * width);
    if (!to)
        return frz_fail_memory(err);
    int64_t end = 0;
    memset(to, 0, width);
    to += width;
    for (size_t i = 0; i < runs->count; i++) {
        const row_run run = runs->items[i];
        const int64_t first = offset_at(array, large, run.start);
        const int64_t last = offset_at(array, large, run.start + run.count);
        const int64_t shift = end - first;
        end += last - first;
        if (!large && end > INT32_MAX)
            return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                            "picked rows hold more than 2^31 bytes or items in one column");
        for (int64_t row = run.start + 1; row <= run.start + run.count; row++, to += width) {
            const int64_t wide = offset_at(array, large, row) + shift;
            const int32_t narrow = (int32_t)wide;
            memcpy(to, large ? (const void *)&wide : (const void *)&narrow, width);
        }
        if (!add_run(children, first, last - first))
            return frz_fail_memory(err);
    }
    return FRZ_OK;
}

/* Values of `width` bytes, or single bits when that is 0. */
static frz_status select_leaf(size_t width, const struct ArrowArray *array, const row_runs *runs,
                              struct ArrowArray *out, frz_error **err)
{
    frz_buffer buffers[2] = {0};
    int64_t null_count = 0;
    select_validity(array, runs, &buffers[0], &null_count);
    if (width == 0)
        select_bits(array->buffers[1], array->offset, runs, &buffers[1]);
    else
        select_fixed(array->buffers[1], array->offset, width, runs, &buffers[1]);
    return frz_arrow_array_init(out, runs->rows, null_count, buffers, 2, 0, err);
}

static frz_status select_bytes(bool large, const struct ArrowArray *array, const row_runs *runs,
                               struct ArrowArray *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_buffer buffers[3] = {0};
    row_runs bytes = {0};
    int64_t null_count = 0;
    select_validity(array, runs, &buffers[0], &null_count);
    FRZ_TRY_DONE(select_offsets(array, large, runs, &buffers[1], &bytes, err));
    select_fixed(array->buffers[2], 0, 1, &bytes, &buffers[2]);
    status = frz_arrow_array_init(out, runs->rows, null_count, buffers, 3, 0, err);
done:
    for (size_t i = 0; i < 3; i++)
        frz_buffer_clear(&buffers[i]);
    frz_free(bytes.items);
    return status;
}

static frz_status select_list(const struct ArrowSchema *schema, bool large,
                              const struct ArrowArray *array, const row_runs *runs,
                              struct ArrowArray *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_buffer buffers[2] = {0};
    struct ArrowArray list = {0};
    row_runs items = {0};
    int64_t null_count = 0;
    select_validity(array, runs, &buffers[0], &null_count);
    FRZ_TRY_DONE(select_offsets(array, large, runs, &buffers[1], &items, err));
    FRZ_TRY_DONE(frz_arrow_array_init(&list, runs->rows, null_count, buffers, 2, 1, err));
    FRZ_TRY_DONE(
        select_runs(schema->children[0], array->children[0], &items, list.children[0], err));
    *out = list;
    list = (struct ArrowArray){0};
done:
    frz_buffer_clear(&buffers[0]);
    frz_buffer_clear(&buffers[1]);
    frz_arrow_array_clear(&list);
    frz_free(items.items);
    return status;
}

/* Structs (width 1) and fixed-size lists: `width` child rows per row, the parent's offset in force.
 */
static frz_status select_parallel(const struct ArrowSchema *schema, int64_t width,
                                  const struct ArrowArray *array, const row_runs *runs,
                                  struct ArrowArray *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_buffer validity = {0};
    struct ArrowArray parent = {0};
    row_runs shifted = {0};
    int64_t null_count = 0;
    select_validity(array, runs, &validity, &null_count);
    FRZ_TRY_DONE(frz_arrow_array_init(&parent, runs->rows, null_count, &validity, 1,
                                      array->n_children, err));
    for (size_t i = 0; i < runs->count; i++) {
        if (!add_run(&shifted, (runs->items[i].start + array->offset) * width,
                     runs->items[i].count * width)) {
            status = frz_fail_memory(err);
            goto done;
        }
    }
    for (int64_t i = 0; i < array->n_children; i++)
        FRZ_TRY_DONE(select_runs(schema->children[i], array->children[i], &shifted,
                                 parent.children[i], err));
    *out = parent;
    parent = (struct ArrowArray){0};
done:
    frz_buffer_clear(&validity);
    frz_arrow_array_clear(&parent);
    frz_free(shifted.items);
    return status;
}

static frz_status select_null(const row_runs *runs, struct ArrowArray *out, frz_error **err)
{
    return frz_arrow_array_init(out, runs->rows, runs->rows, NULL, 0, 0, err);
}

static frz_status select_runs(const struct ArrowSchema *schema, const struct ArrowArray *array,
                              const row_runs *runs, struct ArrowArray *out, frz_error **err)
{
    frz_arrow_type type;
    FRZ_TRY(frz_arrow_type_parse(schema->format, &type, err));
    if (schema->dictionary)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "picking rows of a dictionary column that was not decoded");
    if (runs->rows == 0)
        return frz_arrow_array_nulls(schema, 0, out, err);
    if (type.kind == FRZ_ARROW_NULL)
        return select_null(runs, out, err);
    if (type.kind == FRZ_ARROW_STRUCT)
        return select_parallel(schema, 1, array, runs, out, err);
    if (type.kind == FRZ_ARROW_FIXED_LIST)
        return select_parallel(schema, type.width, array, runs, out, err);
    if (type.kind == FRZ_ARROW_LIST || type.kind == FRZ_ARROW_MAP)
        return select_list(schema, false, array, runs, out, err);
    if (type.kind == FRZ_ARROW_LARGE_LIST)
        return select_list(schema, true, array, runs, out, err);
    if (type.kind == FRZ_ARROW_STRING || type.kind == FRZ_ARROW_BINARY)
        return select_bytes(false, array, runs, out, err);
    if (type.kind == FRZ_ARROW_LARGE_STRING || type.kind == FRZ_ARROW_LARGE_BINARY)
        return select_bytes(true, array, runs, out, err);
    if (type.kind == FRZ_ARROW_BOOL)
        return select_leaf(0, array, runs, out, err);
    const size_t width = frz_arrow_type_width(&type);
    if (width == 0)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "picking rows of Arrow type %s",
                        frz_arrow_kind_name(type.kind));
    return select_leaf(width, array, runs, out, err);
}

frz_status frz_arrow_array_filter(const struct ArrowSchema *schema, const struct ArrowArray *array,
                                  const uint64_t *mask, int64_t count, struct ArrowArray *out,
                                  frz_error **err)
{
    row_runs runs = {0};
    struct ArrowArray picked = {0};
    frz_status status = runs_of_mask(mask, array->length, &runs) ? FRZ_OK : frz_fail_memory(err);
    assert(status != FRZ_OK || runs.rows == count);
    (void)count;
    if (status == FRZ_OK)
        status = select_runs(schema, array, &runs, &picked, err);
    if (status == FRZ_OK)
        *out = picked;
    frz_free(runs.items);
    return status;
}

frz_status frz_arrow_array_take(const struct ArrowSchema *schema, const struct ArrowArray *array,
                                const int64_t *rows, int64_t count, struct ArrowArray *out,
                                frz_error **err)
{
    row_runs runs = {0};
    struct ArrowArray picked = {0};
    frz_status status = FRZ_OK;
    for (int64_t i = 0; i < count && status == FRZ_OK; i++) {
        assert(rows[i] >= 0 && rows[i] < array->length);
        if (!add_run(&runs, rows[i], 1))
            status = frz_fail_memory(err);
    }
    if (status == FRZ_OK)
        status = select_runs(schema, array, &runs, &picked, err);
    if (status == FRZ_OK)
        *out = picked;
    frz_free(runs.items);
    return status;
}
