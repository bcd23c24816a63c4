#define _XOPEN_SOURCE 700

#include "catalog/sqlite_store.h"

#include "scratch.h"

static void check_path(const char *uri, const char *want)
{
    frz_error *err = NULL;
    char *path = NULL;
    CHECK_OK(frz_sqlite_uri_path(uri, &path, &err), err);
    assert_string_equal(path, want);
    frz_free(path);
}

static void uris_of_python_and_java_name_files(void **state)
{
    (void)state;
    check_path("sqlite:////abs/catalog.db", "/abs/catalog.db");
    check_path("sqlite:///rel/catalog.db", "rel/catalog.db");
    check_path("sqlite+pysqlite:////abs/a b%20.db", "/abs/a b%20.db");
    check_path("sqlite:////abs/c.db?timeout=5", "/abs/c.db");
    check_path("sqlite://", ":memory:");
    check_path("sqlite:///:memory:", ":memory:");
    check_path("jdbc:sqlite:/abs/catalog.db", "/abs/catalog.db");
    check_path("jdbc:sqlite:rel.db", "rel.db");
    check_path("jdbc:sqlite:file:/abs/c.db?cache=shared", "/abs/c.db");
    check_path("jdbc:sqlite::memory:", ":memory:");
}

static void other_databases_are_refused_by_name(void **state)
{
    frz_error *err = NULL;
    char *path = NULL;
    (void)state;
    CHECK_FAILS(frz_sqlite_uri_path("postgresql://u@h/db", &path, &err), FRZ_UNSUPPORTED, err,
                "postgresql://u@h/db");
    CHECK_FAILS(frz_sqlite_uri_path("sqlite://host/x", &path, &err), FRZ_INVALID, err, "host");
    CHECK_FAILS(frz_sqlite_uri_path("sqlite:/x", &path, &err), FRZ_INVALID, err, "sqlite:////");
}

static void the_layout_is_javas_v1(void **state)
{
    frz_error *err = NULL;
    frz_sqlite_store store = {.path = frz_copy_text(":memory:")};
    bool found = true;
    (void)state;
    CHECK_OK(frz_sqlite_store_find(&store, &found, &err), err);
    CHECK(!found);
    CHECK_OK(frz_sqlite_store_make(&store, &err), err);
    CHECK(store.has_tables && store.has_type);
    const frz_slice want = frz_slice_of_text(
        "catalog_name,table_namespace,table_name,metadata_location,previous_metadata_location,"
        "iceberg_type");
    CHECK_OK(frz_sqlite_exists(&store,
                               "SELECT 1 WHERE ?1 = (SELECT group_concat(name, ',') FROM "
                               "pragma_table_info('iceberg_tables'))",
                               &want, 1, &found, &err),
             err);
    CHECK(found);
    frz_sqlite_store_clear(&store);
}

static void a_rolled_back_transaction_leaves_nothing(void **state)
{
    frz_error *err = NULL;
    frz_sqlite_store store = {.path = frz_copy_text(":memory:")};
    bool found = true;
    int changes = 0;
    (void)state;
    CHECK_OK(frz_sqlite_store_make(&store, &err), err);
    CHECK_OK(frz_sqlite_begin(&store, &err), err);
    CHECK_OK(frz_sqlite_run(&store,
                            "INSERT INTO iceberg_tables (catalog_name, table_namespace, "
                            "table_name) VALUES ('c', 'n', 't')",
                            NULL, 0, &changes, &err),
             err);
    CHECK(changes == 1);
    frz_sqlite_rollback(&store);
    frz_sqlite_rollback(&store);
    CHECK_OK(frz_sqlite_exists(&store, "SELECT 1 FROM iceberg_tables", NULL, 0, &found, &err), err);
    CHECK(!found);
    CHECK_FAILS(frz_sqlite_run(&store, "NO SQL", NULL, 0, NULL, &err), FRZ_IO, err, "syntax");
    frz_sqlite_store_clear(&store);
}

/* A disk that gets full, as SQLite sees it: writes to the database itself, not to its journal. */
static struct full_disk {
    sqlite3_vfs vfs; /* the default one, but for xOpen */
    sqlite3_io_methods methods;
    int (*open)(sqlite3_vfs *, const char *, sqlite3_file *, int, int *);
    int (*write)(sqlite3_file *, const void *, int, sqlite3_int64);
    bool full;
} disk;

static int write_unless_full(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 offset)
{
    return disk.full ? SQLITE_FULL : disk.write(file, bytes, size, offset);
}

static int open_on_disk(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                        int *flags_out)
{
    const int code = disk.open(vfs, name, file, flags, flags_out);
    if (code == SQLITE_OK && flags & SQLITE_OPEN_MAIN_DB) {
        disk.methods = *file->pMethods;
        disk.write = disk.methods.xWrite;
        disk.methods.xWrite = write_unless_full;
        file->pMethods = &disk.methods;
    }
    return code;
}

/* Nothing of it happened: the caller may clean up, and need not find out. */
static void a_commit_on_a_full_disk_has_failed(void **state)
{
    char folder[64];
    char path[96];
    frz_error *err = NULL;
    bool found = true;
    (void)state;
    scratch_make(folder);
    (void)snprintf(path, sizeof path, "%s/catalog.db", folder);
    disk.vfs = *sqlite3_vfs_find(NULL);
    disk.open = disk.vfs.xOpen;
    disk.vfs.xOpen = open_on_disk;
    disk.vfs.zName = "full-disk";
    assert_int_equal(sqlite3_vfs_register(&disk.vfs, 1), SQLITE_OK);
    frz_sqlite_store store = {.path = frz_copy_text(path)};
    CHECK_OK(frz_sqlite_store_make(&store, &err), err);
    CHECK_OK(frz_sqlite_begin(&store, &err), err);
    CHECK_OK(frz_sqlite_run(&store,
                            "INSERT INTO iceberg_tables (catalog_name, table_namespace, "
                            "table_name) VALUES ('c', 'n', 't')",
                            NULL, 0, NULL, &err),
             err);
    disk.full = true;
    CHECK_FAILS(frz_sqlite_commit(&store, &err), FRZ_IO, err, "disk is full");
    disk.full = false;
    CHECK_OK(frz_sqlite_exists(&store, "SELECT 1 FROM iceberg_tables", NULL, 0, &found, &err), err);
    CHECK(!found);
    frz_sqlite_store_clear(&store);
    assert_int_equal(sqlite3_vfs_unregister(&disk.vfs), SQLITE_OK);
    scratch_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uris_of_python_and_java_name_files),
        cmocka_unit_test(other_databases_are_refused_by_name),
        cmocka_unit_test(the_layout_is_javas_v1),
        cmocka_unit_test(a_rolled_back_transaction_leaves_nothing),
        cmocka_unit_test(a_commit_on_a_full_disk_has_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
