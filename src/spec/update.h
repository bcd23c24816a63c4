/*
 * Changes to table metadata, one per update of the REST protocol ("TableUpdate"), and the
 * requirements that guard them. Every commit of every catalog goes through here: a list of
 * requirements that must hold on the base, and a list of updates that lead to the new metadata.
 */
#ifndef FRZ_SPEC_UPDATE_H
#define FRZ_SPEC_UPDATE_H

#include "spec/metadata.h"

typedef struct frz_metadata_builder frz_metadata_builder;

/* `base` NULL starts a new table of `format_version`. Keeps a reference to base. */
FRZ_MUST_CHECK frz_status frz_metadata_builder_new(const frz_metadata *base, int format_version,
                                                   frz_metadata_builder **out, frz_error **err);
/* Accepts NULL. */
void frz_metadata_builder_free(frz_metadata_builder *builder);

FRZ_MUST_CHECK frz_status frz_update_assign_uuid(frz_metadata_builder *builder, const char *uuid,
                                                 frz_error **err);
FRZ_MUST_CHECK frz_status frz_update_upgrade(frz_metadata_builder *builder, int format_version,
                                             frz_error **err);
/*
 * Defaults of structs, lists and maps have a form (Appendix C, "JSON single-value serialization"),
 * but Iceberg Java 1.12, PyIceberg 0.12 and DuckDB 1.5 open no table whose schema has one.
 * FRZ_UNSUPPORTED for one that the table does not have already: what we make, others read.
 */
FRZ_MUST_CHECK frz_status frz_update_check_nested_defaults(const frz_metadata_builder *builder,
                                                           const frz_schema *schema,
                                                           frz_error **err);
/* An equal schema that is there already is reused; *id_out is the id it got. */
FRZ_MUST_CHECK frz_status frz_update_add_schema(frz_metadata_builder *builder,
                                                const frz_schema *schema, int32_t *id_out,
                                                frz_error **err);
FRZ_MUST_CHECK frz_status frz_update_set_current_schema(frz_metadata_builder *builder,
                                                        int32_t schema_id, frz_error **err);
FRZ_MUST_CHECK frz_status frz_update_add_spec(frz_metadata_builder *builder,
                                              const frz_partition_spec *spec, int32_t *id_out,
                                              frz_error **err);
FRZ_MUST_CHECK frz_status frz_update_set_default_spec(frz_metadata_builder *builder,
                                                      int32_t spec_id, frz_error **err);
FRZ_MUST_CHECK frz_status frz_update_add_sort_order(frz_metadata_builder *builder,
                                                    const frz_sort_order *order, int32_t *id_out,
                                                    frz_error **err);
FRZ_MUST_CHECK frz_status frz_update_set_default_sort_order(frz_metadata_builder *builder,
                                                            int32_t order_id, frz_error **err);
FRZ_MUST_CHECK frz_status frz_update_set_location(frz_metadata_builder *builder,
                                                  const char *location, frz_error **err);
FRZ_MUST_CHECK frz_status frz_update_set_property(frz_metadata_builder *builder, const char *key,
                                                  const char *value, frz_error **err);
FRZ_MUST_CHECK frz_status frz_update_remove_property(frz_metadata_builder *builder, const char *key,
                                                     frz_error **err);
/* Checks sequence number, V3 first-row-id against next-row-id; advances both (added_rows of the
 * snapshot is what next-row-id grows by). */
FRZ_MUST_CHECK frz_status frz_update_add_snapshot(frz_metadata_builder *builder,
                                                  const frz_snapshot *snapshot, frz_error **err);
/* `main` also moves current-snapshot-id and writes the snapshot log. */
FRZ_MUST_CHECK frz_status frz_update_set_ref(frz_metadata_builder *builder,
                                             const frz_snapshot_ref *ref, frz_error **err);
FRZ_MUST_CHECK frz_status frz_update_remove_ref(frz_metadata_builder *builder, const char *name,
                                                frz_error **err);
FRZ_MUST_CHECK frz_status frz_update_remove_snapshots(frz_metadata_builder *builder,
                                                      const int64_t *snapshot_ids, size_t count,
                                                      frz_error **err);

/*
 * Says that all that differs from `base` is of this one change, although the builder started from a
 * version that is not committed itself: the logs of the result are those of `base` and what comes
 * on top.
 */
FRZ_MUST_CHECK frz_status frz_metadata_builder_since(frz_metadata_builder *builder,
                                                     const frz_metadata *base, frz_error **err);

/*
 * The new metadata: last-updated-ms (never before base's), metadata-log with `base_location` (NULL
 * for a new table) cut to write.metadata.previous-versions-max; `dropped_out` (optional) gets the
 * metadata files that fell out of the log, in the arena of the result. The result is checked as a
 * parse would.
 */
FRZ_MUST_CHECK frz_status frz_metadata_builder_finish(frz_metadata_builder *builder,
                                                      const char *base_location, int64_t now_ms,
                                                      frz_metadata **out,
                                                      const char *const **dropped_out,
                                                      size_t *dropped_count_out, frz_error **err);

typedef enum frz_requirement_kind {
    FRZ_REQUIREMENT_CREATE,         /* the table does not exist */
    FRZ_REQUIREMENT_UUID,           /* text */
    FRZ_REQUIREMENT_REF_SNAPSHOT,   /* text = ref, number = snapshot id or FRZ_NO_SNAPSHOT */
    FRZ_REQUIREMENT_LAST_COLUMN_ID, /* number */
    FRZ_REQUIREMENT_CURRENT_SCHEMA_ID,
    FRZ_REQUIREMENT_LAST_PARTITION_ID,
    FRZ_REQUIREMENT_DEFAULT_SPEC_ID,
    FRZ_REQUIREMENT_DEFAULT_SORT_ORDER_ID
} frz_requirement_kind;

typedef struct frz_requirement {
    frz_requirement_kind kind;
    const char *text;
    int64_t number;
} frz_requirement;

/* FRZ_CONFLICT naming what differs. `base` NULL: the table does not exist. */
FRZ_MUST_CHECK frz_status frz_requirement_check(const frz_requirement *requirement,
                                                const frz_metadata *base, frz_error **err);

#endif
