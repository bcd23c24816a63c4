/*
 * Table metadata (spec "Table Metadata", Appendix C), formats V1 to V3. One object per version of
 * the table: immutable, reference counted, everything in its arena, safe to read from many threads.
 *
 * A change is made by spec/update.h, which yields another object. Members we do not know are kept
 * and written back (design rule 5).
 */
#ifndef FRZ_SPEC_METADATA_H
#define FRZ_SPEC_METADATA_H

#include "base/limits.h"
#include "frazil/extend/io.h"
#include "spec/partition.h"
#include "spec/snapshot.h"
#include "spec/sort.h"

typedef struct frz_metadata {
    int32_t format_version;
    const char *table_uuid; /* NULL in V1 files that lack it */
    const char *location;
    int64_t last_sequence_number;
    int64_t last_updated_ms;
    int32_t last_column_id; /* at least the highest id of any schema, whatever the file says */
    frz_schema *const *schemas;
    size_t schema_count;
    int32_t current_schema_id;
    const frz_partition_spec *specs;
    size_t spec_count;
    int32_t default_spec_id;
    int32_t last_partition_id;
    const frz_sort_order *sort_orders;
    size_t sort_order_count;
    int32_t default_sort_order_id;
    const frz_property *properties;
    size_t property_count;
    int64_t current_snapshot_id; /* FRZ_NO_SNAPSHOT when none (-1 and null both) */
    const frz_snapshot *snapshots;
    size_t snapshot_count;
    const frz_snapshot_log_entry *snapshot_log;
    size_t snapshot_log_count;
    const frz_metadata_log_entry *metadata_log;
    size_t metadata_log_count;
    const frz_snapshot_ref *refs; /* main is among them whenever there is a current snapshot */
    size_t ref_count;
    int64_t next_row_id;  /* V3, behind all ids of snapshots when the file lacks it; -1 in older
                             versions */
    frz_slice statistics; /* the JSON arrays as they stand; empty when absent */
    frz_slice partition_statistics;
    frz_slice encryption_keys;
    frz_slice unknown; /* members we do not know, as `"k":v,...` */
} frz_metadata;

/*
 * Parses the JSON text of a metadata file, already decompressed. FRZ_CORRUPT with offset, or
 * FRZ_UNSUPPORTED for a newer format version, named.
 */
FRZ_MUST_CHECK frz_status frz_metadata_parse(frz_slice json, const frz_limits *limits,
                                             frz_metadata **out, frz_error **err);
frz_metadata *frz_metadata_ref(const frz_metadata *metadata);
/* Accepts NULL. */
void frz_metadata_unref(const frz_metadata *metadata);

/* Appends the JSON of the metadata. */
FRZ_MUST_CHECK frz_status frz_metadata_print(const frz_metadata *metadata, frz_buffer *out,
                                             frz_error **err);

/* Writes it, a piece at a time: the text of many snapshots is never in memory as a whole. */
FRZ_MUST_CHECK frz_status frz_metadata_write(const frz_metadata *metadata, frz_output *output,
                                             frz_error **err);

/* Reads a metadata file through io: gzip (.gz.metadata.json, .metadata.json.gz, or by magic) and
 * zstd. */
FRZ_MUST_CHECK frz_status frz_metadata_read(frz_io *io, const char *location,
                                            const frz_limits *limits, frz_metadata **out,
                                            frz_error **err);

/* Its text alone, decompressed; *out must be empty. */
FRZ_MUST_CHECK frz_status frz_metadata_read_text(frz_io *io, const char *location,
                                                 const frz_limits *limits, frz_buffer *out,
                                                 frz_error **err);

/* find: NULL when absent. get: must exist (parse has checked). */
frz_schema *frz_metadata_find_schema(const frz_metadata *metadata, int32_t schema_id);
frz_schema *frz_metadata_schema(const frz_metadata *metadata); /* the current one */
const frz_partition_spec *frz_metadata_find_spec(const frz_metadata *metadata, int32_t spec_id);
const frz_partition_spec *frz_metadata_spec(const frz_metadata *metadata); /* the default one */
const frz_sort_order *frz_metadata_find_sort_order(const frz_metadata *metadata, int32_t order_id);
const frz_snapshot *frz_metadata_find_snapshot(const frz_metadata *metadata, int64_t snapshot_id);
const frz_snapshot *
frz_metadata_current_snapshot(const frz_metadata *metadata); /* NULL when none */
const frz_snapshot_ref *frz_metadata_find_ref(const frz_metadata *metadata, const char *name);
const char *frz_metadata_property(const frz_metadata *metadata,
                                  const char *key); /* NULL when absent */

/* Spec "Point in Time Reads": the snapshot that was current at `timestamp_ms` by the snapshot log;
 * NULL before the first. */
const frz_snapshot *frz_metadata_snapshot_as_of(const frz_metadata *metadata, int64_t timestamp_ms);

/* The schema a snapshot was written with; the current one where its schema id is unknown or absent.
 */
frz_schema *frz_metadata_snapshot_schema(const frz_metadata *metadata,
                                         const frz_snapshot *snapshot);

/* The partition tuple type of a spec, looked up through current and older schemas. Made at parse.
 */
const frz_type *frz_metadata_partition_type(const frz_metadata *metadata, int32_t spec_id);

#endif
