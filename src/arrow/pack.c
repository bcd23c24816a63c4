#include "arrow/pack.h"

#include <assert.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "arrow/type.h"
#include "base/fail.h"

enum { BUFFERS_MAX = 3 };

static size_t bit_bytes(int64_t length)
{
    return (size_t)(length + 7) / 8;
}

/* Bytes of the buffers of an array, by the layout of its type. */
static frz_status buffer_sizes(const frz_arrow_type *type, const struct ArrowArray *array,
                               size_t sizes[BUFFERS_MAX], frz_error **err)
{
    const frz_arrow_layout *layout = frz_arrow_layout_of(type->kind);
    const int32_t *offsets = layout->offset_width == 4 ? array->buffers[1] : NULL;
    if (layout->form != FRZ_ARROW_FORM_NULL && array->buffers[0] && array->null_count != 0)
        sizes[0] = bit_bytes(array->length);
    switch (layout->form) {
    case FRZ_ARROW_FORM_NULL:
    case FRZ_ARROW_FORM_PARALLEL:
        return FRZ_OK;
    case FRZ_ARROW_FORM_BITS:
        sizes[1] = bit_bytes(array->length);
        return FRZ_OK;
    case FRZ_ARROW_FORM_FIXED:
        sizes[1] = (size_t)array->length * frz_arrow_type_width(type);
        return FRZ_OK;
    case FRZ_ARROW_FORM_BYTES:
    case FRZ_ARROW_FORM_LIST:
        if (layout->offset_width != 4)
            break;
        sizes[1] = offsets ? ((size_t)array->length + 1) * sizeof *offsets : 0;
        if (layout->form == FRZ_ARROW_FORM_BYTES && offsets)
            sizes[2] = (size_t)offsets[array->length];
        return FRZ_OK;
    case FRZ_ARROW_FORM_VIEWS:
    case FRZ_ARROW_FORM_LIST_VIEWS:
    case FRZ_ARROW_FORM_RUNS:
    case FRZ_ARROW_FORM_UNION:
        break;
    }
    return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "packing arrays of type %s",
                    frz_arrow_kind_name(type->kind));
}

frz_status frz_arrow_array_pack(const struct ArrowSchema *schema, const struct ArrowArray *array,
                                frz_buffer *out, frz_error **err)
{
    frz_arrow_type type = {0};
    size_t sizes[BUFFERS_MAX] = {0};
    assert(array->offset == 0);
    FRZ_TRY(frz_arrow_type_parse(schema->format, &type, err));
    FRZ_TRY(buffer_sizes(&type, array, sizes, err));
    frz_buffer_append_u64le(out, (uint64_t)array->length);
    frz_buffer_append_u64le(out, (uint64_t)frz_arrow_null_count(array));
    for (int32_t i = 0; i < frz_arrow_layout_of(type.kind)->buffers; i++) {
        frz_buffer_append_u64le(out, sizes[i]);
        if (sizes[i] > 0)
            frz_buffer_append(out, array->buffers[i], sizes[i]);
    }
    for (int64_t i = 0; i < schema->n_children; i++)
        FRZ_TRY(frz_arrow_array_pack(schema->children[i], array->children[i], out, err));
    return frz_buffer_check(out, err);
}

static frz_status take_buffer(frz_cursor *cursor, frz_buffer *out, frz_error **err)
{
    const uint64_t size = frz_cursor_u64le(cursor);
    const uint8_t *bytes = frz_cursor_take(cursor, (size_t)size);
    if (bytes)
        frz_buffer_append(out, bytes, (size_t)size);
    return frz_buffer_check(out, err);
}

frz_status frz_arrow_array_unpack(const struct ArrowSchema *schema, frz_cursor *cursor,
                                  struct ArrowArray *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_arrow_type type = {0};
    frz_buffer buffers[BUFFERS_MAX] = {0};
    struct ArrowArray made = {0};
    FRZ_TRY_DONE(frz_arrow_type_parse(schema->format, &type, err));
    const int32_t count = frz_arrow_layout_of(type.kind)->buffers;
    const int64_t length = (int64_t)frz_cursor_u64le(cursor);
    const int64_t nulls = (int64_t)frz_cursor_u64le(cursor);
    for (int32_t i = 0; i < count; i++)
        FRZ_TRY_DONE(take_buffer(cursor, &buffers[i], err));
    if (cursor->failed) {
        status = frz_fail(err, FRZ_CORRUPT, cursor->pos, "packed rows end within a column");
        goto done;
    }
    FRZ_TRY_DONE(
        frz_arrow_array_init(&made, length, nulls, buffers, count, schema->n_children, err));
    for (int64_t i = 0; i < schema->n_children; i++)
        FRZ_TRY_DONE(frz_arrow_array_unpack(schema->children[i], cursor, made.children[i], err));
    *out = made;
    made = (struct ArrowArray){0};

done:
    for (size_t i = 0; i < BUFFERS_MAX; i++)
        frz_buffer_clear(&buffers[i]);
    frz_arrow_array_clear(&made);
    return status;
}
