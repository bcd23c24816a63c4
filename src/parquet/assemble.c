#include "parquet/assemble.h"

#include <string.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "parquet/bits.h"
#include "parquet/element.h"

bool frz_parquet_node_selected(const frz_parquet_node *node, const bool *leaf_selected)
{
    if (node->shape == FRZ_PARQUET_SHAPE_LEAF)
        return !leaf_selected || leaf_selected[node->leaf_index];
    for (size_t i = 0; i < node->child_count; i++)
        if (frz_parquet_node_selected(&node->children[i], leaf_selected))
            return true;
    return false;
}

const bool *frz_parquet_child_selection(const frz_parquet_node *node, const bool *leaf_selected)
{
    return node->shape == FRZ_PARQUET_SHAPE_MAP ? NULL : leaf_selected;
}

/* Which entries make a slot of a node: those that begin something at its depth, where all lists
 * around it have an element. */
typedef struct slot_rule {
    uint8_t repetition_max;
    uint8_t definition_min;
} slot_rule;

typedef struct assembly {
    frz_parquet_leaf_part *next; /* the part of the next leaf */
    frz_error **err;
} assembly;

static frz_status build(assembly *work, const frz_parquet_node *node, const bool *selected,
                        slot_rule rule, struct ArrowArray *out);

static bool is_slot(const frz_parquet_leaf_batch *batch, size_t entry, slot_rule rule)
{
    const uint8_t *repetition = batch->repetition.data;
    const bool begins = !repetition || repetition[entry] <= rule.repetition_max;
    return begins && batch->definition.data[entry] >= rule.definition_min;
}

/* A bit per slot: whether the node is there. Returns the number of slots; *present_out counts the
 * set. */
static size_t mark_present(const frz_parquet_leaf_batch *batch, slot_rule rule, int16_t level,
                           uint8_t *bits, size_t *present_out)
{
    size_t slots = 0;
    size_t present = 0;
    for (size_t i = 0; i < batch->entry_count; i++) {
        if (!is_slot(batch, i, rule))
            continue;
        const bool there = batch->definition.data[i] >= level;
        bits[slots / 8] = (uint8_t)(bits[slots / 8] | (unsigned)there << slots % 8);
        present += there;
        slots++;
    }
    *present_out = present;
    return slots;
}

/* What is known of the slots of a node: validity bits (empty when all are there) and their number.
 */
typedef struct slots {
    frz_buffer validity;
    size_t count;
    size_t null_count;
} slots;

static frz_status flat_slots(const frz_parquet_leaf_batch *batch, int16_t level, slots *out,
                             frz_error **err)
{
    out->count = batch->rows;
    if (level == 0 || batch->null_count == 0)
        return FRZ_OK;
    out->null_count = batch->null_count;
    frz_buffer_append(&out->validity, batch->validity.data, batch->validity.size);
    return frz_buffer_check(&out->validity, err);
}

/* The slots of `node`, which `batch` (of any leaf below it) tells. */
static frz_status find_slots(const frz_parquet_leaf_batch *batch, const frz_parquet_node *node,
                             slot_rule rule, slots *out, frz_error **err)
{
    slots found = {0};
    size_t present = 0;
    if (batch->flat)
        return flat_slots(batch, node->definition_level, out, err);
    frz_buffer_append_fill(&found.validity, 0, batch->entry_count / 8 + 1);
    FRZ_TRY(frz_buffer_check(&found.validity, err));
    found.count = mark_present(batch, rule, node->definition_level, found.validity.data, &present);
    found.null_count = found.count - present;
    if (found.null_count == 0)
        frz_buffer_clear(&found.validity);
    *out = found;
    return FRZ_OK;
}

/* Arrow wants the first offset even of an array without rows. */
static frz_status complete_offsets(frz_buffer *offsets, frz_error **err)
{
    if (offsets->size == 0)
        frz_buffer_append_u32le(offsets, 0);
    return frz_buffer_check(offsets, err);
}

/* Moves the finished buffers of a leaf into an array. */
static frz_status finish_leaf(frz_parquet_leaf_batch *batch, frz_parquet_form form, slots *at,
                              struct ArrowArray *out, frz_error **err)
{
    frz_buffer buffers[3] = {at->validity};
    int64_t count = 1;
    frz_status status = FRZ_OK;
    at->validity = (frz_buffer){0};
    if (form == FRZ_PARQUET_FORM_NULL) {
        frz_buffer_clear(&buffers[0]);
        return frz_arrow_array_init(out, (int64_t)at->count, (int64_t)at->count, NULL, 0, 0, err);
    }
    if (form == FRZ_PARQUET_FORM_BYTES) {
        status = complete_offsets(&batch->values.offsets, err);
        buffers[count++] = batch->values.offsets;
        batch->values.offsets = (frz_buffer){0};
    }
    buffers[count++] = batch->values.data;
    batch->values.data = (frz_buffer){0};
    if (status == FRZ_OK)
        return frz_arrow_array_init(out, (int64_t)at->count, (int64_t)at->null_count, buffers,
                                    count, 0, err);
    for (int64_t i = 0; i < count; i++)
        frz_buffer_clear(&buffers[i]);
    return status;
}

static frz_status build_leaf(assembly *work, const frz_parquet_node *node, slot_rule rule,
                             struct ArrowArray *out)
{
    frz_parquet_leaf_part *part = work->next++;
    const frz_parquet_source *source = &part->column->source;
    slots at = {0};
    if (part->batch.flat) {
        at = (slots){.count = part->batch.rows, .null_count = part->batch.null_count};
        if (at.null_count) {
            at.validity = part->batch.validity;
            part->batch.validity = (frz_buffer){0};
        }
    } else {
        FRZ_TRY(find_slots(&part->batch, node, rule, &at, work->err));
        const frz_status status =
            at.null_count ? frz_parquet_values_spread(source, &part->batch.values, 0,
                                                      at.validity.data, 0, at.count, work->err)
                          : FRZ_OK;
        if (status != FRZ_OK) {
            frz_buffer_clear(&at.validity);
            return status;
        }
    }
    return finish_leaf(&part->batch, source->layout.form, &at, out, work->err);
}

static frz_status disagree(assembly *work, const frz_parquet_node *node)
{
    char path[FRZ_PARQUET_PATH_SIZE];
    return frz_fail(work->err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                    "column %s: the columns below it have different numbers of values",
                    frz_parquet_node_path(node, path));
}

/* An array with `length` rows, validity and offsets given, and children to come. */
static frz_status begin_group(slots *at, frz_buffer *offsets, size_t child_count,
                              struct ArrowArray *out, frz_error **err)
{
    frz_buffer buffers[2] = {at->validity};
    at->validity = (frz_buffer){0};
    if (offsets) {
        buffers[1] = *offsets;
        *offsets = (frz_buffer){0};
    }
    return frz_arrow_array_init(out, (int64_t)at->count, (int64_t)at->null_count, buffers,
                                offsets ? 2 : 1, (int64_t)child_count, err);
}

/* The selected children of a struct (or of the entries of a map), each of `length` rows. */
static frz_status build_children(assembly *work, const frz_parquet_node *node, const bool *selected,
                                 slot_rule rule, struct ArrowArray *out)
{
    int64_t next = 0;
    for (size_t i = 0; i < node->child_count; i++) {
        if (!frz_parquet_node_selected(&node->children[i], selected))
            continue;
        struct ArrowArray *child = out->children[next++];
        FRZ_TRY(build(work, &node->children[i], selected, rule, child));
        if (child->length != out->length)
            return disagree(work, node);
    }
    return FRZ_OK;
}

static size_t selected_children(const frz_parquet_node *node, const bool *selected)
{
    size_t count = 0;
    for (size_t i = 0; i < node->child_count; i++)
        count += frz_parquet_node_selected(&node->children[i], selected);
    return count;
}

static frz_status build_struct(assembly *work, const frz_parquet_node *node, const bool *selected,
                               slot_rule rule, struct ArrowArray *out)
{
    slots at = {0};
    struct ArrowArray array = {0};
    FRZ_TRY(find_slots(&work->next->batch, node, rule, &at, work->err));
    FRZ_TRY(begin_group(&at, NULL, selected_children(node, selected), &array, work->err));
    const frz_status status = build_children(work, node, selected, rule, &array);
    if (status != FRZ_OK) {
        frz_arrow_array_clear(&array);
        return status;
    }
    *out = array;
    return FRZ_OK;
}

/* Where the elements of each list begin: an entry begins an element when it repeats at most at the
 * list's own level and the list has something in it. */
static frz_status list_offsets(const frz_parquet_leaf_batch *batch, const frz_parquet_node *node,
                               slot_rule rule, frz_buffer *out, frz_error **err)
{
    const uint8_t *definition = batch->definition.data;
    const uint8_t *repetition = batch->repetition.data;
    size_t elements = 0;
    size_t count = 0;
    if (batch->entry_count > INT32_MAX)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "more than 2^31 list elements in one batch");
    int32_t *offsets = (void *)frz_buffer_extend(out, (batch->entry_count + 1) * sizeof *offsets);
    if (!offsets)
        return frz_fail_memory(err);
    for (size_t i = 0; i < batch->entry_count; i++) {
        if (is_slot(batch, i, rule))
            offsets[count++] = (int32_t)elements;
        elements +=
            repetition[i] <= node->repetition_level && definition[i] > node->definition_level;
    }
    offsets[count] = (int32_t)elements;
    out->size = (count + 1) * sizeof *offsets;
    return FRZ_OK;
}

/* The one child of a list: its elements, or a map's entries (a struct that is always there). */
static frz_status build_elements(assembly *work, const frz_parquet_node *node, const bool *selected,
                                 slot_rule rule, int64_t length, struct ArrowArray *out)
{
    if (node->shape == FRZ_PARQUET_SHAPE_LIST)
        return build(work, &node->children[0], selected, rule, out);
    slots at = {.count = (size_t)length};
    FRZ_TRY(begin_group(&at, NULL, node->child_count, out, work->err));
    return build_children(work, node, NULL, rule, out);
}

static frz_status build_list(assembly *work, const frz_parquet_node *node, const bool *selected,
                             slot_rule rule, struct ArrowArray *out)
{
    const frz_parquet_leaf_batch *batch = &work->next->batch;
    const slot_rule inner = {.repetition_max = (uint8_t)node->repetition_level,
                             .definition_min = (uint8_t)(node->definition_level + 1)};
    frz_status status = FRZ_OK;
    slots at = {0};
    frz_buffer offsets = {0};
    struct ArrowArray array = {0};
    int32_t length = 0;
    FRZ_TRY_DONE(find_slots(batch, node, rule, &at, work->err));
    FRZ_TRY_DONE(list_offsets(batch, node, rule, &offsets, work->err));
    memcpy(&length, offsets.data + offsets.size - sizeof length, sizeof length);
    FRZ_TRY_DONE(begin_group(&at, &offsets, 1, &array, work->err));
    FRZ_TRY_DONE(build_elements(work, node, selected, inner, length, array.children[0]));
    if (array.children[0]->length != length) {
        status = disagree(work, node);
        goto done;
    }
    *out = array;
    array = (struct ArrowArray){0};
done:
    frz_buffer_clear(&at.validity);
    frz_buffer_clear(&offsets);
    frz_arrow_array_clear(&array);
    return status;
}

static frz_status build(assembly *work, const frz_parquet_node *node, const bool *selected,
                        slot_rule rule, struct ArrowArray *out)
{
    switch (node->shape) {
    case FRZ_PARQUET_SHAPE_LEAF:
        return build_leaf(work, node, rule, out);
    case FRZ_PARQUET_SHAPE_STRUCT:
        return build_struct(work, node, selected, rule, out);
    case FRZ_PARQUET_SHAPE_LIST:
    case FRZ_PARQUET_SHAPE_MAP:
        break;
    }
    return build_list(work, node, selected, rule, out);
}

frz_status frz_parquet_assemble(const frz_parquet_node *node, const bool *leaf_selected,
                                frz_parquet_leaf_part *parts, int64_t rows, struct ArrowArray *out,
                                frz_error **err)
{
    assembly work = {.next = parts, .err = err};
    struct ArrowArray array = {0};
    frz_status status = build(&work, node, leaf_selected, (slot_rule){0}, &array);
    if (status == FRZ_OK && array.length != rows)
        status = disagree(&work, node);
    if (status != FRZ_OK) {
        frz_arrow_array_clear(&array);
        return status;
    }
    *out = array;
    return FRZ_OK;
}
