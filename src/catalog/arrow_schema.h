/*
 * A table schema made from an Arrow one, for tables that are created from data.
 */
#ifndef FRZ_CATALOG_ARROW_SCHEMA_H
#define FRZ_CATALOG_ARROW_SCHEMA_H

#include "spec/schema.h"

/*
 * Ids are assigned as Java does, a level before its children, from 1; ids in the metadata are not
 * taken over. Smaller and unsigned integers widen to the type that holds them all. FRZ_UNSUPPORTED
 * names the column and the Arrow type that no Iceberg type holds.
 */
FRZ_MUST_CHECK frz_status frz_schema_from_arrow(const struct ArrowSchema *arrow, frz_schema **out,
                                                frz_error **err);

/* The primitive type that holds the values of an Arrow type; NULL when none does. Dictionaries by
 * their values. */
const frz_type *frz_type_from_arrow(const struct ArrowSchema *arrow, frz_arena *arena);

#endif
