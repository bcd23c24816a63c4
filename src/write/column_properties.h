/*
 * Table properties that name columns (write.metadata.metrics.column.price, ...) follow a column
 * that is renamed or dropped, as Java's SchemaUpdate has them do.
 */
#ifndef FRZ_WRITE_COLUMN_PROPERTIES_H
#define FRZ_WRITE_COLUMN_PROPERTIES_H

#include "spec/update.h"

/* From the current schema of `base` to `next`. Names that no column of `base` has stay,
 * and so does a mapping that cannot be read. */
FRZ_MUST_CHECK frz_status frz_column_properties_follow(const frz_metadata *base,
                                                       const frz_schema *next,
                                                       frz_metadata_builder *builder,
                                                       frz_arena *arena, frz_error **err);

#endif
