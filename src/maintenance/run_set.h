/*
 * Sets of snapshots, as runs of their indexes: where several manifests that hold one file are
 * listed.
 */
#ifndef FRZ_MAINTENANCE_RUN_SET_H
#define FRZ_MAINTENANCE_RUN_SET_H

#include "maintenance/verification.h"

typedef struct frz_run_of {
    frz_snapshot_run run;
    size_t owner; /* what the caller gave with it */
} frz_run_of;

/* All zero is a valid, empty set. */
typedef struct frz_run_set {
    frz_run_of *runs;
    size_t count;
    size_t capacity;
} frz_run_set;

void frz_run_set_reset(frz_run_set *self); /* keeps the memory */
void frz_run_set_clear(frz_run_set *self);

FRZ_MUST_CHECK frz_status frz_run_set_add(frz_run_set *self, const frz_manifest_record *manifest,
                                          size_t owner, frz_error **err);
/* Before the questions below. */
void frz_run_set_sort(frz_run_set *self);

/* A snapshot that two of the runs share, and the owners of these; false when there is none. */
bool frz_run_set_find_shared(const frz_run_set *self, size_t *snapshot_out, size_t *one_out,
                             size_t *other_out);

/* The first snapshot from `from` to `to` that no run has; false when there is none. */
bool frz_run_set_find_gap(const frz_run_set *self, size_t from, size_t to, size_t *snapshot_out);

#endif
