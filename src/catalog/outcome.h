/*
 * What became of a swap whose answer was lost, or that claims to have lost: the table itself tells.
 *
 * The pointer is compared and swapped, so that whatever follows the base in a table's history is
 * the one swap that won against it. Committed: the pointer is our file, the metadata log names it,
 * or the table has our snapshot. Lost: another version follows the base. Open: the pointer is still
 * the base, which proves nothing, as the swap may yet arrive; or the log no longer reaches back so
 * far. A table that is created is told by its uuid. Unseen: the table could not be looked at.
 */
#ifndef FRZ_CATALOG_OUTCOME_H
#define FRZ_CATALOG_OUTCOME_H

#include "catalog/catalog.h"

typedef enum frz_outcome {
    FRZ_OUTCOME_OPEN,
    FRZ_OUTCOME_UNSEEN,
    FRZ_OUTCOME_COMMITTED,
    FRZ_OUTCOME_LOST
} frz_outcome;

/* Looks once. */
frz_outcome frz_outcome_look(frz_catalog *catalog, const frz_new_version *version,
                             const char *location);

/* Looks until it is known, as often as commit.status-check.* of the new version say. */
frz_outcome frz_outcome_wait(frz_catalog *catalog, const frz_new_version *version,
                             const char *location);

#endif
