#include "scan/delete_index.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/map.h"
#include "base/mem.h"
#include "io/file.h"
#include "spec/tuple_key.h"

/* Delete files of one scope: a data file's path, a partition, or the whole table. */
typedef struct delete_group {
    const frz_manifest_entry **entries;
    size_t count;
    size_t capacity;
    uint8_t *key;              /* owned; what the map borrows */
    frz_equality_scope *scope; /* of equality deletes, once sealed */
} delete_group;

/* Scopes by key bytes: a path, or spec id and partition tuple. */
typedef struct group_map {
    frz_map map; /* -> delete_group */
    delete_group **groups;
    size_t count;
    size_t capacity;
} group_map;

struct frz_delete_index {
    frz_io *io;                  /* borrowed; NULL: paths are compared as stored */
    frz_equality_deletes *owner; /* borrowed: of the scopes */
    frz_arena paths;             /* resolved paths that keys borrow */
    frz_map vectors;             /* path -> frz_manifest_entry */
    group_map by_path;           /* position deletes of one data file */
    group_map by_tuple;          /* position deletes of one partition */
    group_map equalities;        /* equality deletes of one partition */
    delete_group global;         /* equality deletes of an unpartitioned spec */
    size_t count;
};

frz_status frz_delete_index_new(frz_io *io, frz_equality_deletes *equalities,
                                frz_delete_index **out, frz_error **err)
{
    frz_delete_index *index = frz_alloc_zero(sizeof *index);
    if (!index)
        return frz_fail_memory(err);
    index->io = io && io->ops->resolve ? io : NULL;
    index->owner = equalities;
    *out = index;
    return FRZ_OK;
}

/* The path as it is compared, in `arena` where it differs from what is stored. */
static frz_status resolve_path(const frz_delete_index *index, frz_slice path, frz_arena *arena,
                               frz_slice *out, frz_error **err)
{
    *out = path;
    if (!index->io || !path.size)
        return FRZ_OK;
    frz_buffer resolved = {0};
    frz_status status = frz_io_resolve(index->io, path, &resolved, err);
    if (status == FRZ_OK && !frz_arena_slice(arena, frz_buffer_slice(&resolved), out))
        status = frz_fail_memory(err);
    frz_buffer_clear(&resolved);
    return status;
}

static void clear_group_map(group_map *map)
{
    for (size_t i = 0; i < map->count; i++) {
        frz_free(map->groups[i]->entries);
        frz_free(map->groups[i]->key);
        frz_free(map->groups[i]);
    }
    frz_free(map->groups);
    frz_map_clear(&map->map);
}

void frz_delete_index_free(frz_delete_index *index)
{
    if (!index)
        return;
    frz_map_clear(&index->vectors);
    clear_group_map(&index->by_path);
    clear_group_map(&index->by_tuple);
    clear_group_map(&index->equalities);
    frz_free(index->global.entries);
    frz_arena_clear(&index->paths);
    frz_free(index);
}

static frz_status add_to_group(delete_group *group, const frz_manifest_entry *entry,
                               frz_error **err)
{
    if (!frz_grow_array((void **)&group->entries, &group->capacity, group->count,
                        sizeof *group->entries))
        return frz_fail_memory(err);
    group->entries[group->count++] = entry;
    return FRZ_OK;
}

static frz_status new_group(group_map *map, frz_slice key, delete_group **out, frz_error **err)
{
    if (!frz_grow_array((void **)&map->groups, &map->capacity, map->count, sizeof(void *)))
        return frz_fail_memory(err);
    delete_group *group = frz_alloc_zero(sizeof *group);
    if (!group)
        return frz_fail_memory(err);
    group->key = frz_alloc(key.size);
    if (group->key && key.size)
        memcpy(group->key, key.data, key.size);
    const frz_map_value value = {.pointer = group};
    if (!group->key || !frz_map_put(&map->map, frz_slice_of(group->key, key.size), value)) {
        frz_free(group->key);
        frz_free(group);
        return frz_fail_memory(err);
    }
    map->groups[map->count++] = group;
    *out = group;
    return FRZ_OK;
}

static frz_status add_to_map(group_map *map, frz_slice key, const frz_manifest_entry *entry,
                             frz_error **err)
{
    const frz_map_value *found = frz_map_find(&map->map, key);
    delete_group *group = found ? found->pointer : NULL;
    if (!group)
        FRZ_TRY(new_group(map, key, &group, err));
    return add_to_group(group, entry, err);
}

/* Spec id and tuple as bytes that are equal exactly when both are. */
static void partition_key(const frz_data_file *file, frz_buffer *out)
{
    frz_buffer_reset(out);
    frz_buffer_append_u32le(out, (uint32_t)file->spec_id);
    frz_tuple_key(file->partition, file->partition_count, out);
}

/* Whether a delete of a partition applies cannot be told of a file whose partition is not known. */
static frz_status check_partition(const frz_data_file *file, frz_error **err)
{
    if (!file->partition_unknown)
        return FRZ_OK;
    return frz_fail(
        err, FRZ_CORRUPT, FRZ_NO_OFFSET,
        "file %.*s: its partition in spec %d is not known (the manifest lacks a field, or "
        "no schema has its source): which deletes of a partition apply cannot be told",
        (int)file->path.size, (const char *)file->path.data, file->spec_id);
}

frz_slice frz_position_file_target(const frz_data_file *file)
{
    if (file->referenced_data_file.size)
        return file->referenced_data_file;
    const frz_column_metrics *paths = frz_data_file_metrics(file, FRZ_FIELD_ID_DELETE_FILE_PATH);
    if (paths && paths->has_lower && paths->has_upper &&
        frz_slice_equal(paths->lower, paths->upper))
        return paths->lower;
    return (frz_slice){0};
}

static frz_status add_vector(frz_delete_index *index, const frz_manifest_entry *entry,
                             frz_error **err)
{
    const frz_data_file *file = &entry->file;
    if (!file->referenced_data_file.size || file->content_offset < 0 || file->content_size < 0)
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                        "deletion vector %.*s lacks referenced_data_file, content_offset or "
                        "content_size_in_bytes",
                        (int)file->path.size, (const char *)file->path.data);
    frz_slice path = {0};
    FRZ_TRY(resolve_path(index, file->referenced_data_file, &index->paths, &path, err));
    if (frz_map_find(&index->vectors, path))
        return frz_fail(err, FRZ_CORRUPT, FRZ_NO_OFFSET,
                        "data file %.*s has two deletion vectors in one snapshot",
                        (int)file->referenced_data_file.size,
                        (const char *)file->referenced_data_file.data);
    union {
        const void *in;
        void *out;
    } pointer = {.in = entry};
    const frz_map_value value = {.pointer = pointer.out};
    if (!frz_map_put(&index->vectors, path, value))
        return frz_fail_memory(err);
    return FRZ_OK;
}

frz_status frz_delete_index_add(frz_delete_index *index, const frz_manifest_entry *entry,
                                bool unpartitioned, frz_error **err)
{
    frz_buffer key = {0};
    frz_status status = FRZ_OK;
    const frz_data_file *file = &entry->file;

    index->count++;
    if (file->content == FRZ_CONTENT_POSITION_DELETES && file->format == FRZ_FORMAT_PUFFIN)
        return add_vector(index, entry, err);
    if (file->content == FRZ_CONTENT_EQUALITY_DELETES && unpartitioned)
        return add_to_group(&index->global, entry, err);
    frz_slice path = {0};
    FRZ_TRY(resolve_path(index, frz_position_file_target(file), &index->paths, &path, err));
    if (file->content == FRZ_CONTENT_POSITION_DELETES && path.size)
        return add_to_map(&index->by_path, path, entry, err);

    FRZ_TRY_DONE(check_partition(file, err));
    partition_key(file, &key);
    FRZ_TRY_DONE(frz_buffer_check(&key, err));
    group_map *map =
        file->content == FRZ_CONTENT_EQUALITY_DELETES ? &index->equalities : &index->by_tuple;
    status = add_to_map(map, frz_buffer_slice(&key), entry, err);

done:
    frz_buffer_clear(&key);
    return status;
}

static int by_sequence(const void *a, const void *b)
{
    const frz_manifest_entry *const *left = a;
    const frz_manifest_entry *const *right = b;
    if ((*left)->sequence_number != (*right)->sequence_number)
        return (*left)->sequence_number < (*right)->sequence_number ? -1 : 1;
    return frz_slice_compare((*left)->file.path, (*right)->file.path);
}

static void sort_groups(const group_map *map)
{
    for (size_t i = 0; i < map->count; i++)
        qsort(map->groups[i]->entries, map->groups[i]->count, sizeof(void *), by_sequence);
}

static frz_status seal_scope(const frz_delete_index *index, delete_group *group, frz_error **err)
{
    qsort(group->entries, group->count, sizeof(void *), by_sequence);
    return frz_equality_scope_new(index->owner, group->entries, group->count, &group->scope, err);
}

frz_status frz_delete_index_seal(frz_delete_index *index, frz_error **err)
{
    sort_groups(&index->by_path);
    sort_groups(&index->by_tuple);
    for (size_t i = 0; i < index->equalities.count; i++)
        FRZ_TRY(seal_scope(index, index->equalities.groups[i], err));
    return index->global.count ? seal_scope(index, &index->global, err) : FRZ_OK;
}

size_t frz_delete_index_count(const frz_delete_index *index)
{
    return index->count;
}

/* The first of a sorted group's entries whose sequence is at least `from`. */
static size_t first_from(const delete_group *group, int64_t from)
{
    size_t low = 0;
    size_t high = group->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (group->entries[middle]->sequence_number < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A part of a sorted group. */
typedef struct group_tail {
    const frz_manifest_entry *const *entries;
    size_t count;
} group_tail;

static group_tail tail_of(const delete_group *group, int64_t from)
{
    if (!group)
        return (group_tail){0};
    const size_t first = first_from(group, from);
    return (group_tail){.entries = group->entries + first, .count = group->count - first};
}

/* Whether bounds of file_path let the delete file name a data file. An upper bound that was cut and
 * not raised counts as one of all that begins with it; bounds the wrong way round prove nothing. */
static bool may_name(const frz_manifest_entry *delete, frz_slice path)
{
    const frz_column_metrics *paths =
        frz_data_file_metrics(&delete->file, FRZ_FIELD_ID_DELETE_FILE_PATH);
    if (!paths ||
        (paths->has_lower && paths->has_upper && frz_slice_compare(paths->lower, paths->upper) > 0))
        return true;
    if (paths->has_lower && frz_slice_compare(path, paths->lower) < 0)
        return false;
    return !paths->has_upper || frz_slice_compare(path, paths->upper) <= 0 ||
           (paths->upper.size && path.data && path.size > paths->upper.size &&
            memcmp(path.data, paths->upper.data, paths->upper.size) == 0);
}

/* Leaves out what bounds exclude: a copy, where there is anything. Paths that a map renames cannot
 * be told from their bounds. */
static frz_status leave_out(const frz_delete_index *index, frz_slice path, group_tail *tail,
                            frz_arena *arena, size_t *left_out, frz_error **err)
{
    size_t excluded = 0;
    for (size_t i = 0; i < tail->count && !index->io; i++)
        excluded += !may_name(tail->entries[i], path);
    *left_out = excluded;
    if (!excluded)
        return FRZ_OK;
    const frz_manifest_entry **kept =
        frz_arena_array(arena, tail->count - excluded + 1, sizeof *kept);
    if (!kept)
        return frz_fail_memory(err);
    size_t count = 0;
    for (size_t i = 0; i < tail->count; i++)
        if (may_name(tail->entries[i], path))
            kept[count++] = tail->entries[i];
    *tail = (group_tail){.entries = kept, .count = count};
    return FRZ_OK;
}

static frz_equality_span span_of(const delete_group *group, int64_t from)
{
    if (!group || !group->count)
        return (frz_equality_span){0};
    const size_t first = first_from(group, from);
    return first < group->count ? (frz_equality_span){.scope = group->scope, .first = first}
                                : (frz_equality_span){0};
}

static const delete_group *find_group(const group_map *map, frz_slice key)
{
    const frz_map_value *found = map->count ? frz_map_find(&map->map, key) : NULL;
    return found ? found->pointer : NULL;
}

/* One after the other; what is alone is borrowed. */
static frz_status join(group_tail a, group_tail b, frz_arena *arena, frz_applied_deletes *out,
                       frz_error **err)
{
    out->position_count = a.count + b.count;
    out->positions = a.count ? a.entries : b.entries;
    if (!a.count || !b.count)
        return FRZ_OK;
    const frz_manifest_entry **joined = frz_arena_array(arena, out->position_count, sizeof *joined);
    if (!joined)
        return frz_fail_memory(err);
    memcpy(joined, a.entries, a.count * sizeof *joined);
    memcpy(joined + a.count, b.entries, b.count * sizeof *joined);
    out->positions = joined;
    return FRZ_OK;
}

/* "The data file's data sequence number is less than or equal to the deletion vector's"; *out stays
 * empty when the file has none. */
static frz_status find_vector(const frz_delete_index *index, frz_slice path, int64_t sequence,
                              frz_arena *arena, frz_applied_deletes *out, frz_error **err)
{
    const frz_map_value *vector = frz_map_find(&index->vectors, path);
    const frz_manifest_entry *found = vector ? vector->pointer : NULL;
    if (!found || found->sequence_number < sequence)
        return FRZ_OK;
    const frz_manifest_entry **slot = frz_arena_alloc(arena, sizeof *slot);
    if (!slot)
        return frz_fail_memory(err);
    *slot = found;
    out->positions = slot;
    out->position_count = 1;
    return FRZ_OK;
}

frz_status frz_delete_index_find(const frz_delete_index *index, const frz_manifest_entry *data,
                                 frz_arena *arena, frz_applied_deletes *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    *out = (frz_applied_deletes){0};
    if (!index->count)
        return FRZ_OK;

    const int64_t sequence = data->sequence_number;
    frz_buffer key = {0};
    frz_slice path = {0};
    FRZ_TRY_DONE(resolve_path(index, data->file.path, arena, &path, err));
    FRZ_TRY_DONE(find_vector(index, path, sequence, arena, out, err));
    if (index->by_tuple.count || index->equalities.count) {
        FRZ_TRY_DONE(check_partition(&data->file, err));
        partition_key(&data->file, &key);
    }
    FRZ_TRY_DONE(frz_buffer_check(&key, err));
    const frz_slice tuple = frz_buffer_slice(&key);
    if (!out->position_count) {
        group_tail tail = tail_of(find_group(&index->by_tuple, tuple), sequence);
        FRZ_TRY_DONE(leave_out(index, data->file.path, &tail, arena, &out->left_out, err));
        FRZ_TRY_DONE(
            join(tail_of(find_group(&index->by_path, path), sequence), tail, arena, out, err));
    }
    /* Equality deletes: strictly newer than the data. */
    out->equalities[0] = span_of(find_group(&index->equalities, tuple), sequence + 1);
    out->equalities[1] = span_of(&index->global, sequence + 1);

done:
    frz_buffer_clear(&key);
    return status;
}
