#include "catalog/sqlite.h"

#include <assert.h>
#include <string.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "base/mem.h"
#include "catalog/identifier.h"
#include "catalog/mutex.h"
#include "catalog/refusal.h"
#include "catalog/sqlite_store.h"

enum { BUSY_TIMEOUT_MS = 60000 };

typedef struct sqlite_backend {
    frz_catalog_backend base;
    pthread_mutex_t mutex;
    frz_sqlite_store store;
    char *name; /* owned: the catalog's */
} sqlite_backend;

#define IS_NAMESPACE_OR_BELOW(column) "(" column " = ?2 OR " column " LIKE ?3 ESCAPE '!')"

static sqlite_backend *enter(frz_catalog_backend *backend)
{
    sqlite_backend *self = (sqlite_backend *)backend;
    (void)pthread_mutex_lock(&self->mutex);
    return self;
}

static frz_status leave(sqlite_backend *self, frz_status status)
{
    (void)pthread_mutex_unlock(&self->mutex);
    return status;
}

/* Ends what `enter` and a write began: what did not commit is undone. */
static frz_status leave_write(sqlite_backend *self, frz_status status)
{
    if (status != FRZ_OK)
        frz_sqlite_rollback(&self->store);
    return leave(self, status);
}

/* V1 stores hold views too; these are not tables. NULL counts as a table. */
static const char *tables_only(const sqlite_backend *self)
{
    return self->store.has_type ? " AND (iceberg_type = 'TABLE' OR iceberg_type IS NULL)" : "";
}

/* `name.%` with the wildcards of the name itself escaped by `!`. */
static frz_status print_pattern(frz_slice name, frz_buffer *out, frz_error **err)
{
    for (size_t i = 0; i < name.size; i++) {
        if (strchr("!_%", name.data[i]))
            frz_buffer_append_byte(out, '!');
        frz_buffer_append_byte(out, name.data[i]);
    }
    frz_buffer_append_text(out, ".%");
    return frz_buffer_check(out, err);
}

static frz_status namespace_exists(sqlite_backend *self, frz_slice name, bool *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_buffer pattern = {0};
    FRZ_TRY_DONE(print_pattern(name, &pattern, err));
    const frz_slice texts[] = {frz_slice_of_text(self->name), name, frz_buffer_slice(&pattern)};
    FRZ_TRY_DONE(frz_sqlite_exists(
        &self->store,
        "SELECT 1 FROM iceberg_namespace_properties WHERE catalog_name = ?1 AND " //
        IS_NAMESPACE_OR_BELOW(
            "namespace") " UNION ALL "
                         "SELECT 1 FROM iceberg_tables WHERE catalog_name = ?1 AND " //
        IS_NAMESPACE_OR_BELOW("table_namespace") " LIMIT 1",
        texts, 3, out, err));

done:
    frz_buffer_clear(&pattern);
    return status;
}

static frz_status require_namespace(sqlite_backend *self, frz_slice name, frz_error **err)
{
    bool found = false;
    FRZ_TRY(frz_sqlite_store_find(&self->store, &found, err));
    if (found)
        FRZ_TRY(namespace_exists(self, name, &found, err));
    return found ? FRZ_OK : frz_refuse_no_namespace(name, err);
}

/* The first column of every row of a query, through `child of parent` when `parent` is not NULL. */
typedef struct name_query {
    const char *sql;
    const frz_slice *texts;
    int count;
    const frz_slice *parent;
} name_query;

static frz_status collect(sqlite_backend *self, const name_query *query, frz_names *out,
                          frz_error **err)
{
    const frz_slice *parent = query->parent;
    sqlite3_stmt *statement = NULL;
    FRZ_TRY(
        frz_sqlite_prepare(&self->store, query->sql, query->texts, query->count, &statement, err));
    frz_status status = FRZ_OK;
    while ((status = frz_sqlite_step(&self->store, statement, err)) == FRZ_OK) {
        frz_slice name = frz_sqlite_text(statement, 0);
        if (parent)
            name = frz_namespace_child(*parent, name);
        if (name.size == 0 || (parent && frz_names_contain(out, name)))
            continue;
        FRZ_TRY_DONE(frz_names_add(out, name, err));
    }
    if (status == FRZ_END)
        status = FRZ_OK;

done:
    (void)sqlite3_finalize(statement);
    return status;
}

static frz_status list_namespaces(frz_catalog_backend *backend, const char *parent, frz_names *out,
                                  frz_error **err)
{
    sqlite_backend *self = enter(backend);
    frz_status status = FRZ_OK;
    frz_names found = {0};
    bool exists = false;
    const frz_slice above = parent ? frz_slice_of_text(parent) : frz_slice_of(NULL, 0);

    if (parent)
        FRZ_TRY_DONE(require_namespace(self, above, err));
    FRZ_TRY_DONE(frz_sqlite_store_find(&self->store, &exists, err));
    if (exists) {
        const frz_slice texts[] = {frz_slice_of_text(self->name)};
        const name_query query = {
            "SELECT namespace FROM iceberg_namespace_properties WHERE catalog_name = ?1 UNION "
            "SELECT table_namespace FROM iceberg_tables WHERE catalog_name = ?1",
            texts, 1, &above};
        FRZ_TRY_DONE(collect(self, &query, &found, err));
    }
    frz_names_take_sorted(&found, out);

done:
    frz_names_free(&found);
    return leave(self, status);
}

static frz_status insert_property(sqlite_backend *self, frz_slice name, const char *key,
                                  const char *value, frz_error **err)
{
    const frz_slice texts[] = {frz_slice_of_text(self->name), name, frz_slice_of_text(key),
                               frz_slice_of_text(value)};
    return frz_sqlite_run(&self->store,
                          "INSERT OR REPLACE INTO iceberg_namespace_properties VALUES (?1, ?2, "
                          "?3, ?4)",
                          texts, 4, NULL, err);
}

/* An empty namespace is kept alive by the property "exists", as Java and PyIceberg do. */
static frz_status insert_namespace(sqlite_backend *self, frz_slice name,
                                   const frz_option *properties, size_t count, frz_error **err)
{
    for (frz_slice level = name; level.size > 0; level = frz_namespace_parent(level))
        FRZ_TRY(insert_property(self, level, "exists", "true", err));
    for (size_t i = 0; i < count; i++)
        FRZ_TRY(insert_property(self, name, properties[i].key, properties[i].value, err));
    return FRZ_OK;
}

static frz_status create_namespace(frz_catalog_backend *backend, const char *name,
                                   const frz_option *properties, size_t property_count,
                                   frz_error **err)
{
    sqlite_backend *self = enter(backend);
    frz_status status = FRZ_OK;
    const frz_slice whole = frz_slice_of_text(name);
    bool exists = false;

    FRZ_TRY_DONE(frz_sqlite_store_make(&self->store, err));
    FRZ_TRY_DONE(frz_sqlite_begin(&self->store, err));
    FRZ_TRY_DONE(namespace_exists(self, whole, &exists, err));
    if (exists) {
        status = frz_refuse_namespace_exists(name, err);
        goto done;
    }
    FRZ_TRY_DONE(insert_namespace(self, whole, properties, property_count, err));
    FRZ_TRY_DONE(frz_sqlite_commit(&self->store, err));

done:
    return leave_write(self, status);
}

static frz_status check_namespace_empty(sqlite_backend *self, const char *name, frz_error **err)
{
    frz_status status = FRZ_OK;
    const frz_slice whole = frz_slice_of_text(name);
    frz_buffer pattern = {0};
    bool used = false;
    FRZ_TRY_DONE(print_pattern(whole, &pattern, err));
    const frz_slice texts[] = {frz_slice_of_text(self->name), whole, frz_buffer_slice(&pattern)};
    FRZ_TRY_DONE(frz_sqlite_exists(
        &self->store,
        "SELECT 1 FROM iceberg_tables WHERE catalog_name = ?1 AND " //
        IS_NAMESPACE_OR_BELOW("table_namespace") " UNION ALL "
                                                 "SELECT 1 FROM iceberg_namespace_properties WHERE "
                                                 "catalog_name = ?1 AND namespace LIKE ?3 "
                                                 "ESCAPE '!' LIMIT 1",
        texts, 3, &used, err));
    if (used)
        status = frz_refuse_namespace_used(name, err);

done:
    frz_buffer_clear(&pattern);
    return status;
}

static frz_status drop_namespace(frz_catalog_backend *backend, const char *name, frz_error **err)
{
    sqlite_backend *self = enter(backend);
    frz_status status = FRZ_OK;
    const frz_slice whole = frz_slice_of_text(name);
    const frz_slice texts[] = {frz_slice_of_text(self->name), whole};

    FRZ_TRY_DONE(require_namespace(self, whole, err));
    FRZ_TRY_DONE(frz_sqlite_begin(&self->store, err));
    FRZ_TRY_DONE(require_namespace(self, whole, err));
    FRZ_TRY_DONE(check_namespace_empty(self, name, err));
    FRZ_TRY_DONE(frz_sqlite_run(&self->store,
                                "DELETE FROM iceberg_namespace_properties WHERE catalog_name = ?1 "
                                "AND namespace = ?2",
                                texts, 2, NULL, err));
    FRZ_TRY_DONE(frz_sqlite_commit(&self->store, err));

done:
    return leave_write(self, status);
}

/* The first column of the first row as text; *out NULL without a row or for SQL's null. */
static frz_status select_text(sqlite_backend *self, const char *sql, const frz_slice *texts,
                              int count, char **out, frz_error **err)
{
    sqlite3_stmt *statement = NULL;
    FRZ_TRY(frz_sqlite_prepare(&self->store, sql, texts, count, &statement, err));
    char *text = NULL;
    frz_status status = frz_sqlite_step(&self->store, statement, err);
    if (status == FRZ_OK && sqlite3_column_type(statement, 0) != SQLITE_NULL) {
        const frz_slice value = frz_sqlite_text(statement, 0);
        text = frz_copy_text_n((const char *)value.data, value.size);
        if (!text)
            status = frz_fail_memory(err);
    }
    (void)sqlite3_finalize(statement);
    if (status != FRZ_OK && status != FRZ_END)
        return status;
    *out = text;
    return FRZ_OK;
}

static frz_status namespace_property(frz_catalog_backend *backend, const char *name,
                                     const char *key, char **value_out, frz_error **err)
{
    sqlite_backend *self = enter(backend);
    frz_status status = FRZ_OK;
    const frz_slice whole = frz_slice_of_text(name);
    const frz_slice texts[] = {frz_slice_of_text(self->name), whole, frz_slice_of_text(key)};

    FRZ_TRY_DONE(require_namespace(self, whole, err));
    FRZ_TRY_DONE(select_text(self,
                             "SELECT property_value FROM iceberg_namespace_properties WHERE "
                             "catalog_name = ?1 AND namespace = ?2 AND property_key = ?3",
                             texts, 3, value_out, err));

done:
    return leave(self, status);
}

static frz_status list_tables(frz_catalog_backend *backend, const char *name, frz_names *out,
                              frz_error **err)
{
    sqlite_backend *self = enter(backend);
    frz_status status = FRZ_OK;
    frz_names found = {0};
    frz_buffer sql = {0};
    const frz_slice whole = frz_slice_of_text(name);
    const frz_slice texts[] = {frz_slice_of_text(self->name), whole};

    FRZ_TRY_DONE(require_namespace(self, whole, err));
    frz_buffer_printf(&sql,
                      "SELECT table_namespace || '.' || table_name FROM iceberg_tables WHERE "
                      "catalog_name = ?1 AND table_namespace = ?2%s",
                      tables_only(self));
    frz_buffer_append_byte(&sql, 0);
    FRZ_TRY_DONE(frz_buffer_check(&sql, err));
    const name_query query = {(const char *)sql.data, texts, 2, NULL};
    FRZ_TRY_DONE(collect(self, &query, &found, err));
    frz_names_take_sorted(&found, out);

done:
    frz_names_free(&found);
    frz_buffer_clear(&sql);
    return leave(self, status);
}

/* Runs one statement on one table row: `head` up to its WHERE, which is completed with the key of
 * the table (parameters 1 to 3), tables only. */
static frz_status change_table(sqlite_backend *self, const char *head, const frz_slice *texts,
                               int count, int *changes_out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_buffer sql = {0};
    frz_buffer_printf(&sql,
                      "%s WHERE catalog_name = ?1 AND table_namespace = ?2 AND table_name = ?3%s%s",
                      head, count > 4 ? " AND metadata_location = ?5" : "", tables_only(self));
    frz_buffer_append_byte(&sql, 0);
    FRZ_TRY_DONE(frz_buffer_check(&sql, err));
    FRZ_TRY_DONE(
        frz_sqlite_run(&self->store, (const char *)sql.data, texts, count, changes_out, err));

done:
    frz_buffer_clear(&sql);
    return status;
}

static frz_status load_location(sqlite_backend *self, const char *identifier, char **out,
                                frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_buffer sql = {0};
    char *location = NULL;
    frz_slice texts[3] = {frz_slice_of_text(self->name)};
    bool found = false;

    FRZ_TRY(frz_identifier_split(identifier, &texts[1], &texts[2], err));
    FRZ_TRY(frz_sqlite_store_find(&self->store, &found, err));
    if (!found)
        return frz_refuse_no_table(identifier, err);
    frz_buffer_printf(&sql,
                      "SELECT metadata_location FROM iceberg_tables WHERE catalog_name = ?1 AND "
                      "table_namespace = ?2 AND table_name = ?3%s",
                      tables_only(self));
    frz_buffer_append_byte(&sql, 0);
    FRZ_TRY_DONE(frz_buffer_check(&sql, err));
    FRZ_TRY_DONE(select_text(self, (const char *)sql.data, texts, 3, &location, err));
    if (!location) {
        status = frz_refuse_no_table(identifier, err);
        goto done;
    }
    *out = location;

done:
    frz_buffer_clear(&sql);
    return status;
}

static frz_status load(frz_catalog_backend *backend, const char *identifier,
                       char **metadata_location_out, frz_error **err)
{
    sqlite_backend *self = enter(backend);
    return leave(self, load_location(self, identifier, metadata_location_out, err));
}

static frz_status create(frz_catalog_backend *backend, const char *identifier,
                         const char *metadata_location, frz_error **err)
{
    sqlite_backend *self = enter(backend);
    frz_status status = FRZ_OK;
    frz_slice texts[4] = {frz_slice_of_text(self->name)};
    bool exists = false;

    texts[3] = frz_slice_of_text(metadata_location);
    FRZ_TRY_DONE(frz_identifier_split(identifier, &texts[1], &texts[2], err));
    FRZ_TRY_DONE(frz_sqlite_store_make(&self->store, err));
    FRZ_TRY_DONE(frz_sqlite_begin(&self->store, err));
    FRZ_TRY_DONE(require_namespace(self, texts[1], err));
    FRZ_TRY_DONE(frz_sqlite_exists(&self->store,
                                   "SELECT 1 FROM iceberg_tables WHERE catalog_name = ?1 AND "
                                   "table_namespace = ?2 AND table_name = ?3",
                                   texts, 3, &exists, err));
    if (exists) {
        status = frz_refuse_table_exists(identifier, err);
        goto done;
    }
    FRZ_TRY_DONE(frz_sqlite_run(
        &self->store,
        self->store.has_type
            ? "INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name, "
              "metadata_location, iceberg_type) VALUES (?1, ?2, ?3, ?4, 'TABLE')"
            : "INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name, "
              "metadata_location) VALUES (?1, ?2, ?3, ?4)",
        texts, 4, NULL, err));
    FRZ_TRY_DONE(frz_sqlite_commit(&self->store, err));

done:
    return leave_write(self, status);
}

static frz_status explain_lost_swap(sqlite_backend *self, const char *identifier,
                                    const char *expected, frz_error **err)
{
    char *location = NULL;
    const frz_status status = load_location(self, identifier, &location, err);
    if (status != FRZ_OK)
        return status;
    const frz_status lost = frz_refuse_lost_swap(identifier, location, expected, err);
    frz_free(location);
    return lost;
}

static frz_status swap(frz_catalog_backend *backend, const char *identifier, const char *expected,
                       const char *metadata_location, frz_error **err)
{
    sqlite_backend *self = enter(backend);
    frz_status status = FRZ_OK;
    frz_slice texts[5] = {frz_slice_of_text(self->name)};
    int changes = 0;
    bool found = false;

    texts[3] = frz_slice_of_text(metadata_location);
    texts[4] = frz_slice_of_text(expected);
    FRZ_TRY_DONE(frz_identifier_split(identifier, &texts[1], &texts[2], err));
    FRZ_TRY_DONE(frz_sqlite_store_find(&self->store, &found, err));
    if (!found) {
        status = frz_refuse_no_table(identifier, err);
        goto done;
    }
    FRZ_TRY_DONE(frz_sqlite_begin(&self->store, err));
    FRZ_TRY_DONE(change_table(self,
                              "UPDATE iceberg_tables SET metadata_location = ?4, "
                              "previous_metadata_location = ?5",
                              texts, 5, &changes, err));
    if (changes == 0) {
        status = explain_lost_swap(self, identifier, expected, err);
        goto done;
    }
    assert(changes == 1);
    FRZ_TRY_DONE(frz_sqlite_commit(&self->store, err));

done:
    return leave_write(self, status);
}

static frz_status drop(frz_catalog_backend *backend, const char *identifier, frz_error **err)
{
    sqlite_backend *self = enter(backend);
    frz_status status = FRZ_OK;
    frz_slice texts[3] = {frz_slice_of_text(self->name)};
    int changes = 0;
    bool found = false;

    FRZ_TRY_DONE(frz_identifier_split(identifier, &texts[1], &texts[2], err));
    FRZ_TRY_DONE(frz_sqlite_store_find(&self->store, &found, err));
    if (found) {
        FRZ_TRY_DONE(frz_sqlite_begin(&self->store, err));
        FRZ_TRY_DONE(change_table(self, "DELETE FROM iceberg_tables", texts, 3, &changes, err));
    }
    if (changes == 0) {
        status = frz_refuse_no_table(identifier, err);
        goto done;
    }
    FRZ_TRY_DONE(frz_sqlite_commit(&self->store, err));

done:
    return leave_write(self, status);
}

static frz_status rename_row(sqlite_backend *self, const char *from, const char *to,
                             frz_error **err)
{
    frz_slice key[3] = {frz_slice_of_text(self->name)};
    frz_slice target[3] = {frz_slice_of_text(self->name)};
    char *location = NULL;
    bool exists = false;

    FRZ_TRY(frz_identifier_split(from, &key[1], &key[2], err));
    FRZ_TRY(frz_identifier_split(to, &target[1], &target[2], err));
    FRZ_TRY(load_location(self, from, &location, err));
    frz_free(location);
    FRZ_TRY(require_namespace(self, target[1], err));
    FRZ_TRY(frz_sqlite_exists(&self->store,
                              "SELECT 1 FROM iceberg_tables WHERE catalog_name = ?1 AND "
                              "table_namespace = ?2 AND table_name = ?3",
                              target, 3, &exists, err));
    if (exists)
        return frz_refuse_table_exists(to, err);
    const frz_slice texts[] = {key[0], key[1], key[2], target[1], target[2]};
    return frz_sqlite_run(&self->store,
                          "UPDATE iceberg_tables SET table_namespace = ?4, table_name = ?5 WHERE "
                          "catalog_name = ?1 AND table_namespace = ?2 AND table_name = ?3",
                          texts, 5, NULL, err);
}

static frz_status rename_table(frz_catalog_backend *backend, const char *from, const char *to,
                               frz_error **err)
{
    sqlite_backend *self = enter(backend);
    frz_status status = FRZ_OK;
    bool found = false;

    FRZ_TRY_DONE(frz_sqlite_store_find(&self->store, &found, err));
    if (!found) {
        status = frz_refuse_no_table(from, err);
        goto done;
    }
    FRZ_TRY_DONE(frz_sqlite_begin(&self->store, err));
    FRZ_TRY_DONE(rename_row(self, from, to, err));
    FRZ_TRY_DONE(frz_sqlite_commit(&self->store, err));

done:
    return leave_write(self, status);
}

/* Keeps mutex and transaction until unlock; a swap or a failure within ends the transaction early.
 */
static frz_status lock(frz_catalog_backend *backend, frz_error **err)
{
    sqlite_backend *self = enter(backend);
    frz_status status = FRZ_OK;
    FRZ_TRY_DONE(frz_sqlite_store_make(&self->store, err));
    FRZ_TRY_DONE(frz_sqlite_begin(&self->store, err));
    return FRZ_OK;

done:
    return leave(self, status);
}

static void unlock(frz_catalog_backend *backend)
{
    sqlite_backend *self = (sqlite_backend *)backend;
    frz_sqlite_rollback(&self->store);
    (void)leave(self, FRZ_OK);
}

static void free_backend(frz_catalog_backend *backend)
{
    sqlite_backend *self = (sqlite_backend *)backend;
    frz_sqlite_store_clear(&self->store);
    (void)pthread_mutex_destroy(&self->mutex);
    frz_free(self->name);
    frz_free(self);
}

static const frz_catalog_backend_ops sqlite_ops = {
    .list_namespaces = list_namespaces,
    .create_namespace = create_namespace,
    .drop_namespace = drop_namespace,
    .namespace_property = namespace_property,
    .list_tables = list_tables,
    .load = load,
    .create = create,
    .swap = swap,
    .drop = drop,
    .rename = rename_table,
    .lock = lock,
    .unlock = unlock,
    .free = free_backend,
};

void frz_catalog_sqlite_set_busy_timeout(frz_catalog_backend *backend, int timeout_ms)
{
    sqlite_backend *self = enter(backend);
    self->store.busy_timeout_ms = timeout_ms;
    if (self->store.db)
        (void)sqlite3_busy_timeout(self->store.db, timeout_ms);
    (void)leave(self, FRZ_OK);
}

frz_status frz_catalog_sqlite_new(const char *name, const char *path, frz_catalog_backend **out,
                                  frz_error **err)
{
    frz_status status = FRZ_OK;
    sqlite_backend *self = frz_alloc_zero(sizeof *self);
    if (!self)
        return frz_fail_memory(err);
    self->base.ops = &sqlite_ops;
    self->store.busy_timeout_ms = BUSY_TIMEOUT_MS;
    self->name = frz_copy_text(name);
    self->store.path = frz_copy_text(path);
    status = self->name && self->store.path ? frz_catalog_mutex_init(&self->mutex, err)
                                            : frz_fail_memory(err);
    if (status != FRZ_OK) {
        frz_free(self->name);
        frz_free(self->store.path);
        frz_free(self);
        return status;
    }
    *out = &self->base;
    return FRZ_OK;
}
