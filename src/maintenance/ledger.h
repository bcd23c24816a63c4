/*
 * The ledger: what must be known of all entries of all manifests together to tell whether a file is
 * live twice, whether deletes have their data file, and whether row ids are given once.
 *
 * Files are known by a hash of their path. When there are more entries than may be remembered, the
 * work is done in passes over all manifests; in each pass the ledger takes the files of its share
 * of hashes, and row ids of its share of their range. Before a fault is reported the entries are
 * read again, which gives their paths and rules out that two paths have one hash.
 */
#ifndef FRZ_MAINTENANCE_LEDGER_H
#define FRZ_MAINTENANCE_LEDGER_H

#include "maintenance/ledger_entry.h"
#include "maintenance/presence.h"
#include "maintenance/verification.h"

/* All zero with `verification` and `pass_count` set is a ledger before its first pass. */
typedef struct frz_ledger {
    frz_verification *verification;
    size_t pass;
    size_t pass_count;
    frz_ledger_entry *entries;
    size_t entry_count;
    size_t entry_capacity;
    frz_ledger_delete *deletes; /* that name their data file */
    size_t delete_count;
    size_t delete_capacity;
    frz_ledger_position *positions; /* of deletes that were read */
    size_t position_count;
    size_t position_capacity;
    frz_ledger_range *ranges; /* of row ids */
    size_t range_count;
    size_t range_capacity;
    frz_ledger_range furthest; /* of all passes so far, the one that ends last */
    frz_presence presence;
} frz_ledger;

void frz_ledger_clear(frz_ledger *self);

/* Whether a key is of the share of the pass. */
bool frz_ledger_takes(const frz_ledger *self, uint64_t key);

/* Takes what belongs to the pass of entry `index` of manifest `manifest`, and asks whether its file
 * is there. */
FRZ_MUST_CHECK frz_status frz_ledger_add(frz_ledger *self, size_t manifest, size_t index,
                                         const frz_manifest_entry *entry, frz_error **err);

/* Takes the greatest position that an entry deletes of the data file with that key, when it is of
 * the pass's share. */
FRZ_MUST_CHECK frz_status frz_ledger_add_position(frz_ledger *self, uint64_t key, int64_t last,
                                                  const frz_entry_at *at, frz_error **err);

#endif
