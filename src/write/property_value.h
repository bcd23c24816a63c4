/*
 * Whether the value of a property can be honoured, asked when it is set and not by the first writer
 * that meets it.
 */
#ifndef FRZ_WRITE_PROPERTY_VALUE_H
#define FRZ_WRITE_PROPERTY_VALUE_H

#include "spec/metadata.h"

/*
 * As those who read the property would take it in a table with the columns of `schema`. What nobody
 * reads is taken as it is. FRZ_INVALID, or FRZ_UNSUPPORTED for what is not written, naming key and
 * value.
 */
FRZ_MUST_CHECK frz_status frz_property_value_check(const frz_schema *schema, const char *key,
                                                   const char *value, frz_error **err);

#endif
