#include "base/fail.h"
#include "base/map.h"
#include "base/mem.h"
#include "scan/plan_object.h"

static const char *text_of(frz_arena *arena, frz_slice text)
{
    return frz_arena_text_n(arena, text.data, text.size);
}

static frz_status describe_entries(const frz_manifest_entry *const *entries, size_t count,
                                   frz_arena *arena, const frz_plan_delete **out, frz_error **err)
{
    frz_plan_delete *deletes = frz_arena_array(arena, count, sizeof *deletes);
    if (!deletes)
        return frz_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        const frz_data_file *file = &entries[i]->file;
        deletes[i] = (frz_plan_delete){.path = text_of(arena, file->path),
                                       .content = (int)file->content,
                                       .offset = file->content_offset,
                                       .size = file->content_size};
        if (!deletes[i].path)
            return frz_fail_memory(err);
    }
    *out = deletes;
    return FRZ_OK;
}

/* Equality deletes as they were described last, of each scope: thousands of them may apply to each
 * of many files, which share one list. */
typedef struct described {
    frz_map scopes; /* scope -> frz_plan_delete of all its files */
    frz_equality_span spans[FRZ_EQUALITY_SPANS];
    const frz_plan_delete *deletes;
    size_t count;
} described;

static frz_status describe_span(described *known, const frz_equality_span *span, frz_arena *arena,
                                const frz_plan_delete **out, size_t *count_out, frz_error **err)
{
    size_t count = 0;
    const frz_equality_span whole = {.scope = span->scope};
    const frz_manifest_entry *const *entries = frz_equality_span_entries(&whole, &count);
    *count_out = span->scope ? count - span->first : 0;
    if (!span->scope)
        return FRZ_OK;
    const frz_map_value *found = frz_map_find_i64(&known->scopes, (int64_t)(intptr_t)span->scope);
    union {
        const frz_plan_delete *in;
        void *out;
    } pointer = {.out = found ? found->pointer : NULL};
    if (!found) {
        FRZ_TRY(describe_entries(entries, count, arena, &pointer.in, err));
        const frz_map_value value = {.pointer = pointer.out};
        if (!frz_map_put_i64(&known->scopes, (int64_t)(intptr_t)span->scope, value))
            return frz_fail_memory(err);
    }
    *out = pointer.in + span->first;
    return FRZ_OK;
}

static frz_status describe_equalities(described *known, const frz_scan_task *task, frz_arena *arena,
                                      frz_error **err)
{
    const frz_plan_delete *parts[FRZ_EQUALITY_SPANS] = {NULL};
    size_t counts[FRZ_EQUALITY_SPANS] = {0};
    if (memcmp(known->spans, task->equalities, sizeof known->spans) == 0)
        return FRZ_OK;
    for (size_t i = 0; i < FRZ_EQUALITY_SPANS; i++)
        FRZ_TRY(describe_span(known, &task->equalities[i], arena, &parts[i], &counts[i], err));
    known->deletes = parts[0] ? parts[0] : parts[1];
    known->count = counts[0] + counts[1];
    if (parts[0] && parts[1]) {
        frz_plan_delete *joined = frz_arena_array(arena, known->count, sizeof *joined);
        if (!joined)
            return frz_fail_memory(err);
        memcpy(joined, parts[0], counts[0] * sizeof *joined);
        memcpy(joined + counts[0], parts[1], counts[1] * sizeof *joined);
        known->deletes = joined;
    }
    memcpy(known->spans, task->equalities, sizeof known->spans);
    return FRZ_OK;
}

static frz_status print_residual(const frz_expr *residual, frz_arena *arena, const char **out,
                                 frz_error **err)
{
    frz_buffer text = {0};
    frz_expr_print(residual, &text);
    *out = text.failed ? NULL : frz_arena_text_n(arena, text.data, text.size);
    frz_buffer_clear(&text);
    return *out ? FRZ_OK : frz_fail_memory(err);
}

static frz_status describe_file(described *known, const frz_scan_task *task, frz_arena *arena,
                                frz_plan_file *out, frz_error **err)
{
    out->path = text_of(arena, task->entry->file.path);
    out->record_count = task->entry->file.record_count;
    if (!out->path)
        return frz_fail_memory(err);
    FRZ_TRY(describe_entries(task->deletes, task->delete_count, arena, &out->deletes, err));
    out->delete_count = task->delete_count;
    FRZ_TRY(describe_equalities(known, task, arena, err));
    out->equality_deletes = known->deletes;
    out->equality_delete_count = known->count;
    return FRZ_OK;
}

/* Tasks of one partition share their residual: its text is made once. */
static frz_status describe_files(frz_plan *plan, described *known, frz_error **err)
{
    for (size_t i = 0; i < plan->task_count; i++) {
        const frz_scan_task *task = &plan->tasks[i];
        if (i > 0 && plan->tasks[i - 1].residual == task->residual)
            plan->files[i].residual = plan->files[i - 1].residual;
        else
            FRZ_TRY(print_residual(task->residual, &plan->arena, &plan->files[i].residual, err));
        FRZ_TRY(describe_file(known, task, &plan->arena, &plan->files[i], err));
    }
    return FRZ_OK;
}

frz_status frz_plan_describe_files(frz_plan *plan, frz_error **err)
{
    described known = {0};
    plan->files = frz_arena_array(&plan->arena, plan->task_count, sizeof *plan->files);
    if (!plan->files)
        return frz_fail_memory(err);
    const frz_status status = describe_files(plan, &known, err);
    frz_map_clear(&known.scopes);
    return status;
}

const frz_plan_file *frz_plan_file_at(const frz_plan *plan, size_t index)
{
    return index < plan->task_count ? &plan->files[index] : NULL;
}
