/*
 * Changes of branches and tags (spec "Snapshot References"), and where main stands.
 */
#include <inttypes.h>
#include <string.h>

#include "base/calendar.h"
#include "base/fail.h"
#include "base/options.h"
#include "spec/ancestry.h"
#include "write/alteration.h"

static const char main_name[] = "main";

static frz_status record(frz_alteration *changes, frz_alter_apply apply, const char *name,
                         frz_alter_step **out, frz_error **err)
{
    *out = frz_alter_step_add(changes, apply, err);
    if (!*out)
        return FRZ_NO_MEMORY;
    FRZ_TRY(frz_alter_keep(changes, name, &(*out)->name, err));
    (*out)->ref = (*out)->name;
    return FRZ_OK;
}

static const char *kind_word(bool tag)
{
    return tag ? "tag" : "branch";
}

static frz_status put_ref(frz_alter_draft *draft, const frz_snapshot_ref *ref, frz_error **err)
{
    frz_snapshot_ref *known = frz_alter_draft_find_ref(draft, ref->name);
    FRZ_TRY(frz_update_set_ref(draft->builder, ref, err));
    if (!known)
        known = frz_list_add(&draft->refs, draft->arena, sizeof *known);
    if (!known)
        return frz_fail_memory(err);
    *known = *ref;
    return FRZ_OK;
}

static const frz_snapshot *snapshot_of(const frz_alter_draft *draft, const frz_snapshot_ref *ref)
{
    return ref ? frz_metadata_find_snapshot(draft->base, ref->snapshot_id) : NULL;
}

static frz_status find_snapshot(const frz_alter_draft *draft, int64_t snapshot_id,
                                const frz_snapshot **out, frz_error **err)
{
    *out = frz_metadata_find_snapshot(draft->base, snapshot_id);
    return *out ? FRZ_OK
                : frz_fail(err, FRZ_NOT_FOUND, FRZ_NO_OFFSET, "no snapshot %" PRId64, snapshot_id);
}

/* The snapshot that is asked for, else that of main. */
static frz_status target_of(const frz_alter_draft *draft, const frz_ref_options *options,
                            const frz_snapshot **out, frz_error **err)
{
    if (options->has_snapshot_id)
        return find_snapshot(draft, options->snapshot_id, out, err);
    *out = snapshot_of(draft, frz_alter_draft_find_ref(draft, main_name));
    return *out ? FRZ_OK
                : frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                           "the table has no current snapshot; say which one with a snapshot id");
}

static frz_status retain(const frz_ref_options *options, frz_snapshot_ref *ref, frz_error **err)
{
    if (options->max_ref_age_ms)
        ref->max_ref_age_ms = options->max_ref_age_ms;
    if (options->max_snapshot_age_ms)
        ref->max_snapshot_age_ms = options->max_snapshot_age_ms;
    if (options->min_snapshots_to_keep)
        ref->min_snapshots_to_keep = options->min_snapshots_to_keep;
    if (strcmp(ref->name, main_name) == 0 && ref->max_ref_age_ms != -1)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "main never expires: it has no age that ends it");
    return FRZ_OK;
}

static frz_status create(const frz_alter_step *step, frz_alter_draft *draft, frz_snapshot_ref *ref,
                         frz_error **err)
{
    const frz_snapshot *target = NULL;
    const frz_snapshot_ref *known = frz_alter_draft_find_ref(draft, step->name);
    if (known)
        return frz_fail(err, FRZ_ALREADY_EXISTS, FRZ_NO_OFFSET, "there is a %s of that name",
                        kind_word(known->is_tag));
    FRZ_TRY(target_of(draft, &step->reference, &target, err));
    *ref = (frz_snapshot_ref){.name = step->name,
                              .snapshot_id = target->snapshot_id,
                              .is_tag = step->reference.tag,
                              .min_snapshots_to_keep = -1,
                              .max_snapshot_age_ms = -1,
                              .max_ref_age_ms = -1};
    FRZ_TRY(retain(&step->reference, ref, err));
    return put_ref(draft, ref, err);
}

static frz_status apply_create(const frz_alter_step *step, frz_alter_draft *draft, frz_error **err)
{
    const char *kind = kind_word(step->reference.tag);
    frz_snapshot_ref ref = {0};
    const frz_status status = create(step, draft, &ref, err);
    if (status != FRZ_OK)
        return frz_context(err, status, "create %s %s", kind, step->name);
    return frz_alter_note(draft, step->reference.tag ? "create-tag" : "create-branch", err,
                          "created %s %s at snapshot %" PRId64, kind, step->name, ref.snapshot_id);
}

static frz_status record_with(frz_alteration *changes, frz_alter_apply apply, const char *name,
                              const frz_ref_options *options, frz_error **err)
{
    frz_alter_step *step = NULL;
    frz_ref_options taken = FRZ_REF_OPTIONS_INIT;
    FRZ_TRY(FRZ_OPTIONS_TAKE(frz_ref_options, options, &taken, err));
    FRZ_TRY(record(changes, apply, name, &step, err));
    step->reference = taken;
    return FRZ_OK;
}

frz_status frz_alter_create_ref(frz_alteration *changes, const char *name,
                                const frz_ref_options *options, frz_error **err)
{
    return record_with(changes, apply_create, name, options, err);
}

static frz_status find_of_kind(const frz_alter_draft *draft, const char *name, bool tag,
                               const frz_snapshot_ref **out, frz_error **err)
{
    *out = frz_alter_draft_find_ref(draft, name);
    if (!*out)
        return frz_fail(err, FRZ_NOT_FOUND, FRZ_NO_OFFSET, "there is none of that name");
    if ((*out)->is_tag != tag)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "it is a %s", kind_word((*out)->is_tag));
    return FRZ_OK;
}

static bool same_ref(const frz_snapshot_ref *a, const frz_snapshot_ref *b)
{
    return a->snapshot_id == b->snapshot_id && a->max_ref_age_ms == b->max_ref_age_ms &&
           a->max_snapshot_age_ms == b->max_snapshot_age_ms &&
           a->min_snapshots_to_keep == b->min_snapshots_to_keep;
}

static frz_status replace(const frz_alter_step *step, frz_alter_draft *draft, bool *same_out,
                          frz_snapshot_ref *ref, frz_error **err)
{
    const frz_ref_options *options = &step->reference;
    const frz_snapshot_ref *known = NULL;
    const frz_snapshot *target = NULL;
    const bool retention =
        options->max_ref_age_ms || options->max_snapshot_age_ms || options->min_snapshots_to_keep;
    FRZ_TRY(find_of_kind(draft, step->name, options->tag, &known, err));
    *ref = *known;
    if (options->has_snapshot_id || !retention) {
        FRZ_TRY(target_of(draft, options, &target, err));
        ref->snapshot_id = target->snapshot_id;
    }
    FRZ_TRY(retain(options, ref, err));
    *same_out = same_ref(known, ref);
    return *same_out ? FRZ_OK : put_ref(draft, ref, err);
}

static frz_status apply_replace(const frz_alter_step *step, frz_alter_draft *draft, frz_error **err)
{
    const char *kind = kind_word(step->reference.tag);
    bool same = false;
    frz_snapshot_ref ref = {0};
    const frz_status status = replace(step, draft, &same, &ref, err);
    if (status != FRZ_OK)
        return frz_context(err, status, "replace %s %s", kind, step->name);
    if (same)
        return FRZ_OK;
    return frz_alter_note(draft, step->reference.tag ? "replace-tag" : "replace-branch", err,
                          "%s %s is at snapshot %" PRId64, kind, step->name, ref.snapshot_id);
}

frz_status frz_alter_replace_ref(frz_alteration *changes, const char *name,
                                 const frz_ref_options *options, frz_error **err)
{
    return record_with(changes, apply_replace, name, options, err);
}

static frz_status drop(const frz_alter_step *step, frz_alter_draft *draft, frz_error **err)
{
    const frz_snapshot_ref *known = NULL;
    if (strcmp(step->name, main_name) == 0)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "main is the table itself");
    FRZ_TRY(find_of_kind(draft, step->name, step->reference.tag, &known, err));
    FRZ_TRY(frz_update_remove_ref(draft->builder, step->name, err));
    frz_list_remove(&draft->refs, (size_t)(known - (frz_snapshot_ref *)draft->refs.items),
                    sizeof *known);
    return FRZ_OK;
}

static frz_status apply_drop(const frz_alter_step *step, frz_alter_draft *draft, frz_error **err)
{
    const char *kind = kind_word(step->reference.tag);
    const frz_status status = drop(step, draft, err);
    if (status != FRZ_OK)
        return frz_context(err, status, "drop %s %s", kind, step->name);
    return frz_alter_note(draft, step->reference.tag ? "drop-tag" : "drop-branch", err,
                          "dropped %s %s", kind, step->name);
}

frz_status frz_alter_drop_ref(frz_alteration *changes, const char *name, bool tag, frz_error **err)
{
    frz_alter_step *step = NULL;
    FRZ_TRY(record(changes, apply_drop, name, &step, err));
    step->reference.tag = tag;
    return FRZ_OK;
}

/* Moves a branch, which keeps what it retains; one that is not there is made. */
static frz_status move(frz_alter_draft *draft, const char *branch, int64_t snapshot_id,
                       const char *change, frz_error **err)
{
    const frz_snapshot_ref *known = frz_alter_draft_find_ref(draft, branch);
    frz_snapshot_ref ref = {.name = branch,
                            .min_snapshots_to_keep = -1,
                            .max_snapshot_age_ms = -1,
                            .max_ref_age_ms = -1};
    if (known && known->is_tag)
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET, "%s is a tag and does not move", branch);
    if (known && known->snapshot_id == snapshot_id)
        return FRZ_OK;
    if (known)
        ref = *known;
    ref.snapshot_id = snapshot_id;
    FRZ_TRY(put_ref(draft, &ref, err));
    return frz_alter_note(draft, change, err, "%s is at snapshot %" PRId64, branch, snapshot_id);
}

static frz_status find_named(const frz_alter_draft *draft, const char *name,
                             const frz_snapshot **out, frz_error **err)
{
    const frz_snapshot_ref *ref = frz_alter_draft_find_ref(draft, name);
    if (!ref)
        return frz_fail(err, FRZ_NOT_FOUND, FRZ_NO_OFFSET, "no branch or tag %s", name);
    return find_snapshot(draft, ref->snapshot_id, out, err);
}

static frz_status apply_fast_forward(const frz_alter_step *step, frz_alter_draft *draft,
                                     frz_error **err)
{
    const frz_snapshot *target = NULL;
    const frz_snapshot_ref *branch = frz_alter_draft_find_ref(draft, step->name);
    frz_status status = find_named(draft, step->text, &target, err);
    if (status == FRZ_OK && branch && !branch->is_tag &&
        !frz_is_ancestor(draft->base, branch->snapshot_id, target))
        status = frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                          "snapshot %" PRId64 " of %s is no ancestor of snapshot %" PRId64,
                          branch->snapshot_id, step->name, target->snapshot_id);
    if (status == FRZ_OK)
        status = move(draft, step->name, target->snapshot_id, "fast-forward", err);
    return status == FRZ_OK
               ? FRZ_OK
               : frz_context(err, status, "fast-forward %s to %s", step->name, step->text);
}

frz_status frz_alter_fast_forward(frz_alteration *changes, const char *branch, const char *to,
                                  frz_error **err)
{
    frz_alter_step *step = NULL;
    FRZ_TRY(record(changes, apply_fast_forward, branch, &step, err));
    return frz_alter_keep(changes, to, &step->text, err);
}

static frz_status rollback(frz_alter_draft *draft, int64_t snapshot_id, frz_error **err)
{
    const frz_snapshot *target = NULL;
    const frz_snapshot *current = snapshot_of(draft, frz_alter_draft_find_ref(draft, main_name));
    FRZ_TRY(find_snapshot(draft, snapshot_id, &target, err));
    if (!frz_is_ancestor(draft->base, snapshot_id, current))
        return frz_fail(err, FRZ_INVALID, FRZ_NO_OFFSET,
                        "snapshot %" PRId64 " is no ancestor of the current one (set-current takes "
                        "any)",
                        snapshot_id);
    return move(draft, main_name, snapshot_id, "rollback", err);
}

static frz_status apply_rollback(const frz_alter_step *step, frz_alter_draft *draft,
                                 frz_error **err)
{
    const frz_status status = rollback(draft, step->number, err);
    return status == FRZ_OK ? FRZ_OK : frz_context(err, status, "rollback");
}

frz_status frz_alter_rollback(frz_alteration *changes, int64_t snapshot_id, frz_error **err)
{
    frz_alter_step *step = NULL;
    FRZ_TRY(record(changes, apply_rollback, main_name, &step, err));
    step->number = snapshot_id;
    return FRZ_OK;
}

/* The latest ancestor from before that time, as Java finds it. */
static frz_status apply_rollback_to_time(const frz_alter_step *step, frz_alter_draft *draft,
                                         frz_error **err)
{
    char time[FRZ_CALENDAR_TEXT_SIZE];
    const frz_snapshot *found = NULL;
    frz_ancestry line = frz_ancestry_of(
        draft->base, snapshot_of(draft, frz_alter_draft_find_ref(draft, main_name)));
    for (const frz_snapshot *at = frz_ancestry_next(&line); at; at = frz_ancestry_next(&line))
        if (at->timestamp_ms < step->number && (!found || at->timestamp_ms > found->timestamp_ms))
            found = at;
    (void)frz_calendar_print_micros(frz_calendar_micros(step->number), true, time);
    if (!found)
        return frz_fail(err, FRZ_NOT_FOUND, FRZ_NO_OFFSET,
                        "rollback: no ancestor of the current snapshot is older than %s", time);
    const frz_status status = rollback(draft, found->snapshot_id, err);
    return status == FRZ_OK ? FRZ_OK : frz_context(err, status, "rollback");
}

frz_status frz_alter_rollback_to_time(frz_alteration *changes, int64_t ms, frz_error **err)
{
    frz_alter_step *step = NULL;
    FRZ_TRY(record(changes, apply_rollback_to_time, main_name, &step, err));
    step->number = ms;
    return FRZ_OK;
}

static frz_status apply_set_current(const frz_alter_step *step, frz_alter_draft *draft,
                                    frz_error **err)
{
    const frz_snapshot *target = NULL;
    frz_status status = step->text ? find_named(draft, step->text, &target, err)
                                   : find_snapshot(draft, step->number, &target, err);
    if (status == FRZ_OK)
        status = move(draft, main_name, target->snapshot_id, "set-current", err);
    return status == FRZ_OK ? FRZ_OK : frz_context(err, status, "set the current snapshot");
}

frz_status frz_alter_set_current(frz_alteration *changes, int64_t snapshot_id, frz_error **err)
{
    frz_alter_step *step = NULL;
    FRZ_TRY(record(changes, apply_set_current, main_name, &step, err));
    step->number = snapshot_id;
    return FRZ_OK;
}

frz_status frz_alter_set_current_ref(frz_alteration *changes, const char *ref, frz_error **err)
{
    frz_alter_step *step = NULL;
    FRZ_TRY(record(changes, apply_set_current, main_name, &step, err));
    return frz_alter_keep(changes, ref, &step->text, err);
}
