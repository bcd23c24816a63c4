/*
 * Where snapshots live that the versions of a table's metadata share. A commit adds one snapshot to
 * thousands that stay as they are: those are neither copied nor printed again, their text is kept
 * from the first time.
 *
 * Thread rule: a store is filled by the one thread that makes its version, and only read after.
 */
#ifndef FRZ_SPEC_SNAPSHOT_STORE_H
#define FRZ_SPEC_SNAPSHOT_STORE_H

#include "spec/snapshot.h"

/* Counts references; snapshots in it live as long as it does. */
typedef struct frz_snapshot_store frz_snapshot_store;

FRZ_MUST_CHECK frz_status frz_snapshot_store_new(frz_snapshot_store **out, frz_error **err);
frz_snapshot_store *frz_snapshot_store_ref(frz_snapshot_store *store);
/* Accepts NULL. */
void frz_snapshot_store_unref(frz_snapshot_store *store);

/* A deep copy with its text in tables of that format version. */
FRZ_MUST_CHECK frz_status frz_snapshot_store_add(frz_snapshot_store *store,
                                                 const frz_snapshot *snapshot, int format_version,
                                                 frz_snapshot *out, frz_error **err);

/* Whether a snapshot lives in a store, with a text that is right for the format version. */
bool frz_snapshot_is_stored(const frz_snapshot *snapshot, int format_version);

#endif
