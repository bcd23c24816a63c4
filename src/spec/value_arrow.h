/*
 * Values into Arrow columns, one row at a time: defaults, constants, cells of metadata tables, text
 * inputs.
 */
#ifndef FRZ_SPEC_VALUE_ARROW_H
#define FRZ_SPEC_VALUE_ARROW_H

#include "arrow/builder.h"
#include "spec/value.h"

/*
 * Appends one row to a builder of the type's Arrow form (frz_type_to_arrow). `type` may be NULL for
 * values that are not nested. A struct takes one value per field; where it gives none (the default
 * `{}`), the field's initial default ("Default values").
 */
void frz_value_append(const frz_type *type, const frz_value *value, frz_arrow_builder *builder);

#endif
