/*
 * A catalog in the memory of this process: for tests and short-lived tables (PyIceberg's type
 * in-memory).
 */
#ifndef FRZ_CATALOG_MEMORY_H
#define FRZ_CATALOG_MEMORY_H

#include "frazil/extend/catalog.h"

FRZ_MUST_CHECK frz_status frz_catalog_memory_new(frz_catalog_backend **out, frz_error **err);

#endif
