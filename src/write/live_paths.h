/*
 * A path is live at most once in a snapshot: two entries of one data file would give its rows twice
 * (spec "Manifests": an entry tracks a file; "Scan Planning" reads every live entry).
 */
#ifndef FRZ_WRITE_LIVE_PATHS_H
#define FRZ_WRITE_LIVE_PATHS_H

#include "base/map.h"
#include "write/transaction.h"

/*
 * Checks the data files that a change adds: FRZ_INVALID names one that it adds twice, and, where it
 * brings files that the transaction did not write, FRZ_ALREADY_EXISTS one that is live on `parent`
 * (NULL: nothing is) and does not leave in the same change. Only then manifests are read.
 */
FRZ_MUST_CHECK frz_status frz_live_paths_check(const frz_table *table, const frz_snapshot *parent,
                                               const frz_change *change, frz_error **err);

#endif
