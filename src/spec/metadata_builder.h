/*
 * The builder behind spec/update.h: a copy of the base that updates change in place. update.c has
 * the updates of schemas, specs, orders and properties; update_snapshot.c those of snapshots and
 * refs; update_finish.c what is done once, at the end.
 */
#ifndef FRZ_SPEC_METADATA_BUILDER_H
#define FRZ_SPEC_METADATA_BUILDER_H

#include "spec/metadata_object.h"
#include "spec/update.h"

/* The time of a log entry that finish sets to the time of the commit. */
enum { FRZ_TIME_OF_COMMIT = -1 };

struct frz_metadata_builder {
    frz_metadata_object
        *object; /* owned; its lists are the truth, its arrays are not kept current */
    bool from_base;
    int64_t base_updated_ms;
    size_t base_snapshot_log_count; /* entries of the log that base had */
    frz_list added_snapshots;       /* int64_t: ids that this builder added */
    bool removed_snapshots;
};

/* NULL when absent; looked up in the lists. */
frz_schema *frz_builder_find_schema(const frz_metadata_builder *builder, int32_t schema_id);
frz_partition_spec *frz_builder_find_spec(const frz_metadata_builder *builder, int32_t spec_id);
frz_sort_order *frz_builder_find_sort_order(const frz_metadata_builder *builder, int32_t order_id);
const frz_snapshot *frz_builder_find_snapshot(const frz_metadata_builder *builder,
                                              int64_t snapshot_id);
const char *frz_builder_property(const frz_metadata_builder *builder, const char *key);

/* Whether every field of the spec or order can be applied to the schema; FRZ_INVALID names the
 * field. */
FRZ_MUST_CHECK frz_status frz_partition_spec_check(const frz_partition_spec *spec,
                                                   const frz_schema *schema, frz_error **err);
FRZ_MUST_CHECK frz_status frz_sort_order_check(const frz_sort_order *order,
                                               const frz_schema *schema, frz_error **err);

#endif
