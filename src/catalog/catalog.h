/*
 * The catalog handle: a back-end, the storage of its tables, and the rules all catalogs share
 * (default locations, table creation, the swap). Reference counted: tables keep theirs.
 */
#ifndef FRZ_CATALOG_CATALOG_H
#define FRZ_CATALOG_CATALOG_H

#include "base/cache.h"
#include "catalog/stage.h"
#include "frazil/extend/catalog.h"
#include "frazil/extend/io.h"
#include "spec/metadata.h"
#include "spec/update.h"

/*
 * A catalog over any back-end. Takes `backend`, also on failure. `warehouse` NULL: tables need a
 * location of their own, or one of their namespace. `io` NULL = local files, else borrowed.
 */
FRZ_MUST_CHECK frz_status frz_catalog_new(frz_catalog_backend *backend, const char *name,
                                          const char *warehouse, frz_io *io, frz_catalog **out,
                                          frz_error **err);
/* The catalog of a transaction: `stage` is its back-end (taken, also on failure), the rest is that
 * of `over` (a reference). */
FRZ_MUST_CHECK frz_status frz_catalog_new_staged(frz_catalog *over, frz_stage *stage,
                                                 frz_catalog **out, frz_error **err);
/* NULL where the catalog is not that of a transaction. */
frz_stage *frz_catalog_stage(const frz_catalog *catalog);
/* The version of a table at a location that the back-end gave. */
FRZ_MUST_CHECK frz_status frz_catalog_read_version(const frz_catalog *catalog, const char *location,
                                                   const frz_limits *limits, frz_metadata **out,
                                                   frz_error **err);
frz_catalog *frz_catalog_ref(frz_catalog *catalog);
frz_io *frz_catalog_io(const frz_catalog *catalog);
frz_catalog_backend *frz_catalog_backend_of(const frz_catalog *catalog);
const char *frz_catalog_warehouse(const frz_catalog *catalog); /* NULL when none */
/* Decoded manifests and deletion vectors of all its tables; borrowed. */
frz_cache *frz_catalog_cache(const frz_catalog *catalog);

/* What a commit makes current. All borrowed. */
typedef struct frz_new_version {
    const char *identifier;
    const char *base_location; /* the version it replaces; NULL creates the table */
    const frz_metadata *metadata;
    int64_t snapshot_id;      /* of the snapshot that it brings, FRZ_NO_SNAPSHOT when none */
    const frz_metadata *base; /* what it replaces; NULL where the caller does not have it */
} frz_new_version;

/*
 * The one commit path. Writes the metadata as the next metadata file of the table and swaps the
 * pointer from the base to it. Outcomes: FRZ_OK with the new location; FRZ_CONFLICT (file removed);
 * FRZ_UNKNOWN_STATE (nothing removed: before it is given, the table was looked at again as
 * catalog/outcome.h tells); others: nothing changed. In a transaction, the version
 * is staged (catalog/stage.h) and no file is written.
 */
FRZ_MUST_CHECK frz_status frz_catalog_commit_version(frz_catalog *catalog,
                                                     const frz_new_version *version,
                                                     char **location_out, frz_error **err);

/* The same for a version without a snapshot of its own. */
FRZ_MUST_CHECK frz_status frz_catalog_commit(frz_catalog *catalog, const char *identifier,
                                             const char *base_location,
                                             const frz_metadata *metadata, char **location_out,
                                             frz_error **err);

/* Removes metadata files that fell out of the log, where write.metadata.delete-after-commit.enabled
 * says so. Only after the commit; what cannot be removed stays. */
void frz_catalog_remove_dropped(frz_catalog *catalog, const frz_metadata *metadata,
                                const char *const *dropped, size_t count);

/* Makes the namespace where it lacks; another client may make it at the same time. */
FRZ_MUST_CHECK frz_status frz_catalog_ensure_namespace(frz_catalog *catalog, frz_slice space,
                                                       frz_error **err);
/* FRZ_ALREADY_EXISTS when there is such a table. */
FRZ_MUST_CHECK frz_status frz_catalog_check_absent(frz_catalog *catalog, const char *identifier,
                                                   frz_error **err);

/* Removes a file that nothing refers to; one that cannot be removed stays behind. */
void frz_io_discard(frz_io *io, const char *location);

/* A boolean or integer table property; the default when absent. FRZ_INVALID names key and value. */
FRZ_MUST_CHECK frz_status frz_metadata_property_bool(const frz_metadata *metadata, const char *key,
                                                     bool absent, bool *out, frz_error **err);
FRZ_MUST_CHECK frz_status frz_metadata_property_i64(const frz_metadata *metadata, const char *key,
                                                    int64_t absent, int64_t *out, frz_error **err);

#endif
