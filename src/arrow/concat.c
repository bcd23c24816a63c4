#include "arrow/concat.h"

#include <string.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "base/mem.h"

enum { BUFFERS_MAX = 3 };

static int64_t total_length(const struct ArrowArray *arrays, size_t count)
{
    int64_t length = 0;
    for (size_t i = 0; i < count; i++)
        length += arrays[i].length;
    return length;
}

/* Validity bits of all rows; none when there is no null. */
static int64_t join_validity(const struct ArrowArray *arrays, size_t count, frz_buffer *out)
{
    int64_t nulls = 0;
    int64_t at = 0;
    for (size_t i = 0; i < count; i++)
        nulls += frz_arrow_null_count(&arrays[i]);
    if (nulls == 0)
        return 0;
    frz_buffer_append_fill(out, 0, (size_t)(total_length(arrays, count) + 7) / 8);
    for (size_t i = 0; i < count && !out->failed; i++) {
        for (int64_t row = 0; row < arrays[i].length; row++, at++) {
            if (!frz_arrow_is_null(&arrays[i], row))
                frz_bit_set(out->data, at);
        }
    }
    return nulls;
}

static void join_bits(const struct ArrowArray *arrays, size_t count, frz_buffer *out)
{
    int64_t at = 0;
    frz_buffer_append_fill(out, 0, (size_t)(total_length(arrays, count) + 7) / 8);
    for (size_t i = 0; i < count && !out->failed; i++) {
        const uint8_t *bits = arrays[i].buffers[1];
        for (int64_t row = 0; row < arrays[i].length; row++, at++) {
            if (frz_bit_get(bits, arrays[i].offset + row))
                frz_bit_set(out->data, at);
        }
    }
}

static void join_values(const struct ArrowArray *arrays, size_t count, size_t width,
                        frz_buffer *out)
{
    for (size_t i = 0; i < count; i++) {
        if (arrays[i].length > 0)
            frz_buffer_append(
                out, (const uint8_t *)arrays[i].buffers[1] + (size_t)arrays[i].offset * width,
                (size_t)arrays[i].length * width);
    }
}

/* Offsets of texts or lists, starting at 0. */
static frz_status join_offsets(const struct ArrowArray *arrays, size_t count, frz_buffer *out,
                               frz_error **err)
{
    int64_t base = 0;
    const int32_t zero = 0;
    frz_buffer_append(out, &zero, sizeof zero);
    for (size_t i = 0; i < count; i++) {
        if (arrays[i].length == 0)
            continue;
        const int32_t *offsets = (const int32_t *)arrays[i].buffers[1] + arrays[i].offset;
        if (base + offsets[arrays[i].length] - offsets[0] > INT32_MAX)
            return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                            "a joined column of more than 2 GiB");
        for (int64_t row = 1; row <= arrays[i].length; row++) {
            const int32_t offset = (int32_t)(base + offsets[row] - offsets[0]);
            frz_buffer_append(out, &offset, sizeof offset);
        }
        base += offsets[arrays[i].length] - offsets[0];
    }
    return FRZ_OK;
}

static void join_bytes(const struct ArrowArray *arrays, size_t count, frz_buffer *out)
{
    for (size_t i = 0; i < count; i++) {
        if (arrays[i].length == 0)
            continue;
        const int32_t *offsets = (const int32_t *)arrays[i].buffers[1] + arrays[i].offset;
        const size_t size = (size_t)(offsets[arrays[i].length] - offsets[0]);
        if (size > 0)
            frz_buffer_append(out, (const uint8_t *)arrays[i].buffers[2] + offsets[0], size);
    }
}

/* Bytes of one value; 0 for types of other layouts. */
static size_t value_width(const frz_arrow_type *type)
{
    switch ((int)type->kind) {
    case FRZ_ARROW_INT32:
    case FRZ_ARROW_FLOAT:
    case FRZ_ARROW_DATE32:
        return 4;
    case FRZ_ARROW_INT64:
    case FRZ_ARROW_DOUBLE:
    case FRZ_ARROW_TIME64:
    case FRZ_ARROW_TIMESTAMP:
        return 8;
    case FRZ_ARROW_DECIMAL:
        return 16;
    case FRZ_ARROW_FIXED:
        return (size_t)type->width;
    default:
        return 0;
    }
}

/* The rows of child `index` that the rows of each array stand for: all rows of a struct, or the
 * items of a list. The views borrow and are never released. */
static frz_status join_child(const struct ArrowSchema *schema, const struct ArrowArray *arrays,
                             size_t count, int64_t index, struct ArrowArray *out, frz_error **err)
{
    const bool items = strcmp(schema->format, "+s") != 0;
    struct ArrowArray *views = frz_alloc_array(count + 1, sizeof *views);
    if (!views)
        return frz_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        const int32_t *offsets = items && arrays[i].length > 0
                                     ? (const int32_t *)arrays[i].buffers[1] + arrays[i].offset
                                     : NULL;
        views[i] = *arrays[i].children[index];
        views[i].release = NULL;
        views[i].offset += offsets ? offsets[0] : items ? 0 : arrays[i].offset;
        views[i].length =
            offsets ? offsets[arrays[i].length] - offsets[0] : (items ? 0 : arrays[i].length);
        if (views[i].null_count != 0)
            views[i].null_count = -1;
    }
    const frz_status status =
        frz_arrow_array_concat(schema->children[index], views, count, out, err);
    frz_free(views);
    return status;
}

static frz_status join_buffers(const frz_arrow_type *type, const struct ArrowArray *arrays,
                               size_t count, frz_buffer buffers[BUFFERS_MAX],
                               int64_t *buffer_count_out, frz_error **err)
{
    const size_t width = value_width(type);
    *buffer_count_out = 2;
    if (width > 0) {
        join_values(arrays, count, width, &buffers[1]);
        return FRZ_OK;
    }
    switch ((int)type->kind) {
    case FRZ_ARROW_STRUCT:
        *buffer_count_out = 1;
        return FRZ_OK;
    case FRZ_ARROW_BOOL:
        join_bits(arrays, count, &buffers[1]);
        return FRZ_OK;
    case FRZ_ARROW_STRING:
    case FRZ_ARROW_BINARY:
        *buffer_count_out = BUFFERS_MAX;
        join_bytes(arrays, count, &buffers[2]);
        return join_offsets(arrays, count, &buffers[1], err);
    case FRZ_ARROW_LIST:
    case FRZ_ARROW_MAP:
        return join_offsets(arrays, count, &buffers[1], err);
    default:
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "joining arrays of a type that is not plain");
    }
}

frz_status frz_arrow_array_concat(const struct ArrowSchema *schema, const struct ArrowArray *arrays,
                                  size_t count, struct ArrowArray *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_arrow_type type = {0};
    frz_buffer buffers[BUFFERS_MAX] = {0};
    struct ArrowArray made = {0};
    int64_t buffer_count = 0;
    const int64_t length = total_length(arrays, count);

    FRZ_TRY_DONE(frz_arrow_type_parse(schema->format, &type, err));
    if (type.kind == FRZ_ARROW_NULL) {
        status = frz_arrow_array_nulls(schema, length, out, err);
        goto done;
    }
    const int64_t nulls = join_validity(arrays, count, &buffers[0]);
    FRZ_TRY_DONE(join_buffers(&type, arrays, count, buffers, &buffer_count, err));
    FRZ_TRY_DONE(
        frz_arrow_array_init(&made, length, nulls, buffers, buffer_count, schema->n_children, err));
    for (int64_t i = 0; i < schema->n_children; i++)
        FRZ_TRY_DONE(join_child(schema, arrays, count, i, made.children[i], err));
    *out = made;
    made = (struct ArrowArray){0};

done:
    for (size_t i = 0; i < BUFFERS_MAX; i++)
        frz_buffer_clear(&buffers[i]);
    frz_arrow_array_clear(&made);
    return status;
}
