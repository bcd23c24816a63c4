/*
 * Changes of a table beside its rows: columns, partitioning, sort order, properties, location,
 * format version, branches and tags. An alteration is a list of changes in order; frz_table_alter
 * makes all of them in one commit, or none.
 *
 * Columns are named by dotted paths ("address.zip", "items.element.price", "tags.value"); a name
 * that holds a dot is quoted ("a.b").c. Field ids, partition field ids and schema ids come from the
 * library (spec "Schema Evolution", "Partition Evolution", "Snapshot References").
 *
 * Thread rule: one thread per alteration; that of frz_table_alter is of frazil/table.h.
 */
#ifndef FRZ_ALTER_H
#define FRZ_ALTER_H

#include <stddef.h>

#include "frazil/arrow.h"
#include "frazil/error.h"
#include "frazil/options.h"
#include "frazil/table.h"
#include "frazil/write.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct frz_alteration frz_alteration;

/* Without changes; frz_table_alter may be called with it more than once. Free with
 * frz_alteration_free. */
FRZ_API FRZ_MUST_CHECK frz_status frz_alteration_new(frz_alteration **out, frz_error **err);
/* Accepts NULL. */
FRZ_API void frz_alteration_free(frz_alteration *changes);

/*
 * Each of the calls below adds one change. They copy what they are given and fail for want of
 * memory alone: whether a change can be made is seen when it is (FRZ_INVALID).
 */

typedef struct frz_column_options {
    size_t struct_size;
    bool required;             /* new columns: not null; wants a default */
    bool optional;             /* updates: nulls are allowed from now on */
    const char *default_value; /* a literal: 5, 'US' or US, 2024-01-01, null */
    const char *comment;
    bool first;        /* new columns and moves: where it stands among its siblings; */
    const char *after; /* else new ones stand at the end */
} frz_column_options;
#define FRZ_COLUMN_OPTIONS_INIT FRZ_OPTIONS_INIT(frz_column_options)

/* `definition` is DDL: type [not null] [default L] [comment 'C']; `options` NULL = nothing more.
 * Rows that are there read the default, which needs format version 3. */
FRZ_API FRZ_MUST_CHECK frz_status frz_alter_add_column(frz_alteration *changes, const char *path,
                                                       const char *definition,
                                                       const frz_column_options *options,
                                                       frz_error **err);
/* Refused while the default partition spec, the sort order or the identifier fields have it. Files
 * keep it, for the snapshots that had it. */
FRZ_API FRZ_MUST_CHECK frz_status frz_alter_drop_column(frz_alteration *changes, const char *path,
                                                        frz_error **err);
/* `name` is the new last part of the path; the field id stays. */
FRZ_API FRZ_MUST_CHECK frz_status frz_alter_rename_column(frz_alteration *changes, const char *path,
                                                          const char *name, frz_error **err);
/* Among its siblings: `options` say first, or after which of them. */
FRZ_API FRZ_MUST_CHECK frz_status frz_alter_move_column(frz_alteration *changes, const char *path,
                                                        const frz_column_options *options,
                                                        frz_error **err);
/* `type` (NULL = as it is) is one that the column's may be promoted to. The default is that of rows
 * written from now on. */
FRZ_API FRZ_MUST_CHECK frz_status frz_alter_update_column(frz_alteration *changes, const char *path,
                                                          const char *type,
                                                          const frz_column_options *options,
                                                          frz_error **err);
/* Adds the columns of `schema` (borrowed during the call) that the table lacks, by name, and widens
 * those that are wider there. */
FRZ_API FRZ_MUST_CHECK frz_status frz_alter_union_columns(frz_alteration *changes,
                                                          const struct ArrowSchema *schema,
                                                          frz_error **err);
/* The columns that tell rows apart, in place of those before; count 0: none. Required primitives,
 * not float or double, not within lists and maps (spec "Identifier Field IDs"). */
FRZ_API FRZ_MUST_CHECK frz_status frz_alter_set_identifier(frz_alteration *changes,
                                                           const char *const *paths, size_t count,
                                                           frz_error **err);

/* `term` as in frz_table_create_options: "bucket(16, id)", "day(ts) as d"; `name` may be NULL. */
FRZ_API FRZ_MUST_CHECK frz_status frz_alter_add_partition(frz_alteration *changes, const char *term,
                                                          const char *name, frz_error **err);
/* `field` is a partition field's name or term. In format version 1 it becomes void. */
FRZ_API FRZ_MUST_CHECK frz_status frz_alter_drop_partition(frz_alteration *changes,
                                                           const char *field, frz_error **err);
/* Drops `field` and adds `term`. */
FRZ_API FRZ_MUST_CHECK frz_status frz_alter_replace_partition(frz_alteration *changes,
                                                              const char *field, const char *term,
                                                              const char *name, frz_error **err);
/* "id desc nulls last, day(ts)"; empty: unsorted. */
FRZ_API FRZ_MUST_CHECK frz_status frz_alter_set_sort(frz_alteration *changes, const char *terms,
                                                     frz_error **err);

/* Keys that the metadata has fields for, and settings that this library would not honour, are
 * refused (docs/properties.md). */
FRZ_API FRZ_MUST_CHECK frz_status frz_alter_set_property(frz_alteration *changes, const char *key,
                                                         const char *value, frz_error **err);
/* One that is not set is no change. */
FRZ_API FRZ_MUST_CHECK frz_status frz_alter_remove_property(frz_alteration *changes,
                                                            const char *key, frz_error **err);
/* Where new files go; those that are there stay where they are. */
FRZ_API FRZ_MUST_CHECK frz_status frz_alter_set_location(frz_alteration *changes,
                                                         const char *location, frz_error **err);
/* Never back. Rows get their ids with the next snapshot (spec "Row Lineage for Upgraded Tables").
 */
FRZ_API FRZ_MUST_CHECK frz_status frz_alter_upgrade(frz_alteration *changes, int format_version,
                                                    frz_error **err);

typedef struct frz_ref_options {
    size_t struct_size;
    bool tag; /* else a branch */
    bool has_snapshot_id;
    int64_t snapshot_id;           /* else the current snapshot of main */
    int64_t max_ref_age_ms;        /* 0 = not set: as the table's properties say */
    int64_t max_snapshot_age_ms;   /* branches; likewise */
    int32_t min_snapshots_to_keep; /* branches; likewise */
} frz_ref_options;
#define FRZ_REF_OPTIONS_INIT FRZ_OPTIONS_INIT(frz_ref_options)

/* Refused when there is a reference of that name, of either kind. NULL options: a branch at the
 * current snapshot; of frz_alter_replace_ref likewise. */
FRZ_API FRZ_MUST_CHECK frz_status frz_alter_create_ref(frz_alteration *changes, const char *name,
                                                       const frz_ref_options *options,
                                                       frz_error **err);
/* What is not set in `options` stays as it was set, but for the snapshot, which is the current one
 * of main; with a retention alone the reference stays where it is. */
FRZ_API FRZ_MUST_CHECK frz_status frz_alter_replace_ref(frz_alteration *changes, const char *name,
                                                        const frz_ref_options *options,
                                                        frz_error **err);
/* main cannot be dropped. */
FRZ_API FRZ_MUST_CHECK frz_status frz_alter_drop_ref(frz_alteration *changes, const char *name,
                                                     bool tag, frz_error **err);
/* Moves a branch (made where it lacks) to the snapshot of another reference, of which its own must
 * be an ancestor. */
FRZ_API FRZ_MUST_CHECK frz_status frz_alter_fast_forward(frz_alteration *changes,
                                                         const char *branch, const char *to,
                                                         frz_error **err);
/* Moves main back to one of its ancestors: that snapshot, or the last one before a time. */
FRZ_API FRZ_MUST_CHECK frz_status frz_alter_rollback(frz_alteration *changes, int64_t snapshot_id,
                                                     frz_error **err);
FRZ_API FRZ_MUST_CHECK frz_status frz_alter_rollback_to_time(frz_alteration *changes, int64_t ms,
                                                             frz_error **err);
/* Moves main to any snapshot of the table: by its id, or that of a reference. */
FRZ_API FRZ_MUST_CHECK frz_status frz_alter_set_current(frz_alteration *changes,
                                                        int64_t snapshot_id, frz_error **err);
FRZ_API FRZ_MUST_CHECK frz_status frz_alter_set_current_ref(frz_alteration *changes,
                                                            const char *ref, frz_error **err);

/* One change that was made, as a word ("add-column") and as a sentence. */
typedef struct frz_alter_item {
    const char *change;
    const char *text;
} frz_alter_item;

/* What became of the table. Free with frz_alter_result_free. */
typedef struct frz_alter_result {
    bool committed; /* false: the table is as asked for already */
    const frz_alter_item *items;
    size_t item_count;
    int format_version;
    int32_t schema_id; /* the current and default ones now */
    int32_t spec_id;
    int32_t sort_order_id;
} frz_alter_result;
/* Accepts NULL. */
FRZ_API void frz_alter_result_free(frz_alter_result *result);

/*
 * Outcomes as in frazil/write.h. FRZ_CONFLICT when another commit meanwhile changed what one of the
 * changes is based on: the schema, the partition spec, the sort order, the reference; other commits
 * in between lose nothing. Of `options` (may be NULL) `cancelled` and `case_insensitive` count.
 * `out` may be NULL.
 */
FRZ_API FRZ_MUST_CHECK frz_status frz_table_alter(frz_table *table, const frz_alteration *changes,
                                                  const frz_write_options *options,
                                                  frz_alter_result **out, frz_error **err);

/*
 * What others will meet when the table is of a later format version: as text for people, or as one
 * JSON object {"from", "to", "findings": [{"subject", "severity", "text"}]}. Reads the metadata
 * alone. Free with frz_text_free.
 */
FRZ_API FRZ_MUST_CHECK frz_status frz_table_upgrade_audit(const frz_table *table,
                                                          int format_version, bool json, char **out,
                                                          frz_error **err);

#ifdef __cplusplus
}
#endif

#endif
