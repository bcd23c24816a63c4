/*
 * The lock of a catalog back-end: recursive, because a commit that holds the catalog loads and
 * swaps in it.
 */
#ifndef FRZ_CATALOG_MUTEX_H
#define FRZ_CATALOG_MUTEX_H

#include <pthread.h>

#include "frazil/error.h"

FRZ_MUST_CHECK frz_status frz_catalog_mutex_init(pthread_mutex_t *mutex, frz_error **err);

#endif
