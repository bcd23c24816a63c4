/*
 * Which columns a scan gives out: names of the select list resolved against the schema and the metadata
 * columns, nested ones pruned to what was asked for.
 */
#ifndef FRZ_SCAN_PROJECTION_H
#define FRZ_SCAN_PROJECTION_H

#include "spec/schema.h"

typedef struct frz_projection {
    const frz_type *type; /* a struct: the output columns in order; metadata columns by their reserved ids */
} frz_projection;

/* The metadata columns as fields; `partition_type` NULL or without fields leaves out _partition. */
size_t frz_metadata_columns(const frz_type *partition_type, const frz_field **out);

/*
 * Resolves `names` (NULL or "*" = all columns of the schema; others dotted names). FRZ_INVALID names an
 * unknown column and near ones.
 */
FRZ_MUST_CHECK frz_status frz_projection_resolve(const frz_schema *schema,
                                                 const frz_type *partition_type,
                                                 const char *const *names, size_t count,
                                                 bool case_sensitive, frz_arena *arena,
                                                 frz_projection *out, frz_error **err);

#endif
