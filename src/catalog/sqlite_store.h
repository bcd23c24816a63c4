/*
 * The SQLite database behind a SQL catalog: opening, its two tables, statements and transactions.
 *
 * The layout is the one PyIceberg's SqlCatalog and Java's JdbcCatalog (schema V1) write, so that
 * all three share one file; a V0 store (no column iceberg_type) is used as it stands. No pragma is
 * set but the busy timeout: rollback journal and full synchronisation are what the others expect.
 *
 * The database is opened when it is first used, and made when something is first written.
 *
 * Thread rule: one thread at a time.
 */
#ifndef FRZ_CATALOG_SQLITE_STORE_H
#define FRZ_CATALOG_SQLITE_STORE_H

#include <sqlite3.h>
#include <stdbool.h>

#include "base/slice.h"
#include "frazil/error.h"

typedef struct frz_sqlite_store {
    char *path;  /* owned; ":memory:" for none */
    sqlite3 *db; /* NULL until used */
    bool has_tables;
    bool has_type; /* the V1 column iceberg_type is there */
    int busy_timeout_ms;
} frz_sqlite_store;

/* The file a URI names: sqlite:////abs, sqlite:///relative, jdbc:sqlite:/abs; free with frz_free.
 * FRZ_UNSUPPORTED names another database. */
FRZ_MUST_CHECK frz_status frz_sqlite_uri_path(const char *uri, char **path_out, frz_error **err);

/* Whether there is a store to read: false leaves nothing behind. */
FRZ_MUST_CHECK frz_status frz_sqlite_store_find(frz_sqlite_store *store, bool *found_out,
                                                frz_error **err);
/* Opens for writing; makes folder, file and tables where they lack. */
FRZ_MUST_CHECK frz_status frz_sqlite_store_make(frz_sqlite_store *store, frz_error **err);
void frz_sqlite_store_clear(frz_sqlite_store *store);

/*
 * A write transaction: BEGIN IMMEDIATE (FRZ_CONFLICT when another process holds the database for
 * longer than the busy timeout). Within an open one, begin joins it; commit ends it for all.
 */
FRZ_MUST_CHECK frz_status frz_sqlite_begin(frz_sqlite_store *store, frz_error **err);
/* FRZ_CONFLICT: rolled back, nothing happened. FRZ_UNKNOWN_STATE: storage failed while it was being
 * made durable. */
FRZ_MUST_CHECK frz_status frz_sqlite_commit(frz_sqlite_store *store, frz_error **err);
/* Does nothing without an open transaction. */
void frz_sqlite_rollback(frz_sqlite_store *store);

/* A statement with texts bound to its parameters 1.. (borrowed until it is finalized). */
FRZ_MUST_CHECK frz_status frz_sqlite_prepare(frz_sqlite_store *store, const char *sql,
                                             const frz_slice *texts, int count, sqlite3_stmt **out,
                                             frz_error **err);
/* FRZ_OK with a row, FRZ_END without. */
FRZ_MUST_CHECK frz_status frz_sqlite_step(frz_sqlite_store *store, sqlite3_stmt *statement,
                                          frz_error **err);
frz_slice frz_sqlite_text(sqlite3_stmt *statement, int column);

/* Runs a statement that gives no rows; *changes_out (may be NULL) is the number of rows it changed.
 */
FRZ_MUST_CHECK frz_status frz_sqlite_run(frz_sqlite_store *store, const char *sql,
                                         const frz_slice *texts, int count, int *changes_out,
                                         frz_error **err);

/* Whether a query gives a row. */
FRZ_MUST_CHECK frz_status frz_sqlite_exists(frz_sqlite_store *store, const char *sql,
                                            const frz_slice *texts, int count, bool *out,
                                            frz_error **err);

#endif
