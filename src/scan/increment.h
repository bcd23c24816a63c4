/*
 * Incremental append scans: the rows that the snapshots after one snapshot appended, up to the
 * scan's own, as Java's IncrementalAppendScan reads them.
 *
 * Between the two lie the ancestors of the scan's snapshot up to the one whose parent is `from`
 * (which may itself be expired). Of "Snapshots", operation: an append gives its files, a replace
 * has changed no row and is passed over. An overwrite or a delete is refused by name, because its
 * removed rows could not be told (Java passes over them silently).
 *
 * A snapshot's appended files are the entries with status ADDED of the data manifests that it added
 * itself; its manifest list is read, not the last one's, so that later merges and removals do not
 * show.
 */
#ifndef FRZ_SCAN_INCREMENT_H
#define FRZ_SCAN_INCREMENT_H

#include "scan/scan.h"
#include "spec/manifest.h"

struct frz_increment {
    int64_t from_snapshot_id;     /* exclusive */
    const frz_snapshot **appends; /* oldest first */
    size_t append_count;
};

/*
 * The appends after `from_snapshot_id` up to `to`; none when `to` is that snapshot. Allocates in
 * `arena`. FRZ_INVALID when the one is no ancestor of the other, FRZ_NOT_FOUND when an ancestor
 * between them is gone, FRZ_UNSUPPORTED when rows were removed in between.
 */
FRZ_MUST_CHECK frz_status frz_increment_find(const frz_metadata *metadata, int64_t from_snapshot_id,
                                             const frz_snapshot *to, frz_arena *arena,
                                             const frz_increment **out, frz_error **err);

/* The data manifests that the appends added, oldest first. */
FRZ_MUST_CHECK frz_status frz_increment_manifests(const frz_scan *scan, frz_arena *arena,
                                                  frz_manifest_list *out, frz_error **err);

/* Whether an entry of such a manifest was added by the manifest's snapshot. */
bool frz_increment_has(const frz_manifest_file *manifest, const frz_manifest_entry *entry);

#endif
