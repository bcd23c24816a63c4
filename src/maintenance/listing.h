/*
 * Manifest lists: which snapshot lists which manifests, and whether all lists say the same of them
 * (spec "Manifest Lists").
 */
#ifndef FRZ_MAINTENANCE_LISTING_H
#define FRZ_MAINTENANCE_LISTING_H

#include "maintenance/verification.h"

/* Reads the lists of the chosen snapshots into records of manifests. */
FRZ_MUST_CHECK frz_status frz_verify_lists(frz_verification *self, frz_error **err);

#endif
