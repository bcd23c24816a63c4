/*
 * A catalog in memory whose tables live in memory too.
 */
#ifndef FRZ_TEST_CATALOG_FIXTURE_H
#define FRZ_TEST_CATALOG_FIXTURE_H

#include "harness.h"

#include "catalog/catalog.h"
#include "catalog/memory.h"
#include "catalog/table.h"
#include "frazil/maintenance.h"
#include "frazil/schema.h"

typedef struct fixture {
    frz_io *io;
    frz_catalog *catalog;
    bool unsound; /* the test breaks its tables: they are not verified */
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

/* Every snapshot that a test committed is sound, down to the rows (frazil/maintenance.h). */
static inline void catalog_verify_table(frz_catalog *catalog, const char *identifier)
{
    frz_error *err = NULL;
    frz_table *table = NULL;
    frz_verify_report *report = NULL;
    frz_verify_options options = FRZ_VERIFY_OPTIONS_INIT;
    options.deep = true;
    CHECK_OK(frz_catalog_load_table(catalog, identifier, &table, &err), err);
    CHECK_OK(frz_table_verify(table, &options, &report, &err), err);
    for (size_t i = 0; frz_verify_report_at(report, i); i++) {
        const frz_finding *finding = frz_verify_report_at(report, i);
        if (finding->severity != FRZ_SEVERITY_ERROR)
            continue;
        (void)fprintf(stderr, "%s is not sound: %s: expected %s; found %s\n", identifier,
                      finding->rule, finding->expected, finding->found);
        abort(); /* cmocka counts no failure of a group's teardown */
    }
    frz_verify_report_free(report);
    frz_table_free(table);
}

/* Not while memory fails. */
static inline void catalog_verify(frz_catalog *catalog)
{
    frz_names namespaces = {0};
    frz_error *err = NULL;
    if (*sweep_under_way() || frz_mem_failed())
        return;
    CHECK_OK(frz_catalog_list_namespaces(catalog, NULL, &namespaces, &err), err);
    for (size_t i = 0; i < namespaces.count; i++) {
        frz_names tables = {0};
        CHECK_OK(frz_catalog_list_tables(catalog, namespaces.items[i], &tables, &err), err);
        for (size_t k = 0; k < tables.count; k++)
            catalog_verify_table(catalog, tables.items[k]);
        frz_names_free(&tables);
    }
    frz_names_free(&namespaces);
}

static inline void fixture_close(fixture *self)
{
    if (self->io && self->catalog && !self->unsound) /* not of storage that fails on purpose */
        catalog_verify(self->catalog);
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
