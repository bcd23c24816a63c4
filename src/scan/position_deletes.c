#include "scan/position_deletes.h"

#include <stdatomic.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "base/map.h"
#include "base/mem.h"
#include "io/file.h"
#include "scan/row_reader.h"

/* The positions one delete file holds, by data file. */
typedef struct position_sets {
    atomic_size_t references;
    frz_arena paths;
    frz_map map;          /* path -> frz_bitmap */
    frz_bitmap **bitmaps; /* owned */
    size_t count;
    size_t capacity;
    size_t weight;
    frz_io *io; /* borrowed while it is filled: keys are paths as it resolves them */
} position_sets;

static void *ref_sets(void *value)
{
    position_sets *sets = value;
    atomic_fetch_add(&sets->references, 1);
    return sets;
}

static void unref_sets(void *value)
{
    position_sets *sets = value;
    if (!sets || atomic_fetch_sub(&sets->references, 1) != 1)
        return;
    for (size_t i = 0; i < sets->count; i++)
        frz_bitmap_free(sets->bitmaps[i]);
    frz_free(sets->bitmaps);
    frz_map_clear(&sets->map);
    frz_arena_clear(&sets->paths);
    frz_free(sets);
}

static const frz_cache_ops sets_cache_ops = {.ref = ref_sets, .unref = unref_sets};

static frz_status find_or_add(position_sets *sets, frz_slice path, frz_bitmap **out,
                              frz_error **err)
{
    const frz_map_value *found = frz_map_find(&sets->map, path);
    if (found) {
        *out = found->pointer;
        return FRZ_OK;
    }
    frz_slice kept = {0};
    if (!frz_grow_array((void **)&sets->bitmaps, &sets->capacity, sets->count, sizeof(void *)) ||
        !frz_arena_slice(&sets->paths, path, &kept))
        return frz_fail_memory(err);
    frz_bitmap *bitmap = NULL;
    FRZ_TRY(frz_bitmap_new(&bitmap, err));
    if (!frz_map_put(&sets->map, kept, (frz_map_value){.pointer = bitmap})) {
        frz_bitmap_free(bitmap);
        return frz_fail_memory(err);
    }
    sets->bitmaps[sets->count++] = bitmap;
    *out = bitmap;
    return FRZ_OK;
}

static frz_status bitmap_of(position_sets *sets, frz_slice path, frz_bitmap **out, frz_error **err)
{
    frz_buffer resolved = {0};
    frz_status status = frz_io_resolve(sets->io, path, &resolved, err);
    if (status == FRZ_OK)
        status = find_or_add(sets, frz_buffer_slice(&resolved), out, err);
    frz_buffer_clear(&resolved);
    return status;
}

static frz_status add_batch(position_sets *sets, const struct ArrowArray *paths,
                            const struct ArrowArray *positions, frz_error **err)
{
    const int32_t *offsets = paths->buffers[1];
    const uint8_t *text = paths->buffers[2];
    const int64_t *values = positions->buffers[1];
    frz_slice current = {0};
    frz_bitmap *bitmap = NULL;

    for (int64_t i = 0; i < paths->length; i++) {
        if (frz_arrow_is_null(paths, i) || frz_arrow_is_null(positions, i))
            return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "a position delete is null");
        const frz_slice path =
            frz_slice_of(text + offsets[i], (size_t)(offsets[i + 1] - offsets[i]));
        if (!bitmap || !frz_slice_equal(path, current)) {
            FRZ_TRY(bitmap_of(sets, path, &bitmap, err));
            current = path;
        }
        if (values[i] < 0)
            return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "position %lld is negative",
                            (long long)values[i]);
        FRZ_TRY(frz_bitmap_add(bitmap, values[i], err));
    }
    return FRZ_OK;
}

/* "Position Delete Files": file_path and pos; the optional row is not needed. */
static frz_status read_file(const frz_scan *scan, const frz_data_file *entry, position_sets *sets,
                            frz_error **err)
{
    const frz_field fields[] = {{.id = FRZ_FIELD_ID_DELETE_FILE_PATH,
                                 .name = "file_path",
                                 .required = true,
                                 .type = frz_type_of(FRZ_TYPE_STRING)},
                                {.id = FRZ_FIELD_ID_DELETE_POS,
                                 .name = "pos",
                                 .required = true,
                                 .type = frz_type_of(FRZ_TYPE_LONG)}};
    const frz_type type = {.kind = FRZ_TYPE_STRUCT, .fields = fields, .field_count = 2};
    frz_row_reader *reader = NULL;
    frz_status status = FRZ_OK;

    FRZ_TRY(frz_row_reader_open(scan, entry, &type, &reader, err));
    while (status == FRZ_OK) {
        struct ArrowArray batch = {0};
        status = frz_row_reader_next(reader, &batch, err);
        if (status == FRZ_OK)
            status = add_batch(sets, batch.children[0], batch.children[1], err);
        frz_arrow_array_clear(&batch);
    }
    frz_row_reader_close(reader);
    return status == FRZ_END ? FRZ_OK : status;
}

static frz_status load(const frz_scan *scan, const frz_data_file *entry, position_sets **out,
                       frz_error **err)
{
    frz_status status = FRZ_OK;
    position_sets *sets = NULL;
    sets = frz_alloc_zero(sizeof *sets);
    if (!sets)
        return frz_fail_memory(err);
    sets->references = 1;
    sets->io = scan->io;
    status = read_file(scan, entry, sets, err);
    if (status != FRZ_OK) {
        (void)frz_context(err, status, "position delete file %.*s", (int)entry->path.size,
                          (const char *)entry->path.data);
        goto done;
    }
    sets->weight = sizeof *sets + sets->paths.used;
    for (size_t i = 0; i < sets->count; i++)
        sets->weight += frz_bitmap_memory(sets->bitmaps[i]);
    *out = sets;
    sets = NULL;

done:
    unref_sets(sets);
    return status;
}

frz_status frz_position_deletes_collect(const frz_scan *scan, const frz_manifest_entry *entry,
                                        frz_slice data_path, frz_bitmap *into, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_buffer key = {0};
    position_sets *sets = NULL;

    frz_buffer_append_byte(&key, 'p');
    frz_buffer_append(&key, entry->file.path.data, entry->file.path.size);
    FRZ_TRY_DONE(frz_buffer_check(&key, err));
    sets = frz_cache_find(scan->cache, frz_buffer_slice(&key));
    if (!sets) {
        FRZ_TRY_DONE(load(scan, &entry->file, &sets, err));
        frz_cache_put(scan->cache, frz_buffer_slice(&key), sets, sets->weight, &sets_cache_ops);
    }
    frz_buffer_reset(&key);
    FRZ_TRY_DONE(frz_io_resolve(scan->io, data_path, &key, err));
    const frz_map_value *found = frz_map_find(&sets->map, frz_buffer_slice(&key));
    if (found)
        status = frz_bitmap_or(into, found->pointer, err);

done:
    unref_sets(sets);
    frz_buffer_clear(&key);
    return status;
}
