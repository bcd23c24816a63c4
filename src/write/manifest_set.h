/*
 * The manifests of a snapshot while it is made: those of its parent, filtered, merged and joined by
 * new ones.
 */
#ifndef FRZ_WRITE_MANIFEST_SET_H
#define FRZ_WRITE_MANIFEST_SET_H

#include "spec/manifest_list.h"
#include "write/properties.h"
#include "write/summary.h"
#include "write/transaction.h"

typedef struct frz_manifest_set {
    frz_transaction *transaction;
    const frz_metadata *metadata; /* the base of the attempt */
    frz_summary *summary;         /* counts what enters and leaves */
    frz_manifest_file *files;     /* heap */
    size_t count;
    size_t capacity;
    int64_t created;           /* manifests written by this attempt */
    int64_t replaced;          /* manifests of the parent whose place others took */
    int64_t entries_processed; /* entries of the parent that were read and written again */
    int64_t oldest_data; /* no live data file is older: older delete files reach nothing; 0: unknown
                          */
} frz_manifest_set;

void frz_manifest_set_clear(frz_manifest_set *set);

FRZ_MUST_CHECK frz_status frz_manifest_set_add(frz_manifest_set *set, const frz_manifest_file *file,
                                               frz_error **err);

/*
 * Writes manifests for new files: one per spec and at most `target_size` each. `content` 0 data, 1
 * deletes. Names are kept for `attempt`. Appends to *out, in `arena`.
 */
typedef struct frz_new_files {
    const frz_data_file *files;
    size_t count;
    int32_t content;
    int32_t attempt;
    int64_t target_size;
} frz_new_files;
FRZ_MUST_CHECK frz_status frz_manifest_set_write_new(frz_manifest_set *set,
                                                     const frz_new_files *files, frz_arena *arena,
                                                     frz_new_manifests *out, frz_error **err);

/*
 * Adds one manifest of the parent. When it lists files that `removed` has, or delete files older
 * than set->oldest_data, a manifest takes its place in which these are DELETED and the others
 * EXISTING, with the numbers and row ids they had.
 */
FRZ_MUST_CHECK frz_status frz_manifest_set_add_filtered(frz_manifest_set *set,
                                                        const frz_manifest_file *file,
                                                        const frz_map *removed, frz_error **err);

/* The key of a removed file in that map; the value's pointer is the frz_removed_file. Appends. */
void frz_removed_key(frz_slice path, int64_t content_offset, bool deletes, frz_buffer *out);

/* Merges small manifests as commit.manifest-merge.* ask. */
FRZ_MUST_CHECK frz_status frz_manifest_set_merge(frz_manifest_set *set,
                                                 const frz_commit_properties *properties,
                                                 frz_error **err);

#endif
