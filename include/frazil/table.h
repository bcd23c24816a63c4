/*
 * A table: a handle on one version of its metadata, from a catalog or from a bare metadata file.
 *
 * Thread rule: reading calls may run in several threads; frz_table_refresh and the writing calls of
 * frazil/write.h belong to one thread at a time.
 */
#ifndef FRZ_TABLE_H
#define FRZ_TABLE_H

#include <stddef.h>

#include "frazil/arrow.h"
#include "frazil/error.h"
#include "frazil/io.h"
#include "frazil/options.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct frz_table frz_table;

/*
 * Opens a table without a catalog, for reading: `location` is a metadata.json, or a table's folder
 * (newest metadata through version-hint.text, else the highest version; two files of the highest
 * version are refused, both named). `io` NULL = local files; borrowed.
 */
FRZ_API FRZ_MUST_CHECK frz_status frz_table_open(const char *location, frz_io *io, frz_table **out,
                                                 frz_error **err);
/* Accepts NULL. */
FRZ_API void frz_table_free(frz_table *table);

/* Loads the current metadata from where the table came from. */
FRZ_API FRZ_MUST_CHECK frz_status frz_table_refresh(frz_table *table, frz_error **err);

/* All borrowed from the table until it is refreshed, written to or freed. */
FRZ_API const char *frz_table_identifier(const frz_table *table); /* NULL without catalog */
FRZ_API const char *frz_table_location(const frz_table *table);
FRZ_API const char *frz_table_metadata_location(const frz_table *table);
FRZ_API const char *frz_table_uuid(const frz_table *table); /* NULL in old V1 tables */
FRZ_API int frz_table_format_version(const frz_table *table);
/* False when the table has no snapshot. `snapshot_id_out` may be NULL. */
FRZ_API bool frz_table_current_snapshot(const frz_table *table, int64_t *snapshot_id_out);
/* NULL when the property is not set. */
FRZ_API const char *frz_table_property(const frz_table *table, const char *key);

/* All of them, by index: false behind the last. Both outs may be NULL. */
FRZ_API bool frz_table_property_at(const frz_table *table, size_t index, const char **key_out,
                                   const char **value_out);

/* The metadata key of a column's write default, as JSON (Appendix C): what readers of text inputs
 * give to rows, and to structs in them, that lack the column (frazil/text.h). */
#define FRZ_WRITE_DEFAULT_KEY "frazil.write-default"

/* The current schema; field ids stand in the children's metadata ("PARQUET:field_id"), and write
 * defaults, at any depth. */
FRZ_API FRZ_MUST_CHECK frz_status frz_table_arrow_schema(const frz_table *table,
                                                         struct ArrowSchema *out, frz_error **err);

/* The metadata as JSON text; free with frz_text_free. */
FRZ_API FRZ_MUST_CHECK frz_status frz_table_metadata_json(const frz_table *table, char **out,
                                                          frz_error **err);

/* The summary a person wants: schema as DDL, partition spec, sort order, properties, current
 * snapshot, counts. As text or (json) as one object. */
FRZ_API FRZ_MUST_CHECK frz_status frz_table_describe(const frz_table *table, bool json, char **out,
                                                     frz_error **err);

/* Java's metadata tables (reference: field ids, names and types of Java's MetadataTableType). */
typedef enum frz_metadata_table {
    FRZ_METADATA_TABLE_SNAPSHOTS,
    FRZ_METADATA_TABLE_HISTORY,
    FRZ_METADATA_TABLE_REFS,
    FRZ_METADATA_TABLE_FILES,
    FRZ_METADATA_TABLE_DATA_FILES,
    FRZ_METADATA_TABLE_DELETE_FILES,
    FRZ_METADATA_TABLE_MANIFESTS,
    FRZ_METADATA_TABLE_ENTRIES,
    FRZ_METADATA_TABLE_PARTITIONS,
    FRZ_METADATA_TABLE_METADATA_LOG_ENTRIES,
    FRZ_METADATA_TABLE_ALL_FILES, /* all_*: of all snapshots that the metadata lists */
    FRZ_METADATA_TABLE_ALL_DATA_FILES,
    FRZ_METADATA_TABLE_ALL_DELETE_FILES,
    FRZ_METADATA_TABLE_ALL_MANIFESTS,
    FRZ_METADATA_TABLE_ALL_ENTRIES,
    FRZ_METADATA_TABLE_POSITION_DELETES /* of position delete files and deletion vectors */
} frz_metadata_table;

/* Which snapshot: by one of the three, or the current one. Stands within other options (where its
 * struct_size is not looked at), so it does not grow. */
typedef struct frz_snapshot_selector {
    size_t struct_size;
    bool has_snapshot_id;
    int64_t snapshot_id;
    bool has_as_of_ms;
    int64_t as_of_ms; /* by the snapshot log; FRZ_NOT_FOUND before the first */
    const char *ref;  /* branch (read with the current schema) or tag (with its snapshot's) */
} frz_snapshot_selector;
#define FRZ_SNAPSHOT_SELECTOR_INIT FRZ_OPTIONS_INIT(frz_snapshot_selector)

/* A point in time as text: ISO 8601 (UTC unless it names a zone; a date is its midnight), or
 * milliseconds since the epoch. FRZ_INVALID names what was given. */
FRZ_API FRZ_MUST_CHECK frz_status frz_time_parse(const char *text, int64_t *ms_out,
                                                 frz_error **err);

typedef struct frz_metadata_options {
    size_t struct_size;
    /* Zero = the current snapshot. FRZ_INVALID for the tables that show more than one snapshot:
     * snapshots, history, refs, metadata_log_entries and all_*. */
    frz_snapshot_selector at;
    const char *where;         /* filter over the metadata table's columns; NULL = all rows */
    const char *const *select; /* its columns by dotted names; "*" = all. NULL = "*" */
    size_t select_count;
    bool case_insensitive;
} frz_metadata_options;
#define FRZ_METADATA_OPTIONS_INIT FRZ_OPTIONS_INIT(frz_metadata_options)

/*
 * Rows in bounded memory, however many files the table has. Only manifests are read that the filter
 * on partition, content or spec_id (all_manifests: on reference_snapshot_id) leaves, and of those
 * only what columns and filter need. `options` NULL = all defaults. FRZ_INVALID for a column that
 * the metadata table lacks. The stream owns what it needs of the table.
 */
FRZ_API FRZ_MUST_CHECK frz_status frz_table_metadata_stream(const frz_table *table,
                                                            frz_metadata_table kind,
                                                            const frz_metadata_options *options,
                                                            struct ArrowArrayStream *out,
                                                            frz_error **err);

/* The line of a snapshot (zero = the current one), newest first, as far as the metadata has it:
 * snapshot_id, timestamp. */
FRZ_API FRZ_MUST_CHECK frz_status frz_table_ancestors(const frz_table *table,
                                                      const frz_snapshot_selector *at,
                                                      struct ArrowArrayStream *out,
                                                      frz_error **err);

/* The picture of `frazil tree`: catalog pointer > metadata.json > manifest list > manifests >
 * files. */
FRZ_API FRZ_MUST_CHECK frz_status frz_table_tree(const frz_table *table, bool json, char **out,
                                                 frz_error **err);

#ifdef __cplusplus
}
#endif

#endif
