#include "write/result.h"

#include "base/arena.h"
#include "base/fail.h"
#include "base/mem.h"

typedef struct commit_object {
    frz_commit commit; /* first */
    frz_arena arena;
} commit_object;

bool frz_commit_fill(frz_commit *commit, const frz_snapshot *snapshot, frz_arena *arena)
{
    frz_option *summary = frz_arena_array(arena, snapshot->summary_count + 1, sizeof *summary);
    if (!summary)
        return false;
    for (size_t i = 0; i < snapshot->summary_count; i++) {
        summary[i].key = frz_arena_text(arena, snapshot->summary[i].key);
        summary[i].value = frz_arena_text(arena, snapshot->summary[i].value);
        if (!summary[i].key || !summary[i].value)
            return false;
    }
    *commit = (frz_commit){.snapshot_id = snapshot->snapshot_id,
                           .sequence_number = snapshot->sequence_number,
                           .summary = summary,
                           .summary_count = snapshot->summary_count};
    if (snapshot->operation)
        commit->operation = frz_arena_text(arena, snapshot->operation);
    return !snapshot->operation || commit->operation;
}

frz_status frz_commit_result_new(const frz_snapshot *snapshot, frz_commit **out, frz_error **err)
{
    commit_object *object = frz_alloc_zero(sizeof *object);
    if (!object)
        return frz_fail_memory(err);
    object->commit.snapshot_id = FRZ_NO_SNAPSHOT;
    if (snapshot && !frz_commit_fill(&object->commit, snapshot, &object->arena)) {
        frz_commit_free(&object->commit);
        return frz_fail_memory(err);
    }
    *out = &object->commit;
    return FRZ_OK;
}

void frz_commit_free(frz_commit *commit)
{
    if (!commit)
        return;
    commit_object *object = (commit_object *)commit;
    frz_arena_clear(&object->arena);
    frz_free(object);
}
