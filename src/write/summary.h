/*
 * The summary of a snapshot: what it added and removed, the totals after it, and how many
 * partitions changed (spec "Snapshots", Appendix F "Optional Snapshot Summary Fields"; counters as
 * Java's SnapshotSummary).
 */
#ifndef FRZ_WRITE_SUMMARY_H
#define FRZ_WRITE_SUMMARY_H

#include "base/map.h"
#include "frazil/catalog.h"
#include "spec/manifest.h"

typedef struct frz_summary_counts {
    int64_t added_data_files;
    int64_t deleted_data_files;
    int64_t added_equality_delete_files;
    int64_t removed_equality_delete_files;
    int64_t added_position_delete_files;
    int64_t removed_position_delete_files;
    int64_t added_dvs;
    int64_t removed_dvs;
    int64_t added_delete_files;
    int64_t removed_delete_files;
    int64_t added_records;
    int64_t deleted_records;
    int64_t added_files_size;
    int64_t removed_files_size;
    int64_t added_position_deletes;
    int64_t removed_position_deletes;
    int64_t added_equality_deletes;
    int64_t removed_equality_deletes;
} frz_summary_counts;

typedef struct frz_summary_partition {
    const char *path;
    frz_summary_counts counts;
} frz_summary_partition;

/* Zero with `metadata` and `arena` set is an empty summary. */
typedef struct frz_summary {
    const frz_metadata *metadata; /* borrowed */
    frz_arena *arena;             /* borrowed; owns partitions and the result */
    frz_summary_counts counts;
    frz_map by_path; /* to indexes of partitions */
    frz_summary_partition *partitions;
    size_t partition_count;
    size_t partition_capacity;
} frz_summary;

void frz_summary_clear(frz_summary *summary);

FRZ_MUST_CHECK frz_status frz_summary_add(frz_summary *summary, const frz_data_file *file,
                                          bool added, frz_error **err);

typedef struct frz_summary_options {
    const frz_snapshot *previous; /* NULL: the branch had no snapshot */
    const frz_option *extra;      /* the caller's own properties, and counters of the commit */
    size_t extra_count;
    int64_t partition_limit; /* write.summary.partition-limit */
} frz_summary_options;

/*
 * The properties, in the summary's arena: extra ones first, then what was counted, then the totals
 * on top of `previous`. FRZ_INVALID when an extra key is one of those that are counted.
 */
FRZ_MUST_CHECK frz_status frz_summary_build(frz_summary *summary,
                                            const frz_summary_options *options, frz_property **out,
                                            size_t *count_out, frz_error **err);

#endif
