#include "spec/snapshot_store.h"

#include <stdatomic.h>

#include "base/fail.h"
#include "base/mem.h"

struct frz_snapshot_store {
    atomic_size_t references;
    frz_arena arena;
};

frz_status frz_snapshot_store_new(frz_snapshot_store **out, frz_error **err)
{
    frz_snapshot_store *store = frz_alloc_zero(sizeof *store);
    if (!store)
        return frz_fail_memory(err);
    atomic_init(&store->references, 1);
    *out = store;
    return FRZ_OK;
}

frz_snapshot_store *frz_snapshot_store_ref(frz_snapshot_store *store)
{
    (void)atomic_fetch_add_explicit(&store->references, 1, memory_order_relaxed);
    return store;
}

void frz_snapshot_store_unref(frz_snapshot_store *store)
{
    if (!store || atomic_fetch_sub_explicit(&store->references, 1, memory_order_acq_rel) > 1)
        return;
    frz_arena_clear(&store->arena);
    frz_free(store);
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

static bool copy_parts(frz_arena *arena, const frz_snapshot *snapshot, frz_snapshot *out)
{
    *out = *snapshot;
    out->unknown = (frz_slice){0};
    return copy_text(arena, snapshot->operation, &out->operation) &&
           copy_text(arena, snapshot->manifest_list, &out->manifest_list) &&
           copy_text(arena, snapshot->key_id, &out->key_id) && copy_summary(arena, snapshot, out) &&
           copy_manifests(arena, snapshot, out) &&
           (snapshot->unknown.size == 0 ||
            frz_arena_slice(arena, snapshot->unknown, &out->unknown));
}

frz_status frz_snapshot_store_add(frz_snapshot_store *store, const frz_snapshot *snapshot,
                                  int format_version, frz_snapshot *out, frz_error **err)
{
    frz_snapshot copy;
    frz_buffer text = {0};
    frz_json_writer json = frz_json_writer_to(&text, 0);
    if (!copy_parts(&store->arena, snapshot, &copy))
        return frz_fail_memory(err);
    frz_snapshot_write_json(&copy, format_version, &json);
    frz_status status = frz_buffer_check(&text, err);
    if (status == FRZ_OK && !frz_arena_slice(&store->arena, frz_buffer_slice(&text), &copy.text))
        status = frz_fail_memory(err);
    frz_buffer_clear(&text);
    copy.text_version = format_version;
    if (status == FRZ_OK)
        *out = copy;
    return status;
}

bool frz_snapshot_is_stored(const frz_snapshot *snapshot, int format_version)
{
    return snapshot->text.size > 0 && (snapshot->text_version > 1) == (format_version > 1);
}
