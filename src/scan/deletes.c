#include "scan/deletes.h"

#include <stdatomic.h>

#include "base/fail.h"
#include "base/map.h"
#include "base/mem.h"
#include "io/file.h"
#include "puffin/deletion_vector.h"
#include "scan/position_deletes.h"

struct frz_delete_set {
    atomic_size_t references;
    frz_bitmap *bitmap; /* owned */
};

const frz_bitmap *frz_delete_set_bitmap(const frz_delete_set *set)
{
    return set->bitmap;
}

static void *ref_set(void *value)
{
    frz_delete_set *set = value;
    atomic_fetch_add(&set->references, 1);
    return set;
}

static void unref_set(void *value)
{
    frz_delete_set_unref(value);
}

static const frz_cache_ops set_cache_ops = {.ref = ref_set, .unref = unref_set};

void frz_delete_set_unref(frz_delete_set *set)
{
    if (!set || atomic_fetch_sub(&set->references, 1) != 1)
        return;
    frz_bitmap_free(set->bitmap);
    frz_free(set);
}

/* Takes `bitmap`, also on failure. */
static frz_status new_set(frz_bitmap *bitmap, frz_delete_set **out, frz_error **err)
{
    frz_delete_set *set = frz_alloc_zero(sizeof *set);
    if (!set) {
        frz_bitmap_free(bitmap);
        return frz_fail_memory(err);
    }
    set->references = 1;
    set->bitmap = bitmap;
    *out = set;
    return FRZ_OK;
}

static frz_status load_vector(const frz_scan *scan, const frz_scan_task *task, frz_delete_set **out,
                              frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_buffer key = {0};
    frz_bitmap *bitmap = NULL;
    char *path = NULL;
    const frz_data_file *file = &task->deletes[0]->file;

    frz_buffer_append_byte(&key, 'd');
    frz_buffer_append(&key, file->path.data, file->path.size);
    frz_buffer_append_u64le(&key, (uint64_t)file->content_offset);
    frz_buffer_append_u64le(&key, (uint64_t)file->content_size);
    /* What it was checked against: another entry for the same bytes is checked again. */
    frz_buffer_append_u64le(&key, (uint64_t)file->record_count);
    FRZ_TRY_DONE(frz_buffer_check(&key, err));
    *out = frz_cache_find(scan->cache, frz_buffer_slice(&key));
    if (*out)
        goto done;

    path = frz_copy_text_n((const char *)file->path.data, file->path.size);
    if (!path) {
        status = frz_fail_memory(err);
        goto done;
    }
    FRZ_TRY_DONE(frz_deletion_vector_read(scan->io, path, file->content_offset, file->content_size,
                                          file->record_count, &bitmap, err));
    const size_t weight = frz_bitmap_memory(bitmap);
    FRZ_TRY_DONE(new_set(bitmap, out, err));
    frz_cache_put(scan->cache, frz_buffer_slice(&key), *out, weight, &set_cache_ops);

done:
    frz_free(path);
    frz_buffer_clear(&key);
    return status;
}

/* A vector that names rows beyond the file is not this file's: counts from metadata would be wrong.
 */
static frz_status check_vector(const frz_scan_task *task, const frz_delete_set *set,
                               frz_error **err)
{
    const int64_t last = frz_bitmap_last(set->bitmap);
    if (last < task->entry->file.record_count)
        return FRZ_OK;
    const frz_data_file *file = &task->deletes[0]->file;
    return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                    "deletion vector %.*s at %lld deletes row %lld of a data file of %lld rows",
                    (int)file->path.size, (const char *)file->path.data,
                    (long long)file->content_offset, (long long)last,
                    (long long)task->entry->file.record_count);
}

static frz_status load_position_files(const frz_scan *scan, const frz_scan_task *task,
                                      frz_delete_set **out, frz_error **err)
{
    frz_bitmap *bitmap = NULL;
    FRZ_TRY(frz_bitmap_new(&bitmap, err));
    for (size_t i = 0; i < task->delete_count; i++) {
        const frz_status status = frz_position_deletes_collect(scan, task->deletes[i],
                                                               task->entry->file.path, bitmap, err);
        if (status != FRZ_OK) {
            frz_bitmap_free(bitmap);
            return status;
        }
    }
    if (frz_bitmap_cardinality(bitmap) == 0) {
        frz_bitmap_free(bitmap);
        *out = NULL;
        return FRZ_OK;
    }
    return new_set(bitmap, out, err);
}

frz_status frz_delete_set_join(frz_delete_set **set, const frz_bitmap *more, frz_error **err)
{
    frz_bitmap *all = NULL;
    frz_delete_set *joined = NULL;
    FRZ_TRY(frz_bitmap_new(&all, err));
    frz_status status = *set ? frz_bitmap_or(all, (*set)->bitmap, err) : FRZ_OK;
    if (status == FRZ_OK)
        status = frz_bitmap_or(all, more, err);
    if (status != FRZ_OK) {
        frz_bitmap_free(all);
        return status;
    }
    FRZ_TRY(new_set(all, &joined, err));
    frz_delete_set_unref(*set);
    *set = joined;
    return FRZ_OK;
}

frz_status frz_task_load_deletes(const frz_scan *scan, const frz_scan_task *task,
                                 frz_delete_set **out, frz_error **err)
{
    *out = NULL;
    if (!task->delete_count)
        return FRZ_OK;
    if (task->deletes[0]->file.format != FRZ_FORMAT_PUFFIN)
        return load_position_files(scan, task, out, err);
    frz_delete_set *set = NULL;
    FRZ_TRY(load_vector(scan, task, &set, err));
    const frz_status status = check_vector(task, set, err);
    if (status != FRZ_OK)
        frz_delete_set_unref(set);
    else
        *out = set;
    return status;
}
