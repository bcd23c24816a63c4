/*
 * The logs and the statistics files of table metadata (spec "Table Metadata Fields", "Table
 * Statistics").
 */
#ifndef FRZ_MAINTENANCE_LOGS_H
#define FRZ_MAINTENANCE_LOGS_H

#include "maintenance/verification.h"

FRZ_MUST_CHECK frz_status frz_verify_logs(frz_verification *self, frz_error **err);

#endif
