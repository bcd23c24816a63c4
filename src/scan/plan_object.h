/*
 * What a plan owns. Only scan/ looks inside; others use scan/plan.h.
 */
#ifndef FRZ_SCAN_PLAN_OBJECT_H
#define FRZ_SCAN_PLAN_OBJECT_H

#include <stdatomic.h>

#include "scan/delete_index.h"
#include "scan/plan.h"

/* What one manifest contributes. */
typedef struct frz_plan_part {
    const frz_manifest_file *source;
    frz_manifest *manifest; /* a reference: entries of tasks point into it */
    frz_scan_task *tasks;   /* owned until they are joined */
    size_t task_count;
    frz_funnel_level entries; /* its share of level "manifest" */
    frz_funnel_level files;   /* its share of level "file" */
    frz_arena arena;          /* residuals and delete lists of its tasks */
} frz_plan_part;

struct frz_plan {
    atomic_size_t references;
    frz_scan *scan;              /* a reference */
    frz_arena arena;             /* manifest list, projected filters */
    frz_manifest_list manifests; /* of the snapshot, all of them */
    frz_plan_part *parts;        /* owned: delete manifests, then data manifests that were read */
    size_t part_count;
    frz_scan_task *tasks; /* owned */
    size_t task_count;
    size_t delete_count;              /* delete files found */
    frz_equality_deletes *equalities; /* owned */
    frz_delete_index *deletes;        /* owned: what tasks say of deletes is its own */
    frz_funnel_level funnel[FRZ_FUNNEL_COUNT];
    frz_plan_file *files; /* the public view, one per task; in the arena */
};

frz_plan *frz_plan_ref(const frz_plan *plan);

/* Fills `files`. */
FRZ_MUST_CHECK frz_status frz_plan_describe_files(frz_plan *plan, frz_error **err);

#endif
