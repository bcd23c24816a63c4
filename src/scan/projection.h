/*
 * Which columns a scan gives out: names of the select list resolved against the schema and the
 * metadata columns, nested ones pruned to what was asked for (select "a.b" gives column a with
 * field b alone).
 */
#ifndef FRZ_SCAN_PROJECTION_H
#define FRZ_SCAN_PROJECTION_H

#include "spec/schema.h"

typedef struct frz_projection {
    const frz_type
        *type; /* a struct: the output columns in order; metadata columns by their reserved ids */
} frz_projection;

typedef struct frz_name_list {
    const char *const *items; /* NULL = all columns of the schema */
    size_t count;
    bool schema_only; /* no metadata columns: the schema may use their reserved ids itself */
} frz_name_list;

/* The metadata column with that reserved id, _partition excepted; NULL when there is none. */
const frz_field *frz_metadata_column(int32_t field_id);

/*
 * A column of the table hides a metadata column of the same name. FRZ_INVALID names an unknown
 * column and near ones.
 */
FRZ_MUST_CHECK frz_status frz_projection_resolve(const frz_schema *schema,
                                                 const frz_type *partition_type,
                                                 const frz_name_list *names, bool case_sensitive,
                                                 frz_arena *arena, frz_projection *out,
                                                 frz_error **err);

#endif
