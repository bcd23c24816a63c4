/*
 * Manifests: the data and delete files of a snapshot (spec "Manifests"), read in columns with only
 * the fields that are asked for, and written.
 *
 * Inheritance ("Sequence Number Inheritance", "First Row ID Inheritance") is applied when an entry
 * is taken out: a caller never sees the null that stands in the file.
 */
#ifndef FRZ_SPEC_MANIFEST_H
#define FRZ_SPEC_MANIFEST_H

#include "base/limits.h"
#include "frazil/extend/io.h"
#include "spec/manifest_list.h"
#include "spec/metadata.h"

typedef enum frz_entry_status {
    FRZ_ENTRY_EXISTING = 0,
    FRZ_ENTRY_ADDED = 1,
    FRZ_ENTRY_DELETED = 2
} frz_entry_status;

typedef enum frz_file_content {
    FRZ_CONTENT_DATA = 0,
    FRZ_CONTENT_POSITION_DELETES = 1, /* also deletion vectors: format puffin */
    FRZ_CONTENT_EQUALITY_DELETES = 2
} frz_file_content;

typedef enum frz_file_format {
    FRZ_FORMAT_PARQUET,
    FRZ_FORMAT_AVRO,
    FRZ_FORMAT_ORC,
    FRZ_FORMAT_PUFFIN,
    FRZ_FORMAT_OTHER
} frz_file_format;

/* Metrics of one column of one file, as far as the manifest has them. */
typedef struct frz_column_metrics {
    int32_t field_id;
    int64_t column_size; /* -1 unknown, as all counts */
    int64_t value_count;
    int64_t null_count;
    int64_t nan_count;
    bool has_lower;
    bool has_upper;
    frz_slice lower; /* Appendix D */
    frz_slice upper;
} frz_column_metrics;

/* A data or delete file ("Data File Fields"). Borrowed memory: the manifest's, or the builder's
 * arena. */
typedef struct frz_data_file {
    frz_file_content content;
    frz_file_format format;
    frz_slice format_text;
    frz_slice path; /* as stored */
    int32_t spec_id;
    const frz_value *partition; /* one per field of the spec */
    size_t partition_count;
    bool partition_unknown; /* a field of the spec is not in the manifest's tuples, or of a type
                               that no schema tells; it stands as null */
    int64_t record_count;
    int64_t file_size;
    const frz_column_metrics *columns; /* sorted by field id; only when metrics were asked for */
    size_t column_count;
    uint8_t metric_maps; /* bit i: map i is present, if only empty (column_sizes, value_counts,
                            null_value_counts, nan_value_counts, lower_bounds, upper_bounds) */
    frz_slice key_metadata;
    const int64_t *split_offsets;
    size_t split_offset_count;
    const int32_t *equality_ids;
    size_t equality_id_count;
    int32_t sort_order_id;          /* -1 when null */
    int64_t first_row_id;           /* -1 when null after inheritance */
    frz_slice referenced_data_file; /* size 0 when null */
    int64_t content_offset;         /* -1 when null */
    int64_t content_size;           /* -1 when null */
} frz_data_file;

typedef struct frz_manifest_entry {
    frz_entry_status status;
    int64_t snapshot_id;          /* inherited when null */
    int64_t sequence_number;      /* data sequence number, inherited; 0 in V1 */
    int64_t file_sequence_number; /* -1 when null and not inherited */
    frz_data_file file;
} frz_manifest_entry;

typedef struct frz_manifest frz_manifest; /* immutable once read; reference counted */

/* Which parts to decode beyond what planning always needs (status, ids, content, path, format,
 * partition, counts, delete references). */
typedef struct frz_manifest_fields {
    bool all_metrics;          /* every column's counts and bounds */
    const int32_t *metric_ids; /* else only these, ascending */
    size_t metric_id_count;
    bool details; /* sizes, split offsets, key metadata, sort order */
} frz_manifest_fields;

/*
 * Reads a manifest named in a manifest list. FRZ_CORRUPT when its spec is unknown or an entry lacks
 * what its kind requires; the message names path and entry. The counts of the list are not
 * compared: some writers' are wrong, and reading needs none. `fields` NULL = everything.
 */
FRZ_MUST_CHECK frz_status frz_manifest_read(frz_io *io, const frz_manifest_file *source,
                                            const frz_metadata *metadata,
                                            const frz_manifest_fields *fields,
                                            const frz_limits *limits, frz_manifest **out,
                                            frz_error **err);
frz_manifest *frz_manifest_ref(frz_manifest *manifest);
/* Accepts NULL. */
void frz_manifest_unref(frz_manifest *manifest);

typedef struct frz_manifest_reader frz_manifest_reader;

/*
 * The same in parts, each a manifest of its own of some thousand entries at most, for a
 * manifest of any size in bounded memory. Borrows all it is given. One thread per reader.
 */
FRZ_MUST_CHECK frz_status frz_manifest_reader_open(frz_io *io, const frz_manifest_file *source,
                                                   const frz_metadata *metadata,
                                                   const frz_manifest_fields *fields,
                                                   const frz_limits *limits,
                                                   frz_manifest_reader **out, frz_error **err);
/* A member of the file's header ("Manifests"); false when it has none. Borrowed. */
bool frz_manifest_reader_header(const frz_manifest_reader *reader, const char *key, frz_slice *out);
/* FRZ_END after the last part; after a failure the reader is of no more use. */
FRZ_MUST_CHECK frz_status frz_manifest_reader_next(frz_manifest_reader *reader, frz_manifest **out,
                                                   frz_error **err);
/* Accepts NULL. */
void frz_manifest_reader_close(frz_manifest_reader *reader);

size_t frz_manifest_count(const frz_manifest *manifest);
/* Bytes of memory it holds, for the cache. */
size_t frz_manifest_memory(const frz_manifest *manifest);
/* All pointers of *out are borrowed from the manifest. */
const frz_manifest_entry *frz_manifest_entry_at(const frz_manifest *manifest, size_t index);

/* Metrics of one column; NULL when the file has none of it. */
const frz_column_metrics *frz_data_file_metrics(const frz_data_file *file, int32_t field_id);

typedef struct frz_manifest_writer frz_manifest_writer;

/*
 * Writes one manifest of one spec and one content kind for `format_version`. ADDED entries with
 * sequence_number -1 are written null (inherited at commit); EXISTING and DELETED must carry both
 * numbers. ADDED data files with first_row_id -1 likewise.
 */
FRZ_MUST_CHECK frz_status frz_manifest_writer_open(frz_io *io, const char *location,
                                                   const frz_metadata *metadata, int32_t spec_id,
                                                   int32_t content, /* 0 data, 1 deletes */
                                                   int64_t snapshot_id, frz_manifest_writer **out,
                                                   frz_error **err);
/* What opening a writer says of the properties write.manifest.compression-*. */
FRZ_MUST_CHECK frz_status frz_manifest_codec_check(const frz_metadata *metadata, frz_error **err);
FRZ_MUST_CHECK frz_status frz_manifest_writer_add(frz_manifest_writer *writer,
                                                  const frz_manifest_entry *entry, frz_error **err);
uint64_t frz_manifest_writer_size(const frz_manifest_writer *writer);
/* Commits the file and describes it for the manifest list, in `arena` (sequence numbers and first
 * row id unassigned: -1). */
FRZ_MUST_CHECK frz_status frz_manifest_writer_finish(frz_manifest_writer *writer, frz_arena *arena,
                                                     frz_manifest_file *out, frz_error **err);
/* Accepts NULL; aborts what was not finished. */
void frz_manifest_writer_free(frz_manifest_writer *writer);

#endif
