#include "arrow/gather.h"

#include <string.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "arrow/type.h"
#include "base/fail.h"
#include "base/mem.h"

enum { BUFFERS_MAX = 3, SMALL_TEXT = 16 };

/* An array, and the place in its buffers of what a pick calls row 0. NULL: it has no rows. */
typedef struct source {
    const struct ArrowArray *array;
    int64_t base;
} source;

static source source_of(const struct ArrowArray *array, int64_t base)
{
    return array->length > 0 ? (source){array, array->offset + base} : (source){NULL, 0};
}

typedef struct gathering {
    const source *sources;
    size_t source_count;
    const frz_row_pick *picks;
    size_t count;
} gathering;

static frz_status gather(const struct ArrowSchema *schema, const gathering *g,
                         struct ArrowArray *out, frz_error **err);

static int64_t place_of(const gathering *g, size_t at)
{
    return g->sources[g->picks[at].source].base + g->picks[at].row;
}

static const struct ArrowArray *array_of(const gathering *g, size_t at)
{
    return g->sources[g->picks[at].source].array;
}

static bool may_be_null(const gathering *g)
{
    for (size_t i = 0; i < g->source_count; i++) {
        const struct ArrowArray *array = g->sources[i].array;
        if (array && array->null_count != 0 && array->buffers[0])
            return true;
    }
    return false;
}

/* Returns the number of nulls; no bits where there is none. */
static int64_t gather_validity(const gathering *g, frz_buffer *out)
{
    int64_t nulls = 0;
    if (!may_be_null(g))
        return 0;
    frz_buffer_append_fill(out, 0, (g->count + 7) / 8);
    for (size_t i = 0; i < g->count && !out->failed; i++) {
        const struct ArrowArray *array = array_of(g, i);
        const uint8_t *bits = array->null_count == 0 ? NULL : array->buffers[0];
        if (!bits || frz_bit_get(bits, place_of(g, i)))
            frz_bit_set(out->data, (int64_t)i);
        else
            nulls++;
    }
    if (nulls == 0 && !out->failed)
        frz_buffer_clear(out);
    return nulls;
}

static void gather_bits(const gathering *g, frz_buffer *out)
{
    frz_buffer_append_fill(out, 0, (g->count + 7) / 8);
    for (size_t i = 0; i < g->count && !out->failed; i++) {
        if (frz_bit_get(array_of(g, i)->buffers[1], place_of(g, i)))
            frz_bit_set(out->data, (int64_t)i);
    }
}

/* `width` is a constant where this is called, so that a value is copied as one number. */
static inline __attribute__((always_inline)) void
copy_values(const uint8_t *const *starts, const gathering *g, size_t width, uint8_t *to)
{
    for (size_t i = 0; i < g->count; i++, to += width)
        memcpy(to, starts[g->picks[i].source] + g->picks[i].row * width, width);
}

static frz_status gather_values(const gathering *g, size_t width, frz_buffer *out, frz_error **err)
{
    uint8_t *to = frz_buffer_extend(out, g->count * width);
    const uint8_t **starts = frz_alloc_array(g->source_count, sizeof(const uint8_t *));
    if (!to || !starts) {
        frz_free(starts);
        return frz_fail_memory(err);
    }
    for (size_t i = 0; i < g->source_count; i++) {
        if (g->sources[i].array)
            starts[i] = (const uint8_t *)g->sources[i].array->buffers[1] +
                        (size_t)g->sources[i].base * width;
    }
    if (width == 8)
        copy_values(starts, g, 8, to);
    else if (width == 4)
        copy_values(starts, g, 4, to);
    else if (width == 16)
        copy_values(starts, g, 16, to);
    else
        copy_values(starts, g, width, to);
    frz_free(starts);
    return FRZ_OK;
}

/* Offsets of texts or lists, which start at 0. *total_out are bytes or items. */
static frz_status gather_offsets(const gathering *g, frz_buffer *out, int64_t *total_out,
                                 frz_error **err)
{
    int64_t total = 0;
    int32_t *to = (int32_t *)(void *)frz_buffer_extend(out, (g->count + 1) * sizeof *to);
    if (!to)
        return frz_fail_memory(err);
    to[0] = 0;
    for (size_t i = 0; i < g->count; i++) {
        const int32_t *offsets = (const int32_t *)array_of(g, i)->buffers[1] + place_of(g, i);
        total += offsets[1] - offsets[0];
        to[i + 1] = (int32_t)total;
        if (total > INT32_MAX)
            return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                            "gathered rows hold more than 2^31 bytes or items in one column");
    }
    *total_out = total;
    return FRZ_OK;
}

/* The bytes that rows of a source may be read up to. */
typedef struct text_source {
    const int32_t *offsets;
    const uint8_t *data;
    int64_t end;
} text_source;

/* Short texts are copied as one block where that stays within the source: what is written too much
 * is written over by the next one, or is the slack behind the last. */
static void copy_texts(const text_source *sources, const gathering *g, uint8_t *to)
{
    for (size_t i = 0; i < g->count; i++) {
        const text_source *from = &sources[g->picks[i].source];
        const int64_t start = from->offsets[g->picks[i].row];
        const int64_t size = from->offsets[g->picks[i].row + 1] - start;
        if (size == 0)
            continue;
        if (size <= SMALL_TEXT && start + SMALL_TEXT <= from->end)
            memcpy(to, from->data + start, SMALL_TEXT);
        else
            memcpy(to, from->data + start, (size_t)size);
        to += size;
    }
}

static frz_status gather_texts(const gathering *g, int64_t total, frz_buffer *out, frz_error **err)
{
    uint8_t *to = frz_buffer_extend(out, (size_t)total + SMALL_TEXT);
    text_source *sources = frz_alloc_array(g->source_count, sizeof *sources);
    if (!to || !sources) {
        frz_free(sources);
        return frz_fail_memory(err);
    }
    for (size_t i = 0; i < g->source_count; i++) {
        const struct ArrowArray *array = g->sources[i].array;
        if (!array)
            continue;
        const int32_t *offsets = array->buffers[1];
        sources[i] = (text_source){offsets + g->sources[i].base, array->buffers[2],
                                   offsets[array->offset + array->length]};
    }
    copy_texts(sources, g, to);
    out->size -= SMALL_TEXT;
    frz_free(sources);
    return FRZ_OK;
}

/* The items of the picked rows, as picks of the child. */
static frz_status picks_of_items(const gathering *g, int64_t total, frz_row_pick **out,
                                 frz_error **err)
{
    frz_row_pick *items = frz_alloc_array((size_t)total + 1, sizeof *items);
    size_t count = 0;
    if (!items)
        return frz_fail_memory(err);
    for (size_t i = 0; i < g->count; i++) {
        const int32_t *offsets = (const int32_t *)array_of(g, i)->buffers[1] + place_of(g, i);
        for (int32_t item = offsets[0]; item < offsets[1]; item++)
            items[count++] = (frz_row_pick){g->picks[i].source, (uint32_t)item};
    }
    *out = items;
    return FRZ_OK;
}

/* Child `index`: `parallel` to the rows of a struct, else items of a list, which have picks of
 * their own. */
static frz_status gather_child(const struct ArrowSchema *schema, const gathering *g, int64_t index,
                               bool parallel, struct ArrowArray *out, frz_error **err)
{
    source *sources = frz_alloc_array(g->source_count, sizeof *sources);
    if (!sources)
        return frz_fail_memory(err);
    for (size_t i = 0; i < g->source_count; i++) {
        if (g->sources[i].array)
            sources[i] =
                source_of(g->sources[i].array->children[index], parallel ? g->sources[i].base : 0);
    }
    const gathering below = {sources, g->source_count, g->picks, g->count};
    const frz_status status = gather(schema->children[index], &below, out, err);
    frz_free(sources);
    return status;
}

static frz_status gather_items(const struct ArrowSchema *schema, const gathering *g, int64_t total,
                               struct ArrowArray *list, frz_error **err)
{
    frz_row_pick *items = NULL;
    FRZ_TRY(picks_of_items(g, total, &items, err));
    const gathering of_items = {g->sources, g->source_count, items, (size_t)total};
    const frz_status status = gather_child(schema, &of_items, 0, false, list->children[0], err);
    frz_free(items);
    return status;
}

static frz_status gather_buffers(const frz_arrow_type *type, const gathering *g,
                                 frz_buffer buffers[BUFFERS_MAX], int64_t *total_out,
                                 frz_error **err)
{
    const frz_arrow_layout *layout = frz_arrow_layout_of(type->kind);
    const bool narrow = layout->offset_width == sizeof(int32_t);
    if (layout->form == FRZ_ARROW_FORM_FIXED)
        return gather_values(g, frz_arrow_type_width(type), &buffers[1], err);
    if (layout->form == FRZ_ARROW_FORM_BITS) {
        gather_bits(g, &buffers[1]);
        return FRZ_OK;
    }
    if (type->kind == FRZ_ARROW_STRUCT)
        return FRZ_OK;
    if (narrow && layout->form == FRZ_ARROW_FORM_BYTES) {
        FRZ_TRY(gather_offsets(g, &buffers[1], total_out, err));
        return gather_texts(g, *total_out, &buffers[2], err);
    }
    if (narrow && layout->form == FRZ_ARROW_FORM_LIST)
        return gather_offsets(g, &buffers[1], total_out, err);
    return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET, "gathering rows of Arrow type %s",
                    frz_arrow_kind_name(type->kind));
}

static frz_status gather_children(const struct ArrowSchema *schema, bool parallel,
                                  const gathering *g, int64_t total, struct ArrowArray *out,
                                  frz_error **err)
{
    if (!parallel && schema->n_children > 0)
        return gather_items(schema, g, total, out, err);
    for (int64_t i = 0; i < schema->n_children; i++)
        FRZ_TRY(gather_child(schema, g, i, true, out->children[i], err));
    return FRZ_OK;
}

static frz_status gather(const struct ArrowSchema *schema, const gathering *g,
                         struct ArrowArray *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_arrow_type type = {0};
    frz_buffer buffers[BUFFERS_MAX] = {0};
    struct ArrowArray made = {0};
    int64_t total = 0;
    FRZ_TRY(frz_arrow_type_parse(schema->format, &type, err));
    if (g->count == 0 || type.kind == FRZ_ARROW_NULL)
        return frz_arrow_array_nulls(schema, (int64_t)g->count, out, err);
    const int64_t nulls = gather_validity(g, &buffers[0]);
    FRZ_TRY_DONE(gather_buffers(&type, g, buffers, &total, err));
    FRZ_TRY_DONE(frz_arrow_array_init(&made, (int64_t)g->count, nulls, buffers,
                                      frz_arrow_layout_of(type.kind)->buffers, schema->n_children,
                                      err));
    FRZ_TRY_DONE(gather_children(schema, type.kind == FRZ_ARROW_STRUCT, g, total, &made, err));
    *out = made;
    made = (struct ArrowArray){0};

done:
    for (size_t i = 0; i < BUFFERS_MAX; i++)
        frz_buffer_clear(&buffers[i]);
    frz_arrow_array_clear(&made);
    return status;
}

frz_status frz_arrow_array_gather(const struct ArrowSchema *schema,
                                  const struct ArrowArray *const *sources, size_t source_count,
                                  const frz_row_pick *picks, size_t count, struct ArrowArray *out,
                                  frz_error **err)
{
    source *from = frz_alloc_array(source_count + 1, sizeof *from);
    if (!from)
        return frz_fail_memory(err);
    for (size_t i = 0; i < source_count; i++)
        from[i] = source_of(sources[i], 0);
    const gathering g = {from, source_count, picks, count};
    const frz_status status = gather(schema, &g, out, err);
    frz_free(from);
    return status;
}
