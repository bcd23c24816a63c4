/*
 * What a table's metadata defines by id, checked alone: columns, partition fields, sort orders
 * (spec "Schemas", "Partition Specs", "Sorting", "Table Metadata Fields").
 */
#ifndef FRZ_MAINTENANCE_DEFINITIONS_H
#define FRZ_MAINTENANCE_DEFINITIONS_H

#include "maintenance/verification.h"

FRZ_MUST_CHECK frz_status frz_verify_definitions(frz_verification *self, frz_error **err);

#endif
