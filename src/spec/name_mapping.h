/*
 * Name mapping: field ids for files that have none (spec "Column Projection", property
 * schema.name-mapping.default).
 */
#ifndef FRZ_SPEC_NAME_MAPPING_H
#define FRZ_SPEC_NAME_MAPPING_H

#include "json/reader.h"

typedef struct frz_name_mapping {
    const char *const *names;
    size_t name_count;
    int32_t field_id; /* -1 when the mapping has none */
    const struct frz_name_mapping *children;
    size_t child_count;
} frz_name_mapping;

/*
 * The root's children are the top-level columns. FRZ_CORRUPT with offset for what is no mapping,
 * and when two mappings of one level share a name. All memory is in `arena`.
 */
FRZ_MUST_CHECK frz_status frz_name_mapping_parse(frz_slice json, frz_arena *arena,
                                                 frz_name_mapping *out, frz_error **err);

/*
 * NULL when no child has the name. A dot in a name is literal. What is nested in lists and maps
 * stands under the names "element", "key" and "value", whatever the file calls it.
 */
const frz_name_mapping *frz_name_mapping_find(const frz_name_mapping *parent, frz_slice name);

/* The same, looking at child `hint` first and then behind it: files mostly have the columns in the
 * mapping's order, and thousands of columns are not to be compared with each other. */
const frz_name_mapping *frz_name_mapping_find_near(const frz_name_mapping *parent, frz_slice name,
                                                   size_t hint);

#endif
