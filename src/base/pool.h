/*
 * A fixed pool of threads that runs independent jobs.
 */
#ifndef FRZ_BASE_POOL_H
#define FRZ_BASE_POOL_H

#include <stddef.h>

#include "frazil/error.h"

typedef struct frz_pool frz_pool;

/* `threads` 0 = one per processor; 1 = run jobs in the caller. */
FRZ_MUST_CHECK frz_status frz_pool_new(size_t threads, frz_pool **out, frz_error **err);

/* Accepts NULL. Waits for nothing: no job may be running. */
void frz_pool_free(frz_pool *pool);

size_t frz_pool_threads(const frz_pool *pool);

typedef frz_status (*frz_pool_job)(void *context, size_t index, frz_error **err);

/*
 * Runs job(context, 0 .. count-1), each once, the caller helping; returns when all have ended.
 * After a failure no further job starts; the failure of the lowest index that failed is returned.
 * `pool` NULL runs them in order in the caller. Not re-entrant from inside a job.
 */
FRZ_MUST_CHECK frz_status frz_pool_run(frz_pool *pool, size_t count, frz_pool_job job,
                                       void *context, frz_error **err);

#endif
