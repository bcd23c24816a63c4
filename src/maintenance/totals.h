/*
 * Snapshots against their manifests: the counters of the summary (spec Appendix F "Optional
 * Snapshot Summary Fields"), what the operation may do, and that a snapshot has what its parent
 * had.
 */
#ifndef FRZ_MAINTENANCE_TOTALS_H
#define FRZ_MAINTENANCE_TOTALS_H

#include "maintenance/verification.h"

/* After the manifests were read. */
FRZ_MUST_CHECK frz_status frz_verify_totals(frz_verification *self, frz_error **err);

#endif
