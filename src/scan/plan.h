/*
 * Planning: from a snapshot to the data files that may hold matching rows, each with the delete
 * files that apply to it and the filter that is left for its rows (spec "Scan Planning"). Never
 * lists storage.
 *
 * The way: manifest list -> (partition summaries) -> manifests -> (partition tuples) -> entries ->
 * (column metrics) -> tasks; delete manifests -> scan/delete_index.h -> deletes of each task.
 */
#ifndef FRZ_SCAN_PLAN_H
#define FRZ_SCAN_PLAN_H

#include "expr/expression.h"
#include "frazil/scan.h"
#include "scan/equality_deletes.h"
#include "scan/scan.h"
#include "spec/manifest.h"

/* One data file to read. Everything is borrowed from the plan. */
typedef struct frz_scan_task {
    const frz_manifest_entry *entry;
    const frz_manifest_file *manifest;        /* the manifest that lists it */
    const frz_manifest_entry *const *deletes; /* deletion vector alone, or position deletes */
    size_t delete_count;
    size_t deletes_left_out;                          /* by their bounds of file_path */
    frz_equality_span equalities[FRZ_EQUALITY_SPANS]; /* equality deletes, newer than the data */
    const frz_expr *residual; /* bound to the scan's schema; frz_expr_true when nothing is left */
    bool all_match;           /* every row of the file matches the filter, proven by metadata */
} frz_scan_task;

size_t frz_plan_task_count(const frz_plan *plan);
const frz_scan_task *frz_plan_task(const frz_plan *plan, size_t index);
const frz_scan *frz_plan_scan(const frz_plan *plan);

/* The delete files of a task, of all kinds, from 0 on; NULL behind the last. */
const frz_manifest_entry *frz_task_delete(const frz_scan_task *task, size_t index);

/* The manifests of the snapshot, in the order of its list, data and deletes. */
const frz_manifest_list *frz_plan_manifests(const frz_plan *plan);

/* What one level of the funnel saw. Reasons are constant words. */
enum { FRZ_FUNNEL_REASONS_MAX = 6 };
typedef struct frz_funnel_level {
    const char *level;
    int64_t considered;
    int64_t kept;
    struct {
        const char *reason;
        int64_t count;
        int64_t bytes; /* that need not be read for it, as far as they are known */
    } dropped[FRZ_FUNNEL_REASONS_MAX];
} frz_funnel_level;

typedef enum frz_funnel {
    FRZ_FUNNEL_MANIFEST_LIST,
    FRZ_FUNNEL_MANIFEST,
    FRZ_FUNNEL_FILE,
    FRZ_FUNNEL_COUNT
} frz_funnel;
const frz_funnel_level *frz_plan_funnel(const frz_plan *plan, frz_funnel level);

/* Counts one thing that was dropped at a level, or several. */
void frz_funnel_drop(frz_funnel_level *level, const char *reason, int64_t bytes);
void frz_funnel_drop_many(frz_funnel_level *level, const char *reason, int64_t count,
                          int64_t bytes);

#endif
