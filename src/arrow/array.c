#include "arrow/array.h"

#include <assert.h>
#include <string.h>

#include "arrow/owner.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"

bool frz_arrow_is_null(const struct ArrowArray *array, int64_t index)
{
    if (array->n_buffers == 0)
        return true; /* the null type */
    const uint8_t *valid = array->null_count == 0 ? NULL : array->buffers[0];
    return valid && !frz_bit_get(valid, array->offset + index);
}

int64_t frz_bit_count(const uint8_t *bits, int64_t start, int64_t length)
{
    int64_t count = 0;
    int64_t at = start;
    const int64_t end = start + length;
    for (; at < end && (at & 7); at++)
        count += frz_bit_get(bits, at);
    for (; at + 64 <= end; at += 64) {
        uint64_t word;
        memcpy(&word, bits + (at >> 3), sizeof word);
        count += __builtin_popcountll(word);
    }
    for (; at < end; at++)
        count += frz_bit_get(bits, at);
    return count;
}

int64_t frz_arrow_null_count(const struct ArrowArray *array)
{
    if (array->null_count >= 0)
        return array->null_count;
    if (array->n_buffers == 0)
        return array->length;
    const uint8_t *valid = array->buffers[0];
    return valid ? array->length - frz_bit_count(valid, array->offset, array->length) : 0;
}

frz_status frz_arrow_array_init(struct ArrowArray *out, int64_t length, int64_t null_count,
                                frz_buffer *buffers, int64_t buffer_count, int64_t child_count,
                                frz_error **err)
{
    struct ArrowArray array = {0};
    frz_status status = frz_arrow_array_shell(&array, buffer_count, child_count, err);
    for (int64_t i = 0; i < buffer_count; i++) {
        if (status == FRZ_OK)
            status = frz_arrow_array_give(&array, i, &buffers[i], err);
        frz_buffer_clear(&buffers[i]);
    }
    if (status != FRZ_OK) {
        frz_arrow_array_clear(&array);
        *out = array;
        return status;
    }
    array.length = length;
    array.null_count = null_count;
    *out = array;
    return FRZ_OK;
}

/* Whether all nodes are ours; a consumer may have put foreign children into an array of ours. */
static bool ours_throughout(const struct ArrowArray *array)
{
    if (!frz_arrow_array_is_ours(array))
        return false;
    for (int64_t i = 0; i < array->n_children; i++)
        if (!ours_throughout(array->children[i]))
            return false;
    return !array->dictionary || ours_throughout(array->dictionary);
}

/* Makes a foreign array one of ours in place: same buffers, released with the last user. */
static frz_status adopt(struct ArrowArray *array, frz_error **err)
{
    struct ArrowArray adopted = {0};
    frz_arrow_owner *owner = frz_arrow_owner_of_array(array);
    if (!owner)
        return frz_fail_memory(err);
    const frz_status status =
        frz_arrow_array_share(frz_arrow_owner_array(owner), owner, &adopted, err);
    if (status != FRZ_OK) {
        *array = frz_arrow_owner_give_back(owner);
    } else {
        *array = adopted;
    }
    frz_arrow_owner_unref(owner);
    return status;
}

frz_status frz_arrow_array_slice(struct ArrowArray *array, int64_t start, int64_t length,
                                 struct ArrowArray *out, frz_error **err)
{
    assert(start >= 0 && length >= 0 && start + length <= array->length);
    if (!ours_throughout(array))
        FRZ_TRY(adopt(array, err));
    struct ArrowArray slice = {0};
    FRZ_TRY(frz_arrow_array_share(array, NULL, &slice, err));
    slice.offset += start;
    slice.length = length;
    if (slice.null_count != 0)
        slice.null_count = slice.n_buffers ? -1 : length;
    *out = slice;
    return FRZ_OK;
}

/* `count` zeroed bytes, or none for 0. */
static void append_zeros(frz_buffer *buffer, int64_t count, size_t width)
{
    size_t size = 0;
    if (!frz_size_mul((size_t)count, width, &size))
        buffer->failed = true;
    else
        frz_buffer_append_fill(buffer, 0, size);
}

/* The buffer behind the validity of a column of nulls; none is wanted behind offsets, which are all
 * 0. */
static void fill_null_values(const frz_arrow_type *type, int64_t length, frz_buffer *out)
{
    const frz_arrow_layout *layout = frz_arrow_layout_of(type->kind);
    if (layout->offset_width)
        append_zeros(out, length + 1, (size_t)layout->offset_width);
    else if (layout->form == FRZ_ARROW_FORM_BITS)
        append_zeros(out, (length + 7) / 8, 1);
    else if (layout->form == FRZ_ARROW_FORM_FIXED)
        append_zeros(out, length, frz_arrow_type_width(type));
}

static bool has_null_form(const frz_arrow_type *type)
{
    const frz_arrow_form form = frz_arrow_layout_of(type->kind)->form;
    return form != FRZ_ARROW_FORM_VIEWS && form != FRZ_ARROW_FORM_LIST_VIEWS &&
           form != FRZ_ARROW_FORM_UNION && form != FRZ_ARROW_FORM_RUNS &&
           type->kind != FRZ_ARROW_INTERVAL;
}

/* How many child rows `length` null rows have. */
static int64_t null_child_length(const frz_arrow_type *type, int64_t length)
{
    if (type->kind == FRZ_ARROW_STRUCT)
        return length;
    return type->kind == FRZ_ARROW_FIXED_LIST ? length * type->width : 0;
}

frz_status frz_arrow_array_nulls(const struct ArrowSchema *schema, int64_t length,
                                 struct ArrowArray *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    struct ArrowArray array = {0};
    frz_buffer buffers[3] = {0};
    frz_arrow_type type;
    FRZ_TRY(frz_arrow_type_parse(schema->format, &type, err));
    if (!has_null_form(&type) || schema->dictionary)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "making nulls of Arrow type %s%s",
                        schema->dictionary ? "dictionary of " : "", frz_arrow_kind_name(type.kind));
    if (type.kind == FRZ_ARROW_NULL)
        return frz_arrow_array_init(out, length, length, NULL, 0, 0, err);
    append_zeros(&buffers[0], (length + 7) / 8, 1);
    fill_null_values(&type, length, &buffers[1]);
    FRZ_TRY_DONE(frz_arrow_array_init(&array, length, length, buffers,
                                      frz_arrow_layout_of(type.kind)->buffers, schema->n_children,
                                      err));
    for (int64_t i = 0; i < schema->n_children; i++)
        FRZ_TRY_DONE(frz_arrow_array_nulls(schema->children[i], null_child_length(&type, length),
                                           array.children[i], err));
    *out = array;
    array = (struct ArrowArray){0};
done:
    frz_arrow_array_clear(&array);
    return status;
}
