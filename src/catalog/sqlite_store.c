#include "catalog/sqlite_store.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/mem.h"

static const char create_tables[] =
    "CREATE TABLE IF NOT EXISTS iceberg_tables ("
    "catalog_name VARCHAR(255) NOT NULL, table_namespace VARCHAR(255) NOT NULL, "
    "table_name VARCHAR(255) NOT NULL, metadata_location VARCHAR(1000), "
    "previous_metadata_location VARCHAR(1000), iceberg_type VARCHAR(5), "
    "PRIMARY KEY (catalog_name, table_namespace, table_name))";

static const char create_properties[] =
    "CREATE TABLE IF NOT EXISTS iceberg_namespace_properties ("
    "catalog_name VARCHAR(255) NOT NULL, namespace VARCHAR(255) NOT NULL, "
    "property_key VARCHAR(255) NOT NULL, property_value VARCHAR(1000), "
    "PRIMARY KEY (catalog_name, namespace, property_key))";

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

frz_status frz_sqlite_uri_path(const char *uri, char **path_out, frz_error **err)
{
    const char *path = NULL;
    if (starts_with(uri, "jdbc:sqlite:")) {
        path = uri + strlen("jdbc:sqlite:");
        if (starts_with(path, "file:"))
            path += strlen("file:");
    } else if (starts_with(uri, "sqlite:") || starts_with(uri, "sqlite+")) {
        const char *authority = strstr(uri, "://");
        if (!authority)
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                            "catalog uri \"%s\": expected sqlite:////absolute/path", uri);
        path = authority + 3;
        if (*path == '/')
            path++;
        else if (*path != '\0')
            return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                            "catalog uri \"%s\" names a host; SQLite has none: expected three or "
                            "four slashes",
                            uri);
    } else {
        return frz_fail(err, FRZ_UNSUPPORTED, FRZ_NO_OFFSET,
                        "SQL catalog at \"%s\": only SQLite is built in", uri);
    }
    const char *query = strchr(path, '?');
    const size_t size = query ? (size_t)(query - path) : strlen(path);
    char *copy = size > 0 ? frz_copy_text_n(path, size) : frz_copy_text(":memory:");
    if (!copy)
        return frz_fail_memory(err);
    *path_out = copy;
    return FRZ_OK;
}

static frz_status status_of(int code)
{
    switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return FRZ_CONFLICT;
    case SQLITE_NOMEM:
        return FRZ_NO_MEMORY;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return FRZ_CORRUPT;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return FRZ_PERMISSION;
    case SQLITE_CONSTRAINT:
        return FRZ_ALREADY_EXISTS;
    default:
        return FRZ_IO;
    }
}

static frz_status fail_sqlite(frz_sqlite_store *store, frz_status status, frz_error **err)
{
    const int code = store->db ? sqlite3_extended_errcode(store->db) : SQLITE_NOMEM;
    const char *text = store->db ? sqlite3_errmsg(store->db) : sqlite3_errstr(code);
    return frz_fail_origin(err, status, code, "catalog %s: %s", store->path, text);
}

static frz_status fail_by_code(frz_sqlite_store *store, frz_error **err)
{
    const int code = store->db ? sqlite3_extended_errcode(store->db) : SQLITE_NOMEM;
    return fail_sqlite(store, status_of(code), err);
}

static frz_status probe_layout(frz_sqlite_store *store, frz_error **err)
{
    FRZ_TRY(frz_sqlite_exists(store,
                              "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = "
                              "'iceberg_tables'",
                              NULL, 0, &store->has_tables, err));
    return frz_sqlite_exists(store,
                             "SELECT 1 FROM pragma_table_info('iceberg_tables') WHERE name = "
                             "'iceberg_type'",
                             NULL, 0, &store->has_type, err);
}

static frz_status open_database(frz_sqlite_store *store, int flags, frz_error **err)
{
    frz_status status = FRZ_OK;
    const int code = sqlite3_open_v2(store->path, &store->db,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | flags, NULL);
    if (code != SQLITE_OK) {
        status = fail_by_code(store, err);
        goto done;
    }
    (void)sqlite3_busy_timeout(store->db, store->busy_timeout_ms);
    FRZ_TRY_DONE(probe_layout(store, err));

done:
    if (status != FRZ_OK) {
        (void)sqlite3_close(store->db);
        store->db = NULL;
    }
    return status;
}

frz_status frz_sqlite_store_find(frz_sqlite_store *store, bool *found_out, frz_error **err)
{
    if (!store->db) {
        struct stat info;
        if (strcmp(store->path, ":memory:") == 0 ||
            (stat(store->path, &info) != 0 && errno == ENOENT)) {
            *found_out = false;
            return FRZ_OK;
        }
        FRZ_TRY(open_database(store, 0, err));
    }
    if (!store->has_tables)
        FRZ_TRY(probe_layout(store, err)); /* another process may have made them by now */
    *found_out = store->has_tables;
    return FRZ_OK;
}

static frz_status make_folders(const char *path, frz_error **err)
{
    char *copy = frz_copy_text(path);
    if (!copy)
        return frz_fail_memory(err);
    frz_status status = FRZ_OK;
    for (char *slash = strchr(copy + 1, '/'); slash && status == FRZ_OK;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST)
            status = frz_fail_errno(err, errno, "create folder", copy);
        *slash = '/';
    }
    frz_free(copy);
    return status;
}

static frz_status make_tables(frz_sqlite_store *store, frz_error **err)
{
    frz_status status = FRZ_OK;
    FRZ_TRY(frz_sqlite_begin(store, err));
    FRZ_TRY_DONE(frz_sqlite_run(store, create_tables, NULL, 0, NULL, err));
    FRZ_TRY_DONE(frz_sqlite_run(store, create_properties, NULL, 0, NULL, err));
    FRZ_TRY_DONE(probe_layout(store, err));
    FRZ_TRY_DONE(frz_sqlite_commit(store, err));

done:
    if (status != FRZ_OK) {
        frz_sqlite_rollback(store);
        store->has_tables = false;
    }
    return status;
}

frz_status frz_sqlite_store_make(frz_sqlite_store *store, frz_error **err)
{
    if (!store->db) {
        if (strcmp(store->path, ":memory:") != 0)
            FRZ_TRY(make_folders(store->path, err));
        FRZ_TRY(open_database(store, SQLITE_OPEN_CREATE, err));
    }
    return store->has_tables ? FRZ_OK : make_tables(store, err);
}

void frz_sqlite_store_clear(frz_sqlite_store *store)
{
    (void)sqlite3_close(store->db); /* every statement was finalized: it cannot be busy */
    frz_free(store->path);
    *store = (frz_sqlite_store){0};
}

frz_status frz_sqlite_begin(frz_sqlite_store *store, frz_error **err)
{
    if (!sqlite3_get_autocommit(store->db))
        return FRZ_OK;
    return frz_sqlite_run(store, "BEGIN IMMEDIATE", NULL, 0, NULL, err);
}

frz_status frz_sqlite_commit(frz_sqlite_store *store, frz_error **err)
{
    if (sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK)
        return FRZ_OK;
    const int code = sqlite3_extended_errcode(store->db);
    frz_status status = status_of(code);
    /* A full disk stops it before the journal is finished, which undoes what was written. Else the
     * journal may or may not have been finished. */
    if (status != FRZ_CONFLICT && (code & 0xff) != SQLITE_FULL)
        status = FRZ_UNKNOWN_STATE;
    status = fail_sqlite(store, status, err);
    frz_sqlite_rollback(store);
    return status;
}

void frz_sqlite_rollback(frz_sqlite_store *store)
{
    if (store->db && !sqlite3_get_autocommit(store->db))
        (void)sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
}

frz_status frz_sqlite_prepare(frz_sqlite_store *store, const char *sql, const frz_slice *texts,
                              int count, sqlite3_stmt **out, frz_error **err)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) != SQLITE_OK)
        return fail_by_code(store, err);
    for (int i = 0; i < count; i++) {
        const char *text = texts[i].data ? (const char *)texts[i].data : "";
        if (sqlite3_bind_text64(statement, i + 1, text, texts[i].size, SQLITE_STATIC,
                                SQLITE_UTF8) != SQLITE_OK) {
            const frz_status status = fail_by_code(store, err);
            (void)sqlite3_finalize(statement);
            return status;
        }
    }
    *out = statement;
    return FRZ_OK;
}

frz_status frz_sqlite_step(frz_sqlite_store *store, sqlite3_stmt *statement, frz_error **err)
{
    const int code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        return FRZ_OK;
    return code == SQLITE_DONE ? FRZ_END : fail_by_code(store, err);
}

frz_slice frz_sqlite_text(sqlite3_stmt *statement, int column)
{
    const unsigned char *text = sqlite3_column_text(statement, column);
    const int size = sqlite3_column_bytes(statement, column);
    return frz_slice_of(text, text ? (size_t)size : 0);
}

frz_status frz_sqlite_run(frz_sqlite_store *store, const char *sql, const frz_slice *texts,
                          int count, int *changes_out, frz_error **err)
{
    sqlite3_stmt *statement = NULL;
    FRZ_TRY(frz_sqlite_prepare(store, sql, texts, count, &statement, err));
    const frz_status status = frz_sqlite_step(store, statement, err);
    (void)sqlite3_finalize(statement); /* repeats the failure of step */
    if (status != FRZ_OK && status != FRZ_END)
        return status;
    if (changes_out)
        *changes_out = sqlite3_changes(store->db);
    return FRZ_OK;
}

frz_status frz_sqlite_exists(frz_sqlite_store *store, const char *sql, const frz_slice *texts,
                             int count, bool *out, frz_error **err)
{
    sqlite3_stmt *statement = NULL;
    FRZ_TRY(frz_sqlite_prepare(store, sql, texts, count, &statement, err));
    const frz_status status = frz_sqlite_step(store, statement, err);
    (void)sqlite3_finalize(statement);
    if (status != FRZ_OK && status != FRZ_END)
        return status;
    *out = status == FRZ_OK;
    return FRZ_OK;
}
