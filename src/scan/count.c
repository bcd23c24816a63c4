#include "frazil/scan.h"

#include "arrow/schema.h"
#include "arrow/stream.h"
#include "base/fail.h"
#include "scan/plan_object.h"
#include "scan/stream.h"

/* The file's live rows from the manifest alone: its record count less the cardinality of its
 * deletion vector. False when rows must be looked at: how many rows equality deletes match is not
 * known, and position deletes may repeat. */
static bool count_task(const frz_scan *scan, const frz_scan_task *task, int64_t *out)
{
    if (!task->all_match)
        return false;
    *out = task->entry->file.record_count;
    if (scan->keep_deleted)
        return true;
    for (size_t i = 0; i < FRZ_EQUALITY_SPANS; i++)
        if (task->equalities[i].scope)
            return false;
    if (!task->delete_count)
        return true;
    const frz_data_file *vector = &task->deletes[0]->file;
    if (task->delete_count != 1 || vector->format != FRZ_FORMAT_PUFFIN ||
        vector->record_count > *out)
        return false;
    *out -= vector->record_count;
    return true;
}

static frz_status count_rows(const frz_plan *plan, size_t task, int64_t *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    struct ArrowArrayStream stream = {0};
    struct ArrowArray batch = {0};
    FRZ_TRY(frz_plan_stream(plan, task, 1, &stream, err));
    *out = 0;
    for (;;) {
        status = frz_arrow_stream_next(&stream, &batch, err);
        if (status != FRZ_OK)
            break;
        *out += batch.length;
        frz_arrow_array_clear(&batch);
    }
    frz_arrow_stream_clear(&stream);
    return status == FRZ_END ? FRZ_OK : status;
}

frz_status frz_scan_count(frz_scan *scan, int64_t *out, frz_error **err)
{
    frz_status status = FRZ_OK;
    frz_scan *counting = NULL;
    frz_plan *plan = NULL;
    int64_t total = 0;
    FRZ_TRY_DONE(frz_scan_new_counting(scan, &counting, err));
    FRZ_TRY_DONE(frz_scan_plan(counting, &plan, err));
    for (size_t i = 0; i < plan->task_count && (scan->limit < 0 || total < scan->limit); i++) {
        int64_t rows = 0;
        if (!count_task(plan->scan, &plan->tasks[i], &rows))
            FRZ_TRY_DONE(count_rows(plan, i, &rows, err));
        total += rows;
    }
    *out = scan->limit >= 0 && total > scan->limit ? scan->limit : total;

done:
    frz_plan_free(plan);
    frz_scan_free(counting);
    return status;
}
