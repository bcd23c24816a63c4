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

static frz_status describe_file(const frz_scan_task *task, frz_arena *arena, frz_plan_file *out,
                                frz_error **err)
{
    frz_buffer residual = {0};
    frz_expr_print(task->residual, &residual);
    *out = (frz_plan_file){.path = text_of(arena, task->entry->file.path),
                           .record_count = task->entry->file.record_count,
                           .residual = frz_arena_text_n(arena, residual.data, residual.size)};
    const bool short_of_memory = residual.failed || !out->path || !out->residual;
    frz_buffer_clear(&residual);
    if (short_of_memory)
        return frz_fail_memory(err);
    return describe_deletes(task, arena, out, err);
}

frz_status frz_plan_describe_files(frz_plan *plan, frz_error **err)
{
    plan->files = frz_arena_array(&plan->arena, plan->task_count, sizeof *plan->files);
    if (!plan->files)
        return frz_fail_memory(err);
    for (size_t i = 0; i < plan->task_count; i++)
        FRZ_TRY(describe_file(&plan->tasks[i], &plan->arena, &plan->files[i], err));
    return FRZ_OK;
}

const frz_plan_file *frz_plan_file_at(const frz_plan *plan, size_t index)
{
    return index < plan->task_count ? &plan->files[index] : NULL;
}
