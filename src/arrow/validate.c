/*
 * Checks a foreign array against its schema, so that later code may trust counts and offsets (C
 * data interface, "Buffers" and Columnar.rst "Physical Memory Layout").
 */
#include "arrow/array.h"

#include <string.h>

#include "arrow/schema.h"
#include "base/fail.h"

enum { VIEW_SIZE = 16, VIEW_INLINE_MAX = 12 };

static frz_status refuse(const struct ArrowSchema *schema, frz_error **err, const char *what)
{
    return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "Arrow column \"%s\" (%s): %s",
                    frz_arrow_schema_name(schema), schema->format, what);
}

static frz_status check_counts(const struct ArrowSchema *schema, const frz_arrow_type *type,
                               const struct ArrowArray *array, frz_error **err)
{
    const frz_arrow_layout *layout = frz_arrow_layout_of(type->kind);
    const int64_t buffers = layout->buffers;
    const int64_t children = layout->children;
    int64_t end = 0;
    if (array->length < 0 || array->offset < 0 ||
        __builtin_add_overflow(array->length, array->offset, &end))
        return refuse(schema, err, "negative length or offset");
    if (array->null_count < -1 || array->null_count > array->length)
        return refuse(schema, err, "null count outside of the length");
    if (layout->form == FRZ_ARROW_FORM_VIEWS ? array->n_buffers < buffers
                                             : array->n_buffers != buffers)
        return refuse(schema, err, "wrong number of buffers");
    if (array->n_children != schema->n_children || (children >= 0 && array->n_children != children))
        return refuse(schema, err, "wrong number of children");
    if ((array->dictionary != NULL) != (schema->dictionary != NULL))
        return refuse(schema, err, "a dictionary in the array or the schema alone");
    if (buffers > 0 && array->null_count > 0 && !array->buffers[0])
        return refuse(schema, err, "nulls without a validity buffer");
    const bool needs_values = buffers > 1 && !(type->kind == FRZ_ARROW_FIXED && type->width == 0);
    if (needs_values && end > 0 && !array->buffers[1])
        return refuse(schema, err, "no value buffer");
    return FRZ_OK;
}

/* Offsets of rows [offset, offset + length] ascend from 0 on and end within `limit` (-1: unknown).
 */
static frz_status check_offsets(const struct ArrowSchema *schema, bool large,
                                const struct ArrowArray *array, int64_t limit, frz_error **err)
{
    if (!array->buffers[1])
        return FRZ_OK; /* no rows: check_counts saw to it */
    const int32_t *narrow = array->buffers[1];
    const int64_t *wide = array->buffers[1];
    int64_t last = 0;
    for (int64_t i = array->offset; i <= array->offset + array->length; i++) {
        const int64_t offset = large ? wide[i] : narrow[i];
        if (offset < last)
            return refuse(schema, err, "offsets descend");
        last = offset;
    }
    if (limit >= 0 && last > limit)
        return refuse(schema, err, "offsets past the end of the items");
    if (limit < 0 && last > 0 && !array->buffers[2])
        return refuse(schema, err, "no data buffer");
    return FRZ_OK;
}

static frz_status check_views(const struct ArrowSchema *schema, const struct ArrowArray *array,
                              frz_error **err)
{
    const uint8_t *views = array->buffers[1];
    const int64_t data_count = array->n_buffers - 3;
    const int64_t *data_sizes = array->buffers[array->n_buffers - 1];
    for (int64_t i = 0; i < array->length; i++) {
        int32_t parts[4]; /* length, prefix, buffer index, offset */
        memcpy(parts, views + (array->offset + i) * VIEW_SIZE, VIEW_SIZE);
        if (frz_arrow_is_null(array, i) || (parts[0] >= 0 && parts[0] <= VIEW_INLINE_MAX))
            continue;
        if (parts[0] < 0 || parts[2] < 0 || parts[2] >= data_count || parts[3] < 0 ||
            (int64_t)parts[3] + parts[0] > data_sizes[parts[2]])
            return refuse(schema, err, "a view outside of its data");
    }
    return FRZ_OK;
}

static frz_status check_list_views(const struct ArrowSchema *schema, bool large,
                                   const struct ArrowArray *array, frz_error **err)
{
    const int64_t limit = array->children[0]->length;
    if (array->length && !array->buffers[2])
        return refuse(schema, err, "no sizes buffer");
    for (int64_t i = 0; i < array->length; i++) {
        const int64_t at = array->offset + i;
        const int64_t offset = large ? ((const int64_t *)array->buffers[1])[at]
                                     : ((const int32_t *)array->buffers[1])[at];
        const int64_t size = large ? ((const int64_t *)array->buffers[2])[at]
                                   : ((const int32_t *)array->buffers[2])[at];
        if (frz_arrow_is_null(array, i))
            continue;
        if (offset < 0 || size < 0 || offset > limit || size > limit - offset)
            return refuse(schema, err, "a list view outside of its items");
    }
    return FRZ_OK;
}

static int64_t run_end_at(const frz_arrow_type *type, const struct ArrowArray *ends, int64_t index)
{
    const int64_t at = ends->offset + index;
    if (type->kind == FRZ_ARROW_INT16)
        return ((const int16_t *)ends->buffers[1])[at];
    if (type->kind == FRZ_ARROW_INT32)
        return ((const int32_t *)ends->buffers[1])[at];
    return ((const int64_t *)ends->buffers[1])[at];
}

static frz_status check_run_ends(const struct ArrowSchema *schema, const struct ArrowArray *array,
                                 frz_error **err)
{
    frz_arrow_type type;
    const struct ArrowArray *ends = array->children[0];
    FRZ_TRY(frz_arrow_type_parse(schema->children[0]->format, &type, err));
    if (type.kind != FRZ_ARROW_INT16 && type.kind != FRZ_ARROW_INT32 &&
        type.kind != FRZ_ARROW_INT64)
        return refuse(schema, err, "run ends that are no integers");
    if (frz_arrow_null_count(ends) != 0)
        return refuse(schema, err, "a run end that is null");
    if (array->children[1]->length < ends->length)
        return refuse(schema, err, "fewer values than runs");
    int64_t last = 0;
    for (int64_t i = 0; i < ends->length; i++) {
        const int64_t end = run_end_at(&type, ends, i);
        if (end <= last)
            return refuse(schema, err, "run ends that do not ascend");
        last = end;
    }
    if (last < array->offset + array->length)
        return refuse(schema, err, "runs end before the rows");
    return FRZ_OK;
}

/* Parents whose rows stand at the same place in their children. */
static frz_status check_parallel(const struct ArrowSchema *schema, const frz_arrow_type *type,
                                 const struct ArrowArray *array, frz_error **err)
{
    const int64_t per_row = type->kind == FRZ_ARROW_FIXED_LIST ? type->width : 1;
    int64_t wanted = 0;
    if (__builtin_mul_overflow(array->offset + array->length, per_row, &wanted))
        return refuse(schema, err, "more items than can be counted");
    for (int64_t i = 0; i < array->n_children; i++)
        if (array->children[i]->length < wanted)
            return refuse(schema, err, "a child shorter than its parent");
    return FRZ_OK;
}

static frz_status check_type_ids(const struct ArrowSchema *schema, const struct ArrowArray *array,
                                 frz_error **err)
{
    const uint8_t *ids = array->buffers[0];
    if (array->length > 0 && !ids)
        return refuse(schema, err, "no type ids");
    if (array->null_count != 0)
        return refuse(schema, err, "a union with nulls of its own");
    for (int64_t i = 0; i < array->length; i++)
        if (ids[array->offset + i] >= array->n_children)
            return refuse(schema, err, "a type id without a child");
    return FRZ_OK;
}

static frz_status check_layout(const struct ArrowSchema *schema, const frz_arrow_type *type,
                               const struct ArrowArray *array, frz_error **err)
{
    const frz_arrow_layout *layout = frz_arrow_layout_of(type->kind);
    const bool large = layout->offset_width == 8;
    switch (layout->form) {
    case FRZ_ARROW_FORM_BYTES:
        return check_offsets(schema, large, array, -1, err);
    case FRZ_ARROW_FORM_LIST:
        return check_offsets(schema, large, array, array->children[0]->length, err);
    case FRZ_ARROW_FORM_VIEWS:
        return check_views(schema, array, err);
    case FRZ_ARROW_FORM_LIST_VIEWS:
        return check_list_views(schema, type->width == 64, array, err);
    case FRZ_ARROW_FORM_PARALLEL:
        return check_parallel(schema, type, array, err);
    case FRZ_ARROW_FORM_RUNS:
        return check_run_ends(schema, array, err);
    case FRZ_ARROW_FORM_NULL:
    case FRZ_ARROW_FORM_BITS:
    case FRZ_ARROW_FORM_FIXED:
        break;
    case FRZ_ARROW_FORM_UNION:
        FRZ_TRY(check_type_ids(schema, array, err));
        return check_parallel(schema, type, array, err);
    }
    return FRZ_OK;
}

frz_status frz_arrow_array_validate(const struct ArrowSchema *schema,
                                    const struct ArrowArray *array, frz_error **err)
{
    frz_arrow_type type;
    FRZ_TRY(frz_arrow_type_parse(schema->format, &type, err));
    const bool odd_union = type.kind == FRZ_ARROW_UNION &&
                           !frz_arrow_union_is_plain(schema->format, schema->n_children);
    if (odd_union || type.kind == FRZ_ARROW_INTERVAL)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "Arrow column \"%s\": type %s",
                        frz_arrow_schema_name(schema), frz_arrow_kind_name(type.kind));
    FRZ_TRY(check_counts(schema, &type, array, err));
    for (int64_t i = 0; i < array->n_children; i++)
        FRZ_TRY(frz_arrow_array_validate(schema->children[i], array->children[i], err));
    if (schema->dictionary)
        FRZ_TRY(frz_arrow_array_validate(schema->dictionary, array->dictionary, err));
    if (type.kind == FRZ_ARROW_MAP && schema->children[0]->n_children != 2)
        return refuse(schema, err, "map entries that are no pair");
    return check_layout(schema, &type, array, err);
}
