#include "arrow/normalize.h"

#include <string.h>

#include "arrow/array.h"
#include "arrow/convert.h"
#include "arrow/owner.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"

enum { VIEW_SIZE = 16, VIEW_INLINE_MAX = 12 };

/* What one step works on: rows [start, start + length) in the positions of the array's own buffers.
 */
typedef struct array_rows {
    const struct ArrowSchema *schema;
    const struct ArrowSchema *plain; /* what comes out */
    const struct ArrowArray *array;
    int64_t start;
    int64_t length;
    frz_arrow_owner *owner; /* of all buffers; NULL: the caller keeps them */
} array_rows;

static frz_status normalize(const array_rows *piece, struct ArrowArray *out, frz_error **err);

static frz_status fail_large(const array_rows *piece, frz_error **err)
{
    return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                    "column \"%s\": more than 2^31 bytes or items in one batch",
                    piece->schema->name ? piece->schema->name : "");
}

/* The child with rows [start, start + length) counted from the child's first row. */
static array_rows child_piece(const array_rows *parent, int64_t index, int64_t start,
                              int64_t length)
{
    const struct ArrowArray *child = parent->array->children[index];
    return (array_rows){.schema = parent->schema->children[index],
                        .plain = parent->plain->children[index],
                        .array = child,
                        .start = child->offset + start,
                        .length = length,
                        .owner = parent->owner};
}

static bool reads_as_aligned(const void *bytes, size_t width)
{
    const size_t wanted = width > 16 || (width & (width - 1)) ? 1 : width;
    return (uintptr_t)bytes % wanted == 0;
}

static void copy_bits(const uint8_t *bits, int64_t start, int64_t length, frz_buffer *out)
{
    const size_t size = (size_t)(length + 7) / 8;
    const int shift = (int)(start & 7);
    const uint8_t *from = bits + (start >> 3);
    const size_t from_size = (size_t)(shift + length + 7) / 8;
    uint8_t *to = frz_buffer_extend(out, size);
    for (size_t i = 0; to && i < size; i++) {
        const unsigned next = i + 1 < from_size ? from[i + 1] : 0u;
        to[i] = (uint8_t)((from[i] | next << 8) >> shift);
    }
}

/* A bitmap of the piece's rows as buffer `index`: shared when it starts at a byte. */
static frz_status put_bits(const array_rows *piece, int64_t index, struct ArrowArray *out,
                           frz_error **err)
{
    const uint8_t *bits = piece->array->buffers[index];
    frz_buffer copy = {0};
    if ((piece->start & 7) == 0) {
        frz_arrow_array_borrow(out, index, bits + (piece->start >> 3), piece->owner);
        return FRZ_OK;
    }
    copy_bits(bits, piece->start, piece->length, &copy);
    return frz_arrow_array_give(out, index, &copy, err);
}

/* Length, nulls and validity of an array whose other buffers are set. */
static frz_status put_validity(const array_rows *piece, struct ArrowArray *out, frz_error **err)
{
    const uint8_t *valid = piece->array->null_count == 0 ? NULL : piece->array->buffers[0];
    out->length = piece->length;
    out->null_count = valid ? piece->length - frz_bit_count(valid, piece->start, piece->length) : 0;
    return out->null_count ? put_bits(piece, 0, out, err) : FRZ_OK;
}

static frz_status put_fixed(const array_rows *piece, size_t width, struct ArrowArray *out,
                            frz_error **err)
{
    if (piece->length == 0 || width == 0)
        return FRZ_OK; /* also fixed_size_binary of no bytes, which has rows and no values */
    const uint8_t *values =
        (const uint8_t *)piece->array->buffers[1] + (size_t)piece->start * width;
    if (reads_as_aligned(values, width)) {
        frz_arrow_array_borrow(out, 1, values, piece->owner);
        return FRZ_OK;
    }
    frz_buffer copy = {0};
    frz_buffer_append(&copy, values, (size_t)piece->length * width);
    return frz_arrow_array_give(out, 1, &copy, err);
}

static int64_t offset_at(const array_rows *piece, bool large, int64_t row)
{
    const size_t width = large ? 8 : 4;
    const uint8_t *at = piece->array->buffers[1];
    int64_t wide = 0;
    int32_t narrow = 0;
    if (!at)
        return 0; /* an array without rows may come without offsets */
    at += (size_t)(piece->start + row) * width;
    if (!large) {
        memcpy(&narrow, at, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, at, sizeof wide);
    return wide;
}

/* Offsets of 32 bits that begin with 0, and the range that they cover. Shared when they do already.
 */
static frz_status put_offsets(const array_rows *piece, bool large, struct ArrowArray *out,
                              int64_t *first_out, int64_t *size_out, frz_error **err)
{
    const int64_t first = offset_at(piece, large, 0);
    const int64_t size = offset_at(piece, large, piece->length) - first;
    const int32_t *same = piece->array->buffers[1];
    frz_buffer offsets = {0};
    *first_out = first;
    *size_out = size;
    if (size > INT32_MAX)
        return fail_large(piece, err);
    if (!large && same && first == 0 && reads_as_aligned(same + piece->start, sizeof *same)) {
        frz_arrow_array_borrow(out, 1, same + piece->start, piece->owner);
        return FRZ_OK;
    }
    int32_t *to =
        (int32_t *)(void *)frz_buffer_extend(&offsets, ((size_t)piece->length + 1) * sizeof *to);
    for (int64_t i = 0; to && i <= piece->length; i++)
        to[i] = (int32_t)(offset_at(piece, large, i) - first);
    return frz_arrow_array_give(out, 1, &offsets, err);
}

static frz_status put_bytes(const array_rows *piece, bool large, struct ArrowArray *out,
                            frz_error **err)
{
    int64_t first = 0;
    int64_t size = 0;
    FRZ_TRY(put_offsets(piece, large, out, &first, &size, err));
    if (size > 0)
        frz_arrow_array_borrow(out, 2, (const uint8_t *)piece->array->buffers[2] + first,
                               piece->owner);
    return FRZ_OK;
}

/* The bytes of a view (Columnar.rst, "Variable-size Binary View Layout"). */
static frz_slice view_bytes(const struct ArrowArray *array, int64_t place)
{
    const uint8_t *view = (const uint8_t *)array->buffers[1] + place * VIEW_SIZE;
    int32_t parts[4]; /* length, prefix, buffer index, offset */
    memcpy(parts, view, sizeof parts);
    if (parts[0] <= VIEW_INLINE_MAX)
        return frz_slice_of(view + sizeof(int32_t), (size_t)parts[0]);
    const uint8_t *data = array->buffers[2 + parts[2]];
    return frz_slice_of(data + parts[3], (size_t)parts[0]);
}

static bool is_null_at(const array_rows *piece, int64_t row)
{
    return frz_arrow_is_null(piece->array, piece->start + row - piece->array->offset);
}

static frz_status put_views(const array_rows *piece, struct ArrowArray *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_buffer offsets = {0};
    frz_buffer data = {0};
    frz_buffer_append_u32le(&offsets, 0);
    for (int64_t i = 0; i < piece->length; i++) {
        if (!is_null_at(piece, i)) {
            const frz_slice bytes = view_bytes(piece->array, piece->start + i);
            frz_buffer_append(&data, bytes.data, bytes.size);
        }
        if (data.size > INT32_MAX) {
            status = fail_large(piece, err);
            goto done;
        }
        frz_buffer_append_u32le(&offsets, (uint32_t)data.size);
    }
    FRZ_TRY_DONE(frz_arrow_array_give(out, 1, &offsets, err));
    status = frz_arrow_array_give(out, 2, &data, err);
done:
    frz_buffer_clear(&offsets);
    frz_buffer_clear(&data);
    return status;
}

static frz_status put_list(const array_rows *piece, bool large, struct ArrowArray *out,
                           frz_error **err)
{
    int64_t first = 0;
    int64_t size = 0;
    FRZ_TRY(put_offsets(piece, large, out, &first, &size, err));
    const array_rows items = child_piece(piece, 0, first, size);
    return normalize(&items, out->children[0], err);
}

static frz_status put_fixed_list(const array_rows *piece, int32_t width, struct ArrowArray *out,
                                 frz_error **err)
{
    frz_buffer offsets = {0};
    if (width > 0 && piece->length > INT32_MAX / width)
        return fail_large(piece, err);
    int32_t *to =
        (int32_t *)(void *)frz_buffer_extend(&offsets, ((size_t)piece->length + 1) * sizeof *to);
    for (int64_t i = 0; to && i <= piece->length; i++)
        to[i] = (int32_t)(i * width);
    FRZ_TRY(frz_arrow_array_give(out, 1, &offsets, err));
    const array_rows items = child_piece(piece, 0, piece->start * width, piece->length * width);
    return normalize(&items, out->children[0], err);
}

static int64_t integer_at(const void *values, size_t width, bool is_signed, int64_t place)
{
    int64_t value = 0;
    memcpy(&value, (const uint8_t *)values + (size_t)place * width, width);
    const int unused = 64 - 8 * (int)width;
    return is_signed ? (int64_t)((uint64_t)value << unused) >> unused : value;
}

/* Row numbers for frz_arrow_array_take. */
static bool append_row(frz_buffer *rows, int64_t row)
{
    frz_buffer_append(rows, &row, sizeof row);
    return !rows->failed;
}

/* Picks `rows` of the whole child `index`, made plain. */
static frz_status take_child(const array_rows *piece, int64_t index, const frz_buffer *rows,
                             const struct ArrowSchema *plain, struct ArrowArray *out,
                             frz_error **err)
{
    struct ArrowArray whole = {0};
    array_rows items = {.schema = piece->schema->children[index],
                        .plain = plain,
                        .array = piece->array->children[index],
                        .owner = piece->owner};
    items.start = items.array->offset;
    items.length = items.array->length;
    FRZ_TRY(normalize(&items, &whole, err));
    const frz_status status =
        frz_arrow_array_take(plain, &whole, (const int64_t *)(const void *)rows->data,
                             (int64_t)(rows->size / sizeof(int64_t)), out, err);
    frz_arrow_array_clear(&whole);
    return status;
}

static frz_status put_list_view(const array_rows *piece, bool large, struct ArrowArray *out,
                                frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_buffer offsets = {0};
    frz_buffer rows = {0};
    const size_t width = large ? 8 : 4;
    int64_t end = 0;
    frz_buffer_append_u32le(&offsets, 0);
    for (int64_t i = 0; i < piece->length; i++) {
        const int64_t place = piece->start + i;
        const bool null = is_null_at(piece, i);
        const int64_t first = null ? 0 : integer_at(piece->array->buffers[1], width, true, place);
        const int64_t size = null ? 0 : integer_at(piece->array->buffers[2], width, true, place);
        if (size > INT32_MAX - end) {
            status = fail_large(piece, err);
            goto done;
        }
        for (int64_t item = 0; item < size; item++) {
            if (!append_row(&rows, first + item)) {
                status = frz_fail_memory(err);
                goto done;
            }
        }
        end += size;
        frz_buffer_append_u32le(&offsets, (uint32_t)end);
    }
    FRZ_TRY_DONE(frz_arrow_array_give(out, 1, &offsets, err));
    status = take_child(piece, 0, &rows, piece->plain->children[0], out->children[0], err);
done:
    frz_buffer_clear(&offsets);
    frz_buffer_clear(&rows);
    return status;
}

/* Adds nulls at the rows whose bit is clear in `valid`, whose buffer is taken. */
static frz_status overlay_nulls(struct ArrowArray *array, frz_buffer *valid, frz_error **err)
{
    const uint8_t *inner = array->null_count ? array->buffers[0] : NULL;
    if (array->n_buffers == 0 || valid->failed) { /* the null type has nothing to add to */
        const frz_status status = frz_buffer_check(valid, err);
        frz_buffer_clear(valid);
        return status;
    }
    for (size_t i = 0; inner && i < valid->size; i++)
        valid->data[i] &= inner[i];
    array->null_count = array->length - frz_bit_count(valid->data, 0, array->length);
    return frz_arrow_array_replace(array, 0, valid, err);
}

/* Indexes of the piece's rows; nulls become entry 0. */
static frz_status dictionary_rows(const array_rows *piece, frz_buffer *rows, frz_error **err)
{
    frz_arrow_type type;
    FRZ_TRY(frz_arrow_type_parse(piece->schema->format, &type, err));
    const size_t width = frz_arrow_type_width(&type);
    const bool is_signed = type.kind == FRZ_ARROW_INT8 || type.kind == FRZ_ARROW_INT16 ||
                           type.kind == FRZ_ARROW_INT32 || type.kind == FRZ_ARROW_INT64;
    const bool is_unsigned = type.kind == FRZ_ARROW_UINT8 || type.kind == FRZ_ARROW_UINT16 ||
                             type.kind == FRZ_ARROW_UINT32 || type.kind == FRZ_ARROW_UINT64;
    if (!is_signed && !is_unsigned)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "dictionary indexes of Arrow type %s",
                        frz_arrow_kind_name(type.kind));
    for (int64_t i = 0; i < piece->length; i++) {
        int64_t row = 0;
        if (!is_null_at(piece, i)) {
            row = integer_at(piece->array->buffers[1], width, is_signed, piece->start + i);
            if (row < 0 || row >= piece->array->dictionary->length)
                return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                                "dictionary index %lld, with %lld values", (long long)row,
                                (long long)piece->array->dictionary->length);
        }
        if (!append_row(rows, row))
            return frz_fail_memory(err);
    }
    return FRZ_OK;
}

static frz_status decode_dictionary(const array_rows *piece, struct ArrowArray *out,
                                    frz_error **err)
{
    frz_status status = FRZ_OK;
    struct ArrowArray values = {0};
    struct ArrowArray picked = {0};
    frz_buffer rows = {0};
    frz_buffer valid = {0};
    const struct ArrowArray *dictionary = piece->array->dictionary;
    const array_rows all = {.schema = piece->schema->dictionary,
                            .plain = piece->plain,
                            .array = dictionary,
                            .start = dictionary->offset,
                            .length = dictionary->length,
                            .owner = piece->owner};
    FRZ_TRY_DONE(dictionary_rows(piece, &rows, err));
    if (dictionary->length == 0) { /* then every row is null */
        status = frz_arrow_array_nulls(piece->plain, piece->length, out, err);
        goto done;
    }
    FRZ_TRY_DONE(normalize(&all, &values, err));
    FRZ_TRY_DONE(frz_arrow_array_take(piece->plain, &values,
                                      (const int64_t *)(const void *)rows.data, piece->length,
                                      &picked, err));
    if (piece->array->null_count != 0 && piece->array->buffers[0]) {
        copy_bits(piece->array->buffers[0], piece->start, piece->length, &valid);
        FRZ_TRY_DONE(overlay_nulls(&picked, &valid, err));
    }
    *out = picked;
    picked = (struct ArrowArray){0};
done:
    frz_arrow_array_clear(&values);
    frz_arrow_array_clear(&picked);
    frz_buffer_clear(&rows);
    return status;
}

/* The first run that ends behind `row`; ends ascend. */
static int64_t find_run(const struct ArrowArray *ends, size_t width, int64_t row)
{
    int64_t low = 0;
    int64_t high = ends->length;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (integer_at(ends->buffers[1], width, true, ends->offset + middle) > row)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Each run's value as often as its rows lie in the piece (Columnar.rst, "Run-End Encoded Layout").
 */
static frz_status expand_runs(const array_rows *piece, struct ArrowArray *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_buffer rows = {0};
    frz_arrow_type type;
    const struct ArrowArray *ends = piece->array->children[0];
    FRZ_TRY(frz_arrow_type_parse(piece->schema->children[0]->format, &type, err));
    const size_t width = frz_arrow_type_width(&type);
    int64_t row = piece->start;
    int64_t run = find_run(ends, width, row);
    for (; run < ends->length && row < piece->start + piece->length; run++) {
        const int64_t end = integer_at(ends->buffers[1], width, true, ends->offset + run);
        for (; row < end && row < piece->start + piece->length; row++) {
            if (!append_row(&rows, run)) {
                status = frz_fail_memory(err);
                goto done;
            }
        }
    }
    status = take_child(piece, 1, &rows, piece->plain, out, err);
done:
    frz_buffer_clear(&rows);
    return status;
}

static frz_status put_struct(const array_rows *piece, struct ArrowArray *out, frz_error **err)
{
    for (int64_t i = 0; i < piece->array->n_children; i++) {
        const array_rows child = child_piece(piece, i, piece->start, piece->length);
        FRZ_TRY(frz_context(err, normalize(&child, out->children[i], err), "column \"%s\"",
                            child.schema->name ? child.schema->name : ""));
    }
    return FRZ_OK;
}

/* Buffers behind the validity, and children, for a type that is no dictionary and no run-end
 * encoding. */
static frz_status put_values(const array_rows *piece, const frz_arrow_type *type,
                             struct ArrowArray *out, frz_error **err)
{
    const frz_arrow_kind kind = type->kind;
    if (kind == FRZ_ARROW_BOOL)
        return piece->length ? put_bits(piece, 1, out, err) : FRZ_OK;
    if (kind == FRZ_ARROW_STRING || kind == FRZ_ARROW_BINARY)
        return put_bytes(piece, false, out, err);
    if (kind == FRZ_ARROW_LARGE_STRING || kind == FRZ_ARROW_LARGE_BINARY)
        return put_bytes(piece, true, out, err);
    if (kind == FRZ_ARROW_STRING_VIEW || kind == FRZ_ARROW_BINARY_VIEW)
        return put_views(piece, out, err);
    if (kind == FRZ_ARROW_STRUCT)
        return put_struct(piece, out, err);
    if (kind == FRZ_ARROW_LIST || kind == FRZ_ARROW_MAP)
        return put_list(piece, false, out, err);
    if (kind == FRZ_ARROW_LARGE_LIST)
        return put_list(piece, true, out, err);
    if (kind == FRZ_ARROW_FIXED_LIST)
        return put_fixed_list(piece, type->width, out, err);
    if (kind == FRZ_ARROW_LIST_VIEW)
        return put_list_view(piece, type->width == 64, out, err);
    frz_arrow_type plain;
    frz_buffer converted = {0};
    FRZ_TRY(frz_arrow_type_parse(piece->plain->format, &plain, err));
    if (plain.kind == kind && plain.unit == type->unit)
        return put_fixed(piece, frz_arrow_type_width(type), out, err);
    const frz_status status =
        frz_arrow_convert(type, piece->array, piece->start, piece->length, &converted, err);
    if (status == FRZ_OK)
        return frz_arrow_array_give(out, 1, &converted, err);
    frz_buffer_clear(&converted);
    return status;
}

static int64_t plain_buffers(frz_arrow_kind kind)
{
    if (kind == FRZ_ARROW_STRUCT)
        return 1;
    return kind == FRZ_ARROW_STRING || kind == FRZ_ARROW_BINARY ? 3 : 2;
}

static frz_status normalize(const array_rows *piece, struct ArrowArray *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    struct ArrowArray made = {0};
    frz_arrow_type type;
    frz_arrow_type plain;
    if (piece->schema->dictionary)
        return decode_dictionary(piece, out, err);
    FRZ_TRY(frz_arrow_type_parse(piece->schema->format, &type, err));
    if (type.kind == FRZ_ARROW_RUN_END)
        return expand_runs(piece, out, err);
    if (type.kind == FRZ_ARROW_NULL)
        return frz_arrow_array_init(out, piece->length, piece->length, NULL, 0, 0, err);
    FRZ_TRY(frz_arrow_type_parse(piece->plain->format, &plain, err));
    FRZ_TRY_DONE(
        frz_arrow_array_shell(&made, plain_buffers(plain.kind), piece->plain->n_children, err));
    FRZ_TRY_DONE(put_values(piece, &type, &made, err));
    FRZ_TRY_DONE(put_validity(piece, &made, err));
    *out = made;
    made = (struct ArrowArray){0};
done:
    frz_arrow_array_clear(&made);
    return status;
}

static frz_status normalize_rows(const struct ArrowSchema *schema, const struct ArrowArray *array,
                                 int64_t start, int64_t length, frz_arrow_owner *owner,
                                 struct ArrowArray *out, frz_error **err)
{
    struct ArrowSchema plain = {0};
    struct ArrowArray made = {0};
    FRZ_TRY(frz_arrow_normalize_schema(schema, &plain, err));
    const array_rows rows = {.schema = schema,
                             .plain = &plain,
                             .array = array,
                             .start = array->offset + start,
                             .length = length,
                             .owner = owner};
    const frz_status status = normalize(&rows, &made, err);
    if (status == FRZ_OK)
        *out = made;
    frz_arrow_schema_clear(&plain);
    return status;
}

static frz_status normalize_all(const struct ArrowSchema *schema, const struct ArrowArray *array,
                                frz_arrow_owner *owner, struct ArrowArray *out, frz_error **err)
{
    FRZ_TRY(frz_arrow_array_validate(schema, array, err));
    return normalize_rows(schema, array, 0, array->length, owner, out, err);
}

frz_status frz_arrow_normalize_rows(const struct ArrowSchema *schema, frz_arrow_owner *owner,
                                    int64_t start, int64_t length, struct ArrowArray *out,
                                    frz_error **err)
{
    return normalize_rows(schema, frz_arrow_owner_array(owner), start, length, owner, out, err);
}

frz_status frz_arrow_normalize(const struct ArrowSchema *schema, struct ArrowArray *array,
                               struct ArrowArray *out, frz_error **err)
{
    struct ArrowArray made = {0};
    frz_arrow_owner *owner = frz_arrow_owner_of_array(array);
    if (!owner)
        return frz_fail_memory(err);
    const frz_status status =
        normalize_all(schema, frz_arrow_owner_array(owner), owner, &made, err);
    if (status == FRZ_OK)
        *out = made;
    else
        *array = frz_arrow_owner_give_back(owner);
    frz_arrow_owner_unref(owner);
    return status;
}

frz_status frz_arrow_normalize_borrowed(const struct ArrowSchema *schema,
                                        const struct ArrowArray *array, struct ArrowArray *out,
                                        frz_error **err)
{
    return normalize_all(schema, array, NULL, out, err);
}
