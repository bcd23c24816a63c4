#include "base/fail.h"
#include "base/mem.h"
#include "scan/plan_object.h"

static const char *text_of(frz_arena *arena, frz_slice text)
{
    return frz_arena_text_n(arena, text.data, text.size);
}

static frz_status describe_deletes(const frz_scan_task *task, frz_arena *arena, frz_plan_file *out,
                                   frz_error **err)
{
    frz_plan_delete *deletes = frz_arena_array(arena, task->delete_count, sizeof *deletes);
    if (!deletes)
        return frz_fail_memory(err);
    for (size_t i = 0; i < task->delete_count; i++) {
        const frz_data_file *file = &task->deletes[i]->file;
        deletes[i] = (frz_plan_delete){.path = text_of(arena, file->path),
                                       .content = (int)file->content,
                                       .offset = file->content_offset,
                                       .size = file->content_size};
        if (!deletes[i].path)
            return frz_fail_memory(err);
    }
    out->deletes = deletes;
    out->delete_count = task->delete_count;
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

static frz_status describe_file(const frz_scan_task *task, frz_arena *arena, frz_plan_file *out,
                                frz_error **err)
{
    out->path = text_of(arena, task->entry->file.path);
    out->record_count = task->entry->file.record_count;
    if (!out->path)
        return frz_fail_memory(err);
    return describe_deletes(task, arena, out, err);
}

/* Tasks of one partition share their residual: its text is made once. */
frz_status frz_plan_describe_files(frz_plan *plan, frz_error **err)
{
    plan->files = frz_arena_array(&plan->arena, plan->task_count, sizeof *plan->files);
    if (!plan->files)
        return frz_fail_memory(err);
    for (size_t i = 0; i < plan->task_count; i++) {
        const frz_scan_task *task = &plan->tasks[i];
        if (i > 0 && plan->tasks[i - 1].residual == task->residual)
            plan->files[i].residual = plan->files[i - 1].residual;
        else
            FRZ_TRY(print_residual(task->residual, &plan->arena, &plan->files[i].residual, err));
        FRZ_TRY(describe_file(task, &plan->arena, &plan->files[i], err));
    }
    return FRZ_OK;
}

const frz_plan_file *frz_plan_file_at(const frz_plan *plan, size_t index)
{
    return index < plan->task_count ? &plan->files[index] : NULL;
}
