/*
 * Manifest lists: the manifests of one snapshot (spec "Manifest Lists").
 */
#ifndef FRZ_SPEC_MANIFEST_LIST_H
#define FRZ_SPEC_MANIFEST_LIST_H

#include "base/limits.h"
#include "frazil/extend/io.h"
#include "spec/metadata.h"

typedef struct frz_field_summary {
    bool contains_null;
    int8_t contains_nan; /* -1 unknown */
    bool has_lower;
    bool has_upper;
    frz_slice lower; /* Appendix D, by the partition field's type */
    frz_slice upper;
} frz_field_summary;

/* Of a manifest that no list holds yet: its entries have the first_row_id that is written there,
 * and those without one inherit none. */
enum { FRZ_ROW_IDS_AS_WRITTEN = -2 };

typedef struct frz_manifest_file {
    const char *path;
    int64_t length;
    int32_t spec_id;
    int32_t content;         /* 0 data, 1 deletes */
    int64_t sequence_number; /* -1 unassigned; 0 when absent (V1) */
    int64_t min_sequence_number;
    int64_t added_snapshot_id;
    int32_t added_files; /* -1 unknown, as all counts (V1) */
    int32_t existing_files;
    int32_t deleted_files;
    int64_t added_rows;
    int64_t existing_rows;
    int64_t deleted_rows;
    const frz_field_summary *partitions; /* NULL when absent; of an unpartitioned spec, none or 0 */
    size_t partition_count;
    frz_slice key_metadata;
    int64_t first_row_id; /* -1 when null; or FRZ_ROW_IDS_AS_WRITTEN */
} frz_manifest_file;

typedef struct frz_manifest_list {
    frz_manifest_file *files;
    size_t count;
} frz_manifest_list;

/*
 * The manifests of a snapshot: its list, or V1's embedded array (whose manifests then have unknown
 * counts). Allocates in `arena`.
 */
FRZ_MUST_CHECK frz_status frz_manifest_list_read(frz_io *io, const frz_metadata *metadata,
                                                 const frz_snapshot *snapshot,
                                                 const frz_limits *limits, frz_arena *arena,
                                                 frz_manifest_list *out, frz_error **err);

/*
 * Writes the list of a new snapshot. Entries must be complete: sequence numbers and (V3)
 * first_row_id assigned by the commit.
 */
FRZ_MUST_CHECK frz_status frz_manifest_list_write(frz_io *io, const char *location,
                                                  int format_version, const frz_snapshot *snapshot,
                                                  const frz_manifest_file *files, size_t count,
                                                  frz_error **err);

#endif
