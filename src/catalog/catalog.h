/*
 * The catalog handle: a back-end, the storage of its tables, and the rules all catalogs share (default
 * locations, table creation, the swap). Reference counted: tables keep theirs.
 */
#ifndef FRZ_CATALOG_CATALOG_H
#define FRZ_CATALOG_CATALOG_H

#include "frazil/extend/catalog.h"
#include "frazil/extend/io.h"
#include "spec/metadata.h"
#include "spec/update.h"

struct frz_catalog;

frz_catalog *frz_catalog_ref(frz_catalog *catalog);
frz_io *frz_catalog_io(const frz_catalog *catalog);
frz_catalog_backend *frz_catalog_backend_of(const frz_catalog *catalog);

/*
 * The one commit path. Writes `metadata` as the next metadata file of the table and swaps the pointer from
 * `base_location` (NULL creates the table). Outcomes: FRZ_OK with the new location; FRZ_CONFLICT (file
 * removed); FRZ_UNKNOWN_STATE (nothing removed: before it is given, the pointer was looked up again, and
 * counts as committed when it is, or its metadata log names, our file); others: nothing changed.
 */
FRZ_MUST_CHECK frz_status frz_catalog_commit(frz_catalog *catalog, const char *identifier,
                                             const char *base_location, const frz_metadata *metadata,
                                             char **location_out, frz_error **err);

#endif
