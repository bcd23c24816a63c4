#include <string.h>

#include "base/fail.h"
#include "base/map.h"
#include "base/mem.h"
#include "catalog/catalog.h"
#include "catalog/identifier.h"
#include "catalog/table.h"
#include "frazil/schema.h"
#include "io/file.h"
#include "json/reader.h"
#include "spec/manifest.h"
#include "spec/manifest_list.h"

/*
 * Every file that a table's metadata names, each once. It is the largest structure of a purge:
 * about 150 bytes for each file of the table.
 */
typedef struct file_set {
    frz_arena arena;
    frz_map seen;
    const char **paths;
    size_t count;
    size_t capacity;
} file_set;

static frz_status add_path(file_set *files, frz_slice path, bool *added_out, frz_error **err)
{
    *added_out = false;
    if (frz_map_find(&files->seen, path))
        return FRZ_OK;
    const char *copy = frz_arena_text_n(&files->arena, path.data, path.size);
    if (!copy ||
        !frz_grow_array((void **)&files->paths, &files->capacity, files->count, sizeof copy) ||
        !frz_map_put(&files->seen, frz_slice_of_text(copy), (frz_map_value){.number = 1}))
        return frz_fail_memory(err);
    files->paths[files->count++] = copy;
    *added_out = true;
    return FRZ_OK;
}

static frz_status add_manifest(file_set *files, const frz_table *table,
                               const frz_manifest_file *source, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_manifest *manifest = NULL;
    bool added = false;
    const frz_manifest_fields none = {0};

    FRZ_TRY(add_path(files, frz_slice_of_text(source->path), &added, err));
    if (!added)
        return FRZ_OK;
    FRZ_TRY(frz_manifest_read(table->io, source, table->metadata, &none, &table->limits, &manifest,
                              err));
    for (size_t i = 0; i < frz_manifest_count(manifest); i++)
        FRZ_TRY_DONE(add_path(files, frz_manifest_entry_at(manifest, i)->file.path, &added, err));

done:
    frz_manifest_unref(manifest);
    return status;
}

static frz_status add_snapshot(file_set *files, const frz_table *table,
                               const frz_snapshot *snapshot, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_arena arena = {0};
    frz_manifest_list list = {0};
    bool added = false;

    FRZ_TRY_DONE(frz_manifest_list_read(table->io, table->metadata, snapshot, &table->limits,
                                        &arena, &list, err));
    if (snapshot->manifest_list)
        FRZ_TRY_DONE(add_path(files, frz_slice_of_text(snapshot->manifest_list), &added, err));
    for (size_t i = 0; i < list.count; i++)
        FRZ_TRY_DONE(add_manifest(files, table, &list.files[i], err));

done:
    frz_arena_clear(&arena);
    return status;
}

static frz_status add_statistics_member(file_set *files, frz_json_reader *json, frz_slice key,
                                        frz_error **err)
{
    bool added = false;
    frz_slice path;
    if (!frz_slice_is_text(key, "statistics-path"))
        return frz_json_skip(json, err);
    FRZ_TRY(frz_json_read_string(json, &path, err));
    return add_path(files, path, &added, err);
}

static frz_status add_statistics_object(file_set *files, frz_json_reader *json, frz_error **err)
{
    bool more = true;
    FRZ_TRY(frz_json_enter_object(json, err));
    for (;;) {
        frz_slice key;
        FRZ_TRY(frz_json_next_key(json, &key, &more, err));
        if (!more)
            return FRZ_OK;
        FRZ_TRY(add_statistics_member(files, json, key, err));
    }
}

/* `array` as metadata has it: objects with a statistics-path each; empty when absent. */
static frz_status add_statistics(file_set *files, frz_slice array, frz_error **err)
{
    bool more = true;
    if (array.size == 0)
        return FRZ_OK;
    frz_json_reader json = frz_json_reader_over(array, &files->arena);
    FRZ_TRY(frz_json_enter_array(&json, err));
    for (;;) {
        FRZ_TRY(frz_json_next_item(&json, &more, err));
        if (!more)
            return FRZ_OK;
        FRZ_TRY(add_statistics_object(files, &json, err));
    }
}

static frz_status gather(file_set *files, const frz_table *table, frz_error **err)
{
    const frz_metadata *metadata = table->metadata;
    bool added = false;
    for (size_t i = 0; i < metadata->snapshot_count; i++)
        FRZ_TRY(add_snapshot(files, table, &metadata->snapshots[i], err));
    FRZ_TRY(add_statistics(files, metadata->statistics, err));
    FRZ_TRY(add_statistics(files, metadata->partition_statistics, err));
    for (size_t i = 0; i < metadata->metadata_log_count; i++)
        FRZ_TRY(add_path(files, frz_slice_of_text(metadata->metadata_log[i].metadata_file), &added,
                         err));
    return add_path(files, frz_slice_of_text(table->metadata_location), &added, err);
}

/* Removes all it can; the first failure is reported with how many there were. */
static frz_status remove_all(const file_set *files, frz_io *io, const char *identifier,
                             frz_error **err)
{
    frz_error *first = NULL;
    size_t failed = 0;
    for (size_t i = 0; i < files->count; i++) {
        frz_error *failure = NULL;
        const frz_status status = frz_io_remove(io, files->paths[i], &failure);
        if (status != FRZ_OK && status != FRZ_NOT_FOUND) {
            failed++;
            if (!first) {
                first = failure;
                failure = NULL;
            }
        }
        frz_error_free(failure);
    }
    if (failed == 0)
        return FRZ_OK;
    const frz_status status =
        frz_fail_origin(err, FRZ_IO, frz_error_origin(first),
                        "table %s was dropped, but %zu of its %zu files could not be removed; the "
                        "first: %s",
                        identifier, failed, files->count, frz_error_message(first));
    frz_error_free(first);
    return status;
}

static frz_status purge(frz_catalog *catalog, const char *identifier, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_catalog_backend *backend = frz_catalog_backend_of(catalog);
    frz_table *table = NULL;
    file_set files = {0};
    bool gc = true;

    FRZ_TRY_DONE(frz_catalog_load_table(catalog, identifier, &table, err));
    FRZ_TRY_DONE(frz_metadata_property_bool(table->metadata, "gc.enabled", true, &gc, err));
    if (!gc) {
        status = frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                          "table %s has gc.enabled=false: its files may belong to other tables and "
                          "are not removed; drop it without purge",
                          identifier);
        goto done;
    }
    FRZ_TRY_DONE(gather(&files, table, err));
    FRZ_TRY_DONE(backend->ops->drop(backend, identifier, err));
    FRZ_TRY_DONE(remove_all(&files, table->io, identifier, err));

done:
    frz_map_clear(&files.seen);
    frz_arena_clear(&files.arena);
    frz_free(files.paths);
    frz_table_free(table);
    return status;
}

frz_status frz_catalog_drop_table(frz_catalog *catalog, const char *identifier, bool with_purge,
                                  frz_error **err)
{
    frz_catalog_backend *backend = frz_catalog_backend_of(catalog);
    frz_slice space;
    frz_slice name;
    FRZ_TRY(frz_identifier_split(identifier, &space, &name, err));
    return with_purge ? purge(catalog, identifier, err)
                      : backend->ops->drop(backend, identifier, err);
}
