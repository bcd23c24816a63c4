/*
 * Properties that no table may be written under: what they ask for is not done here, and a file
 * written without it would break the table's promise.
 */
#ifndef FRZ_CATALOG_REFUSED_PROPERTIES_H
#define FRZ_CATALOG_REFUSED_PROPERTIES_H

#include "spec/metadata.h"

/* FRZ_UNSUPPORTED or FRZ_INVALID names the key and what to do, when it is one of them. */
FRZ_MUST_CHECK frz_status frz_property_check_refused(const char *key, frz_error **err);

/* The same for every property of a table, before a snapshot is made. */
FRZ_MUST_CHECK frz_status frz_metadata_check_refused(const frz_metadata *metadata, frz_error **err);

#endif
