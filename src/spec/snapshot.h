/*
 * Snapshots, their summaries, references and logs (spec "Snapshots", "Snapshot References").
 */
#ifndef FRZ_SPEC_SNAPSHOT_H
#define FRZ_SPEC_SNAPSHOT_H

#include "json/reader.h"
#include "json/writer.h"

enum { FRZ_NO_SNAPSHOT = -1 };

typedef struct frz_property {
    const char *key;
    const char *value;
} frz_property;

typedef struct frz_snapshot {
    int64_t snapshot_id;
    int64_t parent_id;       /* FRZ_NO_SNAPSHOT when none */
    int64_t sequence_number; /* 0 in V1 */
    int64_t timestamp_ms;
    const char *operation;        /* "append", ...; NULL when the summary lacks it */
    const char *manifest_list;    /* NULL in V1 tables that embed manifests */
    const char *const *manifests; /* V1: embedded manifest paths */
    size_t manifest_count;
    const frz_property *summary; /* without operation */
    size_t summary_count;
    int32_t schema_id;    /* -1 when absent */
    int64_t first_row_id; /* -1 when absent */
    int64_t added_rows;   /* -1 when absent */
    const char *key_id;   /* encryption key of the manifest list; NULL when none */
    frz_slice unknown;    /* members we do not know, as `"k":v,...`, written back */
} frz_snapshot;

typedef struct frz_snapshot_ref {
    const char *name;
    int64_t snapshot_id;
    bool is_tag;
    int32_t min_snapshots_to_keep; /* -1 when absent */
    int64_t max_snapshot_age_ms;   /* -1 when absent */
    int64_t max_ref_age_ms;        /* -1 when absent */
} frz_snapshot_ref;

typedef struct frz_snapshot_log_entry {
    int64_t timestamp_ms;
    int64_t snapshot_id;
} frz_snapshot_log_entry;

typedef struct frz_metadata_log_entry {
    int64_t timestamp_ms;
    const char *metadata_file;
} frz_metadata_log_entry;

/* NULL when absent. */
const char *frz_snapshot_summary_find(const frz_snapshot *snapshot, const char *key);

FRZ_MUST_CHECK frz_status frz_snapshot_read_json(frz_json_reader *json, frz_arena *arena,
                                                 frz_snapshot *out, frz_error **err);
void frz_snapshot_write_json(const frz_snapshot *snapshot, int format_version,
                             frz_json_writer *json);

#endif
