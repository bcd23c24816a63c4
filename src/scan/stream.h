/*
 * The rows of tasks as Arrow batches.
 */
#ifndef FRZ_SCAN_STREAM_H
#define FRZ_SCAN_STREAM_H

#include "frazil/arrow.h"
#include "scan/plan.h"

/*
 * Reads tasks [first, first + count) of a plan, in order, in the scan's projection. The stream
 * keeps the plan alive (it takes a reference).
 */
FRZ_MUST_CHECK frz_status frz_plan_stream(const frz_plan *plan, size_t first, size_t count,
                                          struct ArrowArrayStream *out, frz_error **err);

#endif
