/*
 * Changes of a table's partitioning (spec "Partition Evolution"): each leads from one spec to the
 * next, as Java's BaseUpdatePartitionSpec makes it: names (ts_day, id_bucket_16), the ids of equal
 * fields of older specs, and in V1 tables fields that become void instead of going.
 */
#ifndef FRZ_SPEC_PARTITION_UPDATE_H
#define FRZ_SPEC_PARTITION_UPDATE_H

#include "spec/metadata.h"

typedef struct frz_partition_update {
    frz_arena *arena;         /* borrowed: what the fields point to */
    int format_version;       /* of the table as it will be */
    const frz_metadata *base; /* borrowed: its specs have the fields whose ids come back */
    frz_partition_spec spec;  /* what the changes so far have made */
    int32_t last_id;          /* the last id that any partition field has had */
} frz_partition_update;

/* FRZ_UNSUPPORTED when the default spec has a transform that we do not know. */
FRZ_MUST_CHECK frz_status frz_partition_update_open(frz_partition_update *self,
                                                    const frz_metadata *base, int format_version,
                                                    frz_arena *arena, frz_error **err);

/* `term` as frz_ddl_parse_term takes it; `name` NULL = what stands behind its `as`, else Java's.
 * *added_out is borrowed from the spec until the next change. */
FRZ_MUST_CHECK frz_status frz_partition_update_add(frz_partition_update *self,
                                                   const frz_schema *schema, const char *term,
                                                   const char *name,
                                                   const frz_partition_field **added_out,
                                                   frz_error **err);

/* `field` is a partition field's name or its term. */
FRZ_MUST_CHECK frz_status frz_partition_update_drop(frz_partition_update *self,
                                                    const frz_schema *schema, const char *field,
                                                    const char **name_out, frz_error **err);

FRZ_MUST_CHECK frz_status frz_partition_update_rename(frz_partition_update *self, const char *from,
                                                      const char *to, frz_error **err);

#endif
