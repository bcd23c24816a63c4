/*
 * Snapshots by the metadata alone (spec "Snapshots", "Row Lineage"): parents, sequence numbers,
 * times, schemas and row ids.
 */
#ifndef FRZ_MAINTENANCE_SNAPSHOTS_H
#define FRZ_MAINTENANCE_SNAPSHOTS_H

#include "maintenance/verification.h"

FRZ_MUST_CHECK frz_status frz_verify_snapshots(frz_verification *self, frz_error **err);

#endif
