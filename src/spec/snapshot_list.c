#include "spec/snapshot_list.h"

#include <stdatomic.h>

#include "base/fail.h"
#include "base/map.h"
#include "base/mem.h"

/* The texts and arrays that snapshots point to. Filled by who holds the end of the list's tape. */
struct frz_snapshot_store {
    atomic_size_t references;
    frz_arena arena;
};

/* Where the first `count` snapshots of a list are. */
struct frz_snapshot_index {
    atomic_size_t references;
    frz_map by_id;
    size_t count;
};

/* A list is searched from its end up to what the index has: at most these, and a part of all. */
enum { UNINDEXED_MAX = 64, UNINDEXED_PART = 4 };

static void unref_store(frz_snapshot_store *store)
{
    if (atomic_fetch_sub_explicit(&store->references, 1, memory_order_acq_rel) > 1)
        return;
    frz_arena_clear(&store->arena);
    frz_free(store);
}

static void unref_index(frz_snapshot_index *index)
{
    if (!index || atomic_fetch_sub_explicit(&index->references, 1, memory_order_acq_rel) > 1)
        return;
    frz_map_clear(&index->by_id);
    frz_free(index);
}

const frz_snapshot *frz_snapshot_list_items(const frz_snapshot_list *list)
{
    return frz_tape_bytes(list->items);
}

/* All that is shared is copied into a store of its own: each of many versions may have added one.
 */
static frz_status gather(frz_snapshot_list *list, frz_error **err)
{
    frz_snapshot_list gathered = {.budget = list->budget};
    const frz_snapshot *items = frz_snapshot_list_items(list);
    for (size_t i = 0; i < list->count; i++) {
        const frz_status status = frz_snapshot_list_add(&gathered, &items[i], err);
        if (status != FRZ_OK) {
            frz_snapshot_list_clear(&gathered);
            return status;
        }
    }
    gathered.index = list->index;
    gathered.checked = list->checked;
    gathered.printed = list->printed;
    gathered.printed_for_v1 = list->printed_for_v1;
    list->index = NULL;
    list->printed = (frz_printed){0};
    frz_snapshot_list_clear(list);
    *list = gathered;
    return FRZ_OK;
}

static frz_status start_store(frz_snapshot_list *list, frz_error **err)
{
    frz_snapshot_store *store = frz_alloc_zero(sizeof *store);
    if (!store)
        return frz_fail_memory(err);
    atomic_init(&store->references, 1);
    store->arena.budget = list->budget;
    list->stores[list->store_count++] = store;
    list->end_holder = list->items;
    return FRZ_OK;
}

frz_status frz_snapshot_list_slot(frz_snapshot_list *list, frz_snapshot **slot_out,
                                  frz_arena **arena_out, frz_error **err)
{
    if (list->store_count == FRZ_SNAPSHOT_STORES_MAX)
        FRZ_TRY(gather(list, err));
    const frz_tape *before = list->items;
    frz_snapshot *slot = frz_tape_extend(&list->items, list->count * sizeof *slot, sizeof *slot);
    if (!slot)
        return frz_fail_memory(err);
    if (list->items != before)
        list->end_holder = NULL;
    if (!list->end_holder)
        FRZ_TRY(start_store(list, err));
    *slot_out = slot;
    *arena_out = &list->stores[list->store_count - 1]->arena;
    return FRZ_OK;
}

void frz_snapshot_list_add_slot(frz_snapshot_list *list)
{
    list->count++;
}

static bool copy_text(frz_arena *arena, const char *text, const char **out)
{
    *out = text ? frz_arena_text(arena, text) : NULL;
    return !text || *out;
}

static bool copy_summary(frz_arena *arena, const frz_snapshot *snapshot, frz_snapshot *out)
{
    const size_t count = snapshot->summary_count;
    frz_property *summary = frz_arena_array(arena, count, sizeof *summary);
    bool copied = summary != NULL;
    for (size_t i = 0; i < count && copied; i++)
        copied = copy_text(arena, snapshot->summary[i].key, &summary[i].key) &&
                 copy_text(arena, snapshot->summary[i].value, &summary[i].value);
    out->summary = summary;
    return copied;
}

static bool copy_manifests(frz_arena *arena, const frz_snapshot *snapshot, frz_snapshot *out)
{
    const size_t count = snapshot->manifest_count;
    const char **manifests = frz_arena_array(arena, count, sizeof *manifests);
    bool copied = manifests != NULL;
    for (size_t i = 0; i < count && copied; i++)
        copied = copy_text(arena, snapshot->manifests[i], &manifests[i]);
    out->manifests = manifests;
    return copied;
}

frz_status frz_snapshot_list_add(frz_snapshot_list *list, const frz_snapshot *snapshot,
                                 frz_error **err)
{
    frz_snapshot *slot = NULL;
    frz_arena *arena = NULL;
    frz_snapshot out = *snapshot;
    out.unknown = (frz_slice){0};
    FRZ_TRY(frz_snapshot_list_slot(list, &slot, &arena, err));
    if (!copy_text(arena, snapshot->operation, &out.operation) ||
        !copy_text(arena, snapshot->manifest_list, &out.manifest_list) ||
        !copy_text(arena, snapshot->key_id, &out.key_id) || !copy_summary(arena, snapshot, &out) ||
        !copy_manifests(arena, snapshot, &out) ||
        (snapshot->unknown.size && !frz_arena_slice(arena, snapshot->unknown, &out.unknown)))
        return frz_fail_memory(err);
    *slot = out;
    frz_snapshot_list_add_slot(list);
    return FRZ_OK;
}

frz_status frz_snapshot_list_remove(frz_snapshot_list *list,
                                    bool (*gone)(const void *context, int64_t snapshot_id),
                                    const void *context, bool *any_out, frz_error **err)
{
    const frz_snapshot *items = frz_snapshot_list_items(list);
    frz_tape *left = NULL;
    size_t kept = 0;
    frz_snapshot *out = frz_tape_extend(&left, 0, list->count * sizeof *out);
    if (!out)
        return frz_fail_memory(err);
    for (size_t i = 0; i < list->count; i++)
        if (!gone(context, items[i].snapshot_id))
            out[kept++] = items[i];
    if (kept == list->count) {
        frz_tape_unref(left);
        return FRZ_OK;
    }
    frz_tape_unref(list->items);
    list->items = left;
    list->end_holder = NULL;
    list->count = kept;
    unref_index(list->index);
    list->index = NULL;
    list->checked = 0;
    frz_printed_clear(&list->printed);
    *any_out = true;
    return FRZ_OK;
}

static size_t indexed(const frz_snapshot_list *list)
{
    return list->index ? list->index->count : 0;
}

/* Among the first `count`. */
static const frz_snapshot *find_among(const frz_snapshot_list *list, size_t count,
                                      int64_t snapshot_id)
{
    const frz_snapshot *items = frz_snapshot_list_items(list);
    const size_t behind = indexed(list);
    for (size_t i = count; i > behind; i--)
        if (items[i - 1].snapshot_id == snapshot_id)
            return &items[i - 1];
    const frz_map_value *at = behind ? frz_map_find_i64(&list->index->by_id, snapshot_id) : NULL;
    return at ? &items[at->number] : NULL;
}

const frz_snapshot *frz_snapshot_list_find(const frz_snapshot_list *list, int64_t snapshot_id)
{
    return find_among(list, list->count, snapshot_id);
}

static frz_status fail_twice(int64_t snapshot_id, frz_error **err)
{
    return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "two snapshots have the id %lld",
                    (long long)snapshot_id);
}

static frz_status fill_index(const frz_snapshot_list *list, frz_snapshot_index *index,
                             frz_error **err)
{
    const frz_snapshot *items = frz_snapshot_list_items(list);
    if (!frz_map_reserve_i64(&index->by_id, list->count))
        return frz_fail_memory(err);
    for (size_t i = 0; i < list->count; i++) {
        const int64_t id = items[i].snapshot_id;
        if (frz_map_find_i64(&index->by_id, id))
            return fail_twice(id, err);
        if (!frz_map_put_i64(&index->by_id, id, (frz_map_value){.number = (int64_t)i}))
            return frz_fail_memory(err);
    }
    index->count = list->count;
    return FRZ_OK;
}

static frz_status make_index(frz_snapshot_list *list, frz_error **err)
{
    frz_snapshot_index *index = frz_alloc_zero(sizeof *index);
    if (!index)
        return frz_fail_memory(err);
    atomic_init(&index->references, 1);
    const frz_status status = fill_index(list, index, err);
    if (status != FRZ_OK) {
        unref_index(index);
        return status;
    }
    unref_index(list->index);
    list->index = index;
    return FRZ_OK;
}

frz_status frz_snapshot_list_seal(frz_snapshot_list *list, frz_error **err)
{
    const frz_snapshot *items = frz_snapshot_list_items(list);
    const size_t behind = indexed(list);
    if (list->count - behind > UNINDEXED_MAX + behind / UNINDEXED_PART) {
        FRZ_TRY(make_index(list, err));
        list->checked = list->count;
    }
    for (; list->checked < list->count; list->checked++)
        if (find_among(list, list->checked, items[list->checked].snapshot_id))
            return fail_twice(items[list->checked].snapshot_id, err);
    return FRZ_OK;
}

static void write_items(const frz_snapshot *items, size_t first, size_t end, int format_version,
                        frz_json_writer *json)
{
    for (size_t i = first; i < end; i++)
        frz_snapshot_write_json(&items[i], format_version, json);
}

static void write_v1(const void *list, size_t first, size_t end, frz_json_writer *json)
{
    write_items(frz_snapshot_list_items(list), first, end, 1, json);
}

static void write_later(const void *list, size_t first, size_t end, frz_json_writer *json)
{
    write_items(frz_snapshot_list_items(list), first, end, 2, json);
}

frz_status frz_snapshot_list_print(frz_snapshot_list *list, int format_version, frz_error **err)
{
    const bool v1 = format_version == 1;
    if (list->printed_for_v1 != v1)
        frz_printed_clear(&list->printed);
    list->printed_for_v1 = v1;
    return frz_printed_complete(&list->printed, list, list->count, v1 ? write_v1 : write_later,
                                err);
}

bool frz_snapshot_list_text(const frz_snapshot_list *list, int format_version, frz_slice *out)
{
    if (list->printed.count != list->count || list->printed_for_v1 != (format_version == 1))
        return false;
    *out = frz_printed_text(&list->printed);
    return true;
}

void frz_snapshot_list_share(const frz_snapshot_list *list, frz_snapshot_list *out)
{
    *out = *list;
    out->budget = 0;
    (void)frz_tape_ref(out->items);
    for (size_t i = 0; i < out->store_count; i++)
        (void)atomic_fetch_add_explicit(&out->stores[i]->references, 1, memory_order_relaxed);
    if (out->index)
        (void)atomic_fetch_add_explicit(&out->index->references, 1, memory_order_relaxed);
    out->printed = frz_printed_share(&list->printed);
}

void frz_snapshot_list_clear(frz_snapshot_list *list)
{
    frz_tape_unref(list->items);
    for (size_t i = 0; i < list->store_count; i++)
        unref_store(list->stores[i]);
    unref_index(list->index);
    frz_printed_clear(&list->printed);
    *list = (frz_snapshot_list){0};
}
