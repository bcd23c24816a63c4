/*
 * The rows of one task of a plan, batch by batch, until they end or the caller asks to stop.
 */
#ifndef FRZ_WRITE_TASK_BATCHES_H
#define FRZ_WRITE_TASK_BATCHES_H

#include "scan/plan.h"
#include "write/transaction.h"

/* `batch` has rows; what the visitor leaves of it is cleared. */
typedef frz_status (*frz_task_visit)(void *self, struct ArrowArray *batch, frz_error **err);

FRZ_MUST_CHECK frz_status frz_task_batches(const frz_plan *plan, size_t task,
                                           const frz_transaction *transaction, frz_task_visit visit,
                                           void *self, frz_error **err);

#endif
