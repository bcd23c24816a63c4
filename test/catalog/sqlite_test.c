#define _XOPEN_SOURCE 700
#include "catalog/sqlite.h"

#include <pthread.h>
#include <sqlite3.h>

#include "backend_conformance.h"
#include "scratch.h"

static frz_catalog_backend *open_at(const char *name, const char *path)
{
    frz_error *err = NULL;
    frz_catalog_backend *backend = NULL;
    CHECK_OK(frz_catalog_sqlite_new(name, path, &backend, &err), err);
    return backend;
}

static void database_path(const char *folder, char out[128])
{
    (void)snprintf(out, 128, "%s/deep/er/catalog.db", folder);
}

static void behaves_as_a_backend(void **state)
{
    char folder[64];
    char path[128];
    (void)state;
    scratch_make(folder);
    database_path(folder, path);
    frz_catalog_backend *backend = open_at("default", path);
    check_backend(backend);
    backend->ops->free(backend);
    scratch_remove(folder);
}

static void behaves_as_a_backend_in_memory(void **state)
{
    (void)state;
    frz_catalog_backend *backend = open_at("default", ":memory:");
    check_backend(backend);
    backend->ops->free(backend);
}

static void reading_makes_no_file(void **state)
{
    char folder[64];
    char path[128];
    frz_error *err = NULL;
    frz_names names = {0};
    char *location = NULL;
    (void)state;
    scratch_make(folder);
    database_path(folder, path);
    frz_catalog_backend *backend = open_at("default", path);
    CHECK_OK(backend->ops->list_namespaces(backend, NULL, &names, &err), err);
    CHECK(names.count == 0);
    CHECK_FAILS(backend->ops->load(backend, "a.b", &location, &err), FRZ_NOT_FOUND, err, "a.b");
    CHECK_FAILS(backend->ops->drop(backend, "a.b", &err), FRZ_NOT_FOUND, err, "a.b");
    CHECK(access(path, F_OK) != 0);
    backend->ops->free(backend);
    scratch_remove(folder);
}

static void execute(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    char *message = NULL;
    CHECK(sqlite3_open(path, &db) == SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s", message);
    CHECK(sqlite3_close(db) == SQLITE_OK);
}

static const char v0_schema[] =
    "CREATE TABLE iceberg_tables (catalog_name VARCHAR(255) NOT NULL, table_namespace "
    "VARCHAR(255) NOT NULL, table_name VARCHAR(255) NOT NULL, metadata_location VARCHAR(1000), "
    "previous_metadata_location VARCHAR(1000), PRIMARY KEY (catalog_name, table_namespace, "
    "table_name));"
    "CREATE TABLE iceberg_namespace_properties (catalog_name VARCHAR(255) NOT NULL, namespace "
    "VARCHAR(255) NOT NULL, property_key VARCHAR(255), property_value VARCHAR(1000), PRIMARY KEY "
    "(catalog_name, namespace, property_key));"
    "INSERT INTO iceberg_tables VALUES ('default', 'old', 't', 'm0', NULL);";

static void a_v0_store_is_used_as_it_stands(void **state)
{
    char folder[64];
    char path[128];
    frz_error *err = NULL;
    (void)state;
    scratch_make(folder);
    (void)snprintf(path, sizeof path, "%s/c.db", folder);
    execute(path, v0_schema);
    frz_catalog_backend *backend = open_at("default", path);
    check_location(backend, "old.t", "m0");
    CHECK_OK(backend->ops->swap(backend, "old.t", "m0", "m1", &err), err);
    CHECK_OK(backend->ops->create(backend, "old.u", "u0", &err), err);
    check_location(backend, "old.u", "u0");
    backend->ops->free(backend);
    execute(path, "INSERT INTO iceberg_tables VALUES ('default', 'five', 'columns', 'x', 'y')");
    scratch_remove(folder);
}

static void views_are_no_tables_and_null_counts_as_one(void **state)
{
    char folder[64];
    char path[128];
    frz_error *err = NULL;
    frz_names names = {0};
    char *location = NULL;
    (void)state;
    scratch_make(folder);
    (void)snprintf(path, sizeof path, "%s/c.db", folder);
    frz_catalog_backend *backend = open_at("default", path);
    CHECK_OK(backend->ops->create_namespace(backend, "n", NULL, 0, &err), err);
    execute(path, "INSERT INTO iceberg_tables VALUES ('default', 'n', 'v', 'v0', NULL, 'VIEW'), "
                  "('default', 'n', 't', 't0', NULL, 'TABLE'), ('default', 'n', 'u', 'u0', NULL, "
                  "NULL)");
    CHECK_OK(backend->ops->list_tables(backend, "n", &names, &err), err);
    check_names(&names, "n.t,n.u");
    frz_names_free(&names);
    CHECK_FAILS(backend->ops->load(backend, "n.v", &location, &err), FRZ_NOT_FOUND, err, "n.v");
    CHECK_FAILS(backend->ops->swap(backend, "n.v", "v0", "v1", &err), FRZ_NOT_FOUND, err, "n.v");
    CHECK_FAILS(backend->ops->drop(backend, "n.v", &err), FRZ_NOT_FOUND, err, "n.v");
    CHECK_FAILS(backend->ops->create(backend, "n.v", "m", &err), FRZ_ALREADY_EXISTS, err, "n.v");
    CHECK_OK(backend->ops->swap(backend, "n.u", "u0", "u1", &err), err);
    backend->ops->free(backend);
    scratch_remove(folder);
}

static void catalogs_of_other_names_share_the_file_unseen(void **state)
{
    char folder[64];
    char path[128];
    frz_error *err = NULL;
    char *location = NULL;
    (void)state;
    scratch_make(folder);
    (void)snprintf(path, sizeof path, "%s/c.db", folder);
    frz_catalog_backend *one = open_at("one", path);
    frz_catalog_backend *two = open_at("two", path);
    CHECK_OK(one->ops->create_namespace(one, "n", NULL, 0, &err), err);
    CHECK_OK(one->ops->create(one, "n.t", "m0", &err), err);
    CHECK_FAILS(two->ops->load(two, "n.t", &location, &err), FRZ_NOT_FOUND, err, "n.t");
    one->ops->free(one);
    two->ops->free(two);
    scratch_remove(folder);
}

/* The second of two writers with one base must not be told that it won. */
static void d022_a_swap_from_a_stale_base_is_a_conflict(void **state)
{
    char folder[64];
    char path[128];
    frz_error *err = NULL;
    (void)state;
    scratch_make(folder);
    (void)snprintf(path, sizeof path, "%s/c.db", folder);
    frz_catalog_backend *one = open_at("default", path);
    frz_catalog_backend *two = open_at("default", path);
    CHECK_OK(one->ops->create_namespace(one, "n", NULL, 0, &err), err);
    CHECK_OK(one->ops->create(one, "n.t", "m0", &err), err);
    CHECK_OK(one->ops->swap(one, "n.t", "m0", "m1", &err), err);
    CHECK_FAILS(two->ops->swap(two, "n.t", "m0", "m2", &err), FRZ_CONFLICT, err, "points to m1");
    check_location(two, "n.t", "m1");
    one->ops->free(one);
    two->ops->free(two);
    scratch_remove(folder);
}

static void a_held_catalog_keeps_others_out_for_the_busy_timeout(void **state)
{
    char folder[64];
    char path[128];
    frz_error *err = NULL;
    (void)state;
    scratch_make(folder);
    (void)snprintf(path, sizeof path, "%s/c.db", folder);
    frz_catalog_backend *one = open_at("default", path);
    frz_catalog_backend *two = open_at("default", path);
    frz_catalog_sqlite_set_busy_timeout(two, 20);
    CHECK_OK(one->ops->create_namespace(one, "n", NULL, 0, &err), err);
    CHECK_OK(one->ops->create(one, "n.t", "m0", &err), err);
    CHECK_OK(one->ops->lock(one, &err), err);
    check_location(two, "n.t", "m0"); /* readers are not kept out */
    CHECK_FAILS(two->ops->swap(two, "n.t", "m0", "m2", &err), FRZ_CONFLICT, err, "locked");
    CHECK_FAILS(two->ops->lock(two, &err), FRZ_CONFLICT, err, "locked");
    CHECK_OK(one->ops->swap(one, "n.t", "m0", "m1", &err), err);
    one->ops->unlock(one);
    CHECK_OK(two->ops->swap(two, "n.t", "m1", "m2", &err), err);
    one->ops->free(one);
    two->ops->free(two);
    scratch_remove(folder);
}

static void a_file_that_is_no_database_is_corrupt(void **state)
{
    char folder[64];
    char path[128];
    frz_error *err = NULL;
    char *location = NULL;
    (void)state;
    scratch_make(folder);
    (void)snprintf(path, sizeof path, "%s/c.db", folder);
    scratch_write(path, "this is not a database, and long enough to be looked at for its header: "
                        "one hundred bytes and more ........................");
    frz_catalog_backend *backend = open_at("default", path);
    CHECK_FAILS(backend->ops->load(backend, "n.t", &location, &err), FRZ_CORRUPT, err, path);
    CHECK_FAILS(backend->ops->load(backend, "n.t", &location, &err), FRZ_CORRUPT, err, path);
    backend->ops->free(backend);
    scratch_remove(folder);
}

enum { WRITERS = 4, SWAPS = 25 };

typedef struct writer {
    const char *path;
    int number;
    int won;
} writer;

static void *write_many(void *context)
{
    writer *self = context;
    frz_catalog_backend *backend = NULL;
    if (frz_catalog_sqlite_new("default", self->path, &backend, NULL) != FRZ_OK)
        return NULL;
    for (int i = 0; i < SWAPS;) {
        char *base = NULL;
        char next[64];
        if (backend->ops->load(backend, "n.t", &base, NULL) != FRZ_OK)
            break;
        (void)snprintf(next, sizeof next, "%s.%d-%d", strlen(base) < 20 ? base : "m", self->number,
                       i);
        const frz_status status = backend->ops->swap(backend, "n.t", base, next, NULL);
        frz_text_free(base);
        if (status != FRZ_OK && status != FRZ_CONFLICT)
            break;
        if (status == FRZ_OK) {
            self->won++;
            i++;
        }
    }
    backend->ops->free(backend);
    return NULL;
}

/* Every acknowledged swap replaced exactly the pointer its writer had read. */
static void d012_racing_writers_all_get_their_swaps(void **state)
{
    char folder[64];
    char path[128];
    frz_error *err = NULL;
    writer writers[WRITERS];
    pthread_t threads[WRITERS];
    (void)state;
    scratch_make(folder);
    (void)snprintf(path, sizeof path, "%s/c.db", folder);
    frz_catalog_backend *backend = open_at("default", path);
    CHECK_OK(backend->ops->create_namespace(backend, "n", NULL, 0, &err), err);
    CHECK_OK(backend->ops->create(backend, "n.t", "m0", &err), err);
    execute(path, "CREATE TABLE swaps (old, new); CREATE TRIGGER s AFTER UPDATE ON iceberg_tables "
                  "BEGIN INSERT INTO swaps VALUES (OLD.metadata_location, NEW.metadata_location); "
                  "END;");
    for (int i = 0; i < WRITERS; i++) {
        writers[i] = (writer){.path = path, .number = i};
        CHECK(pthread_create(&threads[i], NULL, write_many, &writers[i]) == 0);
    }
    for (int i = 0; i < WRITERS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        CHECK(writers[i].won == SWAPS);
    }
    /* The chain of swaps has no gap and no fork. */
    execute(path, "CREATE TABLE ok (n CHECK (n = 100)); INSERT INTO ok SELECT count(*) FROM swaps;"
                  "CREATE TABLE chain (n CHECK (n = 0)); INSERT INTO chain SELECT count(*) FROM "
                  "swaps a JOIN swaps b ON b.rowid = a.rowid + 1 WHERE a.new <> b.old;");
    backend->ops->free(backend);
    scratch_remove(folder);
}

static void without_memory(void)
{
    frz_catalog_backend *backend = NULL;
    const frz_status status = frz_catalog_sqlite_new("default", ":memory:", &backend, NULL);
    CHECK(status == FRZ_OK || status == FRZ_NO_MEMORY);
    if (status != FRZ_OK)
        return;
    check_backend_without_memory(backend);
    backend->ops->free(backend);
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    sweep_allocation_failures(without_memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(behaves_as_a_backend),
        cmocka_unit_test(behaves_as_a_backend_in_memory),
        cmocka_unit_test(reading_makes_no_file),
        cmocka_unit_test(a_v0_store_is_used_as_it_stands),
        cmocka_unit_test(views_are_no_tables_and_null_counts_as_one),
        cmocka_unit_test(catalogs_of_other_names_share_the_file_unseen),
        cmocka_unit_test(d022_a_swap_from_a_stale_base_is_a_conflict),
        cmocka_unit_test(a_held_catalog_keeps_others_out_for_the_busy_timeout),
        cmocka_unit_test(a_file_that_is_no_database_is_corrupt),
        cmocka_unit_test(d012_racing_writers_all_get_their_swaps),
        cmocka_unit_test(survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
