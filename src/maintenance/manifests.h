/*
 * Manifests, each read once per pass: what their lists say of them, each entry by itself, and what
 * the ledger is to remember (spec "Manifests").
 */
#ifndef FRZ_MAINTENANCE_MANIFESTS_H
#define FRZ_MAINTENANCE_MANIFESTS_H

#include "maintenance/verification.h"

/* After the lists were read. */
FRZ_MUST_CHECK frz_status frz_verify_manifests(frz_verification *self, frz_error **err);

#endif
