/*
 * The ledger at the end of a pass: which of its entries contradict each other.
 */
#ifndef FRZ_MAINTENANCE_SETTLEMENT_H
#define FRZ_MAINTENANCE_SETTLEMENT_H

#include "maintenance/ledger.h"

/* Checks what the pass has gathered, and empties the ledger for the next one. */
FRZ_MUST_CHECK frz_status frz_ledger_settle(frz_ledger *self, frz_error **err);

#endif
