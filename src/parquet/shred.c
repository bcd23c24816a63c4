#include "parquet/shred.h"

#include <string.h>

#include "arrow/array.h"
#include "base/fail.h"
#include "base/mem.h"

static bool is_list(const frz_parquet_step *step)
{
    return step->kind == FRZ_ARROW_LIST || step->kind == FRZ_ARROW_MAP;
}

static bool has_nulls(const struct ArrowArray *array)
{
    return array->null_count != 0 && array->buffers[0];
}

void frz_parquet_leaf_range(const frz_parquet_leaf *leaf, const struct ArrowArray *batch,
                            int64_t start, int64_t count, int64_t *first_out, int64_t *end_out)
{
    const struct ArrowArray *array = batch;
    int64_t first = start + batch->offset;
    int64_t end = first + count;
    for (size_t i = 0; i < leaf->step_count; i++) {
        array = array->children[leaf->steps[i].child];
        first += array->offset;
        end += array->offset;
        if (is_list(&leaf->steps[i]) && first < end) {
            const int32_t *offsets = array->buffers[1];
            end = offsets[end];
            first = offsets[first];
        }
    }
    *first_out = first;
    *end_out = end;
}

static frz_status fail_required(const frz_parquet_leaf *leaf, int64_t row, frz_error **err)
{
    return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                    "column \"%s\": null in a required field, row %lld of the batch",
                    leaf->arrow_path, (long long)row);
}

static bool reserve(void **memory, size_t *capacity, size_t count, size_t size)
{
    size_t bytes = 0;
    if (count <= *capacity)
        return true;
    if (!frz_size_mul(count, size, &bytes))
        return false;
    void *grown = frz_realloc(*memory, bytes);
    if (!grown)
        return false;
    *memory = grown;
    *capacity = count;
    return true;
}

/* Columns below structs only: a slot is a row. */

/* Levels of rows below one more array; `level` is the level of a slot that is present so far. */
static void raise_levels(const struct ArrowArray *array, int64_t first, int64_t count,
                         uint8_t level, uint8_t *definition)
{
    if (!has_nulls(array)) {
        for (int64_t i = 0; i < count; i++)
            definition[i] = (uint8_t)(definition[i] + (definition[i] == level));
        return;
    }
    const uint8_t *valid = array->buffers[0];
    for (int64_t i = 0; i < count; i++)
        definition[i] =
            (uint8_t)(definition[i] + ((definition[i] == level) & frz_bit_get(valid, first + i)));
}

static frz_status check_present(const frz_parquet_leaf *leaf, const struct ArrowArray *array,
                                int64_t first, const frz_parquet_shredded *rows, uint8_t level,
                                frz_error **err)
{
    for (int64_t i = 0; i < rows->slot_count; i++)
        if ((!rows->definition || rows->definition[i] == level) &&
            !frz_bit_get(array->buffers[0], first + i))
            return fail_required(leaf, rows->start + i, err);
    return FRZ_OK;
}

/* Positions of the slots that have a value, from the leaf position of the first slot on. */
static void collect_places(frz_parquet_shredded *out, int64_t first, uint8_t level)
{
    const uint8_t *definition = out->definition;
    int32_t *places = out->places;
    int64_t count = 0;
    for (int64_t i = 0; i < out->slot_count; i++) {
        places[count] = (int32_t)(first + i);
        count += definition[i] == level;
    }
    out->indexes = places;
    out->value_count = count;
}

static frz_status shred_flat(const frz_parquet_leaf *leaf, const struct ArrowArray *batch,
                             int64_t start, int64_t count, frz_parquet_shredded *out,
                             frz_error **err)
{
    const struct ArrowArray *array = batch;
    int64_t first = start + batch->offset;
    uint8_t level = 0;
    uint8_t *definition = NULL; /* made when the first null may be there */
    out->slot_count = count;
    out->start = start;
    out->definition = NULL;
    for (size_t i = 0; i < leaf->step_count; i++) {
        const frz_parquet_step *step = &leaf->steps[i];
        array = array->children[step->child];
        first += array->offset;
        if (!step->nullable) {
            if (has_nulls(array))
                FRZ_TRY(check_present(leaf, array, first, out, level, err));
            continue;
        }
        if (has_nulls(array) && !definition) {
            if (!reserve((void **)&out->bytes, &out->byte_capacity, (size_t)count, 1) ||
                !reserve((void **)&out->places, &out->place_capacity, (size_t)count,
                         sizeof *out->places))
                return frz_fail_memory(err);
            definition = out->bytes;
            memset(definition, level, (size_t)count);
            out->definition = definition;
        }
        if (definition)
            raise_levels(array, first, count, level, definition);
        level++;
    }
    out->leaf = array;
    out->repetition = NULL;
    out->dense = out->full = definition == NULL;
    out->first = first;
    out->value_count = count;
    if (definition)
        collect_places(out, first, level);
    return FRZ_OK;
}

/*
 * Columns below lists: slots are followed from array to array. A slot has levels and the position
 * of what it stands for in the present array, or -1 when that is missing.
 */
typedef struct slot_set {
    uint8_t *definition;
    uint8_t *repetition;
    int32_t *places;
    size_t count;
    size_t capacity;
    int64_t start; /* row of the batch that the first slot belongs to */
} slot_set;

static bool reserve_slots(slot_set *slots, size_t capacity)
{
    if (capacity <= slots->capacity)
        return true;
    size_t definitions = slots->capacity;
    size_t repetitions = slots->capacity;
    size_t places = slots->capacity;
    if (!reserve((void **)&slots->definition, &definitions, capacity, 1) ||
        !reserve((void **)&slots->repetition, &repetitions, capacity, 1) ||
        !reserve((void **)&slots->places, &places, capacity, sizeof *slots->places))
        return false;
    slots->capacity = capacity;
    return true;
}

static void clear_slots(slot_set *slots)
{
    frz_free(slots->definition);
    frz_free(slots->repetition);
    frz_free(slots->places);
    *slots = (slot_set){0};
}

/* Slots of the array's own rows: places become positions in its buffers, nulls end their slots. */
static frz_status enter_array(const frz_parquet_leaf *leaf, const frz_parquet_step *step,
                              const struct ArrowArray *array, slot_set *slots, frz_error **err)
{
    const uint8_t *valid = has_nulls(array) ? array->buffers[0] : NULL;
    int64_t row = slots->start - 1;
    for (size_t i = 0; i < slots->count; i++) {
        row += slots->repetition[i] == 0;
        if (slots->places[i] < 0)
            continue;
        slots->places[i] += (int32_t)array->offset;
        const bool present = !valid || frz_bit_get(valid, slots->places[i]);
        if (!step->nullable && !present)
            return fail_required(leaf, row, err);
        if (!present)
            slots->places[i] = -1;
        else if (step->nullable)
            slots->definition[i]++;
    }
    return FRZ_OK;
}

static size_t count_items(const int32_t *offsets, const slot_set *slots)
{
    size_t count = 0;
    for (size_t i = 0; i < slots->count; i++) {
        const int32_t place = slots->places[i];
        const int32_t items = place < 0 ? 0 : offsets[place + 1] - offsets[place];
        count += items > 0 ? (size_t)items : 1;
    }
    return count;
}

/* One slot per item; an empty list keeps its one slot, which ends there. */
static frz_status enter_items(const struct ArrowArray *list, uint8_t repetition_level,
                              const slot_set *slots, slot_set *out, frz_error **err)
{
    const int32_t *offsets = list->buffers[1];
    if (!reserve_slots(out, count_items(offsets, slots)))
        return frz_fail_memory(err);
    size_t at = 0;
    for (size_t i = 0; i < slots->count; i++) {
        const int32_t place = slots->places[i];
        const int32_t items = place < 0 ? 0 : offsets[place + 1] - offsets[place];
        out->definition[at] = (uint8_t)(slots->definition[i] + (items > 0));
        out->repetition[at] = slots->repetition[i];
        out->places[at++] = items > 0 ? offsets[place] : -1;
        for (int32_t item = 1; item < items; item++) {
            out->definition[at] = (uint8_t)(slots->definition[i] + 1);
            out->repetition[at] = repetition_level;
            out->places[at++] = offsets[place] + item;
        }
    }
    out->count = at;
    out->start = slots->start;
    return FRZ_OK;
}

/* Hands the slots of the leaf over to `out`, which owns their memory from then on. */
static void take_slots(frz_parquet_shredded *out, slot_set *slots)
{
    frz_parquet_shredded_clear(out);
    out->slot_count = (int64_t)slots->count;
    out->definition = out->bytes = slots->definition;
    out->repetition = out->repetition_bytes = slots->repetition;
    out->indexes = out->places = slots->places;
    out->byte_capacity = out->place_capacity = slots->capacity;
    size_t count = 0;
    for (size_t i = 0; i < slots->count; i++)
        if (slots->places[i] >= 0)
            slots->places[count++] = slots->places[i];
    out->value_count = (int64_t)count;
    out->full = count == slots->count;
    if (out->full)
        out->definition = NULL;
    *slots = (slot_set){0};
}

static frz_status shred_nested(const frz_parquet_leaf *leaf, const struct ArrowArray *batch,
                               int64_t start, int64_t count, frz_parquet_shredded *out,
                               frz_error **err)
{
    frz_status status = FRZ_OK;
    const struct ArrowArray *array = batch;
    uint8_t repetition_level = 0;
    slot_set slots = {0};
    slot_set next = {0};
    if (!reserve_slots(&slots, count ? (size_t)count : 1)) {
        status = frz_fail_memory(err);
        goto done;
    }
    slots.count = (size_t)count;
    slots.start = start;
    memset(slots.definition, 0, (size_t)count);
    memset(slots.repetition, 0, (size_t)count);
    for (int64_t i = 0; i < count; i++)
        slots.places[i] = (int32_t)(batch->offset + start + i);
    for (size_t i = 0; i < leaf->step_count; i++) {
        const frz_parquet_step *step = &leaf->steps[i];
        array = array->children[step->child];
        FRZ_TRY_DONE(enter_array(leaf, step, array, &slots, err));
        if (!is_list(step))
            continue;
        FRZ_TRY_DONE(enter_items(array, ++repetition_level, &slots, &next, err));
        const slot_set entered = next;
        next = slots;
        slots = entered;
    }
    take_slots(out, &slots);
    out->leaf = array;
done:
    clear_slots(&slots);
    clear_slots(&next);
    return status;
}

frz_status frz_parquet_shred(const frz_parquet_leaf *leaf, const struct ArrowArray *batch,
                             int64_t start, int64_t count, frz_parquet_shredded *out,
                             frz_error **err)
{
    if (leaf->node->max_repetition == 0)
        return shred_flat(leaf, batch, start, count, out, err);
    return shred_nested(leaf, batch, start, count, out, err);
}

void frz_parquet_shredded_clear(frz_parquet_shredded *shredded)
{
    frz_free(shredded->bytes);
    frz_free(shredded->repetition_bytes);
    frz_free(shredded->places);
    *shredded = (frz_parquet_shredded){0};
}
