#include "scan/position_deletes.h"

#include <stdatomic.h>

#include "arrow/array.h"
#include "arrow/schema.h"
#include "base/fail.h"
#include "base/map.h"
#include "base/mem.h"
#include "io/file.h"
#include "parquet/field_reader.h"

enum { BATCH_ROWS = 64 * 1024 };

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

static frz_status find_column(const frz_parquet_metadata *metadata, int32_t field_id,
                              const char *name, frz_parquet_type type, const frz_parquet_node **out,
                              frz_error **err)
{
    for (size_t i = 0; i < metadata->root.child_count; i++) {
        const frz_parquet_node *node = &metadata->root.children[i];
        const bool named =
            node->has_field_id ? node->field_id == field_id : !strcmp(node->name, name);
        if (!named)
            continue;
        if (node->shape != FRZ_PARQUET_SHAPE_LEAF || node->type != type)
            return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "column %s has the wrong type", name);
        *out = node;
        return FRZ_OK;
    }
    return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET, "column %s is missing", name);
}

static frz_status read_row_group(position_sets *sets, const frz_parquet_row_group *group,
                                 frz_parquet_field_reader *paths,
                                 frz_parquet_field_reader *positions, frz_error **err)
{
    for (int64_t done = 0; done < group->row_count;) {
        struct ArrowArray path_batch = {0};
        struct ArrowArray position_batch = {0};
        const int64_t left = group->row_count - done;
        const int64_t count = left < BATCH_ROWS ? left : BATCH_ROWS;
        const int64_t start = group->first_row + done;
        frz_status status =
            frz_parquet_field_reader_read(paths, start, count, NULL, count, &path_batch, err);
        if (status == FRZ_OK)
            status = frz_parquet_field_reader_read(positions, start, count, NULL, count,
                                                   &position_batch, err);
        if (status == FRZ_OK)
            status = add_batch(sets, &path_batch, &position_batch, err);
        frz_arrow_array_clear(&path_batch);
        frz_arrow_array_clear(&position_batch);
        if (status != FRZ_OK)
            return status;
        done += count;
    }
    return FRZ_OK;
}

static frz_status read_columns(position_sets *sets, frz_parquet_file *file, frz_error **err)
{
    frz_status status = FRZ_OK;
    const frz_parquet_metadata *metadata = frz_parquet_file_metadata(file);
    const frz_parquet_node *path_node = NULL;
    const frz_parquet_node *position_node = NULL;
    frz_parquet_field_reader *paths = NULL;
    frz_parquet_field_reader *positions = NULL;

    FRZ_TRY(find_column(metadata, FRZ_FIELD_ID_DELETE_FILE_PATH, "file_path",
                        FRZ_PARQUET_BYTE_ARRAY, &path_node, err));
    FRZ_TRY(find_column(metadata, FRZ_FIELD_ID_DELETE_POS, "pos", FRZ_PARQUET_INT64, &position_node,
                        err));
    FRZ_TRY_DONE(frz_parquet_field_reader_open(file, path_node, NULL, NULL, 0, &paths, err));
    FRZ_TRY_DONE(
        frz_parquet_field_reader_open(file, position_node, NULL, NULL, 0, &positions, err));
    for (size_t i = 0; i < metadata->row_group_count; i++)
        FRZ_TRY_DONE(read_row_group(sets, &metadata->row_groups[i], paths, positions, err));

done:
    frz_parquet_field_reader_close(paths);
    frz_parquet_field_reader_close(positions);
    return status;
}

static frz_status read_file(const frz_scan *scan, const frz_data_file *entry, const char *path,
                            position_sets *sets, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_input *input = NULL;
    frz_parquet_file *file = NULL;

    if (entry->format != FRZ_FORMAT_PARQUET)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "position delete files of format %.*s are not read yet",
                        (int)entry->format_text.size, (const char *)entry->format_text.data);
    FRZ_TRY_DONE(frz_io_open(scan->io, path, (uint64_t)entry->file_size, &input, err));
    FRZ_TRY_DONE(frz_parquet_file_open(input, &scan->limits, &file, err));
    FRZ_TRY_DONE(read_columns(sets, file, err));

done:
    frz_parquet_file_close(file);
    frz_input_close(input);
    return status;
}

static frz_status load(const frz_scan *scan, const frz_data_file *entry, position_sets **out,
                       frz_error **err)
{
    frz_status status = FRZ_OK;
    position_sets *sets = NULL;
    char *path = frz_copy_text_n((const char *)entry->path.data, entry->path.size);
    if (!path)
        return frz_fail_memory(err);
    sets = frz_alloc_zero(sizeof *sets);
    if (!sets) {
        status = frz_fail_memory(err);
        goto done;
    }
    sets->references = 1;
    sets->io = scan->io;
    status = read_file(scan, entry, path, sets, err);
    if (status != FRZ_OK) {
        (void)frz_context(err, status, "position delete file %s", path);
        goto done;
    }
    sets->weight = sizeof *sets + sets->paths.used;
    for (size_t i = 0; i < sets->count; i++)
        sets->weight += frz_bitmap_memory(sets->bitmaps[i]);
    *out = sets;
    sets = NULL;

done:
    unref_sets(sets);
    frz_free(path);
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
