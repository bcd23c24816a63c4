/*
 * What became of a swap whose answer was lost, or that claims to have lost: the table itself tells.
 *
 * The pointer is compared and swapped, so that whatever follows the base in a table's history is
 * the one swap that won against it. Committed: the pointer is our file, the metadata log names it,
 * or the table has our snapshot. Lost: another version follows the base. A log is cut
 * (write.metadata.previous-versions-max): where it no longer reaches back, the oldest file it names
 * is read, whose own log goes on from there. A file that only a log can have removed
 * (write.metadata.delete-after-commit.enabled) was in one: ours is committed when it has gone.
 *
 * Open: the pointer is still the base, which proves nothing, as the swap may yet arrive. Buried:
 * the table has moved on and none of that tells; then what the version asked for is looked for
 * (catalog/effect.h), and it counts as committed where all of that is there. Unseen: the table
 * could not be looked at. A table that is created is told by its uuid.
 */
#ifndef FRZ_CATALOG_OUTCOME_H
#define FRZ_CATALOG_OUTCOME_H

#include "catalog/catalog.h"
#include "catalog/effect.h"

typedef enum frz_outcome {
    FRZ_OUTCOME_OPEN,
    FRZ_OUTCOME_BURIED,
    FRZ_OUTCOME_UNSEEN,
    FRZ_OUTCOME_COMMITTED,
    FRZ_OUTCOME_LOST
} frz_outcome;

/* Looks once, and not at effects. */
frz_outcome frz_outcome_look(frz_catalog *catalog, const frz_new_version *version,
                             const char *location);

/* Looks until it is known, as often as commit.status-check.* of the new version say. `effect_out`
 * is of what is buried. */
frz_outcome frz_outcome_wait(frz_catalog *catalog, const frz_new_version *version,
                             const char *location, frz_effect *effect_out);

#endif
