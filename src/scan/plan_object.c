#include "scan/plan_object.h"

#include "base/fail.h"
#include "base/mem.h"

frz_plan *frz_plan_ref(const frz_plan *plan)
{
    union {
        const frz_plan *in;
        frz_plan *out;
    } pointer = {.in = plan};
    atomic_fetch_add(&pointer.out->references, 1);
    return pointer.out;
}

void frz_plan_free(frz_plan *plan)
{
    if (!plan || atomic_fetch_sub(&plan->references, 1) != 1)
        return;
    for (size_t i = 0; i < plan->part_count; i++) {
        frz_manifest_unref(plan->parts[i].manifest);
        frz_free(plan->parts[i].tasks);
        frz_arena_clear(&plan->parts[i].arena);
    }
    frz_free(plan->parts);
    frz_free(plan->tasks);
    frz_delete_index_free(plan->deletes);
    frz_equality_deletes_free(plan->equalities);
    frz_arena_clear(&plan->arena);
    frz_scan_free(plan->scan);
    frz_free(plan);
}

size_t frz_plan_task_count(const frz_plan *plan)
{
    return plan->task_count;
}

/* Of one list after the other. */
const frz_manifest_entry *frz_task_delete(const frz_scan_task *task, size_t index)
{
    if (index < task->delete_count)
        return task->deletes[index];
    index -= task->delete_count;
    for (size_t i = 0; i < FRZ_EQUALITY_SPANS; i++) {
        size_t count = 0;
        const frz_manifest_entry *const *entries =
            frz_equality_span_entries(&task->equalities[i], &count);
        if (index < count)
            return entries[index];
        index -= count;
    }
    return NULL;
}

const frz_scan_task *frz_plan_task(const frz_plan *plan, size_t index)
{
    return &plan->tasks[index];
}

const frz_scan *frz_plan_scan(const frz_plan *plan)
{
    return plan->scan;
}

const frz_manifest_list *frz_plan_manifests(const frz_plan *plan)
{
    return &plan->manifests;
}

const frz_funnel_level *frz_plan_funnel(const frz_plan *plan, frz_funnel level)
{
    return &plan->funnel[level];
}

size_t frz_plan_file_count(const frz_plan *plan)
{
    return plan->task_count;
}
