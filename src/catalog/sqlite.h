/*
 * The SQL catalog in a SQLite file: the embedded default, shared with PyIceberg and Java.
 */
#ifndef FRZ_CATALOG_SQLITE_H
#define FRZ_CATALOG_SQLITE_H

#include "frazil/extend/catalog.h"

/* The catalog's name is part of every key in the database. `path` ":memory:" keeps it in memory. */
FRZ_MUST_CHECK frz_status frz_catalog_sqlite_new(const char *name, const char *path,
                                                 frz_catalog_backend **out, frz_error **err);

/* How long to wait for another process that holds the database; 60 s unless set. */
void frz_catalog_sqlite_set_busy_timeout(frz_catalog_backend *backend, int timeout_ms);

#endif
