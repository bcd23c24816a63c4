/*
 * Storage and a catalog in memory on which operations fail again and again at another place. The
 * table stays while they fail; the client, with all that it caches, is a new one each time.
 */
#ifndef FRZ_TEST_CHANGE_SWEEP_H
#define FRZ_TEST_CHANGE_SWEEP_H

#include "change_cases.h"

#include "base/clock.h"
#include "catalog/memory.h"
#include "io/fault.h"
#include "io/file.h"

/* A catalog whose back-end is another's. */
typedef struct borrowed_backend {
    frz_catalog_backend base;
    frz_catalog_backend *inner;
} borrowed_backend;

static inline frz_status borrowed_load(frz_catalog_backend *backend, const char *identifier,
                                       char **out, frz_error **err)
{
    frz_catalog_backend *inner = ((borrowed_backend *)backend)->inner;
    return inner->ops->load(inner, identifier, out, err);
}

static inline frz_status borrowed_swap(frz_catalog_backend *backend, const char *identifier,
                                       const char *expected, const char *location, frz_error **err)
{
    frz_catalog_backend *inner = ((borrowed_backend *)backend)->inner;
    return inner->ops->swap(inner, identifier, expected, location, err);
}

static inline void borrowed_free(frz_catalog_backend *backend)
{
    (void)backend;
}

static const frz_catalog_backend_ops borrowed_ops = {
    .load = borrowed_load, .swap = borrowed_swap, .free = borrowed_free};

enum { SWEEP_FILES_MAX = 128 };

typedef struct world {
    const change_case *change;
    frz_io *storage;
    frz_io *fault; /* over the storage: the client's */
    frz_catalog *catalog;
    borrowed_backend backend;
    frz_catalog *client_catalog;
    frz_table *table; /* the client's */
    char *before[SWEEP_FILES_MAX];
    size_t before_count;
} world;

static inline frz_status note_file(void *context, const char *location, uint64_t size,
                                   int64_t modified_ms, frz_error **err)
{
    world *self = context;
    (void)size;
    (void)modified_ms;
    (void)err;
    CHECK(self->before_count < SWEEP_FILES_MAX);
    self->before[self->before_count] = frz_copy_text(location);
    CHECK(self->before[self->before_count++] != NULL);
    return FRZ_OK;
}

static inline void world_open(world *self, const change_case *change)
{
    frz_error *err = NULL;
    frz_table *table = NULL;
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    *self = (world){.change = change, .backend.base.ops = &borrowed_ops};
    options.schema = "id long, name string";
    options.format_version = change->format_version;
    CHECK_OK(frz_io_memory_new(&self->storage, &err), err);
    CHECK_OK(frz_io_fault_new(self->storage, &self->fault, &err), err);
    CHECK_OK(frz_catalog_memory_new(&self->backend.inner, &err), err);
    CHECK_OK(frz_catalog_new(self->backend.inner, "default", "mem://wh", self->storage,
                             &self->catalog, &err),
             err);
    CHECK_OK(frz_catalog_create_table(self->catalog, "n.t", &options, &table, &err), err);
    append_rows(table, "1:a 2:b 3:c");
    if (change->set_up)
        change->set_up(table);
    frz_table_free(table);
    CHECK(self->storage->ops->list(self->storage, "mem://wh", note_file, self, NULL) == FRZ_OK);
}

static inline void world_open_client(world *self)
{
    frz_error *err = NULL;
    CHECK_OK(frz_catalog_new(&self->backend.base, "default", "mem://wh", self->fault,
                             &self->client_catalog, &err),
             err);
    CHECK_OK(frz_catalog_load_table(self->client_catalog, "n.t", &self->table, &err), err);
    frz_io_fault_trace_reset(self->fault);
}

static inline void world_close_client(world *self)
{
    frz_table_free(self->table);
    frz_catalog_free(self->client_catalog);
    self->table = NULL;
    self->client_catalog = NULL;
}

static inline void world_close(world *self)
{
    world_close_client(self);
    catalog_verify(self->catalog);
    frz_catalog_free(self->catalog);
    frz_io_free(self->fault);
    frz_io_free(self->storage);
    for (size_t i = 0; i < self->before_count; i++)
        frz_free(self->before[i]);
}

/* Ends the client's part; a table that it changed all the same is made anew. */
static inline void world_renew(world *self, bool changed)
{
    const change_case *change = self->change;
    world_close_client(self);
    if (!changed)
        return;
    world_close(self);
    world_open(self, change);
}

/* The table as another process finds it: through the pointer, with nothing cached. */
static inline void world_check(world *self, bool done)
{
    frz_error *err = NULL;
    const change_case *change = self->change;
    frz_catalog_backend *backend = self->backend.inner;
    frz_table *found = NULL;
    char *location = NULL;
    CHECK_OK(backend->ops->load(backend, "n.t", &location, &err), err);
    CHECK_OK(frz_table_open(location, self->storage, &found, &err), err);
    check_rows(found, done ? change->after : change->before);
    if (change->is_done)
        CHECK(change->is_done(found->metadata) == done);
    frz_table_free(found);
    frz_text_free(location);
}

typedef struct left_files {
    world *of;
    const char *message;
} left_files;

static inline frz_status expect_known(void *context, const char *location, uint64_t size,
                                      int64_t modified_ms, frz_error **err)
{
    const left_files *self = context;
    (void)size;
    (void)modified_ms;
    (void)err;
    for (size_t i = 0; i < self->of->before_count; i++) {
        if (strcmp(self->of->before[i], location) == 0)
            return FRZ_OK;
    }
    if (!self->message || !strstr(self->message, location))
        fail_msg("%s left %s, and says: %s", self->of->change->name, location,
                 self->message ? self->message : "nothing");
    return FRZ_OK;
}

/* After a failure: no file but those that were there, and those that the message names. */
static inline void world_check_files(world *self, const frz_error *err)
{
    left_files left = {self, err ? frz_error_message(err) : NULL};
    CHECK(self->storage->ops->list(self->storage, "mem://wh", expect_known, &left, NULL) == FRZ_OK);
}

/* Removes what a crash left, so that the next one starts as this did. */
static inline frz_status remove_new(void *context, const char *location, uint64_t size,
                                    int64_t modified_ms, frz_error **err)
{
    world *self = context;
    (void)size;
    (void)modified_ms;
    for (size_t i = 0; i < self->before_count; i++) {
        if (strcmp(self->before[i], location) == 0)
            return FRZ_OK;
    }
    return frz_io_remove(self->storage, location, err);
}

static inline void sleep_not(void *self, int64_t ms)
{
    (void)self;
    (void)ms;
}

static inline int sweep_set_up(void **state)
{
    static const frz_clock_ops clock = {.sleep_ms = sleep_not};
    (void)state;
    frz_clock_replace(&clock);
    return 0;
}

static inline int sweep_tear_down(void **state)
{
    (void)state;
    frz_clock_replace(NULL);
    return 0;
}

#define SWEEP(name) cmocka_unit_test_setup_teardown(name, sweep_set_up, sweep_tear_down)

#endif
