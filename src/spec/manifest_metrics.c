#include "spec/manifest_metrics.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/mem.h"

static const size_t NOWHERE = SIZE_MAX;

frz_status frz_metric_map_bind(const frz_column *map, frz_metric which, frz_metric_map *out,
                               frz_error **err)
{
    frz_column items = {0};
    *out = (frz_metric_map){0};
    if (!map->array)
        return FRZ_OK;
    FRZ_TRY(frz_column_child(map->schema, map->array, 0, FRZ_COLUMN_STRUCT, &items, err));
    if (!items.array)
        return FRZ_OK;
    FRZ_TRY(frz_column_child(items.schema, items.array, 0, FRZ_COLUMN_INTEGER, &out->keys, err));
    FRZ_TRY(frz_column_child(items.schema, items.array, 1,
                             which >= FRZ_METRIC_LOWER ? FRZ_COLUMN_BYTES : FRZ_COLUMN_INTEGER,
                             &out->values, err));
    out->map = *map;
    return FRZ_OK;
}

void frz_metric_keys_clear(frz_metric_keys *keys)
{
    frz_free(keys->ids);
    *keys = (frz_metric_keys){0};
}

static int compare_ids(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a;
    const int32_t y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static size_t search(const int32_t *ids, size_t count, int32_t id)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (ids[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && ids[low] == id ? low : NOWHERE;
}

static bool is_wanted(const frz_manifest_fields *wanted, int32_t id)
{
    return !wanted || wanted->all_metrics ||
           search(wanted->metric_ids, wanted->metric_id_count, id) != NOWHERE;
}

/* Sorts and drops repeats. */
static void tidy(frz_metric_keys *keys)
{
    size_t kept = 0;
    qsort(keys->ids, keys->count, sizeof *keys->ids, compare_ids);
    for (size_t i = 0; i < keys->count; i++)
        if (kept == 0 || keys->ids[kept - 1] != keys->ids[i])
            keys->ids[kept++] = keys->ids[i];
    keys->count = kept;
}

/* Where `id` stands, tried first behind the last one found: writers keep one order in all maps. */
static size_t locate(const int32_t *ids, size_t count, int32_t id, size_t *hint)
{
    size_t at = *hint;
    if (at >= count || ids[at] != id)
        at = search(ids, count, id);
    if (at != NOWHERE)
        *hint = at + 1;
    return at;
}

/* The ids of all maps, ascending, each once. */
static frz_status gather_ids(const frz_metric_map *maps, int64_t row,
                             const frz_manifest_fields *wanted, frz_metric_keys *keys,
                             frz_error **err)
{
    keys->count = 0;
    for (int m = 0; m < FRZ_METRIC_COUNT; m++) {
        const size_t sorted = keys->count;
        bool ascending = true;
        size_t hint = 0;
        int64_t start = 0;
        int64_t end = 0;
        frz_column_range(&maps[m].map, row, &start, &end);
        for (int64_t i = start; i < end; i++) {
            const int32_t id = (int32_t)frz_column_i64(&maps[m].keys, i, 0);
            if (!is_wanted(wanted, id) || locate(keys->ids, sorted, id, &hint) != NOWHERE)
                continue;
            if (!frz_grow_array((void **)&keys->ids, &keys->capacity, keys->count,
                                sizeof *keys->ids))
                return frz_fail_memory(err);
            ascending &= keys->count == 0 || keys->ids[keys->count - 1] < id;
            keys->ids[keys->count++] = id;
        }
        if (!ascending)
            tidy(keys);
    }
    return FRZ_OK;
}

static void set_metric(frz_column_metrics *out, frz_metric which, const frz_column *values,
                       int64_t at)
{
    const bool present = !frz_column_is_null(values, at);
    int64_t count = -1;
    if (which < FRZ_METRIC_LOWER) {
        count = frz_column_i64(values, at, -1);
        if (count < 0) /* some writers mean unknown by it */
            count = -1;
    }
    switch (which) {
    case FRZ_METRIC_COLUMN_SIZE:
        out->column_size = count;
        return;
    case FRZ_METRIC_VALUE_COUNT:
        out->value_count = count;
        return;
    case FRZ_METRIC_NULL_COUNT:
        out->null_count = count;
        return;
    case FRZ_METRIC_NAN_COUNT:
        out->nan_count = count;
        return;
    case FRZ_METRIC_LOWER:
        out->has_lower = present;
        out->lower = frz_column_bytes(values, at);
        return;
    case FRZ_METRIC_UPPER:
        out->has_upper = present;
        out->upper = frz_column_bytes(values, at);
        return;
    case FRZ_METRIC_COUNT:
        return;
    }
}

static void fill(const frz_metric_map *maps, int64_t row, const frz_metric_keys *keys,
                 frz_column_metrics *columns)
{
    for (size_t i = 0; i < keys->count; i++)
        columns[i] = (frz_column_metrics){.field_id = keys->ids[i],
                                          .column_size = -1,
                                          .value_count = -1,
                                          .null_count = -1,
                                          .nan_count = -1};
    for (int m = 0; m < FRZ_METRIC_COUNT; m++) {
        size_t hint = 0;
        int64_t start = 0;
        int64_t end = 0;
        frz_column_range(&maps[m].map, row, &start, &end);
        for (int64_t i = start; i < end; i++) {
            const int32_t id = (int32_t)frz_column_i64(&maps[m].keys, i, 0);
            const size_t at = locate(keys->ids, keys->count, id, &hint);
            if (at != NOWHERE)
                set_metric(&columns[at], (frz_metric)m, &maps[m].values, i);
        }
    }
}

frz_status frz_metrics_read(const frz_metric_map maps[FRZ_METRIC_COUNT], int64_t row,
                            const frz_manifest_fields *wanted, frz_metric_keys *scratch,
                            frz_arena *arena, frz_data_file *out, frz_error **err)
{
    out->metric_maps = 0;
    for (int m = 0; m < FRZ_METRIC_COUNT; m++)
        if (maps[m].map.array && !frz_column_is_null(&maps[m].map, row))
            out->metric_maps |= (uint8_t)(1u << m);
    FRZ_TRY(gather_ids(maps, row, wanted, scratch, err));
    if (scratch->count == 0)
        return FRZ_OK;
    frz_column_metrics *columns = frz_arena_array(arena, scratch->count, sizeof *columns);
    if (!columns)
        return frz_fail_memory(err);
    fill(maps, row, scratch, columns);
    out->columns = columns;
    out->column_count = scratch->count;
    return FRZ_OK;
}
