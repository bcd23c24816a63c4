/*
 * A catalog in memory through which a second writer commits just before a swap of ours, and whose
 * answers may be lost.
 */
#ifndef FRZ_TEST_RIVAL_FIXTURE_H
#define FRZ_TEST_RIVAL_FIXTURE_H

#include "table_fixture.h"

#include "base/clock.h"
#include "catalog/memory.h"

/* A back-end that lets a second writer in just before a swap, and may lose the answer of one. */
typedef struct crowded {
    frz_catalog_backend base;
    frz_catalog_backend *inner;
    void (*before_swap)(void); /* called once per count */
    int times;
    int swaps;
    bool lose_answer;         /* of the next swap, which is applied */
    void (*after_swap)(void); /* called when an answer is lost */
    bool no_lock;
    bool locked;
    int locked_swaps;
} crowded;

static crowded crowd;
static int rival_number;
static frz_catalog *catalog; /* over the crowd */
static frz_catalog *rival;   /* over the same tables, undisturbed */
static frz_io *storage;
static frz_catalog_backend *inner;

static inline frz_status crowded_swap(frz_catalog_backend *backend, const char *identifier,
                                      const char *expected, const char *location, frz_error **err)
{
    crowded *self = (crowded *)backend;
    self->swaps++;
    if (self->locked)
        self->locked_swaps++;
    if (self->before_swap && self->times > 0 && !self->locked) {
        self->times--;
        self->before_swap();
    }
    const frz_status status =
        self->inner->ops->swap(self->inner, identifier, expected, location, err);
    if (status == FRZ_OK && self->lose_answer) {
        self->lose_answer = false;
        if (self->after_swap)
            self->after_swap();
        return frz_error_raise(err, FRZ_CONFLICT, "answer of a swap that happened was lost");
    }
    return status;
}

static inline frz_status crowded_load(frz_catalog_backend *backend, const char *identifier,
                                      char **out, frz_error **err)
{
    return ((crowded *)backend)
        ->inner->ops->load(((crowded *)backend)->inner, identifier, out, err);
}

static inline frz_status crowded_lock(frz_catalog_backend *backend, frz_error **err)
{
    crowded *self = (crowded *)backend;
    self->locked = true;
    return self->inner->ops->lock(self->inner, err);
}

static inline void crowded_unlock(frz_catalog_backend *backend)
{
    crowded *self = (crowded *)backend;
    self->locked = false;
    self->inner->ops->unlock(self->inner);
}

static inline void crowded_free(frz_catalog_backend *backend)
{
    (void)backend; /* the rival owns the inner one */
}

static const frz_catalog_backend_ops crowded_ops = {
    .load = crowded_load,
    .swap = crowded_swap,
    .lock = crowded_lock,
    .unlock = crowded_unlock,
    .free = crowded_free,
};

static int64_t slept_ms;

static inline void sleep_fast(void *self, int64_t ms)
{
    (void)self;
    slept_ms += ms;
}

static inline int set_up(void **state)
{
    static const frz_clock_ops clock = {.sleep_ms = sleep_fast};
    frz_error *err = NULL;
    (void)state;
    frz_clock_replace(&clock);
    slept_ms = 0;
    rival_number = 0;
    CHECK_OK(frz_io_memory_new(&storage, &err), err);
    CHECK_OK(frz_catalog_memory_new(&inner, &err), err);
    crowd = (crowded){.base.ops = &crowded_ops, .inner = inner};
    CHECK_OK(frz_catalog_new(inner, "default", "mem://wh", storage, &rival, &err), err);
    CHECK_OK(frz_catalog_new(&crowd.base, "default", "mem://wh", storage, &catalog, &err), err);
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    catalog_verify(rival);
    frz_catalog_free(catalog);
    frz_catalog_free(rival);
    frz_io_free(storage);
    frz_clock_replace(NULL);
    return 0;
}

static inline frz_table *make_table(int version, const frz_option *properties, size_t count)
{
    frz_error *err = NULL;
    frz_table *table = NULL;
    frz_table_create_options options = FRZ_TABLE_CREATE_OPTIONS_INIT;
    options.schema = "id long, name string";
    options.format_version = version;
    options.properties = properties;
    options.property_count = count;
    CHECK_OK(frz_catalog_create_table(rival, "n.t", &options, NULL, &err), err);
    CHECK_OK(frz_catalog_load_table(catalog, "n.t", &table, &err), err);
    return table;
}

static inline frz_table *rival_table(void)
{
    frz_error *err = NULL;
    frz_table *table = NULL;
    CHECK_OK(frz_catalog_load_table(rival, "n.t", &table, &err), err);
    return table;
}

static inline void rival_appends(void)
{
    char row[32];
    frz_table *table = rival_table();
    (void)snprintf(row, sizeof row, "%d:r", 100 + rival_number++);
    append_rows(table, row);
    frz_table_free(table);
}

static inline void rival_deletes_1(void)
{
    frz_error *err = NULL;
    frz_table *table = rival_table();
    CHECK_OK(frz_table_delete(table, "id = 1", FRZ_DELETE_MODE_MERGE_ON_READ, NULL, NULL, &err),
             err);
    frz_table_free(table);
}

static inline void rival_rewrites_1(void)
{
    frz_error *err = NULL;
    frz_table *table = rival_table();
    CHECK_OK(frz_table_delete(table, "id = 1", FRZ_DELETE_MODE_COPY_ON_WRITE, NULL, NULL, &err),
             err);
    frz_table_free(table);
}

static inline void disturb(void (*what)(void), int times)
{
    crowd.before_swap = what;
    crowd.times = times;
    rival_number = 0;
}

#endif
