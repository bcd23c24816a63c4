/*
 * A catalog in memory whose tables live in memory too.
 */
#ifndef FRZ_TEST_CATALOG_FIXTURE_H
#define FRZ_TEST_CATALOG_FIXTURE_H

#include "harness.h"

#include "catalog/catalog.h"
#include "catalog/memory.h"
#include "catalog/table.h"
#include "frazil/schema.h"

typedef struct fixture {
    frz_io *io;
    frz_catalog *catalog;
} fixture;

/* Over `io` when given (borrowed), else over storage of its own. */
static inline frz_status fixture_open(fixture *self, frz_io *io, frz_error **err)
{
    frz_catalog_backend *backend = NULL;
    frz_status status = FRZ_OK;
    *self = (fixture){0};
    if (!io)
        status = frz_io_memory_new(&self->io, err);
    if (status == FRZ_OK)
        status = frz_catalog_memory_new(&backend, err);
    if (status == FRZ_OK)
        status = frz_catalog_new(backend, "default", "mem://wh", io ? io : self->io, &self->catalog,
                                 err);
    return status;
}

static inline void fixture_close(fixture *self)
{
    frz_catalog_free(self->catalog);
    frz_io_free(self->io);
    *self = (fixture){0};
}

static inline frz_table *fixture_create(fixture *self, const char *identifier, const char *schema)
{
    frz_error *err = NULL;
    frz_table *table = NULL;
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    options.schema = schema;
    CHECK_OK(frz_catalog_create_table(self->catalog, identifier, &options, &table, &err), err);
    return table;
}

/* The number of files in storage whose location contains `part`. */
typedef struct fixture_count {
    const char *part;
    int count;
} fixture_count;

static inline frz_status fixture_visit(void *context, const char *location, uint64_t size,
                                       int64_t modified_ms, frz_error **err)
{
    fixture_count *count = context;
    (void)size;
    (void)modified_ms;
    (void)err;
    count->count += strstr(location, count->part) != NULL;
    return FRZ_OK;
}

static inline int fixture_files(frz_io *io, const char *part)
{
    fixture_count count = {.part = part};
    CHECK(io->ops->list(io, "mem://wh", fixture_visit, &count, NULL) == FRZ_OK);
    return count.count;
}

#endif
