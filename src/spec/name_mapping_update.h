/*
 * A table's name mapping (property schema.name-mapping.default) after a change of its schema, as
 * Java's MappingUtil.update has it: a renamed column is found by its old names and the new one, a
 * new column by its name, which no other column of its struct has any more. Dropped ones stay.
 */
#ifndef FRZ_SPEC_NAME_MAPPING_UPDATE_H
#define FRZ_SPEC_NAME_MAPPING_UPDATE_H

#include "spec/name_mapping.h"
#include "spec/schema.h"

/* Appends the JSON of the mapping that `root` becomes. */
FRZ_MUST_CHECK frz_status frz_name_mapping_follow(const frz_name_mapping *root,
                                                  const frz_schema *before, const frz_schema *after,
                                                  frz_buffer *out, frz_error **err);

#endif
