/*
 * Partition specs (spec "Partitioning"). Values; they live in the arena of the metadata that holds
 * them.
 */
#ifndef FRZ_SPEC_PARTITION_H
#define FRZ_SPEC_PARTITION_H

#include "spec/schema.h"
#include "spec/transform.h"

typedef struct frz_partition_field {
    const int32_t *source_ids; /* one, or several for multi-argument transforms (V3) */
    size_t source_count;
    int32_t field_id;
    const char *name;
    frz_transform transform;
} frz_partition_field;

typedef struct frz_partition_spec {
    int32_t spec_id;
    const frz_partition_field *fields;
    size_t field_count;
} frz_partition_spec;

/* No field at all, or only void ones: what counts as unpartitioned for delete scope. */
bool frz_partition_spec_is_unpartitioned(const frz_partition_spec *spec);

/* Same source columns and transform, whatever name and id: such a field's id must be reused. */
bool frz_partition_field_equivalent(const frz_partition_field *a, const frz_partition_field *b);

/* Spec "Partitioning": same columns, transforms and names in the same order, whatever the ids. */
bool frz_partition_spec_equivalent(const frz_partition_spec *a, const frz_partition_spec *b);

/*
 * The partition tuple as a struct type in `arena`: one optional field per partition field, typed by
 * transform and source. A source that was dropped from `schema` is looked up in `older` schemas
 * (newest first); found nowhere, its type is that of void or FRZ_TYPE_UNKNOWN.
 */
FRZ_MUST_CHECK frz_status frz_partition_type(const frz_partition_spec *spec,
                                             const frz_schema *schema, frz_schema *const *older,
                                             size_t older_count, frz_arena *arena,
                                             const frz_type **out, frz_error **err);

/* `name=value/...` with both sides URL-encoded as Java does (partition folder). Appends. Java makes
 * no such folder where frz_partition_spec_is_unpartitioned. */
void frz_partition_path(const frz_partition_spec *spec, const frz_type *partition_type,
                        const frz_value *values, frz_buffer *out);

/*
 * Appendix C; also V1's bare field array (sets the fields alone). Field ids that V1 left out are
 * given from 1000. FRZ_CORRUPT when members are missing, or an id stands twice.
 */
FRZ_MUST_CHECK frz_status frz_partition_spec_read_json(frz_json_reader *json, frz_arena *arena,
                                                       frz_partition_spec *out, frz_error **err);
FRZ_MUST_CHECK frz_status frz_partition_fields_read_json(frz_json_reader *json, frz_arena *arena,
                                                         frz_partition_spec *out, frz_error **err);
void frz_partition_spec_write_json(const frz_partition_spec *spec, frz_json_writer *json);
void frz_partition_fields_write_json(const frz_partition_spec *spec, frz_json_writer *json);

#endif
