#include "catalog/catalog.h"

#include <stdatomic.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/options.h"
#include "catalog/config.h"
#include "catalog/identifier.h"
#include "catalog/memory.h"
#include "catalog/sqlite.h"
#include "catalog/sqlite_store.h"
#include "catalog/table.h"
#include "frazil/schema.h"

enum { CACHE_SIZE = 64 << 20 };

struct frz_catalog {
    atomic_size_t references;
    frz_catalog_backend *backend; /* owned */
    char *name;                   /* owned */
    char *warehouse;              /* owned; NULL when none */
    frz_io *io;                   /* borrowed from the caller, or own_io */
    frz_io *own_io;
    frz_cache *cache;  /* a reference */
    frz_stage *stage;  /* the back-end, in a transaction; else NULL */
    frz_catalog *over; /* a reference: where the transaction commits; else NULL */
};

frz_status frz_catalog_new(frz_catalog_backend *backend, const char *name, const char *warehouse,
                           frz_io *io, frz_catalog **out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_catalog *catalog = frz_alloc_zero(sizeof *catalog);
    if (!catalog) {
        backend->ops->free(backend);
        return frz_fail_memory(err);
    }
    atomic_init(&catalog->references, 1);
    catalog->backend = backend;
    catalog->io = io;
    catalog->name = frz_copy_text(name);
    if (warehouse)
        catalog->warehouse = frz_copy_text(warehouse);
    if (!catalog->name || (warehouse && !catalog->warehouse)) {
        status = frz_fail_memory(err);
        goto done;
    }
    if (!io) {
        FRZ_TRY_DONE(frz_io_local_new(&catalog->own_io, err));
        catalog->io = catalog->own_io;
    }
    FRZ_TRY_DONE(frz_cache_new(CACHE_SIZE, &catalog->cache, err));
    *out = catalog;
    catalog = NULL;

done:
    frz_catalog_free(catalog);
    return status;
}

frz_status frz_catalog_new_staged(frz_catalog *over, frz_stage *stage, frz_catalog **out,
                                  frz_error **err)
{
    frz_catalog *catalog = frz_alloc_zero(sizeof *catalog);
    char *name = frz_copy_text(over->name);
    if (!catalog || !name) {
        frz_free(catalog);
        frz_free(name);
        stage->backend.ops->free(&stage->backend);
        return frz_fail_memory(err);
    }
    atomic_init(&catalog->references, 1);
    catalog->backend = &stage->backend;
    catalog->name = name;
    catalog->io = over->io;
    catalog->cache = frz_cache_ref(over->cache);
    catalog->stage = stage;
    catalog->over = frz_catalog_ref(over);
    *out = catalog;
    return FRZ_OK;
}

frz_stage *frz_catalog_stage(const frz_catalog *catalog)
{
    return catalog->stage;
}

frz_status frz_catalog_read_version(const frz_catalog *catalog, const char *location,
                                    const frz_limits *limits, frz_metadata **out, frz_error **err)
{
    if (!catalog->stage)
        return frz_metadata_read(catalog->io, location, limits, out, err);
    *out = frz_metadata_ref(catalog->stage->metadata);
    return FRZ_OK;
}

static frz_status new_backend(const frz_catalog_config *config, frz_catalog_backend **out,
                              frz_error **err)
{
    if (strcmp(config->type, "in-memory") == 0)
        return frz_catalog_memory_new(out, err);
    if (strcmp(config->type, "sql") != 0)
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "catalog %s: type %s is not built in; built in are sql (SQLite) and "
                        "in-memory",
                        config->name, config->type);
    char *path = NULL;
    FRZ_TRY(frz_sqlite_uri_path(config->uri, &path, err));
    const frz_status status = frz_catalog_sqlite_new(config->name, path, out, err);
    frz_free(path);
    return status;
}

frz_status frz_catalog_open(const frz_catalog_options *options, frz_catalog **out, frz_error **err)
{
    frz_catalog_options taken = FRZ_CATALOG_OPTIONS_INIT;
    frz_status status = FRZ_OK;
    frz_arena arena = {0};
    frz_catalog_config config = {0};
    frz_catalog_backend *backend = NULL;

    FRZ_TRY_DONE(FRZ_OPTIONS_TAKE(frz_catalog_options, options, &taken, err));
    FRZ_TRY_DONE(frz_catalog_config_resolve(&taken, &arena, &config, err));
    FRZ_TRY_DONE(new_backend(&config, &backend, err));
    FRZ_TRY_DONE(frz_catalog_new(backend, config.name, config.warehouse, taken.io, out, err));

done:
    frz_arena_clear(&arena);
    return status;
}

frz_catalog *frz_catalog_ref(frz_catalog *catalog)
{
    atomic_fetch_add_explicit(&catalog->references, 1, memory_order_relaxed);
    return catalog;
}

void frz_catalog_free(frz_catalog *catalog)
{
    if (!catalog || atomic_fetch_sub_explicit(&catalog->references, 1, memory_order_acq_rel) != 1)
        return;
    catalog->backend->ops->free(catalog->backend);
    frz_cache_unref(catalog->cache);
    frz_io_free(catalog->own_io);
    frz_catalog_free(catalog->over);
    frz_free(catalog->name);
    frz_free(catalog->warehouse);
    frz_free(catalog);
}

const char *frz_catalog_name(const frz_catalog *catalog)
{
    return catalog->name;
}

frz_io *frz_catalog_io(const frz_catalog *catalog)
{
    return catalog->io;
}

frz_catalog_backend *frz_catalog_backend_of(const frz_catalog *catalog)
{
    return catalog->backend;
}

const char *frz_catalog_warehouse(const frz_catalog *catalog)
{
    return catalog->warehouse;
}

frz_cache *frz_catalog_cache(const frz_catalog *catalog)
{
    return catalog->cache;
}

frz_status frz_catalog_list_namespaces(frz_catalog *catalog, const char *parent, frz_names *out,
                                       frz_error **err)
{
    if (parent)
        FRZ_TRY(frz_namespace_check(parent, err));
    return catalog->backend->ops->list_namespaces(catalog->backend, parent, out, err);
}

frz_status frz_catalog_create_namespace(frz_catalog *catalog, const char *name,
                                        const frz_option *properties, size_t property_count,
                                        frz_error **err)
{
    FRZ_TRY(frz_namespace_check(name, err));
    return catalog->backend->ops->create_namespace(catalog->backend, name, properties,
                                                   property_count, err);
}

frz_status frz_catalog_drop_namespace(frz_catalog *catalog, const char *name, frz_error **err)
{
    FRZ_TRY(frz_namespace_check(name, err));
    return catalog->backend->ops->drop_namespace(catalog->backend, name, err);
}

frz_status frz_catalog_list_tables(frz_catalog *catalog, const char *name, frz_names *out,
                                   frz_error **err)
{
    FRZ_TRY(frz_namespace_check(name, err));
    return catalog->backend->ops->list_tables(catalog->backend, name, out, err);
}

frz_status frz_catalog_load_table(frz_catalog *catalog, const char *identifier, frz_table **out,
                                  frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_slice space;
    frz_slice name;
    char *location = NULL;
    frz_metadata *metadata = NULL;

    FRZ_TRY(frz_identifier_split(identifier, &space, &name, err));
    FRZ_TRY_DONE(catalog->backend->ops->load(catalog->backend, identifier, &location, err));
    FRZ_TRY_DONE(frz_catalog_read_version(catalog, location, &frz_limits_default, &metadata, err));
    status = frz_table_new(catalog, identifier, catalog->io, location, metadata, out, err);
    metadata = NULL;

done:
    if (status != FRZ_OK)
        status = frz_context(err, status, "load table %s", identifier);
    frz_metadata_unref(metadata);
    frz_text_free(location);
    return status;
}

frz_status frz_catalog_rename_table(frz_catalog *catalog, const char *from, const char *to,
                                    frz_error **err)
{
    frz_slice space;
    frz_slice name;
    FRZ_TRY(frz_identifier_split(from, &space, &name, err));
    FRZ_TRY(frz_identifier_split(to, &space, &name, err));
    return catalog->backend->ops->rename(catalog->backend, from, to, err);
}
